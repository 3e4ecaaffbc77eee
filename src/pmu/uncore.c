// SPDX-License-Identifier: GPL-2.0
/*
 * The uncore PMU of Westmere and Nehalem: its CPUs, events and registers
 *
 * Any hardware thread of the package can access its registers. Its interrupts are not used.
 */
#include <linux/kernel.h>

#include <asm/processor.h>

#include "pmu/host.h"
#include "pmu/hw.h"
#include "pmu/uncore.h"

/* The code of the uncore clock event, which only the fixed counter counts */
#define PMU_UNCORE_CLOCK	KNC_EVTSEL_CODE(0xff, 0)

/* Events whose accumulator is reset when they begin to be counted */
static const u16 pmu_uncore_occupancy[] = {
#define UNC_CODE_PLAIN(code)
#define UNC_CODE_OCCUPANCY(code)	code,
#define UNC_EVENT(name, event, umask, kind, ...)			\
	UNC_CODE_##kind(KNC_EVTSEL_CODE(event, umask))
#include <knc/uncore_events.def>
};

/**
 * pmu_uncore_is() - does the CPU have this uncore?
 * @family: its family, CPUID leaf 1
 * @model: its model, with the extended bits
 *
 * Models 0x2E and 0x2F (Nehalem-EX, Westmere-EX) have another uncore.
 */
bool pmu_uncore_is(unsigned int family, unsigned int model)
{
	return family == WSM_FAMILY &&
	       (model == 0x1a || model == 0x1e || model == WSM_MODEL_CLARKDALE ||
		model == WSM_MODEL_EP);
}

