/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples with names, in the order of time, for report and script; and what timeline needs of them
 *
 *	report.c, script.c, timeline.c	the commands; options.c: what they share
 *	histogram.c  calltree.c  annotate.c  bins.c	sums; match.c  disassemble.c: for annotate.c
 *	vector.c	Knights Corner's own instructions, for disassemble.c
 *	timeline-level.c	levels, for timeline; lanes.c  timeline-lanes.c: what threads did
 *	flamegraph.c  speedscope.c  timeline-svg.c  plot.c	pictures of them
 *	timeline-csv.c	a table
 *	html.c  html-functions.c  html-metrics.c	a page; metrics.c: its metrics
 *	slices.c	sums of a page's parts of time
 *	profile.c	samples with names, filtered by filter.c; heading.c: the head of outputs
 *	parallelism.c	how many threads ran at a time
 *	symbols.c	addresses to places; symtab.c, elf-file.c, kernel-syms.c: symbols,
 *			demangle.c: their names; plt.c: names of the PLT; unwound.c: where
 *			symbols without a size end; debug-file.c: separate debug files
 *	unwind.c	callers by copies of the stack; expression.c: of the tables for that;
 *			trampoline.c: returns of signal handlers without tables
 *	switches.c	context switches to times of waiting
 *	code.c		functions that processes have made at run time
 *	srclines.c	source lines as rows; lines.c: those without a table of addresses
 *	regions.c	regions of ring3.h
 *	tasks.c		names and mappings of tasks over time; space.c: mappings by address
 *	input.c		the file is opened, once: it may be a pipe
 *	read.c  walk.c  check.c	it is checked, and read in the order of time
 *	properties.c	what it says of itself
 *	ranks.c		several recordings in one
 */
#ifndef KNC_CTL_PROFILE_H
#define KNC_CTL_PROFILE_H

#include <stdio.h>

#include <kncpmu.h>

#include "profile/data-file.h"
#include "profile/options.h"
#include "profile/parallelism.h"
#include "profile/properties.h"
#include "profile/ranks.h"
#include "profile/regions.h"
#include "profile/symbols.h"
#include "profile/tasks.h"
#include "profile/unwind.h"

/* The most frames of a sample: both chains, and the sample's own address */
#define SAMPLE_FRAMES	(2 * KNC_PMU_MAX_FRAMES + 1)

/**
 * struct sample - a sample with names
 * @event: index of its event
 * @cpu: the hardware thread; this and the next two as in data-file.h, for ranks.c
 * @pid: process
 * @tid: thread
 * @rank: the rank in its parallel program; -1: none
 * @time: CLOCK_MONOTONIC, ns
 * @tsc: time stamp counter; of a thread that was on no hardware thread: when it left it
 * @period: number of events it stands for; with --latency its part of them, if several threads ran
 * @running: how many threads ran; 0: nobody asked
 * @region: the innermost region of the thread; NULL: none, or nobody asked
 * @comm: name of the thread
 * @frames: the call chain, innermost first
 * @ips: the recorded addresses of @frames
 * @exact: is the address that of an instruction, not a return address? For a return address the
 *	byte before it, in the call, is looked up, because another function may begin there
 * @nr: number of frames, at least one
 * @first_user: index of the first frame in user mode
 */
struct sample {
	unsigned int event;
	unsigned int cpu;
	unsigned int pid;
	unsigned int tid;
	long long rank;
	unsigned long long time;
	unsigned long long tsc;
	unsigned long long period;
	unsigned int running;
	const char *region;
	const char *comm;
	struct place *frames[SAMPLE_FRAMES];
	unsigned long long ips[SAMPLE_FRAMES];
	char exact[SAMPLE_FRAMES];
	unsigned int nr;
	unsigned int first_user;
};

/**
 * struct profile - a data file while its samples are shown
 * @opts: the options
 * @file: the file
 * @symbols: names of its addresses
 * @tasks: its tasks, at the time of the last sample
 * @parallelism: how many threads ran; NULL: nobody asked
 * @regions: when which thread was in which region
 * @unwinder: finds callers by copies of the stack
 * @nr: number of samples shown, of each event
 * @weight: number of events they stand for
 * @all_nr: number of samples before the filters, of each event
 * @all_weight: number of events these stand for
 * @filtered: a filter is given
 * @filtered_place: a filter of places is given
 * @told: the warning that no sample passes was printed
 * @from: records before this are not shown (--time), CLOCK_MONOTONIC, ns
 * @to: nor records from this time on
 */
