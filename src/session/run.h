/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by START, STOP and READ: the test for the fast path, and the start and stop of a claim
 * with its sampler
 */
#ifndef KNC_PMU_SESSION_RUN_H
#define KNC_PMU_SESSION_RUN_H

#include <linux/errno.h>
#include <linux/types.h>

#include "compat/compat.h"
#include "count/attach.h"
#include "count/hwthread.h"
#include "sample/sampler.h"
#include "session/internal.h"

/*
 * The test for the fast path, interrupts off: true if the session's only hardware thread is @hw,
 * where the caller runs. Then no cross-call is needed.
 */
static inline bool knc_session_is_here(const struct knc_session *s,
				       const struct knc_hwthread *hw)
{
	if (READ_ONCE(s->hw) != hw)
		return false;
	smp_rmb(); /* pairs with knc_session_config_counters() */
	return likely(hw->online);
}

static inline void knc_run_start(struct knc_hwthread *hw, struct knc_claim *claim, u64 now)
{
	if (unlikely(claim->sampler) && !claim->started && hw->online)
		knc_sampler_start(claim->sampler);
	knc_claim_start(hw, claim, now);
}

static inline void knc_run_stop(struct knc_hwthread *hw, struct knc_claim *claim, u64 now)
{
	knc_claim_stop(hw, claim, now);
	if (unlikely(claim->sampler) && hw->online)
		knc_sampler_stop(claim->sampler);
}

/* Returns 0 if commands work: the session is configured and not evicted */
static inline int knc_session_ready(const struct knc_session *s)
{
	if (!s->configured)
		return -ENODATA;
	return unlikely(s->evicted) ? -ECANCELED : 0;
}

#endif /* KNC_PMU_SESSION_RUN_H */
