// SPDX-License-Identifier: GPL-2.0
/* The PMU whose events have names: the machine's, or the one that the caller chooses */
#include <errno.h>
#include <string.h>

#include <cpuid.h>

#include <knc/arch_regs.h>
#include <knc/regs.h>

#include "pmu.h"
#include "pmus.h"

static const struct kncpmu_pmu knc = {
	.name = "knc",
	.counters = KNC_GLOBAL_CNTRS,
	.nr_counters = KNC_NR_COUNTERS,
	.nr_general = KNC_NR_COUNTERS,
	.cycles = "CPU_CLK_UNHALTED",
	.instructions = "INSTRUCTIONS_EXECUTED",
};

/* The counters that most CPUs have; on a host its own counters replace them */
static struct kncpmu_pmu arch = {
	.name = "arch",
	.counters = 0x70000000fULL,
	.nr_counters = 7,
	.nr_general = 4,
	.cycles = "UNHALTED_CORE_CYCLES",
	.instructions = "INSTRUCTION_RETIRED",
};

/* The architectural PMU of a Westmere, which has more events */
static struct kncpmu_pmu westmere = {
	.name = "westmere",
	.counters = 0x70000000fULL,
	.nr_counters = 7,
	.nr_general = 4,
	.cycles = "UNHALTED_CORE_CYCLES",
	.instructions = "INSTRUCTION_RETIRED",
};

/* Counts for a package: it has neither cycles of a core nor instructions */
static struct kncpmu_pmu uncore = {
	.name = "uncore",
	.counters = 0x1000000ffULL,
	.nr_counters = 9,
	.nr_general = 8,
	.cycles = "",
	.instructions = "",
};

/* NULL: not chosen yet */
static const struct kncpmu_pmu *chosen;

static int is_card(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) &&
	       (eax >> 8 & 0xf) == KNC_CPU_FAMILY;
}

/* Ask the module, but not on a card, which has no other PMU. */
static const struct kncpmu_pmu *machine_pmu(void)
{
	struct knc_pmu_desc desc = { .nr_counters = 0 };
	struct kncpmu_pmu *pmu = &arch;
	int fd, ret;

	if (is_card())
		return &knc;
	fd = kncpmu_open(NULL);
	if (fd < 0)
		return &knc;
	ret = kncpmu_pmus(fd, &desc, 1);
	kncpmu_close(fd);
	if (ret > 0 && !strcmp(desc.name, westmere.name))
		pmu = &westmere;
	else if (ret < 1 || strcmp(desc.name, arch.name))
		return &knc;
	pmu->counters = desc.counters;
	pmu->nr_counters = desc.nr_counters + desc.nr_fixed;
	pmu->nr_general = desc.nr_counters;
	return pmu;
}

const struct kncpmu_pmu *kncpmu_pmu(void)
{
	if (!chosen)
		chosen = machine_pmu();
	return chosen;
}

int kncpmu_pmu_use(const char *name)
{
	static const struct kncpmu_pmu * const known[] = { &knc, &arch, &westmere, &uncore };
	unsigned int i;

	/* if @name is this machine's PMU, kncpmu_pmu() sets its counters as the module has them */
	kncpmu_pmu();
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(name, known[i]->name))
			continue;
		chosen = known[i];
		return 0;
	}
	return -ENOENT;
}

/* The number that INFO gives to a PMU; 0: the machine does not have it */
static unsigned int find_pmu(const char *name)
{
	struct knc_pmu_desc desc;
	int fd = kncpmu_open(NULL), err;

	if (fd < 0)
		return 0;
	err = kncpmu_pmu_find(fd, name, &desc);
	kncpmu_close(fd);
	return err ? 0 : desc.id;
}

int kncpmu_pmu_use_here(const char *name)
{
	if (!strcmp(name, kncpmu_pmu()->name))
		return 0;
	/* a Westmere has these events too, under the same names */
	if (!strcmp(name, arch.name) && kncpmu_pmu_is_arch())
		return 0;
	uncore.id = find_pmu(name);
	if (strcmp(name, uncore.name) || !uncore.id)
		return -ENODEV;
	return kncpmu_pmu_use(name);
}

int kncpmu_pmu_cpu_lacks(const struct knc_pmu_event *event)
{
	static const __u64 codes[] = {
#define ARCH_EVENT(name, event, umask, fixed, rate, desc)	KNC_PMU_EVENT_CODE(event, umask),
#include <knc/arch_events.def>
	};
	/* read once: top asks for each cell, and CPUID takes long in a virtual machine */
	static unsigned int eax, ebx, ecx, edx;
	static int known = -1;
	unsigned int bit;

	if (!kncpmu_pmu_is_arch())
		return 0;
	if (known < 0)
		known = __get_cpuid(ARCH_CPUID, &eax, &ebx, &ecx, &edx);
	if (!known)
		return 0;
	for (bit = 0; bit < ARRAY_SIZE(codes); bit++) {
		if (codes[bit] == event->event)
			return bit >= ARCH_CPUID_EVENTS(eax) || ebx >> bit & 1;
	}
	return 0;
}

int kncpmu_pmu_any_counter(void)
{
	/* asked once, and only if a request names a counter that can't count its event */
	static int any = -1;
	struct knc_pmu_info info;
	int fd;

	if (any >= 0)
		return any;
	any = 0;
	fd = kncpmu_open(NULL);
	if (fd < 0)
		return any;
	any = !kncpmu_info(fd, &info) && info.features & KNC_PMU_FEATURE_ANY_COUNTER;
	kncpmu_close(fd);
	return any;
}

int kncpmu_pmu_is_arch(void)
{
	return kncpmu_pmu() == &arch || kncpmu_pmu_is_westmere();
}

int kncpmu_pmu_is_westmere(void)
{
	return kncpmu_pmu() == &westmere;
}

int kncpmu_pmu_is_uncore(void)
{
	return kncpmu_pmu() == &uncore;
}
