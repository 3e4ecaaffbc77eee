// SPDX-License-Identifier: GPL-2.0
/*
 * Probe for a PMU that the module knows, reserve its counters, read its registers for REGS
 */
#include <linux/errno.h>

#include <asm/nmi.h>

#include "pmu/hw.h"

#ifdef KNC_PMU_KUNIT
const struct knc_hw_ops *knc_hw_ops = &knc_hw_native;
const struct pmu_desc *this_pmu = &pmu_knc;
#endif

/**
 * knc_hw_probe() - does this CPU have the PMU for which the module is built?
 *
 * Return: 0, or -ENODEV.
 */
int knc_hw_probe(void)
{
	return this_pmu->probe(knc_hw_ops->read_msr) ? 0 : -ENODEV;
}

static bool knc_hw_is_reservable(unsigned int n)
{
	return pmu_bank_of(n)->reserve_msr;
}

static u32 knc_hw_reserve_msr(unsigned int n)
{
	return pmu_bank_of(n)->reserve_msr + n - pmu_bank_of(n)->first;
}

static u32 knc_hw_evtsel_msr(unsigned int n)
{
	return pmu_bank_of(n)->select_msr + n - pmu_bank_of(n)->first;
}

static bool knc_hw_reserve_one(unsigned int n)
{
	if (!knc_hw_is_reservable(n))
		return true;
	if (!reserve_perfctr_nmi(knc_hw_reserve_msr(n)))
		return false;
	if (reserve_evntsel_nmi(knc_hw_evtsel_msr(n)))
		return true;
	release_perfctr_nmi(knc_hw_reserve_msr(n));
	return false;
}

/* Release the counters below @end. */
static void knc_hw_release_some(unsigned int end)
{
	unsigned int n;

	for_each_counter(n) {
		if (n >= end || !knc_hw_is_reservable(n))
			continue;
		release_evntsel_nmi(knc_hw_evtsel_msr(n));
		release_perfctr_nmi(knc_hw_reserve_msr(n));
	}
}

/**
 * knc_hw_reserve() - reserve the counters against the kernel's other users
 *
 * perf, oprofile and the NMI watchdog make the same reservations.
 *
 * Return: 0, or -EBUSY if one of them has a counter.
 */
int knc_hw_reserve(void)
{
	unsigned int n;

	for_each_counter(n) {
		if (knc_hw_reserve_one(n))
			continue;
		knc_hw_release_some(n);
		return -EBUSY;
	}
	return 0;
}

/* Undo knc_hw_reserve(). */
void knc_hw_release(void)
{
	knc_hw_release_some(this_pmu->end);
}

static u64 knc_hw_read_register(const struct knc_pmu_reg *reg)
{
	if (reg->space == KNC_PMU_SPACE_APIC)
		return knc_hw_ops->read_apic(reg->number);
	/* CR4 is the only control register that REGS reports */
	if (reg->space == KNC_PMU_SPACE_CR)
		return knc_hw_read_cr4();
	if (reg->number == KNC_IA32_TIME_STAMP_COUNTER)
		return knc_hw_read_tsc();
	return knc_hw_ops->read_msr(reg->number);
}

/**
 * knc_hw_snapshot() - read the registers of the executing hardware thread
 * @regs: room for @nr_registers of the PMU, out
 *
 * The registers are only read, never written.
 */
void knc_hw_snapshot(struct knc_pmu_reg *regs)
{
	unsigned int i;

	for (i = 0; i < this_pmu->nr_registers; i++) {
		regs[i] = this_pmu->registers[i];
		regs[i].value = knc_hw_read_register(&regs[i]);
	}
}
