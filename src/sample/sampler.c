// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: of events, by the overflow interrupt, and of time, by a timer
 *
 * Samples of an event lie on a grid: one for each period of the event since
 * CONFIG, whatever else happens. An interrupt that comes late does not shift
 * it; a sample says how many periods it stands for; while throttled the counter
 * goes on, and what passes unsampled is added up. So the samples, those lost,
 * and the unsampled make up the count.
 *
 * At a frequency the distance to the next sample is drawn when the last one is taken,
 * at random, from half a period to one and a half: no loop keeps step with that. Where
 * the next sample falls then depends on the program alone. The period follows the rate
 * of the event over whole windows of time, not between two samples: most programs
 * count in bursts. A distance is changed under way only if it has become far too long,
 * and in proportion, because a sample that comes soon would hit the code that adapts.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "sample/chain.h"
#include "compat/compat.h"
#include "pmu/hw.h"
#include "sample/sampler.h"

/* How long throttling lasts, and how often periods are adapted */
#define KNC_TICK_HZ		100

/* The first period of an event sampled at a frequency: soon adapted */
#define KNC_FIRST_PERIOD	1024

/*
 * So many times as long as a time sample takes is left before the next one, but no
 * longer than this: then it was not the sample that took long.
 */
#define KNC_TIME_SHARE		4
#define KNC_TIME_MAX		(10 * NSEC_PER_MSEC)

/* A period is multiplied or divided by this at most when it is adapted */
#define KNC_ADAPT_SHIFT		4

/* It follows the rate of events in about this time: a pause is no change of the rate. */
#define KNC_ADAPT_MS		320

/*
 * More samples than this in a window, at so many times the frequency, are a burst. The
 * period is doubled from one to the next: there are less of them than throttling takes
 * for a storm. It remains long enough for the next such burst.
 */
#define KNC_BURST_SAMPLES	32
#define KNC_BURST_SHARE		4

/* A segment is cut short if more than so many periods are left of it. */
#define KNC_LONG_SHIFT		4

/* Where each random number generator begins: never at 0, where it would remain */
#define KNC_RANDOM(n)		(((n) + 1) * 0x9e3779b9U | 1)

/* A sample tells of a rest of up to an eighth of its own segment */
#define KNC_REST_SHIFT		3

static unsigned long knc_tick_jiffies(void)
{
	return max(HZ / KNC_TICK_HZ, 1);
}

/* What is asked for */

static bool knc_is_sampled(const struct knc_pmu_event *event)
{
	return event->flags & KNC_PMU_EVENT_SAMPLE;
}

static bool knc_events_sampled(const struct knc_pmu_config *c,
			       const struct knc_pmu_event *events)
{
	unsigned int i;

	for (i = 0; i < c->nr_events; i++)
		if (knc_is_sampled(&events[i]))
			return true;
	return false;
}

/**
 * knc_sampling_wanted() - is there anything to be sampled?
 * @c: what CONFIG was asked
 * @events: the events
 *
 * Return: true or false.
 */
bool knc_sampling_wanted(const struct knc_pmu_config *c,
			 const struct knc_pmu_event *events)
{
	return c->sample_interval || knc_events_sampled(c, events);
}

static u32 knc_period_check(const struct knc_pmu_event *event)
{
	bool freq = event->flags & KNC_PMU_EVENT_FREQ;

	if (!knc_is_sampled(event))
		return freq || event->sample_period ?
		       KNC_PMU_REASON_SAMPLE_FREQ : KNC_PMU_REASON_NONE;
	if (!event->sample_period ||
	    event->sample_period > (freq ? KNC_PMU_MAX_FREQ : KNC_PMU_MAX_PERIOD))
		return KNC_PMU_REASON_SAMPLE_PERIOD;
	return KNC_PMU_REASON_NONE;
}

static bool knc_interval_ok(u64 interval)
{
	return !interval || (interval >= KNC_PMU_MIN_INTERVAL &&
			     interval <= KNC_PMU_MAX_INTERVAL);
}

static bool knc_ring_ok(const struct knc_pmu_config *c,
			const struct knc_pmu_event *events)
{
	if (!knc_sampling_wanted(c, events))
		return !c->ring_size && !c->watermark;
	/* one record is to fit beside the padding of another */
	return is_power_of_2(c->ring_size) &&
	       c->ring_size >= KNC_PMU_MIN_RING &&
	       c->ring_size >= 2 * KNC_PMU_SAMPLE_SIZE(c->max_frames) &&
	       c->ring_size <= KNC_PMU_MAX_RING && c->watermark <= c->ring_size;
}

