// SPDX-License-Identifier: GPL-2.0
/*
 * Which bits a counter holds. For the first sample the module loads the counter with 2^40 less the
 * period. The event never counts: therefore the counter must read back as it was written.
 */
#include <string.h>

#include "selftest/trial.h"

#define RING	KNC_PMU_MIN_RING

/* Sample with the same period on both counters; returns 0 unless the check has failed */
static int check_load(struct selftest *t, __u64 period)
{
	struct trial s = { .nr = KNC_NR_COUNTERS, .config = { .ring_size = RING } };
	__u64 want = (1ULL << KNC_COUNTER_WIDTH) - period, has;
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		event_on(&s.event[n], n, EVENT_ILLEGAL, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE);
		s.event[n].sample_period = period;
	}
	if (trial_open(t, &s, t->cpu))
		return -1;
	if (trial_start(t, &s)) {
		trial_close(&s);
		return -1;
	}
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		has = read_register(t, t->cpu, KNC_PMU_SPACE_MSR, KNC_IA32_PERFCNTR(n));
		if (has != want)
			fail(t, "counter %u was loaded with %#llx and has %#llx", n,
			     (unsigned long long)want, (unsigned long long)has);
	}
	trial_close(&s);
	return has_failed(t) ? -1 : 0;
}

/* Test each bit but the highest, set and clear: a period is at most half of the counter's range */
void test_width(struct selftest *t)
{
	unsigned int bit;

	measured(t, "width", t->pmu.width);
	for (bit = 1; bit < KNC_COUNTER_WIDTH; bit++) {
		if (check_load(t, 1ULL << bit) ||
		    check_load(t, (1ULL << bit) + (bit < KNC_COUNTER_WIDTH - 1 ? 1 : -1)))
			return;
	}
	check_load(t, 0x5555555555ULL);
	check_load(t, 0x2aaaaaaaaaULL);
}
