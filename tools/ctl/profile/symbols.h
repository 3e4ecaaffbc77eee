/* SPDX-License-Identifier: GPL-2.0 */
/* Names of addresses */
#ifndef KNC_CTL_SYMBOLS_H
#define KNC_CTL_SYMBOLS_H

#include "cli/memory.h"
#include "profile/data-file.h"
#include "profile/elf-file.h"
#include "profile/symtab.h"

/**
 * struct map - a mapping of an address space, and those before it
 * @next: the mapping before; what is newer goes first
 * @start: first address
 * @end: the address behind it
 * @offset: where in the file it begins
 * @dso: the file
 *
 * An address space is its newest mapping. Nothing is ever changed or freed, so
 * a child begins with its parent's, and what was found in one stays true.
 */
struct map {
	const struct map *next;
	unsigned long long start;
	unsigned long long end;
	unsigned long long offset;
	struct dso *dso;
};

/**
 * struct label - what a frame of a call tree is called
 * @key: @text: the function, or [file] if that is not known; @kernel: it is in
 *	the kernel; @process: it is the name of a thread
 * @id: number of the label
 * @hh: in a hash, by @key
 */
struct label {
	struct {
		const char *text;
		int kernel;
		int process;
	} key;
	unsigned int id;
	UT_hash_handle hh;
};

/**
 * struct place - an address with its name
 * @dso: what it is in
 * @addr: the address, as the file has it; that of the machine if not in a file
 * @symbol: the function; NULL: not known
 * @name: the function, or the address
 * @row: the same for tables: @name, and whether it is in the kernel
 * @label: for call trees
 * @srcline: source file and line; NULL: not looked for yet
 * @hh: in a hash, by @dso and @addr
 */
struct place {
	struct dso *dso;
	unsigned long long addr;
	const struct symbol *symbol;
	const char *name;
	const struct label *row;
	const struct label *label;
	const char *srcline;
	UT_hash_handle hh;
};

struct symbols;

/* @sysroot: where the recorded machine's files are; NULL: here */
struct symbols *symbols_new(const struct data_file *f, const char *sysroot);
void symbols_free(struct symbols *s);
struct dso *symbols_dso(struct symbols *s, const char *path,
			const unsigned char *build_id, unsigned int size);
/* @space: the process's newest mapping; not used for the kernel */
struct place *symbols_place(struct symbols *s, const struct map *space,
			    unsigned long long addr, int kernel);
const char *symbols_srcline(struct place *place);
const struct label *symbols_label(struct symbols *s, const char *text,
				  int kernel, int process);
unsigned int symbols_nr_labels(const struct symbols *s);
const struct label *symbols_label_at(const struct symbols *s, unsigned int id);

/* kernel-syms.c */

/* The kernel that was recorded, as far as it is known */
void kernel_syms(const struct data_file *f, struct symtab *table);

#endif /* KNC_CTL_SYMBOLS_H */
