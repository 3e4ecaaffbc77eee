// SPDX-License-Identifier: GPL-2.0
/* Opening and configuring a session, with messages */
#include <knc/regs.h>

#include "cli/device.h"
#include "cli/pmu.h"

int open_device(void)
{
	int fd = kncpmu_open(NULL);

	if (fd >= 0)
		return fd;
	explain_op(KNCPMU_OP_OPEN, fd, 0);
	return -1;
}

int with_device(int (*work)(int fd, void *ctx), void *ctx)
{
	int status, fd = open_device();

	if (fd < 0)
		return CTL_FAILED;
	status = work(fd, ctx);
	kncpmu_close(fd);
	return status;
}

int configure(const struct kncpmu_pmu *pmu, int fd, const struct kncpmu_cpus *cpus,
	      struct knc_pmu_event *events, unsigned int nr)
{
	struct knc_pmu_config config = { .pmu = pmu->id };
	struct kncpmu_failure failure = {
		.op = KNCPMU_OP_CONFIG,
		.config = &config,
		.events = events,
		.pmu = pmu,
	};

	failure.error = kncpmu_config_sampling(fd, cpus, events, nr, &config);
	return failure.error ? explain(&failure) : 0;
}

int cpu_owner(int fd, unsigned int cpu, struct knc_pmu_owner *owner)
{
	const __u64 counters = own_pmu()->counters;
	unsigned int counter;
	int ret;

	for (counter = 0; counters >> counter; counter++) {
		if (!(counters >> counter & 1))
			continue;
		ret = kncpmu_owner(fd, cpu, counter, owner);
		if (ret)
			return ret;
		if (owner->flags & KNC_PMU_OWNER_SESSION)
			return 1;
	}
	return 0;
}
