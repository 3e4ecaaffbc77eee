/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Registers of Westmere (family 6, models 0x25, 0x2C and 0x2F) that the architectural PMU does not
 * have
 *
 * As arch_regs.h: the one place where they are written down. Names are those of Intel's software
 * developer's manual, volume 3.
 */
#ifndef KNC_WESTMERE_REGS_H
#define KNC_WESTMERE_REGS_H

#define WSM_FAMILY			6
#define WSM_MODEL_CLARKDALE		0x25	/* and Arrandale */
#define WSM_MODEL_EP			0x2c	/* and Gulftown */
#define WSM_MODEL_EX			0x2f

/* The second words of events 0xB7 and 0xBB, unit mask 1; each for all threads of a core */
#define WSM_MSR_OFFCORE_RSP_0		0x1a6
#define WSM_MSR_OFFCORE_RSP_1		0x1a7
#define WSM_OFFCORE_RSP_0		0x01b7	/* code of the event */
#define WSM_OFFCORE_RSP_1		0x01bb
#define WSM_OFFCORE_REQUESTS		0x00ffULL
#define WSM_OFFCORE_RESPONSES		0xff00ULL
#define WSM_OFFCORE_RESERVED		(~0xffffULL)

/*
 * Erratum BD53 (Nehalem: AAK100, AAP53): a new event may be counted wrongly unless counters 0 to 3
 * have counted these for a moment. Linux: intel_pmu_nhm_workaround().
 */
#define WSM_SETTLE_COUNTERS		4
#define WSM_SETTLE_SELECTS		{ 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 }

/* The uncore: one for each package, of models 0x1A, 0x1E, 0x25 and 0x2C */
#define UNC_NR_COUNTERS			8
#define UNC_FIXED			32	/* number of the fixed counter */
#define UNC_WIDTH			48
#define UNC_PERF_GLOBAL_CTRL		0x391
#define UNC_PERF_GLOBAL_STATUS		0x392	/* read only */
#define UNC_PERF_GLOBAL_OVF_CTRL	0x393	/* write 1 clears */
#define UNC_FIXED_CTR0			0x394
#define UNC_FIXED_CTR_CTRL		0x395
#define UNC_ADDR_OPCODE_MATCH		0x396
#define UNC_PMC0			0x3b0
#define UNC_PERFEVTSEL0			0x3c0

/* UNC_PERF_GLOBAL_CTRL; the first two are also those of the status */
#define UNC_EN_PC(n)			(1ULL << (n))
#define UNC_EN_PC_ALL			0xffULL
#define UNC_EN_FC0			(1ULL << 32)
#define UNC_EN_PMI_ALL			(0xfULL << 48)	/* interrupts to cores 0 to 3 */
#define UNC_PMI_FRZ			(1ULL << 63)
#define UNC_OVF_PMI			(1ULL << 61)
#define UNC_CHG				(1ULL << 63)

/* UNC_FIXED_CTR_CTRL */
#define UNC_FIXED_EN			(1ULL << 0)
#define UNC_FIXED_PMI			(1ULL << 2)

/* UNC_PERFEVTSEL0: as regs.h, without USR, OS and bit 21; bit 17 resets a queue's accumulator */
#define UNC_OCC_CTR_RST			(1ULL << 17)
#define UNC_SELECT_RESERVED		(~0xffd6ffffULL)

#endif /* KNC_WESTMERE_REGS_H */
