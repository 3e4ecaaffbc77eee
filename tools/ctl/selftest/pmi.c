// SPDX-License-Identifier: GPL-2.0
/* Overflow interrupts: they come, to the right thread, and lose nothing */
#include <string.h>
#include <sets.h>

#include "selftest/trial.h"

#define PERIOD	1000003ULL
#define FEW	5		/* number of overflows */
#define SHORT	10007ULL	/* period for many overflows */
#define N	4000000UL	/* iterations of two instructions */
#define RING	(1U << 18)

/**
 * struct taken - what a ring has
 * @s: its session
 * @samples: for each event, samples
 * @events: events that they stand for, with those that were lost or not sampled
 * @wrong: samples of an event on a counter that is not its own
 */
struct taken {
	const struct trial *s;
	__u64 samples[KNC_NR_COUNTERS];
	__u64 events[KNC_NR_COUNTERS];
	unsigned int wrong;
};

static void take_sample(void *ctx, const struct knc_pmu_sample *sample)
{
	struct taken *taken = ctx;

	if (sample->event >= taken->s->nr)
		return;
	taken->samples[sample->event]++;
	taken->events[sample->event] += sample->period;
	taken->wrong += sample->counter != taken->s->event[sample->event].counter;
}

static void take_samples(struct trial *s, struct taken *taken)
{
	unsigned int i;

	memset(taken, 0, sizeof(*taken));
	taken->s = s;
	trial_samples(s, take_sample, taken);
	for (i = 0; i < s->nr; i++)
		taken->events[i] += s->ring.page->lost_events[i] + s->ring.page->unsampled[i];
}

/* Run the work on hardware thread @at while @s samples on the checked one */
static int sample_work(struct selftest *t, struct trial *s, unsigned int at, unsigned long n,
		       struct knc_pmu_thread *record, struct taken *taken)
{
	unsigned long long memory[2] = { 0, 0 };
	int ret;

	s->config.ring_size = RING;
	if (run_on(t, at) || trial_open(t, s, t->cpu))
		return -1;
	ret = trial_start(t, s);
	if (!ret) {
		work_loop(n, memory);
		ret = trial_read(t, s, KNC_PMU_READ_STOP, record);
	}
	if (!ret)
		take_samples(s, taken);
	return ret;
}

/* Cause some overflows of one counter; the session stays open for the caller */
static int overflow_of(struct selftest *t, struct trial *s, unsigned int counter,
		       struct knc_pmu_thread *record, struct taken *taken)
{
	memset(s, 0, sizeof(*s));
	s->nr = 1;
	event_on(&s->event[0], counter, EVENT_INSTRUCTIONS,
		 KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE);
	s->event[0].sample_period = PERIOD;
	return sample_work(t, s, t->cpu, FEW * PERIOD / 2 + PERIOD / 4, record, taken);
}

void test_pmi(struct selftest *t)
{
	struct knc_pmu_thread record;
	struct taken taken;
	struct trial s;
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		if (!overflow_of(t, &s, n, &record, &taken)) {
			measured(t, n ? "samples 1" : "samples 0", taken.samples[0]);
			if (!taken.samples[0])
				fail(t, "counter %u overflowed %u times, and no interrupt came", n,
				     FEW);
		}
		trial_close(&s);
	}
}

/* After an overflow, with its session open: the status is clear, and the LVT entry is not masked */
static void check_clear(struct selftest *t, unsigned int counter)
{
	__u64 status = read_register(t, t->cpu, KNC_PMU_SPACE_MSR, KNC_IA32_PERF_GLOBAL_STATUS);
	__u64 lvtpc = read_register(t, t->cpu, KNC_PMU_SPACE_APIC, KNC_APIC_LVTPC);

	if (status)
		fail(t, "after overflows of counter %u the status is %#llx: OVF_CONTROL did not "
		     "clear it",
		     counter, (unsigned long long)status);
	if (lvtpc & KNC_APIC_LVT_MASKED)
		fail(t, "after overflows of counter %u LVT_PERF_COUNTER is masked: %#llx", counter,
		     (unsigned long long)lvtpc);
	measured_json(t, "delivery", json_string((lvtpc & 0x700) == KNC_APIC_LVT_NMI ? "NMI" :
						 "vector"));
	measured(t, "LVT_PERF_COUNTER", lvtpc);
}

void test_status(struct selftest *t)
{
	struct knc_pmu_thread record;
	struct taken taken;
	struct trial s;
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		if (!overflow_of(t, &s, n, &record, &taken)) {
			check_clear(t, n);
			/*
			 * too few samples: their PMIs went elsewhere, which the check pmi-target
			 * finds
			 */
			if (taken.samples[0] > FEW || taken.wrong)
				fail(t, "counter %u: %llu samples of %u overflows, %u of another "
				     "counter",
				     n, (unsigned long long)taken.samples[0], FEW, taken.wrong);
		}
		trial_close(&s);
	}
}

/* Statistics of the checked thread and its sibling */
static int read_both(struct selftest *t, struct knc_pmu_stats stats[2])
{
	memset(stats, 0, 2 * sizeof(*stats));
	if (t->sibling != NO_CPU && read_stats(t, t->sibling, &stats[1]))
		return -1;
	return read_stats(t, t->cpu, &stats[0]);
}

