/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU of an emulated Knights Corner hardware thread, for QEMU
 *
 * Registers: Intel 327357, sections 1.4.2 to 1.4.4.  Documentation/emulated-card.rst says what the
 * model counts, and when.
 */
#ifndef KNC_PMU_H
#define KNC_PMU_H

#include "qemu/thread.h"
#include "knc/arch_regs.h"
#include "knc/cmt_regs.h"
#include "knc/regs.h"
#include "knc/westmere_regs.h"
#include "knc_fault.h"
#include "knc_units.h"

/*
 * Flags of a translation block (not of env->hflags): its code counts; it reports every
 * instruction; the reports have addresses, for the units.  QEMU does not use bits 29 and up.
 */
#define KNC_TB_COUNTING		(1U << 29)
#define KNC_TB_REPORTING	(1U << 30)
#define KNC_TB_UNITS		(1U << 31)

/*
 * One step of the model: how many instructions, branches, data reads and data
 * writes it made, sixteen bits each.  An event is a mask of the fields it adds.
 */
#define KNC_STEP_INSN		(1ULL << 0)
#define KNC_STEP_BRANCH		(1ULL << 16)
#define KNC_STEP_READ		(1ULL << 32)
#define KNC_STEP_WRITE		(1ULL << 48)

/* The argument of helper_knc_insn(): what the instruction that begins adds, and what it is */
#define KNC_INFO_STEP		(uint32_t)(KNC_STEP_INSN | KNC_STEP_BRANCH)
#define KNC_INFO_REP		(1U << 8)	/* a string instruction with REP */
#define KNC_INFO_USR_SHIFT	9		/* CPL > 0 */
#define KNC_INFO_FIRST		(1U << 10)	/* the first of its block */

/*
 * Counters of the model: Knights Corner's two, or the general and then the fixed counters of an
 * emulated host (knc_arch.c).  All masks have this order, also those in the registers of KncPmu.
 */
#define KNC_ARCH_GENERAL	4
#define KNC_ARCH_COUNTERS	(KNC_ARCH_GENERAL + ARCH_MAX_FIXED)
#define KNC_MAX_COUNTERS	KNC_ARCH_COUNTERS

/* The card's frequency; an emulated host's is the same */
#define KNC_CORE_KHZ		1100000

/* Privilege classes, as USR and OS of IA32_PerfEvtSel see them */
enum { KNC_OS, KNC_USR, KNC_CLASSES };

/*
 * The local APIC that gets the PMI if another thread of the core made the counter overflow: 327357
 * 1.4.3.8 can be read in several ways
 */
enum knc_core_pmi {
	KNC_CORE_PMI_OWNER,	/* always that of the counter's thread */
	KNC_CORE_PMI_RUNNING,	/* the executing thread's, for events without a thread context */
	KNC_CORE_PMI_CAUSING,	/* the executing thread's, also for counters in thread mode */
};

/* The uncore of a package of Westmere; only the package's first thread uses its (knc_westmere.c) */
typedef struct KncUncore {
	uint64_t ctrl;
	uint64_t status;
	uint64_t fixed;		/* value of the fixed counter at @since */
	uint64_t fixed_ctrl;
	uint64_t match;
	uint64_t count[UNC_NR_COUNTERS];
	uint64_t select[UNC_NR_COUNTERS];
	uint64_t since;		/* time stamp */
	/* derived from the registers: the signals that each counter counts */
	uint64_t signals[UNC_NR_COUNTERS];
	bool need;		/* a counter counts any */
} KncUncore;

/*
 * Bits of KncCore.need_units above the counters': the uncore needs the units; an L3 needs the
 * threads' accesses only, not the units
 */
#define KNC_NEED_UNCORE		(1U << 31)
#define KNC_NEED_L3		(1U << 30)

