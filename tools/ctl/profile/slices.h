/* SPDX-License-Identifier: GPL-2.0 */
/* Sums over slices of time, from which a page's reader selects */
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
 * @slice: the slice; NULL: none yet
 * @width: the width of slices then; a change has freed the slice
 */
struct slice_last {
	struct slice *slice;
	unsigned long long width;
};

struct slices *slices_new(const struct profile *p);
void slices_free(struct slices *s);
/*
 * The sums of @of at a time, CLOCK_MONOTONIC in ns; valid until the next call. If there are too
 * many sums, slices are merged in pairs. @ref belongs to @of, and is zero at first
 */
struct slice *slices_at(struct slices *s, const void *of, unsigned long long time,
			struct slice_last *ref);
/* Add a sample to the event's sum, and to its stack, which ends at these nodes of the views */
void slices_add(struct slices *s, const struct sample *sample, struct node *const *ends);
/* Is the frame wide enough to be drawn? */
typedef int slices_draws_fn(const struct calltree *t, const struct node *node);
/*
 * Finish after all samples, with sorted trees: give the sums of stacks to the drawn frames. Returns
 * ns of a slice; 0: there is only one.
 */
unsigned long long slices_end(struct slices *s, const struct stacks *stacks,
			      slices_draws_fn *draws);
/* Print the sums of a frame as an attribute, data-p: for each slice its number and its events */
void slices_of_frame(const struct slices *s, const struct node *node, FILE *f);
/* Print the sums of an event: its index, and data-p */
void slices_of_event(const struct slices *s, unsigned int event, FILE *f);
/* Print the sums of a table's row: for each slice its number, self, total, samples */
void slices_of_row(const struct slices *s, const void *row, unsigned int event, FILE *f);

#endif /* KNC_CTL_SLICES_H */
