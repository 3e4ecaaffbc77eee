/* SPDX-License-Identifier: GPL-2.0 */
/* The options that choose samples, common to all commands that read recordings */
#ifndef KNC_CTL_PROFILE_OPTIONS_H
#define KNC_CTL_PROFILE_OPTIONS_H

#include <limits.h>

#include <kncpmu.h>

#include "cli/command.h"
#include "cli/data.h"
#include "cli/options.h"

#define MAX_WANTED	64	/* names or ids of one option */

/**
 * struct time_limit - one end of --time
 * @value: seconds since the recording began
 * @percent: the value is a percentage of the recording
 * @given: the user gave it; otherwise it is the recording's own end
 */
struct time_limit {
	double value;
	int percent;
	int given;
};

/**
 * struct wanted_names - the argument of --comm, --dso or --symbol, or regions of --time
 * @text: all of it; NULL: any name is wanted
 * @name: the names: the whole text, which may be one with commas, and what commas separate
 * @nr: number of @name
 */
struct wanted_names {
	const char *text;
	const char *name[MAX_WANTED + 1];
	unsigned int nr;
};

/**
 * struct wanted_tasks - the argument of --pid, --tid or --rank
 * @text: all of it; NULL: any id is wanted
 * @id: the ids
 * @nr: number of @id
 */
struct wanted_tasks {
	const char *text;
	unsigned int id[MAX_WANTED];
	unsigned int nr;
};

/**
 * struct profile_opts - the options of all readers of recordings
 * @input: the data file
 * @sysroot: see symbols_new()
 * @event: only this event; NULL: all
 * @comm: only threads of these names
 * @dso: only samples in these files
 * @symbol: only samples in functions of these names
 * @time: only records from the first on, and before the second
 * @region: only samples in visits of these regions
 * @pid: only these processes
 * @tid: only these threads
 * @rank: only these ranks of a parallel program
 * @cpus: only these hardware threads
 * @have_cpus: @cpus was given
 * @latency: an event counts as 1/N, where N threads ran
 * @parallelism: samples tell how many threads ran
 * @regions: samples tell in which region
 */
struct profile_opts {
	const char *input;
	const char *sysroot;
	const char *event;
	struct wanted_names comm;
	struct wanted_names dso;
	struct wanted_names symbol;
	struct time_limit time[2];
	struct wanted_names region;
	struct wanted_tasks pid;
	struct wanted_tasks tid;
	struct wanted_tasks rank;
	struct kncpmu_cpus cpus;
	int have_cpus;
	int latency;
	int parallelism;
	int regions;
};

/* Is a part of the recording asked for (--time)? */
static inline int has_time(const struct profile_opts *o)
{
	return o->time[0].given || o->time[1].given;
}

#define PROFILE_OPTS	{ .input = DATA_DEFAULT }

take_fn take_tasks, take_recorded_cpus, take_names, take_functions, take_times;

/* The options of @common, a struct profile_opts, which several commands have */
#define INPUT_OPTION(common)						\
	{ 'i', "input", "FILE", TEXT(&(common).input), "the recording (default: knc.data)" }
#define EVENT_OPTION(common)						\
	{ 'e', "event", "EVENT", TEXT(&(common).event), "this event" }
#define RECORDED_CPUS_OPTION(common)					\
	{ 'C', "cpu", "CPUS", CALL_AND_FLAG(take_recorded_cpus, &(common).cpus,		\
					    &(common).have_cpus), "these hardware threads" }
#define COMM_OPTION(common)						\
	{ 0, "comm", "NAME,...", CALL(take_names, &(common).comm), "threads of these names" }
#define DSO_OPTION(common)						\
	{ 0, "dso", "NAME,...", CALL(take_names, &(common).dso), "these files" }
#define SYMBOL_OPTION(common)						\
	{ 0, "symbol", "NAME,...", CALL(take_functions, &(common).symbol),	\
	  "functions of these names, with or without namespace, class and arguments; the "	\
	  "function that executed counts, not its callers" }
#define TIME_OPTION(common)						\
	{ 0, "time", "FROM,TO|REGION", CALL(take_times, &(common)),	\
	  "this part: seconds since the recording began, or N% of it; either may be missing. "	\
	  "Or as perf has it: 10%-20%, or 10%/2, the second tenth. Or while the thread was in "	\
	  "one of REGION,... of ring3.h" }
#define TASK_OPTION(name, what, to)					\
	{ 0, name, "ID,...", take_tasks, OPT_TO(struct wanted_tasks, to), NULL, what,	\
	  0, UINT_MAX, 0, "these " what "s" }
#define SYSROOT_OPTION(common)						\
	{ 0, "sysroot", "DIR", TEXT(&(common).sysroot),			\
	  "look in DIR for the files of the recorded machine" }

#define FILTER_OPTIONS(common)						\
	EVENT_OPTION(common),						\
	COMM_OPTION(common),						\
	DSO_OPTION(common),						\
	SYMBOL_OPTION(common),						\
	TIME_OPTION(common),						\
	TASK_OPTION("pid", "process id", &(common).pid),			\
	TASK_OPTION("tid", "thread id", &(common).tid),			\
	TASK_OPTION("rank", "rank", &(common).rank),				\
	RECORDED_CPUS_OPTION(common)

#endif /* KNC_CTL_PROFILE_OPTIONS_H */
