// SPDX-License-Identifier: GPL-2.0
/* The message for a failed session of top, and the note in its row */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/pmu.h"
#include "top/fail.h"

int top_fail(struct kncpmu_error *err, enum kncpmu_op op, int error,
	     const struct knc_pmu_config *config, const struct knc_pmu_event *events)
{
	struct kncpmu_failure failure = {
		.op = op,
		.error = error,
		.config = config,
		.events = events,
		.pmu = own_pmu(),
	};

	kncpmu_explain(&failure, err);
	return config && config->reason == KNC_PMU_REASON_PRIVILEGE ? -EPERM : -1;
}

int top_fails_alone(int error, const struct knc_pmu_config *config)
{
	switch (config->reason) {
	case KNC_PMU_REASON_NONE:
		return error == -ESRCH || error == -EMFILE || error == -EBUSY;
	case KNC_PMU_REASON_TASK_DENIED:
	case KNC_PMU_REASON_SELF:
	case KNC_PMU_REASON_TASK_NONE:
	case KNC_PMU_REASON_TASK_BUSY:
	case KNC_PMU_REASON_RMID_BUSY:
	case KNC_PMU_REASON_RMID_NONE:
	case KNC_PMU_REASON_RMID_DIRTY:
		return 1;
	}
	return error == -ESRCH || error == -EMFILE;
}

void top_note(char *note, size_t size, int error, const struct knc_pmu_config *config)
{
	int busy = config->reason == KNC_PMU_REASON_TASK_BUSY ||
		   config->reason == KNC_PMU_REASON_RMID_BUSY;
	char who[KNCPMU_PROCESS_LEN];

	if (config->reason == KNC_PMU_REASON_TASK_DENIED ||
	    config->reason == KNC_PMU_REASON_SELF) {
		snprintf(note, size, "not yours to follow");
	} else if (busy && config->reason_pid == getpid()) {
		snprintf(note, size, "counted with its parent");
	} else if (busy) {
		kncpmu_process_name(config->reason_pid, who, sizeof(who));
		snprintf(note, size, "counted by %s", who);
	} else if (config->reason == KNC_PMU_REASON_CPU_OFFLINE) {
		snprintf(note, size, "offline");
	} else if (config->reason == KNC_PMU_REASON_RMID_NONE) {
		snprintf(note, size, "no RMID is free");
	} else if (config->reason == KNC_PMU_REASON_RMID_DIRTY) {
		snprintf(note, size, "no RMID is clean yet");
	} else {
		snprintf(note, size, "%s", strerror(-error));
	}
}
