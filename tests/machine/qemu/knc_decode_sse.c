// SPDX-License-Identifier: GPL-2.0
/*
 * SSE instructions of the emulated Knights Corner: their pipes and registers, and the elements of
 * packed ones, which can stand in for vector instructions
 */
#include "qemu/osdep.h"
#include "cpu.h"

/* Elements of packed integer operations (66 0F); those that only move have elements of 32 bits */
static const uint8_t integers[256] = {
	[0x60] = 16, [0x61] = 8, [0x62] = 4, [0x63] = 8,
	[0x64] = 16, [0x65] = 8, [0x66] = 4, [0x67] = 8,
	[0x68] = 16, [0x69] = 8, [0x6a] = 4, [0x6b] = 4,
	[0x6c] = 2, [0x6d] = 2, [0x6f] = 4,
	[0x70] = 4, [0x71] = 8, [0x72] = 4, [0x73] = 2,
	[0x74] = 16, [0x75] = 8, [0x76] = 4, [0x7f] = 4,
	[0xd1] = 8, [0xd2] = 4, [0xd3] = 2, [0xd4] = 2, [0xd5] = 8, [0xd7] = 16,
	[0xd8] = 16, [0xd9] = 8, [0xda] = 16, [0xdb] = 4,
	[0xdc] = 16, [0xdd] = 8, [0xde] = 16, [0xdf] = 4,
	[0xe0] = 16, [0xe1] = 8, [0xe2] = 4, [0xe3] = 16, [0xe4] = 8, [0xe5] = 8, [0xe7] = 4,
	[0xe8] = 16, [0xe9] = 8, [0xea] = 8, [0xeb] = 4,
	[0xec] = 16, [0xed] = 8, [0xee] = 8, [0xef] = 4,
	[0xf1] = 8, [0xf2] = 4, [0xf3] = 2, [0xf4] = 2, [0xf5] = 8, [0xf6] = 16,
	[0xf8] = 16, [0xf9] = 8, [0xfa] = 4, [0xfb] = 2, [0xfc] = 16, [0xfd] = 8, [0xfe] = 4,
};

/* The elements of a packed operation, else 0; MOVLPS and MOVHPS move half a register: not packed */
static unsigned int elements(const KncCode *c)
{
	switch (c->opcode) {
	case 0x12: case 0x16:		/* movddup, movsldup, movshdup */
		return c->rep ? 4 : c->repne ? 2 : 0;
	case 0x10: case 0x11: case 0x14: case 0x15: case 0x28: case 0x29: case 0x2b:
	case 0x50 ... 0x59: case 0x5c ... 0x5f: case 0xc2: case 0xc6:
		return c->rep || c->repne ? 0 : c->data16 ? 2 : 4;
	case 0x5a:			/* double to single precision, and back */
		return c->rep || c->repne ? 0 : 2;
	case 0x5b:
		return 4;
	case 0xe6:
		return 2;
	case 0x7c: case 0x7d: case 0xd0:
		return c->data16 ? 2 : 4;
	case 0xf0:			/* lddqu */
		return c->repne ? 4 : 0;
	case 0x6f: case 0x7f:		/* movdqu */
		return c->data16 || c->rep ? 4 : 0;
	case 0x70:
		return c->rep || c->repne ? 8 : c->data16 ? 4 : 0;
	}
	return c->data16 ? integers[c->opcode] : 0;
}

/* Is it MMX? That is no stand-in, although opcodes are the same. */
static bool is_mmx(const KncCode *c)
{
	if (c->data16 || c->rep || c->repne)
		return c->opcode == 0xd6 && !c->data16;
	return (c->opcode >= 0x60 && c->opcode <= 0x7f) || c->opcode > 0xd0;
}

static bool is_sse(const KncCode *c)
{
	switch (c->opcode) {
	case 0x10 ... 0x17: case 0x28 ... 0x2f: case 0x50 ... 0x76: case 0x7c ... 0x7f:
	case 0xc2: case 0xc4 ... 0xc6: case 0xd0 ... 0xfe:
		return !is_mmx(c);
	}
	return false;
}

/* Forms of operands: which are read, and which is written */
enum { BOTH, LOAD, STORE, FROM_GENERAL, TO_GENERAL, STORE_GENERAL, COMPARE, SHIFT };

static int form(const KncCode *c)
{
	bool scalar = c->rep || c->repne;

	switch (c->opcode) {
	case 0x10: case 0x28: case 0x51 ... 0x53: case 0x5a: case 0x5b: case 0x6f: case 0x70:
	case 0xe6: case 0xf0:
		return LOAD;
	case 0x12: case 0x16:
		return scalar ? LOAD : BOTH;
	case 0x11: case 0x13: case 0x17: case 0x29: case 0x2b: case 0x7f: case 0xd6: case 0xe7:
		return STORE;
	case 0x7e:
		return c->rep ? LOAD : STORE_GENERAL;
	case 0x2a: case 0x6e: case 0xc4:
		return FROM_GENERAL;
	case 0x2c: case 0x2d: case 0x50: case 0xc5: case 0xd7:
		return TO_GENERAL;
	case 0x2e: case 0x2f:
		return COMPARE;
	case 0x71 ... 0x73:
		return SHIFT;
	}
	return BOTH;
}

static void take_xmm(KncCode *c, int form)
{
	uint16_t rm = c->memory ? 0 : 1U << ((c->modrm & 7) | (c->rex & 1 ? 8 : 0));
	uint16_t reg = 1U << ((c->modrm >> 3 & 7) | (c->rex & 4 ? 8 : 0));
	KncDecoded *d = c->d;

	switch (form) {
	case BOTH:
	case COMPARE:
		d->xmm_reads = reg | rm;
		d->xmm_writes = form == BOTH ? reg : 0;
		break;
	case LOAD:
		d->xmm_reads = rm;
		d->xmm_writes = reg;
		break;
	case STORE:
		d->xmm_reads = reg;
		d->xmm_writes = rm;
		break;
	case FROM_GENERAL:
		d->reads |= rm;
		d->xmm_writes = reg;
		break;
	case TO_GENERAL:
		d->xmm_reads = rm;
		d->writes |= reg;
		break;
	case STORE_GENERAL:
		d->xmm_reads = reg;
		d->writes |= rm;
		break;
	case SHIFT:
		d->xmm_reads = rm;
		d->xmm_writes = rm;
		break;
	}
}

/* False: no SSE instruction. Only a move between memory and a register can be second of a pair. */
bool knc_decode_sse(KncCode *c)
{
	static const uint16_t moves[16] = {
		[0x1] = 0x00cf, [0x2] = 0x0b00, [0x6] = 0xc000, [0x7] = 0xc000,
		[0xd] = 0x0040, [0xe] = 0x0080, [0xf] = 0x0001,
	};

	if (!is_sse(c))
		return false;
	take_xmm(c, form(c));
	c->d->flags |= KNC_INSN_U;
	if (c->memory && moves[c->opcode >> 4] & 1U << (c->opcode & 15))
		c->d->flags |= KNC_INSN_V;
	if (c->other)
		c->d->flags &= ~KNC_INSN_V;
	c->d->elements = elements(c);
	if (c->d->elements)
		c->d->flags |= KNC_INSN_VECTOR;
	if (c->opcode == 0x2b || c->opcode == 0xe7)
		c->d->flags |= KNC_INSN_STREAM;
	return true;
}
