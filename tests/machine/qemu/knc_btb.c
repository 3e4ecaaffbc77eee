// SPDX-License-Identifier: GPL-2.0
/*
 * The branch predictor of an emulated Knights Corner core
 *
 * Nothing is published about the card's.  This is the predictor of its ancestor, the P54C: a BTB of
 * 256 entries in 4 ways.  An entry has a target and a two-bit counter.  A branch gets an entry when
 * it is first taken, as strongly taken.
 */
#include "qemu/osdep.h"
#include "cpu.h"

#define KNC_BTB_ENTRIES		256
#define KNC_BTB_WAYS		4

/* State of an entry; not 0, which is an unused entry */
enum { KNC_STRONGLY_NOT = 1, KNC_WEAKLY_NOT, KNC_WEAKLY_TAKEN, KNC_STRONGLY_TAKEN };

/*
 * The branch at @from has gone @to; if not taken, that is @behind, the next instruction in memory.
 * Returns whether the prediction was right or wrong, or that a taken branch had no entry.
 */
int knc_btb_branch(KncUnits *u, uint64_t from, uint64_t behind, uint64_t to)
{
	KncEntry *e = knc_assoc_use(&u->btb, from);
	bool taken = to != behind, wrong;

	if (!e) {
		if (!taken)
			return KNC_BTB_RIGHT;
		knc_assoc_add(&u->btb, from, to, KNC_STRONGLY_TAKEN);
		return KNC_BTB_UNKNOWN;
	}
	if (!taken) {
		wrong = e->state >= KNC_WEAKLY_TAKEN;
		e->state = MAX(e->state - 1, KNC_STRONGLY_NOT);
		return wrong ? KNC_BTB_WRONG : KNC_BTB_RIGHT;
	}
	wrong = e->state < KNC_WEAKLY_TAKEN || e->data != to;
	e->state = MIN(e->state + 1, KNC_STRONGLY_TAKEN);
	e->data = to;
	return wrong ? KNC_BTB_WRONG : KNC_BTB_RIGHT;
}

void knc_btb_empty(KncUnits *u)
{
	knc_assoc_empty(&u->btb);
}

void knc_btb_init(KncUnits *u)
{
	knc_assoc_init(&u->btb, KNC_BTB_ENTRIES, KNC_BTB_WAYS);
}
