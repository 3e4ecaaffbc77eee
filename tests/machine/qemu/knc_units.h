/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The units of an emulated Knights Corner core that events see: caches, TLBs, branch predictor
 *
 * Documentation/emulated-card.rst has the rules.  Blocks with KNC_TB_UNITS note what each
 * instruction fetches and accesses (KncNote); when it completes, the units see it, and
 * what happens in them are the instruction's signals.
 */
#ifndef KNC_UNITS_H
#define KNC_UNITS_H

#include "knc_assoc.h"

/* What can happen in a unit: an event each */
enum knc_signal {
	KNC_SIG_READ_MISSES,
	KNC_SIG_WRITE_MISSES,
	KNC_SIG_MISSES,		/* both of these, and uncacheable writes */
	KNC_SIG_WRITE_BACKS,
	KNC_SIG_CODE_READS,
	KNC_SIG_CODE_MISSES,
	KNC_SIG_DATA_WALKS,
	KNC_SIG_LONG_DATA_WALKS,
	KNC_SIG_CODE_WALKS,
	KNC_SIG_LONG_CODE_WALKS,
	KNC_SIG_MISPREDICTIONS,
	KNC_SIG_L2_READ_HITS_S,
	KNC_SIG_L2_READ_HITS_E,
	KNC_SIG_L2_READ_HITS_M,
	KNC_SIG_L2_READ_MISSES,
	KNC_SIG_L2_WRITE_HITS,
	KNC_SIG_VICTIMS,
	KNC_SIG_SNOOP_HITS,
	KNC_SIG_SNOOP_HITMS,
	/* fills of the L2: from memory, then the same from another core */
	KNC_SIG_L2_CODE_MEM_FILLS,
	KNC_SIG_L2_CODE_CACHE_FILLS,
	KNC_SIG_L2_READ_MEM_FILLS,
	KNC_SIG_L2_READ_CACHE_FILLS,
	KNC_SIG_L2_WRITE_MEM_FILLS,
	KNC_SIG_L2_WRITE_CACHE_FILLS,
	KNC_NR_SIGNALS
};

#define KNC_LINE_BITS	6		/* lines of 64 bytes, in all caches */

/* An access to one line: the flags are also those of helper_knc_access(), with the size */
#define KNC_ACCESS_SIZE		0xffU
#define KNC_ACCESS_READ		(1U << 8)
#define KNC_ACCESS_WRITE	(1U << 9)
#define KNC_ACCESS_MORE		(1U << 10)	/* of the operand before, no access more */
#define KNC_ACCESS_AGAIN	(1U << 11)	/* instead of all before */
#define KNC_ACCESS_CODE		(1U << 12)
#define KNC_ACCESS_UC		(1U << 13)	/* uncacheable */

typedef struct KncAccess {
	uint64_t line;		/* physical address / 64 */
	uint64_t linear;
	uint8_t page_bits;
	uint32_t flags;
} KncAccess;

/* ENTER accesses most: up to 31 frame pointers, and three more */
#define KNC_MAX_ACCESSES	72

/* What a thread's instruction does, for the units to see when it completes */
typedef struct KncNote {
	bool valid;
	bool branch;
	bool rep;		/* a string instruction with REP */
	uint64_t from;		/* linear address of the instruction */
	uint64_t behind;	/* and of the one behind it in memory */
	unsigned int nr;
	KncAccess access[KNC_MAX_ACCESSES];
} KncNote;

/* The units of a core */
typedef struct KncUnits {
	bool active;		/* they see what the core does; if not, they are empty */
	KncAssoc l1d, l1i, l2;	/* by line */
	KncAssoc dtlb, dtlb_large, itlb, tlb2;	/* by page and thread */
	KncAssoc btb;		/* by linear address */
	/* caused by other cores since the last instruction of this one */
	uint16_t pending[KNC_NR_SIGNALS];
	struct KncUnits *next;	/* of another core */
} KncUnits;

/* knc_cache.c; each says whether the L1 cache missed */
void knc_cache_init(KncUnits *u);
void knc_cache_empty(KncUnits *u);
void knc_cache_flush(KncUnits *u, uint16_t *sig);
bool knc_cache_read(KncUnits *u, uint64_t line, uint16_t *sig);
bool knc_cache_write(KncUnits *u, uint64_t line, uint16_t *sig);
bool knc_cache_fetch(KncUnits *u, uint64_t line, uint16_t *sig);
KncUnits *knc_units_first(void);

/* knc_tlb.c */
void knc_tlb_init(KncUnits *u);
void knc_tlb_empty(KncUnits *u);
void knc_tlb_look_up(KncUnits *u, const KncAccess *a, unsigned int thread, uint16_t *sig);
void knc_tlb_drop(KncUnits *u, unsigned int thread);
void knc_tlb_drop_page(KncUnits *u, unsigned int thread, uint64_t linear);

/* knc_btb.c */
void knc_btb_init(KncUnits *u);
void knc_btb_empty(KncUnits *u);
bool knc_btb_branch(KncUnits *u, uint64_t from, uint64_t behind, uint64_t to);

#endif /* KNC_UNITS_H */
