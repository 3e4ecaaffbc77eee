/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a request is refused
 */
#ifndef KNC_PMU_REFUSAL_H
#define KNC_PMU_REFUSAL_H

#include <linux/types.h>

/**
 * struct knc_refusal - why a request is refused, for the user
 * @reason: enum knc_pmu_reason
 * @event: index of the event concerned
 * @other: index of a second event concerned
 * @cpu: the hardware thread concerned
 * @pid: the process concerned
 * @counter: the counter concerned
 */
struct knc_refusal {
	u32 reason;
	u32 event;
	u32 other;
	u32 cpu;
	s32 pid;
	u32 counter;
};

#endif /* KNC_PMU_REFUSAL_H */
