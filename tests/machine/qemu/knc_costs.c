// SPDX-License-Identifier: GPL-2.0
/*
 * Latencies and gaps of an emulated Knights Corner, in cycles: by Intel's text, or with the option
 * timing as measured on cards.  Further options of the CPU model each replace one value.
 *
 * Documentation/emulated-card.rst compares a card's counts with those that these values give.
 */
#include "qemu/osdep.h"
#include "cpu.h"

/*
 * Intel's guide to optimization for Xeon Phi, part 1, has 15 to 30 cycles for the L2 and 500 to
 * 1000 for memory.  For the L2 of another core we chose half of that for memory.
 */
static const KncCosts knc_simple = {
	.l2 = 24, .core = 250, .memory = 500, .ahead = 4,
};

/* Measured on a 3120A with one or two threads: 280 to 376 cycles, at most a line every 23 cycles */
static const KncCosts knc_measured = {
	.l2 = 24, .core = 250, .memory = 300, .l2_gap = 3, .memory_gap = 23, .ahead = 8,
	.shared = true, .write_waits = true,
};

static void knc_replace(uint16_t *value, int32_t option)
{
	if (option >= 0)
		*value = MIN(option, UINT16_MAX);
}

KncCosts knc_costs(const X86CPU *cpu)
{
	const KncCostOptions *o = &cpu->knc_cost_options;
	KncCosts costs = cpu->knc_timing ? knc_measured : knc_simple;

	knc_replace(&costs.memory, o->memory);
	knc_replace(&costs.memory_gap, o->memory_gap);
	knc_replace(&costs.l2_gap, o->l2_gap);
	knc_replace(&costs.ahead, o->ahead);
	if (o->write_waits != ON_OFF_AUTO_AUTO)
		costs.write_waits = o->write_waits == ON_OFF_AUTO_ON;
	return costs;
}

/* A card's prefetcher is on; without the option timing it is off: misses can be derived by hand */
bool knc_prefetches(const X86CPU *cpu)
{
	if (cpu->knc_prefetcher == ON_OFF_AUTO_AUTO)
		return cpu->knc_timing;
	return cpu->knc_prefetcher == ON_OFF_AUTO_ON;
}
