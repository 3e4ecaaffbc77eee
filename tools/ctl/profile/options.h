/* SPDX-License-Identifier: GPL-2.0 */
/* The options of report and script; timeline has some of them */
#ifndef KNC_CTL_PROFILE_OPTIONS_H
#define KNC_CTL_PROFILE_OPTIONS_H

#include <kncpmu.h>

#include "cli/command.h"
#include "cli/data.h"
#include "cli/options.h"

/**
 * struct profile_opts - the options of report and script; timeline has -i, -e and -C
 * @input: the data file
 * @sysroot: see symbols_new()
 * @event: only this event; NULL: all
 * @comm: only threads of this name; NULL: all
 * @dso: only samples in this file; NULL: all
 * @pid: only this process; -1: all
 * @tid: only this thread; -1: all
 * @cpus: only these hardware threads
 * @have_cpus: @cpus was given
 */
struct profile_opts {
	const char *input;
	const char *sysroot;
	const char *event;
	const char *comm;
	const char *dso;
	long long pid;
	long long tid;
	struct kncpmu_cpus cpus;
	int have_cpus;
};

#define PROFILE_OPTS	{ .input = DATA_DEFAULT, .pid = -1, .tid = -1 }

/* The shared options */
#define PROFILE_LONGS							\
	{ "input", required_argument, NULL, 'i' },			\
	{ "event", required_argument, NULL, 'e' },			\
	{ "cpu", required_argument, NULL, 'C' },			\
	{ "comm", required_argument, NULL, OPT_COMM },			\
	{ "dso", required_argument, NULL, OPT_DSO },			\
	{ "pid", required_argument, NULL, OPT_PID },			\
	{ "tid", required_argument, NULL, OPT_TID },			\
	{ "sysroot", required_argument, NULL, OPT_SYSROOT }

enum profile_option {
	OPT_COMM = OPT_OWN,
	OPT_DSO,
	OPT_PID,
	OPT_TID,
	OPT_SYSROOT,
	OPT_SORT,
	OPT_CHILDREN,
	OPT_NO_CHILDREN,
	OPT_PERCENT_LIMIT,
	OPT_ANNOTATE,
	OPT_STDIO,
	OPT_FOLDED,
	OPT_HTML,
	OPT_FLAMEGRAPH,
	OPT_SPEEDSCOPE,
	OPT_PER_THREAD,
	OPT_TITLE,
	OPT_CSV,
	OPT_SVG,
	OPT_BIN
};

/* Take a shared option; returns -1 for another one */
int profile_option(const struct command *cmd, struct profile_opts *opts,
		   int opt, const char *arg);

#endif /* KNC_CTL_PROFILE_OPTIONS_H */
