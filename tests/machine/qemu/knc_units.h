/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The units of an emulated Knights Corner core, of which there are events: caches and their
 * prefetches, TLBs, branch predictor, pipes
 *
 * Documentation/emulated-card.rst has the rules.  Blocks with KNC_TB_UNITS note what each
 * instruction fetches and accesses (KncNote).  When the instruction completes, the units see the
 * note.  What then happens in them are the instruction's signals, which events count.
 */
#ifndef KNC_UNITS_H
#define KNC_UNITS_H

#include "knc_assoc.h"
#include "knc_decode.h"
#include "knc/regs.h"

/* What can happen in a unit; each has an event */
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
	/* fills of the L2 for code, reads and writes: from memory, and from another core */
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
	/* prefetches by the hardware; misses of streaming stores, unordered and ordered */
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

/* Flags of an access to one line; helper_knc_access() gets them with the size in the low bits */
#define KNC_ACCESS_SIZE		0xffU
#define KNC_ACCESS_READ		(1U << 8)
#define KNC_ACCESS_WRITE	(1U << 9)
#define KNC_ACCESS_MORE		(1U << 10)	/* more of the same operand: not counted again */
#define KNC_ACCESS_AGAIN	(1U << 11)	/* it replaces the accesses noted before */
#define KNC_ACCESS_CODE		(1U << 12)
#define KNC_ACCESS_UC		(1U << 13)	/* uncacheable, or not mapped */
#define KNC_ACCESS_PREFETCH	(1U << 14)	/* no access, a prefetch instruction */
#define KNC_ACCESS_ALL		(1U << 15)	/* the mask leaves out no element */
#define KNC_ACCESS_WHOLE	(1U << 16)	/* the whole line is written */

typedef struct KncAccess {
	uint64_t line;		/* physical address / 64 */
	uint64_t linear;
	uint8_t page_bits;
	uint32_t flags;
} KncAccess;

/*
 * ENTER makes most: 30 reads and 32 writes.  Four each can cross a line; its code is in two lines
 */
#define KNC_MAX_ACCESSES	72

/* What an instruction of a thread does; the units see it when it completes */
typedef struct KncNote {
	bool valid;
	bool branch;
	bool rep;		/* a string instruction with REP */
	KncDecoded insn;
	uint64_t from;		/* linear address of the instruction */
	uint64_t behind;	/* and of the next one in memory */
	unsigned int nr;
	KncAccess access[KNC_MAX_ACCESSES];
} KncNote;

/* The pipes, as one thread sees them */
typedef struct KncPipe {
	unsigned int epoch;	/* KncUnits.epoch for which this is valid */
	bool open;		/* the instruction in the U pipe may still get a second one */
	KncDecoded u;		/* the instruction in the U pipe */
	uint64_t behind;	/* address at which its second one must begin */
	uint64_t accessed;	/* address of its first data access */
	bool accesses;		/* it has one */
	uint64_t issued;	/* the thread's time when it was issued */
	bool waited;		/* it has waited for a register of an address (AGI) */
	uint16_t written;	/* registers written by this issue, and by the one before */
	uint16_t before;
	uint64_t xmm_ready[32];	/* the thread's time when a packed result is ready */
	uint64_t mask_ready[8];
} KncPipe;

/* Where a line was found, and the cycles until it arrives */
typedef struct KncFound {
	enum { KNC_FROM_L1, KNC_FROM_L2, KNC_FROM_CORE, KNC_FROM_MEMORY } level;
	unsigned int wait;
	bool in_flight;		/* a prefetch is bringing it to that level */
} KncFound;

/*
 * Cycles that accesses take: knc_costs.c has the values.  A gap is the least time between two lines
 * that a core gets from that level.
 */
typedef struct KncCosts {
	uint16_t l2, core, memory;	/* until a line arrives from there */
	uint16_t l2_gap, memory_gap;
	uint16_t ahead;			/* lines by which the prefetcher is ahead of the reads */
	bool shared;			/* @ahead is for all pages together, not for each */
	bool write_waits;		/* a write waits for its line, like a read */
} KncCosts;

/* The CPU model's options for the costs; -1: not given, the option timing decides */
typedef struct KncCostOptions {
	int32_t memory, memory_gap, l2_gap, ahead;
	OnOffAuto write_waits;
} KncCostOptions;

#define KNC_STREAMS		16

/* A page that the L2 reads in sequence */
typedef struct KncStream {
	uint64_t last;		/* the line requested last; 0: unused */
	int direction;		/* 1 or -1; 0: not known yet */
	int ahead;		/* lines prefetched beyond @last */
	unsigned int asked;	/* KncUnits.asked at the last request */
} KncStream;

/* The units of a core */
typedef struct KncUnits {
	bool active;		/* they see what the core does; else their contents are invalid */
	bool blind;		/* they have not seen what ring 0 did */
	KncAssoc l1d, l1i, l2;	/* by line */
	KncAssoc dtlb, dtlb_large, itlb, tlb2;	/* by page and thread */
	KncAssoc btb;		/* by linear address */
	bool writes_back;	/* the bus unit has modified line @written_back from the L2 */
	uint64_t written_back;
	bool prefetcher;	/* the hardware's prefetcher is on */
	KncStream streams[KNC_STREAMS];	/* the latest first */
	unsigned int asked;	/* requests of the L1 caches to the L2, so far */
	KncCosts costs;
	/*
	 * Times in cycles.  @time is that of each thread as if it were alone; @stage, @l2_port and
	 * @memory_port are those up to which the threads together keep the E stage, the L2 and
	 * memory busy.  @clock, the core's, is the latest of all.
	 */
	uint64_t clock;
	uint64_t stage, l2_port, memory_port;
	uint64_t time[KNC_THREADS_PER_CORE];
	unsigned int running;	/* bits of threads that are not halted */
	unsigned int epoch;	/* how often the units have been restarted */
	bool any_pending;
	/* signals that other cores have caused since this core's last instruction */
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

/* knc_tlb.c; knc_tlb_look_up() returns the cycles of the page walk */
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
