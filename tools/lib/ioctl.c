// SPDX-License-Identifier: GPL-2.0
/* The ioctls, with a negative errno instead of -1 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "private.h"

static int call(int fd, unsigned long cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

static int call_flags(int fd, unsigned long cmd, unsigned long flags)
{
	int ret = ioctl(fd, cmd, flags);

	return ret < 0 ? -errno : ret;
}

int kncpmu_open(const char *path)
{
	int fd = open(path ? path : KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void kncpmu_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int kncpmu_info(int fd, struct knc_pmu_info *info)
{
	int ret;

	memset(info, 0, sizeof(*info));
	ret = call(fd, KNC_PMU_IOC_INFO, info);
	return ret < 0 ? ret : 0;
}

int kncpmu_pmus(int fd, struct knc_pmu_desc *pmus, unsigned int nr)
{
	struct knc_pmu_info info = {
		.pmus = {
			.entries = (uintptr_t)pmus,
			.nr = nr,
			.size = sizeof(*pmus),
		},
	};

	return call(fd, KNC_PMU_IOC_INFO, &info);
}

/* Bytes of the mask up to its highest CPU; at least one */
static unsigned int mask_bytes(const struct kncpmu_cpus *cpus)
{
	const unsigned char *bytes = (const unsigned char *)cpus->bits;
	unsigned int n = sizeof(cpus->bits);

	/* skip whole words first: testing thousands of bits one by one is slow */
	while (n > sizeof(cpus->bits[0]) && !cpus->bits[n / sizeof(cpus->bits[0]) - 1])
		n -= sizeof(cpus->bits[0]);
	while (n > 1 && !bytes[n - 1])
		n--;
	return n;
}

int kncpmu_config_sampling(int fd, const struct kncpmu_cpus *cpus,
			   struct knc_pmu_event *events, unsigned int nr,
			   struct knc_pmu_config *config)
{
	struct knc_pmu_config request = {
		.pmu = config->pmu,
		.flags = config->flags,
		.cpus = cpus ? (uintptr_t)cpus->bits : 0,
		.cpus_size = cpus ? mask_bytes(cpus) : 0,
		.nr_events = nr,
		.events = (uintptr_t)events,
		.event_size = sizeof(*events),
		.max_frames = config->max_frames,
		.sample_interval = config->sample_interval,
		.ring_size = config->ring_size,
		.watermark = config->watermark,
		.stack_size = config->stack_size,
		.pid = cpus ? 0 : config->pid,
	};

	if (config->flags & KNC_PMU_CONFIG_PIDS) {
		request.cpus = config->cpus;
		request.cpus_size = config->cpus_size;
	}
	*config = request;
	return call(fd, KNC_PMU_IOC_CONFIG, config);
}

int kncpmu_config(int fd, const struct kncpmu_cpus *cpus,
		  struct knc_pmu_event *events, unsigned int nr,
		  unsigned int flags, struct knc_pmu_config *config)
{
	memset(config, 0, sizeof(*config));
	config->flags = flags;
	return kncpmu_config_sampling(fd, cpus, events, nr, config);
}

int kncpmu_config_task(int fd, int pid, struct knc_pmu_event *events,
		       unsigned int nr, unsigned int flags,
		       struct knc_pmu_config *config)
{
	struct knc_pmu_config request = {
		.flags = flags | KNC_PMU_CONFIG_TASK,
		.nr_events = nr,
		.events = (uintptr_t)events,
		.event_size = sizeof(*events),
		.pid = pid,
	};

	*config = request;
	return call(fd, KNC_PMU_IOC_CONFIG, config);
}

int kncpmu_start(int fd)
{
	return call_flags(fd, KNC_PMU_IOC_START, 0);
}

int kncpmu_stop(int fd)
{
	return call_flags(fd, KNC_PMU_IOC_STOP, 0);
}

int kncpmu_reset(int fd, unsigned int flags)
{
	return call_flags(fd, KNC_PMU_IOC_RESET, flags);
}

int kncpmu_read(int fd, void *records, size_t size, unsigned int flags)
{
	struct knc_pmu_read request = {
		.flags = flags,
		.buffer = (uintptr_t)records,
		.buffer_size = size,
	};

	return call(fd, KNC_PMU_IOC_READ, &request);
}

const struct knc_pmu_thread *kncpmu_record(const void *records,
					   unsigned int nr_events,
					   unsigned int index)
{
	const char *at = records;

	return (const void *)(at + index * KNC_PMU_THREAD_SIZE(nr_events));
}

const struct knc_pmu_thread *kncpmu_set_record(const void *records,
					       unsigned int nr_events,
					       unsigned int index,
					       const __u64 **running)
{
	const char *at = (const char *)records + index * KNC_PMU_SET_SIZE(nr_events);
	const struct knc_pmu_thread *record = (const void *)at;

	*running = record->value + nr_events;
	return record;
}

const struct knc_pmu_thread *kncpmu_named_record(const void *records, size_t size,
						 unsigned int index, const char **name)
{
	const char *at = (const char *)records + index * (size + KNC_PMU_NAME_SIZE);

	*name = at + size;
	return (const void *)at;
}

int kncpmu_regs(int fd, unsigned int cpu, struct knc_pmu_reg *regs, unsigned int nr)
{
	struct knc_pmu_regs request = {
		.cpu = cpu,
		.regs = {
			.entries = (uintptr_t)regs,
			.nr = nr,
			.size = sizeof(*regs),
		},
	};

	return call(fd, KNC_PMU_IOC_REGS, &request);
}

int kncpmu_owner(int fd, unsigned int cpu, unsigned int counter,
		 struct knc_pmu_owner *owner)
{
	memset(owner, 0, sizeof(*owner));
	owner->cpu = cpu;
	owner->counter = counter;
	return call(fd, KNC_PMU_IOC_OWNER, owner);
}

int kncpmu_stats(int fd, struct knc_pmu_stats *stats, unsigned int nr)
{
	struct knc_pmu_list request = {
		.entries = (uintptr_t)stats,
		.nr = nr,
		.size = sizeof(*stats),
	};

	return call(fd, KNC_PMU_IOC_STATS, &request);
}

int kncpmu_grants(int fd, struct knc_pmu_grant *grants, unsigned int nr)
{
	struct knc_pmu_list request = {
		.entries = (uintptr_t)grants,
		.nr = nr,
		.size = sizeof(*grants),
	};

	return call(fd, KNC_PMU_IOC_GRANTS, &request);
}

int kncpmu_evict(int fd, unsigned int cpu, unsigned int counter)
{
	struct knc_pmu_evict request = {
		.cpu = cpu,
		.counter = counter,
	};

	return call(fd, KNC_PMU_IOC_EVICT, &request);
}

int kncpmu_page_map(int fd, const struct knc_pmu_page **page)
{
	const struct knc_pmu_page *memory;

	*page = NULL;
	memory = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd,
		      KNC_PMU_PAGE_OFFSET);
	if (memory == MAP_FAILED)
		return -errno;
	if (!memory->nr_events || memory->nr_events > KNC_PMU_MAX_EVENTS) {
		kncpmu_page_unmap(memory);
		return -EPROTO;
	}
	*page = memory;
	return 0;
}

void kncpmu_page_unmap(const struct knc_pmu_page *page)
{
	if (page)
		munmap((void *)page, sysconf(_SC_PAGESIZE));
}
