// SPDX-License-Identifier: GPL-2.0
/*
 * More events than counters: groups that take turns
 *
 * The present group's counts are in the claim, where everything else finds them; the
 * others wait here. A group's turn ends when it has been counted for so long: looked
 * at by a timer on each hardware thread, and when a task is switched to, which may
 * never run long enough for the timer to find it. How long each group was counted is
 * measured in the ticks in which it was, at tsc_khz (clock.h): they add up.
 */
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "count/clock.h"
#include "compat/compat.h"
#include "pmu/hw.h"
#include "count/hwthread.h"
#include "count/set.h"

/* A turn: what perf takes by default */
#define KNC_TURN_MS	4

/* Layout */

static bool knc_is_pinned(const struct knc_pmu_event *event)
{
	return event->flags & KNC_PMU_EVENT_PINNED;
}

static u32 knc_group_add(struct knc_group *g, unsigned int event)
{
	if (g->nr == KNC_NR_COUNTERS)
		return KNC_PMU_REASON_SET_GROUP;
	g->event[g->nr++] = event;
	return KNC_PMU_REASON_NONE;
}

/* Pinned events are in all groups; if there are no others, in the only one. */
static u32 knc_layout_pin(struct knc_layout *l, unsigned int event)
{
	unsigned int g;

	l->nr_groups = max(l->nr_groups, 1u);
	for (g = 0; g < l->nr_groups; g++)
		if (knc_group_add(&l->group[g], event))
			return KNC_PMU_REASON_SET_PINNED;
	return KNC_PMU_REASON_NONE;
}

static u32 knc_layout_add(struct knc_layout *l,
			  const struct knc_pmu_event *event, unsigned int i)
{
	if (event->group > l->nr_groups)
		return KNC_PMU_REASON_SET_ORDER;
	l->nr_groups = max(l->nr_groups, event->group + 1);
	return knc_group_add(&l->group[event->group], i);
}

/**
 * knc_layout_init() - put events together in groups
 * @l: the groups, out
 * @events: legal events
 * @nr: how many, 1 to KNC_PMU_MAX_SET
 * @why: where to tell the reason of a refusal
 *
 * Return: 0, or -EINVAL.
 */
int knc_layout_init(struct knc_layout *l, const struct knc_pmu_event *events,
		    unsigned int nr, struct knc_refusal *why)
{
	unsigned int i;

	memset(l, 0, sizeof(*l));
	l->nr_events = nr;
	for (i = 0; i < nr; i++) {
		why->event[0] = i;
		if (!knc_is_pinned(&events[i]))
			why->reason = knc_layout_add(l, &events[i], i);
		if (why->reason != KNC_PMU_REASON_NONE)
			return -EINVAL;
	}
	for (i = 0; i < nr; i++) {
		why->event[0] = i;
		if (knc_is_pinned(&events[i]))
			why->reason = knc_layout_pin(l, i);
		if (why->reason != KNC_PMU_REASON_NONE)
			return -EINVAL;
	}
	return 0;
}

/* What knc_events_assign() said of a group, said of the session's events */
static void knc_group_refused(const struct knc_group *g,
			      struct knc_refusal *why)
{
	why->event[0] = g->event[why->event[0]];
	if (why->reason == KNC_PMU_REASON_EVENT_PAIR)
		why->event[1] = g->event[why->event[1]];
}

/* One group; its events are put on @free, a pinned one on @pinned of it. */
static int knc_group_assign(const struct knc_group *g,
			    struct knc_pmu_event *events, unsigned int free,
			    unsigned int pinned, struct knc_refusal *why)
{
	struct knc_pmu_event own[KNC_NR_COUNTERS];
	unsigned int i;
	int err;

	for (i = 0; i < g->nr; i++) {
		own[i] = events[g->event[i]];
		if (pinned && knc_is_pinned(&own[i]))
			own[i].counters = pinned;
	}
	err = knc_events_assign(own, g->nr, free, why);
	if (err) {
		knc_group_refused(g, why);
		return err;
	}
	for (i = 0; i < g->nr; i++)
		events[g->event[i]].counter = own[i].counter;
	return 0;
}

static int knc_layout_try(struct knc_layout *l, struct knc_pmu_event *events,
			  unsigned int free, unsigned int pinned,
			  struct knc_refusal *why)
{
	unsigned int g;
	int err = 0;

	for (g = 0; !err && g < l->nr_groups; g++)
		err = knc_group_assign(&l->group[g], events, free, pinned, why);
	return err;
}

/* The event that is in several groups: there can be one, since each has its own. */
static struct knc_pmu_event *knc_layout_pinned(const struct knc_layout *l,
					       struct knc_pmu_event *events)
{
	unsigned int i;

