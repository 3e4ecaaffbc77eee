// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of records
 */
#include <linux/irq_work.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>

#include "pmu/hw.h"
#include "model.h"
#include "records.h"
#include "sample/ring.h"
#include "seed.h"
#include "units.h"

#define RING	4096
#define SAMPLE	sizeof(struct knc_pmu_sample)
#define TIME	KNC_PMU_TIME_SIZE(2)

/**
 * struct wheel - a ring and its expected records
 * @test: the test
 * @ring: the ring
 * @wait: its reader's wait queue
 * @tally: the records that were read
 * @written: samples written
 * @next: the period of the next sample; all periods differ
 * @expected: the period of the next sample to be read
 * @rnd: random numbers
 */
struct wheel {
	struct kunit *test;
	struct knc_ring ring;
	wait_queue_head_t wait;
	struct tally tally;
	u64 written;
	u64 next;
	u64 expected;
	struct rnd_state rnd;
};

static void wheel_open(struct wheel *w, u32 size, u32 watermark)
{
	knc_ring_destroy(&w->ring);
	memset(&w->ring, 0, sizeof(w->ring));
	KUNIT_ASSERT_EQ(w->test, 0, knc_ring_init(&w->ring, 3, 2, size, watermark,
						  &w->wait));
	memset(&w->tally, 0, sizeof(w->tally));
}

static int ring_init(struct kunit *test)
{
	struct wheel *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	w->test = test;
	init_waitqueue_head(&w->wait);
	test->priv = w;
	wheel_open(w, RING, RING / 2);
	return 0;
}

/* Write a sample as the overflow interrupt does, with @frames of at most @most frames */
static bool put(struct wheel *w, unsigned int frames, unsigned int most)
{
	struct {
		struct knc_pmu_sample sample;
		u64 chain[64];
	} s = {
		.sample = {
			.record = {
				.type = KNC_PMU_RECORD_SAMPLE,
				.size = SAMPLE + 8 * frames,
				.cpu = 3,
			},
			.nr_user = frames,
			.period = w->next + 1,
		},
	};

	memset(s.chain, 0xcc, sizeof(s.chain));
	w->next++;
	if (!knc_test_ring_put(&w->ring, &s, SAMPLE + 8 * most,
			       SAMPLE + 8 * frames)) {
		knc_ring_lost(&w->ring, 1, w->next, w->next + 1000);
		return false;
	}
	w->written++;
	return true;
}

/* The real PMU makes NMIs; their handler writes to @nmi_wheel. */
static struct wheel *nmi_wheel;
static unsigned int nmis;
static u32 nmi_lvtpc;

static int nmi_put(unsigned int type, struct pt_regs *regs)
{
	u64 status;

	rdmsrl(MODEL_STATUS, status);
	if (!nmi_wheel || !status)
		return NMI_DONE;
	wrmsrl(MODEL_CTRL, 0);
	wrmsrl(MODEL_OVF_CONTROL, status);
	put(nmi_wheel, nmis % 3, 3);
	nmis++;
	return NMI_HANDLED;
}

/* Called at the end, even if the test was aborted */
static void nmi_off(void)
{
	nmi_wheel = NULL;
	wrmsrl(MODEL_CTRL, 0);
	wrmsrl(MODEL_PERFEVTSEL, 0);
	wrmsrl(MODEL_PERFCNTR, 0);
	apic->write(MODEL_LVTPC, nmi_lvtpc);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	unregister_nmi_handler(NMI_LOCAL, "knc_pmu_test");
	knc_hw_release();
}

static void ring_exit(struct kunit *test)
{
	struct wheel *w = test->priv;

	if (nmi_wheel)
		nmi_off();
	if (w)
		knc_ring_destroy(&w->ring);
}

static bool put_time(struct wheel *w, u64 delta)
{
	struct knc_pmu_time_sample s = {
		.record = { KNC_PMU_RECORD_TIME, TIME, 3 },
		.nr_events = 2,
		.delta = { delta },
	};

	return knc_ring_write(&w->ring, &s, TIME);
}

