/* SPDX-License-Identifier: GPL-2.0 */
/* What is shown, and how: columns.c, view.c, screen.c */
#ifndef KNC_CTL_TOP_DISPLAY_H
#define KNC_CTL_TOP_DISPLAY_H

#include "top/top.h"

#define TOP_HEADING	(KNCPMU_SPEC_LEN + 3)	/* bytes of a heading */

/**
 * struct top_columns - the columns that fit into a line
 * @width: the width of each; 0: it is left out, or does not exist
 * @first: the position of its first character
 * @nr_lines: lines of the heading
 */
struct top_columns {
	unsigned int width[TOP_NR_FIXED + KNC_PMU_MAX_SET];
	unsigned int first[TOP_NR_FIXED + KNC_PMU_MAX_SET];
	unsigned int nr_lines;
};

int top_has_cpi(const struct top *t);
unsigned int top_nr_columns(const struct top *t);
int top_has_column(const struct top *t, unsigned int column);
const char *top_column_title(const struct top *t, unsigned int column);
/* Place the columns in @width characters; 0: place all, with headings of one line */
void top_place(const struct top *t, unsigned int width, struct top_columns *l);
/* Line @line, from 0, of a column's heading; "" if it is empty */
void top_heading(const struct top *t, const struct top_columns *l, unsigned int column,
		 unsigned int line, char *text, size_t size);
/* List the columns that do not fit; returns their number */
unsigned int top_left_out(const struct top *t, const struct top_columns *l, char *text,
			  size_t size);

/* The column that orders the rows before the user chooses one */
unsigned int top_first_sort(const struct top *t);
/* Sort the rows by the chosen column */
void top_sort(struct top *t);
void top_heading_line(const struct top *t, const struct top_columns *l, unsigned int line,
		      char *text, size_t size);
void top_line(const struct top *t, const struct top_row *row, const struct top_columns *l,
	      int all_digits, char *line, size_t size);
/* The word that is printed before the time of the interval */
const char *top_interval_word(const struct top *t);
/* The @n-th explanation of a mark, from 0 on; NULL: no more */
const char *top_remark(const struct top *t, unsigned int n);
void top_print(const struct top *t);

/* screen.c: returns an exit status */

int top_interactive(struct top *t);

#endif /* KNC_CTL_TOP_DISPLAY_H */
