/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers of the hardware thread this code runs on: this file and hw.c are
 * the only ones that execute RDMSR, WRMSR, RDPMC or MOV CR4 or touch the local
 * APIC.
 *
 * The instructions are written out: the kernel's names for them change from
 * release to release. None can fault: the registers exist on the CPU that
 * knc_hw_probe() accepted, and only legal values are written.
 *
 * All functions act on the executing hardware thread; the caller has
 * interrupts off (or does not mind which thread it is).
 */
#ifndef KNC_PMU_HW_H
#define KNC_PMU_HW_H

#include <linux/types.h>

#include <asm/apic.h>
#include <asm/io.h>

#include <knc/regs.h>
#include <knc_pmu.h>

/**
 * struct knc_hw_model - what a PMU of this kind has
 * @family: CPUID family
 * @model: CPUID model
 * @nr_counters: counters of a hardware thread
 * @width: bits of a counter
 * @threads_per_core: hardware threads of a core
 * @perfcntr: MSR of counter 0
 * @perfevtsel: MSR of event select 0
 * @spflt_control: MSR of PERF_SPFLT_CONTROL
 * @global_status: MSR of IA32_PERF_GLOBAL_STATUS
 * @global_ovf_control: MSR of IA32_PERF_GLOBAL_OVF_CONTROL
 * @global_ctrl: MSR of IA32_PERF_GLOBAL_CTRL
 * @counter_mask: bits of a counter
 *
 * Models that differ in these only (P6 shape: select, count, global control,
 * status, overflow control) need another descriptor, not another driver.
 */
struct knc_hw_model {
	unsigned int family;
	unsigned int model;
	unsigned int nr_counters;
	unsigned int width;
	unsigned int threads_per_core;
	u32 perfcntr;
	u32 perfevtsel;
	u32 spflt_control;
	u32 global_status;
	u32 global_ovf_control;
	u32 global_ctrl;
	u64 counter_mask;
};

/**
 * struct knc_hw_ops - how registers are reached; KUnit puts a model here
 * @read_msr: RDMSR
 * @write_msr: WRMSR
 * @read_pmc: RDPMC
 * @read_tsc: RDTSC
 * @get_cr4: MOV from CR4
 * @set_cr4: MOV to CR4
 * @read_apic: read a register of the local APIC
 * @write_apic: write one
 */
struct knc_hw_ops {
	u64 (*read_msr)(u32 msr);
	void (*write_msr)(u32 msr, u64 value);
	u64 (*read_pmc)(u32 counter);
	u64 (*read_tsc)(void);
	u64 (*get_cr4)(void);
	void (*set_cr4)(u64 value);
	u32 (*read_apic)(u32 reg);
	void (*write_apic)(u32 reg, u32 value);
};

static const struct knc_hw_model knc_hw_model = {
	.family			= KNC_CPU_FAMILY,
	.model			= KNC_CPU_MODEL,
	.nr_counters		= KNC_NR_COUNTERS,
	.width			= KNC_COUNTER_WIDTH,
	.threads_per_core	= KNC_THREADS_PER_CORE,
	.perfcntr		= KNC_IA32_PERFCNTR0,
	.perfevtsel		= KNC_IA32_PERFEVTSEL0,
	.spflt_control		= KNC_PERF_SPFLT_CONTROL,
	.global_status		= KNC_IA32_PERF_GLOBAL_STATUS,
	.global_ovf_control	= KNC_IA32_PERF_GLOBAL_OVF_CONTROL,
	.global_ctrl		= KNC_IA32_PERF_GLOBAL_CTRL,
	.counter_mask		= KNC_COUNTER_MASK,
};

int knc_hw_probe(void);
int knc_hw_reserve(void);
void knc_hw_release(void);
void knc_hw_snapshot(struct knc_pmu_reg *regs);

/* RDMSR, RDPMC and RDTSC clear the upper halves of RAX and RDX: nothing is extended. */
static inline u64 knc_native_read_msr(u32 msr)
{
	unsigned long lo, hi;

	asm volatile("rdmsr" : "=a" (lo), "=d" (hi) : "c" (msr));
	return (u64)hi << 32 | lo;
}

