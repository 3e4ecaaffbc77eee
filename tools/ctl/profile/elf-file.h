/* SPDX-License-Identifier: GPL-2.0 */
/* The files of mappings: functions, source lines, build-ids */
#ifndef KNC_CTL_ELF_FILE_H
#define KNC_CTL_ELF_FILE_H

#include "cli/data.h"
#include "cli/file-id.h"
#include "cli/hash.h"
#include "profile/symtab.h"

struct elf_file;

/**
 * struct dso - the file of a mapping, the kernel, or memory without a file
 * @key: the recorded path, its NUL, @build_id and @identity
 * @name: its name in outputs
 * @short_name: the last part of @name
 * @build_id: the recorded build-id
 * @build_id_size: bytes of @build_id; 0: not known
 * @identity: its size and time, if it has no id
 * @has_identity: these are known
 * @same_system: it was recorded since this system was started
 * @of_card: it was recorded on a Knights Corner
 * @kernel: the kernel or a module
 * @loaded: its symbols were searched for
 * @other_id: the id for other tools, which know only GNU's
 * @other_id_size: bytes of @other_id; 0: it has none
 * @other_id_known: these are known
 * @table: its functions
 * @elf: the file; NULL: none or not usable
 * @image: of the vdso: its image, for elf_file_addr(), elf_file_frame() and elf_file_bytes() only
 * @hh: in a hash, by @key
 */
struct dso {
	char *key;
	const char *name;
	const char *short_name;
	unsigned char build_id[24];
	unsigned int build_id_size;
	struct data_identity identity;
	int has_identity;
	int same_system;
	int of_card;
	int kernel;
	int loaded;
	unsigned char other_id[FILE_ID_SIZE];
	unsigned int other_id_size;
	int other_id_known;
	struct symtab table;
	struct elf_file *elf;
	struct elf_file *image;
	UT_hash_handle hh;
};

/**
 * enum elf_result - results of opening a file
 * @ELF_GOOD: its symbols have been read
 * @ELF_NONE: there is no such file, or it is no ELF file
 * @ELF_CHANGED: it is not the recorded file: its id, size or time differs
 */
enum elf_result {
	ELF_GOOD,
	ELF_NONE,
	ELF_CHANGED
};

/* Read the symbols of @path into the dso; @debug: search path of elfutils for debug files */
enum elf_result elf_file_open(struct dso *dso, const char *path, char **debug);
void elf_file_close(struct elf_file *elf);
/* Set @other_id of the dso, whose file is @path here if it was not changed */
void elf_file_other_id(struct dso *dso, const char *path);
/* Read the vdso of this machine, if its build-id is the recorded one */
enum elf_result elf_vdso(struct dso *dso);
/* Convert an offset in the file to an address; returns 0 if it is not mapped */
int elf_file_addr(const struct elf_file *elf, unsigned long long offset,
		  unsigned long long *addr);

/**
 * struct source - a line of a source file
 * @path: the file, to be freed; relative if it is not known where it was compiled
 * @given: the part of @path that the compiler was given
 * @line: the number of the line
 */
struct source {
	char *path;
	const char *given;
	int line;
};

/* Find the source line of an address; returns 0 if it is not known */
int elf_file_line(struct elf_file *elf, unsigned long long addr, struct source *source);
/* 32 or 64 */
int elf_file_bits(const struct elf_file *elf);
/* e_machine of the file's header */
unsigned int elf_file_machine(const struct elf_file *elf);
/*
 * The unwinding rules for an address, which the caller frees; NULL: the file has no tables for the
 * address
 */
struct Dwarf_Frame_s *elf_file_frame(struct elf_file *elf, unsigned long long addr);
/* Is the address in the entry code of a program, which has no caller? */
int elf_file_is_entry(const struct elf_file *elf, unsigned long long addr);
/* The bytes at an address; *@size is how many are wanted, then how many there are; NULL: none */
const unsigned char *elf_file_bytes(const struct elf_file *elf, unsigned long long addr,
				    size_t *size);

/* disassemble.c */

typedef void (*instruction_fn)(void *ctx, unsigned long long addr, const char *text);

/* Call @fn for each instruction from @start to @end; returns 0 if the file lacks these bytes */
int disassemble(const struct dso *dso, unsigned long long start, unsigned long long end,
		instruction_fn fn, void *ctx);

/* demangle.c */

/* The demangled name, to be freed; NULL: @name is not mangled */
char *demangle_name(const char *name);

#endif /* KNC_CTL_ELF_FILE_H */