static u32 knc_chains(const struct knc_pmu_config *c)
{
	return c->flags & (KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_CHAIN_KERNEL);
}

static bool knc_frames_ok(const struct knc_pmu_config *c,
			  const struct knc_pmu_event *events)
{
	if (!knc_chains(c))
		return !c->max_frames;
	return c->max_frames && c->max_frames <= KNC_PMU_MAX_FRAMES &&
	       knc_events_sampled(c, events);
}

/**
 * knc_sampling_check() - can samples be taken like this?
 * @c: what CONFIG was asked
 * @events: the events
 * @why: where to tell the reason of a refusal
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int knc_sampling_check(const struct knc_pmu_config *c,
		       const struct knc_pmu_event *events,
		       struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < c->nr_events; i++) {
		why->reason = knc_period_check(&events[i]);
		if (why->reason == KNC_PMU_REASON_NONE)
			continue;
		why->event[0] = i;
		return -EINVAL;
	}
	if (!knc_interval_ok(c->sample_interval))
		why->reason = KNC_PMU_REASON_SAMPLE_INTERVAL;
	else if (!knc_frames_ok(c, events))
		why->reason = KNC_PMU_REASON_FRAMES;
	else if (!knc_ring_ok(c, events))
		why->reason = KNC_PMU_REASON_RING_SIZE;
	if (why->reason != KNC_PMU_REASON_NONE)
		return -EINVAL;
	if (knc_chains(c) && !KNC_COMPAT_CALLCHAIN) {
		why->reason = KNC_PMU_REASON_CALLCHAIN;
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Time */

/* On the hardware thread, interrupts off */
static void knc_clock_set(struct knc_sampler *s)
{
	const struct knc_clock *old = s->now;
	struct knc_clock *new = &s->clock[old == &s->clock[0]];
	u64 ticks;

	knc_clock_read(new);
	ticks = new->tsc - old->tsc;
	/* a millisecond is too short to tell its rate, and a second too long ago */
	if (ticks < tsc_khz)
		return;
	if (ticks < tsc_khz * 1000ULL && new->ns - old->ns < 2 * NSEC_PER_SEC)
		new->mult = div64_u64((new->ns - old->ns) << KNC_CLOCK_SHIFT,
				      ticks);
	else
		new->mult = div64_u64(1000000ULL << KNC_CLOCK_SHIFT,
				      max(tsc_khz, 1u));
	barrier(); /* with knc_sampler_time(), on the same CPU */
	WRITE_ONCE(s->now, new);
}

/* Event samples */

static u64 knc_plain(const struct knc_sampling *e)
{
	return e->special & KNC_SPECIAL_FREQ ? 0 : e->period;
}

/* The pids of @s's namespace, or those of the machine */
static void knc_pids(const struct knc_sampler *s, struct task_struct *task,
		     u32 *pid, u32 *tid)
{
	*pid = s->pid_ns ? task_tgid_nr_ns(task, s->pid_ns) : task->tgid;
	*tid = s->pid_ns ? task_pid_nr_ns(task, s->pid_ns) : task->pid;
}

/* Returns the bytes of the sample. */
static u32 knc_sampler_chains(const struct knc_sampler *s,
			      struct knc_pmu_sample *sample,
			      struct pt_regs *regs, struct knc_user user)
{
	u64 *begin = (u64 *)(sample + 1);
	u64 *chain = begin;

	if (s->chains & KNC_PMU_CONFIG_CHAIN_KERNEL) {
		chain = knc_chain_kernel(regs, chain, s->max_frames);
		sample->nr_kernel = chain - begin;
	}
	if (s->chains & KNC_PMU_CONFIG_CHAIN_USER && user.ip) {
		begin = chain;
		chain = knc_chain_user(regs, user, chain, s->max_frames);
		sample->nr_user = chain - begin;
	}
	return (void *)chain - (void *)sample;
}

/**
 * knc_sampler_chain() - the call chain of a sample that is being written
 * @s: the sampler
 * @sample: the sample, which the reader can write: nothing of it is read
 * @regs: what was interrupted, in user mode
 *
 * Return: the bytes of the sample.
 */
u32 knc_sampler_chain(const struct knc_sampler *s, struct knc_pmu_sample *sample,
		      struct pt_regs *regs)
{
	struct knc_user user = { .ip = regs->ip, .bp = regs->bp };
	u64 *begin = (u64 *)(sample + 1);
	u64 *chain = begin;
	u32 size;

	if (s->chains & KNC_PMU_CONFIG_CHAIN_USER) {
		chain = knc_chain_user(regs, user, chain, s->max_frames);
		sample->nr_user = chain - begin;
	}
	size = (void *)chain - (void *)sample;
	sample->record.size = size;
	return size;
}

