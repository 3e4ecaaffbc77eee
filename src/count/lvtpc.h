/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The LVT performance counter entry of the local APIC: PMIs come as NMIs or by a vector, and may be
 * late
 */
#ifndef KNC_PMU_LVTPC_H
#define KNC_PMU_LVTPC_H

#include <linux/types.h>

#include "count/hwthread.h"
#include "pmu/hw.h"

/* A PMI may arrive up to this many ticks of the TSC after its overflow status was cleared */
#define KNC_LATE_TICKS		1000000
/* Value of @late_until while our entry is written: if a sibling counts, an NMI is the sibling's */
#define KNC_LATE_SWITCH		(~0ULL)

u32 knc_lvtpc_take(struct knc_hwthread *hw);
void knc_lvtpc_choose(struct knc_hwthread *hw, bool nmi);

/* The APIC masks the entry when it delivers a PMI: true until the handler has unmasked it */
static inline bool knc_lvtpc_is_masked(void)
{
	return knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED;
}

/* A PMI may come although no overflow status is set: for a while it is ours */
static inline void knc_lvtpc_expect(struct knc_hwthread *hw)
{
	hw->late_until = knc_hw_read_tsc() + KNC_LATE_TICKS;
}

static inline bool knc_lvtpc_expects(const struct knc_hwthread *hw)
{
	return knc_hw_read_tsc() < hw->late_until;
}

#endif /* KNC_PMU_LVTPC_H */
