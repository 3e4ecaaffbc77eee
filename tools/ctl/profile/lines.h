/* SPDX-License-Identifier: GPL-2.0 */
/* Source lines of an ELF file whose compiler wrote no address table */
#ifndef KNC_CTL_LINES_H
#define KNC_CTL_LINES_H

#include <elfutils/libdwfl.h>

struct unit;

/**
 * struct lines - the compilation units of a file, by address
 * @units: pieces of code and the unit each belongs to, sorted; NULL before the first search
 * @nr: number of @units
 * @room: elements of @units
 * @read: all units have been read
 */
struct lines {
	struct unit *units;
	size_t nr;
	size_t room;
	int read;
};

/* The line of an address, and the directory of its compilation; NULL: not known */
const char *lines_find(struct lines *lines, Dwfl_Module *module, GElf_Addr addr, int *line,
		       const char **dir);
void lines_free(struct lines *lines);

#endif /* KNC_CTL_LINES_H */