/* The reader can look at what is not complete, and write there: nothing is read back. */
static void knc_sampler_write(struct knc_sampling *e, u64 events,
			      struct pt_regs *regs, struct knc_user user,
			      bool early, u64 tsc)
{
	bool hidden = e->special & KNC_SPECIAL_USER;
	struct knc_sampler *s = e->sampler;
	struct task_struct *task = early ? (struct task_struct *)s->task : current;
	struct knc_pmu_sample *sample = knc_ring_end(&s->ring);
	u32 size = sizeof(*sample);

	sample->record = s->record;
	sample->ip = hidden ? user.ip : regs->ip;
	knc_pids(s, task, &sample->pid, &sample->tid);
	*(u64 *)&sample->counter = e->what;
	sample->flags = hidden || user_mode(regs) ? KNC_PMU_SAMPLE_USER : 0;
	sample->tsc = tsc;
	sample->time = knc_sampler_time(s, tsc);
	sample->period = events;
	/* the stack is that of the task before */
	if (!early)
		size = knc_sampler_chains(s, sample, regs, user);
	sample->record.size = size;
	knc_ring_commit(&s->ring, size);
}

/**
 * knc_sampler_careful() - what knc_sampler_sample() leaves out
 * @e: the event
 * @hw: the hardware thread
 * @events: what the sample is to stand for
 * @regs: what was interrupted
 * @tsc: when
 *
 * Samples with call chains, of which the kernel is not shown, with pids of a namespace,
 * or of a task that is just being switched to. If the kernel is not shown and nothing
 * is known of the program, no sample is taken: @events are unsampled.
 */
void knc_sampler_careful(struct knc_sampling *e, struct knc_hwthread *hw,
			 u64 events, struct pt_regs *regs, u64 tsc)
{
	struct knc_sampler *s = e->sampler;
	struct knc_pmu_ring *page = s->ring.page;
	bool early = knc_sampler_is_early(s, regs);
	struct knc_user user = { 0 };

	if (!early)
		user = knc_user_find(regs);
	if (!user.ip && e->special & KNC_SPECIAL_USER) {
		page->unsampled[e - s->sampling] += events;
		return;
	}
	hw->stats.samples++;
	page->samples++;
	if (!knc_ring_reserve(&s->ring, e->size)) {
		knc_sampler_lost(e, hw, events, tsc);
		return;
	}
	knc_sampler_write(e, events, regs, user, early, tsc);
}

/* There was no room for a sample. */
void knc_sampler_lost(struct knc_sampling *e, struct knc_hwthread *hw,
		      u64 events, u64 tsc)
{
	struct knc_sampler *s = e->sampler;

	hw->stats.lost++;
	knc_ring_lost(&s->ring, e - s->sampling, events, knc_sampler_time(s, tsc));
}

/* Time stamp counter ticks over which the rate of an event is measured */
static u64 knc_window(void)
{
	return (u64)tsc_khz * MSEC_PER_SEC / KNC_TICK_HZ;
}

/* The period has to be adapted after so many, even if there are no samples. */
static u64 knc_overdue(const struct knc_sampling *e)
{
	return 2 * max(knc_window(), e->ticks);
}

/* @n * @part / 2^24, for a @part of up to 2^24 */
static u64 knc_part(u64 n, u64 part)
{
	return (n >> 24) * part + ((n & 0xffffff) * part >> 24);
}

/* 24 bits of a xorshift generator: enough against loops, and quick in an NMI */
static u32 knc_random(struct knc_sampling *e)
{
	e->random ^= e->random << 13;
	e->random ^= e->random >> 17;
	e->random ^= e->random << 5;
	return e->random >> 8;
}

/* Events from one sample to the next: from half a period to one and a half */
static u64 knc_draw(struct knc_sampling *e, u64 period)
{
	u64 half = period / 2;
	u64 drawn = period - half + knc_part(2 * half + 1, knc_random(e));

	return min_t(u64, drawn, KNC_PMU_MAX_PERIOD);
}

/* Events to the sample that follows one at @tsc */
static u64 knc_segment(struct knc_sampling *e, struct knc_count *count, u64 tsc)
{
	if (!(e->special & KNC_SPECIAL_FREQ))
		return e->period;
	if (++e->recent > KNC_BURST_SAMPLES &&
	    e->recent * e->ticks > KNC_BURST_SHARE * (tsc - e->last)) {
		e->period = min_t(u64, 2 * e->period, KNC_PMU_MAX_PERIOD);
		count->period = e->period;
	}
	return knc_draw(e, e->period);
}

