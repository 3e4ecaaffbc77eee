// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU that differs from Knights Corner's in everything that a descriptor allows: four general
 * counters of 48 bits, which take writes of 32 bits; three fixed counters, whose bits in the global
 * registers begin at 32; no gate; and counters that are enabled after a reset
 */
#include <linux/kernel.h>

#include "wide.h"

#define WIDE_ANY	0xfULL
#define WIDE_FIXED(n)	(1ULL << (32 + (n)))

/* Each fixed counter has one event, which the general counters can count as well. */
static const struct pmu_event wide_events[] = {
	{ 0x00c0, WIDE_ANY | WIDE_FIXED(0), false, true },
	{ 0x003c, WIDE_ANY | WIDE_FIXED(1), true, false },
	{ 0x013c, WIDE_ANY | WIDE_FIXED(2), true, false },
	{ 0x0151, 0x3, false, true },
	{ 0x0160, 0x1, false, false },
	{ 0 }
};

static const struct knc_pmu_reg wide_registers[] = {
	{ .number = 0xc1, .space = KNC_PMU_SPACE_MSR },
	{ .number = 0xc2, .space = KNC_PMU_SPACE_MSR },
	{ .number = 0x38d, .space = KNC_PMU_SPACE_MSR },
	{ .number = 0x38e, .space = KNC_PMU_SPACE_MSR },
	{ .number = 0x38f, .space = KNC_PMU_SPACE_MSR },
};

static bool wide_probe(u64 (*read_msr)(u32 msr))
{
	return false;
}

static u32 wide_check(const struct pmu_select *s)
{
	return s->extra || s->code > 0xffff || s->cmask > 0xff ?
	       KNC_PMU_REASON_EVENT_FLAGS : KNC_PMU_REASON_NONE;
}

static u64 wide_select(const struct pmu_select *s, unsigned int counter)
{
	bool usr = s->flags & KNC_PMU_EVENT_USR;
	bool os = s->flags & KNC_PMU_EVENT_OS;

	/* both kinds enable the overflow interrupt */
	if (counter >= 32)
		return 0x8 | usr << 1 | os;
	return s->code | usr << 16 | os << 17 | 0x500000 | (u64)s->cmask << 24;
}

const struct pmu_desc pmu_wide = {
	.name		= "wide",
	.cpu		= "test",
	.probe		= wide_probe,
	.shared_by	= KNC_PMU_SCOPE_THREAD,
	.threads_per_core = 1,
	.interrupts	= true,
	.nr_banks	= 2,
	.bank		= {
		{
			.nr		= 4,
			.width		= 48,
			.counter_msr	= 0xc1,
			.reserve_msr	= 0xc1,
			.select_msr	= 0x186,
			.writable	= 0xffffffff,
			.max_load	= 0x80000000,
		}, {
			.first		= 32,
			.nr		= 3,
			.width		= 48,
			.counter_msr	= 0x309,
			.select_msr	= 0x38d,
			.field		= 4,
			.rdpmc_index	= 1 << 30,
			.writable	= 0xffffffffffffULL,
			.max_load	= 0x800000000000ULL,
		},
	},
	.nr_counters	= 7,
	.end		= 35,
	.counters	= 0x70000000fULL,
	.any		= WIDE_ANY,
	.fixed		= 0x700000000ULL,
	.ctrl		= { 0x38f, 0x70000000fULL },
	.status		= { 0x38e, 0x70000000fULL },
	.ack		= { 0x390, 0x70000000fULL },
	.ctrl_reset	= 0xf,
	.events		= wide_events,
	.check		= wide_check,
	.make_select	= wide_select,
	.registers	= wide_registers,
	.nr_registers	= ARRAY_SIZE(wide_registers),
};
