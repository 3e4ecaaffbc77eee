// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a request: checks, and which counters can count them
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <knc_pmu.h>

#include "pmu/hw.h"
#include "request/event.h"

/* May any counter be tried for an event (parameter any_counter)? */
bool knc_event_any_counter(void)
{
	return this_pmu->any_counter && *this_pmu->any_counter;
}

static const struct pmu_event *knc_event_find(const struct knc_event *e)
{
	const struct pmu_event *known = e->known;

	if (known)
		return known;
	for (known = this_pmu->events; known->counters; known++)
		if (known->code == e->event)
			return known;
	return NULL;
}

/* Mask of the counters that can count an event and that the caller allows */
u64 knc_event_counters(const struct knc_event *e)
{
	const struct pmu_event *known = knc_event_find(e);
	u64 can = known ? known->counters : this_pmu->any;

	if (knc_event_any_counter() && e->counters)
		can = this_pmu->any;
	if (e->cmask || e->flags & (KNC_PMU_EVENT_EDGE | KNC_PMU_EVENT_INV))
		can &= ~this_pmu->fixed;
	return e->counters ? can & e->counters : can;
}

/* Do only the thread's own instructions cause the event? False if the event is not listed. */
bool knc_event_is_own(const struct knc_event *e)
{
	const struct pmu_event *known = knc_event_find(e);

	return known && known->own;
}

/**
 * knc_events_from_siblings() - may siblings of a hardware thread cause these events?
 * @events: legal events
 * @nr: number of events
 *
 * Siblings may cause core-wide events, events that are not listed, and events in thread mode.
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
 * Does a sampled event need an NMI, because its counter may overflow while interrupts are off? If
 * only the thread's own instructions in user mode cause the event, it needs none: there interrupts
 * are on, except at the entry to the kernel. Overflows of events that are not sampled may be late.
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

/* The flags (KNC_PMU_EVENT_*) that events of this PMU may have */
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
 * knc_events_check() - is each event legal, regardless of the others?
 * @events: the events as user space gave them; @known is written
 * @nr: number of events
 * @why: the reason of a refusal, out
 *
 * Return: 0, or -EINVAL.
 */
int knc_events_check(struct knc_event *events, unsigned int nr,
		     struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		events[i].known = NULL;
		events[i].known = knc_event_find(&events[i]);
		why->reason = knc_event_check(&events[i]);
		if (why->reason == KNC_PMU_REASON_NONE)
			continue;
		why->event = i;
		return -EINVAL;
	}
	return 0;
}

/* CONFIG places events under locks that all sessions share: KUnit checks the bound on the work. */
#ifdef KNC_PMU_KUNIT
u64 knc_place_steps;
#define knc_place_step() (knc_place_steps++)
#else
#define knc_place_step() do { } while (0)
#endif

#define KNC_NOBODY	0xff

/**
 * struct knc_placing - the state of placing events on counters
 * @can: mask of the counters that each event can be on
 * @at: counter of each event
 * @event: event on each counter; KNC_NOBODY: none
 */
struct knc_placing {
	const u64 *can;
	unsigned int *at;
	u8 event[PMU_MAX_NUMBER];
};

/* Move the events of an augmenting path: each takes the counter that its successor leaves. */
static void knc_place_path(struct knc_placing *p, const u8 *from, unsigned int first,
			   unsigned int n)
{
	unsigned int e, left;

	do {
		e = from[n];
		left = p->at[e];
		p->at[e] = n;
		p->event[n] = e;
		n = left;
	} while (e != first);
}

/*
 * Find a counter for event @first, whose placed predecessors may move: the shortest augmenting
 * path of a bipartite graph. Each counter is looked at once.
 */
static bool knc_place_one(struct knc_placing *p, unsigned int first)
{
	u8 queue[PMU_MAX_COUNTERS], from[PMU_MAX_NUMBER];
	unsigned int head = 0, tail = 0, n;
	u64 seen = 0, left;

	queue[tail++] = first;
	while (head < tail) {
		left = p->can[queue[head]] & ~seen;
		for (; left; left &= ~pmu_bit(n)) {
			n = pmu_preferred(left);
			knc_place_step();
			seen |= pmu_bit(n);
			from[n] = queue[head];
			if (p->event[n] == KNC_NOBODY) {
				knc_place_path(p, from, first, n);
				return true;
			}
			queue[tail++] = p->event[n];
		}
		head++;
	}
	return false;
}

/**
 * knc_events_fit() - can events be on different counters?
 * @can: mask of the counters that each event can be on
 * @nr: number of events
 * @at: counter of each event, out
 *
 * Return: false if they can't.
 */
bool knc_events_fit(const u64 *can, unsigned int nr, unsigned int *at)
{
	struct knc_placing p = { .can = can, .at = at };
	unsigned int i;

	memset(p.event, KNC_NOBODY, sizeof(p.event));
	for (i = 0; i < nr; i++)
		if (!knc_place_one(&p, i))
			return false;
	return true;
}

/* Put each event on its preferred free counter; false if an event finds none */
static bool knc_events_place_simply(const u64 *can, unsigned int nr, unsigned int *at)
{
	u64 used = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!(can[i] & ~used))
			return false;
		at[i] = pmu_preferred(can[i] & ~used);
		used |= pmu_bit(at[i]);
		knc_place_step();
	}
	return true;
}

/**
 * knc_events_place() - put events on different counters
 * @can: mask of the counters that each event can be on
 * @nr: number of events
 * @at: counter of each event, out. The first event gets the counter that it prefers among those
 *	that leave counters for the other events, then the second event, and so on
 *
 * Return: false if they don't fit.
 */
bool knc_events_place(const u64 *can, unsigned int nr, unsigned int *at)
{
	u64 rest[PMU_MAX_COUNTERS], left;
	unsigned int i, n;

	if (knc_events_place_simply(can, nr, at))
		return true;
	if (!knc_events_fit(can, nr, at))
		return false;
	memcpy(rest, can, nr * sizeof(*can));
	for (i = 0; i < nr; i++) {
		for (left = can[i]; left; left &= ~pmu_bit(n)) {
			n = pmu_preferred(left);
			rest[i] = pmu_bit(n);
			if (knc_events_fit(rest, nr, at))
				break;
		}
	}
	return true;
}

/* Name two events that need one counter, the second as early as possible. */
static void knc_events_clash(const u64 *can, unsigned int nr,
			     struct knc_refusal *why)
{
	unsigned int at[PMU_MAX_COUNTERS];
	unsigned int i, last = 1;

	while (last + 1 < nr && knc_events_fit(can, last + 1, at))
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
 * @why: the constraint that can't be met, out. Not certain if @free lacks counters: then the cause
 *	may be their owner
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
	if (!knc_events_place(can, nr, at)) {
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
