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

/* How often to read the entry: an NMI that is on its way arrives during the first few reads */
#define KNC_LVTPC_READS	64

/*
 * The entry as the kernel or perf left it. The APIC masks it when it delivers a PMI, and the
 * handler unmasks it: the read may fall between the two, during the NMI of a sibling's overflow.
 */
static u32 knc_lvtpc_owners(void)
{
	unsigned int i;
	u32 lvtpc;

	for (i = 0; i < KNC_LVTPC_READS; i++) {
		lvtpc = knc_hw_read_lvtpc();
		if (lvtpc != (KNC_APIC_LVT_NMI | KNC_APIC_LVT_MASKED))
			break;
	}
	return lvtpc;
}

/*
 * Write our entry. Meanwhile a sibling's overflow may send an NMI by the old entry: KNC_LATE_SWITCH
 * makes the handler claim this NMI.
 */
static void knc_lvtpc_switch(struct knc_hwthread *hw, u32 lvtpc)
{
	const u64 late_until = hw->late_until;

	hw->late_until = KNC_LATE_SWITCH;
	barrier(); /* pairs with knc_pmi_nmi_beside() on this CPU */
	hw->nmi = lvtpc == KNC_APIC_LVT_NMI;
	hw->lvtpc = lvtpc;
	knc_hw_write_lvtpc(lvtpc);
	/* wait until the APIC has the new entry: the read returns after the write */
	knc_hw_read_lvtpc();
	barrier(); /* pairs with knc_pmi_nmi_beside() on this CPU */
	hw->late_until = hw->late_until == KNC_LATE_SWITCH ? late_until : 0;
}

/**
 * knc_lvtpc_take() - write our entry
 * @hw: the hardware thread, whose registers are not yet taken
 *
 * Return: the entry that was there.
 */
u32 knc_lvtpc_take(struct knc_hwthread *hw)
{
	u32 owners = knc_lvtpc_owners();

	knc_lvtpc_switch(hw, hw->lvtpc);
	return owners;
}

/* Change to NMIs. A PMI by the vector may still come: its handler serves any overflow. */
static void knc_lvtpc_be_nmi(struct knc_hwthread *hw)
{
	u32 masked = knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED;

	hw->nmi = true;
	hw->lvtpc = KNC_APIC_LVT_NMI;
	barrier(); /* pairs with knc_pmi() on this CPU */
	knc_hw_write_lvtpc(hw->lvtpc | masked);
}

/*
 * Change to the vector, unless an NMI of this thread may be on its way: after the change our NMI
 * handler would not claim it, and the kernel would report an unknown NMI.
 */
static void knc_lvtpc_be_vector(struct knc_hwthread *hw)
{
	const u64 running = hw->running;

	/* stop by @running too: an NMI that comes here writes @running to the global control */
	knc_hwthread_set_running(hw, 0);
	if (!(knc_hw_read_global_status() & hw->attached) &&
	    !knc_lvtpc_is_masked() && !knc_lvtpc_expects(hw))
		knc_lvtpc_switch(hw, hw->vector);
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
