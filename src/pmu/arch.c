// SPDX-License-Identifier: GPL-2.0
/*
 * The architectural PMU: its descriptor from CPUID leaf 0xA, its events and event selects
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pmu/arch.h"
#include "pmu/p6.h"

/* A load has 32 bits, and the PMU copies bit 31 to the bits above: counters must be wider */
#define PMU_ARCH_WIDTH_MIN	33
#define PMU_ARCH_WIDTH_MAX	63

#define PMU_ARCH_NONE		(-1)

/* The architectural events, in the order of the bits of CPUID leaf 0xA, EBX */
static const struct {
	u64 code;
	int fixed;
} pmu_arch_known[] = {
#define PMU_ARCH_FIXED_NONE	PMU_ARCH_NONE
#define PMU_ARCH_FIXED_0	0
#define PMU_ARCH_FIXED_1	1
#define ARCH_EVENT(name, event, umask, fixed, rate, text)		\
	{ KNC_EVTSEL_CODE(event, umask), PMU_ARCH_FIXED_##fixed },
#include <knc/arch_events.def>
};

/*
 * Fixed counter 2 may count at another rate than the architectural event of the same name.
 * Therefore it has an event code of its own, perf's, which no general counter can count.
 */
#define PMU_ARCH_REFERENCE	KNC_EVTSEL_CODE(0x00, 0x03)

/* The PMU that was filled last. There is only one, except in unit tests */
static const struct pmu_arch *pmu_arch_filled;

static u64 pmu_arch_fixed_bit(const struct pmu_arch *pmu, int fixed)
{
	return fixed == PMU_ARCH_NONE ? 0 : 1ULL << (ARCH_FIXED + fixed) & pmu->desc.counters;
}

static u32 pmu_arch_check(const struct pmu_select *s)
{
	unsigned int i;

	if (s->flags & KNC_PMU_EVENT_THREAD_MODE && !pmu_arch_filled->anythread)
		return KNC_PMU_REASON_EVENT_FLAGS;
	for (i = 0; i < ARRAY_SIZE(pmu_arch_known); i++)
		if (s->code == pmu_arch_known[i].code && pmu_arch_filled->missing & 1U << i)
			return KNC_PMU_REASON_EVENT_NONE;
	return pmu_p6_check(s);
}

static u64 pmu_arch_select(const struct pmu_select *s, unsigned int counter)
{
	u64 field = ARCH_FIXED_INT;

	if (counter < ARCH_FIXED)
		return pmu_p6_select(s);
	if (s->flags & KNC_PMU_EVENT_USR)
		field |= ARCH_FIXED_USR;
	if (s->flags & KNC_PMU_EVENT_OS)
		field |= ARCH_FIXED_OS;
	if (s->flags & KNC_PMU_EVENT_THREAD_MODE)
		field |= ARCH_FIXED_ANYTHREAD;
	return field;
}

static const struct pmu_desc pmu_arch_template = {
	.name			= "arch",
	.cpu			= "host whose PMU this module knows",
	.shared_by		= KNC_PMU_SCOPE_THREAD,
	.threads_per_core	= 1,
	.interrupts		= true,
	.bank			= {
		{
			.counter_msr	= ARCH_IA32_PMC0,
			.reserve_msr	= ARCH_IA32_PMC0,
			.select_msr	= ARCH_IA32_PERFEVTSEL0,
		}, {
			.first		= ARCH_FIXED,
			.counter_msr	= ARCH_IA32_FIXED_CTR0,
			.select_msr	= ARCH_IA32_FIXED_CTR_CTRL,
			.field		= ARCH_FIXED_FIELD,
			.rdpmc_index	= ARCH_RDPMC_FIXED,
		},
	},
	.ctrl			= { ARCH_IA32_PERF_GLOBAL_CTRL, 0 },
	.status			= { ARCH_IA32_PERF_GLOBAL_STATUS, 0 },
	.ack			= { ARCH_IA32_PERF_GLOBAL_OVF_CTRL, 0 },
	.check			= pmu_arch_check,
	.make_select		= pmu_arch_select,
};

static bool pmu_arch_is_width(unsigned int width)
{
	return width >= PMU_ARCH_WIDTH_MIN && width <= PMU_ARCH_WIDTH_MAX;
}

/*
 * Describe the general counters. Without full-width writes the largest load is 2^31, because a
 * write sets bit 31 and all bits above to the same value.
 */
static void pmu_arch_fill_general(struct pmu_arch *pmu, const struct pmu_arch_cpuid *cpuid)
{
	struct pmu_bank *bank = &pmu->desc.bank[0];

	bank->nr = min_t(unsigned int, ARCH_CPUID_NR(cpuid->eax), ARCH_MAX_GENERAL);
	bank->width = ARCH_CPUID_WIDTH(cpuid->eax);
	bank->writable = ARCH_PMC_WRITABLE;
	bank->max_load = 1ULL << 31;
	if (cpuid->capabilities & ARCH_CAP_FULL_WIDTH) {
		bank->counter_msr = ARCH_IA32_A_PMC0;
		bank->writable = (1ULL << bank->width) - 1;
		bank->max_load = 1ULL << (bank->width - 1);
	}
	pmu->desc.nr_banks = 1;
	pmu->desc.nr_counters = bank->nr;
	pmu->desc.end = bank->nr;
	pmu->desc.any = (1ULL << bank->nr) - 1;
	pmu->desc.counters = pmu->desc.any;
	pmu->desc.ctrl_reset = pmu->desc.any;
}

/* Describe the fixed counters. They get no larger loads than the general ones, as in Linux. */
static void pmu_arch_fill_fixed(struct pmu_arch *pmu, const struct pmu_arch_cpuid *cpuid)
{
	struct pmu_bank *bank = &pmu->desc.bank[1];

	bank->nr = min_t(unsigned int, ARCH_CPUID_NR_FIXED(cpuid->edx), ARCH_MAX_FIXED);
	bank->width = ARCH_CPUID_WIDTH_FIXED(cpuid->edx);
	if (!bank->nr || !pmu_arch_is_width(bank->width)) {
		bank->nr = 0;
		return;
	}
	bank->writable = (1ULL << bank->width) - 1;
	bank->max_load = min(pmu->desc.bank[0].max_load, 1ULL << (bank->width - 1));
	pmu->desc.nr_banks = 2;
	pmu->desc.nr_counters += bank->nr;
	pmu->desc.end = ARCH_FIXED + bank->nr;
	pmu->desc.fixed = ((1ULL << bank->nr) - 1) << ARCH_FIXED;
	pmu->desc.counters |= pmu->desc.fixed;
}

/* All events are @own: siblings cause them only if the request has the flag AnyThread. */
static void pmu_arch_fill_events(struct pmu_arch *pmu)
{
	struct pmu_event *event = pmu->events;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmu_arch_known); i++) {
		event->code = pmu_arch_known[i].code;
		event->counters = pmu->desc.any |
				  pmu_arch_fixed_bit(pmu, pmu_arch_known[i].fixed);
		event->own = true;
		event++;
	}
	if (pmu_arch_fixed_bit(pmu, 2)) {
		event->code = PMU_ARCH_REFERENCE;
		event->counters = pmu_arch_fixed_bit(pmu, 2);
		event->own = true;
	}
	pmu->desc.events = pmu->events;
}

