/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU registers of a hardware thread as 327357 describes them, or those of a PMU that
 * exists only here
 *
 * Register numbers, widths and bits are written here a second time, from tables 1-2 to
 * 1-10, so that an error in knc/regs.h does not cancel itself out. The tests take their
 * expectations from here.
 *
 * Tests call a PMU's counters slots: they use slots 0 and 1, whatever numbers these have.
 * Masks of registers have a bit for each slot.
 */
#ifndef KNC_TEST_MODEL_H
#define KNC_TEST_MODEL_H

#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/ptrace.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "pmu/hw.h"

/* A suite of the cases in LABEL_cases: @setup and @end are called before and after each */
#define KNC_SUITE(label, setup, end)					\
	static struct kunit_suite label##_suite = {			\
		.name = #label,						\
		.init = setup,						\
		.exit = end,						\
		.test_cases = label##_cases,				\
	}

#define MODEL_NR		2
#define MODEL_SLOTS		PMU_MAX_COUNTERS

#define MODEL_TSC		0x10
#define MODEL_PERFCNTR		0x20
#define MODEL_PERFEVTSEL	0x28
#define MODEL_SPFLT		0x2c
#define MODEL_STATUS		0x2d
#define MODEL_OVF_CONTROL	0x2e
#define MODEL_CTRL		0x2f
#define MODEL_LVTPC		0x340

#define MODEL_CNTR_MASK		0xffffffffffULL
#define MODEL_EVTSEL_MASK	0xfff7ffffULL
#define MODEL_SPFLT_MASK	0x8000000000000003ULL
#define MODEL_GLOBAL_MASK	0x3ULL

#define MODEL_USR		0x00010000ULL
#define MODEL_OS		0x00020000ULL
#define MODEL_EDGE		0x00040000ULL
#define MODEL_INT		0x00100000ULL
#define MODEL_THREAD_MODE	0x00200000ULL
#define MODEL_EN		0x00400000ULL
#define MODEL_INV		0x00800000ULL
#define MODEL_CMASK_SHIFT	24
#define MODEL_USER_PREF		0x8000000000000000ULL

/* A counter loaded with this value overflows after half of its range */
#define MODEL_HALF		0x8000000000ULL

/* LVT performance counter entry of the local APIC */
#define MODEL_LVT_NMI		0x00400
#define MODEL_LVT_MODE		0x00700
#define MODEL_LVT_MASKED	0x10000

/* CR4 is no MSR; its bit PCE permits RDPMC in ring 3 */
#define MODEL_CR4		0x4
#define MODEL_PCE		0x100ULL

#define MODEL_LOG		128
#define MODEL_STEPS		16
#define MODEL_CODES		64

/**
 * struct model_slot - a counter of a PMU
 * @number: its bit in the global registers
 * @count: its MSR
 * @select: the MSR of its event select
 * @shift: the lowest bit of its event select in that MSR
 * @rdpmc: its number for RDPMC
 * @top: its largest value
 * @writable: the bits that a write takes
 * @half: the most events for which the counter can be loaded
 * @legal: the bits that its event select has
 * @fixed: the counter can count one event only
 */
struct model_slot {
	unsigned int number;
	u32 count;
	u32 select;
	unsigned int shift;
	u32 rdpmc;
	u64 top;
	u64 writable;
	u64 half;
	u64 legal;
	bool fixed;
};

/**
 * struct model_pmu - a PMU
 * @desc: its descriptor
 * @nr: how many counters it has
 * @slot: these counters
 * @ctrl: MSR of the global control
 * @status: MSR of the global status
 * @ack: MSR of the register that clears the status
 * @gate: MSR of the gate; 0: there is none
 * @reset: the global control after a reset, as a mask of slots
 */
struct model_pmu {
	const struct pmu_desc *desc;
	unsigned int nr;
	struct model_slot slot[MODEL_SLOTS];
	u32 ctrl;
	u32 status;
	u32 ack;
	u32 gate;
	u64 reset;
};

/* Knights Corner, and two wide PMUs: slots 0 and 1 count one event each, or both count any event */
extern const struct model_pmu model_knc, model_wide, model_wide_any;

/* The PMU that is modelled */
extern const struct model_pmu *model_pmu;

/**
 * struct model_regs - the contents of the registers
 */
struct model_regs {
	u64 perfcntr[MODEL_SLOTS];
	u64 perfevtsel[MODEL_SLOTS];
	u64 spflt;
	u64 ctrl;
	u32 lvtpc;
};

struct model_write {
	u32 msr;
	u64 value;
};

