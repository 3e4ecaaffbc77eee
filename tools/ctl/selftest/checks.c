// SPDX-License-Identifier: GPL-2.0
/* The checks, the least dangerous first: reading, counting, other threads, then interrupts */
#include "cli/array.h"
#include "selftest/trial.h"

static const struct check checks[] = {
	{ "registers", NULL, "the PMU's registers can be read", test_registers },
	{ "width", "registers", "counters hold what is written to them, 40 bits", test_width },
	{ "counter0", "width", "counter 0 counts known code exactly", test_counter0 },
	{ "counter1", "width", "counter 1 counts known code exactly", test_counter1 },
	{ "tsc", "counter0", "the time stamp counter goes on at the rate that the module says",
	  test_tsc },
	{ "illegal", "width", "a code that no document has counts nothing", test_illegal },
	{ "rings", "counter0 counter1", "USR and OS select rings", test_rings },
	{ "isolation", "counter0 counter1", "a counter does not disturb the other one",
	  test_isolation },
	{ "clock", "tsc counter0", "CPU_CLK_UNHALTED and the TSC tick alike", test_clock },
	{ "rdpmc", "counter0", "RDPMC works with permission only, and is right", test_rdpmc },
	{ "spflt", "isolation", "SPFLT gates each counter by its own bit", test_spflt },
	{ "spflt-switch", "spflt", "USER_PREF stays with its task", test_spflt_switch },
	{ "spflt-idle", "spflt", "PERF_SPFLT_CONTROL outlasts idle time (C6)", test_spflt_idle },
	{ "siblings", "counter0", "thread mode counts the threads of the kernel's core",
	  test_siblings },
	{ "events", "isolation", "events that the test provokes are counted", test_events },
	{ "event-counters", "events",
	  "each event counts on the counters that events.def has", test_event_counters },
	{ "pmi", "isolation", "an overflow of each counter interrupts", test_pmi },
	{ "status", "pmi", "status bits are set and cleared one by one", test_status },
	{ "pmi-target", "status", "an overflow interrupts its own thread", test_pmi_target },
	{ "wraps", "pmi-target", "no count is lost in thousands of overflows", test_wraps },
	{ "core-pmi", "pmi-target siblings", "an overflow that a sibling causes is not lost",
	  test_core_pmi },
	{ "skid", "pmi-target", "an interrupt comes within two instructions", test_skid },
	{ "handler", "wraps", "time in the interrupt handler", test_handler },
	{ "latency", "pmi-target", "time from an overflow to the handler", test_latency },
	{ "costs", "rdpmc", "time of RDTSC, RDPMC and SPFLT", test_costs },
	{ "restored", "registers", "all registers are as before", test_restored },
};

const struct check *all_checks(unsigned int *nr)
{
	*nr = ARRAY_SIZE(checks);
	return checks;
}
