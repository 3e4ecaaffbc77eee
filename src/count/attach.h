/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The claims of a hardware thread
 */
#ifndef KNC_PMU_ATTACH_H
#define KNC_PMU_ATTACH_H

#include <linux/types.h>

#include "count/hwthread.h"

void knc_claim_set_owner(struct knc_hwthread *hw, const struct knc_claim *claim,
			 struct knc_claim *new);
void knc_claim_attach(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_claim_detach(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_claim_start(struct knc_hwthread *hw, struct knc_claim *claim,
		     u64 now);
void knc_claim_stop(struct knc_hwthread *hw, struct knc_claim *claim,
		    u64 now);
void knc_attach_online(struct knc_hwthread *hw, u64 now);
void knc_attach_offline(struct knc_hwthread *hw, u64 now);

#endif /* KNC_PMU_ATTACH_H */
