// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: counts of the present, refreshed every second */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/cpus.h"
#include "cli/options.h"
#include "top/display.h"
#include "top/signals.h"

#define DEFAULT_DELAY	NSEC_PER_SEC
#define MIN_DELAY	0.1
#define MAX_DELAY	3600
#define DEFAULT_TASKS	20

static const char * const usage[] = {
	"usage: knc-pmuctl top [OPTIONS]",
	"",
	"Shows cycles per instruction, instructions and other events of hardware threads or of the",
	"busiest processes, refreshed every second. Keys: h help, q quit, t hardware threads or",
	"processes, e next set of events, E choose events, < > sort by another column, r reverse",
	"the order, space freeze.",
	"",
	"  -e EVENTS       events to begin with, as with stat: EVENT[/COUNTER][:MODIFIERS],...;",
	"                  up to 32. More than two take turns, and their counts are estimates, '~'.",
	"                  Or one level, cmt/llc_occupancy/: bytes of the L3 that each one has",
	"  -d SECONDS      time between refreshes, at least 0.1; default: 1",
	"  -n COUNT        end after COUNT refreshes",
	"  -C CPUS         show these hardware threads; default: all online, if permitted",
	"  --tasks[=N]     show the N busiest processes, up to 64; default: 20. Those of all users",
	"                  for root, otherwise your own",
	"  -p PID[,PID]... show these processes",
	"  -b              print plain text to standard output, with all digits, for programs",
	"",
	"Hardware threads need CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); without it,",
	"processes are shown, in user mode only.",
	NULL
};

enum { OPT_TASKS = OPT_OWN };

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "delay", required_argument, NULL, 'd' },
	{ "count", required_argument, NULL, 'n' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "tasks", optional_argument, NULL, OPT_TASKS },
	{ "pid", required_argument, NULL, 'p' },
	{ "batch", no_argument, NULL, 'b' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int take_delay(const struct command *cmd, struct top *t, const char *arg)
{
	double seconds;

	if (take_number(cmd, "delay in seconds", arg, MIN_DELAY, MAX_DELAY, &seconds))
		return CTL_USAGE;
	t->delay = seconds * NSEC_PER_SEC;
	return 0;
}

static int take_events(const struct command *cmd, struct top *t, const char *arg)
{
	struct kncpmu_error err;

	if (t->own)
		return usage_error(cmd,
				   "-e is given twice: give it once, as in -e BRANCHES,DATA_READ");
	t->own = 1;
	if (top_parse_set(&t->chosen, arg, &err))
		return usage_error(cmd, "%s", err.text);
	return 0;
}

static int take_option(const struct command *cmd, void *ctx, int opt, const char *arg)
{
	struct top *t = ctx;

	switch (opt) {
	case 'e':
		return take_events(cmd, t, arg);
	case 'd':
		return take_delay(cmd, t, arg);
	case 'n':
		return take_whole(cmd, "-n", arg, 1, UINT_MAX, &t->count);
	case 'C':
		return take_cpus(cmd, opt, arg, &t->cpus, &t->have_cpus);
	case OPT_TASKS:
		t->mode = TOP_TASKS;
		return arg ? take_whole(cmd, "--tasks", arg, 1, TOP_MAX_TASKS, &t->max_tasks) : 0;
	case 'p':
		t->mode = TOP_TASKS;
		return take_ids(cmd, "process", arg, TOP_MAX_TASKS, t->pids, &t->nr_pids);
	case 'b':
		t->batch = 1;
		break;
	}
	return 0;
}

/* Open the first sessions: of hardware threads, if permitted and the command line agrees */
static int begin(struct top *t)
{
	struct kncpmu_error err;
	int ret;

	if (!t->have_cpus && online_cpus(&t->cpus))
		return CTL_FAILED;
	ret = top_open(t, &err);
	/* a level of a process takes the same right */
	if (ret == -EPERM && t->mode == TOP_THREADS && !t->have_cpus && !t->set.level) {
		t->mode = TOP_TASKS;
		t->no_threads = 1;
		ret = top_open(t, &err);
	}
	t->sort = top_first_sort(t);
	return ret ? complain("%s", err.text) : CTL_OK;
}

/* Wait until @until or a signal */
static void wait_until(unsigned long long until)
{
	struct pollfd fd = { .fd = top_signal_fd(), .events = POLLIN };
	unsigned long long now;
	struct timespec ts;

	while (!top_signal() && (now = now_ns()) < until) {
		ts.tv_sec = (until - now) / NSEC_PER_SEC;
		ts.tv_nsec = (until - now) % NSEC_PER_SEC;
		ppoll(&fd, 1, &ts, NULL);
	}
}

/* An empty table is no answer */
static int nothing_shown(const struct top *t)
{
	if (!t->no_threads)
		return complain("no process was running that you may count: name one with -p, "
				"or run as root");
	return complain("permission denied: hardware threads need CAP_PERFMON (before Linux "
			"5.8 CAP_SYS_ADMIN), and no process of yours was running; run as root, "
			"or start a program first");
}

static int run_batch(struct top *t)
{
	unsigned long long now, last = now_ns(), next = last;
	struct kncpmu_error err;
	unsigned int n, shown = 0;

	for (n = 0; !t->count || n < t->count; n++) {
		next += t->delay;
		wait_until(next);
		if (top_signal())
			return CTL_SIGNAL + top_signal();
		now = now_ns();
		t->interval = now - last;
		last = now;
		if (top_refresh(t, &err))
			return complain("%s", err.text);
		if (t->nr_pids && !t->nr_rows)
			break;
		top_print(t);
		shown += t->nr_rows;
		if (ferror(stdout))
			break;
	}
	return shown || t->nr_pids ? CTL_OK : nothing_shown(t);
}

static int run_top(const struct command *cmd, int argc, char **argv)
{
	static struct top t = { .delay = DEFAULT_DELAY, .max_tasks = DEFAULT_TASKS };
	int status;

	if (parse_only_options(cmd, argc, argv, take_option, &t, &status))
		return status;
	if (t.have_cpus && t.mode == TOP_TASKS)
		return usage_error(cmd,
				   "-C shows hardware threads, --tasks and -p processes: choose one");
	if (!t.batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return usage_error(cmd,
				   "standard input or output is not a terminal: use -b for plain text");
	/* begin() reports errors */
	kncpmu_card_read(&t.card);
	status = top_take_signals(!t.batch);
	if (!status)
		status = begin(&t);
	if (!status)
		status = t.batch ? run_batch(&t) : top_interactive(&t);
	top_close(&t);
	free(t.rows);
	return status;
}

const struct command top_command = {
	.name = "top",
	.summary = "watch hardware threads or programs while they run",
	.usage = usage,
	.longs = options,
	.run = run_top,
};
