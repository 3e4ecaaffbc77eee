// SPDX-License-Identifier: GPL-2.0
/* One hardware thread over a model, with two claims */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "hwthread_fixture.h"
#include "count/attach.h"
#include "count/read.h"
#include "count/sched.h"
#include "rdpmc/hide.h"
#include "sample/delivery.h"
#include "units.h"

static int bench_init_pmu(struct kunit *test, const struct model_pmu *pmu)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	unsigned int cpu = cpumask_first(cpu_online_mask);

	if (!b)
		return -ENOMEM;
	/* the overflow interrupt uses the current CPU's data */
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	b->test = test;
	b->now = 1000000;
	b->hw = knc_hwthread_of(cpu);
	memset(b->hw, 0, sizeof(*b->hw));
	init_waitqueue_head(&b->wait);
	b->config.ring_size = BENCH_RING;
	test->priv = b;
	model_select(pmu);
	model_use(&b->model);
	knc_test_pmi_init();
	knc_delivery_online(cpu);
	b->lvtpc = MODEL_LVT_NMI;
	bench_online(b);
	model_log_clear(&b->model);
	/* slow enough for no throttling, unless a test wants it */
	b->model.pace = tsc_khz / 10;
	return 0;
}

int bench_init(struct kunit *test)
{
	return bench_init_pmu(test, &model_knc);
}

/* As bench_init(), with another PMU, in which slot 1 can only count one event */
int bench_init_wide(struct kunit *test)
{
	return bench_init_pmu(test, &model_wide);
}

/* As bench_init_wide(), but both slots can count any event */
int bench_init_wide_any(struct kunit *test)
{
	return bench_init_pmu(test, &model_wide_any);
}

void bench_exit(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int i;

	model_leave();
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	if (!b)
		return;
	for (i = 0; i < BENCH_CLAIMS; i++)
		bench_unsampled(b, i);
	memset(b->hw, 0, sizeof(*b->hw));
	model_expect_clean(test, &b->model);
}

/* From now on the overflow interrupt is a vector, as with pmi=irq. */
void bench_irq(struct bench *b)
{
	b->lvtpc = 0xe1;
	b->hw->lvtpc = b->lvtpc;
	b->hw->vector = b->lvtpc;
	b->hw->nmi = false;
}

/* Each claim and slot has another event select */
u64 bench_evtsel(unsigned int i, unsigned int slot)
{
	if (model_pmu->slot[slot].fixed)
		return 0xb | i << 2;
	return MODEL_EN | MODEL_INT | MODEL_USR | MODEL_OS | (i + 1) << 8 |
	       (slot + 1);
}

/* Claim @i with @nr events: the first on slot @first, the second on the other slot */
struct knc_claim *bench_claim(struct bench *b, unsigned int i,
			      unsigned int first, unsigned int nr)
{
	struct knc_claim *c = &b->claim[i];
	unsigned int n;

	memset(c, 0, sizeof(*c));
	c->owner = c;
	c->cpu = raw_smp_processor_id();
	c->nr = nr;
	c->nr_events = nr;
	for (n = 0; n < nr; n++) {
		c->count[n].counter = model_number(first ^ n);
		c->count[n].read_index = pmu_read_index(c->count[n].counter);
		c->count[n].evtsel = bench_evtsel(i, first ^ n);
		c->count[n].left = pmu_max_load(c->count[n].counter);
		c->cntrs |= model_cntrs(1u << (first ^ n));
	}
	c->owned = c->cntrs;
	return c;
}

/* Gate these slots, if the PMU has a gate. */
void bench_filter(struct knc_claim *c, u32 slots)
{
	c->gated = pmu_has_gate() ? model_cntrs(slots) & c->cntrs : 0;
	c->obey = c->gated;
}

void bench_attach(struct bench *b, struct knc_claim *c)
{
	unsigned int i = c - b->claim;

	memcpy(b->base[i], b->model.counted, sizeof(b->base[i]));
	knc_claim_set_owner(b->hw, c, c);
	MODEL_AT(knc_claim_attach(b->hw, c));
}

void bench_detach(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_claim_detach(b->hw, c));
}

/* START and STOP as commands.c does them */
static void bench_start_here(struct bench *b, struct knc_claim *c)
{
	if (c->sampler && !c->started && b->hw->online)
		knc_sampler_start(c->sampler);
	knc_claim_start(b->hw, c, b->now);
}

static void bench_stop_here(struct bench *b, struct knc_claim *c)
{
	knc_claim_stop(b->hw, c, b->now);
	if (c->sampler && b->hw->online)
		knc_sampler_stop(c->sampler);
}

void bench_start(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(bench_start_here(b, c));
}

struct knc_claim *bench_begin(struct bench *b, struct knc_claim *c)
{
	bench_attach(b, c);
	bench_start(b, c);
	return c;
}

void bench_stop(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(bench_stop_here(b, c));
}

void bench_reset(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_claim_reset(b->hw, c, b->now));
}

void bench_online(struct bench *b)
{
	MODEL_AT(knc_attach_online(b->hw, b->now));
}

void bench_offline(struct bench *b)
{
	MODEL_AT(knc_attach_offline(b->hw, b->now));
}

/* Read a claim, and check the record's CPU and times. */
struct knc_pmu_thread bench_read(struct bench *b, struct knc_claim *c)
{
	struct knc_pmu_thread r = { .value = { 0xfeed, 0xfeed } };

	MODEL_AT(knc_claim_read(b->hw, c, &r);
		 knc_claim_read_times(b->hw, c, b->now, &r));
	KUNIT_EXPECT_EQ(b->test, r.cpu, c->cpu);
	KUNIT_EXPECT_EQ(b->test, r.nr_events, c->nr);
	KUNIT_EXPECT_EQ(b->test, r.time, b->now);
	if (c->nr == 1)
		KUNIT_EXPECT_EQ(b->test, r.value[1], 0xfeed);
	return r;
}