static void read_all(struct wheel *w)
{
	tally_read(w->test, &w->ring, &w->tally);
}

static void describes_itself(struct kunit *test)
{
	struct wheel *w = test->priv;
	struct knc_pmu_ring *page = w->ring.control;

	KUNIT_EXPECT_EQ(test, sizeof(*page), (18 + 2 * KNC_PMU_MAX_EVENTS) * 8);
	KUNIT_EXPECT_EQ(test, offsetof(struct knc_pmu_ring, tail), 8 * 8);
	KUNIT_EXPECT_EQ(test, page->data_offset, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, page->data_size, RING);
	KUNIT_EXPECT_EQ(test, page->cpu, 3);
	KUNIT_EXPECT_EQ(test, page->nr_events, 2);
	KUNIT_EXPECT_EQ(test, page->head, 0);
	KUNIT_EXPECT_EQ(test, page->tail, 0);
}

/* Records of every length at every offset: none extends past the end. */
static void wraps(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int skip, frames;
	u64 sum = 0;

	for (skip = 0; skip < 9; skip++) {
		for (frames = 0; frames < 60; frames++) {
			KUNIT_ASSERT_TRUE(test, put(w, frames, frames));
			KUNIT_ASSERT_TRUE(test, put(w, skip, frames + skip));
			KUNIT_ASSERT_TRUE(test, put_time(w, frames));
			read_all(w);
			KUNIT_ASSERT_EQ(test, w->tally.last.period, w->next);
		}
		cond_resched();
	}
	sum = w->next * (w->next + 1) / 2;
	KUNIT_EXPECT_EQ(test, w->tally.periods[0], sum);
	KUNIT_EXPECT_EQ(test, w->tally.records[KNC_PMU_RECORD_TIME], 540);
	KUNIT_EXPECT_EQ(test, w->tally.delta[0], 9 * 59 * 60 / 2);
	KUNIT_EXPECT_GT(test, w->tally.records[KNC_PMU_RECORD_PAD], 0);
}

/* Any multiple of 8 bytes can be left at the end of the ring: PAD fills it */
static void pads(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int left, pads;

	for (left = 8; left <= 2 * SAMPLE; left += 8) {
		wheel_open(w, RING, RING);
		w->ring.head = RING - left;
		w->ring.control->head = RING - left;
		w->ring.control->tail = RING - left;
		KUNIT_EXPECT_TRUE(test, left % 16 ? put(w, 0, 0) :
				  put_time(w, 7));
		pads = left < (left % 16 ? SAMPLE : TIME);
		read_all(w);
		KUNIT_EXPECT_EQ(test, w->tally.records[KNC_PMU_RECORD_PAD],
				pads);
		KUNIT_EXPECT_EQ(test, w->tally.nr_order, 1 + pads);
	}
}

/* The ring takes records while there is room; later samples are lost, and reported as lost. */
static void fills_up(struct kunit *test)
{
	struct wheel *w = test->priv;
	struct knc_pmu_ring *page = w->ring.control;
	unsigned int i, n = RING / SAMPLE;

	for (i = 0; i < n; i++)
		KUNIT_ASSERT_TRUE(test, put(w, 0, 0));
	KUNIT_EXPECT_EQ(test, page->head, n * SAMPLE);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_FALSE(test, put(w, 0, 0));
	KUNIT_EXPECT_FALSE(test, put_time(w, 1));
	KUNIT_EXPECT_EQ(test, page->lost, 3);
	KUNIT_EXPECT_EQ(test, page->lost_events[0], 0);
	KUNIT_EXPECT_EQ(test, page->lost_events[1], 3 * n + 6);
	read_all(w);
	KUNIT_EXPECT_EQ(test, w->tally.samples[0], n);
	KUNIT_EXPECT_EQ(test, w->tally.periods[0], n * (n + 1) / 2);
	memset(&w->tally, 0, sizeof(w->tally));
	KUNIT_EXPECT_TRUE(test, put(w, 0, 0));
	read_all(w);
	KUNIT_EXPECT_EQ(test, w->tally.lost, 3);
	KUNIT_EXPECT_EQ(test, w->tally.lost_events[1], 3 * n + 6);
	KUNIT_EXPECT_EQ(test, w->tally.last.period, n + 4);
	KUNIT_EXPECT_EQ(test, w->tally.records[KNC_PMU_RECORD_LOST], 1);
	/* the loss is reported once, before the next sample */
	i = w->tally.nr_order;
	KUNIT_EXPECT_EQ(test, w->tally.order[i - 2], KNC_PMU_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, w->tally.order[i - 1], KNC_PMU_RECORD_SAMPLE);
	KUNIT_EXPECT_TRUE(test, put(w, 0, 0));
	read_all(w);
	KUNIT_EXPECT_EQ(test, w->tally.lost, 3);
}

