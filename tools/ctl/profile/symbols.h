/* SPDX-License-Identifier: GPL-2.0 */
/* Names of addresses */
#ifndef KNC_CTL_SYMBOLS_H
#define KNC_CTL_SYMBOLS_H

#include "cli/hash.h"
#include "profile/data-file.h"
#include "profile/elf-file.h"
#include "profile/space.h"
#include "profile/srclines.h"
#include "profile/symtab.h"

/**
 * struct label - the name of a frame of a call tree
 * @key: @text: the function, or [file] if that is not known; @kernel: it is in
 *	the kernel; @thread: it is the name of a thread
 * @id: number of the label
 * @hh: in a hash, by @key
 */
struct label {
	struct {
		const char *text;
		int kernel;
		int thread;
	} key;
	unsigned int id;
	UT_hash_handle hh;
};

/**
 * struct place - an address with its name
 * @dso: its file
 * @addr: the address in the file's own headers; its offset in a file that can't be read; the
 *	address of the machine if there is no file
 * @symbol: the function; NULL: not known
 * @name: the function, or the address
 * @row: the same for tables: @name, and whether it is in the kernel
 * @label: for call trees
 * @sums: for a histogram: its row of each event, if all frames here have the same one
 * @srcline: source file and line, the only copy; NULL: not looked for yet
 * @line: its line of script, as an address and as the one before a return address; NULL: none yet
 * @hh: in a hash, by @dso and @addr
 */
struct place {
	struct dso *dso;
	unsigned long long addr;
	const struct symbol *symbol;
	const char *name;
	const struct label *row;
	const struct label *label;
	void *sums[DATA_EVENTS];
	const struct srcline *srcline;
	const char *line[2];
	UT_hash_handle hh;
};

/**
 * struct file_key - a recorded file
 * @path: its path
 * @build_id: its id
 * @build_id_size: bytes of @build_id; 0: it has none
 * @identity: its size and time, if it has no id; NULL: not recorded
 */
struct file_key {
	const char *path;
	const unsigned char *build_id;
	unsigned int build_id_size;
	const struct data_identity *identity;
};

struct symbols;

/* The length without " (deleted)", which the kernel appends to names of removed files */
size_t file_name_length(const char *name);
/* @sysroot: directory with the files of the recorded machine; NULL: "/" */
struct symbols *symbols_new(const struct data_file *f, const char *sysroot);
void symbols_free(struct symbols *s);
struct dso *symbols_dso(struct symbols *s, const struct file_key *file);
/* The file of a mapping, after setting @other_id, the build id for files of other tools */
const struct dso *symbols_other_id(struct symbols *s, const struct file_key *file);
/* From now on look symbols up for the recording with this index, which has its own kernel */
void symbols_choose(struct symbols *s, unsigned int rank_index);
/* Find the place of an address; @space: the process' mappings, unused for the kernel */
struct place *symbols_place(struct symbols *s, const struct space *space,
			    unsigned long long addr, int kernel, unsigned long long time);
/* The file at an address, and in *@at the address by its headers; NULL: no readable file */
struct elf_file *symbols_file(struct symbols *s, const struct space *space,
			      unsigned long long addr, unsigned long long *at);
/* The common place of samples that other cores caused */
struct place *symbols_by_others(struct symbols *s);
const struct srcline *symbols_srcline(struct symbols *s, struct place *place);
/*
 * The text of a line, with as much of the file's path as makes it unique: call this after all
 * places are known.
 */
const char *symbols_srcline_text(const struct symbols *s, const struct srcline *line);
/* Give files of the same name equally long paths in both recordings */
void symbols_agree(struct symbols *a, struct symbols *b);
const struct label *symbols_label(struct symbols *s, const char *text,
				  int kernel, int thread);
unsigned int symbols_nr_labels(const struct symbols *s);
const struct label *symbols_label_at(const struct symbols *s, unsigned int id);

#endif /* KNC_CTL_SYMBOLS_H */
