// SPDX-License-Identifier: GPL-2.0
/*
 * The TLBs of an emulated Knights Corner core
 *
 * All have 4 ways.  The L1 TLB for data has 64 entries for pages of 4 KB and 8 for 2 MB, the one
 * for code 32 for 4 KB; the L2 TLB has 64.  An entry of the L2 TLB is for 2 MB: a large page, or
 * the page directory entry of small pages, which makes their walk short.  An entry belongs to a
 * thread.
 */
#include "qemu/osdep.h"
#include "cpu.h"

#define KNC_TLB_WAYS		4
#define KNC_SMALL_PAGE_BITS	12
#define KNC_LARGE_PAGE_BITS	21
#define KNC_TLB_THREAD_SHIFT	60
/* Cycles of a page walk: of a short one those of an L2 hit, of a long one LIKWID's figure */
#define KNC_WALK_CYCLES		24
#define KNC_LONG_WALK_CYCLES	100

static uint64_t knc_tlb_tag(uint64_t linear, unsigned int bits, unsigned int thread)
{
	return (linear >> bits & MAKE_64BIT_MASK(0, 64 - KNC_LARGE_PAGE_BITS)) |
	       (uint64_t)thread << KNC_TLB_THREAD_SHIFT;
}

static bool knc_tlb_hit(const KncAssoc *tlb, uint64_t tag)
{
	if (knc_assoc_use(tlb, tag))
		return true;
	knc_assoc_add(tlb, tag, 0, 1);
	return false;
}

unsigned int knc_tlb_look_up(KncUnits *u, const KncAccess *a, unsigned int thread, uint16_t *sig)
{
	bool code = a->flags & KNC_ACCESS_CODE;
	bool large = !code && a->page_bits >= KNC_LARGE_PAGE_BITS;
	unsigned int bits = large ? KNC_LARGE_PAGE_BITS : KNC_SMALL_PAGE_BITS;
	const KncAssoc *tlb = code ? &u->itlb : large ? &u->dtlb_large : &u->dtlb;

	if (knc_tlb_hit(tlb, knc_tlb_tag(a->linear, bits, thread)))
		return 0;
	sig[code ? KNC_SIG_CODE_WALKS : KNC_SIG_DATA_WALKS]++;
	if (knc_tlb_hit(&u->tlb2, knc_tlb_tag(a->linear, KNC_LARGE_PAGE_BITS, thread)))
		return KNC_WALK_CYCLES;
	sig[code ? KNC_SIG_LONG_CODE_WALKS : KNC_SIG_LONG_DATA_WALKS]++;
	return KNC_LONG_WALK_CYCLES;
}

static void knc_tlb_drop_thread(const KncAssoc *tlb, unsigned int thread)
{
	unsigned int i;

	/* from the end, because the entries after a removed one move up */
	for (i = tlb->sets * tlb->ways; i-- > 0;) {
		KncEntry *e = &tlb->entries[i];

		if (e->state && e->tag >> KNC_TLB_THREAD_SHIFT == thread)
			knc_assoc_remove(tlb, e);
	}
}

/* The thread has loaded CR3 */
void knc_tlb_drop(KncUnits *u, unsigned int thread)
{
	knc_tlb_drop_thread(&u->dtlb, thread);
	knc_tlb_drop_thread(&u->dtlb_large, thread);
	knc_tlb_drop_thread(&u->itlb, thread);
	knc_tlb_drop_thread(&u->tlb2, thread);
}

static void knc_tlb_drop_tag(const KncAssoc *tlb, uint64_t tag)
{
	KncEntry *e = knc_assoc_peek(tlb, tag);

	if (e)
		knc_assoc_remove(tlb, e);
}

/* INVLPG */
void knc_tlb_drop_page(KncUnits *u, unsigned int thread, uint64_t linear)
{
	uint64_t small = knc_tlb_tag(linear, KNC_SMALL_PAGE_BITS, thread);
	uint64_t large = knc_tlb_tag(linear, KNC_LARGE_PAGE_BITS, thread);

	knc_tlb_drop_tag(&u->dtlb, small);
	knc_tlb_drop_tag(&u->itlb, small);
	knc_tlb_drop_tag(&u->dtlb_large, large);
	knc_tlb_drop_tag(&u->tlb2, large);
}

void knc_tlb_empty(KncUnits *u)
{
	knc_assoc_empty(&u->dtlb);
	knc_assoc_empty(&u->dtlb_large);
	knc_assoc_empty(&u->itlb);
	knc_assoc_empty(&u->tlb2);
}

void knc_tlb_init(KncUnits *u)
{
	knc_assoc_init(&u->dtlb, 64, KNC_TLB_WAYS);
	knc_assoc_init(&u->dtlb_large, 8, KNC_TLB_WAYS);
	knc_assoc_init(&u->itlb, 32, KNC_TLB_WAYS);
	knc_assoc_init(&u->tlb2, 64, KNC_TLB_WAYS);
}