/* The ring can be filled to the last byte, and not beyond. */
static void fills_exactly(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int i;

	for (i = 0; i < RING / 512; i++)
		KUNIT_EXPECT_TRUE(test, put(w, 57, 57));
	KUNIT_EXPECT_EQ(test, w->ring.control->head, RING);
	/* eight bytes too few are free */
	w->ring.control->tail = SAMPLE - 8;
	KUNIT_EXPECT_FALSE(test, put(w, 0, 0));
	w->ring.control->tail = 512;
	/* the LOST record takes some of the room */
	KUNIT_EXPECT_FALSE(test, put(w, 57, 57));
	KUNIT_EXPECT_TRUE(test, put(w, 0, 0));
	read_all(w);
	KUNIT_EXPECT_EQ(test, w->tally.lost + w->ring.pending.samples, 2);
}

/* A smaller record fits where a larger one did not: LOST comes first. */
static void lost_before_a_smaller_one(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int n;

	while (put(w, 0, 300))
		;
	KUNIT_EXPECT_TRUE(test, put(w, 0, 0));
	read_all(w);
	n = w->tally.nr_order;
	KUNIT_EXPECT_EQ(test, w->tally.order[n - 2], KNC_PMU_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, w->tally.order[n - 1], KNC_PMU_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, w->tally.lost, 1);
}

/* LOST itself does not fit, or only LOST fits: a loss is not reported twice. */
static void lost_without_room(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int round, i, room;
	u64 lost = 0;

	for (room = 8; room <= 160; room += 8) {
		wheel_open(w, RING, RING / 2);
		w->written = 0;
		lost = 0;
		for (round = 0; round < 80; round++) {
			for (i = 0; i < RING / SAMPLE; i++)
				lost += !put(w, 0, 0);
			/* the reader reads a few bytes */
			w->ring.control->tail += min_t(u64, room, w->ring.control->head -
						       w->ring.control->tail);
		}
		KUNIT_ASSERT_EQ(test, w->ring.control->lost, lost);
	}
}

/*
 * Read half, let the ring overflow, read half: the reported loss is the number of missing samples.
 */
static void lost_adds_up(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int round, i;
	u64 sum;

	prandom_seed_state(&w->rnd, seed_of(test, 7));
	for (round = 0; round < 500; round++) {
		i = prandom_u32_state(&w->rnd) % 150;
		while (i--)
			put(w, i % 5, 5);
		read_all(w);
	}
	put(w, 0, 0);
	read_all(w);
	sum = w->next * (w->next + 1) / 2;
	KUNIT_EXPECT_GT(test, w->ring.control->lost, 1000);
	KUNIT_EXPECT_EQ(test, w->tally.lost, w->ring.control->lost);
	KUNIT_EXPECT_EQ(test, w->tally.lost_events[1],
			w->ring.control->lost_events[1]);
	KUNIT_EXPECT_EQ(test, w->tally.periods[0] + w->tally.lost_events[1],
			sum);
	KUNIT_EXPECT_EQ(test, w->tally.samples[0] + w->tally.lost, w->next);
}

/*
 * Write a record and a time sample while user space writes to the page. The ring's own head decides
 * where a record goes, not the page's; KASAN checks the memory. Returns 1 if the record was lost.
 */