/* What the threads of a core share: KncPmu.own_core of the core's first thread */
typedef struct KncCore {
	/* counters of the core: they count all its threads; bit thread * KNC_MAX_COUNTERS + n */
	uint32_t shared[KNC_CLASSES];
	/* those of @shared that need no reports: the sums of blocks suffice */
	uint32_t plain[KNC_CLASSES];
	/* held while a thread adds sums to counters, or reads those of others */
	QemuSpin lock;
	/* counters of events in the units, numbered as in @shared; and KNC_NEED_* */
	uint32_t need_units;
	uint32_t need_units_os;	/* those that must see ring 0 in the units, too */
	KncUnits *units;	/* NULL: never needed */
	bool prefetcher;	/* the units' is on */
	KncCosts costs;		/* cycles that the units take */
	int running;		/* busy threads when the round began (knc_turns.c) */
	uint64_t offcore[2];	/* offcore registers of Westmere */
	struct KncPmu *thread[KNC_THREADS_PER_CORE];
} KncCore;

/* State of a counter with CMASK or edge detection for a cycle, which has up to two instructions */
typedef struct KncCycle {
	uint16_t number;	/* events of the cycle so far */
	bool counted;		/* the counter has got one for this cycle */
	bool held_before;	/* the condition held in the cycle before: no edge now */
} KncCycle;

/* The last-level cache of an emulated host's package (knc_cmt.c) */
typedef struct KncL3 KncL3;

typedef struct KncPmu {
	/*
	 * Steps made by blocks that count by themselves, by privilege: @sum waits to be added to
	 * the plain counters, of the thread and of the core; @done is @sum without the instruction
	 * begun last.  A block subtracts its size from @budget; if that gets negative the block
	 * calls helper_knc_block(), with its size in @need.
	 */
	uint64_t sum[KNC_CLASSES];
	uint64_t done[KNC_CLASSES];
	int32_t budget;
	int32_t need;
	uint32_t granted;	/* the most that sums may reach until then */
	bool flush_asked;	/* a request to add the sums is under way */
	unsigned int idle;	/* calls of helper_knc_block() since a counter needed the sums */

	/* data accesses, each a cycle of time; those that the clock has taken in */
	uint64_t accesses;
	uint64_t accesses_seen;
	/* of the last turn: cycles per KNC_PACE instructions; cycles that it left or overdrew */
	int64_t pace;
	int64_t balance;

	/* the instruction begun last */
	uint64_t pend_eip;
	uint32_t pend_info;
	/* if it was reported: what it adds to which counters when it completes */
	uint64_t pend_step;
	uint32_t pend_fast;	/* the thread's own plain counters */
	uint32_t pend_slow;	/* all others, numbered as in KncCore.shared */
	bool in_slow;		/* now adding to counters, also to those of other threads */
	/* and what it does to the units */
	uint32_t size;		/* in bytes; the block sets it and @decoded before the report */
	union {
		KncDecoded decoded;
		uint64_t decoded_words[3];
	};
	KncNote note;
	KncPipe pipe;
	unsigned int flushes;	/* of the pipeline since the instruction before */
	uint64_t fetched;	/* linear address at which the instruction before it ended */
	uint64_t read_line;	/* an address in the line of code read last */
	bool signalled;		/* @signals are those of the instruction being counted */
	uint16_t signals[KNC_NR_SIGNALS];

	/* derived from the registers by knc_pmu_update() */
	uint32_t tb_flags;
	uint32_t tb_flags_os;		/* the same for blocks of ring 0 */
	uint32_t fast[KNC_CLASSES];	/* own counters that add up steps only */
	uint32_t slow[KNC_CLASSES];	/* own with CMASK, edge detection or signals */
	uint64_t mask[KNC_MAX_COUNTERS];	/* fields of a step that count */
	/* the part of each thread's sums that a counter of the core must not get */
	uint32_t skip[KNC_MAX_COUNTERS][KNC_THREADS_PER_CORE];
	uint64_t signal_mask[KNC_MAX_COUNTERS];	/* signals that count */
	uint32_t on;			/* counters that count at some CPL */
	uint32_t edge;			/* edge detector: last state */
	uint32_t by_cycle;		/* counters with CMASK or edge detection for whole cycles */
	KncCycle cycle[KNC_MAX_COUNTERS][KNC_THREADS_PER_CORE];
	uint32_t linger;		/* steps that it still reports, though nothing needs it */
	bool edge_request;		/* PMI line went from 0 to 1 */
	uint32_t delay;			/* cycles of DELAY that the units have still to add */
	unsigned int skid;		/* instructions since @edge_request, with the defect skid */

	/*
	 * The registers.  Only the low @width bits of @cntr are the register.  Other threads of the
	 * core may change @cntr and @status.
	 */
	uint64_t cntr[KNC_MAX_COUNTERS];
	uint64_t evtsel[KNC_MAX_COUNTERS];
	uint64_t spflt;
	uint64_t ctrl;
	uint64_t fixed_ctrl;	/* IA32_FIXED_CTR_CTRL of a host */
	uint64_t status_others;	/* of a host: bits of the status that no counter sets */
	uint64_t pqr;		/* IA32_PQR_ASSOC of a host */
	uint32_t status;
	uint32_t line;		/* overflows that hold the PMI line up */

	KncL3 *l3;		/* NULL: there is no cache monitoring */
	bool present;		/* the CPU model is knc, arch, westmere or haswell-ep */
	unsigned int arch;	/* 0: knc; else the version of the architectural PMU */
	bool westmere;		/* the CPU model is westmere */
	uint32_t stuck;		/* counters that erratum BD53 keeps from counting */
	uint32_t settled;	/* counters that can take a new event (BD53) */
	uint16_t good[WSM_SETTLE_COUNTERS];	/* the event that each can count */
	bool full_width;	/* all bits of a counter can be written (IA32_A_PMC0) */
	unsigned int nr;	/* counters */
	unsigned int width;	/* bits of each */
	enum knc_core_pmi core_pmi;
	bool timing;		/* the option: clock events count by the pipes' clock */
	bool vpu_stand_in;	/* packed SSE operations count as the vector unit's */
	enum knc_fault fault;	/* the card's defect */
	/* not 0: in ring 3 from this address on, instructions that the card lacks raise #UD */
	uint64_t strict;
	bool silicon;		/* nothing that executes has what cards lack (knc_silicon.c) */
	unsigned int thread;	/* number within the core */
	struct KncCore *core;
	CPUState *cs;
	KncUncore uncore;
	KncCore own_core;
} KncPmu;

