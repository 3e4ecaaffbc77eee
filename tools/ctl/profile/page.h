/* SPDX-License-Identifier: GPL-2.0 */
/* A report as one page for a browser */
#ifndef KNC_CTL_PAGE_H
#define KNC_CTL_PAGE_H

#include <stdio.h>

#include "profile/histogram.h"
#include "profile/metrics.h"
#include "profile/pictures.h"
#include "profile/bins.h"

/**
 * struct page - what a page shows
 * @p: the profile
 * @title: its title
 * @hist: its tables
 * @hist_opts: their options
 * @stacks: stacks of each event, sorted
 * @timeline: counts over time
 * @ms: the metrics that are known
 * @slices: sums of its tables and stacks in slices of time; NULL: none
 * @slice: ns of a slice
 */
struct page {
	const struct profile *p;
	const char *title;
	const struct histogram *hist;
	const struct hist_opts *hist_opts;
	const struct stacks *stacks;
	const struct timeline *timeline;
	const struct metrics *ms;
	const struct slices *slices;
	unsigned long long slice;
};

void page_write(const struct page *page, FILE *f);

/* html-functions.c */

/* Print the table of functions; each function gets the metrics of two events */
void page_functions(const struct page *page, FILE *f);

/* html-metrics.c */

/* Print the metrics of the recording */
void page_metrics(const struct page *page, FILE *f);

#endif /* KNC_CTL_PAGE_H */
