/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The LVT performance counter entry of the local APIC: overflow interrupts are NMIs or a vector,
 * and may come late
 */
#ifndef KNC_PMU_LVTPC_H
#define KNC_PMU_LVTPC_H

#include <linux/types.h>

#include "count/hwthread.h"
#include "pmu/hw.h"

/* An interrupt may come up to so many ticks after its status was cleared */
#define KNC_LATE_TICKS		1000000
/* @late_until while NMIs give way to a vector */
#define KNC_LATE_SWITCH		(~0ULL)

void knc_lvtpc_choose(struct knc_hwthread *hw, bool nmi);

/* The APIC masks the entry when it delivers an interrupt: has that not been served yet? */
static inline bool knc_lvtpc_is_masked(void)
{
	return knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED;
}

/* A PMI without a status may come from now on, and is ours */
static inline void knc_lvtpc_expect(struct knc_hwthread *hw)
{
	hw->late_until = knc_hw_read_tsc() + KNC_LATE_TICKS;
}

static inline bool knc_lvtpc_expects(const struct knc_hwthread *hw)
{
	return knc_hw_read_tsc() < hw->late_until;
}

#endif /* KNC_PMU_LVTPC_H */
