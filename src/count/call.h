/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call a function on several hardware threads
 */
#ifndef KNC_PMU_CALL_H
#define KNC_PMU_CALL_H

#include <linux/types.h>

struct cpumask;
struct knc_claim;
struct knc_hwthread;

/* Runs on the hardware thread, interrupts off; for one that is offline, on any CPU */
typedef void (*knc_call_fn)(struct knc_hwthread *hw, struct knc_claim *claim,
			    u64 now);

/**
 * struct knc_call - what is to be done on hardware threads
 * @owner: call @fn only where this owner has a claim. NULL: call it everywhere,
 *	without a claim
 * @all: call @fn without a claim where @owner has none
 * @fn: what to call
 * @now: CLOCK_MONOTONIC when the hotplug lock was held, ns: no hardware thread has come
 *	since. 0: @fn needs no time
 */
struct knc_call {
	const void *owner;
	bool all;
	knc_call_fn fn;
	u64 now;
};

void knc_call_on(const struct cpumask *cpus, struct knc_call *call);

#endif /* KNC_PMU_CALL_H */
