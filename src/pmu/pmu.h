/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The descriptor of a PMU: what differs between PMUs of the P6 shape (event selects,
 * counters, global control, status and acknowledge)
 *
 * A counter's number is its bit in the global registers: counters of any event begin
 * at 0, those of one fixed event at 32. Masks of counters are therefore what these
 * registers hold.
 */
#ifndef KNC_PMU_PMU_H
#define KNC_PMU_PMU_H

#include <linux/types.h>

#include <knc/registers.h>
#include <knc_pmu.h>

/*
 * Bounds of all descriptors: counters of a PMU, and the end of their numbers. In a KUnit
 * build there is a wider PMU beside Knights Corner.
 */
#ifdef KNC_PMU_KUNIT
#define PMU_MAX_COUNTERS	7
#define PMU_MAX_NUMBER		35
#else
#define PMU_MAX_COUNTERS	KNC_NR_COUNTERS
#define PMU_MAX_NUMBER		KNC_NR_COUNTERS
#endif
#define PMU_MAX_BANKS		2
#define PMU_MAX_REGISTERS	KNC_NR_REGISTERS

/**
 * struct pmu_bank - counters of one kind
 * @first: number of the first one
 * @nr: how many there are
 * @width: bits of each
 * @count: MSR of the first one
 * @select: MSR of the first one's event select; if there are fields, of all of them
 * @field: bits of each event select, side by side in one MSR; 0: each has an MSR
 * @pmc: what RDPMC calls the first one
 * @writable: the bits that a write takes; what is above is a copy of the highest of them
 * @max_load: events from a load to the overflow, at most: a power of two
 */
struct pmu_bank {
	unsigned int first;
	unsigned int nr;
	unsigned int width;
	u32 count;
	u32 select;
	unsigned int field;
	u32 pmc;
	u64 writable;
	u64 max_load;
};

/**
 * struct pmu_global - a register that has a bit for each counter
 * @msr: its MSR
 * @mask: the bits that it has
 */
struct pmu_global {
	u32 msr;
	u64 mask;
};

/**
 * struct pmu_gate - a register by which a program gates counters
 * @msr: its MSR, which has a bit for each counter; 0: there is none
 * @open: the bit that lets gated counters count
 */
struct pmu_gate {
	u32 msr;
	u64 open;
};

/**
 * struct pmu_event - an event whose constraints are known
 * @code: its code
 * @counters: mask of the counters that can count it; 0: the list ends before this one
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
 * struct pmu_select - what an event select is made of
 * @code: the event's code
 * @extra: its second word
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
 * @name: as INFO tells it
 * @cpu: the CPUs that have it, for a message
 * @probe: is this such a CPU?
 * @scope: what has counters of its own: KNC_PMU_SCOPE_*
 * @threads_per_core: hardware threads of a core
 * @interrupts: an overflow interrupts; else counters must be polled, and nothing is sampled
 * @nr_banks: banks of counters, by their numbers
 * @bank: they
 * @nr_counters: counters of all banks
 * @end: what follows the highest number of a counter
 * @counters: mask of all counters
 * @any: mask of those that count any event
 * @ctrl: global control
 * @status: global status
 * @ack: what clears the global status
 * @ctrl_reset: the global control after a reset
 * @gate: gates counters
 * @events: events whose constraints are known
 * @instructions: code of the event of executed instructions
 * @check: is such an event select legal? Returns enum knc_pmu_reason
 * @select: the enabled event select of a counter, with the overflow interrupt
 * @registers: what REGS tells, but for the values
 * @nr_registers: how many
 */
struct pmu_desc {
	const char *name;
	const char *cpu;
	bool (*probe)(void);
	enum knc_pmu_scope scope;
	unsigned int threads_per_core;
	bool interrupts;
	unsigned int nr_banks;
	struct pmu_bank bank[PMU_MAX_BANKS];
	unsigned int nr_counters;
	unsigned int end;
	u64 counters;
	u64 any;
	struct pmu_global ctrl;
	struct pmu_global status;
	struct pmu_global ack;
	u64 ctrl_reset;
	struct pmu_gate gate;
	const struct pmu_event *events;
	u64 instructions;
	u32 (*check)(const struct pmu_select *s);
	u64 (*select)(const struct pmu_select *s, unsigned int counter);
	const struct knc_pmu_reg *registers;
	unsigned int nr_registers;
};

#endif /* KNC_PMU_PMU_H */
