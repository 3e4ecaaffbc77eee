// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl stat: count events of a command, of what runs already, or meanwhile */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/cpus.h"
#include "cli/options.h"
#include "cli/pin.h"
#include "stat/stat.h"

enum {
	OPT_METRICS = OPT_OWN,
	OPT_PASSES,
	OPT_PER_CPU,
	OPT_PER_CORE,
	OPT_PER_THREAD,
	OPT_APPEND
};

#define TASK_EVENTS	"CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED"
#define CPU_EVENTS	TASK_EVENTS ",BRANCHES"
/* -d, -d -d: what comes on top */
#define DETAIL_1	"BRANCHES,BRANCHES_MISPREDICTED,DATA_READ_OR_WRITE,DATA_READ_MISS_OR_WRITE_MISS"
#define DETAIL_2	"DATA_PAGE_WALK,LONG_DATA_PAGE_WALK,L2_READ_MISS,CODE_CACHE_MISS"
#define MAX_REPEAT	1000000
#define MIN_INTERVAL	10
#define MAX_INTERVAL	(24 * 3600 * 1000)
#define LOOK_INTERVAL	(20 * NSEC_PER_MSEC)	/* has what is followed ended? */

static const char * const usage[] = {
	"usage: knc-pmuctl stat [OPTIONS] [--] COMMAND [ARGUMENTS]",
	"       knc-pmuctl stat -p PID | -t TID [OPTIONS] [[--] COMMAND [ARGUMENTS]]",
	"",
	"Runs COMMAND and counts what it does, with all that it creates, wherever it runs,",
	"and nothing else; exactly. Its exit status is that of COMMAND. With -C or -a it",
	"counts hardware threads while COMMAND runs: everything that happens there.",
	"",
	"User mode of your own programs may be counted by anyone who may open the device.",
	"Kernel mode, other users' programs and hardware threads need CAP_PERFMON; without",
	"it, events that name no ring count user mode only, and the output says so.",
	"",
	"  -e EVENTS       what to count: EVENT[:MODIFIERS],...; {A,B} together or not at",
	"                  all. May be given more than once. There are two counters: more",
	"                  events (32 at most) take turns and are estimates, or need",
	"                  --passes. Default: cycles and instructions; with -C and -a",
	"                  branches too, exact where another thread of the core can count",
	"                  the cycles",
	"  -M METRIC,...   values of metrics, and what they say; with their events",
	"  -G GROUP,...    the metrics and events of groups ('knc-pmuctl list metrics' and",
	"                  'list groups' show them, 'help NAME' explains one)",
	"  --metrics FILE  metrics and groups of FILE too",
	"  -p PID,...      count processes that run already, all of their threads, until they",
	"                  have ended, or a signal (Ctrl-C) comes, or COMMAND ends",
	"  -t TID,...      the same for threads",
	"  --no-inherit    without the threads and processes that it creates",
	"  -C CPUS         count these hardware threads instead, for instance 0-3,8",
	"  -a              all hardware threads that are online",
	"  --pin CPUS      let the command run on these only; or cores (one hardware thread of",
	"                  each), compact[:N], scatter[:N] (core by core, or each core in turn)",
	"  --passes        run the command once for each two events: exact counts",
	"  -r N            run it N times; show mean, standard deviation, smallest, largest",
	"  -I MS           show what was counted every MS milliseconds (at least 10)",
	"  --per-cpu       show each hardware thread of -C or -a",
	"  --per-core      show each core of them",
	"  --per-thread    show each thread that is followed, and as one those that have",
	"                  ended",
	"  -x SEP          fields separated by SEP, for programs (see knc-pmuctl-stat(1))",
	"  --json          as JSON, for programs (schema knc-pmuctl-stat/1)",
	"  -d              more events: branches, mispredicted ones, data accesses, misses; -dd:",
	"                  page walks, L2 read misses, code misses too",
	"  -o FILE         write the counts to FILE instead of standard error",
	"  --append        behind what FILE has",
	"",
	"EVENT is a name that 'knc-pmuctl list' shows, in any case, or a raw code rUUEE (hex",
	"unit mask, event). MODIFIERS follow a ':' each, letters also together (:uk):",
	"  u  rings 1 to 3     k  ring 0     (neither: both, or what is allowed)",
	"  e  edge: count how often it begins",
	"  c=N  cycles with at least N (1 to 255)     i  with c: fewer than N",
	"  t  all threads of the core",
	"  s  only while SPFLT has set USER_PREF, of the program or the hardware thread",
	"  D  pinned: always counted, while others take turns",
	"and u=0, u=1 as in libpfm4, for letters.",
	NULL
};

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "metric", required_argument, NULL, 'M' },
	{ "group", required_argument, NULL, 'G' },
	{ "metrics", required_argument, NULL, OPT_METRICS },
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "no-inherit", no_argument, NULL, OPT_NO_INHERIT },
	{ "passes", no_argument, NULL, OPT_PASSES },
	{ "pin", required_argument, NULL, OPT_PIN },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "per-cpu", no_argument, NULL, OPT_PER_CPU },
	{ "per-core", no_argument, NULL, OPT_PER_CORE },
	{ "per-thread", no_argument, NULL, OPT_PER_THREAD },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "detailed", no_argument, NULL, 'd' },
	{ "append", no_argument, NULL, OPT_APPEND },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int parse_number(const struct command *cmd, const char *what,
			const char *text, unsigned int min, unsigned int max,
			unsigned int *value)
{
	unsigned long number;
	char *end;

	number = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	if (number < min || number > max || *end)
		return usage_error(cmd, "%s '%s' is not a number from %u to %u", what,
				   text, min, max);
	*value = number;
	return 0;
}

