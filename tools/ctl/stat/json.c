// SPDX-License-Identifier: GPL-2.0
/* The output of stat as JSON: an object a line (schema knc-pmuctl-stat/1) */
#include <stdio.h>
#include <string.h>
#include <names.h>

#include "cli/rank.h"
#include "cli/totals.h"
#include "stat/off-cpu.h"
#include "stat/printer.h"
#include "stat/view.h"

/* Add the CPU, core or thread of a cell to its object */
static void label_json(json_t *object, const struct view *v)
{
	const struct counting *c = v->r->counting;
	unsigned int cpu = c->row_id[v->where - 1];

	if (!c->per_thread) {
		json_object_set_new(object, "cpu", json_integer(cpu));
		return;
	}
	json_object_set_new(object, "tid", cpu == KNC_PMU_NO_CPU ? json_null() :
			    json_integer(cpu));
	json_object_set_new(object, "name", text_json(v->label));
}

/* The key of the array of CPUs, cores or threads; NULL: only sums are shown */
static const char *parts_key(const struct report *r)
{
	if (r->opts->per_core)
		return "cores";
	if (r->opts->per_thread)
		return "tasks";
	return r->opts->per_cpu ? "cpus" : NULL;
}

/* The figures that the table shows after a # */
static void figures_json(json_t *object, const struct view *v)
{
	if (v->per_second >= 0)
		json_object_set_new(object, "per_second", json_real(v->per_second));
	if (v->seconds >= 0)
		json_object_set_new(object, "seconds", json_real(v->seconds));
	if (!v->figure_unit || strcmp(v->figure_unit, "CPI"))
		return;
	json_object_set_new(object, "cpi", json_real(v->figure));
	json_object_set_new(object, "cpi_rough", json_boolean(v->figure_rough));
}

/* The spread of several runs; for a count its minimum and maximum are whole numbers */
static void spread_json(json_t *object, const struct view *v)
{
	const struct spread *s = v->spread;

	if (s->n < 2)
		return;
	json_object_set_new(object, "mean", json_real(s->mean));
	json_object_set_new(object, "stddev", json_real(spread_stddev(s)));
	json_object_set_new(object, "min", v->item ? json_integer(s->min) : json_real(s->min));
	json_object_set_new(object, "max", v->item ? json_integer(s->max) : json_real(s->max));
}

static void precision_json(json_t *object, const struct view *v)
{
	json_object_set_new(object, "estimated", json_boolean(v->precision != PRECISION_EXACT));
	json_object_set_new(object, "rough", json_boolean(v->precision == PRECISION_ROUGH));
}

static json_t *cell_json(const struct view *v)
{
	const struct cell *cell = v->cell;
	json_t *object = json_object();

	if (v->where)
		label_json(object, v);
	json_object_set_new(object, "value", v->missing ? json_null() :
			    json_integer(cell->value));
	if (v->missing && !strcmp(v->missing, NOT_SUPPORTED))
		json_object_set_new(object, "supported", json_false());
	spread_json(object, v);
	json_object_set_new(object, "enabled_ns", json_integer(cell->enabled));
	json_object_set_new(object, "running_ns", json_integer(cell->running));
	json_object_set_new(object, "counted_ns", json_integer(cell->counted));
	json_object_set_new(object, "percent", json_real(report_percent(cell)));
	precision_json(object, v);
	if (cell->turns)
		json_object_set_new(object, "turns", json_integer(turns_of(cell->counted)));
	json_object_set_new(object, "flags", totals_flags_json(cell->flags));
	figures_json(object, v);
	return object;
}

static json_t *metric_cell_json(const struct view *v)
{
	const struct metric_limit *limit = v->value->limit;
	json_t *object = json_object();

	if (v->where)
		label_json(object, v);
	json_object_set_new(object, "value", v->value->available ?
			    json_real(v->value->value) : json_null());
	if (!v->value->available)
		json_object_set_new(object, "why", json_string(v->value->why));
	spread_json(object, v);
	precision_json(object, v);
	if (!limit)
		return object;
	json_object_set_new(object, "verdict", json_string(view_verdict(v)));
	json_object_set_new(object, "says", json_string(limit->says));
	json_object_set_new(object, "unverified", json_boolean(limit->unverified));
	return object;
}

