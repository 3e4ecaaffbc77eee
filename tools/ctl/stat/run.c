// SPDX-License-Identifier: GPL-2.0
/* The runs of stat: executes the command, or waits, while the sessions count */
#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/cpus.h"
#include "cli/pin.h"
#include "cli/rank.h"
#include "cli/terminal.h"
#include "stat/events.h"
#include "stat/off-cpu.h"
#include "stat/printer.h"

#define LOOK_INTERVAL	(20 * NSEC_PER_MSEC)	/* how often to check if the targets have ended */
#define DRAIN_INTERVAL	(50 * NSEC_PER_MSEC)	/* how often to empty the rings of --off-cpu */

/**
 * struct stat_run - a run of the command
 * @opts: the command line
 * @counting: the sessions
 * @child: the command, if there is one
 * @mask: the signal mask at the start, for the command
 * @home: the CPUs of the tool at the start, for the command
 * @total: counts of all runs
 * @interval_counts: counts of an interval
 * @now: counts until now
 * @before: counts until the last interval
 * @printer: form of output
 * @output: the file of -o, or stderr
 * @began: when this run began, ns
 * @last: when the last interval ended, ns
 * @seconds: seconds of the passes of this run
 * @next_interval: when the interval ends, ns; 0: never
 * @next_sign: when to show the elapsed seconds again, ns; 0: never
 * @next_look: when to check whether the targets have ended, ns; 0: never
 * @next_drain: when to empty the rings, ns; 0: never
 * @signs: the line with the elapsed seconds is on the terminal
 * @failed: an error has been printed
 */
struct stat_run {
	const struct stat_opts *opts;
	struct counting counting;
	struct child child;
	sigset_t mask;
	struct kncpmu_cpus home;
	struct report total;
	struct report interval_counts;
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
	unsigned long long next_drain;
	int signs;
	int failed;
};

/* Restore the tool's affinity, which the command inherits */
static void go_home(const struct stat_run *s)
{
	if (kncpmu_cpus_count(&s->home))
		sched_setaffinity(0, sizeof(s->home), (const cpu_set_t *)&s->home);
}

/* Begin the output once there are counts to print */
static void begin_output(struct stat_run *s)
{
	if (s->output.begun)
		return;
	output_begin(&s->output);
	if (s->printer->begin)
		s->printer->begin(s->output.file, &s->total);
}

/* Is the output a rank's file that is still empty? */
static int begins_rank(const struct stat_run *s)
{
	struct rank rank;

	own_rank(&rank);
	return rank.known && s->opts->output && s->printer->started && !s->output.begun;
}

/*
 * Write a rank's identity to its file at the start, so that merge can name ranks whose host has
 * died. This also truncates an earlier run's file, which would pass for this run's.
 */
static void begin_rank(struct stat_run *s)
{
	begin_output(s);
	s->printer->started(s->output.file);
	output_flush(&s->output);
}

/*
 * When the counts were read: READ's time, unless it is implausible because this process is in a
 * time namespace, which has another clock. @time may be too early if this program was delayed.
 */
static unsigned long long reading_time(const struct stat_run *s, unsigned long long time)
{
	unsigned long long read = s->counting.time;

	return read > s->last && read <= now_ns() ? read : time;
}

static void end_interval(struct stat_run *s, unsigned long long time)
{
	if (counting_read(&s->counting, s->now)) {
		s->failed = 1;
		/* end the intervals: each further one would repeat the error */
		s->next_interval = 0;
		return;
	}
	time = reading_time(s, time);
	report_clear(&s->interval_counts);
	report_add(&s->interval_counts, s->now, s->before);
	report_metrics(&s->interval_counts, (double)(time - s->last) / NSEC_PER_SEC);
	s->last = time;
	begin_output(s);
	s->printer->interval(s->output.file, &s->interval_counts,
			     (double)(time - s->began) / NSEC_PER_SEC);
	output_flush(&s->output);
	if (s->opts->per_thread)
		stat_tasks_forget(&s->counting, s->now, s->before);
	memcpy(s->before, s->now, counting_size(&s->counting));
}

static void show_sign(struct stat_run *s, unsigned long long time)
{
	fprintf(stderr, "\r%s stat: %llu s ", PROGRAM, (time - s->began) / NSEC_PER_SEC);
	fflush(stderr);
	s->signs = 1;
}