static inline void knc_native_write_msr(u32 msr, u64 value)
{
	asm volatile("wrmsr"
		     : : "c" (msr), "a" ((u32)value), "d" ((u32)(value >> 32))
		     : "memory");
}

static inline u64 knc_native_read_pmc(u32 counter)
{
	unsigned long lo, hi;

	asm volatile("rdpmc" : "=a" (lo), "=d" (hi) : "c" (counter));
	return (u64)hi << 32 | lo;
}

static inline u64 knc_native_read_tsc(void)
{
	unsigned long lo, hi;

	asm volatile("rdtsc" : "=a" (lo), "=d" (hi));
	return (u64)hi << 32 | lo;
}

static inline u64 knc_native_read_cr4(void)
{
	unsigned long cr4;

	asm volatile("mov %%cr4, %0" : "=r" (cr4));
	return cr4;
}

static inline void knc_native_write_cr4(u64 cr4)
{
	asm volatile("mov %0, %%cr4" : : "r" ((unsigned long)cr4) : "memory");
}

/*
 * apic_read() is a static call that modules can't use since 6.6, and a card has
 * none but an APIC in memory.
 */
static inline u32 knc_native_read_apic(u32 reg)
{
	return readl((void __iomem *)(APIC_BASE + reg));
}

static inline void knc_native_write_apic(u32 reg, u32 value)
{
	writel(value, (void __iomem *)(APIC_BASE + reg));
}

static const struct knc_hw_ops knc_hw_native = {
	.read_msr	= knc_native_read_msr,
	.write_msr	= knc_native_write_msr,
	.read_pmc	= knc_native_read_pmc,
	.read_tsc	= knc_native_read_tsc,
	.get_cr4	= knc_native_read_cr4,
	.set_cr4	= knc_native_write_cr4,
	.read_apic	= knc_native_read_apic,
	.write_apic	= knc_native_write_apic,
};

#ifdef KNC_PMU_KUNIT
extern const struct knc_hw_ops *knc_hw_ops;
#else
/* a constant the compiler sees through, as the model: no calls */
#define knc_hw_ops (&knc_hw_native)
#endif

static inline u64 knc_hw_read_counter(unsigned int n)
{
	return knc_hw_ops->read_pmc(n);
}

/* All counters, and the time stamp counter, as close together as can be */
static inline u64 knc_hw_read_all(u64 *counters)
{
	counters[0] = knc_hw_ops->read_pmc(0);
	counters[1] = knc_hw_ops->read_pmc(1);
	return knc_hw_ops->read_tsc();
}

static inline void knc_hw_write_counter(unsigned int n, u64 value)
{
	knc_hw_ops->write_msr(knc_hw_model.perfcntr + n, value);
}

static inline u64 knc_hw_read_evtsel(unsigned int n)
{
	return knc_hw_ops->read_msr(knc_hw_model.perfevtsel + n);
}

static inline void knc_hw_write_evtsel(unsigned int n, u64 value)
{
	knc_hw_ops->write_msr(knc_hw_model.perfevtsel + n, value);
}

static inline u64 knc_hw_read_spflt(void)
{
	return knc_hw_ops->read_msr(knc_hw_model.spflt_control);
}

static inline void knc_hw_write_spflt(u64 value)
{
	knc_hw_ops->write_msr(knc_hw_model.spflt_control, value);
}

static inline u64 knc_hw_read_global_ctrl(void)
{
	return knc_hw_ops->read_msr(knc_hw_model.global_ctrl);
}

static inline void knc_hw_write_global_ctrl(u64 value)
{
	knc_hw_ops->write_msr(knc_hw_model.global_ctrl, value);
}

static inline u64 knc_hw_read_global_status(void)
{
	return knc_hw_ops->read_msr(knc_hw_model.global_status);
}

/* Status bits are cleared by writing 1 to IA32_PERF_GLOBAL_OVF_CONTROL. */
static inline void knc_hw_clear_global_status(u64 mask)
{
	knc_hw_ops->write_msr(knc_hw_model.global_ovf_control, mask);
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
 * May ring 3 execute RDPMC? Only for kernels that never touch the bit: others hold a
 * copy of CR4, and would not take away again what they don't know of. No other bit is
 * written as it was not read: some raise #GP on a card.
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
