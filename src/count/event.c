// SPDX-License-Identifier: GPL-2.0
/*
 * Events: which are legal, which counter can count them
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include <knc_pmu.h>

#include "count/event.h"
#include "pmu/hw.h"

static const struct pmu_event *knc_event_find(const struct knc_event *e)
{
	const struct pmu_event *known = this_pmu->events;

	for (; known->counters; known++)
		if (known->code == e->event)
			return known;
	return NULL;
}

/* Mask of the counters that can count an event and that the caller allows */
u64 knc_event_counters(const struct knc_event *e)
{
	const struct pmu_event *known = knc_event_find(e);
	u64 can = known ? known->counters : this_pmu->any;

	if (e->cmask || e->flags & (KNC_PMU_EVENT_EDGE | KNC_PMU_EVENT_INV))
		can &= ~this_pmu->fixed;
	return e->counters ? can & e->counters : can;
}

/* Do only the thread's own instructions cause it? Not if it is not listed. */
bool knc_event_is_own(const struct knc_event *e)
{
	const struct pmu_event *known = knc_event_find(e);

	return known && known->own;
}

/**
 * knc_events_from_siblings() - may siblings of a hardware thread cause these?
 * @events: legal events
 * @nr: number of events
 *
 * They may cause core-wide events, events that are not listed, and events in
 * thread mode.
 *
 * Return: false if only the hardware thread's own instructions cause the events.
 */
bool knc_events_from_siblings(const struct knc_event *events, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!knc_event_is_own(&events[i]) ||
		    events[i].flags & KNC_PMU_EVENT_THREAD_MODE)
			return true;
	return false;
}

/*
 * Would a sample of one of @events be late without an NMI, because it overflows while the hardware
 * thread has interrupts off? Its own instructions in user mode do that only where they enter the
 * kernel: such a sample is a little late. What is only counted may be late.
 */
bool knc_events_need_nmi(const struct knc_event *events, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (events[i].flags & KNC_PMU_EVENT_SAMPLE &&
		    (events[i].flags & KNC_PMU_EVENT_OS ||
		     knc_events_from_siblings(&events[i], 1)))
			return true;
	return false;
}

static struct pmu_select knc_event_select(const struct knc_event *e)
{
	struct pmu_select select = {
		.code = e->event,
		.extra = e->extra,
		.flags = e->flags,
		.cmask = e->cmask,
	};

	return select;
}

/* The flags that events of this PMU can have */
static u32 knc_event_flags(void)
{
	return pmu_has_gate() ? KNC_PMU_EVENT_FLAGS :
				KNC_PMU_EVENT_FLAGS & ~KNC_PMU_EVENT_SPFLT;
}

static u32 knc_event_check(const struct knc_event *e)
{
	const struct pmu_event *known = knc_event_find(e);
	struct pmu_select select = knc_event_select(e);
	u32 reason = this_pmu->check(&select);

	if (e->flags & ~knc_event_flags() ||
	    e->counters & ~this_pmu->counters ||
	    reason == KNC_PMU_REASON_EVENT_FLAGS)
		return KNC_PMU_REASON_EVENT_FLAGS;
	if (!(e->flags & (KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS)))
		return KNC_PMU_REASON_EVENT_RING;
	if (reason != KNC_PMU_REASON_NONE)
		return reason;
	if (e->flags & KNC_PMU_EVENT_THREAD_MODE && known && known->core_wide)
		return KNC_PMU_REASON_EVENT_THREAD_MODE;
	return KNC_PMU_REASON_NONE;
}

/**
 * knc_events_check() - is each event legal by itself?
 * @events: the events as user space gave them
 * @nr: number of events
 * @why: the reason of a refusal, out
 *
 * Return: 0, or -EINVAL.
 */
int knc_events_check(const struct knc_event *events, unsigned int nr,
		     struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		why->reason = knc_event_check(&events[i]);
		if (why->reason == KNC_PMU_REASON_NONE)
			continue;
		why->event = i;
		return -EINVAL;
	}
	return 0;
}

/**
 * knc_events_place() - find the next assignment of events to different counters
 * @can: mask of the counters that each event can be on
 * @nr: number of events
 * @at: counter of each event; set to the next assignment, lexicographically
 * @first: find the first assignment; @at is not set yet
 *
 * Return: false if there is no further assignment.
 */
bool knc_events_place(const u64 *can, unsigned int nr, unsigned int *at, bool first)
{
	unsigned int i = first ? 0 : nr - 1;
	unsigned int from = first ? 0 : at[i] + 1;
	unsigned int j;
	u64 left;

	for (;;) {
		left = can[i] & ~(pmu_bit(from) - 1);
		for (j = 0; j < i; j++)
			left &= ~pmu_bit(at[j]);
		if (left) {
			at[i] = pmu_lowest(left);
			if (++i == nr)
				return true;
			from = 0;
			continue;
		}
		if (!i)
			return false;
		from = at[--i] + 1;
	}
}

/* Name two events that need one counter, the second as early as possible. */
static void knc_events_clash(const u64 *can, unsigned int nr,
			     struct knc_refusal *why)
{
	unsigned int at[PMU_MAX_COUNTERS];
	unsigned int i, last = 1;

	while (last + 1 < nr && knc_events_place(can, last + 1, at, true))
		last++;
	for (i = 0; i + 1 < last && !(can[i] & can[last]); i++)
		;
	why->reason = KNC_PMU_REASON_EVENT_PAIR;
	why->event = i;
	why->other = last;
}

/**
 * knc_events_assign() - assign each event a counter of its own
 * @events: legal events, not more than counters; @counter of each is set
 * @nr: number of events
 * @free: mask of the counters to choose from
 * @why: the constraint that can't be met, out. If @free lacks counters, it may be
 *	wrong: the cause may be another owner
 *
 * Return: 0, or -EOPNOTSUPP.
 */
int knc_events_assign(struct knc_event *events, unsigned int nr, u64 free,
		      struct knc_refusal *why)
{
	unsigned int at[PMU_MAX_COUNTERS];
	u64 can[PMU_MAX_COUNTERS];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		can[i] = knc_event_counters(&events[i]) & free;
		if (can[i])
			continue;
		why->reason = KNC_PMU_REASON_EVENT_COUNTER;
		why->event = i;
		why->other = 0;
		return -EOPNOTSUPP;
	}
	if (!knc_events_place(can, nr, at, true)) {
		knc_events_clash(can, nr, why);
		return -EOPNOTSUPP;
	}
	for (i = 0; i < nr; i++)
		events[i].counter = at[i];
	return 0;
}

/**
 * knc_events_missing() - name a counter that is needed and not free
 * @events: events that were assigned as if all counters were free
 * @nr: number of events
 * @free: mask of the free counters
 * @why: the event that needs the counter, out
 *
 * Return: the counter.
 */
unsigned int knc_events_missing(const struct knc_event *events,
				unsigned int nr, u64 free,
				struct knc_refusal *why)
{
	unsigned int i = 0;

	while (i < nr - 1 && free & pmu_bit(events[i].counter))
		i++;
	why->event = i;
	why->other = 0;
	return events[i].counter;
}

/* The event select of a legal event for its counter, enabled */
u64 knc_event_evtsel(const struct knc_event *event)
{
	struct pmu_select select = knc_event_select(event);

	return this_pmu->make_select(&select, event->counter);
}