void pmu_arch_add_register(struct pmu_arch *pmu, u32 space, u32 number)
{
	struct knc_pmu_reg *reg = &pmu->registers[pmu->desc.nr_registers++];

	reg->space = space;
	reg->number = number;
}

static void pmu_arch_fill_registers(struct pmu_arch *pmu)
{
	static const u32 others[] = {
		ARCH_IA32_PERF_GLOBAL_CTRL, ARCH_IA32_PERF_GLOBAL_STATUS,
		KNC_IA32_TIME_STAMP_COUNTER,
	};
	unsigned int i;

	for (i = 0; i < pmu->desc.bank[0].nr; i++)
		pmu_arch_add_register(pmu, KNC_PMU_SPACE_MSR, ARCH_IA32_PERFEVTSEL0 + i);
	for (i = 0; i < pmu->desc.bank[0].nr; i++)
		pmu_arch_add_register(pmu, KNC_PMU_SPACE_MSR, ARCH_IA32_PMC0 + i);
	if (pmu->desc.bank[1].nr)
		pmu_arch_add_register(pmu, KNC_PMU_SPACE_MSR, ARCH_IA32_FIXED_CTR_CTRL);
	for (i = 0; i < pmu->desc.bank[1].nr; i++)
		pmu_arch_add_register(pmu, KNC_PMU_SPACE_MSR, ARCH_IA32_FIXED_CTR0 + i);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		pmu_arch_add_register(pmu, KNC_PMU_SPACE_MSR, others[i]);
	pmu_arch_add_register(pmu, KNC_PMU_SPACE_APIC, KNC_APIC_LVTPC);
	pmu_arch_add_register(pmu, KNC_PMU_SPACE_CR, KNC_CR4);
	pmu->desc.registers = pmu->registers;
}

/**
 * pmu_arch_fill() - make the descriptor of a CPU's PMU
 * @pmu: the PMU, out
 * @cpuid: how the CPU describes its PMU
 *
 * Counters beyond the MSRs that are defined for them, and fixed counters of an impossible width,
 * are not used. CONFIG refuses events that are missing.
 *
 * Return: NULL, or why the PMU can't be used.
 */
const char *pmu_arch_fill(struct pmu_arch *pmu, const struct pmu_arch_cpuid *cpuid)
{
	unsigned int version = ARCH_CPUID_VERSION(cpuid->eax);

	memset(pmu, 0, sizeof(*pmu));
	pmu_arch_filled = pmu;
	pmu->desc = pmu_arch_template;
	if (!version)
		return "host with an architectural PMU (CPUID leaf 0xA)";
	if (cpuid->differs)
		return "host whose hardware threads have the same PMU (this one is hybrid)";
	if (version == 1)
		return "host whose PMU has global registers (CPUID leaf 0xA: version 1)";
	if (!ARCH_CPUID_NR(cpuid->eax))
		return "host whose PMU has counters (CPUID leaf 0xA has 0)";
	if (!pmu_arch_is_width(ARCH_CPUID_WIDTH(cpuid->eax)))
		return "host whose PMU has counters of 33 to 63 bits (CPUID leaf 0xA)";

	pmu->anythread = version >= 3 && !(cpuid->edx & ARCH_CPUID_NO_ANYTHREAD);
	pmu->missing = cpuid->ebx | ~0U << min_t(u32, ARCH_CPUID_EVENTS(cpuid->eax), 31);
	pmu_arch_fill_general(pmu, cpuid);
	pmu_arch_fill_fixed(pmu, cpuid);
	pmu->desc.ctrl.mask = pmu->desc.counters;
	pmu->desc.status.mask = pmu->desc.counters;
	/* firmware or a debugger may have left other status bits */
	pmu->desc.ack.mask = pmu->desc.counters | ARCH_STATUS_OTHERS;
	pmu_arch_fill_events(pmu);
	pmu_arch_fill_registers(pmu);
	return NULL;
}