/*
 * The period with which samples would come as often as they should, if events
 * go on as they did: @events in @ticks.
 */
static u64 knc_period_for(const struct knc_sampling *e, u64 events, u64 ticks)
{
	/* keep the product within 64 bits */
	while (events >> 30) {
		events >>= 1;
		ticks >>= 1;
	}
	return div64_u64(events * e->ticks, max_t(u64, ticks, 1));
}

/* The least period with which @events in a window are not too many samples */
static u64 knc_period_least(const struct knc_sampling *e, u64 events)
{
	u64 most = div64_u64(2 * knc_window(), e->ticks);

	return div64_u64(events, max_t(u64, most, KNC_BURST_SAMPLES));
}

/* What is between @period and @wanted, as much as @ticks are of the time it takes */
static u64 knc_period_step(u64 period, u64 wanted, u64 ticks)
{
	u64 time = min_t(u64, ticks, 1ULL << 38);
	u64 part = div64_u64(time << 24, time + (u64)tsc_khz * KNC_ADAPT_MS);

	if (wanted > period)
		return period + knc_part(wanted - period, part) + 1;
	if (wanted < period)
		return period - max_t(u64, knc_part(period - wanted, part), 1);
	return period;
}

/* The period after @events in @ticks */
static u64 knc_period_next(const struct knc_sampling *e, u64 events, u64 ticks)
{
	u64 least = max_t(u64, e->period >> KNC_ADAPT_SHIFT, 1);
	u64 most = min_t(u64, e->period << KNC_ADAPT_SHIFT, KNC_PMU_MAX_PERIOD);
	u64 wanted = min_t(u64, knc_period_for(e, events, ticks),
			   most << KNC_ADAPT_SHIFT);
	u64 period = knc_period_step(e->period, wanted, ticks);

	/* one that is far too short costs much */
	period = max(period, wanted >> KNC_ADAPT_SHIFT);
	period = max(period, knc_period_least(e, events));
	return clamp_t(u64, period, least, most);
}

/* Adapt the period to what was counted since that was done last; @count is folded. */
static void knc_adapt(struct knc_sampling *e, struct knc_count *count, u64 tsc)
{
	u64 counted = count->base + count->total - count->adapted;

	e->period = knc_period_next(e, counted, tsc - e->last);
	count->period = e->period;
	count->adapted += counted;
	e->last = tsc;
	e->recent = 0;
}

/*
 * A segment that is far too long for the period by now is drawn anew, and as much of it
 * is over as of the old one: that says nothing of where this is done. Of what was
 * counted, the part that the new one does not tell of is for the samples of longer
 * segments: there it was counted.
 */
static void knc_shorten(struct knc_sampling *e, struct knc_count *count)
{
	u64 segment, left, over = count->segment - count->left;

	if (count->left <= 0 || (u64)count->left >> KNC_LONG_SHIFT < e->period)
		return;
	segment = knc_draw(e, e->period);
	left = knc_part(segment, div64_u64((u64)count->left << 24, count->segment));
	left = clamp_t(u64, left, 1, segment);
	count->rest += over - (segment - left);
	count->segment = segment;
	count->left = left;
}

/* @count is folded, its counter stopped: has it been long without a sample? */
static void knc_adapt_overdue(struct knc_sampling *e, struct knc_count *count,
			      u64 tsc)
{
	if (tsc - e->last < knc_overdue(e))
		return;
	knc_adapt(e, count, tsc);
	knc_shorten(e, count);
}

/*
 * The segment has ended, and 0 or less is left of it: @segment follows, more than once
 * if the interrupt was that late. Returns the events of all that have ended.
 */
static u64 knc_next_segment(struct knc_count *count, u64 segment, s64 *left)
{
	u64 whole = div64_u64(-*left, segment) * segment;
	u64 events = count->segment + whole;

	*left += whole + segment;
	count->segment = segment;
	return events;
}

/* What a sample that stands for @events tells of the rest */
static u64 knc_take_rest(struct knc_count *count, u64 events)
{
	u64 rest = min_t(u64, count->rest, events >> KNC_REST_SHIFT);

	count->rest -= rest;
	return rest;
}

/**
 * knc_sampler_throttle() - overflows come too fast: no samples of a count
 * @hw: the hardware thread
 * @count: the count, folded, the counter stopped
 * @tsc: when
 */
