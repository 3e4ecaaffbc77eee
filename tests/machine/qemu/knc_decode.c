// SPDX-License-Identifier: GPL-2.0
/*
 * What the pipes of an emulated Knights Corner core need to know of an instruction
 *
 * Pipes: the Pentium processor user's manual, volume 1, section 3.1.2 (instruction pairing).
 * Cycles of the E stage are the P54C's; an instruction that the P54C lacks has those of the most
 * similar one.  Documentation/emulated-card.rst lists pipes and cycles.
 */
#include "qemu/osdep.h"
#include "cpu.h"

/* Properties of an opcode: registers that it reads and writes, pipes, cycles */
enum {
	M	= 1 << 0,	/* has a ModRM byte */
	ER	= 1 << 1,	/* reads r/m */
	EW	= 1 << 2,
	GR	= 1 << 3,	/* reads reg */
	GW	= 1 << 4,
	ZR	= 1 << 5,	/* reads the register in the opcode */
	ZW	= 1 << 6,
	AR	= 1 << 7,
	AW	= 1 << 8,
	CR	= 1 << 9,
	CW	= 1 << 10,
	DR	= 1 << 11,
	DW	= 1 << 12,
	STACK	= 1 << 13,	/* pushes or pops */
	IMM	= 1 << 14,
	U	= 1 << 15,	/* can be the first of a pair */
	V	= 1 << 16,	/* and the second */
	MICRO	= 1 << 17,	/* microcode */
	FLUSH	= 1 << 18,	/* loads a segment register */
	ALU	= 1 << 19,	/* an operand in memory takes further cycles */
	UV	= U | V,
};

/* Cycles of the E stage, if not one */
#define C(n)	((uint32_t)(n) << 20)
#define CYCLES(op) ((op) >> 20)

#define SI_BIT	(1U << R_ESI)
#define DI_BIT	(1U << R_EDI)
#define SP_BIT	(1U << R_ESP)

/* Measured on a card: x87 arithmetic, and what a 64-bit division takes beyond a 32-bit one */
#define KNC_X87_CYCLES		2
#define KNC_LONG_DIVISION_CYCLES 35

#define ALU_ROW(base, pipes, ew, gw, aw)				\
	[(base) ... (base) + 1] = M | ER | (ew) | GR | ALU | (pipes),	\
	[(base) + 2 ... (base) + 3] = M | ER | GR | (gw) | ALU | (pipes), \
	[(base) + 4 ... (base) + 5] = AR | (aw) | IMM | (pipes)

