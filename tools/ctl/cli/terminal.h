/* SPDX-License-Identifier: GPL-2.0 */
/* What the user's terminal can do, also if a pager is between */
#ifndef KNC_CTL_TERMINAL_H
#define KNC_CTL_TERMINAL_H

#include <stdio.h>

/* Columns of @f, or of its pager's terminal; 0: no terminal */
unsigned int terminal_width(FILE *f);
/* Is @f a terminal, and does its user want colours? (https://no-color.org) */
int terminal_colours(FILE *f);
/* Is @f a terminal with escape sequences? TERM=dumb is not, for example in an editor */
int terminal_escapes(FILE *f);
/* Note that a pager shows standard output on terminal @fd; @colours: it passes colours on */
void terminal_paged(int fd, int colours);

#endif /* KNC_CTL_TERMINAL_H */