static unsigned int put_beside_hostile(struct wheel *w, unsigned int frames)
{
	u64 head = w->ring.head;
	bool taken = put(w, frames, 50);

	if (taken) {
		KUNIT_EXPECT_GE(w->test, w->ring.head - head, SAMPLE + 8 * frames);
		KUNIT_EXPECT_EQ(w->test, w->ring.control->head, w->ring.head);
	}
	put_time(w, 1);
	KUNIT_EXPECT_LE(w->test, w->ring.head - head, RING);
	return !taken;
}

/* Values that user space may write to the tail */
static void hostile_tail(struct kunit *test)
{
	static const u64 tails[] = {
		1, 7, RING - 1, RING, RING + 1, 3 * RING, 1ULL << 32, 1ULL << 63,
		~0ULL, ~0ULL - RING, ~0ULL - 55, -(u64)RING - 64,
	};
	struct wheel *w = test->priv;
	unsigned int i, n, lost;

	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		wheel_open(w, RING, 64);
		w->ring.control->tail = tails[i];
		for (n = 0, lost = 0; n < 300; n++) {
			lost += put_beside_hostile(w, n % 50);
			if (n % 3 == 0)
				w->ring.control->tail = tails[i] + w->ring.control->head;
			if (n % 7 == 0)
				w->ring.control->tail = tails[n % ARRAY_SIZE(tails)];
		}
		KUNIT_EXPECT_EQ(test, w->ring.control->lost, lost);
		/* with a valid tail the reader finds later records */
		w->ring.control->tail = w->ring.head;
		KUNIT_EXPECT_TRUE(test, put(w, 0, 0));
		read_all(w);
		KUNIT_EXPECT_EQ(test, w->tally.last.period, w->next);
	}
}

/* User space may overwrite the whole page. */
static void hostile_page(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int i;

	for (i = 0; i < 200; i++) {
		memset(w->ring.control, i & 1 ? 0xff : 0x5a, PAGE_SIZE);
		put_beside_hostile(w, i % 50);
	}
	KUNIT_EXPECT_EQ(test, w->ring.mask, RING - 1);
}

/* Reading continues when the reader's values are valid again. */
static void hostile_for_a_while(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		w->ring.control->tail = ~0ULL - i * 1000;
		put(w, 0, 0);
	}
	w->ring.control->tail = w->ring.control->head;
	for (i = 0; i < 40; i++) {
		KUNIT_EXPECT_TRUE(test, put(w, 0, 0));
		read_all(w);
		KUNIT_EXPECT_EQ(test, w->tally.last.period, w->next);
	}
}

static bool readable(struct wheel *w)
{
	irq_work_sync(&w->ring.work);
	return knc_ring_readable(&w->ring);
}

/* Readable from the watermark on, until everything was read */
static void watermark(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int round, i;

	wheel_open(w, RING, 3 * SAMPLE);
	for (round = 0; round < 100; round++) {
		/* at the end of the ring PAD counts as well */
		for (i = 0; i < 2; i++)
			put(w, 0, 0);
		if (round < 20)
			KUNIT_EXPECT_FALSE(test, readable(w));
		put(w, 0, 0);
		KUNIT_EXPECT_TRUE(test, readable(w));
		read_all(w);
		KUNIT_EXPECT_FALSE(test, readable(w));
	}
}

/* Half of the bytes are read: the ring stays readable. */
static void watermark_half_read(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int i;

	wheel_open(w, RING, 4 * SAMPLE);
	for (i = 0; i < 4; i++)
		put(w, 0, 0);
	w->ring.control->tail = 2 * SAMPLE;
	KUNIT_EXPECT_TRUE(test, readable(w));
	w->ring.control->tail = 4 * SAMPLE;
	KUNIT_EXPECT_FALSE(test, readable(w));
	/* at the latest the reader is woken after the same number of bytes */
	for (i = 0; i < 4; i++)
		put(w, 0, 0);
	KUNIT_EXPECT_TRUE(test, readable(w));
}

/* The reader is really woken, from interrupt context */
static int woken;

static int count_wakeups(struct wait_queue_entry *e, unsigned int mode,
			 int flags, void *key)
{
	woken++;
	return 0;
}

