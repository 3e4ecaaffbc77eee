/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Registers of the Knights Corner core PMU
 *
 * The one place where MSR numbers, bit fields, widths and encodings are
 * written down.  Shared by the module, the tools, the tests and the emulated
 * card: nothing here may depend on a kernel or a libc.
 *
 * Source: Intel 327357-001 (rev. 1.01), tables 1-1 to 1-10, whose names these
 * are.  All registers but the TSC exist once per hardware thread, and all read
 * zero after a reset; INIT leaves them alone (327357 1.4.4).
 */
#ifndef KNC_REGS_H
#define KNC_REGS_H

/* CPUID leaf 1: base family 0x0B, to which no extended family is added; model 1 */
#define KNC_CPU_FAMILY			0x0b
#define KNC_CPU_MODEL			0x01

#define KNC_NR_COUNTERS			2
#define KNC_COUNTER_WIDTH		40
#define KNC_COUNTER_MASK		((1ULL << KNC_COUNTER_WIDTH) - 1)
#define KNC_THREADS_PER_CORE		4

/* MSR numbers (table 1-2) */
#define KNC_IA32_TIME_STAMP_COUNTER	0x10	/* 64 bits, one per core */
#define KNC_IA32_PERFCNTR0		0x20	/* 40 bits, RW */
#define KNC_IA32_PERFCNTR1		0x21
#define KNC_IA32_PERFEVTSEL0		0x28	/* 32 bits, RW */
#define KNC_IA32_PERFEVTSEL1		0x29
#define KNC_PERF_SPFLT_CONTROL		0x2c	/* 64 bits, RW */
#define KNC_IA32_PERF_GLOBAL_STATUS	0x2d	/* 32 bits, RO, sticky */
#define KNC_IA32_PERF_GLOBAL_OVF_CONTROL 0x2e	/* 32 bits, WO, write 1 clears */
#define KNC_IA32_PERF_GLOBAL_CTRL	0x2f	/* 32 bits, RW */

#define KNC_IA32_PERFCNTR(n)		(KNC_IA32_PERFCNTR0 + (n))
#define KNC_IA32_PERFEVTSEL(n)		(KNC_IA32_PERFEVTSEL0 + (n))

/*
 * IA32_PerfCntr0/1 (table 1-4).  A write sets all 40 bits: unlike P6 there is
 * no sign extension of bit 31 (1.4.3.2).
 */
#define KNC_PERFCNTR_RESERVED		(~KNC_COUNTER_MASK)

/* IA32_PerfEvtSel0/1 (table 1-5) */
#define KNC_EVTSEL_EVENT_SHIFT		0
#define KNC_EVTSEL_EVENT		0x000000ffUL
#define KNC_EVTSEL_UMASK_SHIFT		8
#define KNC_EVTSEL_UMASK		0x0000ff00UL
#define KNC_EVTSEL_USR			(1UL << 16)	/* rings 1, 2 and 3 */
#define KNC_EVTSEL_OS			(1UL << 17)	/* ring 0 */
#define KNC_EVTSEL_EDGE			(1UL << 18)
#define KNC_EVTSEL_INT			(1UL << 20)
#define KNC_EVTSEL_THREAD_MODE		(1UL << 21)
#define KNC_EVTSEL_EN			(1UL << 22)
#define KNC_EVTSEL_INV			(1UL << 23)
#define KNC_EVTSEL_CMASK_SHIFT		24
#define KNC_EVTSEL_CMASK		0xff000000UL
/* bit 19 and all above 31 */
#define KNC_EVTSEL_RESERVED		(~0xfff7ffffULL)

/* PERF_SPFLT_CONTROL (table 1-7) */
#define KNC_SPFLT_USER_PREF		(1ULL << 63)
#define KNC_SPFLT_CNTR(n)		(1ULL << (n))
#define KNC_SPFLT_CNTRS			0x3ULL
#define KNC_SPFLT_RESERVED		(~(KNC_SPFLT_USER_PREF | KNC_SPFLT_CNTRS))

/* IA32_PERF_GLOBAL_STATUS, _OVF_CONTROL, _CTRL (tables 1-8 to 1-10) */
#define KNC_GLOBAL_CNTR(n)		(1ULL << (n))
#define KNC_GLOBAL_CNTRS		0x3ULL
#define KNC_GLOBAL_RESERVED		(~KNC_GLOBAL_CNTRS)

/*
 * An event's code: the fields event and umask of an event select. Raw events of the
 * tools (rUUEE) are this number in hexadecimal.
 */
#define KNC_EVTSEL_CODE(event, umask)					\
	(((unsigned long)(event) << KNC_EVTSEL_EVENT_SHIFT) |		\
	 ((unsigned long)(umask) << KNC_EVTSEL_UMASK_SHIFT))

/*
 * Local APIC: LVT performance counter entry.  The APIC sets the mask by itself
 * when it delivers; software must clear it (1.4.3.9).
 */
#define KNC_APIC_LVTPC			0x340
#define KNC_APIC_LVT_VECTOR		0xffUL
#define KNC_APIC_LVT_NMI		(4UL << 8)	/* delivery mode; 0: fixed */
#define KNC_APIC_LVT_MASKED		(1UL << 16)

/* CR4.PCE: RDPMC in rings 1 to 3 */
#define KNC_CR4_PCE			(1UL << 8)

/*
 * SPFLT r (set USER_PREF to bit 0 of r) is VEX.128.F2.0F.W0/W1 AE /6 with a
 * register operand, DELAY r the same with F3.  Below are the opcode, ModRM.reg, and
 * VEX.pp of each.  The form without VEX is UMWAIT elsewhere: never use it.
 */
#define KNC_OPC_SPFLT_DELAY		0xae
#define KNC_OPC_SPFLT_DELAY_REG		6	/* ModRM.reg */
#define KNC_VEX_PP_F3			2	/* VEX.pp of DELAY */
#define KNC_VEX_PP_F2			3	/* VEX.pp of SPFLT */

#endif /* KNC_REGS_H */
