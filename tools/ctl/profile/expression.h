/* SPDX-License-Identifier: GPL-2.0 */
/* Evaluates DWARF expressions of unwinding tables */
#ifndef KNC_CTL_EXPRESSION_H
#define KNC_CTL_EXPRESSION_H

#include <elfutils/libdw.h>

/**
 * struct machine - registers and memory that an expression may read
 * @regs: registers, by their DWARF numbers
 * @known: bit n: the value of @regs[n] is known
 * @nr: number of @regs
 * @cfa: the canonical frame address
 * @word: bytes of an address
 * @read: read @size bytes at @addr; returns 0 if the contents are not known
 * @ctx: first argument of @read
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
 * Evaluate an expression; returns 0 on failure. With @location the result is an address, from which
 * the value is read unless an operation says that it is the value.
 */
int expression_value(const struct machine *m, const Dwarf_Op *ops, size_t nr, int location,
		     unsigned long long *value);

#endif /* KNC_CTL_EXPRESSION_H */
