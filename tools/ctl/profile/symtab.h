/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of functions by address */
#ifndef KNC_CTL_SYMTAB_H
#define KNC_CTL_SYMTAB_H

#include <stddef.h>

/**
 * struct symbol - a function
 * @name: its name
 * @module: of the kernel's, the module it is in; else NULL
 * @start: its first address, as its file has it
 * @end: the address behind it
 * @rank: which of those with the same address to take: the highest
 * @demangled: @name is as people want it
 */
struct symbol {
	const char *name;
	const char *module;
	unsigned long long start;
	unsigned long long end;
	unsigned int rank;
	int demangled;
};

/**
 * struct symtab - functions of a file
 * @symbols: in ascending order
 * @nr: how many
 * @room: room for how many
 */
struct symtab {
	struct symbol *symbols;
	size_t nr;
	size_t room;
};

/* A @size of 0: not known. @name is not copied. */
struct symbol *symtab_add(struct symtab *table, const char *name,
			  unsigned long long start, unsigned long long size);
/* Put in order; what has no size ends where the next one begins, or at @end */
void symtab_sort(struct symtab *table, unsigned long long end);
struct symbol *symtab_find(const struct symtab *table, unsigned long long addr);
void symtab_free(struct symtab *table);

#endif /* KNC_CTL_SYMTAB_H */
