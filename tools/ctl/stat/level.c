// SPDX-License-Identifier: GPL-2.0
/* stat of a level: reads it periodically, and prints minimum, mean and maximum of each L3 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/csv.h"
#include "cli/device.h"
#include "cli/level.h"
#include "stat/printer.h"
#include "stat/view.h"

#define LEVEL_INTERVAL	100	/* ms between readings without -I */
#define RECORD		KNC_PMU_THREAD_SIZE(1)

/**
 * struct level_row - an L3
 * @cpu: a hardware thread of it
 * @readings: all
 * @now: the last one; only if @valid
 * @valid: the last reading had a value
 */
struct level_row {
	unsigned int cpu;
	struct level_readings readings;
	unsigned long long now;
	int valid;
};

/**
 * struct level_run - stat of a level
 * @opts: the command line
 * @pmu: the PMU that has the level
 * @fd: the session
 * @child: the command, if there is one
 * @mask: the signal mask at the start, for the command
 * @output: the file of -o, or stderr
 * @records: the answer of READ
 * @size: bytes of @records
 * @rows: a row for each L3
 * @nr: how many
 * @partial: another program changed an RMID, or a task was not followed
 * @ended: all tasks have ended
 * @began: when the session was started, ns
 * @next: when to read again, ns
 * @failed: an error has been printed
 */
struct level_run {
	const struct stat_opts *opts;
	struct knc_pmu_desc pmu;
	int fd;
	struct child child;
	sigset_t mask;
	struct output output;
	void *records;
	size_t size;
	struct level_row *rows;
	unsigned int nr;
	int partial;
	int ended;
	unsigned long long began;
	unsigned long long next;
	int failed;
};

int level_check(const struct command *cmd, const struct stat_opts *opts)
{
	const struct {
		int given;
		const char *name;
	} options[] = {
		{ opts->nr_items || opts->detail || opts->nr_wanted,
		  "-d, -M, -G and other events" },
		{ opts->passes, "--passes" },
		{ opts->repeat > 1, "-r" },
		{ opts->delay || opts->verbose, "-D and -v" },
		{ opts->per_cpu || opts->per_core || opts->per_thread || opts->off_cpu,
		  "--per-cpu, --per-core, --per-thread and --off-cpu" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (options[i].given)
			return usage_error(cmd,
					   "%s can't be with %s, which is a level and no count: leave one of them out",
					   options[i].name, opts->level->name);
	}
	return 0;
}

/* Follow @pid, or the targets of -p and -t; several targets share one RMID */
static void level_follow(const struct stat_opts *opts, int pid, struct knc_pmu_config *config)
{
	config->flags = KNC_PMU_CONFIG_TASK;
	if (opts->target != TARGET_THREAD)
		config->flags |= KNC_PMU_CONFIG_PROCESS;
	if (!opts->no_inherit)
		config->flags |= KNC_PMU_CONFIG_INHERIT;
	if (opts->nr_pids < 2) {
		config->pid = pid;
		return;
	}
	config->flags |= KNC_PMU_CONFIG_PIDS;
	config->cpus = (uintptr_t)opts->pids;
	config->cpus_size = opts->nr_pids * sizeof(*opts->pids);
}

/* Configure a session for @pid, for the tasks of -p or -t, or for the CPUs of -C or -a */
static int level_configure(struct level_run *s, int pid)
{
	struct knc_pmu_event event = { .event = s->opts->level->event };
	int cpus = s->opts->target == TARGET_CPUS, ret;
	struct knc_pmu_config config = { .pmu = s->pmu.id };
	struct kncpmu_failure failure = {
		.op = KNCPMU_OP_CONFIG, .config = &config, .events = &event,
	};

	if (!cpus)
		level_follow(s->opts, pid, &config);
	ret = kncpmu_config_sampling(s->fd, cpus ? &s->opts->cpus : NULL, &event, 1, &config);
	if (!ret)
		return 0;
	failure.error = ret;
	return explain(&failure);
}

static int level_start(struct level_run *s, int pid)
{
	int ret = level_configure(s, pid);

	if (ret)
		return ret;
	ret = kncpmu_start(s->fd);
	if (ret)
		return explain_op(KNCPMU_OP_START, ret, 0);
	s->began = now_ns();
	s->next = s->began;
	return 0;
}

static void level_row_add(struct level_row *row, const struct knc_pmu_thread *record)
{
	row->cpu = record->cpu;
	row->now = record->value[0];
	row->valid = level_is_valid(record);
	level_add(&row->readings, row->valid, row->now);
}

/* Read the level once; returns 0, or an exit status after a message */
static int level_read(struct level_run *s)
{
	const struct knc_pmu_thread *record;
	int i, nr = kncpmu_read(s->fd, s->records, s->size, 0);

	if (nr < 0) {
		s->failed = 1;
		return explain_op(KNCPMU_OP_READ, nr, 0);
	}
	s->ended = 1;
	for (i = 0; i < nr; i++) {
		record = kncpmu_record(s->records, 1, i);
		level_row_add(&s->rows[i], record);
		s->partial |= record->flags & KNC_PMU_THREAD_PARTIAL;
		s->ended &= !!(record->flags & KNC_PMU_THREAD_ENDED);
	}
	s->nr = nr;
	return 0;
}

static void level_head(struct level_run *s)
{
	FILE *f = s->output.file;

	fprintf(f, "\n Level of ");
	print_counted(f, s->opts);
	fprintf(f, ":\n\n");
}

static void level_json_interval(struct level_run *s, double time)
{
	json_t *l3 = json_array(), *row;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		row = json_pack("{s:i}", "cpu", (int)s->rows[i].cpu);
		json_object_set_new(row, "bytes", s->rows[i].valid ?
				    json_integer(s->rows[i].now) : json_null());
		json_array_append_new(l3, row);
	}
	print_json(s->output.file,
		   json_pack("{s:s, s:s, s:s, s:f, s:o}", "schema", LEVEL_SCHEMA,
			     "type", "interval", "level", s->opts->level->name,
			     "time", time, "l3", l3),
		   JSON_COMPACT);
}

