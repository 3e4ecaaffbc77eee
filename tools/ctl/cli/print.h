/* SPDX-License-Identifier: GPL-2.0 */
/* Text for people, as wide as their terminal */
#ifndef KNC_CTL_PRINT_H
#define KNC_CTL_PRINT_H

#include <stdio.h>

/* Columns of the terminal @f; 0: it is none */
unsigned int terminal_width(FILE *f);
/* Is @f a terminal, and does its user want colours? (https://no-color.org) */
int terminal_colours(FILE *f);
/* A pager shows standard output on terminal @fd */
void terminal_paged(int fd);

/* Words of @text in lines of @width columns, all but the first indented */
void print_wrapped(FILE *f, const char *text, unsigned int indent,
		   unsigned int width);

/* Close a file that was written; returns an exit status */
int close_output(FILE *f, const char *path);

/* The names of KNCPMU_SRC_*, separated by commas */
void sources_text(unsigned int sources, char *text, size_t size);

#endif /* KNC_CTL_PRINT_H */