static void wipe_signs(struct stat_run *s)
{
	if (s->signs)
		fprintf(stderr, "\r\033[K");
	s->signs = 0;
}

/* The earliest of the set times; 0: none is set */
static unsigned long long next_time(const struct stat_run *s)
{
	unsigned long long times[4], next = 0;
	unsigned int i;

	times[0] = s->next_interval;
	times[1] = s->next_sign;
	times[2] = s->next_look;
	times[3] = s->next_drain;
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		if (times[i] && (!next || times[i] < next))
			next = times[i];
	}
	return next;
}

/* Read the counts, to know whether the targets have ended */
static void look(struct stat_run *s, unsigned long long time)
{
	if (counting_read(&s->counting, s->now))
		s->failed = 1;
	if (s->opts->per_thread)
		stat_tasks_forget(&s->counting, s->now, s->before);
	s->next_look = time + LOOK_INTERVAL;
}

static void on_time(struct stat_run *s)
{
	unsigned long long time = now_ns();

	if (s->next_drain && time >= s->next_drain) {
		off_cpu_drain(s->counting.off_cpu);
		s->next_drain = time + DRAIN_INTERVAL;
	}
	if (s->next_look && time >= s->next_look)
		look(s, time);
	if (s->next_interval && time >= s->next_interval) {
		while (s->next_interval <= time)
			s->next_interval += s->opts->interval * NSEC_PER_MSEC;
		/* nothing counts before exec, therefore extend the first interval */
		if (!s->opts->command || child_executed(&s->child))
			end_interval(s, time);
	}
	if (s->next_sign && time >= s->next_sign) {
		show_sign(s, time);
		s->next_sign += NSEC_PER_SEC;
	}
}

static void set_times(struct stat_run *s)
{
	s->began = s->counting.begun;
	s->last = s->began;
	s->next_interval = 0;
	if (s->opts->interval)
		s->next_interval = s->began + s->opts->interval * NSEC_PER_MSEC;
	s->next_sign = 0;
	/* show no progress while a command may write to the same terminal */
	if (!s->opts->command && !s->opts->interval && terminal_escapes(stderr))
		s->next_sign = s->began + NSEC_PER_SEC;
	s->next_look = s->opts->command || !s->opts->pid ? 0 : s->began + LOOK_INTERVAL;
	s->next_drain = s->opts->off_cpu ? s->began + DRAIN_INTERVAL : 0;
	memset(s->before, 0, counting_size(&s->counting));
}