static void level_table_interval(struct level_run *s, double time)
{
	FILE *f = s->output.file;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (s->rows[i].valid)
			fprintf(f, "%15.9f %'14llu  %s of CPU %u\n", time, s->rows[i].now,
				s->opts->level->name, s->rows[i].cpu);
		else
			fprintf(f, "%15.9f %14s  %s of CPU %u\n", time, "no value",
				s->opts->level->name, s->rows[i].cpu);
	}
}

/* -x: print the fields that all lines have; @bytes counts only if @valid */
static void level_csv_begin(const struct level_run *s, const struct level_row *row, int valid,
			    double bytes)
{
	const char *sep = s->opts->separator;
	FILE *f = s->output.file;

	fprintf(f, "CPU%u%s", row->cpu, sep);
	if (valid)
		fprintf(f, "%.0f", bytes);
	else
		fprintf(f, NOT_AVAILABLE);
	fprintf(f, "%sbytes%s", sep, sep);
	csv_text(f, sep, s->opts->level->name);
	fputs(sep, f);
	if (valid)
		fprintf(f, "%.2f", 100 * bytes / s->pmu.size);
}

static void level_csv_interval(struct level_run *s, double time)
{
	const char *sep = s->opts->separator;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		fprintf(s->output.file, "%.9f%s", time, sep);
		level_csv_begin(s, &s->rows[i], s->rows[i].valid, s->rows[i].now);
		fprintf(s->output.file, "%s%s%slevel\n", sep, s->partial ? "partial" : "", sep);
	}
}

static void level_interval(struct level_run *s)
{
	double time = (double)(now_ns() - s->began) / NSEC_PER_SEC;

	if (!s->output.begun) {
		output_begin(&s->output);
		if (!s->opts->json && !s->opts->separator)
			level_head(s);
	}
	if (s->opts->json)
		level_json_interval(s, time);
	else if (s->opts->separator)
		level_csv_interval(s, time);
	else
		level_table_interval(s, time);
	output_flush(&s->output);
}

static void level_on_time(struct level_run *s)
{
	unsigned int ms = s->opts->interval ? s->opts->interval : LEVEL_INTERVAL;

	if (now_ns() < s->next)
		return;
	while (s->next <= now_ns())
		s->next += ms * NSEC_PER_MSEC;
	if (!level_read(s) && s->opts->interval)
		level_interval(s);
}

static void level_total_row(FILE *f, const struct level_run *s, const struct level_row *row)
{
	const struct level_readings *r = &row->readings;
	double mean = level_mean(r);

	if (!r->nr) {
		fprintf(f, "%14s %14s %14s %9s  CPU %u\n", "no value", "", "", "", row->cpu);
		return;
	}
	fprintf(f, "%'14llu %'14.0f %'14llu %8.2f%%  CPU %u\n", r->least, mean, r->most,
		100 * mean / s->pmu.size, row->cpu);
}

static json_t *level_json_row(const struct level_run *s, const struct level_row *row)
{
	const struct level_readings *r = &row->readings;
	json_t *object = json_pack("{s:i, s:i, s:i}", "cpu", (int)row->cpu,
				   "readings", (int)r->nr, "missing", (int)r->missing);
	double mean = level_mean(r);

	json_object_set_new(object, "least", r->nr ? json_integer(r->least) : json_null());
	json_object_set_new(object, "mean", r->nr ? json_real(mean) : json_null());
	json_object_set_new(object, "most", r->nr ? json_integer(r->most) : json_null());
	json_object_set_new(object, "share", r->nr ? json_real(mean / s->pmu.size) :
						     json_null());
	return object;
}

static void level_json_total(struct level_run *s, int status)
{
	json_t *l3 = json_array(), *object;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		json_array_append_new(l3, level_json_row(s, &s->rows[i]));
	object = json_pack("{s:s, s:s, s:s, s:I, s:I, s:b, s:o}", "schema", LEVEL_SCHEMA,
			   "type", "total", "level", s->opts->level->name,
			   "unit", (json_int_t)s->pmu.unit, "l3_bytes", (json_int_t)s->pmu.size,
			   "partial", !!s->partial, "l3", l3);
	json_object_set_new(object, "exit_status",
			    s->opts->command ? json_integer(status) : json_null());
	print_json(s->output.file, object, JSON_COMPACT);
}

