// SPDX-License-Identifier: GPL-2.0
/*
 * The only file that executes RDMSR, WRMSR, RDPMC or MOV CR4 or touches the
 * local APIC.
 *
 * The instructions are written out: the kernel's names for them change from
 * release to release. None can fault: the registers exist on the CPU that
 * knc_hw_probe() accepted, and only legal values are written.
 */
#include <linux/errno.h>

#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include <knc/regs.h>

#include "hw.h"

const struct knc_hw_model knc_hw_model = {
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

static u64 knc_native_read_msr(u32 msr)
{
	u32 lo, hi;

	asm volatile("rdmsr" : "=a" (lo), "=d" (hi) : "c" (msr));
	return (u64)hi << 32 | lo;
}

static void knc_native_write_msr(u32 msr, u64 value)
{
	asm volatile("wrmsr"
		     : : "c" (msr), "a" ((u32)value), "d" ((u32)(value >> 32))
		     : "memory");
}

static u64 knc_native_read_pmc(u32 counter)
{
	u32 lo, hi;

	asm volatile("rdpmc" : "=a" (lo), "=d" (hi) : "c" (counter));
	return (u64)hi << 32 | lo;
}

static u64 knc_native_read_tsc(void)
{
	u32 lo, hi;

	asm volatile("rdtsc" : "=a" (lo), "=d" (hi));
	return (u64)hi << 32 | lo;
}

static u64 knc_native_read_cr4(void)
{
	unsigned long cr4;

	asm volatile("mov %%cr4, %0" : "=r" (cr4));
	return cr4;
}

/* apic_read() is a static call that modules can't use since 6.6 */
static u32 knc_native_read_apic(u32 reg)
{
	return apic->read(reg);
}

static void knc_native_write_apic(u32 reg, u32 value)
{
	apic->write(reg, value);
}

static const struct knc_hw_ops knc_hw_native = {
	.read_msr	= knc_native_read_msr,
	.write_msr	= knc_native_write_msr,
	.read_pmc	= knc_native_read_pmc,
	.read_tsc	= knc_native_read_tsc,
	.get_cr4	= knc_native_read_cr4,
	.read_apic	= knc_native_read_apic,
	.write_apic	= knc_native_write_apic,
};

#ifdef KNC_PMU_KUNIT
const struct knc_hw_ops *knc_hw_ops = &knc_hw_native;
#else
/* a constant the compiler sees through: no indirect calls */
#define knc_hw_ops (&knc_hw_native)
#endif

/**
 * knc_hw_probe() - is this the CPU whose PMU we know?
 *
 * Return: 0, or -ENODEV.
 */
int knc_hw_probe(void)
{
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL ||
	    boot_cpu_data.x86 != knc_hw_model.family ||
	    boot_cpu_data.x86_model != knc_hw_model.model)
		return -ENODEV;
	return 0;
}

static void knc_hw_release_some(unsigned int nr_perfctr,
				unsigned int nr_evntsel)
{
	while (nr_evntsel--)
		release_evntsel_nmi(knc_hw_model.perfevtsel + nr_evntsel);
	while (nr_perfctr--)
		release_perfctr_nmi(knc_hw_model.perfcntr + nr_perfctr);
}

/**
 * knc_hw_reserve() - take the counters from the kernel's other users
 *
 * perf, oprofile and the NMI watchdog reserve them the same way.
 *
 * Return: 0, or -EBUSY if one of them has them.
 */
int knc_hw_reserve(void)
{
	unsigned int i, j;

	for (i = 0; i < knc_hw_model.nr_counters; i++) {
		if (!reserve_perfctr_nmi(knc_hw_model.perfcntr + i)) {
			knc_hw_release_some(i, 0);
			return -EBUSY;
		}
	}
	for (j = 0; j < knc_hw_model.nr_counters; j++) {
		if (!reserve_evntsel_nmi(knc_hw_model.perfevtsel + j)) {
			knc_hw_release_some(i, j);
			return -EBUSY;
		}
	}
	return 0;
}

/* Give back what knc_hw_reserve() took. */
void knc_hw_release(void)
{
	knc_hw_release_some(knc_hw_model.nr_counters, knc_hw_model.nr_counters);
}

u64 knc_hw_read_counter(unsigned int n)
{
	return knc_hw_ops->read_pmc(n);
}

/* All counters, and the time stamp counter, as close together as can be */
u64 knc_hw_read_all(u64 *counters)
{
	counters[0] = knc_hw_ops->read_pmc(0);
	counters[1] = knc_hw_ops->read_pmc(1);
	return knc_hw_ops->read_tsc();
}

void knc_hw_write_counter(unsigned int n, u64 value)
{
	knc_hw_ops->write_msr(knc_hw_model.perfcntr + n, value);
}

u64 knc_hw_read_evtsel(unsigned int n)
{
	return knc_hw_ops->read_msr(knc_hw_model.perfevtsel + n);
}

void knc_hw_write_evtsel(unsigned int n, u64 value)
{
	knc_hw_ops->write_msr(knc_hw_model.perfevtsel + n, value);
}

u64 knc_hw_read_spflt(void)
{
	return knc_hw_ops->read_msr(knc_hw_model.spflt_control);
}

void knc_hw_write_spflt(u64 value)
{
	knc_hw_ops->write_msr(knc_hw_model.spflt_control, value);
}

u64 knc_hw_read_global_ctrl(void)
{
	return knc_hw_ops->read_msr(knc_hw_model.global_ctrl);
}

void knc_hw_write_global_ctrl(u64 value)
{
	knc_hw_ops->write_msr(knc_hw_model.global_ctrl, value);
}

u64 knc_hw_read_global_status(void)
{
	return knc_hw_ops->read_msr(knc_hw_model.global_status);
}

/* Status bits are cleared by writing 1 to IA32_PERF_GLOBAL_OVF_CONTROL. */
void knc_hw_clear_global_status(u64 mask)
{
	knc_hw_ops->write_msr(knc_hw_model.global_ovf_control, mask);
}

u64 knc_hw_read_tsc(void)
{
	return knc_hw_ops->read_tsc();
}

u64 knc_hw_read_cr4(void)
{
	return knc_hw_ops->get_cr4();
}

u32 knc_hw_read_lvtpc(void)
{
	return knc_hw_ops->read_apic(KNC_APIC_LVTPC);
}

void knc_hw_write_lvtpc(u32 value)
{
	knc_hw_ops->write_apic(KNC_APIC_LVTPC, value);
}
