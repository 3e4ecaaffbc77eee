// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: current counts, refreshed every second */
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
#include "cli/pmu.h"
#include "top/display.h"
#include "top/signals.h"

#define DEFAULT_DELAY	NSEC_PER_SEC
#define DEFAULT_TASKS	20

static const char * const usage[] = {
	"usage: knc-pmuctl top [OPTIONS]",
	"",
	"Shows cycles per instruction, instructions and other events of hardware threads or of the",
	"busiest processes, refreshed every second. Keys: h help, q quit, t hardware threads or",
	"processes, e next set of events, E choose events, < > sort by another column, r reverse",
	"the order, space freeze.",
	NULL
};

static const char * const notes[] = {
	"Hardware threads need CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); without it,",
	"processes are shown, in user mode only.",
	NULL
};

static struct top top = { .delay = DEFAULT_DELAY, .max_tasks = DEFAULT_TASKS };

static int take_events(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct kncpmu_error err;

	if (top.own)
		return usage_error(cmd,
				   "-e is given twice: give it once, as in -e BRANCHES,DATA_READ");
	top.own = 1;
	if (top_parse_set(&top.chosen, arg, &err))
		return usage_error(cmd, "%s", err.text);
	return 0;
}

static int take_tasks(const struct command *cmd, const struct opt *o, const char *arg)
{
	top.mode = TOP_TASKS;
	return take_whole(cmd, o, arg);
}

static int take_pids(const struct command *cmd, const struct opt *o, const char *arg)
{
	top.mode = TOP_TASKS;
	return take_ids(cmd, "process", arg, TOP_MAX_TASKS, top.pids, &top.nr_pids);
}

static const struct opt options[] = {
	{ 'e', "event", "EVENTS", CALL(take_events, NULL),
	  "events to begin with, as with stat: EVENT[/COUNTER][:MODIFIERS],...; up to 32. More "
	  "than two take turns, and their counts are estimates, '~'. Or one level, "
	  "cmt/llc_occupancy/: bytes of the L3 that each one has" },
	{ 'd', "delay", "SECONDS", TIME(&top.delay, "delay in seconds", 0.1, 3600, NSEC_PER_SEC),
	  "time between refreshes, at least 0.1; default: 1" },
	{ 'n', "count", "COUNT", WHOLE(&top.count, "-n", 1, UINT_MAX),
	  "end after COUNT refreshes" },
	{ 'C', "cpu", "CPUS", CPUS(&top.cpus, &top.have_cpus),
	  "show these hardware threads; default: all online, if permitted" },
	{ 0, "tasks", "[=N]", take_tasks, &top.max_tasks, NULL, "--tasks", 1, TOP_MAX_TASKS, 0,
	  "show the N busiest processes, up to 64; default: 20. Those of all users for root, "
	  "otherwise your own" },
	{ 'p', "pid", "PID,...", CALL(take_pids, NULL), "show these processes" },
	{ 'b', "batch", NULL, FLAG(&top.batch),
	  "print plain text to standard output, with all digits, for programs" },
	END_OF_OPTIONS
};

/* Open the first sessions, of hardware threads unless refused or the command line excludes it */
static int begin(struct top *t)
{
	struct kncpmu_error err;
	int ret;

	if (!t->have_cpus && online_cpus(&t->cpus))
		return CTL_FAILED;
	ret = top_open(t, &err);
	/* don't try processes for a level, because it takes the same privilege */
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

/* Explain a table without rows */
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
	int status;

	if (top.have_cpus && top.mode == TOP_TASKS)
		return usage_error(cmd,
				   "-C shows hardware threads, --tasks and -p processes: choose one");
	if (!top.batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return usage_error(cmd,
				   "standard input or output is not a terminal: use -b for plain text");
	/* ignore errors, which begin() reports */
	kncpmu_card_read(own_pmu(), &top.card);
	status = top_take_signals(!top.batch);
	if (!status)
		status = begin(&top);
	if (!status)
		status = top.batch ? run_batch(&top) : top_interactive(&top);
	top_close(&top);
	free(top.rows);
	return status;
}

const struct command top_command = {
	.name = "top",
	.summary = "watch hardware threads or programs while they run",
	.usage = usage,
	.options = options,
	.notes = notes,
	.far = 1,
	.run = run_top,
};