static const uint32_t one_byte[256] = {
	ALU_ROW(0x00, UV, EW, GW, AW),		/* add */
	ALU_ROW(0x08, UV, EW, GW, AW),		/* or */
	ALU_ROW(0x10, U, EW, GW, AW),		/* adc */
	ALU_ROW(0x18, U, EW, GW, AW),		/* sbb */
	ALU_ROW(0x20, UV, EW, GW, AW),		/* and */
	ALU_ROW(0x28, UV, EW, GW, AW),		/* sub */
	ALU_ROW(0x30, UV, EW, GW, AW),		/* xor */
	ALU_ROW(0x38, UV, 0, 0, 0),		/* cmp */
	[0x50 ... 0x57] = ZR | STACK | UV,	/* push */
	[0x58 ... 0x5f] = ZW | STACK | UV,	/* pop */
	[0x63] = M | ER | GW | C(3),		/* movsxd */
	[0x68] = STACK | IMM | UV,
	[0x69] = M | ER | GW | IMM | C(10),	/* imul */
	[0x6a] = STACK | IMM | UV,
	[0x6b] = M | ER | GW | IMM | C(10),
	[0x6c ... 0x6d] = C(9) | MICRO,		/* ins */
	[0x6e ... 0x6f] = C(13) | MICRO,	/* outs */
	[0x70 ... 0x7f] = V,			/* jcc */
	[0x80 ... 0x83] = M | ER | EW | IMM | ALU | UV,
	[0x84 ... 0x85] = M | ER | GR | ALU | UV,	/* test */
	[0x86 ... 0x87] = M | ER | EW | GR | GW | C(3),	/* xchg */
	[0x88 ... 0x89] = M | EW | GR | UV,	/* mov */
	[0x8a ... 0x8b] = M | ER | GW | UV,
	[0x8c] = M | EW,			/* mov from a segment register */
	[0x8d] = M | GW | UV,			/* lea */
	[0x8e] = M | ER | C(3) | FLUSH,
	[0x8f] = M | EW | STACK | C(3),
	[0x90] = UV,				/* nop */
	[0x91 ... 0x97] = ZR | ZW | AR | AW | C(2),
	[0x98] = AR | AW | C(3),		/* cbw */
	[0x99] = AR | DW | C(2),		/* cwd */
	[0x9a] = STACK | C(4) | FLUSH,		/* call far */
	[0x9c] = STACK | C(4),			/* pushf */
	[0x9d] = STACK | C(6),			/* popf */
	[0x9e ... 0x9f] = C(2),
	[0xa0 ... 0xa1] = AW | UV,		/* mov, absolute address */
	[0xa2 ... 0xa3] = AR | UV,
	[0xa4 ... 0xa5] = C(4) | MICRO,		/* movs */
	[0xa6 ... 0xa7] = C(5) | MICRO,		/* cmps */
	[0xa8 ... 0xa9] = AR | IMM | UV,	/* test */
	[0xaa ... 0xab] = AR | C(3) | MICRO,	/* stos */
	[0xac ... 0xad] = AW | C(2) | MICRO,	/* lods */
	[0xae ... 0xaf] = AR | C(4) | MICRO,	/* scas */
	[0xb0 ... 0xbf] = ZW | IMM | UV,	/* mov */
	[0xc0 ... 0xc1] = M | ER | EW | IMM | ALU | U,
	[0xc2] = STACK | C(3),			/* ret */
	[0xc3] = STACK | C(2),
	[0xc6 ... 0xc7] = M | EW | IMM | UV,	/* mov */
	[0xc8] = STACK | C(15) | MICRO,		/* enter */
	[0xc9] = C(3),				/* leave */
	[0xca ... 0xcb] = STACK | C(4) | FLUSH,
	[0xcc ... 0xcd] = STACK | C(16) | MICRO | FLUSH,	/* int */
	[0xcf] = STACK | C(10) | MICRO | FLUSH,	/* iret */
	[0xd0 ... 0xd1] = M | ER | EW | ALU | U,	/* shifts by one */
	[0xd2 ... 0xd3] = M | ER | EW | CR | C(4),
	[0xd7] = AR | AW | C(4),		/* xlat */
	[0xd8 ... 0xdf] = M,			/* x87 */
	[0xe0 ... 0xe2] = CR | CW | C(5),	/* loop */
	[0xe3] = CR | C(5),			/* jcxz */
	[0xe4 ... 0xe5] = AW | C(7),		/* in */
	[0xe6 ... 0xe7] = AR | C(12),		/* out */
	[0xe8] = STACK | V,			/* call */
	[0xe9] = V,				/* jmp */
	[0xea] = C(3) | FLUSH,			/* jmp far */
	[0xeb] = V,
	[0xec ... 0xed] = AW | DR | C(7),
	[0xee ... 0xef] = AR | DR | C(12),
	[0xf4] = C(4),				/* hlt */
	[0xf5] = C(2),
	[0xf6 ... 0xf7] = M | ER,
	[0xf8 ... 0xf9] = C(2),
	[0xfa ... 0xfb] = C(7),			/* cli, sti */
	[0xfc ... 0xfd] = C(2),
	[0xfe ... 0xff] = M | ER | EW | ALU | UV,
};

