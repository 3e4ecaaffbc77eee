// SPDX-License-Identifier: GPL-2.0
/* Decides for all commands which samples are shown, by the filters of the command line */
#include <string.h>
#include <sets.h>

#include "cli/text.h"
#include "profile/filter.h"
#include "profile/match.h"

static int has_id(const struct wanted_tasks *ids, unsigned int id)
{
	unsigned int i;

	for (i = 0; i < ids->nr; i++) {
		if (ids->id[i] == id)
			return 1;
	}
	return !ids->text;
}

/* @rank -1 is no rank, which passes only if no rank was asked for */
static int has_rank(const struct wanted_tasks *ranks, long long rank)
{
	return rank < 0 ? !ranks->text : has_id(ranks, rank);
}

static int has_name(const struct wanted_names *names, const char *name)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		if (!strcmp(names->name[i], name))
			return 1;
	}
	return !names->text;
}

static int has_function(const struct wanted_names *names, const struct place *place)
{
	unsigned int i;

	for (i = 0; i < names->nr && place->symbol; i++) {
		if (match_name(place->symbol->name, names->name[i]) >= MATCH_UNQUALIFIED)
			return 1;
	}
	return !names->text;
}

int filter_has_place(const struct profile_opts *o)
{
	return o->dso.text || o->symbol.text;
}

int filter_has_thread(const struct profile_opts *o)
{
	return o->comm.text || o->pid.text || o->tid.text || o->region.text;
}

int filter_has_task(const struct profile_opts *o)
{
	return filter_has_thread(o) || o->rank.text;
}

int profile_has_filter(const struct profile *p)
{
	return filter_has_place(p->opts) || filter_has_task(p->opts) || p->opts->have_cpus ||
	       has_time(p->opts);
}

int profile_passes_cpu(const struct profile *p, unsigned int cpu)
{
	return !p->opts->have_cpus || kncpmu_cpus_test(&p->opts->cpus, data_cpu(cpu));
}

int profile_passes_rank(const struct profile *p, long long rank)
{
	return has_rank(&p->opts->rank, rank);
}

int profile_passes_record(const struct profile *p, const struct knc_pmu_record *record)
{
	unsigned long long time = data_record_time(record);

	if (!profile_passes_cpu(p, record->cpu) ||
	    !has_rank(&p->opts->rank, data_rank_of(&p->file, record->cpu)))
		return 0;
	return !time || (profile_passes_time(p, time) &&
			 (!p->opts->region.text || regions_last(p->regions, record->cpu, time)));
}

/* Compare the numbers on the task's own host, because users give those */
int filter_passes_task(const struct profile *p, long long rank, unsigned int pid,
		       unsigned int tid, const char *comm)
{
	const struct profile_opts *o = p->opts;

	return has_id(&o->pid, data_task_number(&p->file, pid)) &&
	       has_id(&o->tid, data_task_number(&p->file, tid)) && has_name(&o->comm, comm) &&
	       has_rank(&o->rank, rank);
}

int filter_passes(const struct profile *p, const struct sample *s)
{
	return filter_passes_task(p, s->rank, s->pid, s->tid, s->comm) &&
	       profile_passes_cpu(p, s->cpu) && profile_passes_time(p, s->time) &&
	       (!p->opts->region.text || regions_chosen(p->regions, s->tid, s->tsc));
}

int filter_passes_place(const struct profile *p, const struct place *place)
{
	const struct wanted_names *dso = &p->opts->dso;

	return (has_name(dso, place->dso->name) || has_name(dso, place->dso->short_name)) &&
	       has_function(&p->opts->symbol, place);
}

/* The end of --time, or @otherwise */
static unsigned long long limit_ns(const struct profile *p, const struct time_limit *limit,
				   unsigned long long otherwise)
{
	const unsigned long long began = p->file.started, ended = data_ended(&p->file);

	if (!limit->given)
		return otherwise;
	if (limit->percent)
		return began + (ended - began) * (limit->value / 100);
	/* the limit is longer than any recording; larger numbers would overflow */
	return limit->value < 1e9 ? began + limit->value * 1e9 : ~0ULL;
}

int filter_take_part(struct profile *p)
{
	const struct time_limit *limit = p->opts->time;

	if (((limit[0].given && limit[0].percent) || (limit[1].given && limit[1].percent)) &&
	    data_ended(&p->file) < p->file.started)
		return complain("%s does not say when the recording ended, because it was cut "
				"off: give --time in seconds", p->file.path);
	p->from = limit_ns(p, &limit[0], 0);
	p->to = limit_ns(p, &limit[1], ~0ULL);
	p->filtered = profile_has_filter(p);
	p->filtered_place = filter_has_place(p->opts);
	return p->opts->region.text ? regions_choose(p->regions, &p->opts->region) : 0;
}

void filter_describe(const struct profile *p, char *text, size_t size)
{
	const struct profile_opts *o = p->opts;
	const struct {
		const char *what;
		const char *text;
	} parts[] = {
		{ "comm", o->comm.text }, { "pid", o->pid.text }, { "tid", o->tid.text },
		{ "region", o->region.text },
		{ "rank", o->rank.text }, { "dso", o->dso.text }, { "symbol", o->symbol.text },
	};
	char cpus[256];
	size_t len = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].text && len < size)
			len += snprintf(text + len, size - len, "%s%s %s", len ? ", " : "",
					parts[i].what, parts[i].text);
	}
	if (!o->have_cpus || len >= size)
		return;
	kncpmu_cpus_format(&o->cpus, cpus, sizeof(cpus));
	snprintf(text + len, size - len, "%scpu %s", len ? ", " : "", cpus);
}

/* Describe the filters, --time included, for a message */
static const char *describe_all(const struct profile *p)
{
	const unsigned long long ended = data_ended(&p->file);
	char text[512];

	filter_describe(p, text, sizeof(text));
	if (!has_time(p->opts))
		return intern_text(text);
	if (ended < p->file.started)
		return intern_format("%s%s--time", intern_text(text), *text ? ", " : "");
	return intern_format("%s%s--time (the recording took %.6g s)", intern_text(text),
			     *text ? ", " : "", (ended - p->file.started) / 1e9);
}

void filter_tell(struct profile *p)
{
	unsigned long long shown = 0, all = 0;
	unsigned int i;

	for (i = 0; i < p->file.nr_events; i++) {
		shown += p->nr[i];
		all += p->all_nr[i];
	}
	if (!all || shown || p->told || !profile_has_filter(p))
		return;
	p->told = 1;
	complain("warning: none of the %llu samples of %s is of %s: report --sort "
		 "%scomm,pid,tid,cpu,dso,symbol lists all that there are", all, p->file.path,
		 describe_all(p), p->file.merged ? "rank," : "");
}
