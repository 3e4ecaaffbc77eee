/* SPDX-License-Identifier: GPL-2.0 */
/* Execution of Knights Corner's vector instructions: types for translation and helpers */
#ifndef KNC_VECTOR_EXEC_H
#define KNC_VECTOR_EXEC_H

#include "fpu/softfloat-types.h"
#include "knc/vector_decode.h"

#define KNC_LANES	16

/* A vector of 512 bits */
typedef union KncVector {
	uint32_t d[KNC_LANES];
	uint64_t q[KNC_LANES / 2];
} KncVector;

/* An instruction in a word, an argument of the helper */
typedef union KncVectorCode {
	struct {
		uint8_t row;	/* of knc_vectors[] */
		uint8_t reg;
		uint8_t vvvv;
		uint8_t rm;
		uint8_t index;	/* of gathers */
		uint8_t imm;
		uint8_t mask;	/* write mask; 0: none */
		uint8_t sss : 3, eh : 1, memory : 1, scale : 2;
	};
	uint64_t word;
} KncVectorCode;

/* The operation of an instruction */
enum knc_vector_op {
	KNC_OP_NONE,		/* none: an invalid opcode */
	KNC_OP_MOVE, KNC_OP_STORE, KNC_OP_BROADCAST,
	KNC_OP_UNPACK_LOW, KNC_OP_UNPACK_HIGH, KNC_OP_PACK_LOW, KNC_OP_PACK_HIGH,
	KNC_OP_GATHER, KNC_OP_SCATTER,
	/* on integers of 32 bits */
	KNC_OP_ADD, KNC_OP_SUB, KNC_OP_SUBR, KNC_OP_MIN, KNC_OP_MINU, KNC_OP_MAX, KNC_OP_MAXU,
	KNC_OP_MUL, KNC_OP_MULH, KNC_OP_MULHU, KNC_OP_MADD231,
	KNC_OP_SRL, KNC_OP_SRA, KNC_OP_SLL, KNC_OP_PERM, KNC_OP_MADD233, KNC_OP_ADDSETS,
	/* with a mask that has the carry or borrow of each element */
	KNC_OP_ADC, KNC_OP_ADDSETC, KNC_OP_SBB, KNC_OP_SUBSETB, KNC_OP_SBBR, KNC_OP_SUBRSETB,
	/* on elements of either size */
	KNC_OP_AND, KNC_OP_ANDN, KNC_OP_OR, KNC_OP_XOR, KNC_OP_BLEND,
	/* comparisons: the result is a mask */
	KNC_OP_CMP, KNC_OP_CMPU, KNC_OP_CMPEQ, KNC_OP_CMPGT, KNC_OP_CMPLT, KNC_OP_TEST,
	KNC_OP_FCMP,
	/* on whole vectors */
	KNC_OP_SHUFFLE, KNC_OP_SHUFFLE_LANES, KNC_OP_ALIGN,
	/* floats */
	KNC_OP_FADD, KNC_OP_FSUB, KNC_OP_FSUBR, KNC_OP_FMUL,
	KNC_OP_FMA132, KNC_OP_FMA213, KNC_OP_FMA231,
	KNC_OP_FADDN, KNC_OP_FADDSETS, KNC_OP_FMA233, KNC_OP_SCALE,
	KNC_OP_WIDEN, KNC_OP_NARROW, KNC_OP_INT_TO_F64, KNC_OP_UINT_TO_F64,
	/* floats with rules of their own (knc_vector_special.c) */
	KNC_OP_FMAX, KNC_OP_FMIN, KNC_OP_FMAX_ABS, KNC_OP_FIXUP, KNC_OP_EXPONENT, KNC_OP_MANTISSA,
	KNC_OP_ROUND, KNC_OP_FROM_FIXED, KNC_OP_FROM_UFIXED, KNC_OP_TO_FIXED, KNC_OP_TO_UFIXED,
	KNC_OP_EXP2, KNC_OP_LOG2, KNC_OP_RCP, KNC_OP_RSQRT,
	/* prefetches of a gather or scatter */
	KNC_OP_PREFETCH, KNC_OP_HINT,
	/* on masks */
	KNC_OP_KAND, KNC_OP_KANDN, KNC_OP_KANDNR, KNC_OP_KNOT, KNC_OP_KOR, KNC_OP_KXNOR,
	KNC_OP_KXOR, KNC_OP_KMERGE_H, KNC_OP_KMERGE_L, KNC_OP_KMOV, KNC_OP_KORTEST,
};

/* An operation on floats: @negates by an FMA, @wide: float64, the immediate, rounding and flags */
typedef struct KncFloat {
	enum knc_vector_op op;
	int negates;
	bool wide;
	uint8_t imm;
	float_status fp;
} KncFloat;

static inline bool knc_vector_stores(const struct knc_vector *row)
{
	return row->operands == KNC_OPERANDS_M_Z || row->operands == KNC_OPERANDS_V_Z;
}

/* The op of a row, and what an FMA negates (float_muladd_*) */
enum knc_vector_op knc_vector_op(unsigned int row, int *negates);
uint32_t knc_vector_lane(enum knc_vector_op op, const KncVector *a, const KncVector *b, uint32_t z,
			 unsigned int i);
bool knc_vector_test(enum knc_vector_op op, uint32_t x, uint32_t y, unsigned int imm);
uint32_t knc_vector_masks(enum knc_vector_op op, uint32_t a, uint32_t b);

/* Conversions of loads and stores */
float32 knc_vector_from_half(float_status *status, float16 half);
float16 knc_vector_to_half(float_status *status, float32 value);
int32_t knc_vector_to_small(float_status *fp, uint32_t value, bool is_float, unsigned int to);
/* An element of the result: @x and @y are those of the sources, @z that of the destination */
uint64_t knc_vector_float(KncFloat *f, uint64_t x, uint64_t y, uint64_t z);
uint64_t knc_vector_special(KncFloat *f, uint64_t x, uint64_t y, uint64_t z);
bool knc_vector_reserved(enum knc_vector_op op, uint8_t imm);

/* Does this CPU execute it? Inline, because each including file has a copy of knc_vectors[] */
static inline bool knc_vector_executes(const struct knc_vector_insn *insn)
{
	const struct knc_vector *row = insn->row;
	enum knc_vector_op op;
	int negates;

	switch (row->operands) {
	case KNC_OPERANDS_M:
	case KNC_OPERANDS_K_REL8:
	case KNC_OPERANDS_K_REL32:
	case KNC_OPERANDS_K_R64_IMM:
	case KNC_OPERANDS_R64_K_K:
	case KNC_OPERANDS_R_R:
	case KNC_OPERANDS_R:
		return true;
	}
	op = knc_vector_op(row - knc_vectors, &negates);
	if (knc_vector_reserved(op, insn->imm))
		return false;
	/* a gather or scatter must have a mask, which says what elements are left */
	return op != KNC_OP_NONE && (!knc_vector_gathers(row) || insn->mask);
}

static inline KncVectorCode knc_vector_code(const struct knc_vector_insn *insn)
{
	return (KncVectorCode) {
		.row = insn->row - knc_vectors, .reg = insn->reg, .vvvv = insn->vvvv,
		.rm = insn->rm,
		.index = insn->memory.index, .imm = insn->imm, .mask = insn->mask,
		.sss = insn->sss, .eh = insn->eh, .memory = insn->has_memory,
		.scale = insn->has_memory ? ctz32(insn->memory.scale | 8) : 0,
	};
}

#endif /* KNC_VECTOR_EXEC_H */
