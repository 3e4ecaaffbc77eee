/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Instructions of 64-bit mode that Knights Corner lacks: the one list of them
 *
 * For knc-pmuctl audit, and for the emulated card with --strict. Nothing here may depend on a
 * kernel or a libc.
 *
 * Source: Intel 327364, Xeon Phi Coprocessor Instruction Set Architecture Reference Manual,
 * appendix B; what the card's users found missing: CMOV, PAUSE, 0F 1F, fences.
 */
#ifndef KNC_LACKS_H
#define KNC_LACKS_H

/**
 * struct knc_code - an instruction, taken apart
 * @size: its bytes; 0: they are no instruction, or there are too few
 * @map: 1: one-byte opcodes; 2: 0F; 3: 0F 38; 4: 0F 3A
 * @opcode: the opcode
 * @modrm: the ModRM byte; only if @has_modrm
 * @has_modrm: there is one
 * @rex_w: REX.W or VEX.W
 * @rep: 0xf2, 0xf3, or 0: the last of these prefixes, or what VEX has instead
 * @data16: prefix 66, likewise
 * @vex: 0, or the first byte of VEX, EVEX or XOP: C4, C5, 62 or 8F
 * @vex_l: VEX.L
 * @evex: of 62: an EVEX, which Knights Corner's own vector instructions are not
 */
struct knc_code {
	unsigned int size;
	unsigned char map;
	unsigned char opcode;
	unsigned char modrm;
	unsigned char has_modrm;
	unsigned char rex_w;
	unsigned char rep;
	unsigned char data16;
	unsigned char vex;
	unsigned char vex_l;
	unsigned char evex;
};

/* Bit @n % 8 of byte @n / 8 of a table of 32 bytes */
static inline int knc_code_bit(const unsigned char *table, unsigned int n)
{
	return table[n / 8] >> n % 8 & 1;
}

/* Does an opcode have a ModRM byte? One table for one-byte opcodes, one for those after 0F */
static inline int knc_code_has_modrm(unsigned int map, unsigned int opcode)
{
	static const unsigned char one[32] = {
		0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f,	/* arithmetic */
		0, 0, 0, 0, 0x08, 0x0a, 0, 0,			/* 63, 69, 6b */
		0xff, 0xff, 0, 0, 0, 0, 0, 0,			/* 80 to 8f */
		0xf3, 0, 0x0f, 0xff, 0, 0, 0xc0, 0xc0,
	};
	static const unsigned char two[32] = {
		0x0f, 0x20, 0xff, 0xff, 0x0f, 0xff, 0, 0,	/* 0d: prefetchw */
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff,	/* 77: emms */
		0, 0, 0xff, 0xff, 0x38, 0xf8, 0xff, 0xff,
		0xff, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	};

	return map > 2 || knc_code_bit(map == 1 ? one : two, opcode);
}

/* Bytes of the immediate of a one-byte opcode */
static inline unsigned int knc_code_immediate1(const struct knc_code *c)
{
	unsigned int op = c->opcode, wide = c->data16 ? 2 : 4;

	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? wide : 0;
	if (op >= 0xb8 && op <= 0xbf)
		return c->rex_w ? 8 : wide;
	if (op >= 0xb0 && op <= 0xb7)
		return 1;
	if (op >= 0x70 && op <= 0x7f)
		return 1;
	switch (op) {
	case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7:
		return wide;
	case 0xe8: case 0xe9:
		return 4;
	case 0x6a: case 0x6b: case 0x80: case 0x83: case 0xa8: case 0xc0: case 0xc1: case 0xc6:
	case 0xcd: case 0xe0: case 0xe1: case 0xe2: case 0xe3: case 0xe4: case 0xe5: case 0xe6:
	case 0xe7: case 0xeb:
		return 1;
	case 0xc2: case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0xa0: case 0xa1: case 0xa2: case 0xa3:
		return 8;
	case 0xf6:
		return (c->modrm >> 3 & 7) < 2;
	case 0xf7:
		return (c->modrm >> 3 & 7) < 2 ? wide : 0;
	}
	return 0;
}

static inline unsigned int knc_code_immediate(const struct knc_code *c)
{
	unsigned int op = c->opcode;

	if (c->map == 1)
		return knc_code_immediate1(c);
	if (c->vex == 0x8f)
		return c->map == 8 ? 1 : c->map == 10 ? 4 : 0;
	if (c->map > 2)
		return c->map == 4;
	if (op >= 0x80 && op <= 0x8f)
		return 4;
	/* jkzd and jknzd with a byte */
	if (!c->has_modrm && (op == 0x74 || op == 0x75))
		return 1;
	switch (op) {
	case 0x70: case 0x71: case 0x72: case 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2:
	case 0xc4: case 0xc5: case 0xc6:
		return 1;
	}
	return 0;
}

