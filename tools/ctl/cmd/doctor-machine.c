// SPDX-License-Identifier: GPL-2.0
/* What several checks of doctor ask of the machine, and a trial of the counters */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cpuid.h>

#include <knc/arch_regs.h>
#include <knc/regs.h>
#include <linux/capability.h>
#include <linux/version.h>
#include <kernel-file.h>
#include <pmus.h>

#include "cli/pmu.h"
#include "cmd/doctor-checks.h"

/* since Linux 5.8; the headers for a card are older */
#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define CPUID_POWER	0x80000007
#define CPUID_CONSTANT	(1U << 8)	/* bit of EDX: invariant TSC */

#define WORK		10000	/* enough to be counted, too little to be noticed */

static void read_cpu(struct machine *m)
{
	unsigned int eax, ebx, ecx, edx;
	int loaded;

	kncpmu_cpu_read(&m->cpu);
	m->knc = m->cpu.family == KNC_CPU_FAMILY && m->cpu.model == KNC_CPU_MODEL;
	loaded = module_loaded();
	m->loaded = loaded > 0;
	m->hidden = loaded < 0 ? loaded : 0;
	m->host = m->loaded && !m->knc;
	m->constant = !m->knc && __get_cpuid(CPUID_POWER, &eax, &ebx, &ecx, &edx) &&
		      edx & CPUID_CONSTANT;
	/* the module supports the architectural PMU of Intel only */
	if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) && ebx == signature_INTEL_ebx &&
	    __get_cpuid(ARCH_CPUID, &eax, &ebx, &ecx, &edx))
		m->arch = ARCH_CPUID_VERSION(eax);
}

static void read_kernel(struct machine *m)
{
	unsigned int a = 0, b = 0, c = 0;
	char word[8];

	uname(&m->kernel);
	if (sscanf(m->kernel.release, "%u.%u.%u", &a, &b, &c) > 0)
		m->version = KERNEL_VERSION(a, b, c);
	kncpmu_read_line("/sys/kernel/realtime", word, sizeof(word));
	m->real_time = word[0] == '1' || strstr(m->kernel.version, "PREEMPT_RT");
}

static int read_cpufreq(unsigned int cpu, const char *name, char *word, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpufreq/scaling_%s", cpu, name);
	return kncpmu_read_line(path, word, size);
}

/* Does the frequency of @cpu change? */
static int frequency_varies(unsigned int cpu, char *governor, size_t size)
{
	char min[32], max[32];

	return !read_cpufreq(cpu, "governor", governor, size) &&
	       !read_cpufreq(cpu, "min_freq", min, sizeof(min)) &&
	       !read_cpufreq(cpu, "max_freq", max, sizeof(max)) &&
	       strcmp(min, max) && strcmp(governor, "performance") &&
	       strcmp(governor, "powersave") && strcmp(governor, "userspace");
}

static void read_cpus(struct machine *m)
{
	unsigned int cpu;

	m->no_cpus = kncpmu_cpus_online(&m->online);
	for (cpu = first_cpu(&m->online); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(&m->online, cpu)) {
		if (frequency_varies(cpu, m->governor, sizeof(m->governor)))
			break;
	}
	m->varying = cpu;
}

/* Does this program have the capability to count? For use where the module can't be asked */
static int has_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets))
		return 0;
	return sets[CAP_TO_INDEX(CAP_PERFMON)].effective & CAP_TO_MASK(CAP_PERFMON) ||
	       sets[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN);
}

/* REGS needs CAP_PERFMON in the first user namespace */
static int is_privileged(const struct machine *m)
{
	if (m->fd < 0 || !kncpmu_cpus_count(&m->online))
		return has_capability();
	return kncpmu_regs(m->fd, first_cpu(&m->online), NULL, 0) >= 0;
}

static void ask_module(struct machine *m)
{
	m->fd = kncpmu_open(NULL);
	m->error = m->fd < 0 ? m->fd : get_info(m->fd, &m->info, &m->pmu);
}

/*
 * Configure a session that counts this program in user mode; if the module can't follow tasks, a
 * session that counts user mode on all online CPUs
 */
static int configure_trial(const struct machine *m, int fd, struct knc_pmu_config *config)
{
	struct knc_pmu_event event;
	struct kncpmu_error err;

	if (kncpmu_spec_parse(own_pmu(), own_pmu()->instructions, &event, &err))
		return -EINVAL;
	event.flags = KNC_PMU_EVENT_USR;
	if (m->info.features & KNC_PMU_FEATURE_TASKS)
		return kncpmu_config_task(fd, 0, &event, 1, 0, config);
	return kncpmu_config(fd, &m->online, &event, 1, 0, config);
}

static int count_work(struct machine *m, int fd)
{
	size_t size = KNC_PMU_THREAD_SIZE(1) * KNC_PMU_MAX_CPUS;
	void *records = malloc(size);
	int ret = records ? kncpmu_start(fd) : -ENOMEM, n;
	unsigned int i;

	for (i = 0; i < WORK; i++)
		__asm__ __volatile__("");
	if (!ret)
		ret = kncpmu_stop(fd);
	if (!ret)
		ret = kncpmu_read(fd, records, size, 0);
	for (n = 0; n < ret; n++)
		m->count += kncpmu_record(records, 1, n)->value[0];
	free(records);
	return ret < 0 ? ret : 0;
}

static enum trial trial_of(int ret, unsigned int reason)
{
	if (!ret)
		return TRIAL_COUNTED;
	switch (reason) {
	case KNC_PMU_REASON_BUSY:
	case KNC_PMU_REASON_TASK_BUSY:
		return TRIAL_BUSY;
	case KNC_PMU_REASON_PMU_RESERVED:
		return TRIAL_RESERVED;
	case KNC_PMU_REASON_PRIVILEGE:
	case KNC_PMU_REASON_UNPRIVILEGED:
		return TRIAL_DENIED;
	default:
		return TRIAL_FAILED;
	}
}

/* Only CONFIG shows whether perf or another module has reserved the counters */
static void try_to_count(struct machine *m)
{
	struct knc_pmu_config config = { .reason = KNC_PMU_REASON_NONE };
	struct kncpmu_failure failure = { .op = KNCPMU_OP_CONFIG, .config = &config };
	int fd;

	if (m->error)
		return;
	fd = kncpmu_open(NULL);
	failure.error = fd < 0 ? fd : configure_trial(m, fd, &config);
	if (!failure.error) {
		failure.op = KNCPMU_OP_READ;
		failure.error = count_work(m, fd);
	}
	m->trial = trial_of(failure.error, config.reason);
	if (failure.error)
		kncpmu_explain(&failure, &m->why);
	kncpmu_close(fd);
}

void read_machine(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	read_cpu(m);
	read_kernel(m);
	read_cpus(m);
	ask_module(m);
	m->privileged = is_privileged(m);
	try_to_count(m);
}
