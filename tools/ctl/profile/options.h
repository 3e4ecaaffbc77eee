/* SPDX-License-Identifier: GPL-2.0 */
/* The options of report and script; timeline has some of them */
#ifndef KNC_CTL_PROFILE_OPTIONS_H
#define KNC_CTL_PROFILE_OPTIONS_H

#include <limits.h>

#include <kncpmu.h>

#include "cli/command.h"
#include "cli/data.h"
#include "cli/options.h"

/**
 * struct time_limit - one end of --time
 * @value: seconds since the recording began
 * @percent: or per cent of the recording
 * @given: the user gave it; otherwise it is the recording's own end
 */
struct time_limit {
	double value;
	int percent;
	int given;
};

/**
 * struct profile_opts - the options of report and script; timeline has -i, -e, -C and --time
 * @input: the data file
 * @sysroot: see symbols_new()
 * @event: only this event; NULL: all
 * @comm: only threads of this name; NULL: all
 * @dso: only samples in this file; NULL: all
 * @symbol: only samples in functions of this name; NULL: all
 * @time: only records from the first on, and before the second
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
	const char *symbol;
	struct time_limit time[2];
	long long pid;
	long long tid;
	struct kncpmu_cpus cpus;
	int have_cpus;
};

/* Is a part of the recording asked for (--time)? */
static inline int has_time(const struct profile_opts *o)
{
	return o->time[0].given || o->time[1].given;
}

#define PROFILE_OPTS	{ .input = DATA_DEFAULT, .pid = -1, .tid = -1 }

take_fn take_task, take_recorded_cpus, take_clean_text, take_times;

/* The options of @common, a struct profile_opts, which several commands have */
#define INPUT_OPTION(common)						\
	{ 'i', "input", "FILE", TEXT(&(common).input), "the recording (default: knc.data)" }
#define EVENT_OPTION(common)						\
	{ 'e', "event", "EVENT", TEXT(&(common).event), "this event" }
#define RECORDED_CPUS_OPTION(common)					\
	{ 'C', "cpu", "CPUS", CALL_AND_FLAG(take_recorded_cpus, &(common).cpus,		\
					    &(common).have_cpus), "these hardware threads" }
#define COMM_OPTION(common)						\
	{ 0, "comm", "NAME", CALL(take_clean_text, &(common).comm), "threads of this name" }
#define DSO_OPTION(common)						\
	{ 0, "dso", "NAME", CALL(take_clean_text, &(common).dso), "this file" }
#define SYMBOL_OPTION(common)						\
	{ 0, "symbol", "NAME", CALL(take_clean_text, &(common).symbol),	\
	  "functions of this name, with or without namespace, class and arguments" }
#define TIME_OPTION(common)						\
	{ 0, "time", "FROM,TO", CALL(take_times, (common).time),	\
	  "this part: seconds since the recording began, or N% of it; either may be missing" }
#define TASK_OPTION(name, what, to)					\
	{ 0, name, "ID", take_task, OPT_TO(long long, to), NULL, what, 0, UINT_MAX, 0,	\
	  "this " what }
#define SYSROOT_OPTION(common)						\
	{ 0, "sysroot", "DIR", TEXT(&(common).sysroot),			\
	  "look in DIR for the files of the recorded machine" }

#define FILTER_OPTIONS(common)						\
	EVENT_OPTION(common),						\
	COMM_OPTION(common),						\
	DSO_OPTION(common),						\
	SYMBOL_OPTION(common),						\
	TIME_OPTION(common),						\
	TASK_OPTION("pid", "process", &(common).pid),			\
	TASK_OPTION("tid", "thread", &(common).tid),			\
	RECORDED_CPUS_OPTION(common)

#endif /* KNC_CTL_PROFILE_OPTIONS_H */