static const uint32_t two_byte[256] = {
	[0x00 ... 0x01] = M | ER | C(25) | MICRO,
	[0x02 ... 0x03] = M | ER | GW | C(8) | MICRO,
	[0x05] = CW | C(10) | MICRO | FLUSH,	/* syscall */
	[0x06] = C(10) | MICRO,			/* clts */
	[0x07] = CR | C(10) | MICRO | FLUSH,	/* sysret */
	[0x08] = C(15) | MICRO,			/* invd */
	[0x09] = C(2000) | MICRO,		/* wbinvd */
	[0x0d] = M | UV,			/* prefetchw */
	[0x10 ... 0x17] = M,
	[0x18 ... 0x1f] = M | UV,		/* prefetch, nop */
	[0x20 ... 0x21] = M | EW | C(4) | MICRO,
	[0x22 ... 0x23] = M | ER | C(22) | MICRO,	/* mov to cr, dr */
	[0x28 ... 0x2f] = M,
	[0x30] = AR | CR | DR | C(45) | MICRO,	/* wrmsr */
	[0x31] = AW | DW | C(5) | MICRO,	/* rdtsc: 4 to 5 (327357 1.4.2) */
	[0x32 ... 0x33] = CR | AW | DW | C(24) | MICRO,	/* rdmsr, rdpmc */
	[0x34 ... 0x35] = C(10) | MICRO | FLUSH,
	[0x40 ... 0x4f] = M | ER | GR | GW | ALU | UV,	/* cmov */
	[0x50 ... 0x76] = M,
	[0x7c ... 0x7f] = M,
	[0x80 ... 0x8f] = V,			/* jcc */
	[0x90 ... 0x9f] = M | EW,		/* setcc */
	[0xa0] = STACK,
	[0xa1] = STACK | C(3) | FLUSH,
	[0xa2] = AR | AW | CR | CW | DW | C(14) | MICRO,	/* cpuid */
	[0xa3] = M | ER | GR | C(4),		/* bt */
	[0xa4 ... 0xa5] = M | ER | EW | GR | CR | C(4),	/* shld */
	[0xa8] = STACK,
	[0xa9] = STACK | C(3) | FLUSH,
	[0xab] = M | ER | EW | GR | C(7),
	[0xac ... 0xad] = M | ER | EW | GR | CR | C(4),
	[0xae] = M,
	[0xaf] = M | ER | GR | GW | C(10),	/* imul */
	[0xb0 ... 0xb1] = M | ER | EW | GR | AR | AW | C(5),	/* cmpxchg */
	[0xb2] = M | GW | C(4) | FLUSH,
	[0xb3] = M | ER | EW | GR | C(7),
	[0xb4 ... 0xb5] = M | GW | C(4) | FLUSH,
	[0xb6 ... 0xb7] = M | ER | GW | C(3),	/* movzx */
	[0xba] = M | ER | EW | IMM | C(7),
	[0xbb] = M | ER | EW | GR | C(7),
	[0xbc ... 0xbd] = M | ER | GW | C(7),	/* bsf, bsr */
	[0xbe ... 0xbf] = M | ER | GW | C(3),	/* movsx */
	[0xc0 ... 0xc1] = M | ER | EW | GR | GW | C(4),	/* xadd */
	[0xc2] = M | IMM,
	[0xc3] = M | EW | GR | UV,		/* movnti */
	[0xc4 ... 0xc6] = M | IMM,
	[0xc7] = M | AR | AW | CR | DR | DW | C(10) | MICRO,	/* cmpxchg8b */
	[0xc8 ... 0xcf] = ZR | ZW,		/* bswap */
	[0xd0 ... 0xff] = M,
};

/* String instructions: registers of the addresses; with REP, cycles to start and of an iteration */
static const struct {
	uint16_t address;
	uint8_t start, again;
} strings[] = {
	[0x6c] = { DI_BIT, 11, 3 },		/* ins */
	[0x6e] = { SI_BIT, 13, 4 },		/* outs */
	[0xa4] = { SI_BIT | DI_BIT, 13, 1 },	/* movs */
	[0xa6] = { SI_BIT | DI_BIT, 9, 4 },	/* cmps */
	[0xaa] = { DI_BIT, 9, 1 },		/* stos */
	[0xac] = { SI_BIT, 7, 3 },		/* lods */
	[0xae] = { DI_BIT, 8, 4 },		/* scas */
};

/* Instructions that share an opcode and are chosen by ModRM.reg: those that differ from its row */
static const struct {
	uint16_t opcode;	/* with 0x100 for two-byte opcodes */
	uint8_t regs;		/* a bit for each value of ModRM.reg */
	uint32_t op;
} groups[] = {
	{ 0x80, 0x0c, M | ER | EW | IMM | ALU | U },	/* adc, sbb */
	{ 0x80, 0x80, M | ER | IMM | ALU | UV },	/* cmp */
	{ 0xc0, 0x03, M | ER | EW | IMM | ALU },	/* rol, ror */
	{ 0xc0, 0x0c, M | ER | EW | IMM | C(8) },	/* rcl, rcr */
	{ 0xd2, 0x0c, M | ER | EW | CR | C(7) },
	{ 0xf6, 0x03, M | ER | IMM | ALU },		/* test */
	{ 0xf6, 0x0c, M | ER | EW | ALU },		/* not, neg */
	{ 0xf6, 0x10, M | ER | AR | AW | DW | C(11) },	/* mul */
	{ 0xf6, 0x20, M | ER | AR | AW | DW | C(10) },	/* imul */
	{ 0xf6, 0x40, M | ER | AR | DR | AW | DW | C(41) },	/* div */
	{ 0xf6, 0x80, M | ER | AR | DR | AW | DW | C(46) },	/* idiv */
	{ 0xfe, 0x04, M | ER | STACK | C(2) },		/* call */
	{ 0xfe, 0x08, M | ER | STACK | C(4) | FLUSH },
	{ 0xfe, 0x10, M | ER | C(2) },			/* jmp */
	{ 0xfe, 0x20, M | ER | C(3) | FLUSH },
	{ 0xfe, 0x40, M | ER | STACK | ALU | UV },	/* push */
	{ 0x1ae, 0x03, M | C(124) | MICRO },		/* fxsave, fxrstor */
	{ 0x1ba, 0x10, M | ER | IMM | C(4) },		/* bt */
};