static int parse_events(const struct command *cmd, struct stat_opts *opts,
			const char *text)
{
	struct kncpmu_error err;

	if (kncpmu_list_parse(text, opts->items, &opts->nr_items, MAX_ITEMS, &err))
		return usage_error(cmd, "%s", err.text);
	return 0;
}

int default_events(const struct command *cmd, struct stat_opts *opts)
{
	if (opts->nr_items)
		return 0;
	opts->exact = opts->target == TARGET_CPUS;
	return parse_events(cmd, opts, opts->exact ? CPU_EVENTS : TASK_EVENTS);
}

/* -p or -t, one of them: ids separated by commas */
static int take_pids(const struct command *cmd, struct stat_opts *opts, int opt,
		     const char *arg)
{
	enum target target = opt == 'p' ? TARGET_PROCESS : TARGET_THREAD;
	unsigned int i, pid;
	char text[16];
	size_t len;

	if (opts->pid && opts->target != target)
		return usage_error(cmd, "-p and -t exclude each other: processes, or threads");
	opts->target = target;
	do {
		len = strcspn(arg, ",");
		snprintf(text, sizeof(text), "%.*s", (int)len, arg);
		if (parse_number(cmd, opt == 'p' ? "process" : "thread", text, 1, INT_MAX, &pid))
			return CTL_USAGE;
		for (i = 0; i < opts->nr_pids; i++) {
			if (opts->pids[i] == (int)pid)
				return usage_error(cmd, "%s %u is given twice: name it once",
						   opt == 'p' ? "process" : "thread", pid);
		}
		if (opts->nr_pids == MAX_PIDS)
			return usage_error(cmd, "-%c has more than %d ids: count fewer at a time",
					   opt, MAX_PIDS);
		opts->pids[opts->nr_pids++] = pid;
		arg += len;
	} while (*arg++);
	opts->pid = opts->pids[0];
	return 0;
}

static int take_metrics(const struct command *cmd, struct stat_opts *opts, int opt,
			const char *arg)
{
	if (opts->nr_wanted == MAX_WANTED)
		return usage_error(cmd,
				   "-M and -G are given more than %d times: separate names by commas",
				   MAX_WANTED);
	opts->wanted[opts->nr_wanted].names = arg;
	opts->wanted[opts->nr_wanted++].group = opt == 'G';
	return 0;
}

