/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Cache monitoring: CPUID leaves 7 and 0xF, and its registers
 *
 * The one place where its MSR numbers, bit fields and encodings are written down, shared by the
 * module, the tools, the tests and the emulated host. Names are those of Intel's software
 * developer's manual, volume 3, chapter on platform shared resource monitoring.
 */
#ifndef KNC_CMT_REGS_H
#define KNC_CMT_REGS_H

/* CPUID leaf 4, a subleaf for each cache: EAX */
#define CMT_CPUID_CACHE			0x04
#define CMT_CACHE_TYPE(eax)		((eax) & 0x1f)		/* 0: no more caches */
#define CMT_CACHE_LEVEL(eax)		((eax) >> 5 & 0x7)
#define CMT_CACHE_SHARING(eax)		(((eax) >> 14 & 0xfff) + 1) /* APIC IDs that share it */
#define CMT_CACHE_LINE(ebx)		(((ebx) & 0xfff) + 1)
#define CMT_CACHE_PARTITIONS(ebx)	(((ebx) >> 12 & 0x3ff) + 1)
#define CMT_CACHE_WAYS(ebx)		(((ebx) >> 22) + 1)
#define CMT_CACHE_SETS(ecx)		((ecx) + 1)
/* CPUID leaf 1: EBX; leaf 0xB: EDX, with all bits of it */
#define CMT_CPUID_APIC_ID		0x01
#define CMT_APIC_ID(ebx)		((ebx) >> 24)
#define CMT_CPUID_TOPOLOGY		0x0b

/* CPUID leaf 7, EBX: there is monitoring */
#define CMT_CPUID_FEATURES		0x07
#define CMT_CPUID_MONITORING		(1U << 12)
/* CPUID leaf 0xF, subleaf 0: EBX is the highest RMID of any resource; EDX: the L3 is one */
#define CMT_CPUID			0x0f
#define CMT_CPUID_L3			(1U << 1)
/* Subleaf 1: EBX is the factor, ECX the L3's highest RMID; EDX: events, bit n is event n + 1 */
#define CMT_CPUID_OCCUPANCY		(1U << 0)

/* Events of IA32_QM_EVTSEL */
#define CMT_EVENT_OCCUPANCY		1

/* MSR numbers */
#define CMT_IA32_QM_EVTSEL		0xc8d
#define CMT_IA32_QM_CTR			0xc8e	/* read only */
#define CMT_IA32_PQR_ASSOC		0xc8f

/* IA32_QM_EVTSEL */
#define CMT_EVTSEL_RMID_SHIFT		32
#define CMT_EVTSEL_EVENT		0xffULL
#define CMT_EVTSEL_RMID			(0x3ffULL << CMT_EVTSEL_RMID_SHIFT)

/* IA32_QM_CTR: no data while one of the upper two is set */
#define CMT_CTR_DATA			((1ULL << 62) - 1)
#define CMT_CTR_UNAVAILABLE		(1ULL << 62)
#define CMT_CTR_ERROR			(1ULL << 63)

/* IA32_PQR_ASSOC: the upper half is the class of service */
#define CMT_PQR_RMID			0x3ffULL
#define CMT_PQR_CLASS_SHIFT		32

/* RMIDs that the fields have room for */
#define CMT_MAX_RMIDS			1024

/* IA32_L3_MASK_0 of allocation, which this project does not use: the emulated host has none */
#define CMT_EMULATED_L3_MASK		0xc90

/*
 * A register that only the emulated host has, one in each package: reads of IA32_QM_CTR also return
 * this register's bits 62 and 63
 */
#define CMT_EMULATED_INJECT		0x4b4e4301

#endif /* KNC_CMT_REGS_H */