/* Legacy prefixes and REX; returns their bytes */
static inline unsigned int knc_code_prefixes(struct knc_code *c, const unsigned char *code,
					     unsigned int size, unsigned int *addr32)
{
	unsigned int i;

	for (i = 0; i < size && i < 14; i++) {
		switch (code[i]) {
		case 0x66:
			c->data16 = 1;
			continue;
		case 0x67:
			*addr32 = 1;
			continue;
		case 0xf2: case 0xf3:
			c->rep = code[i];
			continue;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0xf0:
			continue;
		}
		break;
	}
	if (i < size && (code[i] & 0xf0) == 0x40)
		c->rex_w = code[i++] >> 3 & 1;
	return i;
}

/* Bits pp of VEX and EVEX stand for a prefix: none, 66, F3 or F2 */
static inline void knc_code_pp(struct knc_code *c, unsigned int bits)
{
	static const unsigned char rep[4] = { 0, 0, 0xf3, 0xf2 };

	c->data16 = (bits & 3) == 1;
	c->rep = rep[bits & 3];
}

/* VEX or EVEX, and the opcode; returns the bytes up to there, or 0 */
static inline unsigned int knc_code_vex(struct knc_code *c, const unsigned char *code,
					unsigned int size)
{
	unsigned int bytes = code[0] == 0xc5 ? 2 : code[0] == 0x62 ? 4 : 3;

	if (size < bytes + 1)
		return 0;
	c->vex = code[0];
	c->map = 2;
	if (bytes > 2) {
		c->map = (code[1] & 0xf) + 1;
		c->rex_w = code[2] >> 7;
	}
	knc_code_pp(c, code[bytes > 2 ? 2 : 1]);
	c->vex_l = code[bytes > 2 ? 2 : 1] >> 2 & 1;
	c->evex = bytes == 4 && code[2] & 4;
	c->opcode = code[bytes];
	if (c->vex == 0x8f)
		c->map = code[1] & 0x1f;
	return c->vex == 0x8f || (c->map >= 2 && c->map <= 4) ? bytes + 1 : 0;
}

/* Do VEX, EVEX or AMD's XOP begin here? POP has 0 where XOP has the map, which is 8 or more */
static inline int knc_code_is_vex(const unsigned char *code, unsigned int size)
{
	if (code[0] == 0x8f)
		return size > 1 && (code[1] & 0x1f) >= 8;
	return code[0] == 0xc4 || code[0] == 0xc5 || code[0] == 0x62;
}

/* The opcode; returns the bytes up to it, from @i on, or 0 */
static inline unsigned int knc_code_opcode(struct knc_code *c, const unsigned char *code,
					   unsigned int size, unsigned int i)
{
	if (i < size && knc_code_is_vex(code + i, size - i)) {
		unsigned int bytes = knc_code_vex(c, code + i, size - i);

		return bytes ? i + bytes : 0;
	}
	c->map = 1;
	if (i < size && code[i] == 0x0f) {
		c->map = 2;
		i++;
		if (i < size && (code[i] == 0x38 || code[i] == 0x3a)) {
			c->map = code[i] == 0x38 ? 3 : 4;
			i++;
		}
	}
	if (i >= size)
		return 0;
	c->opcode = code[i];
	return i + 1;
}

