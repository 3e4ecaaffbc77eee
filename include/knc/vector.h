/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The rows of vector.def as data, and how to find the row of an instruction
 *
 * Shared by the tools, the tests and the emulated card: gnu89, and no header is needed.
 */
#ifndef KNC_VECTOR_H
#define KNC_VECTOR_H

/* The prefix; the maps of opcodes, by their number in the prefix */
enum knc_vector_space { KNC_SPACE_VEX, KNC_SPACE_MVEX };
enum knc_vector_map { KNC_MAP_BASE, KNC_MAP_0F, KNC_MAP_0F38, KNC_MAP_0F3A };
/* By their number in the field pp */
enum knc_vector_prefix { KNC_PREFIX_NP, KNC_PREFIX_66, KNC_PREFIX_F3, KNC_PREFIX_F2 };
enum knc_vector_w { KNC_W_W0, KNC_W_W1, KNC_W_W01, KNC_W_WIG };
enum knc_vector_digit {
	KNC_DIGIT_D0, KNC_DIGIT_D1, KNC_DIGIT_D2, KNC_DIGIT_D3,
	KNC_DIGIT_D4, KNC_DIGIT_D5, KNC_DIGIT_D6, KNC_DIGIT_D7, KNC_DIGIT_R
};

enum knc_vector_operands {
	KNC_OPERANDS_Z_Z_S, KNC_OPERANDS_Z_Z_S_IMM, KNC_OPERANDS_Z_K_S, KNC_OPERANDS_Z_S,
	KNC_OPERANDS_Z_S_IMM, KNC_OPERANDS_N_S_IMM, KNC_OPERANDS_K_Z_S, KNC_OPERANDS_K_Z_S_IMM,
	KNC_OPERANDS_Z_M, KNC_OPERANDS_M_Z, KNC_OPERANDS_Z_V, KNC_OPERANDS_V_Z, KNC_OPERANDS_V,
	KNC_OPERANDS_M, KNC_OPERANDS_K_K, KNC_OPERANDS_K_R32, KNC_OPERANDS_R32_K,
	KNC_OPERANDS_R64_K_K, KNC_OPERANDS_K_R64_IMM, KNC_OPERANDS_K_REL8, KNC_OPERANDS_K_REL32,
	KNC_OPERANDS_R, KNC_OPERANDS_R_R
};

enum knc_vector_convert {
	KNC_CONVERT_NONE,
	KNC_CONVERT_SF32, KNC_CONVERT_SI32, KNC_CONVERT_SF64, KNC_CONVERT_SI64,
	KNC_CONVERT_SF32_233, KNC_CONVERT_SI32_233, KNC_CONVERT_SF32_HALF, KNC_CONVERT_SI32_HALF,
	KNC_CONVERT_UF32, KNC_CONVERT_UI32, KNC_CONVERT_UF64, KNC_CONVERT_UI64,
	KNC_CONVERT_DF32, KNC_CONVERT_DI32, KNC_CONVERT_DF64, KNC_CONVERT_DI64
};

enum knc_vector_memory {
	KNC_MEMORY_NONE, KNC_MEMORY_VECTOR, KNC_MEMORY_ONE, KNC_MEMORY_FOUR, KNC_MEMORY_LINE
};

enum knc_vector_eh {
	KNC_EH_NONE, KNC_EH_ROUND, KNC_EH_SAE, KNC_EH_IGNORED, KNC_EH_ZERO, KNC_EH_UD,
	KNC_EH_HINT, KNC_EH_EH0, KNC_EH_EH1
};

enum knc_vector_element {
	KNC_ELEMENT_NONE, KNC_ELEMENT_F32, KNC_ELEMENT_I32, KNC_ELEMENT_F64, KNC_ELEMENT_I64
};

enum knc_vector_event {
	KNC_COUNTS_NONE, KNC_COUNTS_VPU, KNC_COUNTS_L1_DATA_PF1, KNC_COUNTS_L1_DATA_PF2
};

enum knc_vector_pipe { KNC_PIPE_UNKNOWN, KNC_PIPE_U, KNC_PIPE_UV };

/**
 * struct knc_vector - a row of vector.def
 * @name: mnemonic, in small letters
 * @what: what it does
 * @space: enum knc_vector_space, and the other columns likewise
 * @map: opcode bytes that the prefix stands for
 * @prefix: field pp
 * @w: bit W
 * @opcode: the opcode's last byte
 * @digit: field reg of ModRM, if it is a part of the opcode
 * @operands: the operands, the destination first
 * @convert: what SSS does to memory, or to the last register
 * @memory: how much of memory
 * @eh: what EH is
 * @element: type of the elements
 * @event: what it counts
 * @pipe: pipes that execute it
 * @latency: cycles until its result can be used; 0: not published
 */
struct knc_vector {
	const char *name;
	const char *what;
	unsigned char space;
	unsigned char map;
	unsigned char prefix;
	unsigned char w;
	unsigned char opcode;
	unsigned char digit;
	unsigned char operands;
	unsigned char convert;
	unsigned char memory;
	unsigned char eh;
	unsigned char element;
	unsigned char event;
	unsigned char pipe;
	unsigned char latency;
};

static const struct knc_vector knc_vectors[] = {
#define KNC_VECTOR(name, space, map, prefix, w, opcode, digit, operands, convert, memory, eh,	\
		   element, event, pipe, latency, what)						\
	{ #name, what, KNC_SPACE_##space, KNC_MAP_##map, KNC_PREFIX_##prefix, KNC_W_##w,	\
	  opcode, KNC_DIGIT_##digit, KNC_OPERANDS_##operands, KNC_CONVERT_##convert,		\
	  KNC_MEMORY_##memory, KNC_EH_##eh, KNC_ELEMENT_##element, KNC_COUNTS_##event,	\
	  KNC_PIPE_##pipe, latency },
#include "vector.def"
};