struct profile {
	const struct profile_opts *opts;
	struct data_file file;
	struct symbols *symbols;
	struct tasks *tasks;
	struct parallelism *parallelism;
	struct regions *regions;
	struct unwinder *unwinder;
	unsigned long long nr[DATA_EVENTS];
	unsigned long long weight[DATA_EVENTS];
	unsigned long long all_nr[DATA_EVENTS];
	unsigned long long all_weight[DATA_EVENTS];
	int filtered;
	int filtered_place;
	int told;
	unsigned long long from;
	unsigned long long to;
};

/*
 * Check the file of @opts, which input_open() has opened as @fd. Returns 0, or an exit status after
 * a message; profile_close() is called in either case.
 */
int profile_open(struct profile *p, const struct profile_opts *opts, int fd);
void profile_close(struct profile *p);
/* The exit status if nothing else failed */
int profile_status(const struct profile *p);
/* Is the event to be shown (-e)? */
int profile_wants(const struct profile *p, unsigned int event);
/* Are records of the hardware thread to be shown (-C)? */
int profile_passes_cpu(const struct profile *p, unsigned int cpu);
/* Are records of the rank to be shown (--rank)? -1: it has none */
int profile_passes_rank(const struct profile *p, long long rank);
/* Are records of this time, CLOCK_MONOTONIC in ns, to be shown (--time)? */
static inline int profile_passes_time(const struct profile *p, unsigned long long time)
{
	return time >= p->from && time < p->to;
}

/* Are records of other types than samples to be shown (-C, --time)? */
int profile_passes_record(const struct profile *p, const struct knc_pmu_record *record);

/*
 * May counts of hardware threads be summed up? Not if several threads of a core counted a core-wide
 * event.
 */
int profile_adds_up(const struct profile *p, unsigned int event);
/* The time that @count cycles take, at the rate of the time stamp counter; negative: not known */
double profile_seconds(const struct profile *p, unsigned int event, unsigned long long count);
/* filter.c: are samples of an event left out, other than by -e? */
int profile_has_filter(const struct profile *p);

/**
 * struct profile_visitor - functions that are called for the records
 * @sample: for a sample that passes the filters
 * @other: for a record of another type; may be NULL
 * @task: for a record of a task, which already holds; may be NULL
 * @no_places: samples need no frames: @frames of struct sample may be empty
 * @prints: as in struct data_visitor
 */
struct profile_visitor {
	void (*sample)(void *ctx, const struct sample *sample);
	void (*other)(void *ctx, const struct knc_pmu_record *record);
	void (*task)(void *ctx, const struct data_task *task);
	int no_places;
	int prints;
};

int profile_walk(struct profile *p, const struct profile_visitor *visitor,
		 void *ctx);

/* heading.c */

/* The command, the program that was followed, or "hardware threads" */
const char *profile_title(const struct profile *p);
/* Call @fn with the lines of the head of an output: what, and its text */
typedef void (*heading_fn)(void *ctx, const char *what, const char *text);
void profile_heading_lines(const struct profile *p, heading_fn fn, void *ctx);
/* Print the lines of the heading, each with @prefix */
void profile_heading(const struct profile *p, FILE *f, const char *prefix);
/* Describe which part of an event's counts is in no sample; "": none */
void profile_missing(const struct profile *p, unsigned int event, char *text,
		     size_t size);
/* The mark before shares: "~" if too many events are in no sample for exact shares */
const char *profile_mark(const struct profile *p, unsigned int event);
/* The percentage of the events that samples stand for */
double profile_sampled(const struct profile *p, unsigned int event);
/* Below this number of samples of an event the standard error of a share exceeds a fifth. */
#define FEW_SAMPLES	20
/* A warning text for few samples; "" if there are more, or none */
const char *profile_few(const struct profile *p, unsigned int event);
/* "N samples of EVENT, N events", and the time of cycles */
void profile_sum(const struct profile *p, unsigned int event, char *text, size_t size);
/* Printed in place of a function for events that other cores cause */
extern const char profile_others_text[];
/* Describe how an event was sampled */
void profile_how(const struct profile *p, unsigned int event, char *text,
		 size_t size);

static inline double percent(unsigned long long part, unsigned long long whole)
{
	return whole ? 100.0 * part / whole : 0;
}

#endif /* KNC_CTL_PROFILE_H */
