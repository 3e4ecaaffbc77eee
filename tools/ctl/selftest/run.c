// SPDX-License-Identifier: GPL-2.0
/* Runs the checks one after another, and checks after each that it released everything */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/array.h"
#include "selftest/journal.h"
#include "selftest/trial.h"

/* How many times to wait 20 ms until the registers are restored */
#define MOMENTS	50

/* Has a check that @check needs failed, or not run? */
static int lacks(struct selftest *t, const struct check *check)
{
	const char *at = check->needs;
	char name[32];
	int bytes;

	while (at && *at) {
		bytes = strcspn(at, " ");
		snprintf(name, sizeof(name), "%.*s", bytes, at);
		at += bytes;
		at += strspn(at, " ");
		if (outcome_of(t, name)->result == CHECK_PASSED)
			continue;
		skip(t, "%s did not pass", name);
		return 1;
	}
	return 0;
}

/* May the register change by itself? It may be a clock, or another thread may overflow */
static int may_change(const struct knc_pmu_reg *reg)
{
	return reg->space == KNC_PMU_SPACE_MSR &&
	       (reg->number == KNC_IA32_TIME_STAMP_COUNTER ||
		reg->number == KNC_IA32_PERF_GLOBAL_STATUS);
}

/* Note the first register that has changed; returns 0 if none has */
static int note_change(struct selftest *t, const struct knc_pmu_reg *regs, int nr)
{
	char name[REGISTER_NAME];
	int i;

	for (i = 0; i < nr && i < (int)t->nr_before; i++) {
		if (may_change(&regs[i]) || regs[i].value == t->before[i].value)
			continue;
		name_register(&regs[i], name);
		snprintf(t->change, sizeof(t->change), "%s had %#llx and has %#llx", name,
			 (unsigned long long)t->before[i].value,
			 (unsigned long long)regs[i].value);
		return 1;
	}
	return 0;
}

/*
 * With no session open the registers must be as before the first check. Wait, because the module
 * keeps the counters for a moment after the last session.
 */
static void compare_registers(struct selftest *t, const struct check *check)
{
	struct timespec moment = { .tv_nsec = 20000000 };
	struct outcome ignored = { 0 }, *now = t->now;
	struct knc_pmu_reg regs[ARRAY_SIZE(t->before)];
	unsigned int try;
	int changed = 0;

	if (!t->nr_before || t->changed)
		return;
	t->now = &ignored;
	for (try = 0; try < MOMENTS && (!try || changed); try++) {
		if (try)
			nanosleep(&moment, NULL);
		changed = note_change(t, regs, read_registers(t, t->cpu, regs, ARRAY_SIZE(regs)));
	}
	t->now = now;
	if (changed)
		t->changed = check->name;
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

	for (i = 0; i < t->nr_checks; i++) {
		t->now = &t->outcomes[i];
		if (!t->now->measured)
			t->now->measured = json_object();
		if (!t->now->done)
			run_check(t, &t->checks[i], journal);
		t->now->done = 1;
		print_outcome(&t->checks[i], i + 1, t->now);
		nr += t->now->result == CHECK_FAILED;
	}
	return nr;
}
