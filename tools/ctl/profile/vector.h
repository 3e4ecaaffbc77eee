/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions of include/knc/vector.def: bytes to operands, operands to text */
#ifndef KNC_CTL_VECTOR_H
#define KNC_CTL_VECTOR_H

#include <stddef.h>
#include <knc/vector.h>

#define VECTOR_NO_REGISTER	0xff

/**
 * struct vector_memory - an operand in memory, or what a branch jumps to
 * @base: number of the general register; VECTOR_NO_REGISTER: none
 * @index: likewise, or number of the zmm with indices
 * @scale: factor of @index: 1, 2, 4 or 8
 * @segment: prefix 0x64 or 0x65; 0: none
 * @short_address: 32-bit registers
 * @rip: @disp is relative to the next instruction
 * @disp: displacement, in bytes
 */
struct vector_memory {
	unsigned char base;
	unsigned char index;
	unsigned char scale;
	unsigned char segment;
	unsigned char short_address;
	unsigned char rip;
	long long disp;
};

/**
 * struct vector_insn - an instruction
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
struct vector_insn {
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
	struct vector_memory memory;
};

/* Decode the instruction at @bytes, of which @size are there; returns 0 if it is none of these */
int vector_decode(struct vector_insn *insn, const unsigned char *bytes, size_t size);

/* vector-text.c */

/* The operands as AT&T's syntax has them; @addr: where the instruction is. Cut to @size */
void vector_operands(const struct vector_insn *insn, unsigned long long addr, char *text,
		     size_t size);

#endif /* KNC_CTL_VECTOR_H */
