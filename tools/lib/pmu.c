// SPDX-License-Identifier: GPL-2.0
/* The PMUs whose events have names, as a machine has them or as they usually are */
#include <errno.h>
#include <string.h>

#include <knc/regs.h>

#include "pmus.h"
#include "private.h"
#include "tables.h"

/* The counters that most host CPUs have; a machine's own replace them */
#define HOST_DEFAULTS	.counters = 0x70000000fULL, .nr_counters = 7, .nr_general = 4,	\
			.cycles = "UNHALTED_CORE_CYCLES", .instructions = "INSTRUCTION_RETIRED"

static const struct {
	struct kncpmu_pmu pmu;
	const struct kncpmu_event_desc *(*events)(unsigned int *nr);
} known[] = {
	{
		{
			.name = "knc",
			.kind = KNCPMU_PMU_KNC,
			.counters = KNC_GLOBAL_CNTRS,
			.nr_counters = KNC_NR_COUNTERS,
			.nr_general = KNC_NR_COUNTERS,
			.cycles = "CPU_CLK_UNHALTED",
			.instructions = "INSTRUCTIONS_EXECUTED",
		}, kncpmu_knc_events,
	}, {
		{
			.name = "arch",
			.kind = KNCPMU_PMU_ARCH,
			HOST_DEFAULTS,
		}, kncpmu_arch_events,
	}, {
		{
			.name = "westmere",
			.kind = KNCPMU_PMU_WESTMERE,
			HOST_DEFAULTS,
		}, kncpmu_westmere_events,
	}, {
		/* the uncore counts for a package: no core's cycles, and no instructions */
		{
			.name = "uncore",
			.kind = KNCPMU_PMU_UNCORE,
			.counters = 0x1000000ffULL,
			.nr_counters = 9,
			.nr_general = 8,
			.cycles = "",
			.instructions = "",
		}, kncpmu_uncore_events,
	},
};

static int take(const char *name, struct kncpmu_pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(name, known[i].pmu.name))
			continue;
		*pmu = known[i].pmu;
		pmu->events = known[i].events(&pmu->nr_events);
		return 0;
	}
	return -ENOENT;
}

/* Find the PMU @name, or without a name the machine's default, which is its first PMU */
static int find(int fd, const char *name, struct knc_pmu_desc *desc)
{
	int err;

	if (!name) {
		err = kncpmu_pmus(fd, desc, 1);
		return err < 0 ? err : err ? 0 : -ENODEV;
	}
	err = kncpmu_pmu_find(fd, name, desc);
	/* a Westmere has these events too, under the same names */
	if (err == -ENOENT && !strcmp(name, "arch"))
		err = kncpmu_pmu_find(fd, "westmere", desc);
	return err == -ENOENT ? -ENODEV : err;
}

int kncpmu_pmu_get(int fd, const char *name, struct kncpmu_pmu *pmu)
{
	struct knc_pmu_desc desc;
	int err;

	take("knc", pmu);
	if (fd < 0)
		return name ? take(name, pmu) : 0;
	err = find(fd, name, &desc);
	if (!err)
		err = take(desc.name, pmu);
	if (err)
		return err;
	pmu->id = desc.id;
	pmu->counters = desc.counters;
	pmu->nr_counters = desc.nr_counters + desc.nr_fixed;
	pmu->nr_general = desc.nr_counters;
	pmu->any_counter = !!(desc.features & KNC_PMU_FEATURE_ANY_COUNTER);
	return 0;
}