typedef void (*view_fn)(const struct report *r, unsigned int i, unsigned int where,
			struct view *v);

/* The array of CPUs, cores or threads, if they are shown */
static void parts_json(json_t *object, const struct report *r, unsigned int i, view_fn view,
		       json_t *(*cell)(const struct view *v))
{
	const unsigned int *places;
	unsigned int n, nr;
	json_t *parts;
	struct view v;

	if (!parts_key(r))
		return;
	parts = json_array();
	places = report_places(r, &nr);
	for (n = 0; n < nr; n++) {
		view(r, i, places[n], &v);
		json_array_append_new(parts, cell(&v));
	}
	json_object_set_new(object, parts_key(r), parts);
}

static json_t *event_json(const struct report *r, unsigned int i)
{
	const char *kind;
	json_t *object;
	struct view v;
	char code[8];

	view_event(r, i, 0, &v);
	object = cell_json(&v);
	snprintf(code, sizeof(code), "r%04llx", (unsigned long long)v.item->event.event);
	json_object_set_new(object, "event", json_string(v.name));
	json_object_set_new(object, "raw", json_string(code));
	json_object_set_new(object, "core_wide", json_boolean(v.core_wide));
	json_object_set_new(object, "stand_in", json_boolean(v.stand_in));
	if (v.trial)
		json_object_set_new(object, "trial", json_boolean(1));
	kind = kncpmu_event_kind(r->counting->pmu, &v.item->event);
	json_object_set_new(object, "kind", json_string(kind));
	if (v.counter >= 0)
		json_object_set_new(object, "counter", json_integer(v.counter));
	parts_json(object, r, i, view_event, cell_json);
	return object;
}

static json_t *events_json(const struct report *r)
{
	json_t *array = json_array();
	unsigned int item;

	for (item = 0; item < report_items(r); item++)
		json_array_append_new(array, event_json(r, item));
	return array;
}

static json_t *metric_json(const struct report *r, unsigned int i)
{
	json_t *object;
	struct view v;

	view_metric(r, i, 0, &v);
	object = metric_cell_json(&v);
	json_object_set_new(object, "metric", json_string(v.name));
	json_object_set_new(object, "unit", json_string(v.metric->unit_text));
	json_object_set_new(object, "stand_in", json_boolean(v.stand_in));
	parts_json(object, r, i, view_metric, metric_cell_json);
	return object;
}

static json_t *metrics_json(const struct report *r)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < r->opts->nr_metrics; i++)
		json_array_append_new(array, metric_json(r, i));
	return array;
}

static void json_interval(FILE *f, const struct report *r, double time)
{
	print_json(f, json_pack("{s:s, s:s, s:f, s:o, s:o}", "schema", STAT_SCHEMA,
				"type", "interval", "time", time, "events", events_json(r),
				"metrics", metrics_json(r)), JSON_COMPACT);
}

static json_t *command_json(const struct report *r)
{
	json_t *command = json_array();
	char **arg;

	for (arg = r->opts->command; arg && *arg; arg++)
		json_array_append_new(command, text_json(*arg));
	return command;
}

static json_t *seconds_json(const struct spread *spread)
{
	return spread->n ? json_real(spread->mean) : json_null();
}

static json_t *pids_json(const struct stat_opts *opts)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < opts->nr_pids; i++)
		json_array_append_new(array, json_integer(opts->pids[i]));
	return array;
}

static void add_target(json_t *object, const struct report *r)
{
	static const char * const targets[] = {
		[TARGET_COMMAND] = "command",
		[TARGET_CPUS] = "cpus",
		[TARGET_PROCESS] = "process",
		[TARGET_THREAD] = "thread",
	};
	const struct stat_opts *opts = r->opts;
	char cpus[4096];

	json_object_set_new(object, "target", json_string(targets[opts->target]));
	if (opts->target == TARGET_CPUS) {
		kncpmu_cpus_format(&opts->cpus, cpus, sizeof(cpus));
		json_object_set_new(object, "cpus", json_string(cpus));
		return;
	}
	if (opts->nr_pids == 1)
		json_object_set_new(object, "pid", json_integer(opts->pid));
	if (opts->nr_pids > 1)
		json_object_set_new(object, "pids", pids_json(opts));
	json_object_set_new(object, "inherit", json_boolean(!opts->no_inherit));
	json_object_set_new(object, "rdpmc",
			    json_boolean(opts->config & KNC_PMU_CONFIG_RDPMC));
}

