/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The descriptor of a PMU: how PMUs of the P6 kind differ in their event
 * selects, counters, global control, status and acknowledge registers
 *
 * A counter's number is its bit in the global registers: general-purpose
 * counters begin at 0, fixed ones at 32. A mask of counters can therefore be
 * written to these registers as it is.
 */
#ifndef KNC_PMU_PMU_H
#define KNC_PMU_PMU_H

#include <linux/types.h>

#include <knc/arch_regs.h>
#include <knc/registers.h>
#include <knc_pmu.h>

/*
 * Array sizes for all descriptors: how many counters, the highest number of a counter + 1, and how
 * many registers. A module has one descriptor (Kbuild, PMU). A KUnit build has all, and a PMU that
 * exists only there (tests/kunit/wide.c).
 */
#if defined(KNC_PMU_ARCH)
#define PMU_MAX_COUNTERS	(ARCH_MAX_GENERAL + ARCH_MAX_FIXED)
#define PMU_MAX_NUMBER		(ARCH_FIXED + ARCH_MAX_FIXED)
#elif defined(KNC_PMU_KUNIT)
#define PMU_MAX_COUNTERS	(ARCH_MAX_GENERAL + ARCH_MAX_FIXED)
#define PMU_MAX_NUMBER		(ARCH_FIXED + ARCH_MAX_FIXED)
#else
#define PMU_MAX_COUNTERS	KNC_NR_COUNTERS
#define PMU_MAX_NUMBER		KNC_NR_COUNTERS
#endif
/* a host also has 21 registers of its uncore, and two of cache monitoring */
#define PMU_MAX_REGISTERS	(2 * (ARCH_MAX_GENERAL + ARCH_MAX_FIXED) + KNC_NR_REGISTERS + \
				 PMU_MAX_EXTRAS + 21 + 2)
#define PMU_MAX_BANKS		2
/* The first counters of two neighbouring banks have numbers this far apart */
#define PMU_BANK		32
#define PMU_MAX_EXTRAS		2

/*
 * In READ: all events of a session but the first. On a host the compiler makes a copy of the loop
 * for each event, and one test ends it. With the two counters of a card there is no loop anyway.
 */
#define for_each_more(i, nr)						\
	PMU_UNROLL							\
	for ((i) = 1; (i) < PMU_MAX_COUNTERS && (i) < (nr); (i)++)

#if defined(KNC_PMU_ARCH) && defined(__clang__)
#define PMU_UNROLL		_Pragma("clang loop unroll(full)")
#elif defined(KNC_PMU_ARCH)
#define PMU_UNROLL		_Pragma("GCC unroll 16")
#else
#define PMU_UNROLL
#endif

/**
 * struct pmu_bank - counters of one kind
 * @first: number of the first counter: PMU_BANK times the number of banks before this one
 * @nr: number of counters
 * @width: bits of a counter
 * @counter_msr: MSR of the first counter
 * @reserve_msr: the first counter's MSR in the kernel's reservations; 0: the kernel has none
 * @select_msr: MSR of the first counter's event select, or of all with @field
 * @field: bits of one event select if all share one MSR; 0: each has its own MSR
 * @rdpmc_index: RDPMC index of the first counter
 * @writable: bits that a write sets; the PMU copies the highest of them to the bits above
 * @max_load: most events from a load to the overflow, a power of two
 */
struct pmu_bank {
	unsigned int first;
	unsigned int nr;
	unsigned int width;
	u32 counter_msr;
	u32 reserve_msr;
	u32 select_msr;
	unsigned int field;
	u32 rdpmc_index;
	u64 writable;
	u64 max_load;
};

/**
 * struct pmu_global - a register that has a bit for each counter
 * @msr: its MSR
 * @mask: its bits that are not reserved
 */
struct pmu_global {
	u32 msr;
	u64 mask;
};

