// SPDX-License-Identifier: GPL-2.0
/*
 * The LVT performance counter entry of the local APIC: PMIs come as NMIs or by a vector
 */
#include <linux/kernel.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/lvtpc.h"
#include "pmu/hw.h"

/* Does a claim that is on counters already need NMIs? */
static bool knc_lvtpc_others_need_nmi(const struct knc_hwthread *hw)
{
	unsigned int n;

	for_each_counter(n)
		if (hw->attached & pmu_bit(n) && knc_claim_on(hw, n) &&
		    knc_claim_on(hw, n)->nmi)
			return true;
	return false;
}

/* Change to NMIs. A PMI by the vector may still come: its handler serves any overflow. */
static void knc_lvtpc_be_nmi(struct knc_hwthread *hw)
{
	u32 masked = knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED;

	hw->nmi = true;
	hw->lvtpc = KNC_APIC_LVT_NMI;
	barrier(); /* with knc_pmi(), on the same CPU */
	knc_hw_write_lvtpc(hw->lvtpc | masked);
}

/*
 * Change to the vector, unless an NMI of this thread may be on its way: after the change our NMI
 * handler would not claim it, and the kernel would report an unknown NMI. A sibling's overflow may
 * send an NMI during the change: KNC_LATE_SWITCH makes the handler claim it.
 */
static void knc_lvtpc_be_vector(struct knc_hwthread *hw)
{
	const u64 running = hw->running;

	/* stop by @running too: an NMI that comes here writes @running to the global control */
	knc_hwthread_set_running(hw, 0);
	if (!(knc_hw_read_global_status() & hw->attached) &&
	    !knc_lvtpc_is_masked() && !knc_lvtpc_expects(hw)) {
		hw->late_until = KNC_LATE_SWITCH;
		barrier(); /* with knc_pmi_nmi_beside(), on the same CPU */
		hw->nmi = false;
		hw->lvtpc = hw->vector;
		knc_hw_write_lvtpc(hw->lvtpc);
		/* wait until the APIC has the new entry: the read returns after the write */
		knc_hw_read_lvtpc();
		barrier(); /* with knc_pmi_nmi_beside(), on the same CPU */
		hw->late_until = 0;
	}
	knc_hwthread_set_running(hw, running);
}

/**
 * knc_lvtpc_choose() - choose NMI or vector for a claim
 * @hw: the hardware thread, whose registers are ours
 * @nmi: the claim samples code that may run with interrupts off
 *
 * Only an NMI can sample such code; a vector takes less time. All claims on a hardware thread share
 * the entry: if one of them needs NMIs, all get NMIs.
 */
void knc_lvtpc_choose(struct knc_hwthread *hw, bool nmi)
{
	if (!hw->vector)
		return;
	if (nmi)
		knc_lvtpc_be_nmi(hw);
	else if (!knc_lvtpc_others_need_nmi(hw))
		knc_lvtpc_be_vector(hw);
}
