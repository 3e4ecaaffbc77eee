/* SPDX-License-Identifier: GPL-2.0 */
/* What the user's terminal can do, also behind a pager */
#ifndef KNC_CTL_TERMINAL_H
#define KNC_CTL_TERMINAL_H

#include <stdio.h>

/* Columns of the terminal @f; 0: it is none */
unsigned int terminal_width(FILE *f);
/* Is @f a terminal, and does its user want colours? (https://no-color.org) */
int terminal_colours(FILE *f);
/* Is @f a terminal that knows escape sequences? Not TERM=dumb, an editor's for example */
int terminal_escapes(FILE *f);
/* A pager shows standard output on terminal @fd; @colours: it passes colours on */
void terminal_paged(int fd, int colours);

#endif /* KNC_CTL_TERMINAL_H */