void knc_sampler_throttle(struct knc_hwthread *hw, struct knc_count *count,
			  u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	struct knc_sampler *s = e->sampler;
	struct knc_pmu_throttle *record;

	if (e->special & KNC_SPECIAL_THROTTLED)
		return;
	e->special |= KNC_SPECIAL_THROTTLED;
	e->plain = 0;
	e->grid = count->left;
	count->left = KNC_COUNT_MAX;
	hw->stats.throttles++;
	s->ring.page->throttles++;
	if (!knc_ring_reserve(&s->ring, sizeof(*record)))
		return;
	record = knc_ring_end(&s->ring);
	memset(record, 0, sizeof(*record));
	record->record.type = KNC_PMU_RECORD_THROTTLE;
	record->record.size = sizeof(*record);
	record->record.cpu = s->ring.cpu;
	record->time = knc_sampler_time(s, tsc);
	knc_ring_commit(&s->ring, sizeof(*record));
}

/**
 * knc_sampler_special() - what knc_sampler_overflow() leaves out
 * @hw: the hardware thread
 * @count: its count; the counter is stopped
 * @gained: what it has gained since @count was brought up to date
 * @regs: what was interrupted
 * @tsc: when
 *
 * A period that has not ended yet because the interrupt was late; several that
 * ended at once; throttled ones; those that are adapted.
 *
 * Return: events to the next overflow.
 */
s64 knc_sampler_special(struct knc_hwthread *hw, struct knc_count *count,
			u64 gained, struct pt_regs *regs, u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	s64 left = count->left - gained;
	u64 events;

	if (left > 0)
		return left;
	if (e->special & KNC_SPECIAL_THROTTLED) {
		e->grid -= KNC_COUNT_MAX;
		return left + KNC_COUNT_MAX;
	}
	if (e->special & KNC_SPECIAL_FREQ && tsc - e->last >= knc_window())
		knc_adapt(e, count, tsc);
	events = knc_next_segment(count, knc_segment(e, count, tsc), &left);
	events += knc_take_rest(count, events);
	knc_sampler_sample(e, hw, events, regs, tsc);
	return left;
}

/* Periods that ended without a sample: returns their events, @left is what is left. */
static u64 knc_skip(struct knc_sampler *s, const struct knc_sampling *e,
		    struct knc_count *count, s64 *left)
{
	unsigned int event = e - s->sampling;
	u64 skipped;

	if (*left > 0)
		return 0;
	skipped = knc_next_segment(count, count->period, left);
	s->ring.page->unsampled[event] += skipped;
	return skipped;
}

/* What is left to the next sample, if none had been left out since it was throttled */
static s64 knc_throttled_left(const struct knc_sampling *e,
			      const struct knc_count *count)
{
	return e->grid - (KNC_COUNT_MAX - count->left);
}

/* On the hardware thread, interrupts off: samples again, if there is room */
static void knc_unthrottle(struct knc_sampler *s, struct knc_count *count)
{
	struct knc_sampling *e = count->sampling;
	unsigned int event = e - s->sampling;
	struct knc_pmu_throttle record = {
		.record = {
			.type = KNC_PMU_RECORD_UNTHROTTLE,
			.size = sizeof(record),
			.cpu = s->ring.cpu,
		},
		.time = ktime_get_ns(),
	};
	s64 left = knc_throttled_left(e, count);

	e->skipped += knc_skip(s, e, count, &left);
	record.unsampled[event] = e->skipped;
	if (!knc_ring_write(&s->ring, &record, sizeof(record))) {
		e->grid = left;
		count->left = KNC_COUNT_MAX;
		return;
	}
	count->left = left;
	e->skipped = 0;
	e->special &= ~KNC_SPECIAL_THROTTLED;
	e->plain = knc_plain(e);
	if (e->special & KNC_SPECIAL_FREQ)
		knc_adapt(e, count, knc_hw_read_tsc());
}

/* Is the counter of @e to be stopped to adapt its period? Mostly a sample has done it. */
static bool knc_is_overdue(const struct knc_sampler *s,
			   const struct knc_sampling *e)
{
	return e->special & KNC_SPECIAL_FREQ && s->claim->started &&
	       knc_hw_read_tsc() - e->last >= knc_overdue(e);
}

static void knc_tick_count(struct knc_sampler *s, struct knc_hwthread *hw,
			   struct knc_count *count)
{
	struct knc_sampling *e = count->sampling;

	if (!(e->special & KNC_SPECIAL_THROTTLED) && !knc_is_overdue(s, e))
		return;
	knc_hwthread_suspend(hw, count);
	knc_count_fold(count);
	if (e->special & KNC_SPECIAL_THROTTLED)
		knc_unthrottle(s, count);
	else
		knc_adapt_overdue(e, count, knc_hw_read_tsc());
	knc_hwthread_resume(hw, count);
}