struct CPUArchState;

/* The PMU's part of a CPU's saved state */
extern const struct VMStateDescription vmstate_knc_pmu;

struct ArchCPU;

void knc_pmu_reset(CPUState *cs);
void knc_place(CPUState *cs);
uint64_t knc_value(KncPmu *p, int n);
void knc_set_value(KncPmu *p, int n, uint64_t value);
void knc_set_evtsel(KncPmu *p, int n, uint64_t value);
void knc_pmu_update(KncPmu *p);
void knc_need_for_uncore(CPUState *cs, bool need);
G_NORETURN void knc_gp(struct CPUArchState *env, uintptr_t ra);
bool knc_pmu_rdmsr(struct CPUArchState *env, uint32_t msr, uint64_t *val,
		   uintptr_t ra);
bool knc_pmu_wrmsr(struct CPUArchState *env, uint32_t msr, uint64_t val,
		   uintptr_t ra);
bool knc_pmu_rdpmc(struct CPUArchState *env, uintptr_t ra);
bool knc_pmu_boundary(struct CPUArchState *env);
void knc_pmu_interrupt(struct CPUArchState *env, int intno, bool is_int,
		       bool is_hw);
void knc_pmu_halt(struct CPUArchState *env);
void knc_pmu_lose_status(struct CPUArchState *env);
void knc_pmu_lose_all(struct CPUArchState *env);
void knc_pmu_need_l3(const KncL3 *l3);

/* knc_arch.c: the PMU's registers on an emulated host */
void knc_arch_reset(struct ArchCPU *cpu);
void knc_arch_cpuid(struct CPUArchState *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
		    uint32_t *ecx, uint32_t *edx);
