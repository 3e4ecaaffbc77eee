// SPDX-License-Identifier: GPL-2.0
/* The message for a failed session of top */
#include <errno.h>

#include "top/top.h"

int top_fail(struct kncpmu_error *err, enum kncpmu_op op, int error,
	     const struct knc_pmu_config *config, const struct knc_pmu_event *events)
{
	struct kncpmu_failure failure = {
		.op = op,
		.error = error,
		.config = config,
		.events = events,
	};

	kncpmu_explain(&failure, err);
	return config && config->reason == KNC_PMU_REASON_PRIVILEGE ? -EPERM : -1;
}
