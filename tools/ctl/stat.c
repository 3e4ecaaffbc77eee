// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl stat: run a command and count events meanwhile */
#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stat.h"

#define DEFAULT_EVENTS	"CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED,BRANCHES"
#define MAX_REPEAT	1000000
#define MIN_INTERVAL	10
#define MAX_INTERVAL	(24 * 3600 * 1000)

static const char * const usage[] = {
	"usage: knc-pmuctl stat [OPTIONS] [--] COMMAND [ARGUMENTS]",
	"",
	"Runs COMMAND and counts events on hardware threads while it runs: everything that",
	"happens there, not the command alone. Its exit status is that of COMMAND. Needs",
	"CAP_PERFMON.",
	"",
	"  -e EVENTS       what to count: EVENT[:MODIFIERS],...; {A,B} together or not at",
	"                  all; more than two take turns and are estimates. May be given",
	"                  more than once. Default: cycles, instructions and branches,",
	"                  exact where a second thread of the core can count the cycles",
	"  -C CPUS         where: these hardware threads, for instance 0-3,8",
	"  -a              where: all that are online. Default: those of --pin, or else",
	"                  those that the command may run on (see taskset)",
	"  --pin CPUS      let the command run on these only",
	"  -r N            run it N times; show mean, standard deviation, smallest, largest",
	"  -I MS           show what was counted every MS milliseconds (at least 10)",
	"  --per-cpu       show each hardware thread",
	"  -x SEP          fields separated by SEP, for programs (see knc-pmuctl-stat(1))",
	"  --json          as JSON, for programs (schema knc-pmuctl-stat/1)",
	"  -o FILE         write the counts to FILE instead of standard error",
	"",
	"EVENT is a name that 'knc-pmuctl list' shows, in any case, or a raw code rUUEE (hex",
	"unit mask, event). MODIFIERS follow a ':' each, letters also together (:uk):",
	"  u  rings 1 to 3     k  ring 0     (neither: both)",
	"  e  edge: count how often it begins",
	"  c=N  cycles with at least N (1 to 255)     i  with c: fewer than N",
	"  t  all threads of the core",
	"  s  only while SPFLT has set the thread's USER_PREF",
	"and u=0, u=1 as in libpfm4, for letters.",
	NULL
};

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "pin", required_argument, NULL, OPT_PIN },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "per-cpu", no_argument, NULL, OPT_PER_CPU },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, OPT_JSON },
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

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct stat_opts *opts = ctx;

	switch (opt) {
	case 'e':
		return parse_events(cmd, opts, arg);
	case 'C':
	case 'a':
		return take_cpus(cmd, opt, arg, &opts->cpus, &opts->have_cpus);
	case OPT_PIN:
		opts->have_pin = 1;
		return parse_cpus(cmd, arg, &opts->pin);
	case 'r':
		return parse_number(cmd, "number of runs", arg, 1, MAX_REPEAT, &opts->repeat);
	case 'I':
		return parse_number(cmd, "interval in ms", arg, MIN_INTERVAL, MAX_INTERVAL,
				    &opts->interval);
	case OPT_PER_CPU:
		opts->per_cpu = 1;
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

/* What the command line left open */
static int complete(const struct command *cmd, struct stat_opts *opts, int argc,
		    char **argv)
{
	if (optind >= argc)
		return usage_error(cmd,
				   "no command to run: stat counts while it runs; for instance: %s stat -a -- sleep 1",
				   PROGRAM);
	if (opts->json && opts->separator)
		return usage_error(cmd, "-x and --json exclude each other: choose one");
	opts->command = argv + optind;
	if (!opts->nr_items) {
		opts->exact = 1;
		if (parse_events(cmd, opts, DEFAULT_EVENTS))
			return CTL_USAGE;
	}
	if (opts->have_cpus)
		return 0;
	return command_cpus(&opts->cpus, opts->have_pin ? &opts->pin : NULL);
}

/**
 * struct stat - a run of the command
 * @opts: what was asked for
 * @counting: the counters
 * @child: the command
 * @mask: signals that were blocked before
 * @home: where the tool may run
 * @total: counts of all runs
 * @part: counts of an interval
 * @now: counts until now
 * @before: counts until the last interval
 * @printer: form of output
 * @out: where to
 * @began: when this run began, ns
 * @last: when the last interval ended, ns
 * @next_slice: when the next set takes its turn, ns; 0: never
 * @next_interval: when the interval ends, ns; 0: never
 * @next_sign: when to show that it is alive, ns; 0: never
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
	FILE *out;
	unsigned long long began;
	unsigned long long last;
	unsigned long long next_slice;
	unsigned long long next_interval;
	unsigned long long next_sign;
	int signs;
	int failed;
};

/* Where the command inherits it from */
static void go_home(const struct stat *s)
{
	if (kncpmu_cpus_count(&s->home))
		sched_setaffinity(0, sizeof(s->home), (const cpu_set_t *)&s->home);
}

static void end_interval(struct stat *s, unsigned long long time)
{
	if (counting_sample(&s->counting, s->now)) {
		s->failed = 1;
		return;
	}
	report_clear(&s->part);
	report_add(&s->part, s->now, s->before, time - s->last);
	s->printer->interval(s->out, &s->part,
			     (double)(time - s->began) / NSEC_PER_SEC);
	memcpy(s->before, s->now, counting_size(&s->counting));
	s->last = time;
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

	times[0] = s->next_slice;
	times[1] = s->next_interval;
	times[2] = s->next_sign;
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		if (times[i] && (!next || times[i] < next))
			next = times[i];
	}
	return next;
}