int take_common_option(const struct command *cmd, struct stat_opts *opts, int opt,
		       const char *arg)
{
	switch (opt) {
	case 'e':
		return parse_events(cmd, opts, arg);
	case OPT_PIN:
		opts->have_pin = 1;
		return take_pin(cmd, arg, &opts->pin);
	case OPT_NO_INHERIT:
		opts->no_inherit = 1;
		break;
	case 'x':
		if (!*arg)
			return usage_error(cmd,
					   "the separator of -x is empty: give one, as in -x,");
		opts->separator = strcmp(arg, "\\t") ? arg : "\t";
		break;
	case OPT_JSON:
		opts->json = 1;
		break;
	case 'o':
		opts->output = arg;
		break;
	}
	return 0;
}

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct stat_opts *opts = ctx;

	switch (opt) {
	case 'C':
	case 'a':
		return take_cpus(cmd, opt, arg, &opts->cpus, &opts->have_cpus);
	case 'p':
	case 't':
		return take_pids(cmd, opts, opt, arg);
	case 'M':
	case 'G':
		return take_metrics(cmd, opts, opt, arg);
	case OPT_METRICS:
		if (opts->nr_metric_files == MAX_WANTED)
			return usage_error(cmd,
					   "--metrics is given more than %d times: put files into one",
					   MAX_WANTED);
		opts->metric_files[opts->nr_metric_files++] = arg;
		break;
	case OPT_PASSES:
		opts->passes = 1;
		break;
	case 'r':
		return parse_number(cmd, "number of runs", arg, 1, MAX_REPEAT, &opts->repeat);
	case 'I':
		return parse_number(cmd, "interval in ms", arg, MIN_INTERVAL, MAX_INTERVAL,
				    &opts->interval);
	case OPT_PER_CPU:
		opts->per_cpu = 1;
		break;
	case 'd':
		opts->detail++;
		break;
	case OPT_APPEND:
		opts->append = 1;
		break;
	case OPT_PER_CORE:
		opts->per_core = 1;
		break;
	case OPT_PER_THREAD:
		opts->per_thread = 1;
		break;
	default:
		return take_common_option(cmd, opts, opt, arg);
	}
	return 0;
}

/* Options that need a command */
static int check_command(const struct command *cmd, const struct stat_opts *opts)
{
	if (opts->command)
		return 0;
	if (!opts->pid)
		return usage_error(cmd,
				   "no command to run: stat counts while it runs; for instance: %s stat -- sleep 1",
				   PROGRAM);
	if (opts->repeat > 1 || opts->have_pin || opts->passes)
		return usage_error(cmd,
				   "-r, --pin and --passes are for a command, and there is none");
	return 0;
}

/* Options that exclude each other */
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
				   "--per-thread and -r exclude each other: each run has threads of its own");
	if (opts->passes && (opts->per_thread || opts->nr_pids > 1))
		return usage_error(cmd,
				   "--passes is for one program as a whole: leave out --per-thread, and name one");
	if (opts->per_cpu && !opts->have_cpus)
		return usage_error(cmd,
				   "--per-cpu shows hardware threads: name them with -C CPUS or -a");
	return 0;
}

/* Its number and name, for people: it may have gone when they read it */
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

const struct kncpmu_card *stat_card(struct stat_opts *opts)
{
	/* without the module it is said when something is to be counted */
	if (!opts->have_card)
		kncpmu_card_read(&opts->card);
	opts->have_card = 1;
	return &opts->card;
}

void add_lacking(struct stat_opts *opts, const struct kncpmu_item *item)
{
	unsigned int i;

	for (i = 0; i < opts->nr_lacking; i++) {
		if (!strcmp(opts->lacking[i].name, item->name))
			return;
	}
	if (i < MAX_ITEMS)
		opts->lacking[opts->nr_lacking++] = *item;
}

/* Take those behind the first @nr away that can't be counted, and show them as such */
static void drop_lacking(struct stat_opts *opts, unsigned int nr)
{
	const struct kncpmu_card *card = stat_card(opts);
	unsigned int i, kept = nr;

	for (i = nr; i < opts->nr_items; i++) {
		if (kncpmu_card_lacks(card, &opts->items[i].event))
			add_lacking(opts, &opts->items[i]);
		else
			opts->items[kept++] = opts->items[i];
	}
	opts->nr_items = kept;
}

/* More than the default, in two levels */
static int add_detail(const struct command *cmd, struct stat_opts *opts)
{
	unsigned int nr;

	if (!opts->detail)
		return 0;
	if (!opts->nr_items && parse_events(cmd, opts, TASK_EVENTS))
		return CTL_USAGE;
	nr = opts->nr_items;
	if (parse_events(cmd, opts, DETAIL_1) ||
	    (opts->detail > 1 && parse_events(cmd, opts, DETAIL_2)))
		return CTL_USAGE;
	drop_lacking(opts, nr);
	return 0;
}