static void account(struct stat_run *s, unsigned long long ended)
{
	double elapsed = (double)(ended - s->began) / NSEC_PER_SEC;

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

/* -D: begin to count after a delay. Returns 1 if everything ended before it, -1 after an error */
static int begin_late(struct stat_run *s)
{
	unsigned long long until = now_ns() + s->opts->delay * NSEC_PER_MSEC;

	if (!s->opts->delay)
		return 0;
	if ((s->opts->command ? child_wait(&s->child, until) : signal_wait(until)) != WAIT_TIMEOUT)
		return 1;
	if (!counting_start(&s->counting)) {
		set_times(s);
		return 0;
	}
	s->failed = 1;
	s->next_interval = 0;
	s->next_look = 0;
	return -1;
}

static void tell_late(const struct stat_run *s)
{
	complain("warning: nothing was counted: all had ended before the %u ms of -D",
		 s->opts->delay);
}

/*
 * Start the command, which waits before its exec, and count it. Returns -1 with an exit status if
 * that fails, and *@why as run_once()
 */
static int start_counted(struct stat_run *s, int *status, int *why)
{
	go_home(s);
	*status = child_spawn(&s->child, s->opts->command,
			      s->opts->have_pin ? &s->opts->pin : NULL, &s->mask);
	if (*status)
		return -1;
	if (s->opts->target == TARGET_COMMAND)
		s->counting.pid = s->child.pid;
	/* leave the counted cores to the command, if there are others */
	if (s->opts->target == TARGET_CPUS)
		keep_off(&s->counting.cores, s->counting.cpus);
	if (!counting_begin(&s->counting))
		return 0;
	child_reap(&s->child);
	*why = child_exec_error(&s->child);
	/* the command's pipe is closed, because the child was killed or ended without exec */
	*status = child_exit_status(&s->child);
	return -1;
}

/* Run the command once. Returns its exit status; if it was not executed, *@why is the errno */
static int run_once(struct stat_run *s, int *why)
{
	unsigned long long ended;
	int status, lost, late;

	if (start_counted(s, &status, why)) {
		s->failed = 1;
		return status;
	}
	set_times(s);
	child_release(&s->child);
	if (begins_rank(s) && !child_exec_error(&s->child))
		begin_rank(s);
	late = begin_late(s);
	while (late <= 0 && child_wait(&s->child, next_time(s)) == WAIT_TIMEOUT)
		on_time(s);
	lost = late < 0 || counting_end(&s->counting);
	s->failed |= !!lost;
	ended = now_ns();
	child_reap(&s->child);
	*why = child_exec_error(&s->child);
	if (*why)
		return child_exec_failed(s->opts->command[0], *why);
	if (late > 0)
		tell_late(s);
	if (!lost)
		account(s, ended);
	return child_exit_status(&s->child);
}

/* Have the targets ended? Followed programs end; hardware threads don't */
static int targets_ended(const struct stat_run *s)
{
	return s->opts->pid && counting_ended(&s->counting);
}

/* Without a command: count until the targets have ended or a signal comes */
static void wait_only(struct stat_run *s)
{
	unsigned long long ended;
	int lost, late;

	if (s->opts->target == TARGET_CPUS)
		keep_off(&s->counting.cores, s->counting.cpus);
	if (counting_begin(&s->counting)) {
		s->failed = 1;
		return;
	}
	set_times(s);
	if (begins_rank(s))
		begin_rank(s);
	begin_output(s);
	late = begin_late(s);
	if (late > 0)
		tell_late(s);
	while (!late && !s->failed && !targets_ended(s) &&
	       signal_wait(next_time(s)) == WAIT_TIMEOUT)
		on_time(s);
	lost = late < 0 || counting_end(&s->counting);
	s->failed |= !!lost;
	ended = now_ns();
	wipe_signs(s);
	if (!lost)
		account(s, ended);
}

/* Run the command as often as asked for. Returns the exit status of the last run */
static int run_often(struct stat_run *s, int *why)
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

static int run_all(struct stat_run *s)
{
	int status = CTL_OK, why = 0;

	if (s->opts->command)
		status = run_often(s, &why);
	else
		wait_only(s);
	/* no command was executed, or nothing was counted */
	if (!s->total.elapsed.n || why)
		return status || !s->failed ? status : CTL_FAILED;
	begin_output(s);
	s->printer->total(s->output.file, &s->total, status);
	report_warn(&s->total);
	return status || !s->failed ? status : CTL_FAILED;
}

static int open_output(struct stat_run *s)
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

static int stat_init(struct stat_run *s, const struct stat_opts *opts)
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
	    report_init(&s->interval_counts, opts, &s->counting))
		return CTL_FAILED;
	return 0;
}

static void stat_free(struct stat_run *s)
{
	report_free(&s->total);
	report_free(&s->interval_counts);
	free(s->now);
	free(s->before);
	counting_free(&s->counting);
}

/* Tell the command which event each counter has, for its report of regions (knc/ring3.h) */
static void tell_counters(const struct stat_run *s)
{
	char name[32];
	unsigned int i;

	unsetenv("KNC_COUNTER0");
	unsetenv("KNC_COUNTER1");
	if (!(s->opts->config & KNC_PMU_CONFIG_RDPMC))
		return;
	for (i = 0; i < s->opts->nr_items; i++) {
		snprintf(name, sizeof(name), "KNC_COUNTER%u", s->counting.counter[i]);
		setenv(name, s->opts->items[i].name, 1);
	}
}

static int count_command(struct stat_run *s)
{
	if (counting_probe(&s->counting))
		return CTL_FAILED;
	tell_counters(s);
	if (open_output(s))
		return CTL_FAILED;
	/* print no other lines to standard error if CSV or JSON goes there */
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
	static struct stat_run s;
	int status;

	stat_card(opts);
	choose_modes(opts);
	status = stat_init(&s, opts);
	if (!status)
		status = count_command(&s);
	stat_free(&s);
	if (opts->ms)
		metrics_free(opts->ms);
	return status;
}
