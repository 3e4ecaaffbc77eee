// SPDX-License-Identifier: GPL-2.0
/* The cost of instructions and interrupts, in ticks of the time stamp counter */
#include <stdlib.h>
#include <string.h>

#include <knc/ring3.h>

#include "selftest/trial.h"

#define RUNS	64
#define READS	20000
#define PERIOD	10007ULL
#define RING	(1U << 16)

/* Ticks between two RDTSCs with @code in between: the minimum of RUNS */
#define LEAST(least, code) do {						\
	unsigned long __began, __ticks;					\
	unsigned int __i;						\
									\
	(least) = ~0UL;							\
	for (__i = 0; __i < RUNS; __i++) {				\
		__began = knc_rdtsc();					\
		code;							\
		__ticks = knc_rdtsc() - __began;			\
		if (__ticks < (least))					\
			(least) = __ticks;				\
	}								\
} while (0)

void test_costs(struct selftest *t)
{
	struct trial s = { .nr = 1, .config = { .flags = KNC_PMU_CONFIG_RDPMC } };
	unsigned long began = knc_rdtsc(), nothing, rdpmc, spflt;

	event_on(&s.event[0], 0, EVENT_INSTRUCTIONS, KNC_PMU_EVENT_USR);
	if (trial_open(t, &s, NO_CPU))
		return;
	if (!trial_start(t, &s)) {
		LEAST(nothing, (void)0);
		LEAST(rdpmc, knc_rdpmc(0));
		LEAST(spflt, knc_spflt_off());
		measured(t, "RDTSC", nothing);
		measured(t, "RDPMC", rdpmc - nothing);
		measured(t, "SPFLT", spflt - nothing);
		/* two readings may be equal; the rate is tested by the check "clock" */
		if (knc_rdtsc() == began)
			fail(t, "the time stamp counter stands still");
	}
	trial_close(&s);
}

/**
 * struct gaps - consecutive readings of the time stamp counter, and the samples between them
 * @at: the readings
 * @entry: fewest ticks from a reading to the sample that follows it
 * @whole: fewest ticks between two readings with a sample between them
 * @samples: samples that lie between two readings
 */
struct gaps {
	__u64 at[READS];
	__u64 entry;
	__u64 whole;
	unsigned int samples;
};

static void take_sample(void *ctx, const struct knc_pmu_sample *sample)
{
	unsigned int low = 0, high = READS - 1, middle;
	const __u64 tsc = sample->tsc;
	struct gaps *gaps = ctx;

	if (tsc <= gaps->at[low] || tsc >= gaps->at[high])
		return;
	while (high - low > 1) {
		middle = (low + high) / 2;
		if (gaps->at[middle] < tsc)
			low = middle;
		else
			high = middle;
	}
	if (!gaps->samples++ || tsc - gaps->at[low] < gaps->entry)
		gaps->entry = tsc - gaps->at[low];
	if (gaps->samples == 1 || gaps->at[high] - gaps->at[low] < gaps->whole)
		gaps->whole = gaps->at[high] - gaps->at[low];
}

static void read_often(struct trial *s, struct selftest *t, struct gaps *gaps)
{
	struct knc_pmu_thread record;
	unsigned int i;

	for (i = 0; i < READS; i++)
		gaps->at[i] = knc_rdtsc();
	if (trial_read(t, s, KNC_PMU_READ_STOP, &record))
		return;
	trial_samples(s, take_sample, gaps);
	measured(t, "samples", gaps->samples);
	measured(t, "to the handler", gaps->entry);
	measured(t, "as a whole", gaps->whole);
	if (!gaps->samples)
		fail(t, "no sample in %llu instructions", (unsigned long long)record.value[0]);
}

/* An interrupt makes a gap between two RDTSCs: the shortest gap, and the shortest to the handler */
void test_latency(struct selftest *t)
{
	struct trial s = { .nr = 1, .config = { .ring_size = RING } };
	struct gaps *gaps = xalloc(1, sizeof(*gaps));

	event_on(&s.event[0], 0, EVENT_INSTRUCTIONS, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE);
	s.event[0].sample_period = PERIOD;
	if (!trial_open(t, &s, t->cpu)) {
		if (!trial_start(t, &s))
			read_often(&s, t, gaps);
		trial_close(&s);
	}
	free(gaps);
}
