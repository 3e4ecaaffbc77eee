/* SPDX-License-Identifier: GPL-2.0 */
/* Files that addresses are in: functions, lines of sources, build ids */
#ifndef KNC_CTL_ELF_FILE_H
#define KNC_CTL_ELF_FILE_H

#include "cli/memory.h"
#include "profile/symtab.h"

struct elf_file;

/**
 * struct dso - a file that addresses are in, or something like it
 * @key: where it is, as recorded, and behind its end @build_id
 * @name: what to show
 * @short_name: the last part of it
 * @build_id: what was recorded
 * @build_id_size: bytes of @build_id; 0: not known
 * @kernel: the kernel or a module
 * @loaded: @table and @elf are as good as they can be
 * @table: its functions
 * @elf: the file; NULL: none or not usable
 * @hh: in a hash, by @key
 */
struct dso {
	char *key;
	const char *name;
	const char *short_name;
	unsigned char build_id[24];
	unsigned int build_id_size;
	int kernel;
	int loaded;
	struct symtab table;
	struct elf_file *elf;
	UT_hash_handle hh;
};

/**
 * enum elf_result - what came of opening a file
 * @ELF_GOOD: its symbols are there
 * @ELF_NONE: there is no such file, or it is no ELF file
 * @ELF_CHANGED: its build id is not what was recorded
 */
enum elf_result {
	ELF_GOOD,
	ELF_NONE,
	ELF_CHANGED
};

/* Symbols of @path into the dso; @debug: where elfutils looks for debug files */
enum elf_result elf_file_open(struct dso *dso, const char *path, char **debug);
void elf_file_close(struct elf_file *elf);
/* The vdso of this machine, if its build id is what was recorded */
enum elf_result elf_vdso(struct dso *dso);
/* Address in the file of what is @offset bytes in it; 0: not mapped */
int elf_file_addr(const struct elf_file *elf, unsigned long long offset,
		  unsigned long long *addr);
/* Source file and line; NULL: not known */
const char *elf_file_line(struct elf_file *elf, unsigned long long addr,
			  int *line);
const char *elf_file_path(const struct elf_file *elf);

/* demangle.c */

/* NULL: it is no mangled name; else to be freed */
char *demangle_name(const char *name);

#endif /* KNC_CTL_ELF_FILE_H */