static int next_byte(KncCode *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

static void take_prefixes(KncCode *c)
{
	for (;; c->at++) {
		int byte = c->at < c->end ? *c->at : 0;

		switch (byte) {
		case 0x66:
			c->data16 = true;
			break;
		case 0xf2:
			c->repne = true;
			break;
		case 0xf3:
			c->rep = true;
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e:
		case 0x64: case 0x65: case 0x67: case 0xf0:
			c->other = true;
			break;
		case 0x40 ... 0x4f:
			if (!c->code64)
				return;
			c->rex = byte;
			break;
		default:
			return;
		}
	}
}

/* Find the registers that address an operand in memory */
static void take_memory(KncCode *c)
{
	int mod = c->modrm >> 6, base = c->modrm & 7, sib, index;

	if (base == 4) {
		sib = next_byte(c);
		base = sib & 7;
		index = ((sib >> 3) & 7) | (c->rex & 2 ? 8 : 0);
		if (index != R_ESP)
			c->d->address |= 1U << index;
		c->displacement = base == 5 && !mod;
	} else {
		c->displacement = base == 5 && !mod;
	}
	if (!c->displacement)
		c->d->address |= 1U << (base | (c->rex & 1 ? 8 : 0));
	c->displacement |= mod != 0;
}

static void take_opcode(KncCode *c)
{
	unsigned int i, opcode;

	c->opcode = next_byte(c);
	c->two = c->opcode == 0x0f;
	if (c->two)
		c->opcode = next_byte(c);
	c->op = c->two ? two_byte[c->opcode] : one_byte[c->opcode];
	if (!c->two && !c->code64 && c->opcode >> 4 == 4)
		c->op = ZR | ZW | UV;	/* inc, dec */
	/* pause; xchg with r8 */
	if (!c->two && c->opcode == 0x90 && (c->rep || c->rex & 1))
		c->op = c->rep ? 0 : one_byte[0x91];
	if (!(c->op & M))
		return;
	c->modrm = next_byte(c);
	c->memory = c->modrm >> 6 != 3;
	opcode = c->opcode | (c->two ? 0x100 : 0);
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		/* a row is for one two-byte opcode, four from 0x80, or two: both operand sizes */
		unsigned int same = groups[i].opcode == 0x80 ? ~3U : c->two ? ~0U : ~1U;

		if ((opcode & same) == groups[i].opcode &&
		    groups[i].regs & 1U << ((c->modrm >> 3) & 7))
			c->op = groups[i].op;
	}
	if (c->memory)
		take_memory(c);
	/* nop does not use its address */
	if (c->two && c->opcode > 0x18 && c->opcode < 0x20)
		c->d->address = 0;
}

/* Is the operand of ModRM.rm (@rm) or of reg or the opcode a byte? Then 4 to 7 are ah to bh. */
static bool is_byte(const KncCode *c, bool rm)
{
	if (!c->two)
		return c->op & M ? !(c->opcode & 1) && c->opcode != 0x8c && c->opcode != 0x8e :
				   c->opcode >> 3 == 0xb0 >> 3;
	switch (c->opcode) {
	case 0x90 ... 0x9f: case 0xb6: case 0xbe:
		return rm;
	case 0xb0: case 0xc0:
		return true;
	}
	return false;
}

static uint16_t register_bit(const KncCode *c, int number, int rex, bool rm)
{
	if (c->rex)
		return 1U << ((number & 7) | (c->rex & rex ? 8 : 0));
	return 1U << (is_byte(c, rm) ? number & 3 : number & 7);
}

