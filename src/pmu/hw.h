/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU of this machine, and the registers of the executing hardware thread
 *
 * Only this file and hw.c execute RDMSR, WRMSR, RDPMC or MOV CR4, or access the local APIC.
 *
 * The instructions are inline assembly because the kernel's wrappers change
 * from release to release. None can fault: the registers exist on a CPU that
 * knc_hw_probe() accepts, and only legal values are written.
 *
 * Callers have interrupts off, or accept any hardware thread.
 */
#ifndef KNC_PMU_HW_H
#define KNC_PMU_HW_H

#include <linux/bitops.h>
#include <linux/types.h>

#include <asm/apic.h>
#include <asm/io.h>

#include <knc/regs.h>
#include <knc_pmu.h>

#include "pmu/host.h"
#include "pmu/knc.h"

/**
 * struct knc_hw_ops - access to registers; KUnit replaces it with a model
 * @read_msr: RDMSR
 * @read_msr_low: RDMSR, the lower half of an MSR whose upper half is 0
 * @write_msr: WRMSR
 * @read_pmc: RDPMC
 * @read_tsc: RDTSC
 * @get_cr4: MOV from CR4
 * @set_cr4: MOV to CR4
 * @read_apic: read a register of the local APIC
 * @write_apic: write a register of the local APIC
 */
struct knc_hw_ops {
	u64 (*read_msr)(u32 msr);
	u32 (*read_msr_low)(u32 msr);
	void (*write_msr)(u32 msr, u64 value);
	u64 (*read_pmc)(u32 counter);
	u64 (*read_tsc)(void);
	u64 (*get_cr4)(void);
	void (*set_cr4)(u64 value);
	u32 (*read_apic)(u32 reg);
	void (*write_apic)(u32 reg, u32 value);
};

int knc_hw_probe(void);
int knc_hw_reserve(void);
void knc_hw_release(void);
void knc_hw_snapshot(struct knc_pmu_reg *regs);

/* RDMSR, RDPMC and RDTSC clear the upper halves of RAX and RDX. */
static inline u64 knc_hw_native_read_msr(u32 msr)
{
	unsigned long lo, hi;

	asm volatile("rdmsr" : "=a" (lo), "=d" (hi) : "c" (msr));
	return (u64)hi << 32 | lo;
}

static inline u32 knc_hw_native_read_msr_low(u32 msr)
{
	u32 lo, hi;

	asm volatile("rdmsr" : "=a" (lo), "=d" (hi) : "c" (msr));
	return lo;
}

static inline void knc_hw_native_write_msr(u32 msr, u64 value)
{
	asm volatile("wrmsr"
		     : : "c" (msr), "a" ((u32)value), "d" ((u32)(value >> 32))
		     : "memory");
}

static inline u64 knc_hw_native_read_pmc(u32 counter)
{
	unsigned long lo, hi;

	asm volatile("rdpmc" : "=a" (lo), "=d" (hi) : "c" (counter));
	return (u64)hi << 32 | lo;
}

static inline u64 knc_hw_native_read_tsc(void)
{
	unsigned long lo, hi;

	asm volatile("rdtsc" : "=a" (lo), "=d" (hi));
	return (u64)hi << 32 | lo;
}

static inline u64 knc_hw_native_read_cr4(void)
{
	unsigned long cr4;

	asm volatile("mov %%cr4, %0" : "=r" (cr4));
	return cr4;
}

static inline void knc_hw_native_write_cr4(u64 cr4)
{
	asm volatile("mov %0, %%cr4" : : "r" ((unsigned long)cr4) : "memory");
}

/*
 * Not apic_read(): since 6.6 it is a static call, which modules can't use. A
 * card's APIC is always memory-mapped; a host's registers may be MSRs (x2APIC).
 */
static inline u32 knc_hw_native_read_apic(u32 reg)
{
	if (pmu_host_has_x2apic())
		return knc_hw_native_read_msr_low(ARCH_X2APIC_MSR(reg));
	return readl((void __iomem *)(APIC_BASE + reg));
}

static inline void knc_hw_native_write_apic(u32 reg, u32 value)
{
	if (pmu_host_has_x2apic())
		knc_hw_native_write_msr(ARCH_X2APIC_MSR(reg), value);
	else
		writel(value, (void __iomem *)(APIC_BASE + reg));
}

static const struct knc_hw_ops knc_hw_native = {
	.read_msr	= knc_hw_native_read_msr,
	.read_msr_low	= knc_hw_native_read_msr_low,
	.write_msr	= knc_hw_native_write_msr,
	.read_pmc	= knc_hw_native_read_pmc,
	.read_tsc	= knc_hw_native_read_tsc,
	.get_cr4	= knc_hw_native_read_cr4,
	.set_cr4	= knc_hw_native_write_cr4,
	.read_apic	= knc_hw_native_read_apic,
	.write_apic	= knc_hw_native_write_apic,
};

