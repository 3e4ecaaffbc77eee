// SPDX-License-Identifier: GPL-2.0
/* Decode instructions of include/knc/vector.def */
#include <string.h>

#include "profile/vector.h"

/**
 * struct prefix - the fields of a VEX or MVEX prefix, the inverted ones as they are meant
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
struct prefix {
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

/* The bytes of an instruction; one that is not there is 0, and sets @over */
struct input {
	const unsigned char *bytes;
	size_t size;
	size_t at;
	int over;
};

static unsigned char next_byte(struct input *in)
{
	if (in->at < in->size)
		return in->bytes[in->at++];
	in->over = 1;
	return 0;
}

static long long next_long(struct input *in)
{
	unsigned int value = 0, i;

	for (i = 0; i < 4; i++)
		value |= (unsigned int)next_byte(in) << 8 * i;
	return (int)value;
}

/* A byte of RXB, inverted, and the map */
static void read_rxb(struct prefix *p, unsigned char byte)
{
	p->r = byte & 0x80 ? 0 : 8;
	p->x = byte & 0x40 ? 0 : 8;
	p->b = byte & 0x20 ? 0 : 8;
}

/* Read a prefix 62, c4 or c5; returns 0 if it is another one, or of a longer or shorter vector */
static int read_prefix(struct prefix *p, struct input *in)
{
	unsigned char first = next_byte(in), byte = next_byte(in);

	p->code.space = first == 0x62 ? KNC_SPACE_MVEX : KNC_SPACE_VEX;
	p->code.map = KNC_MAP_0F;
	read_rxb(p, byte | (first == 0xc5 ? 0x60 : 0));
	if (first == 0x62) {
		p->code.map = byte & 15;
		p->r2 = byte & 0x10 ? 0 : 16;
	} else if (first == 0xc4) {
		p->code.map = byte & 31;
	} else if (first != 0xc5) {
		return 0;
	}
	if (first != 0xc5) {
		byte = next_byte(in);
		p->code.w = byte >> 7;
	}
	p->vvvv = ~byte >> 3 & 15;
	p->code.prefix = byte & 3;
	/* VEX: bit L, of 256-bit vectors. MVEX: EVEX, of AVX-512, has a one there */
	if (byte & 4)
		return 0;
	if (first == 0x62) {
		byte = next_byte(in);
		p->code.eh = byte >> 7;
		p->sss = byte >> 4 & 7;
		p->v2 = byte & 8 ? 0 : 16;
		p->mask = byte & 7;
	}
	p->code.opcode = next_byte(in);
	return 1;
}

/* The SIB byte; @is_vector: the index is a zmm */
static void read_sib(struct vector_memory *m, const struct prefix *p, struct input *in,
		     int is_vector)
{
	unsigned char sib = next_byte(in);

	m->scale = 1 << (sib >> 6);
	m->index = (sib >> 3 & 7) + p->x + (is_vector ? p->v2 : 0);
	if (!is_vector && m->index == 4)
		m->index = VECTOR_NO_REGISTER;
	m->base = (sib & 7) + p->b;
}

/* Is the index a vector? */
static int gathers(const struct knc_vector *row)
{
	return row->operands == KNC_OPERANDS_Z_V || row->operands == KNC_OPERANDS_V_Z ||
	       row->operands == KNC_OPERANDS_V;
}

/* @unit: bytes that a displacement of 8 bits counts */
static void read_memory(struct vector_insn *insn, const struct prefix *p, struct input *in,
			unsigned int unit)
{
	struct vector_memory *m = &insn->memory;
	unsigned char modrm = p->code.modrm;
	int has_index = (modrm & 7) == 4;

	insn->has_memory = 1;
	m->index = VECTOR_NO_REGISTER;
	m->base = (modrm & 7) + p->b;
	if (has_index)
		read_sib(m, p, in, gathers(insn->row));
	if (modrm >> 6 == 1) {
		m->disp = (signed char)next_byte(in) * (long long)unit;
	} else if (modrm >> 6 == 2) {
		m->disp = next_long(in);
	} else if ((m->base & 7) == 5) {
		m->base = VECTOR_NO_REGISTER;
		m->rip = !has_index;
		m->disp = next_long(in);
	}
}

/* Segments and the address size are all that can be before these prefixes */
static void read_legacy(struct vector_memory *m, struct input *in)
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
static int uses_vvvv(const struct knc_vector *row)
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

static int has_immediate(const struct knc_vector *row)
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
static int masks_exist(const struct knc_vector *row, const struct vector_insn *insn)
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
static int swizzle_exists(const struct vector_insn *insn)
{
	const struct knc_vector *row = insn->row;

	if (row->space == KNC_SPACE_VEX)
		return 1;
	if (!insn->eh)
		return row->convert != KNC_CONVERT_NONE || !insn->sss;
	return row->eh != KNC_EH_UD && (row->eh != KNC_EH_ZERO || !insn->sss);
}

/* Registers and memory of an instruction whose row is known; returns 0 if there are none such */
static int read_operands(struct vector_insn *insn, const struct prefix *p, struct input *in)
{
	const struct knc_vector *row = insn->row;
	unsigned char modrm = p->code.modrm;
	unsigned int unit = 1;

	insn->reg = (modrm >> 3 & 7) + p->r + p->r2;
	insn->vvvv = p->vvvv + p->v2;
	insn->rm = (modrm & 7) + p->b + (row->space == KNC_SPACE_MVEX ? 2 * p->x : 0);
	if (!masks_exist(row, insn) || (!uses_vvvv(row) && p->vvvv))
		return 0;
	if (modrm >= 0xc0)
		return (uses_vvvv(row) || !p->v2) && swizzle_exists(insn);
	if (row->space == KNC_SPACE_MVEX)
		unit = knc_vector_unit(row, p->sss);
	read_memory(insn, p, in, unit);
	return unit && (uses_vvvv(row) || !p->v2 || gathers(row));
}

int vector_decode(struct vector_insn *insn, const unsigned char *bytes, size_t size)
{
	struct input in = { .bytes = bytes, .size = size < 15 ? size : 15 };
	struct prefix p;

	memset(insn, 0, sizeof(*insn));
	memset(&p, 0, sizeof(p));
	read_legacy(&insn->memory, &in);
	if (!read_prefix(&p, &in))
		return 0;
	p.code.modrm = in.at < in.size ? in.bytes[in.at] : 0;
	insn->row = knc_vector_find(&p.code);
	if (!insn->row)
		return 0;
	insn->w = p.code.w;
	insn->eh = p.code.eh;
	insn->sss = p.sss;
	insn->mask = p.mask;
	if (insn->row->operands == KNC_OPERANDS_K_REL8) {
		insn->vvvv = p.vvvv;
		insn->memory.disp = (signed char)next_byte(&in);
	} else if (insn->row->operands == KNC_OPERANDS_K_REL32) {
		insn->vvvv = p.vvvv;
		insn->memory.disp = next_long(&in);
	} else {
		next_byte(&in);
		if (!read_operands(insn, &p, &in))
			return 0;
	}
	if (has_immediate(insn->row))
		insn->imm = next_byte(&in);
	insn->length = in.at;
	return !in.over && masks_exist(insn->row, insn);
}