/* The number of spurious PMIs on the other threads of the core */
static int read_spurious(struct selftest *t, __u64 *spurious)
{
	const struct kncpmu_cpus *core;
	struct knc_pmu_stats stats;
	int index = kncpmu_topology_core(&t->topology, t->cpu);
	unsigned int cpu;

	*spurious = 0;
	if (index < 0)
		return 0;
	core = &t->topology.cores[index].cpus;
	for (cpu = kncpmu_cpus_next(core, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(core, cpu + 1)) {
		if (cpu == t->cpu || !kncpmu_cpus_test(&t->topology.online, cpu))
			continue;
		if (read_stats(t, cpu, &stats))
			return -1;
		*spurious += stats.spurious;
	}
	return 0;
}

void test_pmi_target(struct selftest *t)
{
	struct knc_pmu_stats before[2], after[2];
	struct knc_pmu_thread record;
	__u64 others, others_after;
	struct taken taken;
	struct trial s;
	int ret;

	if (read_both(t, before) || read_spurious(t, &others))
		return;
	ret = overflow_of(t, &s, 0, &record, &taken);
	trial_close(&s);
	if (ret || read_both(t, after) || read_spurious(t, &others_after))
		return;
	measured(t, "own", after[0].pmis - before[0].pmis);
	measured(t, "of siblings", others_after - others);
	if (others_after != others)
		fail(t, "%llu interrupts went to other threads of the core",
		     (unsigned long long)(others_after - others));
	if (after[0].pmis - before[0].pmis < FEW)
		fail(t, "%llu interrupts for %u overflows",
		     (unsigned long long)(after[0].pmis - before[0].pmis), FEW);
}

/* Except for the last period, is every event in a sample, or reported as lost or unsampled? */
static void check_accounts(struct selftest *t, const struct trial *s, unsigned int i,
			   const struct knc_pmu_thread *record, const struct taken *taken)
{
	if (taken->events[i] <= record->value[i] &&
	    record->value[i] - taken->events[i] < s->event[i].sample_period)
		return;
	fail(t, "counter %u: %llu events, but %llu in its %llu samples", s->event[i].counter,
	     (unsigned long long)record->value[i], (unsigned long long)taken->events[i],
	     (unsigned long long)taken->samples[i]);
}

/* Both counters overflow all the time, sometimes together, and the counts stay exact */
void test_wraps(struct selftest *t)
{
	static const __u64 periods[] = { SHORT, SHORT - 6 };
	struct trial s = { .nr = 2 };
	struct knc_pmu_thread record;
	struct taken taken;
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		event_on(&s.event[n], n, n ? EVENT_BRANCHES : EVENT_INSTRUCTIONS,
			 KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE);
		s.event[n].sample_period = periods[n];
	}
	if (!sample_work(t, &s, t->cpu, N, &record, &taken)) {
		for (n = 0; n < KNC_NR_COUNTERS; n++) {
			measured(t, n ? "samples 1" : "samples 0", taken.samples[n]);
			measured(t, n ? "count 1" : "count 0", record.value[n]);
			check_accounts(t, &s, n, &record, &taken);
			/* other programs may run there, too */
			if (record.value[n] < (2 - n) * N || record.value[n] > (2 - n) * N + N / 10)
				fail(t, "counter %u: %llu events instead of %lu", n,
				     (unsigned long long)record.value[n], (2 - n) * N);
		}
	}
	trial_close(&s);
}

/*
 * Only a sibling executes while the checked thread's counter overflows: which thread gets the PMI?
 */
void test_core_pmi(struct selftest *t)
{
	struct knc_pmu_stats before[2], after[2];
	struct trial s = { .nr = 1 };
	struct knc_pmu_thread record;
	struct taken taken;
	int ret;

	if (t->sibling == NO_CPU) {
		skip(t, "no other thread of the core is online");
		return;
	}
	event_on(&s.event[0], 0, EVENT_CYCLES, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE);
	s.event[0].sample_period = PERIOD;
	ret = read_both(t, before) ? -1 : sample_work(t, &s, t->sibling, N, &record, &taken);
	if (!ret)
		check_accounts(t, &s, 0, &record, &taken);
	trial_close(&s);
	if (ret || read_both(t, after))
		return;
	measured(t, "count", record.value[0]);
	measured(t, "samples", taken.samples[0]);
	measured(t, "told owner", after[0].pmis - before[0].pmis);
	measured(t, "told executing", after[1].spurious - before[1].spurious);
	if (!taken.samples[0])
		fail(t, "%llu cycles of a sibling, and no overflow was reported",
		     (unsigned long long)record.value[0]);
}

void test_handler(struct selftest *t)
{
	struct knc_pmu_stats stats;

	if (read_stats(t, t->cpu, &stats))
		return;
	measured(t, "interrupts", stats.pmis);
	measured(t, "longest", stats.handler_max);
	measured_real(t, "mean", stats.pmis ? (double)stats.handler_total / stats.pmis : 0);
	if (!stats.pmis || !stats.handler_total)
		fail(t, "the handler took no time in %llu interrupts",
		     (unsigned long long)stats.pmis);
}
