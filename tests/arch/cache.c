// SPDX-License-Identifier: GPL-2.0
/* What the tests of cache monitoring share: memory, registers, sessions */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <knc/cmt_regs.h>

#include "cache.h"

static unsigned char memory[SIZE] __attribute__((__aligned__(4096)));

void touch(size_t from, size_t bytes)
{
	volatile unsigned char *at = memory + from;
	size_t i;

	for (i = 0; i < bytes; i += LINE)
		at[i]++;
}

/*
 * A line in the L3 belongs to the RMID that brought it in. Hardware threads with RMID 0 touch other
 * memory, which no test uses: its lines replace all others
 */
void sweep(void)
{
	static unsigned char other[2 * SIZE];
	volatile unsigned char *at = other;
	unsigned int cpu;
	size_t i;

	for (cpu = 0; cpu < 4; cpu += 2) {
		pin(cpu);
		for (i = 0; i < sizeof(other); i += LINE)
			at[i]++;
	}
}

/* Registers */

static int transfer(unsigned int cpu, unsigned int msr, unsigned long long *value, int write)
{
	char path[32];
	int fd, ret;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail("%s: %s", path, strerror(errno));
	ret = write ? pwrite(fd, value, 8, msr) : pread(fd, value, 8, msr);
	ret = ret == 8 ? 0 : -errno;
	close(fd);
	return ret;
}

unsigned long long get(unsigned int cpu, unsigned int msr)
{
	unsigned long long value = 0;

	expect("RDMSR", transfer(cpu, msr, &value, 0), 0);
	return value;
}

void put(unsigned int cpu, unsigned int msr, unsigned long long value, int want)
{
	int ret = transfer(cpu, msr, &value, 1);

	if (ret != want)
		fail("writing %#llx to %#x: %d instead of %d", value, msr, ret, want);
}

void inject(unsigned int cpu, unsigned long long bits)
{
	put(cpu, CMT_EMULATED_INJECT, bits, 0);
}

/* Sessions */

/* CONFIG for hardware threads @cpus, a mask, or for task @pid if that is 0 */
int try_config(int fd, unsigned int cpus, pid_t pid, unsigned int flags,
	       struct knc_pmu_config *config)
{
	struct knc_pmu_event event = { .event = 1 };
	struct kncpmu_cpus set;
	unsigned int cpu;

	memset(&set, 0, sizeof(set));
	for (cpu = 0; cpu < 32; cpu++)
		if (cpus & 1U << cpu)
			kncpmu_cpus_set(&set, cpu);
	memset(config, 0, sizeof(*config));
	config->pmu = CMT;
	config->flags = flags;
	config->pid = pid;
	return kncpmu_config_sampling(fd, cpus ? &set : NULL, &event, 1, config);
}

int session(unsigned int cpus, pid_t pid, unsigned int flags)
{
	struct knc_pmu_config config;
	int fd = device(), ret = try_config(fd, cpus, pid, flags, &config);

	if (ret)
		fail("CONFIG: %s, reason %u", strerror(-ret), config.reason);
	return fd;
}

void refused(const char *what, unsigned int cpus, pid_t pid, unsigned int flags, int want,
	     unsigned int reason)
{
	struct knc_pmu_config config;
	int fd = device();

	expect(what, try_config(fd, cpus, pid, flags, &config), want);
	expect(what, config.reason, reason);
	kncpmu_close(fd);
}

struct knc_pmu_thread records[4];

/* READ; all records are copied to @records */
int read_all(int fd)
{
	unsigned char buffer[KNC_PMU_THREAD_SIZE(1) * 4];
	int i, n = kncpmu_read(fd, buffer, sizeof(buffer), 0);

	for (i = 0; i < n; i++)
		memcpy(&records[i], kncpmu_record(buffer, 1, i), KNC_PMU_THREAD_SIZE(1));
	return n;
}

/* The level of the first L3 in the answer */
unsigned long long level(int fd)
{
	if (read_all(fd) < 1)
		fail("READ");
	expect("flags", records[0].flags, 0);
	return records[0].value[0];
}