/* What the command line left open */
static int complete(const struct command *cmd, struct stat_opts *opts, char **command)
{
	int status;

	if (*command)
		opts->command = command;
	if (opts->have_cpus)
		opts->target = TARGET_CPUS;
	if (check_command(cmd, opts) || check_options(cmd, opts))
		return CTL_USAGE;
	if (opts->pid)
		name_target(opts);
	status = add_detail(cmd, opts);
	if (!status)
		status = stat_metrics(cmd, opts);
	return status ? status : default_events(cmd, opts);
}

/* If not, events that name no ring count user mode */
static void choose_rings(struct stat_opts *opts)
{
	const __u32 rings = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
	struct kncpmu_item item;
	unsigned int i, all = 0;

	for (i = 0; i < opts->nr_items; i++)
		all |= opts->items[i].event.flags;
	if (opts->target == TARGET_CPUS || (all & rings) != rings || may_count_kernel())
		return;
	for (i = 0; i < opts->nr_items; i++) {
		item = opts->items[i];
		if ((item.event.flags & rings) != rings || !add_modifier(&item, 'u') ||
		    item.event.flags & KNC_PMU_EVENT_OS)
			continue;
		opts->items[i] = item;
		opts->user_only = 1;
	}
}

/**
 * struct stat - a run of the command
 * @opts: what was asked for
 * @counting: the counters
 * @child: the command, if there is one
 * @mask: signals that were blocked before
 * @home: where the tool may run
 * @total: counts of all runs
 * @part: counts of an interval
 * @now: counts until now
 * @before: counts until the last interval
 * @printer: form of output
 * @output: where to
 * @began: when this run began, ns
 * @last: when the last interval ended, ns
 * @seconds: of the passes of this run
 * @next_interval: when the interval ends, ns; 0: never
 * @next_sign: when to show that it is alive, ns; 0: never
 * @next_look: when to look whether what is followed has ended, ns; 0: never
 * @signs: the line on the terminal is to be wiped
 * @failed: something went wrong, the message is out
 */
struct stat {
	const struct stat_opts *opts;
	struct counting counting;
	struct child child;
	sigset_t mask;
	struct kncpmu_cpus home;
	struct report total;
	struct report part;
	struct count *now;
	struct count *before;
	const struct printer *printer;
	struct output output;
	unsigned long long began;
	unsigned long long last;
	double seconds;
	unsigned long long next_interval;
	unsigned long long next_sign;
	unsigned long long next_look;
	int signs;
	int failed;
};

/* Where the command inherits it from */
static void go_home(const struct stat *s)
{
	if (kncpmu_cpus_count(&s->home))
		sched_setaffinity(0, sizeof(s->home), (const cpu_set_t *)&s->home);
}

/* What is to be printed before all counts, when it is clear that there are some */
static void begin_output(struct stat *s)
{
	if (s->output.begun)
		return;
	output_begin(&s->output);
	if (s->printer->begin)
		s->printer->begin(s->output.file, &s->total);
}

/*
 * When the counts were taken: this program may have stood still before that, since
 * @time, or behind it. In a time namespace the kernel's clock is another one.
 */
static unsigned long long reading_time(const struct stat *s, unsigned long long time)
{
	unsigned long long read = s->counting.time;

	return read > s->last && read <= now_ns() ? read : time;
}

static void end_interval(struct stat *s, unsigned long long time)
{
	if (counting_sample(&s->counting, s->now)) {
		s->failed = 1;
		/* it would go wrong and be said each time */
		s->next_interval = 0;
		return;
	}
	time = reading_time(s, time);
	counting_names(&s->counting);
	report_clear(&s->part);
	report_add(&s->part, s->now, s->before);
	report_metrics(&s->part, (double)(time - s->last) / NSEC_PER_SEC);
	s->last = time;
	begin_output(s);
	s->printer->interval(s->output.file, &s->part,
			     (double)(time - s->began) / NSEC_PER_SEC);
	output_flush(&s->output);
	counting_forget(&s->counting, s->now, s->before);
	memcpy(s->before, s->now, counting_size(&s->counting));
}

