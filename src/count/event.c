// SPDX-License-Identifier: GPL-2.0
/*
 * Events: which are legal, which counter can count them
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include <knc/regs.h>
#include <knc_pmu.h>

#include "count/event.h"

/* The columns of events.def that the module needs */
#define KNC_CNTR_0		0x1
#define KNC_CNTR_ANY		0x3
#define KNC_SCOPE_UNKNOWN	0
#define KNC_SCOPE_THREAD	1
#define KNC_SCOPE_CORE		2
#define KNC_UNIT_P54C		0
#define KNC_UNIT_CRI		1
#define KNC_UNIT_VPU		2

struct knc_event_row {
	u8 event;
	u8 umask;
	u8 unit;
	u8 counters;
	u8 scope;
};

static const struct knc_event_row knc_event_rows[] = {
#define KNC_EVENT(name, event, umask, unit, counters, scope, ...) \
	{ event, umask, KNC_UNIT_##unit, KNC_CNTR_##counters, KNC_SCOPE_##scope },
#include <knc/events.def>
};

static const struct knc_event_row *knc_event_find(const struct knc_event *e)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knc_event_rows); i++)
		if (KNC_EVTSEL_CODE(knc_event_rows[i].event,
				    knc_event_rows[i].umask) == e->event)
			return &knc_event_rows[i];
	return NULL;
}

/* Mask of the counters that can count it and that the caller allows */
unsigned int knc_event_counters(const struct knc_event *e)
{
	const struct knc_event_row *row = knc_event_find(e);
	unsigned int can = row ? row->counters : KNC_CNTR_ANY;

	return e->counters ? can & e->counters : can;
}

/*
 * Is it known that only the hardware thread's own instructions cause it? 327357 does
 * not say it of each event. The pipelines' events belong to an instruction, unless a
 * source says that they are core-wide; those of the L2 and of the ring do not, and of
 * what is not listed nothing is known.
 */
bool knc_event_is_own(const struct knc_event *e)
{
	const struct knc_event_row *row = knc_event_find(e);

	return row && row->scope != KNC_SCOPE_CORE &&
	       (row->scope == KNC_SCOPE_THREAD || row->unit != KNC_UNIT_CRI);
}

/**
 * knc_events_core_wide() - may other threads of the core cause one of these?
 * @events: legal events
 * @nr: how many
 *
 * Return: true unless all are known to be the hardware thread's own.
 */
bool knc_events_core_wide(const struct knc_event *events, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!knc_event_is_own(&events[i]) ||
		    events[i].flags & KNC_PMU_EVENT_THREAD_MODE)
			return true;
	return false;
}

static u32 knc_event_check(const struct knc_event *e)
{
	const struct knc_event_row *row = knc_event_find(e);

	if (e->flags & ~KNC_PMU_EVENT_FLAGS || e->extra ||
	    e->event & ~(u64)(KNC_EVTSEL_EVENT | KNC_EVTSEL_UMASK) ||
	    e->cmask > KNC_EVTSEL_CMASK >> KNC_EVTSEL_CMASK_SHIFT ||
	    e->counters & ~(u64)KNC_CNTR_ANY)
		return KNC_PMU_REASON_EVENT_FLAGS;
	if (!(e->flags & (KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS)))
		return KNC_PMU_REASON_EVENT_RING;
	if (e->flags & KNC_PMU_EVENT_INV && !e->cmask)
		return KNC_PMU_REASON_EVENT_INV;
	if (e->flags & KNC_PMU_EVENT_THREAD_MODE &&
	    row && row->scope == KNC_SCOPE_CORE)
		return KNC_PMU_REASON_EVENT_THREAD_MODE;
	return KNC_PMU_REASON_NONE;
}

/**
 * knc_events_check() - is each event legal by itself?
 * @events: the events as user space gave them
 * @nr: how many
 * @why: where to tell the reason
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

static int knc_lowest(unsigned int mask)
{
	return mask & 1 ? 0 : 1;
}

/**
 * knc_events_assign() - put each event on a counter of its own
 * @events: one or two legal events; @counter of each is set
 * @nr: how many
 * @free: mask of the counters to choose from
 * @why: where to tell the reason, as if counters were missing because of what
 *	the events are (right if @free has all)
 *
 * With two counters a pair fits unless one event has no counter or both have
 * only the same one.
 *
 * Return: 0, or -EOPNOTSUPP.
 */
int knc_events_assign(struct knc_event *events, unsigned int nr,
		      unsigned int free, struct knc_refusal *why)
{
	unsigned int can[KNC_NR_COUNTERS];
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
	if (nr == 1) {
		events[0].counter = knc_lowest(can[0]);
		return 0;
	}
	if (can[0] == can[1] && can[0] != KNC_CNTR_ANY) {
		why->reason = KNC_PMU_REASON_EVENT_PAIR;
		why->event = 0;
		why->other = 1;
		return -EOPNOTSUPP;
	}
	/* the choosier one first */
	if (can[1] != KNC_CNTR_ANY) {
		events[1].counter = knc_lowest(can[1]);
		events[0].counter = !events[1].counter;
	} else {
		events[0].counter = knc_lowest(can[0]);
		events[1].counter = !events[0].counter;
	}
	return 0;
}

/**
 * knc_events_missing() - which counter would have to be free as well?
 * @events: events placed on all counters that don't fit on the free ones
 * @nr: how many
 * @free: mask of the free counters
 * @why: where to tell the event that needs it
 *
 * Return: the counter.
 */
unsigned int knc_events_missing(const struct knc_event *events,
				unsigned int nr, unsigned int free,
				struct knc_refusal *why)
{
	unsigned int i = 0;

	while (i < nr - 1 && free & 1u << events[i].counter)
		i++;
	why->event = i;
	why->other = 0;
	return events[i].counter;
}

static const struct {
	u32 flag;
	u64 bit;
} knc_evtsel_bits[] = {
	{ KNC_PMU_EVENT_USR,		KNC_EVTSEL_USR },
	{ KNC_PMU_EVENT_OS,		KNC_EVTSEL_OS },
	{ KNC_PMU_EVENT_EDGE,		KNC_EVTSEL_EDGE },
	{ KNC_PMU_EVENT_INV,		KNC_EVTSEL_INV },
	{ KNC_PMU_EVENT_THREAD_MODE,	KNC_EVTSEL_THREAD_MODE },
};

/*
 * The enabled event select (327357 table 1-5) of a legal event, with the overflow
 * interrupt, which counting needs as well
 */
u64 knc_event_evtsel(const struct knc_event *event)
{
	u64 evtsel = KNC_EVTSEL_EN | KNC_EVTSEL_INT |
		     event->event |
		     (u64)event->cmask << KNC_EVTSEL_CMASK_SHIFT;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knc_evtsel_bits); i++)
		if (event->flags & knc_evtsel_bits[i].flag)
			evtsel |= knc_evtsel_bits[i].bit;
	return evtsel;
}