static unsigned int level_missing(const struct level_run *s)
{
	unsigned int i, missing = 0;

	for (i = 0; i < s->nr; i++)
		missing += s->rows[i].readings.missing;
	return missing;
}

static void level_table_total(struct level_run *s)
{
	unsigned int i, missing = level_missing(s);
	FILE *f = s->output.file;

	if (!s->opts->interval)
		level_head(s);
	fprintf(f, "%14s %14s %14s %9s  %s, L3 of\n", "least", "mean", "most", "of the L3",
		s->opts->level->name);
	for (i = 0; i < s->nr; i++)
		level_total_row(f, s, &s->rows[i]);
	fprintf(f, "\n bytes, in steps of %'llu; %u readings\n", s->pmu.unit,
		s->nr ? s->rows[0].readings.nr + s->rows[0].readings.missing : 0);
	if (missing)
		fprintf(f,
			" %u readings of an L3 had no value, which the hardware said: they are in no figure\n",
			missing);
	if (s->partial)
		fprintf(f, " %s\n", level_partial);
	fputc('\n', f);
}

/* Print no total after intervals, as in the CSV of counts */
static void level_csv_total(struct level_run *s)
{
	const struct level_readings *r;
	const char *sep = s->opts->separator;
	FILE *f = s->output.file;
	unsigned int i;

	for (i = 0; i < s->nr && !s->opts->interval; i++) {
		r = &s->rows[i].readings;
		level_csv_begin(s, &s->rows[i], !!r->nr, level_mean(r));
		fputs(sep, f);
		if (r->nr)
			fprintf(f, "%llu%s%llu", r->least, sep, r->most);
		else
			fputs(sep, f);
		fprintf(f, "%s%u%s%u%s%s%slevel\n", sep, r->nr, sep, r->missing, sep,
			s->partial ? "partial" : "", sep);
	}
}

static void level_total(struct level_run *s, int status)
{
	output_begin(&s->output);
	if (s->opts->json)
		level_json_total(s, status);
	else if (s->opts->separator)
		level_csv_total(s);
	else
		level_table_total(s);
}

static int level_command(struct level_run *s)
{
	int status, why;

	status = child_spawn(&s->child, s->opts->command,
			     s->opts->have_pin ? &s->opts->pin : NULL, &s->mask);
	if (status)
		return status;
	if (level_start(s, s->opts->pid ? s->opts->pid : s->child.pid)) {
		child_reap(&s->child);
		return CTL_FAILED;
	}
	child_release(&s->child);
	while (child_wait(&s->child, s->failed ? 0 : s->next) == WAIT_TIMEOUT)
		level_on_time(s);
	/* read before the command is reaped: until then its RMID still owns lines of the L3 */
	if (!s->failed)
		level_read(s);
	child_reap(&s->child);
	why = child_exec_error(&s->child);
	if (why)
		return child_exec_failed(s->opts->command[0], why);
	status = child_exit_status(&s->child);
	level_total(s, status);
	return status || !s->failed ? status : CTL_FAILED;
}

static int level_wait(struct level_run *s)
{
	if (level_start(s, s->opts->pid))
		return CTL_FAILED;
	while (!s->failed && !s->ended && signal_wait(s->next) == WAIT_TIMEOUT)
		level_on_time(s);
	if (!s->failed && !s->ended)
		level_read(s);
	if (s->nr)
		level_total(s, CTL_OK);
	return s->failed ? CTL_FAILED : CTL_OK;
}

static int level_all(struct level_run *s)
{
	int status;

	if (!s->opts->json && !s->opts->separator)
		setlocale(LC_NUMERIC, "");
	if (output_open(&s->output, s->opts->output, s->opts->append))
		return CTL_FAILED;
	if (child_signals(&s->mask)) {
		status = complain("can't block signals: %s", strerror(errno));
		return output_close(&s->output, status);
	}
	status = s->opts->command ? level_command(s) : level_wait(s);
	return output_close(&s->output, status);
}

static int level_on(int fd, void *ctx)
{
	struct level_run *s = ctx;
	struct knc_pmu_info info;
	struct kncpmu_error err;
	int status, ret;

	if (level_find_pmu(fd, s->opts->level, &s->pmu, &err))
		return complain("%s", err.text);
	ret = kncpmu_info(fd, &info);
	if (ret)
		return explain_op(KNCPMU_OP_INFO, ret, 0);
	s->fd = fd;
	s->size = info.nr_threads * RECORD;
	s->records = malloc(s->size);
	s->rows = calloc(info.nr_threads, sizeof(*s->rows));
	status = s->records && s->rows ? level_all(s) : complain("out of memory");
	free(s->records);
	free(s->rows);
	return status;
}

int level_stat(const struct stat_opts *opts)
{
	static struct level_run s;

	s.opts = opts;
	return with_device(level_on, &s);
}
