/* SPDX-License-Identifier: GPL-2.0 */
/* Execution of Knights Corner's vectors: what translation and helpers share */
#ifndef KNC_VECTOR_EXEC_H
#define KNC_VECTOR_EXEC_H

#include "fpu/softfloat-types.h"

#define KNC_LANES	16

/* A vector of 512 bits */
typedef union KncVector {
	uint32_t d[KNC_LANES];
	uint64_t q[KNC_LANES / 2];
} KncVector;

/* An instruction, as the translated code hands it to the helper */
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

/* How an instruction is executed */
enum knc_vector_op {
	KNC_OP_NONE,		/* not at all: an invalid opcode */
	KNC_OP_MOVE, KNC_OP_STORE, KNC_OP_BROADCAST,
	KNC_OP_UNPACK_LOW, KNC_OP_UNPACK_HIGH, KNC_OP_PACK_LOW, KNC_OP_PACK_HIGH,
	KNC_OP_GATHER, KNC_OP_SCATTER,
	/* of 32-bit elements */
	KNC_OP_ADD, KNC_OP_SUB, KNC_OP_SUBR, KNC_OP_MIN, KNC_OP_MINU, KNC_OP_MAX, KNC_OP_MAXU,
	KNC_OP_MUL, KNC_OP_MULH, KNC_OP_MULHU, KNC_OP_MADD231,
	KNC_OP_SRL, KNC_OP_SRA, KNC_OP_SLL, KNC_OP_PERM,
	/* with a carry or borrow of each element in a mask */
	KNC_OP_ADC, KNC_OP_ADDSETC, KNC_OP_SBB, KNC_OP_SUBSETB, KNC_OP_SBBR, KNC_OP_SUBRSETB,
	/* of either size */
	KNC_OP_AND, KNC_OP_ANDN, KNC_OP_OR, KNC_OP_XOR, KNC_OP_BLEND,
	/* into a mask */
	KNC_OP_CMP, KNC_OP_CMPU, KNC_OP_CMPEQ, KNC_OP_CMPGT, KNC_OP_CMPLT, KNC_OP_TEST,
	KNC_OP_FCMP,
	/* of whole vectors */
	KNC_OP_SHUFFLE, KNC_OP_SHUFFLE_LANES, KNC_OP_ALIGN,
	/* floats */
	KNC_OP_FADD, KNC_OP_FSUB, KNC_OP_FSUBR, KNC_OP_FMUL,
	KNC_OP_FMA132, KNC_OP_FMA213, KNC_OP_FMA231,
	KNC_OP_WIDEN, KNC_OP_INT_TO_F64, KNC_OP_UINT_TO_F64,
	/* masks */
	KNC_OP_KAND, KNC_OP_KANDN, KNC_OP_KANDNR, KNC_OP_KNOT, KNC_OP_KOR, KNC_OP_KXNOR,
	KNC_OP_KXOR, KNC_OP_KMERGE_H, KNC_OP_KMERGE_L, KNC_OP_KMOV, KNC_OP_KORTEST,
};

/* The op of a row, and what an FMA negates (float_muladd_*) */
enum knc_vector_op knc_vector_op(unsigned int row, int *negates);
bool knc_vector_lane(enum knc_vector_op op, const KncVector *a, const KncVector *b, KncVector *dst,
		     unsigned int imm, unsigned int i);

#endif /* KNC_VECTOR_EXEC_H */