#ifdef KNC_PMU_KUNIT
extern const struct knc_hw_ops *knc_hw_ops;
extern const struct pmu_desc *this_pmu;
#else
/* a constant: no indirect calls */
#define knc_hw_ops (&knc_hw_native)
#ifdef KNC_PMU_ARCH
#define this_pmu ((const struct pmu_desc *)&pmu_arch.desc)
#else
/* a constant too: its fields need no loads */
#define this_pmu (&pmu_knc)
#endif
#endif

/* The mask of one counter */
static __always_inline u64 pmu_bit(unsigned int n)
{
	return 1ULL << n;
}

/*
 * Are the counters numbered without gaps, as on Knights Corner? Only asked where the descriptor is
 * a constant: elsewhere this test would take as long as testing the mask.
 */
static __always_inline bool pmu_is_dense(void)
{
	return __builtin_constant_p(this_pmu->counters) &&
	       this_pmu->counters == (1ULL << this_pmu->end) - 1;
}

/* The first counter from number @n on; if there is none, the PMU's @end, which is below 64 */
static __always_inline unsigned int pmu_counter_from(unsigned int n)
{
	u64 rest;

	if (pmu_is_dense())
		return n;
	rest = this_pmu->counters >> n;
	return rest ? n + __ffs(rest) : this_pmu->end;
}

/* All counters of the PMU, in the order of their numbers */
#define for_each_counter(n)						\
	for ((n) = pmu_counter_from(0); (n) < this_pmu->end;		\
	     (n) = pmu_counter_from((n) + 1))

/* The lowest counter of a mask that is not empty */
static __always_inline unsigned long pmu_lowest(u64 cntrs)
{
	return __ffs(cntrs);
}

/* The counter of a mask to use for an event: a fixed one if possible, to leave general ones free */
static __always_inline unsigned long pmu_preferred(u64 cntrs)
{
	return __ffs(cntrs & this_pmu->fixed ? cntrs & this_pmu->fixed : cntrs);
}

static __always_inline bool pmu_has_counter(unsigned int n)
{
	return n < this_pmu->end && this_pmu->counters & pmu_bit(n);
}

/* Is there only one bank, as on Knights Corner? As a constant, so that no code looks for a bank */
static __always_inline bool pmu_has_one_bank(void)
{
	return __builtin_constant_p(this_pmu->nr_banks) && this_pmu->nr_banks == 1;
}

/* The bank of counter @n */
static __always_inline const struct pmu_bank *pmu_bank_of(unsigned int n)
{
	return &this_pmu->bank[pmu_has_one_bank() ? 0 : n / PMU_BANK];
}

/* The index of counter @n within its bank */
static __always_inline unsigned int pmu_in_bank(unsigned int n)
{
	return pmu_has_one_bank() ? n : n % PMU_BANK;
}

/* The largest value of counter @n */
static __always_inline u64 pmu_counter_mask(unsigned int n)
{
	return (1ULL << pmu_bank_of(n)->width) - 1;
}

/* The largest load of counter @n: events that it counts until it overflows */
static __always_inline u64 pmu_max_load(unsigned int n)
{
	return pmu_bank_of(n)->max_load;
}

/* If no counter has a number above 31, let the compiler use 32-bit registers. */
static __always_inline u64 pmu_mask(u64 cntrs)
{
	return this_pmu->ctrl.mask >> 32 ? cntrs : (u32)cntrs;
}

static __always_inline bool pmu_has_gate(void)
{
	return this_pmu->gate.msr;
}

/* The index of counter @n for RDPMC */
static __always_inline u32 pmu_read_index(unsigned int n)
{
	return pmu_bank_of(n)->rdpmc_index + pmu_in_bank(n);
}

static __always_inline u64 knc_hw_read_counter(unsigned int n)
{
	return knc_hw_ops->read_pmc(pmu_read_index(n));
}

/*
 * Write only the @writable bits of @value. The PMU copies the highest of them to the bits above.
 */
static __always_inline void knc_hw_write_counter(unsigned int n, u64 value)
{
	const struct pmu_bank *bank = pmu_bank_of(n);

	knc_hw_ops->write_msr(bank->counter_msr + pmu_in_bank(n), value & bank->writable);
}

static __always_inline u64 knc_hw_read_evtsel(unsigned int n)
{
	const struct pmu_bank *bank = pmu_bank_of(n);

	n = pmu_in_bank(n);
	if (!bank->field)
		return knc_hw_ops->read_msr(bank->select_msr + n);
	return knc_hw_ops->read_msr(bank->select_msr) >> n * bank->field &
	       ((1ULL << bank->field) - 1);
}