/* On the hardware thread, interrupts off */
static void knc_tick_here(struct knc_sampler *s)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	unsigned int i;

	if (!s->claim || !(hw->attached & s->claim->cntrs))
		return;
	for (i = 0; i < s->claim->nr; i++)
		if (s->claim->count[i].sampling)
			knc_tick_count(s, hw, &s->claim->count[i]);
}

static void knc_tick(struct timer_list *timer)
{
	struct knc_sampler *s = timer_container_of(s, timer, tick);
	unsigned long flags;

	local_irq_save(flags);
	/* a hardware thread that went left its timers to another one */
	if (s->claim && smp_processor_id() == s->ring.cpu) {
		knc_clock_set(s);
		knc_tick_here(s);
		mod_timer(timer, jiffies + knc_tick_jiffies());
	}
	local_irq_restore(flags);
}

/* On the hardware thread, interrupts off */
static void knc_arm(struct irq_work *work)
{
	struct knc_sampler *s = container_of(work, struct knc_sampler, arm);

	knc_clock_set(s);
	mod_timer(&s->tick, jiffies + knc_tick_jiffies());
}

/* Time samples */

static void knc_time_sample(struct knc_sampler *s)
{
	struct pt_regs *regs = get_irq_regs();
	u64 values[KNC_PMU_MAX_EVENTS] = { 0 };
	struct knc_pmu_time_sample sample;
	unsigned int i;

	memset(&sample, 0, sizeof(sample));
	sample.record.type = KNC_PMU_RECORD_TIME;
	sample.record.size = sizeof(sample);
	sample.record.cpu = s->ring.cpu;
	sample.ip = regs ? regs->ip : 0;
	sample.flags = regs && user_mode(regs) ? KNC_PMU_SAMPLE_USER : 0;
	knc_pids(s, current, &sample.pid, &sample.tid);
	sample.missed = s->missed;
	sample.tsc = knc_hwthread_values(this_cpu_ptr(&knc_hwthreads),
					 s->claim, values);
	sample.time = ktime_get_ns();
	for (i = 0; i < KNC_PMU_MAX_EVENTS; i++)
		sample.delta[i] = values[i] - s->values[i];
	if (!knc_ring_write(&s->ring, &sample, sizeof(sample))) {
		s->missed++;
		return;
	}
	memcpy(s->values, values, sizeof(values));
	s->missed = 0;
}

/*
 * A sample may take longer than the interval: then the next one is not due before
 * something else could go on, and the intervals between are missed.
 */
static enum hrtimer_restart knc_timer(struct hrtimer *timer)
{
	struct knc_sampler *s = container_of(timer, struct knc_sampler, timer);
	u64 began = ktime_get_ns();
	unsigned long flags;
	u64 now, passed;

	local_irq_save(flags);
	knc_time_sample(s);
	local_irq_restore(flags);
	now = ktime_get_ns();
	now += min_t(u64, KNC_TIME_SHARE * (now - began), KNC_TIME_MAX);
	passed = hrtimer_forward(timer, ns_to_ktime(now),
				 ns_to_ktime(s->interval));
	if (passed)
		s->missed += passed - 1;
	return HRTIMER_RESTART;
}

/* Life */

static void knc_sampling_init(struct knc_sampler *s, unsigned int i,
			      const struct knc_pmu_event *event)
{
	struct knc_sampling *e = &s->sampling[i];

	e->sampler = s;
	e->period = event->sample_period;
	e->size = sizeof(struct knc_pmu_sample);
	e->what = event->counter | i << 8;
	BUILD_BUG_ON(KNC_PMU_SAMPLE_SIZE(0) !=
		     sizeof(struct knc_pmu_sample) + KNC_CHAIN_MORE * sizeof(u64));
	if (s->chains) {
		e->size = KNC_PMU_SAMPLE_SIZE(s->max_frames);
		e->special |= KNC_SPECIAL_CHAIN;
	}
	if (s->pid_ns)
		e->special |= KNC_SPECIAL_PID_NS;
	if (event->flags & KNC_PMU_EVENT_FREQ) {
		e->special |= KNC_SPECIAL_FREQ;
		e->period = KNC_FIRST_PERIOD;
		e->random = KNC_RANDOM(s->ring.cpu * KNC_PMU_MAX_EVENTS + i);
		e->ticks = div64_u64(tsc_khz * 1000ULL, event->sample_period);
	}
	e->plain = knc_plain(e);
}

/**
 * knc_sampler_alloc() - the ring of a sampler
 * @s: the sampler, zeroed
 * @c: what CONFIG was asked, checked
 * @cpu: the hardware thread
 * @wait: where the session's reader waits
 *
 * Return: 0, or -ENOMEM.
 */
