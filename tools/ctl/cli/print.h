/* SPDX-License-Identifier: GPL-2.0 */
/* Text for people, as wide as their terminal */
#ifndef KNC_CTL_PRINT_H
#define KNC_CTL_PRINT_H

#include <stdio.h>

#include "cli/terminal.h"

/* Words of @text in lines of @width columns, all but the first indented */
void print_wrapped(FILE *f, const char *text, unsigned int indent,
		   unsigned int width);

/* Close a file that was written; returns an exit status */
int close_output(FILE *f, const char *path);

/* The names of KNCPMU_SRC_*, separated by commas */
void sources_text(unsigned int sources, char *text, size_t size);

#endif /* KNC_CTL_PRINT_H */
