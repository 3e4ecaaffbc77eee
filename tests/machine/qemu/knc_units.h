/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The units of an emulated Knights Corner core that events see: caches and their prefetches, TLBs,
 * branch predictor, pipes
 *
 * Documentation/emulated-card.rst has the rules.  Blocks with KNC_TB_UNITS note what each
 * instruction fetches and accesses (KncNote); when it completes, the units see it, and
 * what happens in them are the instruction's signals.
 */
#ifndef KNC_UNITS_H
#define KNC_UNITS_H

#include "knc_assoc.h"
#include "knc_decode.h"
#include "knc/regs.h"

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
	KNC_SIG_BUS_HITMS,
	/* fills of the L2: from memory, then the same from another core */
	KNC_SIG_L2_CODE_MEM_FILLS,
	KNC_SIG_L2_CODE_CACHE_FILLS,
	KNC_SIG_L2_READ_MEM_FILLS,
	KNC_SIG_L2_READ_CACHE_FILLS,
	KNC_SIG_L2_WRITE_MEM_FILLS,
	KNC_SIG_L2_WRITE_CACHE_FILLS,
	/* prefetch instructions: vprefetch0, then vprefetch1 and 2 */
	KNC_SIG_L1_PF1,
	KNC_SIG_L1_PF1_MISSES,
	KNC_SIG_L1_PF1_DROPS,
	KNC_SIG_L1_PF1_IN_FLIGHT,
	KNC_SIG_L2_PF1_MISSES,
	KNC_SIG_L1_PF2,
	KNC_SIG_L2_PF2,
	KNC_SIG_L2_PF2_MISSES,
	KNC_SIG_L2_PF2_DROPS,
	KNC_SIG_L2_PF2_IN_FLIGHT,
	/* the hardware's prefetches */
	KNC_SIG_HWP_HITS,
	KNC_SIG_HWP_MISSES,
	KNC_SIG_STREAM_MISSES,
	KNC_SIG_ORDERED_MISSES,
	/* the pipes */
	KNC_SIG_V_PIPE,
	KNC_SIG_BOTH_PIPES,
	KNC_SIG_BANK_CONFLICTS,
	KNC_SIG_AGI_STALLS,
	KNC_SIG_SG_AGI_STALLS,
	KNC_SIG_FLUSHES,
	KNC_SIG_MICROCODE,
	KNC_SIG_FE_STALLED,
	KNC_SIG_STAGE_CYCLES,
	KNC_SIG_CYCLES,
	/* packed operations */
	KNC_SIG_VPU_INSNS,
	KNC_SIG_VPU_V_PIPE,
	KNC_SIG_VPU_ELEMENTS,
	KNC_SIG_VPU_STALLS,
	KNC_SIG_VPU_READS,
	KNC_SIG_VPU_WRITES,
	KNC_SIG_VPU_READ_MISSES,
	KNC_SIG_VPU_WRITE_MISSES,
	KNC_NR_SIGNALS
};

#define KNC_LINE_BITS	6		/* lines of 64 bytes, in all caches */

/* An access to one line: the flags are also those of helper_knc_access(), with the size */
#define KNC_ACCESS_SIZE		0xffU
#define KNC_ACCESS_READ		(1U << 8)
#define KNC_ACCESS_WRITE	(1U << 9)
#define KNC_ACCESS_MORE		(1U << 10)	/* part of the previous operand, no other access */
#define KNC_ACCESS_AGAIN	(1U << 11)	/* replaces all earlier accesses */
#define KNC_ACCESS_CODE		(1U << 12)
#define KNC_ACCESS_UC		(1U << 13)	/* uncacheable, or not mapped */
#define KNC_ACCESS_PREFETCH	(1U << 14)	/* no access, but a prefetch instruction */
#define KNC_ACCESS_ALL		(1U << 15)	/* no mask excludes any of it */
#define KNC_ACCESS_WHOLE	(1U << 16)	/* the whole line is written */

typedef struct KncAccess {
	uint64_t line;		/* physical address / 64 */
	uint64_t linear;
	uint8_t page_bits;
	uint32_t flags;
} KncAccess;

/* ENTER accesses most: up to 31 frame pointers, and three more */
#define KNC_MAX_ACCESSES	72

/* What an instruction of a thread does; the units see it on completion */
typedef struct KncNote {
	bool valid;
	bool branch;
	bool rep;		/* a string instruction with REP */
	KncDecoded insn;
	uint64_t from;		/* linear address of the instruction */
	uint64_t behind;	/* and of the one behind it in memory */
	unsigned int nr;
	KncAccess access[KNC_MAX_ACCESSES];
} KncNote;

/* A thread's instructions in the pipes */
typedef struct KncPipe {
	unsigned int epoch;	/* the units' epoch when this was set up */
	bool open;		/* the U pipe has an instruction that may still pair */
	KncDecoded u;		/* that instruction */
	uint64_t behind;	/* address of the instruction that can pair with it */
	uint64_t accessed;	/* address of its data */
	bool accesses;
	uint64_t issued;	/* when, in the thread's time */
	bool waited;		/* it has waited for the registers of an address */
	uint16_t written;	/* registers written by this issue and the previous one */
	uint16_t before;
	uint64_t xmm_ready[32];	/* when packed operations' results are ready */
	uint64_t mask_ready[8];
} KncPipe;

