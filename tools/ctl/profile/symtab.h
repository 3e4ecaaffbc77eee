/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of functions by address */
#ifndef KNC_CTL_SYMTAB_H
#define KNC_CTL_SYMTAB_H

#include <stddef.h>

/**
 * struct symbol - a function
 * @name: its name
 * @module: the kernel module it is in, or NULL
 * @start: its first address, in its file
 * @end: its last address + 1
 * @limit: the same at most, if its size is not known: where its section ends, or code that was
 *	compiled as another function begins; 0: not known
 * @rank: of several symbols with the same address the highest rank wins
 * @demangled: @name has been demangled
 * @twin: another function of the file has the same name
 */
struct symbol {
	const char *name;
	const char *module;
	unsigned long long start;
	unsigned long long end;
	unsigned long long limit;
	unsigned int rank;
	int demangled;
	int twin;
};

/**
 * struct symtab - functions of a file
 * @symbols: the functions, by ascending address
 * @nr: number of functions
 * @room: elements of @symbols
 */
struct symtab {
	struct symbol *symbols;
	size_t nr;
	size_t room;
};

/* Add a function; @size 0: not known. @name is not copied. */
struct symbol *symtab_add(struct symtab *table, const char *name,
			  unsigned long long start, unsigned long long size);
/* Sort. A function without a size ends at the next function, at its limit, or at @end */
void symtab_sort(struct symtab *table, unsigned long long end);
/* Find functions with the same name, such as static ones of two source files */
void symtab_find_twins(struct symtab *table);
/* Move the functions of @from to @to, which must be sorted again */
void symtab_join(struct symtab *to, struct symtab *from);
struct symbol *symtab_find(const struct symtab *table, unsigned long long addr);
void symtab_free(struct symtab *table);

#endif /* KNC_CTL_SYMTAB_H */