/* Add the host, and the rank in a parallel program. Returns false if there is no rank. */
static int add_rank(json_t *object)
{
	char host[HOST_LEN];
	struct rank rank;

	own_host(host);
	json_object_set_new(object, "host", text_json(host));
	own_rank(&rank);
	if (!rank.known)
		return 0;
	json_object_set_new(object, "rank", json_integer(rank.rank));
	if (rank.ranks)
		json_object_set_new(object, "ranks", json_integer(rank.ranks));
	return 1;
}

/* Print an object at the start, so that merge can name the rank even if its host dies */
static void json_started(FILE *f)
{
	json_t *object = json_pack("{s:s, s:s, s:s}", "schema", STAT_SCHEMA, "type", "begin",
				   "version", kncpmu_version());

	if (object && add_rank(object))
		print_json(f, object, JSON_COMPACT);
	else
		json_decref(object);
}

/* The times of --off-cpu, in ns, with keys of their own */
static json_t *time_json(const struct thread_time *t)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "running_ns", (json_int_t)t->on,
			 "runnable_ns", (json_int_t)t->off[OFF_RUNNABLE],
			 "sleeping_ns", (json_int_t)t->off[OFF_SLEEPING],
			 "uninterruptible_ns", (json_int_t)t->off[OFF_BLOCKED],
			 "unknown_ns", (json_int_t)t->off[OFF_UNKNOWN],
			 "followed_ns", (json_int_t)time_followed(t));
}

static json_t *off_cpu_json(const struct off_cpu *off_cpu)
{
	const struct thread_times *times = off_cpu_times(off_cpu);
	json_t *object, *thread, *threads = json_array();
	unsigned long long switches, lost;
	struct thread_time sum;
	char label[LABEL_TEXT];
	size_t i;

	for (i = 0; i < times->nr; i++) {
		thread = time_json(&times->threads[i]);
		time_label(&times->threads[i], label, sizeof(label));
		json_object_set_new(thread, "name", text_json(label));
		json_object_set_new(thread, "tid", times->threads[i].tid ?
				    json_integer(times->threads[i].tid) : json_null());
		json_array_append_new(threads, thread);
	}
	times_sum(times, &sum);
	object = time_json(&sum);
	switches = off_cpu_switches(off_cpu, &lost);
	json_object_set_new(object, "switches", json_integer(switches));
	json_object_set_new(object, "lost_switches", json_integer(lost));
	json_object_set_new(object, "threads", threads);
	return object;
}

static void json_total(FILE *f, const struct report *r, int status)
{
	json_t *object;

	object = json_pack("{s:s, s:s, s:s, s:i, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o}",
			   "schema", STAT_SCHEMA, "type", "total", "version", kncpmu_version(),
			   "tsc_khz", (int)r->opts->card.tsc_khz,
			   "command", command_json(r), "runs", (int)report_runs(r),
			   "passes", (int)r->counting->nr_passes, "events", events_json(r),
			   "metrics", metrics_json(r), "elapsed_s", seconds_json(&r->elapsed),
			   "user_s", seconds_json(&r->user), "sys_s", seconds_json(&r->sys));
	if (object && r->opts->off_cpu)
		json_object_set_new(object, "off_cpu", off_cpu_json(r->counting->off_cpu));
	if (object) {
		add_rank(object);
		add_target(object, r);
		json_object_set_new(object, "exit_status", json_integer(status));
	}
	print_json(f, object, JSON_COMPACT);
}

const struct printer json_printer = {
	.started = json_started,
	.interval = json_interval,
	.total = json_total,
};