	for (i = 0; l->nr_groups > 1 && i < l->nr_events; i++)
		if (knc_is_pinned(&events[i]))
			return &events[i];
	return NULL;
}

/* @event in all groups on the same counter */
static int knc_layout_pin_to(struct knc_layout *l, struct knc_pmu_event *events,
			     const struct knc_pmu_event *event,
			     unsigned int free, struct knc_refusal *why)
{
	unsigned int can = knc_event_counters(event) & free;
	unsigned int n;
	int err = -EOPNOTSUPP;

	why->reason = KNC_PMU_REASON_EVENT_COUNTER;
	why->event[0] = event - events;
	why->event[1] = 0;
	for (n = 0; err && n < knc_hw_model.nr_counters; n++)
		if (can & 1u << n)
			err = knc_layout_try(l, events, free, 1u << n, why);
	return err;
}

/**
 * knc_layout_assign() - put each event on a counter, a pinned one always on the same
 * @l: the groups
 * @events: the events; @counter of each is set
 * @free: mask of the counters to choose from
 * @why: where to tell the reason, as knc_events_assign()
 *
 * Return: 0, and no reason; or -EOPNOTSUPP.
 */
int knc_layout_assign(struct knc_layout *l, struct knc_pmu_event *events,
		      unsigned int free, struct knc_refusal *why)
{
	const struct knc_pmu_event *pinned = knc_layout_pinned(l, events);
	unsigned int i;
	int err;

	l->cntrs = 0;
	if (pinned)
		err = knc_layout_pin_to(l, events, pinned, free, why);
	else
		err = knc_layout_try(l, events, free, 0, why);
	if (err)
		return err;
	/* another place may have been tried first */
	why->reason = KNC_PMU_REASON_NONE;
	for (i = 0; i < l->nr_events; i++)
		l->cntrs |= 1u << events[i].counter;
	return 0;
}

/* Sets */

/* The present group's counts go to the claim. */
static void knc_set_take(struct knc_claim *claim)
{
	const struct knc_set *set = claim->set;
	const struct knc_group *g = &set->layout->group[set->group];
	unsigned int i;

	claim->nr = g->nr;
	claim->cntrs = 0;
	claim->obey = 0;
	for (i = 0; i < g->nr; i++) {
		claim->count[i] = set->count[g->event[i]];
		claim->cntrs |= 1u << claim->count[i].counter;
		if (claim->count[i].obeys)
			claim->obey |= 1u << claim->count[i].counter;
	}
}

/* They come back. */
static void knc_set_put(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;
	const struct knc_group *g = &set->layout->group[set->group];
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		set->count[g->event[i]] = claim->count[i];
}

/**
 * knc_set_init() - let groups take turns in a claim
 * @claim: the claim
 * @l: the groups, which must stay where they are
 * @counts: what each event begins with
 * @gfp: how to get memory
 *
 * Return: 0, or -ENOMEM.
 */
int knc_set_init(struct knc_claim *claim, const struct knc_layout *l,
		 const struct knc_count *counts, gfp_t gfp)
{
	size_t size = sizeof(*claim->set) + l->nr_events * sizeof(*counts);
	struct knc_set *set;

	set = kzalloc(size + l->nr_groups * sizeof(*set->ticks), gfp);
	if (!set)
		return -ENOMEM;
	set->layout = l;
	set->ticks = (void *)set + size;
	memcpy(set->count, counts, l->nr_events * sizeof(*counts));
	claim->set = set;
	knc_set_take(claim);
	return 0;
}

void knc_set_free(struct knc_claim *claim)
{
	kfree(claim->set);
	claim->set = NULL;
}

/* How long the present group has been counted in this turn */
static u64 knc_set_turn(const struct knc_set *set, u64 tsc)
{
	if (!set->since)
		return set->turn;
	return set->turn + knc_clock_ticks(tsc - set->since);
}

/* Counts and times to 0; the claim's own are the caller's business. */
void knc_set_reset(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;
	unsigned int i;

	for (i = 0; i < set->layout->nr_events; i++)
		set->count[i].total = 0;
	memset(set->ticks, 0, set->layout->nr_groups * sizeof(*set->ticks));
	set->turn = 0;
	if (set->since)
		set->since = knc_hw_read_tsc();
}

/**
 * knc_set_read() - what all events have counted, and for how long
 * @claim: a claim with several groups
 * @present: what those of the present one have
 * @tsc: when that was; 0: when they were last brought up to date
 * @values: a count for each event, out
 * @running: for how long each was counted, time stamp counter ticks, out
 */