/* Does this machine have it? Not in a virtual machine: a hypervisor does not pass it through. */
bool pmu_uncore_exists(void)
{
	return pmu_uncore_is(boot_cpu_data.x86, boot_cpu_data.x86_model) &&
	       !boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

/* If the uncore exists, REGS reports its registers with those of each hardware thread. */
void pmu_uncore_add_registers(void)
{
	static const u32 msrs[] = {
		UNC_PERF_GLOBAL_CTRL, UNC_PERF_GLOBAL_STATUS, UNC_FIXED_CTR_CTRL,
		UNC_FIXED_CTR0, UNC_ADDR_OPCODE_MATCH,
	};
	unsigned int i;

	if (!pmu_uncore_exists())
		return;
	for (i = 0; i < ARRAY_SIZE(msrs); i++)
		pmu_arch_add_register(&pmu_arch, KNC_PMU_SPACE_MSR, msrs[i]);
	for (i = 0; i < UNC_NR_COUNTERS; i++)
		pmu_arch_add_register(&pmu_arch, KNC_PMU_SPACE_MSR, UNC_PERFEVTSEL0 + i);
	for (i = 0; i < UNC_NR_COUNTERS; i++)
		pmu_arch_add_register(&pmu_arch, KNC_PMU_SPACE_MSR, UNC_PMC0 + i);
}

/* The counters that can count an event */
u64 pmu_uncore_counters(u64 code)
{
	return code == PMU_UNCORE_CLOCK ? UNC_EN_FC0 : UNC_EN_PC_ALL;
}

/* The event select, or the fixed counter's control. Queue occupancies are reset to 0. */
u64 pmu_uncore_select(const struct pmu_select *s)
{
	u64 select = KNC_EVTSEL_EN | s->code | (u64)s->cmask << KNC_EVTSEL_CMASK_SHIFT;
	unsigned int i;

	if (s->code == PMU_UNCORE_CLOCK)
		return UNC_FIXED_EN;
	if (s->flags & KNC_PMU_EVENT_EDGE)
		select |= KNC_EVTSEL_EDGE;
	if (s->flags & KNC_PMU_EVENT_INV)
		select |= KNC_EVTSEL_INV;
	for (i = 0; i < ARRAY_SIZE(pmu_uncore_occupancy); i++)
		if (pmu_uncore_occupancy[i] == s->code)
			select |= UNC_OCC_CTR_RST;
	return select;
}

static u32 pmu_uncore_msr(unsigned int counter)
{
	return counter == UNC_FIXED ? UNC_FIXED_CTR0 : UNC_PMC0 + counter;
}

/*
 * Does Linux's own driver, or the firmware, count on this package? The global enables do not tell,
 * because that driver leaves them set after its last event.
 */
bool pmu_uncore_counts(void)
{
	u64 ctrl = knc_hw_ops->read_msr(UNC_PERF_GLOBAL_CTRL);
	unsigned int n;

	for (n = 0; n < UNC_NR_COUNTERS; n++)
		if (ctrl & UNC_EN_PC(n) &&
		    knc_hw_ops->read_msr(UNC_PERFEVTSEL0 + n) & KNC_EVTSEL_EN)
			return true;
	return ctrl & UNC_EN_FC0 &&
	       knc_hw_ops->read_msr(UNC_FIXED_CTR_CTRL) & UNC_FIXED_EN;
}

/* Save the registers, stop all counters, and clear the status. */
void pmu_uncore_save(struct pmu_uncore_saved *saved)
{
	unsigned int n;

	saved->ctrl = knc_hw_ops->read_msr(UNC_PERF_GLOBAL_CTRL);
	knc_hw_ops->write_msr(UNC_PERF_GLOBAL_CTRL, 0);
	for (n = 0; n < UNC_NR_COUNTERS; n++) {
		saved->select[n] = knc_hw_ops->read_msr(UNC_PERFEVTSEL0 + n);
		saved->counter[n] = knc_hw_ops->read_msr(UNC_PMC0 + n);
		knc_hw_ops->write_msr(UNC_PERFEVTSEL0 + n, 0);
	}
	saved->fixed_ctrl = knc_hw_ops->read_msr(UNC_FIXED_CTR_CTRL);
	saved->counter[n] = knc_hw_ops->read_msr(UNC_FIXED_CTR0);
	knc_hw_ops->write_msr(UNC_FIXED_CTR_CTRL, 0);
	knc_hw_ops->write_msr(UNC_PERF_GLOBAL_OVF_CTRL, PMU_UNCORE_STATUS);
}

/* The reverse of pmu_uncore_save(), the global control last. No counter counts afterwards. */
void pmu_uncore_restore(const struct pmu_uncore_saved *saved)
{
	unsigned int n;

	knc_hw_ops->write_msr(UNC_PERF_GLOBAL_CTRL, 0);
	for (n = 0; n < UNC_NR_COUNTERS; n++) {
		knc_hw_ops->write_msr(UNC_PERFEVTSEL0 + n, saved->select[n]);
		knc_hw_ops->write_msr(UNC_PMC0 + n, saved->counter[n]);
	}
	knc_hw_ops->write_msr(UNC_FIXED_CTR_CTRL, saved->fixed_ctrl);
	knc_hw_ops->write_msr(UNC_FIXED_CTR0, saved->counter[n]);
	knc_hw_ops->write_msr(UNC_PERF_GLOBAL_OVF_CTRL, PMU_UNCORE_STATUS);
	knc_hw_ops->write_msr(UNC_PERF_GLOBAL_CTRL, saved->ctrl);
}

/* Set the event of a stopped counter, and the counter to 0. */
void pmu_uncore_program(unsigned int counter, u64 select)
{
	if (counter == UNC_FIXED)
		knc_hw_ops->write_msr(UNC_FIXED_CTR_CTRL, select);
	else
		knc_hw_ops->write_msr(UNC_PERFEVTSEL0 + counter, select);
	knc_hw_ops->write_msr(pmu_uncore_msr(counter), 0);
}

/* Let exactly these counters count. */
void pmu_uncore_enable(u64 counters)
{
	knc_hw_ops->write_msr(UNC_PERF_GLOBAL_CTRL, counters);
}

/* The counters that have overflowed since the last call; clears their status */
u64 pmu_uncore_overflows(void)
{
	u64 status = knc_hw_ops->read_msr(UNC_PERF_GLOBAL_STATUS);

	status &= PMU_UNCORE_STATUS;
	if (status)
		knc_hw_ops->write_msr(UNC_PERF_GLOBAL_OVF_CTRL, status);
	return status & PMU_UNCORE_MASK;
}

u64 pmu_uncore_read(unsigned int counter)
{
	return knc_hw_ops->read_msr(pmu_uncore_msr(counter));
}
