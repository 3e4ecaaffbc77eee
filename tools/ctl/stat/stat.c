// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl stat: count events of a command, of running programs, or of hardware threads */
#include <stdio.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/options.h"
#include "cli/pin.h"
#include "stat/events.h"
#include "stat/report.h"

#define MAX_REPEAT	1000000
#define MAX_INTERVAL	(24 * 3600 * 1000)

static const char * const usage[] = {
	"usage: knc-pmuctl stat [OPTIONS] [--] COMMAND [ARGUMENTS]",
	"       knc-pmuctl stat -p PID | -t TID | -C CPUS | -a [OPTIONS] [[--] COMMAND [ARGUMENTS]]",
	"",
	"Runs COMMAND and counts exactly what it and the threads and processes it creates do,",
	"on whichever hardware threads they run. The exit status is that of COMMAND. With -C or",
	"-a, counts everything that happens on these hardware threads while COMMAND runs, or",
	"until a signal (Ctrl-C) comes.",
	"",
	"User mode of your own programs may be counted by anyone who may open the device.",
	"Kernel mode, other users' programs and hardware threads need CAP_PERFMON. Without it,",
	"events with neither modifier u nor k count user mode only, and the output shows u.",
	NULL
};

static const char * const notes[] = {
	"EVENT is a name that 'knc-pmuctl list' shows, in capitals or small letters, also one that",
	"collect, perf or PAPI has for the event (insts, branch-misses, PAPI_TOT_CYC); or a raw code",
	"rUUEE (unit mask and event select in hex). COUNTER, 0 or 1, picks the counter. Each",
	"modifier follows a ':'; letters may share one (:uk):",
	"  u  rings 1 to 3     k  ring 0     (neither: both, as far as permitted)",
	"  e  edge: count how often the event begins",
	"  c=N, cmask=N  count cycles with at least N events (1 to 255)     i  with c: fewer than N",
	"  t  count the events of all threads of the core",
	"  s  count only while USER_PREF is set (SPFLT)",
	"  D  pinned: always counted, while other events take turns",
	"and u=0, u=1 as in libpfm4, for letters.",
	NULL
};

static struct stat_opts want = NO_STAT_OPTS;

int take_stat_events(const struct command *cmd, const struct opt *o, const char *arg)
{
	return stat_parse_events(cmd, o->to, arg);
}

static int take_pids(const struct command *cmd, const struct opt *o, const char *arg)
{
	enum target target = o->letter == 'p' ? TARGET_PROCESS : TARGET_THREAD;

	if (want.pid && want.target != target)
		return usage_error(cmd, "-p and -t exclude each other: processes, or threads");
	want.target = target;
	if (take_ids(cmd, target == TARGET_PROCESS ? "process" : "thread", arg, MAX_PIDS,
		     want.pids, &want.nr_pids))
		return CTL_USAGE;
	want.pid = want.pids[0];
	return 0;
}

int take_stat_metrics(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct stat_opts *opts = o->to;
	char list[LIST_LEN];

	if (opts->nr_wanted == MAX_WANTED)
		return usage_error(cmd,
				   "-M and -G are given more than %d times: separate names by commas",
				   MAX_WANTED);
	if (stat_list_pmu(cmd, opts, arg, list, sizeof(list)))
		return CTL_USAGE;
	opts->wanted[opts->nr_wanted].names = intern_text(list);
	opts->wanted[opts->nr_wanted++].group = o->letter == 'G';
	return 0;
}