static void wakes(struct kunit *test)
{
	struct wheel *w = test->priv;
	struct wait_queue_entry entry;

	wheel_open(w, RING, 2 * SAMPLE);
	init_waitqueue_func_entry(&entry, count_wakeups);
	add_wait_queue(&w->wait, &entry);
	woken = 0;
	put(w, 0, 0);
	irq_work_sync(&w->ring.work);
	KUNIT_EXPECT_EQ(test, woken, 0);
	put(w, 0, 0);
	irq_work_sync(&w->ring.work);
	KUNIT_EXPECT_EQ(test, woken, 1);
	put_time(w, 0);
	put_time(w, 0);
	irq_work_sync(&w->ring.work);
	KUNIT_EXPECT_EQ(test, woken, 2);
	remove_wait_queue(&w->wait, &entry);
}

/* However high the watermark, a full ring wakes its reader; otherwise it would never be emptied. */
static void full_is_readable(struct kunit *test)
{
	struct wheel *w = test->priv;

	wheel_open(w, RING, RING);
	while (put(w, 0, 0))
		;
	KUNIT_EXPECT_TRUE(test, readable(w));
	/* records with chains reserve more room than they use */
	wheel_open(w, RING, RING / 2);
	while (put(w, 0, 300))
		;
	KUNIT_EXPECT_TRUE(test, readable(w));
}

/*
 * The overflow interrupt comes in the middle of knc_ring_write(), which has reserved room and not
 * published it. Nothing is published before that record is complete.
 */
static void interrupted_write(struct kunit *test)
{
	struct wheel *w = test->priv;
	struct knc_pmu_time_sample s = {
		.record = { KNC_PMU_RECORD_TIME, TIME, 3 },
		.nr_events = 2,
	};
	struct knc_ring *r = &w->ring;
	unsigned int i;

	for (i = 0; i < 200; i++) {
		u64 published = r->control->head;
		u64 head = r->head;

		if (RING - (head & (RING - 1)) < TIME) {
			put(w, 0, 0);
			read_all(w);
			continue;
		}
		r->writing = true;
		r->head += TIME;
		put(w, i % 3, 3);
		put(w, 0, 0);
		KUNIT_EXPECT_EQ(test, r->control->head, published);
		memcpy((void *)r->control + PAGE_SIZE + (head & (RING - 1)), &s,
		       TIME);
		r->writing = false;
		/* the next write publishes everything */
		KUNIT_ASSERT_TRUE(test, put_time(w, 1));
		KUNIT_EXPECT_EQ(test, r->control->head, r->head);
		read_all(w);
		KUNIT_ASSERT_EQ(test, w->tally.last.period, w->next);
	}
	KUNIT_EXPECT_FALSE(test, r->writing);
	KUNIT_EXPECT_EQ(test, w->tally.samples[0], w->next);
}

/* Real NMIs do not disturb knc_ring_write(). */
static void nests(struct kunit *test)
{
	struct wheel *w = test->priv;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		w->ring.writing = true;
		put(w, 0, 0);
		w->ring.writing = false;
		KUNIT_EXPECT_EQ(test, put_time(w, i), true);
		KUNIT_EXPECT_FALSE(test, w->ring.writing);
		KUNIT_EXPECT_EQ(test, w->ring.control->head, w->ring.head);
		read_all(w);
	}
	KUNIT_EXPECT_EQ(test, w->tally.samples[0], 100);
	KUNIT_EXPECT_EQ(test, w->tally.delta[0], 99 * 100 / 2);
}

/* Write with an NMI after @at instructions; returns whether it came. */
static bool write_interrupted(struct wheel *w, u64 at, u64 delta)
{
	unsigned int before = nmis;
	unsigned long flags;
	bool room;

	local_irq_save(flags);
	apic->write(MODEL_LVTPC, MODEL_LVT_NMI);
	wrmsrl(MODEL_PERFCNTR, -at & MODEL_CNTR_MASK);
	wrmsrl(MODEL_CTRL, 1);
	room = put_time(w, delta);
	wrmsrl(MODEL_CTRL, 0);
	local_irq_restore(flags);
	KUNIT_ASSERT_TRUE(w->test, room);
	return nmis != before;
}