bool knc_arch_rdmsr(struct CPUArchState *env, uint32_t msr, uint64_t *val, uintptr_t ra);
bool knc_arch_wrmsr(struct CPUArchState *env, uint32_t msr, uint64_t val, uintptr_t ra);
bool knc_arch_rdpmc(struct CPUArchState *env, uintptr_t ra);

/* knc_westmere.c */
void knc_westmere_select(KncPmu *p, int n, uint64_t val);
void knc_westmere_ctrl(KncPmu *p, uint64_t val);
bool knc_westmere_rdmsr(struct CPUArchState *env, uint32_t msr, uint64_t *val, uintptr_t ra);
bool knc_westmere_wrmsr(struct CPUArchState *env, uint32_t msr, uint64_t val, uintptr_t ra);
void knc_uncore_see(KncPmu *p);
/* knc_cmt.c */
void knc_cmt_reset(CPUState *cs);
void knc_l3_empty(KncL3 *l3);
void knc_l3_see(KncPmu *p);
void knc_cmt_cpuid(const KncPmu *p, uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx,
		   uint32_t *ecx, uint32_t *edx);
bool knc_cmt_rdmsr(KncPmu *p, uint32_t msr, uint64_t *val);
bool knc_cmt_wrmsr(struct CPUArchState *env, uint32_t msr, uint64_t val, uintptr_t ra);

/* knc_clock.c; with icount knc_turns.c makes the time go on */
void knc_clock_init(struct ArchCPU *cpu);
void knc_tsc_set_permille(uint32_t permille);
bool knc_clock_in_cycles(void);
uint64_t knc_tsc(void);
void knc_pause(void);

/* knc_fault.c */
void knc_fault_reset(CPUState *cs);
void knc_fault_init(void);

/* knc_power.c */
void knc_power_init(void);

/* knc_silicon.c */
void knc_silicon_booted(void);
bool knc_strict_at(const KncPmu *p, uint64_t address);
void knc_silicon_msr(struct CPUArchState *env, uint32_t msr, uintptr_t ra);
void knc_silicon_cr4(struct CPUArchState *env, uint64_t cr4, uintptr_t ra);
void knc_silicon_cpuid(struct CPUArchState *env, uint32_t leaf, uint32_t *ecx, uint32_t *edx);
bool knc_silicon_apic(const struct ArchCPU *cpu);
int knc_boot_index(CPUState *cs);

/* knc_units.c */
void knc_units_reset(KncCore *core);
void knc_units_need(KncCore *core, uint32_t own, uint32_t bits, uint32_t os);
bool knc_units_active(const KncCore *core);
void knc_units_leave(KncCore *core);
void knc_units_give_up(void);
void knc_note_insn(struct CPUArchState *env, uint64_t eip, unsigned int size, bool branch,
		   bool rep);
void knc_note_iteration(KncPmu *p);
void knc_units_see(KncPmu *p, uint64_t eip);
void knc_units_halt(struct CPUArchState *env);
void knc_units_flush_tlb(struct CPUArchState *env);
void knc_units_flush_page(struct CPUArchState *env, uint64_t linear);

/*
 * Two memory barriers that pair.  knc_mb_often() is executed for every instruction; it costs
 * nothing if the host has membarrier(), with which knc_mb_seldom() does the work of both.
 */
extern bool knc_membarrier;
void knc_mb_seldom(void);

static inline void knc_mb_often(void)
{
	if (likely(knc_membarrier))
		barrier();
	else
		smp_mb();	/* pairs with knc_mb_seldom() */
}

/* The instruction begun last did not complete, because it faults or starts over: don't count it */
static inline void knc_pmu_drop(KncPmu *p)
{
	unsigned int class = (p->pend_info >> KNC_INFO_USR_SHIFT) & 1;

	p->sum[class] = p->done[class];
	p->pend_step = 0;
	p->pend_info = 0;
	p->pend_fast = 0;
	p->pend_slow = 0;
	p->note.valid = false;
}

#endif /* KNC_PMU_H */