/* Bytes that follow ModRM at @code: SIB and the displacement */
static inline unsigned int knc_code_memory(const unsigned char *code, unsigned int size)
{
	unsigned int mod = code[0] >> 6, base = code[0] & 7, bytes = 0;

	if (mod == 3)
		return 0;
	if (base == 4) {
		if (size < 2)
			return 0;
		bytes = 1;
		base = code[1] & 7;
		if (!mod && base == 5)
			return 5;
	} else if (!mod && base == 5) {
		return 4;
	}
	return bytes + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/**
 * knc_code_decode() - take an instruction of 64-bit mode apart
 * @c: the instruction, out
 * @code: its bytes
 * @size: bytes that there are
 *
 * Return: its size; 0: no instruction, or more bytes are needed.
 */
static inline unsigned int knc_code_decode(struct knc_code *c, const unsigned char *code,
					   unsigned int size)
{
	static const struct knc_code none;
	unsigned int i, addr32 = 0;

	*c = none;
	i = knc_code_opcode(c, code, size, knc_code_prefixes(c, code, size, &addr32));
	if (!i)
		return 0;
	c->has_modrm = knc_code_has_modrm(c->map, c->opcode);
	/* jkzd, jknzd */
	if (c->vex && c->map == 2 && !c->data16 && (c->opcode == 0x74 || c->opcode == 0x75))
		c->has_modrm = 0;
	if (c->has_modrm) {
		if (i >= size)
			return 0;
		c->modrm = code[i];
		i += 1 + knc_code_memory(code + i, size - i);
	}
	i += c->map == 1 && addr32 && c->opcode >= 0xa0 && c->opcode <= 0xa3 ? 4 :
	     knc_code_immediate(c);
	c->size = i <= size ? i : 0;
	return c->size;
}

/* Of map 0F AE: fences, states */
static inline const char *knc_lacks_ae(const struct knc_code *c)
{
	unsigned int reg = c->modrm >> 3 & 7;

	if (c->modrm < 0xc0)
		return reg == 7 ? "CLFLUSH" : reg >= 4 ? "XSAVE" : reg >= 2 ? "MMX/SSE" : 0;
	if (c->rep)
		return reg < 4 ? "FSGSBASE" : reg == 5 ? "CET" : "UMWAIT";
	return reg == 5 ? "LFENCE" : reg == 6 ? "MFENCE" : reg == 7 ? "SFENCE" : 0;
}

static inline const char *knc_lacks_0f01(const struct knc_code *c)
{
	switch (c->modrm) {
	case 0xc8: case 0xc9:
		return "MONITOR";
	case 0xd0: case 0xd1:
		return "XSAVE";
	case 0xd5: case 0xd6:
		return "TSX";
	case 0xf9:
		return "RDTSCP";
	}
	return 0;
}

static inline const char *knc_lacks_c7(const struct knc_code *c)
{
	unsigned int reg = c->modrm >> 3 & 7;

	if (reg == 1)
		return c->rex_w ? "CMPXCHG16B" : 0;
	return reg >= 6 ? "RDRAND" : reg >= 3 ? "XSAVE" : 0;
}

/* Of map 0F */
static inline const char *knc_lacks_0f(const struct knc_code *c)
{
	unsigned int op = c->opcode;

	if (op >= 0x40 && op <= 0x4f)
		return "CMOV";
	if ((op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2f) ||
	    (op >= 0x50 && op <= 0x7f) || (op >= 0xd0 && op <= 0xfe))
		return "MMX/SSE";
	switch (op) {
	case 0x01:
		return knc_lacks_0f01(c);
	case 0x0d:
		return "PREFETCH";
	case 0x18:
		return (c->modrm >> 3 & 7) < 4 && c->modrm < 0xc0 ? "PREFETCH" : "long NOP";
	case 0x19: case 0x1a: case 0x1b: case 0x1c: case 0x1d: case 0x1f:
		return "long NOP";
	case 0x1e:
		return c->rep && c->modrm >= 0xc0 ? "CET" : "long NOP";
	case 0x34: case 0x35:
		return "SYSENTER";
	case 0xae:
		return knc_lacks_ae(c);
	case 0xb8:
		return c->rep ? "POPCNT" : 0;
	case 0xbc: case 0xbd:
		return c->rep == 0xf3 ? "TZCNT/LZCNT" : 0;
	case 0xc2: case 0xc3: case 0xc4: case 0xc5: case 0xc6:
		return "MMX/SSE";
	case 0xc7:
		return knc_lacks_c7(c);
	}
	return 0;
}

/* Of x87: what came with the P6, and FISTTP */
static inline const char *knc_lacks_x87(const struct knc_code *c)
{
	unsigned int reg = c->modrm >> 3 & 7, op = c->opcode;

	if (c->modrm >= 0xc0) {
		if ((op == 0xda || op == 0xdb) && reg < 4)
			return "FCMOV";
		return (op == 0xdb || op == 0xdf) && (reg == 5 || reg == 6) ? "FCOMI" : 0;
	}
	return (op == 0xdb || op == 0xdd || op == 0xdf) && reg == 1 ? "FISTTP" : 0;
}

/*
 * Knights Corner has these VEX instructions, all in map 0F and with L = 0: vprefetch, those on
 * masks, jumps on masks; with F2 or F3 clevict, SPFLT, DELAY, and those that count bits
 */
static inline const char *knc_lacks_vex(const struct knc_code *c)
{
	static const unsigned char plain[32] = {
		[0x18 / 8] = 0x01, [0x40 / 8] = 0xfe, [0x48 / 8] = 0x03, [0x70 / 8] = 0x30,
		[0x80 / 8] = 0x30, [0x90 / 8] = 0xad, [0x98 / 8] = 0x01,
	};
	static const unsigned char rep[32] = { [0xa8 / 8] = 0x40, [0xb8 / 8] = 0x31 };

	if (c->vex == 0x8f)
		return "XOP";
	if (c->map != 2 || c->vex_l || c->data16)
		return "AVX/BMI";
	if (c->rep)
		return knc_code_bit(rep, c->opcode) ? 0 : "AVX/BMI";
	return !c->rex_w && knc_code_bit(plain, c->opcode) ? 0 : "AVX/BMI";
}

/**
 * knc_lacks() - does Knights Corner lack an instruction?
 * @c: the instruction
 *
 * Return: what it belongs to, "CMOV"; NULL: it has it.
 */
static inline const char *knc_lacks(const struct knc_code *c)
{
	if (c->vex == 0x62)
		return c->evex ? "AVX-512" : 0;
	if (c->vex)
		return knc_lacks_vex(c);
	if (c->map == 2)
		return knc_lacks_0f(c);
	if (c->map > 2)
		return "SSSE3/SSE4";
	if (c->opcode == 0x90)
		return c->rep == 0xf3 ? "PAUSE" : 0;
	if ((c->opcode == 0xc6 || c->opcode == 0xc7) && c->modrm == 0xf8)
		return "TSX";
	return c->opcode >= 0xd8 && c->opcode <= 0xdf ? knc_lacks_x87(c) : 0;
}

#endif /* KNC_LACKS_H */