static void write_swept(struct wheel *w)
{
	u64 at = 1, delta = 0;

	while (write_interrupted(w, at, at)) {
		delta += at++;
		KUNIT_ASSERT_FALSE(w->test, w->ring.writing);
		KUNIT_ASSERT_EQ(w->test, w->ring.control->head, w->ring.head);
		read_all(w);
		KUNIT_ASSERT_EQ(w->test, w->tally.samples[0], nmis);
		KUNIT_ASSERT_EQ(w->test, w->tally.last.period, w->next);
		KUNIT_ASSERT_EQ(w->test, w->tally.delta[0], delta);
	}
	KUNIT_EXPECT_GT(w->test, nmis, 50);
}

/* An NMI between any two instructions of knc_ring_write() */
static void nmi_at_each_instruction(struct kunit *test)
{
	struct wheel *w = test->priv;

	if (knc_hw_probe())
		kunit_skip(test, "this CPU is no Knights Corner");
	KUNIT_ASSERT_EQ(test, knc_hw_reserve(), 0);
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, nmi_put,
						      NMI_FLAG_FIRST,
						      "knc_pmu_test"));
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	nmi_lvtpc = apic->read(MODEL_LVTPC);
	nmis = 0;
	nmi_wheel = w;
	/* INSTRUCTIONS_EXECUTED */
	wrmsrl(MODEL_PERFEVTSEL, MODEL_EN | MODEL_INT | MODEL_OS | 0x16);
	write_swept(w);
}

/* A writer and a reader in random order: every record arrives in order, or is lost. */
static void random_order(struct kunit *test)
{
	struct wheel *w = test->priv;
	u64 times = 0, kept = 0, before;
	unsigned int i;

	wheel_open(w, 8192, 1024);
	prandom_seed_state(&w->rnd, seed_of(test, 5));
	for (i = 0; i < 30000; i++) {
		u32 x = prandom_u32_state(&w->rnd);

		if (x % 13 == 0) {
			before = w->tally.last.period;
			read_all(w);
			KUNIT_ASSERT_GE(test, w->tally.last.period, before);
		} else if (x % 5 == 0) {
			kept += put_time(w, i) ? i : 0;
			times++;
		} else {
			put(w, x / 64 % 40, 40);
		}
		KUNIT_ASSERT_LE(test, w->ring.control->head - w->ring.control->tail,
				8192);
	}
	read_all(w);
	put(w, 0, 0);
	read_all(w);
	KUNIT_EXPECT_EQ(test, w->tally.samples[0], w->written);
	KUNIT_EXPECT_EQ(test, w->tally.samples[0] + w->tally.lost, w->next);
	KUNIT_EXPECT_EQ(test, w->tally.periods[0] + w->tally.lost_events[1],
			w->next * (w->next + 1) / 2);
	KUNIT_EXPECT_EQ(test, w->tally.delta[0], kept);
	KUNIT_EXPECT_GT(test, w->tally.lost, 0);
	KUNIT_EXPECT_GT(test, times, 0);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(describes_itself),
	KUNIT_CASE(wraps),
	KUNIT_CASE(pads),
	KUNIT_CASE(fills_up),
	KUNIT_CASE(fills_exactly),
	KUNIT_CASE(lost_before_a_smaller_one),
	KUNIT_CASE(lost_without_room),
	KUNIT_CASE(lost_adds_up),
	KUNIT_CASE(hostile_tail),
	KUNIT_CASE(hostile_page),
	KUNIT_CASE(hostile_for_a_while),
	KUNIT_CASE(watermark),
	KUNIT_CASE(watermark_half_read),
	KUNIT_CASE(wakes),
	KUNIT_CASE(full_is_readable),
	KUNIT_CASE(interrupted_write),
	KUNIT_CASE(nests),
	KUNIT_CASE(nmi_at_each_instruction),
	KUNIT_CASE(random_order),
	{}
};

KNC_SUITE(ring, ring_init, ring_exit);

kunit_test_suite(ring_suite);
