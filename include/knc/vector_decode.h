/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Decode the instructions of vector.def: for the tools, and for the emulated card
 *
 * As vector.h: gnu89, and no other header is needed.
 */
#ifndef KNC_VECTOR_DECODE_H
#define KNC_VECTOR_DECODE_H

#include "vector.h"

#define KNC_VECTOR_NO_REGISTER	0xff

/**
 * struct knc_vector_address - an operand in memory, or what a branch jumps to
 * @base: number of the general register; KNC_VECTOR_NO_REGISTER: none
 * @index: likewise, or number of the zmm with indices
 * @scale: factor of @index: 1, 2, 4 or 8
 * @segment: prefix 0x64 or 0x65; 0: none
 * @short_address: 32-bit registers
 * @rip: @disp is relative to the next instruction
 * @disp: displacement, in bytes
 */
struct knc_vector_address {
	unsigned char base;
	unsigned char index;
	unsigned char scale;
	unsigned char segment;
	unsigned char short_address;
	unsigned char rip;
	long long disp;
};

/**
 * struct knc_vector_insn - an instruction
 * @row: its row
 * @length: its bytes
 * @w: bit W
 * @reg: register of ModRM's reg
 * @vvvv: register of vvvv
 * @rm: register of ModRM's rm, without memory
 * @has_memory: @memory is an operand
 * @mask: its write mask; 0: none
 * @sss: field SSS
 * @eh: bit EH
 * @imm: its immediate byte
 * @memory: its operand in memory, or the distance of a jump (@disp)
 */
struct knc_vector_insn {
	const struct knc_vector *row;
	unsigned int length;
	unsigned char w;
	unsigned char reg;
	unsigned char vvvv;
	unsigned char rm;
	unsigned char has_memory;
	unsigned char mask;
	unsigned char sss;
	unsigned char eh;
	unsigned char imm;
	struct knc_vector_address memory;
};

/**
 * struct knc_mvex - the fields of a prefix VEX or MVEX, inverted ones as they are meant
 * @code: what chooses the row
 * @r: added to ModRM's reg
 * @x: added to the index, or to a zmm in ModRM's rm
 * @b: added to the base, or to the register in ModRM's rm
 * @r2: added to a zmm in ModRM's reg
 * @v2: added to a zmm in vvvv, or to a vector of indices
 * @vvvv: 0 to 15
 * @sss: swizzle, conversion or rounding
 * @mask: write mask
 */
struct knc_mvex {
	struct knc_vector_code code;
	unsigned char r;
	unsigned char x;
	unsigned char b;
	unsigned char r2;
	unsigned char v2;
	unsigned char vvvv;
	unsigned char sss;
	unsigned char mask;
};

/* Bytes of code; one that is not there is read as 0, and sets @over */
struct knc_vector_bytes {
	const unsigned char *bytes;
	unsigned int size;
	unsigned int at;
	int over;
};

static inline unsigned char knc_vector_next_byte(struct knc_vector_bytes *in)
{
	if (in->at < in->size)
		return in->bytes[in->at++];
	in->over = 1;
	return 0;
}

static inline long long knc_vector_next_long(struct knc_vector_bytes *in)
{
	unsigned int value = 0, i;

	for (i = 0; i < 4; i++)
		value |= (unsigned int)knc_vector_next_byte(in) << 8 * i;
	return (int)value;
}

/* A byte of RXB, inverted, and the map */
static inline void knc_vector_read_rxb(struct knc_mvex *p, unsigned char byte)
{
	p->r = byte & 0x80 ? 0 : 8;
	p->x = byte & 0x40 ? 0 : 8;
	p->b = byte & 0x20 ? 0 : 8;
}

