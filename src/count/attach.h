/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The claims of a hardware thread
 */
#ifndef KNC_PMU_ATTACH_H
#define KNC_PMU_ATTACH_H

#include <linux/types.h>

#include "count/hwthread.h"

void knc_hwthread_set_owner(struct knc_hwthread *hw, const struct knc_claim *claim,
			    struct knc_claim *new);
void knc_hwthread_attach(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_detach(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_start(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now);
void knc_hwthread_stop(struct knc_hwthread *hw, struct knc_claim *claim,
		       u64 now);
void knc_hwthread_online(struct knc_hwthread *hw, u64 now);
void knc_hwthread_offline(struct knc_hwthread *hw, u64 now);

#endif /* KNC_PMU_ATTACH_H */