void knc_set_read(const struct knc_claim *claim, const u64 *present, u64 tsc,
		  u64 *values, u64 *running)
{
	const struct knc_set *set = claim->set;
	const struct knc_layout *l = set->layout;
	unsigned int g, i;
	u64 ticks;

	for (i = 0; i < l->nr_events; i++) {
		values[i] = set->count[i].total;
		running[i] = 0;
	}
	for (g = 0; g < l->nr_groups; g++) {
		ticks = set->ticks[g];
		if (g == set->group)
			ticks += tsc ? knc_set_turn(set, tsc) : set->turn;
		for (i = 0; i < l->group[g].nr; i++)
			running[l->group[g].event[i]] += ticks;
	}
	for (i = 0; i < claim->nr; i++)
		values[l->group[set->group].event[i]] = present[i];
}

/**
 * knc_set_read_folded() - what all events had counted when that was last known
 * @claim: a claim with several groups
 * @values: a count for each event, out
 * @running: for how long each was counted, time stamp counter ticks, out
 *
 * Any CPU may ask: where its task runs another group may get its turn meanwhile.
 */
void knc_set_read_folded(const struct knc_claim *claim, u64 *values,
			 u64 *running)
{
	const struct knc_set *set = claim->set;
	u64 present[KNC_PMU_MAX_EVENTS];
	unsigned int i;
	u32 seq;

	do {
		seq = READ_ONCE(set->seq);
		smp_rmb(); /* with knc_set_next() */
		for (i = 0; i < KNC_PMU_MAX_EVENTS; i++)
			present[i] = claim->count[i].total;
		knc_set_read(claim, present, 0, values, running);
		smp_rmb(); /* with knc_set_next() */
	} while (seq & 1 || READ_ONCE(set->seq) != seq);
}

/* For how long it has been counted is brought up to date as well. */
void knc_set_fold(struct knc_set *set, u64 tsc)
{
	if (!set->since)
		return;
	set->turn = knc_set_turn(set, tsc);
	set->since = tsc;
}

/* The present group is not counted for the time being. */
void knc_set_pause(struct knc_set *set, u64 tsc)
{
	knc_set_fold(set, tsc);
	set->since = 0;
}

/* Is the present group's turn over? */
bool knc_set_is_due(const struct knc_set *set, u64 tsc)
{
	/* a timer that is a little early is not to come for nothing */
	return knc_set_turn(set, tsc) >= (u64)tsc_khz * KNC_TURN_MS * 3 / 4;
}

/* It is the next group's turn; nothing of the claim is on a counter. */
void knc_set_next(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;

	WRITE_ONCE(set->seq, set->seq + 1);
	smp_wmb(); /* with knc_set_read_folded() */
	knc_set_put(claim);
	set->ticks[set->group] += set->turn;
	set->turn = 0;
	set->group = (set->group + 1) % set->layout->nr_groups;
	knc_set_take(claim);
	smp_wmb(); /* with knc_set_read_folded() */
	WRITE_ONCE(set->seq, set->seq + 1);
}

/* The timers; while no session has several groups there are none. */

static DEFINE_PER_CPU(struct hrtimer, knc_rotors);
static DEFINE_MUTEX(knc_rotor_lock);
static unsigned int knc_rotor_users;

static enum hrtimer_restart knc_rotate(struct hrtimer *timer)
{
	unsigned long flags;

	local_irq_save(flags);
	knc_hwthread_rotate(this_cpu_ptr(&knc_hwthreads));
	local_irq_restore(flags);
	hrtimer_forward_now(timer, ns_to_ktime(KNC_TURN_MS * NSEC_PER_MSEC));
	return HRTIMER_RESTART;
}

static void knc_rotor_start_here(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&knc_rotors);

	hrtimer_setup(timer, knc_rotate, CLOCK_MONOTONIC,
		      KNC_COMPAT_HRTIMER_MODE);
	hrtimer_start(timer, ns_to_ktime(KNC_TURN_MS * NSEC_PER_MSEC),
		      KNC_COMPAT_HRTIMER_MODE);
}

static void knc_rotor_stop_here(void *unused)
{
	hrtimer_cancel(this_cpu_ptr(&knc_rotors));
}

/* The hotplug lock is held. */
void knc_rotor_get(void)
{
	mutex_lock(&knc_rotor_lock);
	if (!knc_rotor_users++)
		on_each_cpu(knc_rotor_start_here, NULL, true);
	mutex_unlock(&knc_rotor_lock);
}

/* The hotplug lock is held. */
void knc_rotor_put(void)
{
	mutex_lock(&knc_rotor_lock);
	if (!--knc_rotor_users)
		on_each_cpu(knc_rotor_stop_here, NULL, true);
	mutex_unlock(&knc_rotor_lock);
}

/* On a hardware thread that came, interrupts off; the hotplug lock is held. */
void knc_rotor_online(void)
{
	if (knc_rotor_users)
		knc_rotor_start_here(NULL);
}

/* On one that is to go, likewise */
void knc_rotor_offline(void)
{
	if (knc_rotor_users)
		knc_rotor_stop_here(NULL);
}
