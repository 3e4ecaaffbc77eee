/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event select that PMUs of the P6 kind share (327357 table 1-5; bit 21 is AnyThread in
 * Intel's software developer's manual, thread mode in 327357)
 */
#ifndef KNC_PMU_P6_H
#define KNC_PMU_P6_H

#include <linux/kernel.h>

#include "pmu/pmu.h"

/*
 * Refuse values that no field of an event select holds, and INV without a counter mask. Returns
 * enum knc_pmu_reason.
 */
static inline u32 pmu_p6_check(const struct pmu_select *s)
{
	if (s->extra || s->code & ~(u64)(KNC_EVTSEL_EVENT | KNC_EVTSEL_UMASK) ||
	    s->cmask > KNC_EVTSEL_CMASK >> KNC_EVTSEL_CMASK_SHIFT)
		return KNC_PMU_REASON_EVENT_FLAGS;
	if (s->flags & KNC_PMU_EVENT_INV && !s->cmask)
		return KNC_PMU_REASON_EVENT_INV;
	return KNC_PMU_REASON_NONE;
}

static inline u64 pmu_p6_select(const struct pmu_select *s)
{
	static const struct {
		u32 flag;
		u64 bit;
	} bits[] = {
		{ KNC_PMU_EVENT_USR,		KNC_EVTSEL_USR },
		{ KNC_PMU_EVENT_OS,		KNC_EVTSEL_OS },
		{ KNC_PMU_EVENT_EDGE,		KNC_EVTSEL_EDGE },
		{ KNC_PMU_EVENT_INV,		KNC_EVTSEL_INV },
		{ KNC_PMU_EVENT_THREAD_MODE,	KNC_EVTSEL_THREAD_MODE },
	};
	u64 select = KNC_EVTSEL_EN | KNC_EVTSEL_INT | s->code |
		     (u64)s->cmask << KNC_EVTSEL_CMASK_SHIFT;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bits); i++)
		if (s->flags & bits[i].flag)
			select |= bits[i].bit;
	return select;
}

#endif /* KNC_PMU_P6_H */