static __always_inline void knc_hw_write_evtsel(unsigned int n, u64 value)
{
	const struct pmu_bank *bank = pmu_bank_of(n);
	u64 field;

	n = pmu_in_bank(n);
	if (!bank->field) {
		knc_hw_ops->write_msr(bank->select_msr + n, value);
		return;
	}
	field = ((1ULL << bank->field) - 1) << n * bank->field;
	knc_hw_ops->write_msr(bank->select_msr,
			      (knc_hw_ops->read_msr(bank->select_msr) &
			       ~field) |
			      value << n * bank->field);
}

/* The second word of an (offcore) event, in a register of its own: number @i in @extras */
static inline u64 knc_hw_read_extra(unsigned int i)
{
	return knc_hw_ops->read_msr(this_pmu->extras[i].msr);
}

static inline void knc_hw_write_extra(unsigned int i, u64 word)
{
	knc_hw_ops->write_msr(this_pmu->extras[i].msr, word);
}

static __always_inline bool pmu_has_extras(void)
{
	return this_pmu->nr_extras;
}

/* Must counters settle before a new event is counted (an erratum)? */
static __always_inline bool pmu_settles(void)
{
	return this_pmu->nr_settle;
}

/* The gate; 0 if the PMU has none: no counter obeys it */
static inline u64 knc_hw_read_gate(void)
{
	return pmu_has_gate() ? knc_hw_ops->read_msr(this_pmu->gate.msr) : 0;
}

static inline void knc_hw_write_gate(u64 value)
{
	if (pmu_has_gate())
		knc_hw_ops->write_msr(this_pmu->gate.msr, value);
}

static inline bool knc_hw_gate_is_open(void)
{
	return knc_hw_read_gate() & this_pmu->gate.open;
}

static inline u64 knc_hw_read_global_ctrl(void)
{
	return pmu_mask(knc_hw_ops->read_msr(this_pmu->ctrl.msr));
}

static inline void knc_hw_write_global_ctrl(u64 cntrs)
{
	knc_hw_ops->write_msr(this_pmu->ctrl.msr, pmu_mask(cntrs));
}

static inline u64 knc_hw_read_global_status(void)
{
	/* reading only the lower half saves three instructions in each PMI */
	if (this_pmu->status.mask >> 32)
		return knc_hw_ops->read_msr(this_pmu->status.msr);
	return knc_hw_ops->read_msr_low(this_pmu->status.msr);
}

/* Clear status bits by writing 1; bits of @mask that the register reserves are left out */
static inline void knc_hw_clear_global_status(u64 mask)
{
	knc_hw_ops->write_msr(this_pmu->ack.msr, pmu_mask(mask & this_pmu->ack.mask));
}

/*
 * The erratum's workaround: let the first counters count the events of @settle for a moment, from
 * 0, while all others are stopped. Then stop them too, and set the event selects to @selects.
 */
static inline void knc_hw_settle(const u64 *selects)
{
	unsigned int n;

	for (n = 0; n < this_pmu->nr_settle; n++) {
		knc_hw_write_evtsel(n, this_pmu->settle[n]);
		knc_hw_write_counter(n, 0);
	}
	knc_hw_write_global_ctrl((1ULL << this_pmu->nr_settle) - 1);
	knc_hw_write_global_ctrl(0);
	for (n = 0; n < this_pmu->nr_settle; n++)
		knc_hw_write_evtsel(n, selects[n]);
}

static inline u64 knc_hw_read_tsc(void)
{
	return knc_hw_ops->read_tsc();
}

static inline u64 knc_hw_read_cr4(void)
{
	return knc_hw_ops->get_cr4();
}

/*
 * Set or clear CR4.PCE, which lets ring 3 execute RDPMC. Only for 2.6.38, which never touches this
 * bit: newer kernels keep a copy of CR4, and would not clear a bit that is not in their copy. All
 * other bits are written as they were read: some raise #GP on a card.
 */
static inline void knc_hw_permit_rdpmc(bool permit)
{
	u64 cr4 = knc_hw_ops->get_cr4();

	if (!(cr4 & KNC_CR4_PCE) == permit)
		knc_hw_ops->set_cr4(cr4 ^ KNC_CR4_PCE);
}

static inline u32 knc_hw_read_lvtpc(void)
{
	return knc_hw_ops->read_apic(KNC_APIC_LVTPC);
}

static inline void knc_hw_write_lvtpc(u32 value)
{
	knc_hw_ops->write_apic(KNC_APIC_LVTPC, value);
}

#endif /* KNC_PMU_HW_H */