static const struct opt options[] = {
	{ 'e', "event", "EVENTS", CALL(take_stat_events, &want),
	  "events to count: EVENT[/COUNTER][:MODIFIERS],...; {A,B} must be counted at the same time. "
	  "May be given more than once. There are two counters: more events (32 at most) take "
	  "turns (multiplexing), and their counts are estimates; --passes avoids that. Default: "
	  "cycles and instructions; with -C and -a also branches, exact if another thread of the "
	  "core can count the cycles. Or one level, cmt/llc_occupancy/: least, mean and most, read "
	  "ten times a second, with -I in each interval" },
	{ 'M', "metric", "METRIC,...", CALL(take_stat_metrics, &want),
	  "show metrics, whether they are good or bad, and their events" },
	{ 'G', "group", "GROUP,...", CALL(take_stat_metrics, &want),
	  "show the metrics and events of groups ('knc-pmuctl list metrics' and 'list groups' list "
	  "them, 'help NAME' explains one). Those of the uncore are uncore/METRIC/ and "
	  "uncore/GROUP/" },
	{ 0, "metrics", "FILE", FILES(&want.metric_files),
	  "also use metrics and groups of FILE" },
	{ 'p', "pid", "PID,...", CALL(take_pids, NULL),
	  "count existing processes with all their threads, until they end, a signal (Ctrl-C) "
	  "comes, or COMMAND ends" },
	{ 't', "tid", "TID,...", CALL(take_pids, NULL), "count existing threads, likewise" },
	{ 0, "no-inherit", NULL, FLAG(&want.no_inherit),
	  "do not count the threads and processes that the program creates" },
	{ 'C', "cpu", "CPUS", CPUS(&want.cpus, &want.have_cpus),
	  "count these hardware threads instead, for instance 0-3,8" },
	{ 'a', "all-cpus", NULL, CPUS(&want.cpus, &want.have_cpus),
	  "count all hardware threads that are online" },
	PIN_OPTION(&want.pin, &want.have_pin),
	{ 0, "passes", NULL, FLAG(&want.passes),
	  "run COMMAND once for each two events: exact counts" },
	{ 'r', "repeat", "N", WHOLE(&want.repeat, "number of runs", 1, MAX_REPEAT),
	  "run COMMAND N times; show mean, deviation, smallest, largest" },
	{ 'I', "interval-print", "MS", WHOLE(&want.interval, "interval in ms", 10, MAX_INTERVAL),
	  "show the counts of every interval of MS milliseconds (at least 10)" },
	{ 'A', "per-cpu", NULL, FLAG(&want.per_cpu), "show each hardware thread of -C or -a" },
	{ 0, "per-core", NULL, FLAG(&want.per_core), "show each core of -C or -a" },
	{ 0, "per-thread", NULL, FLAG(&want.per_thread),
	  "show each thread that is followed, ended ones too" },
	{ 0, "off-cpu", NULL, FLAG(&want.off_cpu),
	  "also show how long each thread was running, runnable (others had its hardware thread), "
	  "sleeping, or waiting without being wakeable by a signal, for a disk for example. With -x "
	  "the sum of all threads, and with --per-thread each" },
	CSV_OPTION(&want.separator),
	JSON_OPTION(&want.json, "stat"),
	{ 'D', "delay", "MS", WHOLE(&want.delay, "delay in ms", 1, MAX_INTERVAL),
	  "begin to count MS milliseconds after COMMAND has begun" },
	{ 'v', "verbose", NULL, FLAG(&want.verbose),
	  "also show of each event its code, its counter, and how long it was counted" },
	{ 'd', "detailed", NULL, MORE(&want.detail),
	  "count more: branches, mispredicted branches, data accesses, misses; -dd: also page "
	  "walks, L2 read misses, code misses" },
	{ 'o', "output", "FILE", OUTPUT(&want.output),
	  "write the counts to FILE instead of standard error; %r in its name is the rank of an "
	  "MPI process, %h the host, %p the process id of stat, %% a per cent sign" },
	{ 0, "append", NULL, FLAG(&want.append), "append to FILE instead of overwriting it" },
	END_OF_OPTIONS
};

/* Check the options that need a command */
static int check_command(const struct command *cmd, const struct stat_opts *opts)
{
	if (opts->command)
		return 0;
	if (!opts->pid && !opts->have_cpus)
		return usage_error(cmd,
				   "no command to run: stat counts while it runs; for instance: %s stat -- sleep 1",
				   PROGRAM);
	if (opts->repeat > 1 || opts->have_pin || opts->passes)
		return usage_error(cmd,
				   "-r, --pin and --passes are for a command, and there is none: name one");
	return 0;
}

/* Check the options that exclude --off-cpu */
static int check_off_cpu(const struct command *cmd, const struct stat_opts *opts)
{
	if (opts->off_cpu && opts->have_cpus)
		return usage_error(cmd,
				   "--off-cpu is for a program that is followed: name a command or a process (-p) instead of -C and -a");
	if (opts->off_cpu && (opts->passes || opts->repeat > 1 || opts->interval))
		return usage_error(cmd,
				   "--off-cpu shows the time of one run as a whole: leave out -r, -I and --passes");
	return 0;
}