/* Read a prefix 62, c4 or c5, and the opcode; returns 0 if it is another one, or of 256 bits */
static inline int knc_vector_read_prefix(struct knc_mvex *p, struct knc_vector_bytes *in)
{
	unsigned char first = knc_vector_next_byte(in), byte;

	if (first != 0x62 && first != 0xc4 && first != 0xc5)
		return in->over ? -1 : 0;
	byte = knc_vector_next_byte(in);
	p->code.space = first == 0x62 ? KNC_SPACE_MVEX : KNC_SPACE_VEX;
	p->code.map = KNC_MAP_0F;
	knc_vector_read_rxb(p, byte | (first == 0xc5 ? 0x60 : 0));
	if (first == 0x62) {
		p->code.map = byte & 15;
		p->r2 = byte & 0x10 ? 0 : 16;
	} else if (first == 0xc4) {
		p->code.map = byte & 31;
	}
	if (first != 0xc5) {
		byte = knc_vector_next_byte(in);
		p->code.w = byte >> 7;
	}
	p->vvvv = ~byte >> 3 & 15;
	p->code.prefix = byte & 3;
	/* VEX: bit L, of 256-bit vectors. MVEX: EVEX, of AVX-512, has a one there */
	if (byte & 4 && !in->over)
		return 0;
	if (first == 0x62) {
		byte = knc_vector_next_byte(in);
		p->code.eh = byte >> 7;
		p->sss = byte >> 4 & 7;
		p->v2 = byte & 8 ? 0 : 16;
		p->mask = byte & 7;
	}
	p->code.opcode = knc_vector_next_byte(in);
	return in->over ? -1 : 1;
}

/* The SIB byte; @is_vector: the index is a zmm */
static inline void knc_vector_read_sib(struct knc_vector_address *m, const struct knc_mvex *p,
				       struct knc_vector_bytes *in, int is_vector)
{
	unsigned char sib = knc_vector_next_byte(in);

	m->scale = 1 << (sib >> 6);
	m->index = (sib >> 3 & 7) + p->x + (is_vector ? p->v2 : 0);
	if (!is_vector && m->index == 4)
		m->index = KNC_VECTOR_NO_REGISTER;
	m->base = (sib & 7) + p->b;
}

/* Is the index a vector? */
static inline int knc_vector_gathers(const struct knc_vector *row)
{
	return row->operands == KNC_OPERANDS_Z_V || row->operands == KNC_OPERANDS_V_Z ||
	       row->operands == KNC_OPERANDS_V;
}

/* @unit: bytes that a displacement of 8 bits counts */
static inline void knc_vector_read_memory(struct knc_vector_insn *insn, const struct knc_mvex *p,
					  struct knc_vector_bytes *in, unsigned int unit)
{
	struct knc_vector_address *m = &insn->memory;
	unsigned char modrm = p->code.modrm;
	int has_index = (modrm & 7) == 4;

	insn->has_memory = 1;
	m->index = KNC_VECTOR_NO_REGISTER;
	m->base = (modrm & 7) + p->b;
	if (has_index)
		knc_vector_read_sib(m, p, in, knc_vector_gathers(insn->row));
	if (modrm >> 6 == 1) {
		m->disp = (signed char)knc_vector_next_byte(in) * (long long)unit;
	} else if (modrm >> 6 == 2) {
		m->disp = knc_vector_next_long(in);
	} else if ((m->base & 7) == 5) {
		m->base = KNC_VECTOR_NO_REGISTER;
		m->rip = !has_index;
		m->disp = knc_vector_next_long(in);
	}
}

/* Segments and the address size are all that can be before these prefixes */
static inline void knc_vector_read_legacy(struct knc_vector_address *m, struct knc_vector_bytes *in)
{
	for (; in->at < in->size; in->at++) {
		switch (in->bytes[in->at]) {
		case 0x64:
		case 0x65:
			m->segment = in->bytes[in->at];
			break;
		case 0x67:
			m->short_address = 1;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
			break;
		default:
			return;
		}
	}
}

/* Does the row use vvvv? */
static inline int knc_vector_uses_vvvv(const struct knc_vector *row)
{
	switch (row->operands) {
	case KNC_OPERANDS_Z_Z_S:
	case KNC_OPERANDS_Z_Z_S_IMM:
	case KNC_OPERANDS_Z_K_S:
	case KNC_OPERANDS_N_S_IMM:
	case KNC_OPERANDS_K_Z_S:
	case KNC_OPERANDS_K_Z_S_IMM:
	case KNC_OPERANDS_R64_K_K:
	case KNC_OPERANDS_K_REL8:
	case KNC_OPERANDS_K_REL32:
		return 1;
	default:
		return 0;
	}
}

static inline int knc_vector_has_immediate(const struct knc_vector *row)
{
	switch (row->operands) {
	case KNC_OPERANDS_Z_Z_S_IMM:
	case KNC_OPERANDS_Z_S_IMM:
	case KNC_OPERANDS_N_S_IMM:
	case KNC_OPERANDS_K_Z_S_IMM:
	case KNC_OPERANDS_K_R64_IMM:
		return 1;
	default:
		return 0;
	}
}

