/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of source files, with as much of each path as makes it unique */
#ifndef KNC_CTL_SRCLINES_H
#define KNC_CTL_SRCLINES_H

#include "cli/hash.h"

/**
 * struct srcline - a line of a source file, or an address without one
 * @key: @path: the file, or @text; @line: the number of the line; 0: there is none
 * @text: shown for an address without a line; NULL: there is a line
 * @hh: in a hash, by @key
 */
struct srcline {
	struct {
		const char *path;
		unsigned long long line;
	} key;
	const char *text;
	UT_hash_handle hh;
};

/**
 * struct same_name - source files of one name
 * @name: the last part of their paths, the only copy
 * @paths: the paths
 * @nr: number of @paths
 * @room: elements of @paths
 * @parts: how many of their last parts tell them apart; 0: to be found
 * @hh: in a hash, by @name
 */
struct same_name {
	const char *name;
	const char **paths;
	size_t nr;
	size_t room;
	unsigned int parts;
	UT_hash_handle hh;
};

struct srclines {
	struct srcline *lines;
	struct same_name *names;
};

/* Get the entry for a line of a file, or for @text if @path is NULL; both are interned texts */
const struct srcline *srclines_get(struct srclines *s, const char *path, int line,
				   const char *text);
/* The text of a line; call it after all files are known */
const char *srclines_text(const struct srclines *s, const struct srcline *line);
void srclines_agree(struct srclines *a, struct srclines *b);
void srclines_free(struct srclines *s);

#endif /* KNC_CTL_SRCLINES_H */