static void show_sign(struct stat *s, unsigned long long time)
{
	fprintf(stderr, "\r%s stat: %llu s ", PROGRAM, (time - s->began) / NSEC_PER_SEC);
	fflush(stderr);
	s->signs = 1;
}

static void wipe_signs(struct stat *s)
{
	if (s->signs)
		fprintf(stderr, "\r\033[K");
	s->signs = 0;
}

/* The earliest of the times that are set; 0: none is */
static unsigned long long next_time(const struct stat *s)
{
	unsigned long long times[3], next = 0;
	unsigned int i;

	times[0] = s->next_interval;
	times[1] = s->next_sign;
	times[2] = s->next_look;
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		if (times[i] && (!next || times[i] < next))
			next = times[i];
	}
	return next;
}

/* Reading says whether what is followed has ended */
static void look(struct stat *s, unsigned long long time)
{
	if (counting_sample(&s->counting, s->now))
		s->failed = 1;
	counting_forget(&s->counting, s->now, s->before);
	s->next_look = time + LOOK_INTERVAL;
}

static void on_time(struct stat *s)
{
	unsigned long long time = now_ns();

	if (s->next_look && time >= s->next_look)
		look(s, time);
	if (s->next_interval && time >= s->next_interval) {
		while (s->next_interval <= time)
			s->next_interval += s->opts->interval * NSEC_PER_MSEC;
		/* a command that has yet to be executed has it in its first one */
		if (!s->opts->command || child_executed(&s->child))
			end_interval(s, time);
	}
	if (s->next_sign && time >= s->next_sign) {
		show_sign(s, time);
		s->next_sign += NSEC_PER_SEC;
	}
}

static void set_times(struct stat *s)
{
	s->began = s->counting.begun;
	s->last = s->began;
	s->next_interval = 0;
	if (s->opts->interval)
		s->next_interval = s->began + s->opts->interval * NSEC_PER_MSEC;
	s->next_sign = 0;
	if (!s->opts->interval && isatty(STDERR_FILENO))
		s->next_sign = s->began + NSEC_PER_SEC;
	s->next_look = s->opts->command ? 0 : s->began + LOOK_INTERVAL;
	memset(s->before, 0, counting_size(&s->counting));
}

static void account(struct stat *s, unsigned long long ended)
{
	double elapsed = (double)(ended - s->began) / NSEC_PER_SEC;

	counting_names(&s->counting);
	if (s->opts->interval)
		end_interval(s, ended);
	report_add(&s->total, s->counting.base, NULL);
	spread_add(&s->total.elapsed, elapsed);
	s->seconds += elapsed;
	if (s->counting.pass + 1 == s->counting.nr_passes) {
		report_metrics(&s->total, s->seconds / s->counting.nr_passes);
		s->seconds = 0;
	}
	if (!s->opts->command)
		return;
	spread_add(&s->total.user, s->child.user);
	spread_add(&s->total.sys, s->child.sys);
}

/* One run of the command; its exit status, @*why if it was not executed */
static int run_once(struct stat *s, int *why)
{
	unsigned long long ended;
	int status, lost;

	go_home(s);
	status = child_spawn(&s->child, s->opts->command,
			     s->opts->have_pin ? &s->opts->pin : NULL, &s->mask);
	if (status) {
		s->failed = 1;
		return status;
	}
	if (s->opts->target == TARGET_COMMAND)
		s->counting.pid = s->child.pid;
	/* leave the counted cores to the command, where there are others */
	if (s->opts->target == TARGET_CPUS)
		keep_off(&s->counting.cores, s->counting.cpus);
	if (counting_begin(&s->counting)) {
		s->failed = 1;
		child_reap(&s->child);
		*why = child_exec_error(&s->child);
		/* let down, or it was killed */
		return child_exit_status(&s->child);
	}
	set_times(s);
	child_release(&s->child);
	while (child_wait(&s->child, next_time(s)) == CHILD_TIMEOUT)
		on_time(s);
	lost = counting_end(&s->counting);
	s->failed |= !!lost;
	ended = now_ns();
	wipe_signs(s);
	child_reap(&s->child);
	*why = child_exec_error(&s->child);
	if (*why)
		return child_exec_failed(s->opts->command[0], *why);
	if (!lost)
		account(s, ended);
	return child_exit_status(&s->child);
}

