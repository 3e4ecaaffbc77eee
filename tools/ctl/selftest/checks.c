// SPDX-License-Identifier: GPL-2.0
/* The checks in the order of danger: reading, counting, other threads, and only then interrupts */
#include <stdio.h>
#include <string.h>

#include "cli/array.h"
#include "cli/clock.h"
#include "selftest/trial.h"

const struct check checks[] = {
	{ "registers", NULL, "the PMU's registers can be read", test_registers },
	{ "width", "registers", "counters hold what is written to them, 40 bits", test_width },
	{ "tsc", NULL, "RDTSC goes on at the rate that the kernel has measured", test_tsc },
	{ "counter0", "width", "counter 0 counts known code exactly", test_counter0 },
	{ "counter1", "width", "counter 1 counts known code exactly", test_counter1 },
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

unsigned int nr_checks(void)
{
	return ARRAY_SIZE(checks);
}

const struct outcome *outcome_of(const struct selftest *t, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		if (!strcmp(checks[i].name, name))
			return &t->outcomes[i];
	}
	return NULL;
}

/* Has a check that @check needs not passed? */
static int lacks(struct selftest *t, const struct check *check)
{
	const char *at = check->needs;
	char name[32];
	int bytes;

	while (at && sscanf(at, " %31s%n", name, &bytes) == 1) {
		at += bytes;
		if (outcome_of(t, name)->result == CHECK_PASSED)
			continue;
		skip(t, "%s did not pass", name);
		return 1;
	}
	return 0;
}

/* Time goes on, and other threads may count an overflow that the PMU has not reported */
static int may_change(const struct knc_pmu_reg *reg)
{
	return reg->space == KNC_PMU_SPACE_MSR &&
	       (reg->number == KNC_IA32_TIME_STAMP_COUNTER ||
		reg->number == KNC_IA32_PERF_GLOBAL_STATUS);
}

/* The way back: no session is open, so that the registers must be as before */
static void compare_registers(struct selftest *t, const struct check *check)
{
	struct outcome ignored = { 0 }, *now = t->now;
	struct knc_pmu_reg regs[ARRAY_SIZE(t->before)];
	int i, nr;

	if (!t->nr_before || t->changed)
		return;
	t->now = &ignored;
	nr = read_registers(t, t->cpu, regs, ARRAY_SIZE(regs));
	t->now = now;
	for (i = 0; i < nr && i < (int)t->nr_before; i++) {
		if (!may_change(&regs[i]) && regs[i].value != t->before[i].value)
			t->changed = check->name;
	}
}

static void run_check(struct selftest *t, const struct check *check, struct journal *journal)
{
	unsigned long long began = now_ns();

	if (lacks(t, check))
		return;
	journal_begin(journal, check);
	if (!run_on(t, t->cpu))
		check->run(t);
	compare_registers(t, check);
	t->now->seconds = (now_ns() - began) / 1e9;
	journal_end(journal, check, t->now);
}

unsigned int run_checks(struct selftest *t, struct journal *journal)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		t->now = &t->outcomes[i];
		if (!t->now->measured)
			t->now->measured = json_object();
		if (!t->now->done)
			run_check(t, &checks[i], journal);
		t->now->done = 1;
		print_outcome(&checks[i], i + 1, t->now);
		nr += t->now->result == CHECK_FAILED;
	}
	return nr;
}
