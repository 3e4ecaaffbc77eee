// SPDX-License-Identifier: GPL-2.0
/*
 * Each event: does it ever count, and on which counter? The work causes what a program without
 * vector instructions can; for the other events the report shows what they counted
 */
#include <string.h>

#include "cli/array.h"
#include "selftest/trial.h"

#define ROUNDS	1

/* Events that work_everything() provokes on any card */
static const char * const provoked[] = {
	"DATA_READ", "DATA_WRITE", "DATA_PAGE_WALK", "DATA_READ_MISS", "DATA_WRITE_MISS",
	"DATA_CACHE_LINES_WRITTEN_BACK", "CODE_READ", "CODE_PAGE_WALK", "CODE_CACHE_MISS",
	"BRANCHES", "PIPELINE_FLUSHES", "INSTRUCTIONS_EXECUTED", "INSTRUCTIONS_EXECUTED_V_PIPE",
	"PIPELINE_AGI_STALLS", "DATA_READ_OR_WRITE", "DATA_READ_MISS_OR_WRITE_MISS",
	"CPU_CLK_UNHALTED", "BRANCHES_MISPREDICTED", "MICROCODE_CYCLES", "EXEC_STAGE_CYCLES",
	"L2_READ_MISS", "L2_VICTIM_REQ_WITH_DATA", "L2_DATA_READ_MISS_MEM_FILL",
};

static void work_rounds(unsigned long n, void *memory)
{
	work_everything(n);
}

/* Count an event on all its counters (with any_counter=1 on every counter); null: not tried */
static json_t *count_event(struct selftest *t, const struct kncpmu_event_desc *desc)
{
	__u64 counters = t->pmu.features & KNC_PMU_FEATURE_ANY_COUNTER ? KNC_GLOBAL_CNTRS :
			 desc->counters;
	json_t *counts = json_array();
	__u64 count[KNC_NR_COUNTERS];
	struct trial s = { .nr = 0 };
	unsigned int n, i = 0;
	int ret;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		if (!(counters >> n & 1))
			continue;
		event_on(&s.event[s.nr], n, KNC_PMU_EVENT_CODE(desc->event, desc->umask),
			 KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS | desc->flags);
		s.event[s.nr++].cmask = desc->cmask;
	}
	ret = trial_count(t, &s, NO_CPU, work_rounds, ROUNDS, count);
	for (n = 0; n < KNC_NR_COUNTERS; n++)
		json_array_append_new(counts, ret || !(counters >> n & 1) ? json_null() :
				      json_integer(count[i++]));
	return counts;
}

static json_int_t counted(const json_t *counts, unsigned int n)
{
	return json_integer_value(json_array_get(counts, n));
}

void test_events(struct selftest *t)
{
	unsigned int i, missing = 0;
	const struct kncpmu_event_desc *table = t->card.pmu->events;
	char names[300] = "";
	json_t *counts;

	for (i = 0; i < t->card.pmu->nr_events; i++)
		measured_json(t, table[i].name, count_event(t, &table[i]));
	for (i = 0; i < ARRAY_SIZE(provoked); i++) {
		counts = json_object_get(t->now->measured, provoked[i]);
		if (counted(counts, 0) || counted(counts, 1))
			continue;
		missing++;
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", provoked[i]);
	}
	if (missing)
		fail(t, "never counted, although the test provokes it:%s", names);
}

/* An event that counts somewhere counts on all its counters, and on no other */
void test_event_counters(struct selftest *t)
{
	const json_t *all = outcome_of(t, "events")->measured, *counts;
	const struct kncpmu_event_desc *table = t->card.pmu->events;
	unsigned int i, n;

	for (i = 0; i < t->card.pmu->nr_events; i++) {
		counts = json_object_get(all, table[i].name);
		/* a rare event may happen to occur on one counter only */
		if (counted(counts, 0) + counted(counts, 1) < 100)
			continue;
		for (n = 0; n < KNC_NR_COUNTERS; n++) {
			if (json_is_integer(json_array_get(counts, n)) &&
			    !(table[i].counters >> n & 1) == !counted(counts, n))
				continue;
			if (json_is_integer(json_array_get(counts, n)))
				fail(t, "%s: %lld on counter %u, %lld on counter %u", table[i].name,
				     counted(counts, 0), 0, counted(counts, 1), 1);
		}
	}
	if (!(t->pmu.features & KNC_PMU_FEATURE_ANY_COUNTER))
		measured_json(t, "note", json_string("with any_counter=1 of the module other "
			      "counters are tried too"));
}
