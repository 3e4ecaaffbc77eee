/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Registers of the architectural PMU: CPUID leaf 0xA, versions 1 to 3
 *
 * The one place where its MSR numbers, bit fields and encodings are written down, shared by the
 * module, the tools, the tests and the emulated host. Names are those of Intel's software
 * developer's manual, volume 3. An event select has the layout of regs.h: bit 21, thread mode
 * there, is AnyThread here.
 */
#ifndef KNC_ARCH_REGS_H
#define KNC_ARCH_REGS_H

/* CPUID leaf 0xA */
#define ARCH_CPUID			0x0a
#define ARCH_CPUID_VERSION(eax)		((eax) & 0xff)
#define ARCH_CPUID_NR(eax)		((eax) >> 8 & 0xff)	/* general counters */
#define ARCH_CPUID_WIDTH(eax)		((eax) >> 16 & 0xff)	/* bits of each */
#define ARCH_CPUID_EVENTS(eax)		((eax) >> 24)		/* bits of EBX with a meaning */
#define ARCH_CPUID_NR_FIXED(edx)	((edx) & 0x1f)
#define ARCH_CPUID_WIDTH_FIXED(edx)	((edx) >> 5 & 0xff)
#define ARCH_CPUID_NO_ANYTHREAD		(1U << 15)		/* of EDX: deprecated (version 5) */
/* CPUID leaf 1, ECX: IA32_PERF_CAPABILITIES exists */
#define ARCH_CPUID_PDCM			(1U << 15)

#define ARCH_MAX_GENERAL		8	/* MSRs from 0xC1 and 0x186 on */
#define ARCH_MAX_FIXED			3
#define ARCH_FIXED			32	/* number of the first fixed counter */

/* MSR numbers */
#define ARCH_IA32_PMC0			0xc1
#define ARCH_IA32_PERFEVTSEL0		0x186
#define ARCH_IA32_FIXED_CTR0		0x309
#define ARCH_IA32_PERF_CAPABILITIES	0x345
#define ARCH_IA32_FIXED_CTR_CTRL	0x38d
#define ARCH_IA32_PERF_GLOBAL_STATUS	0x38e	/* read only */
#define ARCH_IA32_PERF_GLOBAL_CTRL	0x38f
#define ARCH_IA32_PERF_GLOBAL_OVF_CTRL	0x390	/* write 1 clears */
#define ARCH_IA32_A_PMC0		0x4c1	/* full-width alias of IA32_PMC0 */

/* IA32_PERF_GLOBAL_STATUS and _OVF_CTRL, beside the counters; from version 2 on */
#define ARCH_STATUS_UNCORE		(1ULL << 61)	/* from Nehalem on */
#define ARCH_STATUS_BUFFER		(1ULL << 62)	/* the debug store overflowed */
#define ARCH_STATUS_CHANGED		(1ULL << 63)	/* another agent changed the PMU's state */
#define ARCH_STATUS_OTHERS		(ARCH_STATUS_BUFFER | ARCH_STATUS_CHANGED)

/* IA32_APIC_BASE: the local APIC is accessed by MSRs (x2APIC), no longer in memory */
#define ARCH_IA32_APIC_BASE		0x1b
#define ARCH_APIC_BASE_X2APIC		(1ULL << 10)
/* The MSR of what is at @offset in memory otherwise */
#define ARCH_X2APIC_MSR(offset)		(0x800 + ((offset) >> 4))
#define ARCH_X2APIC_MSRS		0x40

/* CPUID leaf 7, EDX: there are hardware threads of two kinds */
#define ARCH_CPUID_FEATURES		0x7
#define ARCH_CPUID_HYBRID		(1U << 15)

/* IA32_PERF_CAPABILITIES: IA32_A_PMC0 and those that follow exist */
#define ARCH_CAP_FULL_WIDTH		(1ULL << 13)

/* A write of IA32_PMC0 takes these bits; those above are copies of bit 31 */
#define ARCH_PMC_WRITABLE		0xffffffffULL

/* IA32_PERFEVTSEL0: bits that regs.h does not have */
#define ARCH_EVTSEL_PC			(1UL << 19)	/* pin control; stays 0 here */
#define ARCH_EVTSEL_RESERVED		(~0xffffffffULL)

/* IA32_FIXED_CTR_CTRL: a field for each fixed counter */
#define ARCH_FIXED_FIELD		4
#define ARCH_FIXED_OS			(1UL << 0)
#define ARCH_FIXED_USR			(1UL << 1)
#define ARCH_FIXED_ANYTHREAD		(1UL << 2)	/* version 3 */
#define ARCH_FIXED_INT			(1UL << 3)

/* RDPMC index of the first fixed counter */
#define ARCH_RDPMC_FIXED		(1U << 30)

#endif /* KNC_ARCH_REGS_H */