int knc_sampler_alloc(struct knc_sampler *s, const struct knc_pmu_config *c,
		      unsigned int cpu, wait_queue_head_t *wait)
{
	return knc_ring_init(&s->ring, cpu, c->ring_size,
			     c->watermark ?: c->ring_size / 2, wait);
}

/**
 * knc_sampler_init() - prepare to sample a session on one hardware thread
 * @s: the sampler, that has its ring
 * @c: what CONFIG was asked, checked
 * @events: the events, that have their counters
 * @claim: what the session has there; it gets this sampler
 * @pid_ns: which pids samples have; NULL: those of the machine
 */
void knc_sampler_init(struct knc_sampler *s, const struct knc_pmu_config *c,
		      const struct knc_pmu_event *events,
		      struct knc_claim *claim, struct pid_namespace *pid_ns)
{
	unsigned int i;

	s->chains = knc_chains(c);
	s->max_frames = c->max_frames;
	s->pid_ns = pid_ns;
	s->interval = c->sample_interval;
	s->now = &s->clock[0];
	s->record.type = KNC_PMU_RECORD_SAMPLE;
	s->record.size = sizeof(struct knc_pmu_sample);
	s->record.cpu = s->ring.cpu;
	s->claim = claim;
	timer_setup(&s->tick, knc_tick, TIMER_PINNED);
	init_irq_work(&s->arm, knc_arm);
	hrtimer_setup(&s->timer, knc_timer, CLOCK_MONOTONIC,
		      KNC_COMPAT_HRTIMER_MODE);
	for (i = 0; i < claim->nr; i++) {
		if (!knc_is_sampled(&events[i]))
			continue;
		knc_sampling_init(s, i, &events[i]);
		claim->count[i].sampling = &s->sampling[i];
		claim->count[i].left = s->sampling[i].period;
		claim->count[i].period = s->sampling[i].period;
		claim->count[i].segment = s->sampling[i].period;
	}
	claim->sampler = s;
}

/*
 * For sessions that may not look at the kernel: a sample that is due there has the
 * address where the task goes on.
 */
void knc_sampler_hide_kernel(struct knc_sampler *s)
{
	unsigned int i;

	for (i = 0; i < KNC_PMU_MAX_EVENTS; i++)
		s->sampling[i].special |= KNC_SPECIAL_USER;
}

/* Of a sampler that is detached, or was never attached */
void knc_sampler_destroy(struct knc_sampler *s)
{
	knc_ring_destroy(&s->ring);
}

static bool knc_sampler_ticks(const struct knc_sampler *s)
{
	return s->sampling[0].period || s->sampling[1].period;
}

/**
 * knc_sampler_attach() - its hardware thread is there, or is back
 * @s: the sampler
 *
 * In process context, on any CPU.
 */
void knc_sampler_attach(struct knc_sampler *s)
{
	if (!knc_sampler_ticks(s))
		return;
	s->tick.expires = jiffies + knc_tick_jiffies();
	add_timer_on(&s->tick, s->ring.cpu);
}

/**
 * knc_sampler_detach() - its hardware thread is to go, or the session
 * @s: the sampler
 *
 * In process context, on any CPU.
 */
void knc_sampler_detach(struct knc_sampler *s)
{
	irq_work_sync(&s->arm);
	timer_delete_sync(&s->tick);
}

/**
 * knc_sampler_load() - a task runs on the hardware thread from now on
 * @s: the sampler
 * @claim: what the session has of it; it is not on the counters yet
 * @task: the task, which may not be current yet
 *
 * On the hardware thread, interrupts off, while the scheduler switches. A period that
 * is adapted is the task's, and so is the time that it has taken: else each switch
 * would be taken for a change of how often its events happen.
 */
void knc_sampler_load(struct knc_sampler *s, struct knc_claim *claim,
		      const struct task_struct *task)
{
	u64 tsc = knc_hw_read_tsc();
	struct knc_sampling *e;
	unsigned int i;

	/* a sample may come before the clock is set regularly */
	if (unlikely(!s->now->mult))
		knc_clock_set(s);
	s->claim = claim;
	s->task = task;
	for (i = 0; i < claim->nr; i++) {
		if (!claim->count[i].sampling)
			continue;
		e = &s->sampling[i];
		claim->count[i].sampling = e;
		e->period = claim->count[i].period;
		e->last = tsc - claim->count[i].ran;
		e->recent = 0;
		/* nothing here is on a counter: the tick may never meet this task */
		if (e->special & KNC_SPECIAL_FREQ)
			knc_adapt_overdue(e, &claim->count[i], tsc);
		if (!(e->special & KNC_SPECIAL_THROTTLED))
			continue;
		e->grid = claim->count[i].left;
		claim->count[i].left = KNC_COUNT_MAX;
	}
	if (!timer_pending(&s->tick))
		irq_work_queue(&s->arm);
}