#define KNC_NR_VECTORS	(sizeof(knc_vectors) / sizeof(*knc_vectors))

/**
 * struct knc_vector_code - the bits of an instruction that choose its row
 * @space: enum knc_vector_space
 * @map: enum knc_vector_map
 * @prefix: enum knc_vector_prefix
 * @w: bit W
 * @opcode: the last byte of the opcode
 * @modrm: ModRM; with KNC_MAP_BASE, and of jumps, it is not looked at
 * @eh: bit EH
 */
struct knc_vector_code {
	unsigned char space;
	unsigned char map;
	unsigned char prefix;
	unsigned char w;
	unsigned char opcode;
	unsigned char modrm;
	unsigned char eh;
};

/* Is it a jump? Jumps have no ModRM byte */
static inline int knc_vector_jumps(const struct knc_vector *row)
{
	return row->operands == KNC_OPERANDS_K_REL8 || row->operands == KNC_OPERANDS_K_REL32;
}

/* ModRM has a register or memory: does the row have that kind of operand? */
static inline int knc_vector_form(const struct knc_vector *row, unsigned char modrm)
{
	switch (row->operands) {
	case KNC_OPERANDS_Z_Z_S:
	case KNC_OPERANDS_Z_Z_S_IMM:
	case KNC_OPERANDS_Z_K_S:
	case KNC_OPERANDS_Z_S:
	case KNC_OPERANDS_Z_S_IMM:
	case KNC_OPERANDS_N_S_IMM:
	case KNC_OPERANDS_K_Z_S:
	case KNC_OPERANDS_K_Z_S_IMM:
		return 1;
	case KNC_OPERANDS_Z_V:
	case KNC_OPERANDS_V_Z:
	case KNC_OPERANDS_V:
		/* the indices are in a SIB byte */
		return modrm < 0xc0 && (modrm & 7) == 4;
	case KNC_OPERANDS_Z_M:
	case KNC_OPERANDS_M_Z:
	case KNC_OPERANDS_M:
		return modrm < 0xc0;
	default:
		return modrm >= 0xc0 || knc_vector_jumps(row);
	}
}

/* The row of an instruction; 0: there is none */
static inline const struct knc_vector *knc_vector_find(const struct knc_vector_code *code)
{
	const struct knc_vector *row;

	for (row = knc_vectors; row < knc_vectors + KNC_NR_VECTORS; row++) {
		if (row->opcode != code->opcode || row->space != code->space ||
		    row->map != code->map || row->prefix != code->prefix ||
		    (row->w <= KNC_W_W1 && row->w != code->w) || !knc_vector_form(row, code->modrm))
			continue;
		if (row->digit != KNC_DIGIT_R && row->digit != (code->modrm >> 3 & 7))
			continue;
		if ((row->eh != KNC_EH_EH0 || !code->eh) && (row->eh != KNC_EH_EH1 || code->eh))
			return row;
	}
	return (void *)0;
}

/* The bytes of an element in memory, by the field SSS; 0: no such conversion */
static inline unsigned int knc_vector_size(const struct knc_vector *row, unsigned int sss)
{
	/* of float32: no conversion, broadcasts of one and four, float16, uint8, sint8 ... */
	static const unsigned char sizes[8] = { 4, 4, 4, 2, 1, 1, 2, 2 };
	int broadcast = sss == 1 || sss == 2;

	switch (row->convert) {
	case KNC_CONVERT_SF32:
		return sizes[sss];
	case KNC_CONVERT_SI32:
		return sss == 3 ? 0 : sizes[sss];
	case KNC_CONVERT_SF32_HALF:
	case KNC_CONVERT_SI32_HALF:
		return sss > 2 ? 0 : 4;
	case KNC_CONVERT_SF32_233:
	case KNC_CONVERT_SI32_233:
		return sss && sss != 2 ? 0 : 4;
	case KNC_CONVERT_UF32:
	case KNC_CONVERT_DF32:
		return broadcast ? 0 : sizes[sss];
	case KNC_CONVERT_UI32:
	case KNC_CONVERT_DI32:
		return broadcast || sss == 3 ? 0 : sizes[sss];
	case KNC_CONVERT_SF64:
	case KNC_CONVERT_SI64:
		return sss > 2 ? 0 : 8;
	case KNC_CONVERT_NONE:
		return sss ? 0 : 4;
	default:
		return sss ? 0 : 8;
	}
}

/* The elements of a whole vector */
static inline unsigned int knc_vector_elements(const struct knc_vector *row)
{
	switch (row->element) {
	case KNC_ELEMENT_F32:
	case KNC_ELEMENT_I32:
		return 16;
	case KNC_ELEMENT_F64:
	case KNC_ELEMENT_I64:
		return 8;
	default:
		return 0;
	}
}

/* What a displacement of 8 bits of an instruction with MVEX counts, in bytes; 0: no such @sss */
static inline unsigned int knc_vector_unit(const struct knc_vector *row, unsigned int sss)
{
	unsigned int size = knc_vector_size(row, sss), swizzles;

	swizzles = row->convert >= KNC_CONVERT_SF32 && row->convert <= KNC_CONVERT_SI32_HALF;
	switch (row->memory) {
	case KNC_MEMORY_ONE:
		return size;
	case KNC_MEMORY_FOUR:
		return 4 * size;
	case KNC_MEMORY_LINE:
		return sss ? 0 : 64;
	default:
		if (swizzles && sss == 1)
			return size;
		if (swizzles && sss == 2)
			return 4 * size;
		return size * knc_vector_elements(row);
	}
}

#endif /* KNC_VECTOR_H */
