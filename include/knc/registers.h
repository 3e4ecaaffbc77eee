/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The registers that KNC_PMU_IOC_REGS returns, with their names in 327357
 *
 * They are not in regs.h, because the emulated card is built from regs.h: a new register here must
 * not cause the card to be built again.
 */
#ifndef KNC_REGISTERS_H
#define KNC_REGISTERS_H

#include <knc/regs.h>

/* Number of a control register */
#define KNC_CR4				4

/*
 * REG(space, number, name): @space is the end of KNC_PMU_SPACE_*: MSR, APIC (an offset in the
 * local APIC) or CR (control register)
 */
#define KNC_REGISTERS(REG)						\
	REG(MSR, KNC_IA32_PERFEVTSEL0, "IA32_PerfEvtSel0")		\
	REG(MSR, KNC_IA32_PERFEVTSEL1, "IA32_PerfEvtSel1")		\
	REG(MSR, KNC_IA32_PERFCNTR0, "IA32_PerfCntr0")			\
	REG(MSR, KNC_IA32_PERFCNTR1, "IA32_PerfCntr1")			\
	REG(MSR, KNC_IA32_PERF_GLOBAL_CTRL, "IA32_PERF_GLOBAL_CTRL")	\
	REG(MSR, KNC_IA32_PERF_GLOBAL_STATUS, "IA32_PERF_GLOBAL_STATUS") \
	REG(MSR, KNC_PERF_SPFLT_CONTROL, "PERF_SPFLT_CONTROL")		\
	REG(MSR, KNC_IA32_TIME_STAMP_COUNTER, "IA32_TIME_STAMP_COUNTER") \
	REG(APIC, KNC_APIC_LVTPC, "LVT_PERF_COUNTER")			\
	REG(CR, KNC_CR4, "CR4")

#define KNC_REGISTERS_ADD(space, number, name)	+ 1
#define KNC_NR_REGISTERS		(0 KNC_REGISTERS(KNC_REGISTERS_ADD))

#endif /* KNC_REGISTERS_H */