static void on_time(struct stat *s)
{
	unsigned long long time = now_ns();

	if (s->next_interval && time >= s->next_interval) {
		end_interval(s, time);
		while (s->next_interval <= time)
			s->next_interval += s->opts->interval * NSEC_PER_MSEC;
	}
	if (s->next_sign && time >= s->next_sign) {
		show_sign(s, time);
		s->next_sign += NSEC_PER_SEC;
	}
	if (s->next_slice && time >= s->next_slice) {
		if (counting_rotate(&s->counting)) {
			s->failed = 1;
			s->next_slice = 0;
			return;
		}
		s->next_slice = now_ns() + s->counting.slice;
	}
}

static void set_times(struct stat *s)
{
	s->began = s->counting.begun;
	s->last = s->began;
	s->next_slice = s->counting.nr_turns ? s->began + s->counting.slice : 0;
	s->next_interval = 0;
	if (s->opts->interval)
		s->next_interval = s->began + s->opts->interval * NSEC_PER_MSEC;
	s->next_sign = 0;
	if (!s->opts->interval && isatty(STDERR_FILENO))
		s->next_sign = s->began + NSEC_PER_SEC;
	memset(s->before, 0, counting_size(&s->counting));
}

static void account(struct stat *s, unsigned long long ended)
{
	double elapsed = (double)(ended - s->began) / NSEC_PER_SEC;

	if (s->opts->interval)
		end_interval(s, ended);
	report_add(&s->total, s->counting.base, NULL, ended - s->began);
	spread_add(&s->total.elapsed, elapsed);
	spread_add(&s->total.user, s->child.user);
	spread_add(&s->total.sys, s->child.sys);
}

/* One run of the command; its exit status, @*why if it was not executed */
static int run_once(struct stat *s, int *why)
{
	unsigned long long ended;

	go_home(s);
	if (child_spawn(&s->child, s->opts->command,
			s->opts->have_pin ? &s->opts->pin : NULL, &s->mask)) {
		s->failed = 1;
		return CTL_FAILED;
	}
	/* leave the counted cores to the command, where there are others */
	keep_off(&s->counting.cores, s->counting.cpus);
	if (counting_begin(&s->counting)) {
		s->failed = 1;
		child_reap(&s->child);
		*why = child_exec_error(&s->child);
		return CTL_FAILED;
	}
	set_times(s);
	child_release(&s->child);
	while (child_wait(&s->child, next_time(s)) == CHILD_TIMEOUT)
		on_time(s);
	if (counting_end(&s->counting))
		s->failed = 1;
	ended = now_ns();
	wipe_signs(s);
	child_reap(&s->child);
	*why = child_exec_error(&s->child);
	if (*why)
		return child_exec_failed(s->opts->command[0], *why);
	account(s, ended);
	return child_exit_status(&s->child);
}

static int run_all(struct stat *s)
{
	unsigned int i;
	int status = CTL_OK, why = 0;

	if (s->printer->begin)
		s->printer->begin(s->out, &s->total);
	for (i = 0; i < s->opts->repeat; i++) {
		status = run_once(s, &why);
		if (why || s->failed || child_stopped(&s->child))
			break;
	}
	if (!s->total.elapsed.n || why)
		return status;
	s->printer->total(s->out, &s->total, status);
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
	if (s->opts->separator || s->opts->json)
		setlocale(LC_NUMERIC, "C");
	s->out = stderr;
	if (!s->opts->output)
		return 0;
	s->out = fopen(s->opts->output, "we");
	if (s->out)
		return 0;
	return complain("can't write to '%s': %s; choose another file with -o",
			s->opts->output, strerror(errno));
}

static int close_output(struct stat *s, int status)
{
	int bad = ferror(s->out);

	if (s->out == stderr)
		return bad && !status ? CTL_FAILED : status;
	errno = 0;
	if (fclose(s->out) || bad)
		return complain("can't write to '%s': %s", s->opts->output,
				errno ? strerror(errno) : "some of the counts are missing");
	return status;
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
	if (sched_getaffinity(0, sizeof(s->home), (cpu_set_t *)&s->home) < 0)
		memset(&s->home, 0, sizeof(s->home));
	if (child_signals(&s->mask))
		return complain("can't block signals: %s", strerror(errno));
	return close_output(s, run_all(s));
}

static int run_stat(const struct command *cmd, int argc, char **argv)
{
	static struct stat_opts opts = { .repeat = 1 };
	static struct stat s;
	int status;

	if (parse_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	status = complete(cmd, &opts, argc, argv);
	if (status)
		return status;
	status = stat_init(&s, &opts);
	if (!status)
		status = count_command(&s);
	stat_free(&s);
	return status;
}

const struct command stat_command = {
	.name = "stat",
	.summary = "run a command and count events meanwhile",
	.usage = usage,
	.shorts = "+:he:C:ar:I:x:o:",
	.longs = options,
	.run = run_stat,
};
