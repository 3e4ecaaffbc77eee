/* SPDX-License-Identifier: GPL-2.0 */
/* Sums of slices of time, of which the reader of a page adds up those that he selects */
#ifndef KNC_CTL_SLICES_H
#define KNC_CTL_SLICES_H

#include <stdio.h>

#include "profile/calltree.h"
#include "profile/profile.h"

struct slices;

/**
 * struct slice - the sums of something in a slice of time
 * @key: what it is, and the number of the slice, from the beginning of the recording
 * @self: events of samples in it
 * @total: events of samples in it and in its callees
 * @samples: number of samples in it
 * @hh: in a hash, by @key
 */
struct slice {
	struct {
		const void *of;
		unsigned long long number;
	} key;
	unsigned long long self;
	unsigned long long total;
	unsigned long long samples;
	UT_hash_handle hh;
};

/**
 * struct slice_last - remembers the slice of a sample for the next one, which mostly has the same
 * @slice: it; NULL: none yet
 * @width: the width of slices then: with another one it is freed
 */
struct slice_last {
	struct slice *slice;
	unsigned long long width;
};

struct slices *slices_new(const struct profile *p);
void slices_free(struct slices *s);
/*
 * The sums of @of at a time, CLOCK_MONOTONIC in ns; valid until the next call. They are bounded: if
 * there are too many, each two slices become one. @ref belongs to @of, and begins with zeros
 */
struct slice *slices_at(struct slices *s, const void *of, unsigned long long time,
			struct slice_last *ref);
/* Add a sample to the event's sum, and to its stack, which ends at these nodes of the views */
void slices_add(struct slices *s, const struct sample *sample, struct node *const *ends);
/* Is the frame wide enough to be drawn? */
typedef int slices_draws_fn(const struct calltree *t, const struct node *node);
/*
 * Nothing is added any more, and the trees are sorted: give the sums of stacks to the frames that
 * are drawn. Returns ns of a slice; 0: there is only one.
 */
unsigned long long slices_end(struct slices *s, const struct stacks *stacks,
			      slices_draws_fn *draws);
/* Print the sums of a frame as an attribute, data-p: for each slice its number and its events */
void slices_of_frame(const struct slices *s, const struct node *node, FILE *f);
/* Of an event: data-p and its index */
void slices_of_event(const struct slices *s, unsigned int event, FILE *f);
/* Of a row of the table: likewise, for each slice its number, self, total, samples */
void slices_of_row(const struct slices *s, const void *row, unsigned int event, FILE *f);

#endif /* KNC_CTL_SLICES_H */
