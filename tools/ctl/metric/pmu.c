// SPDX-License-Identifier: GPL-2.0
/* The PMUs that have metrics, and their own files of metrics, which are built into the tool */
#include <string.h>

#include "cli/array.h"
#include "metric/files.h"

/* Copies within the tool, because a card may have no other file of it */
static const char * const knc_lines[] = {
#include "knc.json.inc"
};

static const char * const arch_lines[] = {
#include "arch.json.inc"
};

static const char * const westmere_lines[] = {
#include "westmere.json.inc"
};

static const char * const uncore_lines[] = {
#include "uncore.json.inc"
};

static const struct metric_own_file own_files[] = {
	{ "knc", knc_lines, ARRAY_SIZE(knc_lines) },
	{ "arch", arch_lines, ARRAY_SIZE(arch_lines) },
	{ "westmere", westmere_lines, ARRAY_SIZE(westmere_lines) },
	{ "uncore", uncore_lines, ARRAY_SIZE(uncore_lines) },
};

const struct metric_own_file *metric_own_file(unsigned int i)
{
	return i < ARRAY_SIZE(own_files) ? &own_files[i] : NULL;
}

int metric_pmu_known(const char *pmu)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(own_files); i++) {
		if (!strcmp(own_files[i].pmu, pmu))
			return 1;
	}
	return 0;
}

/* Westmere's PMU has the events of the architectural one too */
int metric_pmu_is_used(const struct kncpmu_pmu *pmu, const char *name)
{
	return !strcmp(name, pmu->name) ||
	       (!strcmp(name, "arch") && pmu->kind == KNCPMU_PMU_WESTMERE);
}
