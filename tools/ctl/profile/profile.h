/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples with names, in the order of time, for report, script and timeline
 *
 *	report.c, script.c, timeline.c	the commands; options.c: what all take
 *	histogram.c  calltree.c  annotate.c  bins.c	sums
 *	flamegraph.c  speedscope.c  timeline-svg.c	pictures of them
 *	profile.c	samples with names, filtered; header.c: what is said first
 *	symbols.c	addresses to places; symtab.c, elf-file.c, kernel-syms.c: symbols
 *	tasks.c		who had which name and mappings when
 *	read.c  walk.c  check.c	the file: checked, in the order of time
 */
#ifndef KNC_CTL_PROFILE_H
#define KNC_CTL_PROFILE_H

#include <stdio.h>

#include <kncpmu.h>

#include "profile/data-file.h"
#include "profile/options.h"
#include "profile/symbols.h"
#include "profile/tasks.h"

/**
 * struct sample - a sample with names
 * @event: index of its event
 * @cpu: the hardware thread
 * @pid: process
 * @tid: thread
 * @time: CLOCK_MONOTONIC, ns
 * @period: how many events it stands for
 * @comm: name of the thread
 * @frames: where, innermost first
 * @nr: how many frames, at least one
 * @first_user: the first of them in user mode
 */
struct sample {
	unsigned int event;
	unsigned int cpu;
	unsigned int pid;
	unsigned int tid;
	unsigned long long time;
	unsigned long long period;
	const char *comm;
	struct place *frames[2 * KNC_PMU_MAX_FRAMES + 1];
	unsigned int nr;
	unsigned int first_user;
};

/*
 * Is the frame where it was, not where it will return to? Of the latter the call
 * is looked up, the byte before: behind it another function may begin.
 */
static inline int sample_exact(const struct sample *s, unsigned int frame)
{
	return !frame || frame == s->first_user;
}

/**
 * struct profile - a data file being read for a purpose
 * @opts: what was asked
 * @file: the file
 * @symbols: names of its addresses
 * @tasks: its tasks, at the time of the sample last shown
 * @nr: samples shown, of each event
 * @weight: events they stand for
 */
struct profile {
	const struct profile_opts *opts;
	struct data_file file;
	struct symbols *symbols;
	struct tasks *tasks;
	unsigned long long nr[KNC_NR_COUNTERS];
	unsigned long long weight[KNC_NR_COUNTERS];
};

/* Open, read, say what is wrong; 0 or an exit status, the message being out */
int profile_open(struct profile *p, const struct profile_opts *opts);
/* The same of an open file */
int profile_open_fd(struct profile *p, const struct profile_opts *opts, int fd);
void profile_close(struct profile *p);
/* The status to end with when all went well */
int profile_status(const struct profile *p);
/* Was this event asked for? */
int profile_wants(const struct profile *p, unsigned int event);

/**
 * struct profile_visitor - who is shown the samples
 * @sample: a sample that was asked for
 * @other: a record of another kind; may be NULL
 */
struct profile_visitor {
	void (*sample)(void *ctx, const struct sample *sample);
	void (*other)(void *ctx, const struct knc_pmu_record *record);
};

int profile_walk(struct profile *p, const struct profile_visitor *visitor,
		 void *ctx);

/* header.c */

/* What every output says first: lines, each behind @prefix */
void profile_header(const struct profile *p, FILE *f, const char *prefix);
/* What is missing of an event, in words; empty if nothing is */
void profile_missing(const struct profile *p, unsigned int event, char *text,
		     size_t size);
/* How an event was sampled, in words */
void profile_how(const struct profile *p, unsigned int event, char *text,
		 size_t size);

static inline double percent(unsigned long long part, unsigned long long whole)
{
	return whole ? 100.0 * part / whole : 0;
}

#endif /* KNC_CTL_PROFILE_H */
