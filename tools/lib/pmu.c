// SPDX-License-Identifier: GPL-2.0
/* The PMU whose events have names: the machine's, or the one that the caller chooses */
#include <errno.h>
#include <string.h>

#include <cpuid.h>

#include <knc/arch_regs.h>
#include <knc/regs.h>

#include "private.h"

static const struct kncpmu_pmu knc = {
	.name = "knc",
	.counters = KNC_GLOBAL_CNTRS,
	.nr_counters = KNC_NR_COUNTERS,
	.nr_general = KNC_NR_COUNTERS,
	.cycles = "CPU_CLK_UNHALTED",
	.instructions = "INSTRUCTIONS_EXECUTED",
};

/* With the counters that most CPUs have: what a machine has is read from it. */
static struct kncpmu_pmu arch = {
	.name = "arch",
	.counters = 0x70000000fULL,
	.nr_counters = 7,
	.nr_general = 4,
	.cycles = "UNHALTED_CORE_CYCLES",
	.instructions = "INSTRUCTION_RETIRED",
};

/* NULL: not chosen yet */
static const struct kncpmu_pmu *chosen;

static int is_card(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) &&
	       (eax >> 8 & 0xf) == KNC_CPU_FAMILY;
}

/* Ask the module, but not on a card: nothing else is there. */
static const struct kncpmu_pmu *machine_pmu(void)
{
	struct knc_pmu_desc desc = { .nr_counters = 0 };
	int fd, ret;

	if (is_card())
		return &knc;
	fd = kncpmu_open(NULL);
	if (fd < 0)
		return &knc;
	ret = kncpmu_pmus(fd, &desc, 1);
	kncpmu_close(fd);
	if (ret < 1 || strcmp(desc.name, arch.name))
		return &knc;
	arch.counters = desc.counters;
	arch.nr_counters = desc.nr_counters + desc.nr_fixed;
	arch.nr_general = desc.nr_counters;
	return &arch;
}

const struct kncpmu_pmu *kncpmu_pmu(void)
{
	if (!chosen)
		chosen = machine_pmu();
	return chosen;
}

int kncpmu_pmu_use(const char *name)
{
	if (kncpmu_pmu() && !strcmp(name, knc.name))
		chosen = &knc;
	else if (!strcmp(name, arch.name))
		chosen = &arch;
	else
		return -ENOENT;
	return 0;
}

int kncpmu_pmu_is_arch(void)
{
	return kncpmu_pmu() == &arch;
}
