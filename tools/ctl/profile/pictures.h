/* SPDX-License-Identifier: GPL-2.0 */
/* Pictures of samples, for browsers */
#ifndef KNC_CTL_PICTURES_H
#define KNC_CTL_PICTURES_H

#include <stdio.h>

#include "cli/text.h"
#include "profile/calltree.h"

struct slices;

/* flamegraph.c */

/**
 * struct flamegraph - what a flame graph shows
 * @p: the profile
 * @event: index of the event
 * @stacks: its stacks, sorted
 * @old: those of another recording: colours show how much more of the events each function
 *	itself has than there; NULL: none
 * @title: the title; NULL: it is in a page (html.c), which has title, buttons, style and script
 * @slices: sums of frames in slices of time, for a page; NULL: none
 */
struct flamegraph {
	const struct profile *p;
	unsigned int event;
	const struct stacks *stacks;
	const struct stacks *old;
	const char *title;
	const struct slices *slices;
};

/* Is the frame wide enough to be drawn? */
int flamegraph_draws(const struct calltree *t, const struct node *node);
/* Write the picture; as a file of its own if it has a title */
void flamegraph_write(const struct flamegraph *g, FILE *f);
void flamegraph_style(FILE *f);
void flamegraph_script(FILE *f);
/* Write the buttons and the key of a flame graph into its page */
void flamegraph_buttons(FILE *f);

/* speedscope.c */

struct speedscope;

/* @per_thread: a profile for each thread */
struct speedscope *speedscope_new(const struct profile *p, int per_thread);
void speedscope_add(struct speedscope *s, const struct sample *sample,
		    struct node *node);
void speedscope_write(struct speedscope *s, FILE *f);
void speedscope_free(struct speedscope *s);

/* Print the lines of a file that is built into the tool */
static inline void print_lines(FILE *f, const char * const *lines, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		fprintf(f, "%s\n", lines[i]);
}

#endif /* KNC_CTL_PICTURES_H */
