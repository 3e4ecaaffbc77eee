// SPDX-License-Identifier: GPL-2.0
/*
 * The LVT performance counter entry of the local APIC: overflow interrupts are NMIs or a vector
 */
#include <linux/kernel.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/lvtpc.h"
#include "pmu/hw.h"

/* Does a claim on other counters, which is programmed already, need NMIs? */
static bool knc_lvtpc_others_need_nmi(const struct knc_hwthread *hw)
{
	unsigned int n;

	for_each_counter(n)
		if (hw->attached & pmu_bit(n) && knc_claim_on(hw, n) &&
		    knc_claim_on(hw, n)->nmi)
			return true;
	return false;
}

/* A vector may still come after this. Its handler serves any overflow. */
static void knc_lvtpc_be_nmi(struct knc_hwthread *hw)
{
	u32 masked = knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED;

	hw->nmi = true;
	hw->lvtpc = KNC_APIC_LVT_NMI;
	barrier(); /* with knc_pmi(), on the same CPU */
	knc_hw_write_lvtpc(hw->lvtpc | masked);
}

/*
 * The entry remains an NMI while one of this thread's may be on its way: after the change no
 * handler would claim it. A sibling's overflow may still send one during the change:
 * KNC_LATE_SWITCH claims that.
 */
static void knc_lvtpc_be_vector(struct knc_hwthread *hw)
{
	const u64 running = hw->running;

	/* an NMI that comes here must not let the counters count */
	knc_hwthread_set_running(hw, 0);
	if (!(knc_hw_read_global_status() & hw->attached) &&
	    !knc_lvtpc_is_masked() && !knc_lvtpc_expects(hw)) {
		hw->late_until = KNC_LATE_SWITCH;
		barrier(); /* with knc_pmi_nmi_beside(), on the same CPU */
		hw->nmi = false;
		hw->lvtpc = hw->vector;
		knc_hw_write_lvtpc(hw->lvtpc);
		/* the answer means that the APIC has the entry */
		knc_hw_read_lvtpc();
		barrier(); /* with knc_pmi_nmi_beside(), on the same CPU */
		hw->late_until = 0;
	}
	knc_hwthread_set_running(hw, running);
}

/**
 * knc_lvtpc_choose() - be an NMI or a vector, as a claim needs it
 * @hw: the hardware thread, whose registers are ours
 * @nmi: the claim samples code that may run with interrupts off
 *
 * An NMI samples such code; a vector takes less time. There is one entry: all claims on a
 * hardware thread share it, and an NMI serves all of them.
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
