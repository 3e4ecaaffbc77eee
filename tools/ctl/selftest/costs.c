// SPDX-License-Identifier: GPL-2.0
/* What instructions and interrupts take, in ticks of the time stamp counter */
#include <string.h>

#include <knc/ring3.h>

#include "cli/array.h"
#include "selftest/selftest.h"

#define RUNS	64
#define READS	20000
#define PERIOD	100003ULL
#define RING	(1U << 16)

/* Ticks from one RDTSC to the next one with @code in between: the least of RUNS */
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
	unsigned long nothing, rdpmc, spflt;

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
		if (!nothing)
			fail(t, "the time stamp counter stands still");
	}
	trial_close(&s);
}

/* The time of the first sample that lies in the longest gap between readings; 0: none does */
static __u64 sample_in(struct trial *s, unsigned long from, unsigned long to)
{
	const struct knc_pmu_record *record;
	const void *records;
	__u64 found = 0;
	size_t next;
	long size;

	while ((size = kncpmu_ring_read(&s->ring, &records)) > 0) {
		next = 0;
		while ((record = kncpmu_ring_next(records, size, &next))) {
			const struct knc_pmu_sample *sample = (const void *)record;

			if (record->type == KNC_PMU_RECORD_SAMPLE && sample->tsc > from &&
			    sample->tsc < to && !found)
				found = sample->tsc;
		}
		kncpmu_ring_release(&s->ring);
	}
	return found;
}

/* The gap between two readings that the interrupt makes: up to the handler, and as a whole */
void test_latency(struct selftest *t)
{
	struct trial s = { .nr = 1, .config = { .ring_size = RING } };
	unsigned long now, last, from = 0, to = 0;
	struct knc_pmu_thread record;
	unsigned int i;
	__u64 at;

	event_on(&s.event[0], 0, EVENT_INSTRUCTIONS, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE);
	s.event[0].sample_period = PERIOD;
	if (trial_open(t, &s, t->cpu))
		return;
	if (!trial_start(t, &s)) {
		last = knc_rdtsc();
		for (i = 0; i < READS; i++) {
			now = knc_rdtsc();
			if (now - last > to - from) {
				from = last;
				to = now;
			}
			last = now;
		}
		if (!trial_read(t, &s, KNC_PMU_READ_STOP, &record)) {
			at = sample_in(&s, from, to);
			if (at) {
				measured(t, "to the handler", at - from);
				measured(t, "as a whole", to - from);
			} else {
				fail(t, "no sample lies in the longest gap, %lu ticks", to - from);
			}
		}
	}
	trial_close(&s);
}
