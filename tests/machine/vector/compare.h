/* SPDX-License-Identifier: GPL-2.0 */
/* The effect of each vector instruction on an element, written a second time in plain C */
#ifndef COMPARE_H
#define COMPARE_H

#include "knc/vector_decode.h"
#include "knc_vector_run.h"

typedef union knc_vector_value vector;

/**
 * struct lane - an element of an instruction
 * @a: the first source, which is the register in vvvv
 * @b: the last source: swizzled, broadcast or converted
 * @d: the destination as it was
 * @i: number of the element
 * @x: that of @a, and likewise @y of @b, @z of @d
 * @imm: immediate byte
 * @carry: bit of the mask in vvvv
 * @carries: likewise, of the result
 */
struct lane {
	const vector *a;
	const vector *b;
	const vector *d;
	unsigned int i;
	uint64_t x;
	uint64_t y;
	uint64_t z;
	unsigned char imm;
	unsigned int carry;
	unsigned int carries;
};

/**
 * struct reference - an instruction
 * @name: its mnemonic
 * @value: its result in an element, or the bit of a mask
 * @ulps: how far from the exact result it may be, in units of the last place; 0: equal
 * @exact: the exact result, if @ulps is not 0
 * @flags: flags of exceptions are compared too
 */
struct reference {
	const char *name;
	uint64_t (*value)(struct lane *l);
	double ulps;
	long double (*exact)(uint64_t y);
	int flags;
};

/* inputs.c: set the seed; a number below @n; random vectors */
void inputs_begin(unsigned long long number);
unsigned long long inputs_first(void);
uint64_t random_bits(void);
unsigned int below(unsigned int n);
uint32_t special32(void);
void fill(vector *v, int wide);

/* reference.c: the reference of an instruction, or NULL */
const struct reference *reference_find(const char *name);
/* The result for two masks, the first of which is also the destination */
uint16_t reference_mask(const char *name, unsigned int a, unsigned int b);
/* Loads and stores: an element from memory, and an element to memory */
uint64_t reference_load(const unsigned char *memory, int is_float, unsigned int sss);
unsigned int reference_store(uint32_t value, int is_float, unsigned int sss);

#endif /* COMPARE_H */