/*
 * Attach claim @i with one sample every @p0 of the first event and, if @p1 is not 0, every @p1 of
 * the second event. @b->config and the flags of @b->event have the rest of the request.
 */
struct knc_claim *bench_sampled(struct bench *b, unsigned int i,
				unsigned int first, u64 p0, u64 p1)
{
	struct knc_claim *c = bench_claim(b, i, first, p1 ? 2 : 1);

	b->event[0].flags |= KNC_PMU_EVENT_SAMPLE;
	b->event[0].sample_period = p0;
	b->event[1].flags |= KNC_PMU_EVENT_SAMPLE;
	b->event[1].sample_period = p1;
	b->config.nr_events = c->nr;
	b->config.events = b->event;
	bench_unsampled(b, i);
	KUNIT_ASSERT_EQ(b->test, 0,
			knc_sampler_alloc(&b->sampler[i], &b->config, c->cpu,
					  &b->wait));
	knc_sampler_init(&b->sampler[i], &b->config, c, NULL);
	/* time since the reset must suffice to measure the clock's rate */
	if (!b->model.tsc)
		b->model.tsc = 1ULL << 40;
	return c;
}

void bench_unsampled(struct bench *b, unsigned int i)
{
	knc_sampler_destroy(&b->sampler[i]);
	memset(&b->sampler[i], 0, sizeof(b->sampler[i]));
	memset(&b->tally[i], 0, sizeof(b->tally[i]));
}

/* Run the sampler's timer, which ends throttling and adapts periods */
void bench_tick(struct bench *b, unsigned int i)
{
	/* the next tick ends throttling at the latest */
	if (b->hw->storm.throttled_until)
		model_pass(&b->model, 11ULL * tsc_khz);
	MODEL_AT(knc_test_tick(&b->sampler[i]));
}

void bench_drain(struct bench *b, unsigned int i)
{
	tally_read(b->test, &b->sampler[i].ring, &b->tally[i]);
}

/* The events that the model has counted since the claim was attached */
static u64 bench_counted(struct bench *b, unsigned int i, unsigned int n)
{
	unsigned int slot = model_slot(b->claim[i].count[n].counter);

	return b->model.counted[slot] - b->base[i][slot];
}

void bench_expect_counts(struct bench *b, unsigned int i)
{
	struct knc_claim *c = &b->claim[i];
	struct knc_pmu_thread r = bench_read(b, c);
	unsigned int n;

	for (n = 0; n < c->nr; n++)
		KUNIT_EXPECT_EQ(b->test, r.value[n], bench_counted(b, i, n));
}

/*
 * Events that may be in no sample yet: one segment, and @carry of segments that were cut short. An
 * overdue sample is taken at the next event.
 */
static u64 bench_untold(const struct knc_count *count)
{
	u64 overdue = count->left > 0 ? 0 : 1 - count->left;

	return count->segment + count->carry + overdue;
}

/* Check that samples, lost and unsampled events add up to the count, to less than a period. */
void bench_expect_sums(struct bench *b, unsigned int i)
{
	struct knc_sampler *s = &b->sampler[i];
	struct tally *t = &b->tally[i];
	unsigned int n;
	u64 rest;

	bench_drain(b, i);
	for (n = 0; n < b->claim[i].nr; n++) {
		rest = bench_counted(b, i, n) - tally_sum(&s->ring, t, n);
		KUNIT_EXPECT_LT_MSG(b->test, rest,
				    bench_untold(&b->claim[i].count[n]),
				    "event %u", n);
	}
	KUNIT_EXPECT_EQ(b->test, s->ring.control->samples,
			t->samples[0] + t->samples[1] + s->ring.control->lost);
}

/*
 * Check that the counters are in the upper half of their range, as RDPMC needs (struct
 * knc_pmu_page).
 */
void bench_expect_loaded(struct bench *b)
{
	unsigned int i, n;

	for (i = 0; i < MODEL_NR; i++) {
		n = model_number(i);
		if (b->hw->attached & pmu_bit(n))
			KUNIT_EXPECT_GT_MSG(b->test, b->model.regs.perfcntr[i],
					    pmu_counter_mask(n) / 2, "counter %u", n);
	}
}

/* Check that no interrupt is pending, and that the next overflow will cause one. */
void bench_expect_alive(struct bench *b)
{
	KUNIT_EXPECT_FALSE(b->test, b->model.pending);
	KUNIT_EXPECT_EQ(b->test, b->model.status, 0);
	KUNIT_EXPECT_EQ(b->test, b->model.line, 0);
	KUNIT_EXPECT_EQ(b->test, b->model.regs.lvtpc, b->lvtpc);
	KUNIT_EXPECT_EQ(b->test, b->model.missed, 0);
}

/*
 * Check that no claim has counters @cntrs, and that these hold nothing while a program may execute
 * RDPMC.
 */
void bench_expect_free(struct kunit *test, const struct knc_hwthread *hw,
		       const struct model *m, u64 cntrs)
{
	unsigned int i, n;

	for (i = 0; i < MODEL_NR; i++) {
		n = model_number(i);
		if (!(cntrs & pmu_bit(n)))
			continue;
		KUNIT_EXPECT_EQ(test, hw->attached & pmu_bit(n), 0);
		KUNIT_EXPECT_NULL(test, knc_hwthread_task(hw, n));
		if (atomic_read(&knc_nr_hiding) || m->cr4 & KNC_CR4_PCE)
			KUNIT_EXPECT_EQ(test, m->regs.perfcntr[i], 0);
	}
}