/* Where a line was found, and how many cycles the thread waits for it */
typedef struct KncFound {
	enum { KNC_FROM_L1, KNC_FROM_L2, KNC_FROM_CORE, KNC_FROM_MEMORY } level;
	unsigned int wait;
	bool in_flight;		/* a prefetch has it in flight */
} KncFound;

/*
 * Latencies in cycles; knc_costs.c has the values. A gap is the time between two lines that a core
 * gets from there.
 */
typedef struct KncCosts {
	uint16_t l2, core, memory;	/* until a line arrives */
	uint16_t l2_gap, memory_gap;
	uint16_t ahead;			/* lines that the prefetcher is ahead of a page's reads */
	bool shared;			/* so many lines in flight for all pages together */
	bool write_waits;		/* a write waits for its line as a read does */
} KncCosts;

/* The CPU model's options for latencies; -1: the value that the option timing chooses */
typedef struct KncCostOptions {
	int32_t memory, memory_gap, l2_gap, ahead;
	OnOffAuto write_waits;
} KncCostOptions;

#define KNC_STREAMS		16

/* A page that the L2 reads in sequence */
typedef struct KncStream {
	uint64_t last;		/* the line that was asked for last; 0: unused */
	int direction;		/* 0: not known yet */
	int ahead;		/* lines that were prefetched beyond it */
	unsigned int asked;	/* when, in requests of the core */
} KncStream;

/* The units of a core */
typedef struct KncUnits {
	bool active;		/* the units see what the core does; otherwise they are empty */
	bool blind;		/* they have not seen what ring 0 did */
	KncAssoc l1d, l1i, l2;	/* by line */
	KncAssoc dtlb, dtlb_large, itlb, tlb2;	/* by page and thread */
	KncAssoc btb;		/* by linear address */
	bool writes_back;	/* the bus unit has a modified line that the L2 evicted: */
	uint64_t written_back;
	bool prefetcher;	/* the hardware's is on */
	KncStream streams[KNC_STREAMS];	/* the latest first */
	unsigned int asked;	/* requests of the L1 caches */
	KncCosts costs;
	/*
	 * Cycles. @clock is the latest of the threads' times. A thread's time is as if it were
	 * alone; the other fields have the time up to which the E stage, the L2 and memory are
	 * used.
	 */
	uint64_t clock;
	uint64_t stage, l2_port, memory_port;
	uint64_t time[KNC_THREADS_PER_CORE];
	unsigned int running;	/* threads that are not halted: a bit for each */
	unsigned int epoch;	/* how often the units have begun */
	bool any_pending;
	/* signals that other cores caused since the last instruction of this one */
	uint16_t pending[KNC_NR_SIGNALS];
	struct KncUnits *next;	/* of another core */
} KncUnits;

/* knc_costs.c */
struct ArchCPU;
KncCosts knc_costs(const struct ArchCPU *cpu);
bool knc_prefetches(const struct ArchCPU *cpu);

/* knc_cache.c; @now: the thread's time */
void knc_cache_init(KncUnits *u);
void knc_cache_empty(KncUnits *u);
void knc_cache_flush(KncUnits *u, uint16_t *sig);
KncFound knc_cache_read(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig);
KncFound knc_cache_write(KncUnits *u, uint64_t line, bool whole, uint64_t now, uint16_t *sig);
KncFound knc_cache_fetch(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig);
KncFound knc_cache_stream(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig);
void knc_cache_prefetch0(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig);
void knc_cache_prefetch1(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig);
void knc_cache_prefetch_hw(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig);
KncUnits *knc_units_first(void);

/* knc_prefetch.c */
void knc_prefetch_empty(KncUnits *u);
void knc_prefetch_asked(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig);

/* knc_pipe.c */
void knc_pipe_empty(KncUnits *u);
void knc_pipe_see(KncUnits *u, KncPipe *pipe, const KncNote *note, unsigned int thread,
		  bool iteration, uint16_t *sig);
void knc_pipe_wait(KncUnits *u, unsigned int thread, unsigned int cycles, uint16_t *sig);
void knc_pipe_halt(KncUnits *u, unsigned int thread);
void knc_pipe_run(KncUnits *u, unsigned int thread);
void knc_pipe_use(KncUnits *u, uint64_t *port, unsigned int cycles);

/* knc_tlb.c; the second returns the cycles of the walk */
void knc_tlb_init(KncUnits *u);
void knc_tlb_empty(KncUnits *u);
unsigned int knc_tlb_look_up(KncUnits *u, const KncAccess *a, unsigned int thread, uint16_t *sig);
void knc_tlb_drop(KncUnits *u, unsigned int thread);
void knc_tlb_drop_page(KncUnits *u, unsigned int thread, uint64_t linear);

/* knc_btb.c */
void knc_btb_init(KncUnits *u);
void knc_btb_empty(KncUnits *u);
enum { KNC_BTB_RIGHT, KNC_BTB_WRONG, KNC_BTB_UNKNOWN };
int knc_btb_branch(KncUnits *u, uint64_t from, uint64_t behind, uint64_t to);

#endif /* KNC_UNITS_H */