/* No command: until what is followed has ended, or a signal comes */
static void wait_only(struct stat *s)
{
	unsigned long long ended;
	int lost;

	if (counting_begin(&s->counting)) {
		s->failed = 1;
		return;
	}
	set_times(s);
	begin_output(s);
	while (!s->failed && !counting_ended(&s->counting) &&
	       signal_wait(next_time(s)) == CHILD_TIMEOUT)
		on_time(s);
	lost = counting_end(&s->counting);
	s->failed |= !!lost;
	ended = now_ns();
	wipe_signs(s);
	if (!lost)
		account(s, ended);
}

/* All runs of the command; the exit status of the last one */
static int run_often(struct stat *s, int *why)
{
	struct counting *c = &s->counting;
	unsigned int i, runs = s->opts->repeat * c->nr_passes;
	int status = CTL_OK;

	for (i = 0; i < runs; i++) {
		c->pass = i % c->nr_passes;
		status = run_once(s, why);
		if (*why || s->failed || child_stopped(&s->child))
			break;
	}
	return status;
}

static int run_all(struct stat *s)
{
	int status = CTL_OK, why = 0;

	if (s->opts->command)
		status = run_often(s, &why);
	else
		wait_only(s);
	/* nothing was executed, or there are no counts of it */
	if (!s->total.elapsed.n || why)
		return status || !s->failed ? status : CTL_FAILED;
	begin_output(s);
	s->printer->total(s->output.file, &s->total, status);
	report_warn(&s->total);
	return status || !s->failed ? status : CTL_FAILED;
}

static int open_output(struct stat *s)
{
	s->printer = &table_printer;
	if (s->opts->json)
		s->printer = &json_printer;
	if (s->opts->separator)
		s->printer = &csv_printer;
	if (!s->opts->separator && !s->opts->json)
		setlocale(LC_NUMERIC, "");
	return output_open(&s->output, s->opts->output, s->opts->append);
}

static int stat_init(struct stat *s, const struct stat_opts *opts)
{
	memset(s, 0, sizeof(*s));
	s->opts = opts;
	if (counting_init(&s->counting, opts))
		return CTL_FAILED;
	s->now = calloc(1, counting_size(&s->counting));
	s->before = calloc(1, counting_size(&s->counting));
	if (!s->now || !s->before)
		return complain("out of memory");
	if (report_init(&s->total, opts, &s->counting) ||
	    report_init(&s->part, opts, &s->counting))
		return CTL_FAILED;
	return 0;
}

static void stat_free(struct stat *s)
{
	report_free(&s->total);
	report_free(&s->part);
	free(s->now);
	free(s->before);
	counting_free(&s->counting);
}

static int count_command(struct stat *s)
{
	if (counting_probe(&s->counting))
		return CTL_FAILED;
	if (open_output(s))
		return CTL_FAILED;
	/* counts on standard error are for programs then */
	if (s->opts->have_pin && !s->opts->json && !s->opts->separator)
		say_pin(&s->opts->pin);
	if (sched_getaffinity(0, sizeof(s->home), (cpu_set_t *)&s->home) < 0)
		memset(&s->home, 0, sizeof(s->home));
	if (child_signals(&s->mask)) {
		complain("can't block signals: %s", strerror(errno));
		return output_close(&s->output, CTL_FAILED);
	}
	return output_close(&s->output, run_all(s));
}

int count_and_print(struct stat_opts *opts)
{
	static struct stat s;
	int status;

	stat_card(opts);
	metrics_for_cpi(opts);
	choose_rings(opts);
	status = stat_init(&s, opts);
	if (!status)
		status = count_command(&s);
	stat_free(&s);
	if (opts->ms)
		metrics_free(opts->ms);
	return status;
}

static int run_stat(const struct command *cmd, int argc, char **argv)
{
	static struct stat_opts opts = NO_STAT_OPTS;
	int status;

	if (parse_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	status = complete(cmd, &opts, argv + optind);
	return status ? status : count_and_print(&opts);
}

const struct command stat_command = {
	.name = "stat",
	.summary = "count events of a command, of what runs, or of hardware threads",
	.usage = usage,
	.shorts = "+:hde:M:G:C:ap:t:r:I:x:o:",
	.longs = options,
	.run = run_stat,
};
