/* SPDX-License-Identifier: GPL-2.0 */
/* Pictures of samples, for browsers */
#ifndef KNC_CTL_PICTURES_H
#define KNC_CTL_PICTURES_H

#include <stdio.h>

#include "profile/calltree.h"

/* flamegraph.c */

void flamegraph_write(const struct profile *p, struct calltree *t,
		      unsigned int event, const char *title, FILE *f);
/* The same, coloured by how much more of the events each function itself has than in @old */
void flamegraph_write_diff(const struct profile *p, const struct calltree *old,
			   struct calltree *t, unsigned int event, const char *title,
			   FILE *f);

/* speedscope.c */

struct speedscope;

/* @per_thread: a profile for each thread */
struct speedscope *speedscope_new(const struct profile *p, int per_thread);
void speedscope_add(struct speedscope *s, const struct sample *sample,
		    struct node *node);
void speedscope_write(struct speedscope *s, FILE *f);
void speedscope_free(struct speedscope *s);

#endif /* KNC_CTL_PICTURES_H */