/* Is there a mask of the number that a field has? There are eight */
static inline int knc_vector_masks_exist(const struct knc_vector *row,
					 const struct knc_vector_insn *insn)
{
	switch (row->operands) {
	case KNC_OPERANDS_Z_K_S:
	case KNC_OPERANDS_K_REL8:
	case KNC_OPERANDS_K_REL32:
		return insn->vvvv < 8;
	case KNC_OPERANDS_K_Z_S:
	case KNC_OPERANDS_K_Z_S_IMM:
	case KNC_OPERANDS_K_R32:
	case KNC_OPERANDS_K_R64_IMM:
		return insn->reg < 8;
	case KNC_OPERANDS_K_K:
		return insn->reg < 8 && insn->rm < 8;
	case KNC_OPERANDS_R32_K:
		return insn->rm < 8;
	case KNC_OPERANDS_R64_K_K:
		return insn->vvvv < 8 && insn->rm < 8;
	default:
		return 1;
	}
}

/* Does SSS have a meaning with the last operand in a register? */
static inline int knc_vector_swizzle_exists(const struct knc_vector_insn *insn)
{
	const struct knc_vector *row = insn->row;

	if (row->space == KNC_SPACE_VEX)
		return 1;
	if (!insn->eh)
		return row->convert != KNC_CONVERT_NONE || !insn->sss;
	return row->eh != KNC_EH_UD && (row->eh != KNC_EH_ZERO || !insn->sss);
}

/* Registers and memory of an instruction whose row is known; returns 0 if there are none such */
static inline int knc_vector_read_operands(struct knc_vector_insn *insn, const struct knc_mvex *p,
					   struct knc_vector_bytes *in)
{
	const struct knc_vector *row = insn->row;
	unsigned char modrm = p->code.modrm;
	unsigned int unit = 1;

	insn->reg = (modrm >> 3 & 7) + p->r + p->r2;
	insn->vvvv = p->vvvv + p->v2;
	insn->rm = (modrm & 7) + p->b + (row->space == KNC_SPACE_MVEX ? 2 * p->x : 0);
	if (!knc_vector_masks_exist(row, insn) || (!knc_vector_uses_vvvv(row) && p->vvvv))
		return 0;
	/* reg has three bits where it is a part of the opcode */
	if (row->space == KNC_SPACE_VEX && row->digit != KNC_DIGIT_R && p->r)
		return 0;
	if (modrm >= 0xc0)
		return (knc_vector_uses_vvvv(row) || !p->v2) && knc_vector_swizzle_exists(insn);
	if (row->space == KNC_SPACE_MVEX)
		unit = knc_vector_unit(row, p->sss);
	knc_vector_read_memory(insn, p, in, unit);
	return unit && (knc_vector_uses_vvvv(row) || !p->v2 || knc_vector_gathers(row));
}

/*
 * Decode the instruction at @bytes, of which @size are there; returns 1, or 0 if it is none of
 * these, or -1 if that depends on more bytes
 */
static inline int knc_vector_decode(struct knc_vector_insn *insn, const unsigned char *bytes,
				    unsigned int size)
{
	static const struct knc_mvex no_prefix;
	static const struct knc_vector_insn none;
	struct knc_mvex p = no_prefix;
	struct knc_vector_bytes in;
	int found;

	in.bytes = bytes;
	in.size = size < 15 ? size : 15;
	in.at = 0;
	in.over = 0;
	*insn = none;
	knc_vector_read_legacy(&insn->memory, &in);
	found = knc_vector_read_prefix(&p, &in);
	if (found <= 0)
		return found;
	p.code.modrm = in.at < in.size ? in.bytes[in.at] : 0;
	insn->row = knc_vector_find(&p.code);
	if (!insn->row)
		return in.at < in.size ? 0 : -1;
	insn->w = p.code.w;
	insn->eh = p.code.eh;
	insn->sss = p.sss;
	insn->mask = p.mask;
	if (knc_vector_jumps(insn->row)) {
		insn->vvvv = p.vvvv;
		insn->memory.disp = insn->row->operands == KNC_OPERANDS_K_REL8 ?
				    (signed char)knc_vector_next_byte(&in) :
				    knc_vector_next_long(&in);
	} else {
		knc_vector_next_byte(&in);
		if (!knc_vector_read_operands(insn, &p, &in) && !in.over)
			return 0;
	}
	if (knc_vector_has_immediate(insn->row))
		insn->imm = knc_vector_next_byte(&in);
	insn->length = in.at;
	return in.over ? -1 : knc_vector_masks_exist(insn->row, insn);
}

#endif /* KNC_VECTOR_DECODE_H */