/**
 * struct model - a hardware thread's registers, and all accesses to them
 * @lock: protects all fields
 * @irq_flags: of the lock's holder
 * @regs: the registers that can be read and written
 * @status: IA32_PERF_GLOBAL_STATUS
 * @tsc: the result of RDTSC
 * @cr4: the contents of CR4
 * @nr_cr4: how often it was written
 * @counted: all events that the counters ever counted, in 64 bits
 * @by_code: the same events, by the low bits of the selected event code
 * @tick: events that happen, and cycles that pass, with each access: the
 *	measured program does not wait for the driver
 * @cost: further cycles that pass with each access
 * @pace: cycles that have passed when an interrupt comes, for model_run()
 * @cpu: the CPU with these registers, after model_use_per_cpu()
 * @line: overflows that hold up the line to the local APIC (1.4.3.9)
 * @missed: overflows during which the local APIC's entry was masked
 * @pending: the local APIC has accepted an interrupt that has not been delivered
 * @nmi: this interrupt is an NMI
 * @due: accesses until this interrupt is delivered
 * @late: accesses from an overflow to its interrupt
 * @skid: events from an overflow to its interrupt, for model_run()
 * @trip: counters that will overflow at an access
 * @trip_at: number of accesses until then
 * @trip_after: they overflow just after that access, not just before
 * @foreign: a foreign NMI will come before an access
 * @foreign_at: number of accesses until then
 * @told: this NMI is for a sibling's overflow: the local APIC masks the entry one access before it
 * @beside: other CPUs use vectors, which changes how an NMI is handled: knc_test_nmi_beside()
 * @nr_stolen: foreign NMIs that the module claimed
 * @handling: the module's handler runs
 * @steps: the steps of 1.4.3.9 that the handler of the last interrupt took; "8": it started the
 *	counters again
 * @nr_steps: number of these steps
 * @nr_pmis: interrupts delivered
 * @nr_unclaimed: interrupts that the module did not claim
 * @pt_regs: the interrupted registers
 * @nr_writes: register writes since model_log_clear()
 * @writes: the first of these writes
 * @nr_accesses: all accesses
 * @nr_violations: accesses that 327357 or the module's own rules forbid
 * @violation: the first violation
 */
struct model {
	spinlock_t lock;	/* protects all fields */
	unsigned long irq_flags;
	struct model_regs regs;
	u64 status;
	u64 tsc;
	u64 cr4;
	unsigned int nr_cr4;
	u64 counted[MODEL_SLOTS];
	u64 by_code[MODEL_CODES];
	unsigned int tick;
	unsigned int cost;
	u64 pace;
	unsigned int cpu;
	u32 line;
	unsigned int missed;
	bool pending;
	bool nmi;
	unsigned int due;
	unsigned int late;
	u64 skid;
	u32 trip;
	unsigned int trip_at;
	bool trip_after;
	bool foreign;
	unsigned int foreign_at;
	bool told;
	bool beside;
	unsigned int nr_stolen;
	bool handling;
	char steps[MODEL_STEPS];
	unsigned int nr_steps;
	unsigned int nr_pmis;
	unsigned int nr_unclaimed;
	struct pt_regs pt_regs;
	unsigned int nr_writes;
	struct model_write writes[MODEL_LOG];
	unsigned int nr_accesses;
	unsigned int nr_violations;
	char violation[96];
};

/* Run one statement as on a hardware thread, with interrupts off */
#define MODEL_AT(statement)						\
	do {								\
		unsigned long model_flags;				\
									\
		local_irq_save(model_flags);				\
		statement;						\
		local_irq_restore(model_flags);				\
	} while (0)

/* The most events that slot @n can be loaded for */
static inline u64 model_half(unsigned int n)
{
	return model_pmu->slot[n].half;
}

static inline u64 model_loaded(unsigned int n)
{
	return model_pmu->slot[n].top + 1 - model_pmu->slot[n].half;
}

static inline unsigned int model_number(unsigned int n)
{
	return model_pmu->slot[n].number;
}

unsigned int model_slot(unsigned int number);
u64 model_slots(u64 cntrs);
u64 model_cntrs(u64 slots);
void model_select(const struct model_pmu *pmu);
struct model_regs model_canonical(const struct model_regs *regs);

void model_init(struct model *m);
struct model *model_of(unsigned int cpu);
void model_use(struct model *m);
void model_use_per_cpu(void);
void model_leave(void);
void model_run(struct model *m, u64 n0, u64 n1);
void model_slot_run(struct model *m, unsigned int n, u64 events);
void model_flow(struct model *m, u64 n0, u64 n1, u64 cycles);
void model_jump(struct model *m, u64 n0, u64 n1);
void model_deliver(struct model *m);
bool model_nmi(struct model *m);
void model_trip(struct model *m, u32 cntrs, unsigned int at, unsigned int late);
void model_intrude(struct model *m, unsigned int at);
void model_tell(struct model *m, unsigned int at);
void model_pass(struct model *m, u64 cycles);
void model_log_clear(struct model *m);
int model_find_write(const struct model *m, u32 msr);

struct model_regs model_bit(unsigned int bit);
void model_fill(struct model *m, const struct model_regs *regs);
void model_expect_regs(struct kunit *test, const struct model *m,
		       const struct model_regs *regs);
void model_expect_clean(struct kunit *test, const struct model *m);

extern struct model_regs model_zeros;
extern const struct model_regs model_ones;
extern const struct model_regs model_others;

#endif /* KNC_TEST_MODEL_H */
