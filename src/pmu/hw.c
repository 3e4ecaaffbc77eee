// SPDX-License-Identifier: GPL-2.0
/*
 * Whose PMU it is, and who else may have it
 */
#include <linux/errno.h>

#include <asm/nmi.h>
#include <asm/processor.h>

#include <knc/registers.h>

#include "pmu/hw.h"

#ifdef KNC_PMU_KUNIT
const struct knc_hw_ops *knc_hw_ops = &knc_hw_native;
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

static const struct knc_pmu_reg knc_hw_registers[KNC_NR_REGISTERS] = {
#define KNC_HW_REGISTER(_space, _number, name)				\
	{ .number = _number, .space = KNC_PMU_SPACE_##_space },
	KNC_REGISTERS(KNC_HW_REGISTER)
};

static u64 knc_hw_read_register(const struct knc_pmu_reg *reg)
{
	if (reg->space == KNC_PMU_SPACE_APIC)
		return knc_hw_ops->read_apic(reg->number);
	if (reg->space == KNC_PMU_SPACE_CR)
		return knc_hw_read_cr4();
	if (reg->number == KNC_IA32_TIME_STAMP_COUNTER)
		return knc_hw_read_tsc();
	return knc_hw_ops->read_msr(reg->number);
}

/**
 * knc_hw_snapshot() - what the registers of the executing hardware thread hold
 * @regs: room for KNC_NR_REGISTERS
 *
 * Changes nothing.
 */
void knc_hw_snapshot(struct knc_pmu_reg *regs)
{
	unsigned int i;

	for (i = 0; i < KNC_NR_REGISTERS; i++) {
		regs[i] = knc_hw_registers[i];
		regs[i].value = knc_hw_read_register(&regs[i]);
	}
}
