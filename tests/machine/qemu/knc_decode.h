/* SPDX-License-Identifier: GPL-2.0 */
/* Decoding an instruction's bytes into what the units of an emulated core need to know */
#ifndef KNC_DECODE_H
#define KNC_DECODE_H

#define KNC_INSN_U		(1U << 0)	/* can be the first of a pair */
#define KNC_INSN_V		(1U << 1)	/* can be the second */
#define KNC_INSN_STACK		(1U << 2)	/* pushes or pops: changes the stack pointer */
#define KNC_INSN_MICRO		(1U << 3)	/* its cycles are of microcode */
#define KNC_INSN_FLUSH		(1U << 4)	/* flushes the pipeline: loads a segment register */
#define KNC_INSN_VECTOR		(1U << 5)	/* a packed operation */
#define KNC_INSN_STREAM		(1U << 6)	/* a streaming store */
#define KNC_INSN_NO_VPU		(1U << 9)	/* SSE that is no stand-in for the VPU */
#define KNC_INSN_GATHER		(1U << 10)	/* a vector of indices is part of its address */
#define KNC_INSN_ORDERED	(1U << 11)	/* a streaming store that is globally ordered */
#define KNC_INSN_X87		(1U << 12)	/* x87 arithmetic */
#define KNC_INSN_PREFETCH_SHIFT	7
#define KNC_INSN_PREFETCHES	(3U << KNC_INSN_PREFETCH_SHIFT)
/* The prefetch instructions vprefetch0, 1 and 2 */
#define KNC_INSN_PREFETCH(n)	(((n) + 1U) << KNC_INSN_PREFETCH_SHIFT)

/* A decoded instruction; translated code stores it as three words. Registers are bits of masks */
typedef struct KncDecoded {
	uint16_t address;	/* registers that address memory, including the stack pointer */
	uint16_t reads;
	uint16_t writes;	/* without the stack pointer of pushes and pops */
	uint16_t cycles;	/* in the E stage */
	uint16_t flags;
	uint8_t elements;	/* of a packed operation */
	uint8_t again;		/* cycles of each iteration of REP */
	uint32_t xmm_reads;	/* xmm or zmm registers */
	uint32_t xmm_writes;
	uint8_t mask_reads;	/* k0 to k7 */
	uint8_t mask_writes;
	uint8_t index;		/* number of the zmm with the indices of a gather */
} KncDecoded;

/* An instruction while it is decoded */
typedef struct KncCode {
	const uint8_t *at, *end;
	bool code64;
	int rex;
	bool data16, rep, repne, other;	/* prefixes */
	bool two;			/* a two-byte opcode (0F) */
	uint8_t opcode, modrm;
	bool memory;			/* ModRM has an operand in memory */
	bool displacement;
	uint32_t op;
	KncDecoded *d;
} KncCode;

void knc_decode(const uint8_t *code, unsigned int len, bool code64, KncDecoded *d);
bool knc_decode_sse(KncCode *c);

#endif /* KNC_DECODE_H */