static void knc_sampling_unload(struct knc_sampler *s, struct knc_sampling *e,
				struct knc_count *count, u64 tsc)
{
	bool throttled = e->special & KNC_SPECIAL_THROTTLED;
	u64 skipped;

	count->ran = tsc - e->last;
	if (throttled)
		count->left = knc_throttled_left(e, count);
	/* one that is due comes when the task runs again, if it is to be counted then */
	if (!throttled && s->claim->started)
		return;
	skipped = knc_skip(s, e, count, &count->left);
	if (throttled)
		e->skipped += skipped;
}

/**
 * knc_sampler_unload() - the task does not run there any more, or is not counted
 * @s: the sampler; what was loaded is not on the counters any more
 *
 * On the hardware thread, interrupts off, while the scheduler switches. Throttling is
 * the hardware thread's, the way to the next sample the task's.
 */
void knc_sampler_unload(struct knc_sampler *s)
{
	u64 tsc = knc_hw_read_tsc();
	unsigned int i;

	for (i = 0; i < s->claim->nr; i++)
		if (s->claim->count[i].sampling)
			knc_sampling_unload(s, s->claim->count[i].sampling,
					    &s->claim->count[i], tsc);
	s->claim = NULL;
}

/**
 * knc_sampler_inherit() - a task begins as its creator goes on
 * @claim: what a session has of the creator, which runs here
 * @child: what it is to have of the new one
 *
 * It would have to look for its period first, and many tasks don't live as long.
 */
void knc_sampler_inherit(const struct knc_claim *claim, struct knc_claim *child)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++) {
		child->count[i].period = READ_ONCE(claim->count[i].period);
		if (claim->count[i].sampling)
			child->count[i].left = child->count[i].period;
		child->count[i].segment = child->count[i].period;
	}
}

/**
 * knc_sampler_settle() - a task is not counted any more
 * @s: the sampler of the hardware thread this runs on, interrupts off
 * @claim: what the session has of it; it is on no counters
 *
 * A sample that was due when it was switched away does not come.
 */
void knc_sampler_settle(struct knc_sampler *s, struct knc_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		if (claim->count[i].sampling)
			knc_skip(s, &s->sampling[i], &claim->count[i],
				 &claim->count[i].left);
}

/**
 * knc_sampler_start() - its claim has been started
 * @s: the sampler
 *
 * On its hardware thread, interrupts off.
 */
void knc_sampler_start(struct knc_sampler *s)
{
	u64 tsc = knc_hw_read_tsc();
	unsigned int i;

	knc_clock_set(s);
	for (i = 0; i < KNC_PMU_MAX_EVENTS; i++)
		s->sampling[i].last = tsc;
	for (i = 0; i < s->claim->nr; i++)
		s->claim->count[i].adapted = s->claim->count[i].base +
					     s->claim->count[i].total;
	if (s->interval && !hrtimer_active(&s->timer))
		hrtimer_start(&s->timer, ns_to_ktime(s->interval),
			      KNC_COMPAT_HRTIMER_MODE);
}

/* An overflow at the moment of STOP, whose interrupt came too late */
static void knc_settle(struct knc_sampler *s, struct knc_count *count)
{
	struct knc_sampling *e = count->sampling;

	if (!e || e->special & KNC_SPECIAL_THROTTLED)
		return;
	knc_count_fold(count);
	knc_skip(s, e, count, &count->left);
}

/**
 * knc_sampler_stop() - its claim has been stopped
 * @s: the sampler
 *
 * On its hardware thread, interrupts off: so its timer is not just running.
 * What was not sampled is known when this returns, if the ring had room.
 */
void knc_sampler_stop(struct knc_sampler *s)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	unsigned int i;

	if (s->interval)
		hrtimer_cancel(&s->timer);
	knc_tick_here(s);
	for (i = 0; i < s->claim->nr; i++)
		knc_hwthread_suspend(hw, &s->claim->count[i]);
	knc_hwthread_settle(hw, s->claim);
	for (i = 0; i < s->claim->nr; i++)
		knc_settle(s, &s->claim->count[i]);
	knc_ring_flush(&s->ring);
	for (i = 0; i < s->claim->nr; i++)
		knc_hwthread_resume(hw, &s->claim->count[i]);
}