/**
 * struct pmu_gate - a register that gates counters; programs set it in ring 3
 * @msr: its MSR, with a bit for each counter that obeys the gate; 0: no gate
 * @open: the bit that opens the gate: counters that obey it count
 */
struct pmu_gate {
	u32 msr;
	u64 open;
};

/**
 * struct pmu_event - an event whose constraints are known
 * @code: event and umask, as in the event select
 * @counters: mask of the counters that can count it; 0: end of the list
 * @core_wide: all threads of the core count it alike
 * @own: only the hardware thread's own instructions cause it
 */
struct pmu_event {
	u64 code;
	u64 counters;
	bool core_wide;
	bool own;
};

/**
 * struct pmu_extra - a register that has the second word of an event
 * @code: the event's code
 * @msr: its MSR, one for all threads of a core
 */
struct pmu_extra {
	u64 code;
	u32 msr;
};

/**
 * struct pmu_select - the parts of an event select
 * @code: the event's code
 * @extra: the event's second word, on PMUs that have one
 * @flags: KNC_PMU_EVENT_*
 * @cmask: counter mask
 */
struct pmu_select {
	u64 code;
	u64 extra;
	u32 flags;
	u32 cmask;
};

/**
 * struct pmu_desc - a PMU
 * @name: its name in INFO
 * @cpu: for the message of loading: the CPUs that have the PMU; after @probe has failed, what this
 *	CPU lacks
 * @probe: does this CPU have the PMU? @read_msr reads its registers
 * @shared_by: KNC_PMU_SCOPE_*: the threads that share these counters, for INFO
 * @threads_per_core: hardware threads of a core
 * @interrupts: overflows interrupt; if not, events can't be sampled
 * @nr_banks: number of banks
 * @bank: the banks, in the order of their counters' numbers
 * @nr_counters: counters of all banks
 * @end: the highest number of a counter, plus 1
 * @counters: mask of all counters
 * @any: mask of the counters that can count events that are not in @events
 * @fixed: mask of the fixed counters, which have no edge detection and no counter mask
 * @ctrl: global control
 * @status: global status
 * @ack: the register that clears bits of the global status
 * @ctrl_reset: value of the global control after a reset
 * @gate: the gate, if there is one
 * @events: events whose constraints are known
 * @nr_extras: number of @extras
 * @extras: registers for second words of events, at most PMU_MAX_EXTRAS
 * @nr_settle: number of @settle
 * @settle: event selects that counters 0 and up must have counted for a moment before a new event
 *	is counted (an erratum); NULL: none
 * @check: is this event select legal? Returns enum knc_pmu_reason
 * @make_select: make an event select, with enable and overflow interrupt set
 * @any_counter: the parameter that lets any counter be tried for an event; NULL: the PMU's manual
 *	says which counters can count it
 * @registers: the registers that REGS reports, without their values
 * @nr_registers: number of @registers
 */
struct pmu_desc {
	const char *name;
	const char *cpu;
	bool (*probe)(u64 (*read_msr)(u32 msr));
	enum knc_pmu_scope shared_by;
	unsigned int threads_per_core;
	bool interrupts;
	unsigned int nr_banks;
	struct pmu_bank bank[PMU_MAX_BANKS];
	unsigned int nr_counters;
	unsigned int end;
	u64 counters;
	u64 any;
	u64 fixed;
	struct pmu_global ctrl;
	struct pmu_global status;
	struct pmu_global ack;
	u64 ctrl_reset;
	struct pmu_gate gate;
	const struct pmu_event *events;
	unsigned int nr_extras;
	const struct pmu_extra *extras;
	unsigned int nr_settle;
	const u64 *settle;
	u32 (*check)(const struct pmu_select *s);
	u64 (*make_select)(const struct pmu_select *s, unsigned int counter);
	const bool *any_counter;
	const struct knc_pmu_reg *registers;
	unsigned int nr_registers;
};

#endif /* KNC_PMU_PMU_H */
