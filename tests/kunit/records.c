// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of rings that adds up the records
 */
#include <linux/string.h>

#include "records.h"

/* Check that time stamps of a hardware thread's records never decrease. */
static void tally_tsc(struct kunit *test, struct tally *t, u64 tsc)
{
	KUNIT_EXPECT_GE(test, tsc, t->tsc);
	t->tsc = tsc;
}

/* Returns the bytes of the record */
static u32 tally_stack(struct kunit *test, struct tally *t, const struct knc_pmu_stack *stack)
{
	KUNIT_EXPECT_LE(test, stack->size, KNC_PMU_MAX_STACK);
	KUNIT_EXPECT_EQ(test, stack->size % 8, 0);
	if (stack->flags & KNC_PMU_STACK_NO_ROOM)
		t->no_room++;
	else
		t->copies++;
	return KNC_PMU_STACK_SIZE(stack->size);
}

static void tally_sample(struct kunit *test, struct tally *t,
			 const struct knc_pmu_sample *s)
{
	u32 size = sizeof(*s) + 8 * (s->nr_kernel + s->nr_user);

	KUNIT_ASSERT_LT(test, s->event, PMU_MAX_COUNTERS);
	if (s->flags & KNC_PMU_SAMPLE_STACK)
		size += tally_stack(test, t, (void *)s + size);
	KUNIT_ASSERT_EQ(test, s->record.size, size);
	KUNIT_EXPECT_EQ(test, s->reserved, 0);
	KUNIT_EXPECT_GT(test, s->period, 0);
	tally_tsc(test, t, s->tsc);
	t->samples[s->event]++;
	t->periods[s->event] += s->period;
	t->longest[s->event] = max_t(u64, t->longest[s->event], s->period);
	t->last = *s;
}

static void tally_switch(struct kunit *test, struct tally *t, const struct knc_pmu_sample *s)
{
	bool out = s->record.type == KNC_PMU_RECORD_SWITCH_OUT;
	u32 size = sizeof(*s) + 8 * s->nr_user;

	if (s->flags & KNC_PMU_SAMPLE_STACK)
		size += tally_stack(test, t, (void *)s + size);
	KUNIT_ASSERT_EQ(test, s->record.size, size);
	KUNIT_EXPECT_EQ(test, s->nr_kernel, 0);
	KUNIT_EXPECT_EQ(test, s->reserved, 0);
	KUNIT_EXPECT_EQ(test, s->counter, 0);
	KUNIT_EXPECT_EQ(test, s->flags & ~(out ? 0xf : 0), 0);
	KUNIT_EXPECT_EQ(test, out ? s->period : s->ip, 0);
	tally_tsc(test, t, s->tsc);
	*(out ? &t->out : &t->in) = *s;
}

static void tally_time(struct kunit *test, struct tally *t,
		       const struct knc_pmu_time_sample *s)
{
	unsigned int i;

	KUNIT_ASSERT_LE(test, s->nr_events, PMU_MAX_COUNTERS);
	KUNIT_ASSERT_EQ(test, s->record.size, KNC_PMU_TIME_SIZE(s->nr_events));
	tally_tsc(test, t, s->tsc);
	for (i = 0; i < s->nr_events; i++)
		t->delta[i] += s->delta[i];
	t->missed += s->missed;
}

static void tally_lost(struct kunit *test, struct tally *t,
		       const struct knc_pmu_lost *s)
{
	unsigned int i;

	KUNIT_ASSERT_LE(test, s->nr_events, PMU_MAX_COUNTERS);
	KUNIT_ASSERT_EQ(test, s->record.size, KNC_PMU_LOST_SIZE(s->nr_events));
	KUNIT_EXPECT_GT(test, s->samples, 0);
	KUNIT_EXPECT_EQ(test, s->reserved, 0);
	for (i = 0; i < s->nr_events; i++)
		t->lost_events[i] += s->events[i];
	t->lost += s->samples;
}

static void tally_throttle(struct kunit *test, struct tally *t,
			   const struct knc_pmu_throttle *s)
{
	KUNIT_ASSERT_EQ(test, s->record.size, sizeof(*s));
	KUNIT_ASSERT_LT(test, s->event, PMU_MAX_COUNTERS);
	KUNIT_EXPECT_EQ(test, s->reserved, 0);
	t->unsampled[s->event] += s->unsampled;
	if (s->record.type == KNC_PMU_RECORD_THROTTLE)
		KUNIT_EXPECT_EQ(test, s->unsampled, 0);
}

static void tally_record(struct kunit *test, struct tally *t, const void *r)
{
	const struct knc_pmu_record *record = r;

	t->records[record->type]++;
	if (t->nr_order < sizeof(t->order))
		t->order[t->nr_order++] = record->type;
	switch (record->type) {
	case KNC_PMU_RECORD_SAMPLE:
		tally_sample(test, t, r);
		break;
	case KNC_PMU_RECORD_SWITCH_OUT:
	case KNC_PMU_RECORD_SWITCH_IN:
		tally_switch(test, t, r);
		break;
	case KNC_PMU_RECORD_TIME:
		tally_time(test, t, r);
		break;
	case KNC_PMU_RECORD_LOST:
		tally_lost(test, t, r);
		break;
	case KNC_PMU_RECORD_THROTTLE:
	case KNC_PMU_RECORD_UNTHROTTLE:
		tally_throttle(test, t, r);
		break;
	}
}

/* Read all records: each must be complete, and none may extend past the ring's end. */
void tally_read(struct kunit *test, struct knc_ring *r, struct tally *t)
{
	struct knc_pmu_ring *page = r->control;
	const struct knc_pmu_record *record;
	u64 size = page->data_size;
	u64 tail = page->tail;
	u64 at;

	KUNIT_ASSERT_LE(test, page->head - tail, size);
	while (tail != page->head) {
		at = tail & (size - 1);
		record = (void *)page + page->data_offset + at;
		KUNIT_ASSERT_LT(test, record->type, TALLY_TYPES);
		KUNIT_ASSERT_GE(test, record->size, 8);
		KUNIT_ASSERT_EQ(test, record->size % 8, 0);
		KUNIT_ASSERT_LE(test, at + record->size, size);
		KUNIT_ASSERT_LE(test, record->size, page->head - tail);
		if (record->type != KNC_PMU_RECORD_PAD)
			KUNIT_EXPECT_EQ(test, record->cpu, page->cpu);
		else
			KUNIT_EXPECT_EQ(test, at + record->size, size);
		tally_record(test, t, record);
		tail += record->size;
	}
	page->tail = tail;
}

/* The occurrences of event @i that are accounted for: sampled, lost and unsampled */
u64 tally_sum(const struct knc_ring *r, const struct tally *t, unsigned int i)
{
	return t->periods[i] + r->control->lost_events[i] + r->control->unsampled[i];
}
