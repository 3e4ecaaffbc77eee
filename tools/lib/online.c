// SPDX-License-Identifier: GPL-2.0
/*
 * Are all CPUs of a set online?
 *
 * Not in cpus.c: this file needs explain.c for the message, and explain.c needs cpus.c.
 */
#include <errno.h>

#include "private.h"
#include "sets.h"

/* The first of @cpus that is not in @online */
static unsigned int first_missing(const struct kncpmu_cpus *cpus,
				  const struct kncpmu_cpus *there)
{
	unsigned int cpu;

	for (cpu = kncpmu_cpus_next(cpus, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(cpus, cpu + 1)) {
		if (!kncpmu_cpus_test(there, cpu))
			break;
	}
	return cpu;
}

int kncpmu_cpus_check(const struct kncpmu_cpus *cpus, struct kncpmu_error *err)
{
	struct kncpmu_cpus there;
	struct knc_pmu_config config = { .reason = KNC_PMU_REASON_NONE };
	struct kncpmu_failure failure = {
		.op = KNCPMU_OP_CONFIG,
		.error = -ENXIO,
		.config = &config,
	};

	if (!kncpmu_cpus_count(cpus)) {
		failure.error = -EINVAL;
		config.reason = KNC_PMU_REASON_CPU_EMPTY;
	} else if (!kncpmu_cpus_possible(&there) &&
		   first_missing(cpus, &there) < KNC_PMU_MAX_CPUS) {
		config.reason = KNC_PMU_REASON_CPU_NONE;
		config.reason_cpu = first_missing(cpus, &there);
	} else if (!kncpmu_cpus_online(&there) &&
		   first_missing(cpus, &there) < KNC_PMU_MAX_CPUS) {
		config.reason = KNC_PMU_REASON_CPU_OFFLINE;
		config.reason_cpu = first_missing(cpus, &there);
	} else {
		return 0;
	}
	kncpmu_explain(&failure, err);
	return failure.error;
}
