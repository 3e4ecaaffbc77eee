// SPDX-License-Identifier: GPL-2.0
/*
 * Where an interrupt stops the program: a store overflows, and one-byte NOPs follow, so that the
 * sample's address tells how many instructions later the interrupt came
 */
#include <stdint.h>
#include <string.h>

#include "selftest/trial.h"

#define N	200000UL
#define PERIOD	1009ULL
#define RING	(1U << 18)
/* 327357: an interrupt comes after the overflowing instruction, or one instruction later */
#define ALLOWED	2

/* Instructions from the store to the sample: 1 is the next one; 0: unknown */
static unsigned int distance(__u64 ip)
{
	__u64 next = (uintptr_t)work_store_next;

	return ip >= next && ip < next + SLED ? ip - next + 1 : 0;
}

static void take_sample(void *ctx, const struct knc_pmu_sample *sample)
{
	unsigned int *at = ctx;

	if (sample->flags & KNC_PMU_SAMPLE_USER)
		at[distance(sample->ip)]++;
}

static void judge(struct selftest *t, const unsigned int *at)
{
	json_t *list = json_array();
	unsigned int i, late = 0, all = 0;

	for (i = 0; i <= SLED; i++) {
		json_array_append_new(list, json_integer(at[i]));
		all += at[i];
		if (i > ALLOWED)
			late += at[i];
	}
	measured_json(t, "samples by distance", list);
	if (!all)
		fail(t, "no sample of %lu stores", N);
	/* a sample elsewhere belongs to an interrupt that came first */
	else if (late > all / 20 || at[0] > all / 2)
		fail(t, "%u of %u samples are more than %u instructions after the store, %u "
		     "elsewhere",
		     late, all, ALLOWED, at[0]);
}

void test_skid(struct selftest *t)
{
	struct trial s = { .nr = 1, .config = { .ring_size = RING } };
	unsigned int at[SLED + 1] = { 0 };
	unsigned long long memory[2] = { 0, 0 };
	struct knc_pmu_thread record;

	event_on(&s.event[0], 0, EVENT_DATA_WRITE, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE);
	s.event[0].sample_period = PERIOD;
	if (trial_open(t, &s, t->cpu))
		return;
	if (!trial_start(t, &s)) {
		work_store(N, memory);
		if (!trial_read(t, &s, KNC_PMU_READ_STOP, &record)) {
			trial_samples(&s, take_sample, at);
			judge(t, at);
		}
	}
	trial_close(&s);
}
