// SPDX-License-Identifier: GPL-2.0
/* Levels, which are read and not counted: finds their PMU, sums up several readings */
#include <errno.h>
#include <stdio.h>

#include "cli/level.h"

const char level_partial[] =
	"another program has changed the RMID of a hardware thread, or a task was left out";

int level_find_pmu(int fd, const struct kncpmu_level *level, struct knc_pmu_desc *pmu,
		   struct kncpmu_error *err)
{
	struct kncpmu_failure failure = { .op = KNCPMU_OP_INFO };

	failure.error = kncpmu_pmu_find(fd, level->pmu, pmu);
	if (failure.error == -ENOENT)
		snprintf(err->text, sizeof(err->text),
			 "this machine has no PMU %s: its CPU has no cache monitoring (CPUID leaf 0xF), or the module is not built for hosts (PMU=arch)",
			 level->pmu);
	else if (failure.error)
		kncpmu_explain(&failure, err);
	return failure.error ? -1 : 0;
}

int level_is_valid(const struct knc_pmu_thread *record)
{
	return !(record->flags & (KNC_PMU_THREAD_UNAVAILABLE | KNC_PMU_THREAD_ERROR |
				  KNC_PMU_THREAD_OFFLINE));
}

void level_add(struct level_readings *readings, int valid, unsigned long long bytes)
{
	if (!valid) {
		readings->missing++;
		return;
	}
	if (!readings->nr || bytes < readings->least)
		readings->least = bytes;
	if (bytes > readings->most)
		readings->most = bytes;
	readings->sum += bytes;
	readings->nr++;
}

double level_mean(const struct level_readings *readings)
{
	return readings->nr ? readings->sum / readings->nr : 0;
}
