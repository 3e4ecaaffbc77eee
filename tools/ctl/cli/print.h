/* SPDX-License-Identifier: GPL-2.0 */
/* Text for people, as wide as their terminal */
#ifndef KNC_CTL_PRINT_H
#define KNC_CTL_PRINT_H

#include <stdio.h>

/* Columns of the terminal behind @f; 0: it is not one */
unsigned int terminal_width(FILE *f);

/* Words of @text in lines of @width columns, all but the first indented */
void print_wrapped(FILE *f, const char *text, unsigned int indent,
		   unsigned int width);

/* Words for KNCPMU_SRC_* and for masks of counters */
void sources_text(unsigned int sources, char *text, size_t size);

#endif /* KNC_CTL_PRINT_H */