static void use(KncCode *c, uint16_t bit, uint32_t reads, uint32_t writes)
{
	if (c->op & reads)
		c->d->reads |= bit;
	if (c->op & writes)
		c->d->writes |= bit;
}

static void take_registers(KncCode *c)
{
	if (c->op & M && !c->memory)
		use(c, register_bit(c, c->modrm, 1, true), ER, EW);
	if (c->op & M)
		use(c, register_bit(c, c->modrm >> 3, 4, false), GR, GW);
	use(c, register_bit(c, c->opcode, 1, true), ZR, ZW);
	use(c, 1U << R_EAX, AR, AW);
	use(c, 1U << R_ECX, CR, CW);
	use(c, 1U << R_EDX, DR, DW);
	if (c->op & STACK)
		c->d->address |= SP_BIT;
	if (!c->two && (c->opcode == 0xc8 || c->opcode == 0xc9)) {	/* enter, leave */
		c->d->address |= 1U << R_EBP;
		c->d->writes |= SP_BIT | 1U << R_EBP;
	}
}

static void take_string(KncCode *c)
{
	unsigned int op = c->opcode & ~1U;

	if (c->two || op >= ARRAY_SIZE(strings) || !strings[op].address)
		return;
	c->d->address = strings[op].address;
	c->d->writes |= strings[op].address;
	if (!c->rep && !c->repne)
		return;
	c->d->writes |= 1U << R_ECX;
	c->d->cycles = strings[op].start;
	c->d->again = strings[op].again;
}

/* PREFETCHT0, NTA and PREFETCHW act as vprefetch0, T1 as vprefetch1, T2 as vprefetch2 */
static void take_prefetch(KncCode *c)
{
	static const uint8_t level[] = { 0, 0, 1, 2 };

	if (!c->two || !c->memory)
		return;
	if (c->opcode == 0x0d)
		c->d->flags |= KNC_INSN_PREFETCH(0);
	else if (c->opcode == 0x18 && (c->modrm >> 3 & 7) < ARRAY_SIZE(level))
		c->d->flags |= KNC_INSN_PREFETCH(level[c->modrm >> 3 & 7]);
}

/*
 * x87 arithmetic is D8 and DC; DA and DE, with integers in memory; and D9 E0 and up, which works on
 * the top of the stack.  All other opcodes only move data.
 */
static void take_x87(KncCode *c)
{
	if (c->two || c->opcode < 0xd8 || c->opcode > 0xdf)
		return;
	if (c->opcode & 1 && (c->opcode != 0xd9 || c->modrm < 0xe0))
		return;
	/* loads of constants */
	if (c->opcode == 0xd9 && c->modrm >= 0xe8 && c->modrm <= 0xef)
		return;
	c->d->cycles = KNC_X87_CYCLES;
	c->d->flags |= KNC_INSN_X87;
}

/* DIV and IDIV of 64 bits */
static void take_division(KncCode *c)
{
	if (!c->two && c->opcode == 0xf7 && c->rex & 8 && (c->modrm >> 4 & 3) == 3)
		c->d->cycles += KNC_LONG_DIVISION_CYCLES;
}

void knc_decode(const uint8_t *code, unsigned int len, bool code64, KncDecoded *d)
{
	KncCode c = { .at = code, .end = code + len, .code64 = code64, .d = d };
	uint32_t pipes;

	memset(d, 0, sizeof(*d));
	take_prefixes(&c);
	take_opcode(&c);
	take_registers(&c);
	d->cycles = CYCLES(c.op) ?: 1;
	if (c.op & ALU && c.memory)
		d->cycles += (c.op & (ER | EW)) == (ER | EW) ? 2 : 1;
	take_string(&c);
	take_x87(&c);
	take_division(&c);
	take_prefetch(&c);
	if (c.two && knc_decode_sse(&c))
		return;
	pipes = c.op & UV;
	/* a prefix: pairs in the U pipe only; an immediate and a displacement: does not pair */
	if (c.data16 || c.rep || c.repne || c.other)
		pipes &= U;
	if (c.op & IMM && c.displacement)
		pipes = 0;
	d->flags |= (pipes & U ? KNC_INSN_U : 0) | (pipes & V ? KNC_INSN_V : 0) |
		    (c.op & STACK ? KNC_INSN_STACK : 0) | (c.op & MICRO ? KNC_INSN_MICRO : 0) |
		    (c.op & FLUSH ? KNC_INSN_FLUSH : 0);
}
