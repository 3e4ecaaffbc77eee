// SPDX-License-Identifier: GPL-2.0
/* Levels, which are read and not counted, and the PMUs that have them */
#include <errno.h>
#include <string.h>

#include <knc/cmt_regs.h>

#include "private.h"
#include "pmus.h"

static const struct kncpmu_level levels[] = {
	{
		"cmt/llc_occupancy/", "cmt", CMT_EVENT_OCCUPANCY,
		"bytes of an L3 cache with lines that the program, or the hardware threads, brought in",
	},
};

const struct kncpmu_level *kncpmu_levels(unsigned int *nr)
{
	*nr = ARRAY_SIZE(levels);
	return levels;
}

const struct kncpmu_level *kncpmu_level_named(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		if (!strcmp(levels[i].name, name))
			return &levels[i];
	}
	return NULL;
}

int kncpmu_pmu_find(int fd, const char *name, struct knc_pmu_desc *pmu)
{
	struct knc_pmu_desc pmus[KNCPMU_MAX_PMUS];
	int i, nr = kncpmu_pmus(fd, pmus, KNCPMU_MAX_PMUS);

	for (i = 0; i < nr && i < KNCPMU_MAX_PMUS; i++) {
		if (strcmp(pmus[i].name, name))
			continue;
		*pmu = pmus[i];
		return 0;
	}
	return nr < 0 ? nr : -ENOENT;
}
