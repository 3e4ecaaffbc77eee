/* SPDX-License-Identifier: GPL-2.0 */
/* DWARF expressions of unwinding tables */
#ifndef KNC_CTL_EXPRESSION_H
#define KNC_CTL_EXPRESSION_H

#include <elfutils/libdw.h>

/**
 * struct machine - what an expression may look at
 * @regs: registers, by their DWARF numbers
 * @known: bit n: the value of @regs[n] is known
 * @nr: number of @regs
 * @cfa: the canonical frame address
 * @word: bytes of an address
 * @read: read @size bytes at @addr; returns 0 if they are not known
 * @ctx: its argument
 */
struct machine {
	const unsigned long long *regs;
	unsigned int known;
	unsigned int nr;
	unsigned long long cfa;
	unsigned int word;
	int (*read)(void *ctx, unsigned long long addr, unsigned int size,
		    unsigned long long *value);
	void *ctx;
};

/*
 * Evaluate an expression. It is a value, or with @location the address of one, unless its last
 * operation says otherwise: the value there is read. Returns 0 if it can't be evaluated.
 */
int expression_value(const struct machine *m, const Dwarf_Op *ops, size_t nr, int location,
		     unsigned long long *value);

#endif /* KNC_CTL_EXPRESSION_H */