/* Check for options that exclude each other */
static int check_options(const struct command *cmd, const struct stat_opts *opts)
{
	if (opts->json && opts->separator)
		return usage_error(cmd, "-x and --json exclude each other: choose one");
	if (opts->passes && opts->interval)
		return usage_error(cmd, "--passes and -I exclude each other: choose one");
	if (opts->have_cpus && opts->pid)
		return usage_error(cmd,
				   "-p and -t follow a program, -C and -a count hardware threads: choose one");
	if (opts->have_cpus && opts->no_inherit)
		return usage_error(cmd,
				   "--no-inherit is for a program that is followed: leave out -C and -a");
	if (opts->verbose && (opts->json || opts->separator))
		return usage_error(cmd,
				   "-v adds lines to the table: leave it out with -x and --json");
	if (opts->append && !opts->output)
		return usage_error(cmd, "--append is for a file: name it with -o FILE");
	if (opts->per_cpu && opts->per_core)
		return usage_error(cmd, "--per-cpu and --per-core exclude each other: choose one");
	if (opts->per_core && !opts->have_cpus)
		return usage_error(cmd,
				   "--per-core shows cores: name their hardware threads with -C CPUS or -a");
	if (opts->per_thread && opts->have_cpus)
		return usage_error(cmd,
				   "--per-thread is for a program that is followed: leave out -C and -a");
	if (opts->per_thread && opts->repeat > 1)
		return usage_error(cmd,
				   "--per-thread and -r exclude each other, as each run has other threads: choose one");
	if (opts->passes && (opts->per_thread || opts->nr_pids > 1))
		return usage_error(cmd,
				   "--passes is for one program as a whole: leave out --per-thread, and name one");
	if (opts->per_cpu && !opts->have_cpus)
		return usage_error(cmd,
				   "--per-cpu shows hardware threads: name them with -C CPUS or -a");
	return 0;
}

/* Get numbers and names of the targets now, because they may end before the output */
static void name_target(struct stat_opts *opts)
{
	unsigned int i;
	size_t len = 0;
	char text[KNCPMU_PROCESS_LEN];

	for (i = 0; i < opts->nr_pids && len < sizeof(opts->who); i++) {
		kncpmu_process_name(opts->pids[i], text, sizeof(text));
		len += snprintf(opts->who + len, sizeof(opts->who) - len, "%s%s", i ? ", " : "",
				text + strlen("pid "));
	}
}

/* The uncore counts everything on its package while a command runs: use one thread a package */
static int choose_packages(const struct command *cmd, struct stat_opts *opts)
{
	int ret;

	if (!is_uncore(stat_pmu(opts)))
		return 0;
	if (opts->pid || opts->per_thread || opts->per_core || opts->passes || opts->off_cpu)
		return usage_error(cmd,
				   "events of the uncore are of whole packages: leave out -p, -t, --per-thread, --per-core, --off-cpu and --passes");
	ret = opts->have_cpus ? 0 : kncpmu_cpus_online(&opts->cpus);
	ret = ret ? : kncpmu_cpus_packages(&opts->cpus);
	if (ret)
		return complain("the packages are not known: /sys has no topology (%s)",
				kncpmu_kernel_why(CPU_DIR, ret));
	opts->have_cpus = 1;
	opts->target = TARGET_CPUS;
	return 0;
}

/* Check the options together, and choose the events */
static int complete(const struct command *cmd, struct stat_opts *opts, char **command)
{
	int status;

	if (*command)
		opts->command = command;
	status = choose_packages(cmd, opts);
	if (status)
		return status;
	if (opts->have_cpus)
		opts->target = TARGET_CPUS;
	if (check_command(cmd, opts) || check_options(cmd, opts) || check_off_cpu(cmd, opts))
		return CTL_USAGE;
	if (opts->pid)
		name_target(opts);
	if (opts->level)
		return level_check(cmd, opts);
	status = add_detail(cmd, opts);
	if (!status)
		status = stat_metrics(cmd, opts);
	return status ? status : default_events(cmd, opts);
}

static int run_stat(const struct command *cmd, int argc, char **argv)
{
	int status = complete(cmd, &want, argv);

	if (status)
		return status;
	return want.level ? level_stat(&want) : count_and_print(&want);
}

const struct command stat_command = {
	.name = "stat",
	.summary = "count events of a command, of running programs or of hardware threads",
	.usage = usage,
	.wraps = 1,
	.options = options,
	.notes = notes,
	.operands = 1,
	.far = 1,
	.run = run_stat,
};
