// SPDX-License-Identifier: GPL-2.0
/* The samples of a data file with names, in the order of time */
#include <string.h>

#include "cli/text.h"
#include "profile/filter.h"
#include "profile/profile.h"
#include "profile/switches.h"

static int has_name(const struct profile *p, unsigned int event)
{
	return !strcasecmp(p->opts->event, p->file.events[event].spec);
}

/* Is it the event of -e under another name, or without counter and modifiers as in -e? */
static int is_event(const struct profile *p, unsigned int event)
{
	const struct knc_pmu_event *e = &p->file.events[event].event;
	struct knc_pmu_event asked;
	struct kncpmu_error err;

	if (!e->flags || kncpmu_spec_parse(&p->file.pmu, p->opts->event, &asked, &err) ||
	    asked.event != e->event)
		return 0;
	return !strpbrk(p->opts->event, ":/") ||
	       (asked.flags == e->flags && asked.cmask == e->cmask &&
		(!asked.counters || asked.counters == e->counters));
}

int profile_wants(const struct profile *p, unsigned int event)
{
	unsigned int i;

	if (!p->opts->event || has_name(p, event))
		return 1;
	for (i = 0; i < p->file.nr_events; i++) {
		if (has_name(p, i))
			return 0;
	}
	return is_event(p, event);
}

double profile_seconds(const struct profile *p, unsigned int event, unsigned long long count)
{
	unsigned long long khz = data_number(&p->file, "tsc_khz");

	if (p->file.events[event].off_cpu)
		return count / 1e9;
	return khz && p->file.events[event].timed ? count / (khz * 1e3) : -1;
}

int profile_adds_up(const struct profile *p, unsigned int event)
{
	const struct data_event *e = &p->file.events[event];

	if (data_number(&p->file, "followed"))
		return 1;
	return e->event.flags && !e->core_wide;
}

static int check_event(const struct profile *p)
{
	const struct data_file *f = &p->file;
	char names[256] = "";
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < f->nr_events; i++) {
		if (profile_wants(p, i))
			return 0;
	}
	for (i = 0; i < f->nr_events && len < sizeof(names); i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s",
				!i ? "" : i + 1 < f->nr_events ? ", " : " and ",
				f->events[i].name);
	return complain("%s has no event %s, but %s", f->path, p->opts->event, names);
}

static int count_threads(struct profile *p)
{
	if (!p->opts->latency && !p->opts->parallelism)
		return 0;
	p->parallelism = parallelism_new(&p->file);
	return p->parallelism ? 0 : CTL_FAILED;
}

static int prepare(struct profile *p, int status)
{
	p->symbols = symbols_new(&p->file, p->opts->sysroot);
	p->unwinder = unwinder_new(p->symbols, data_number(&p->file, "max_frames"));
	p->regions = regions_new(&p->file);
	return status ? : check_event(p) ? : filter_take_part(p) ? : count_threads(p);
}

int profile_open(struct profile *p, const struct profile_opts *opts, int fd)
{
	memset(p, 0, sizeof(*p));
	p->opts = opts;
	return prepare(p, data_open(&p->file, fd, opts->input));
}

void profile_close(struct profile *p)
{
	tasks_free(p->tasks);
	parallelism_free(p->parallelism);
	regions_free(p->regions);
	unwinder_free(p->unwinder);
	symbols_free(p->symbols);
	data_close(&p->file);
	intern_free();
}

/* A damaged file is a failure; a file that only lacks its end is not */
int profile_status(const struct profile *p)
{
	return p->file.damaged ? CTL_FAILED : CTL_OK;
}

/**
 * struct walker - a walk over the samples
 * @p: the profile
 * @visitor: functions that are called
 * @ctx: their argument
 * @switches: the threads that are on no hardware thread
 * @places: find the places of samples
 * @sample: the present sample
 */
struct walker {
	struct profile *p;
	const struct profile_visitor *visitor;
	void *ctx;
	struct switches *switches;
	int places;
	struct sample sample;
};

static void add_frame(struct walker *w, const struct space *space,
		      unsigned long long addr, int kernel, int exact)
{
	struct sample *s = &w->sample;

	if (!kernel && s->first_user == ~0U)
		s->first_user = s->nr;
	s->ips[s->nr] = addr;
	s->exact[s->nr] = exact;
	s->frames[s->nr++] = symbols_place(w->p->symbols, space,
					   exact || !addr ? addr : addr - 1, kernel, s->time);
}

/* Find the user's callers by the copy of the stack; 0: there is none */
static int find_callers(struct walker *w, const struct knc_pmu_sample *r,
			const struct space *space, struct callers *to)
{
	const struct knc_pmu_stack *stack = data_stack(r);

	if (!stack)
		return 0;
	unwind(w->p->unwinder, space, stack, (const __u64 *)(r + 1) + r->nr_kernel, r->nr_user, to);
	return to->nr;
}

/* Add the first @nr frames of the call chain */
static void add_chain(struct walker *w, const struct knc_pmu_sample *r, const struct space *space,
		      unsigned int nr)
{
	const __u64 *chain = (const __u64 *)(r + 1);
	int kernel, exact;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		kernel = i < r->nr_kernel;
		/* the first frame of each mode is an instruction, not a return address */
		exact = !w->sample.nr || (!kernel && w->sample.first_user == ~0U);
		add_frame(w, space, chain[i], kernel, exact);
	}
}

/* Add the frames of the call chain, and first @ip if the chain does not begin with it */
static void add_frames(struct walker *w, const struct knc_pmu_sample *r)
{
	const __u64 *chain = (const __u64 *)(r + 1);
	const struct space *space = tasks_space(w->p->tasks, r->pid);
	unsigned int i, nr = r->nr_kernel + r->nr_user;
	int kernel = !(r->flags & KNC_PMU_SAMPLE_USER);
	struct callers user;

	/* only --dso and --symbol need a place, that of the sample itself */
	if (w->visitor->no_places) {
		add_frame(w, space, r->ip, kernel, 1);
		return;
	}
	if (find_callers(w, r, space, &user)) {
		if (kernel && !r->nr_kernel)
			add_frame(w, space, r->ip, 1, 1);
		add_chain(w, r, space, r->nr_kernel);
		for (i = 0; i < user.nr; i++)
			add_frame(w, space, user.ips[i], 0, user.exact[i]);
		return;
	}
	if (!nr || chain[0] != r->ip || kernel != !!r->nr_kernel)
		add_frame(w, space, r->ip, kernel, 1);
	add_chain(w, r, space, nr);
}

/* Other cores caused the event: a common place, because the program's address would mislead */
static void add_by_others(struct walker *w)
{
	w->sample.first_user = 0;
	w->sample.ips[w->sample.nr] = 0;
	w->sample.exact[w->sample.nr] = 1;
	w->sample.frames[w->sample.nr++] = symbols_by_others(w->p->symbols);
}

/* With --latency, share a sample among the threads that ran; times of waiting are not shared */
static void share_among_threads(const struct profile *p, struct sample *s)
{
	s->running = 0;
	if (!p->parallelism || s->event >= p->file.nr_counted)
		return;
	s->running = parallelism_at(p->parallelism, s->time);
	if (p->opts->latency)
		s->period = (s->period + s->running / 2) / s->running;
}

static void begin_sample(struct walker *w, const struct knc_pmu_sample *r)
{
	struct sample *s = &w->sample;

	s->event = r->event;
	s->cpu = r->record.cpu;
	s->pid = r->pid;
	s->tid = r->tid;
	s->rank = data_rank_of(&w->p->file, s->cpu);
	symbols_choose(w->p->symbols, data_rank_index(s->cpu));
	s->time = r->time;
	s->tsc = r->tsc;
	s->period = r->period;
	share_among_threads(w->p, s);
	s->comm = tasks_comm(w->p->tasks, r->pid, r->tid);
	s->region = w->p->opts->regions ? regions_innermost(w->p->regions, r->tid, r->tsc) : NULL;
	s->nr = 0;
	s->first_user = ~0U;
}

static void show_sample(struct walker *w, const struct knc_pmu_sample *r)
{
	if (!profile_wants(w->p, r->event))
		return;
	w->p->all_nr[r->event]++;
	w->p->all_weight[r->event] += r->period;
	begin_sample(w, r);
	if (w->p->filtered && !filter_passes(w->p, &w->sample))
		return;
	if (w->places && w->p->file.events[r->event].by_others)
		add_by_others(w);
	else if (w->places)
		add_frames(w, r);
	if (w->places && w->p->filtered_place && !filter_passes_place(w->p, w->sample.frames[0]))
		return;
	w->p->nr[r->event]++;
	w->p->weight[r->event] += w->sample.period;
	w->visitor->sample(w->ctx, &w->sample);
}

/* Show the counts of events that are not sampled, at the time sample's address */
static void show_time(struct walker *w, const struct knc_pmu_time_sample *t)
{
	struct knc_pmu_sample r;
	unsigned int i;

	for (i = 0; i < w->p->file.nr_events; i++) {
		if (data_sampled(&w->p->file.events[i]) || !t->delta[i])
			continue;
		memset(&r, 0, sizeof(r));
		r.record.cpu = t->record.cpu;
		r.ip = t->ip;
		r.pid = t->pid;
		r.tid = t->tid;
		r.event = i;
		r.flags = t->flags;
		r.time = t->time;
		r.tsc = t->tsc;
		r.period = t->delta[i];
		show_sample(w, &r);
	}
}

/* Show the time that a thread was on no hardware thread, as a sample */
static void show_wait(void *ctx, const struct knc_pmu_sample *r)
{
	show_sample(ctx, r);
}

static void visit_record(void *ctx, const struct knc_pmu_record *record)
{
	struct walker *w = ctx;

	switch (record->type) {
	case KNC_PMU_RECORD_SAMPLE:
		show_sample(w, (const void *)record);
		return;
	case KNC_PMU_RECORD_SWITCH_OUT:
		switches_out(w->switches, (const void *)record);
		break;
	case KNC_PMU_RECORD_SWITCH_IN:
		switches_in(w->switches, (const void *)record);
		break;
	case KNC_PMU_RECORD_TIME:
		show_time(w, (const void *)record);
		break;
	}
	if (w->visitor->other)
		w->visitor->other(w->ctx, record);
}

static void visit_task(void *ctx, const struct data_task *task)
{
	struct walker *w = ctx;

	tasks_apply(w->p->tasks, task);
	if (w->visitor->task)
		w->visitor->task(w->ctx, task);
}

/*
 * The name of thread 0: the idle task. In a recording from a pid namespace, threads outside of it
 * are 0 too: then there is no name.
 */
static const char *thread_0(const struct data_file *f)
{
	unsigned long long ns = data_number(f, "pid_namespace");

	return ns && ns != DATA_FIRST_PID_NS ? ":0" : "swapper";
}

int profile_walk(struct profile *p, const struct profile_visitor *visitor, void *ctx)
{
	const struct data_visitor records = {
		.record = visit_record,
		.task = visit_task,
		.prints = visitor->prints,
	};
	struct walker w = { .p = p, .visitor = visitor, .ctx = ctx };
	int status;

	tasks_free(p->tasks);
	p->tasks = tasks_new(p->symbols, &p->file, thread_0(&p->file));
	w.places = !visitor->no_places || filter_has_place(p->opts);
	memset(p->nr, 0, sizeof(p->nr));
	memset(p->weight, 0, sizeof(p->weight));
	memset(p->all_nr, 0, sizeof(p->all_nr));
	memset(p->all_weight, 0, sizeof(p->all_weight));
	w.switches = switches_new(&p->file, show_wait, &w);
	status = data_walk(&p->file, &records, &w);
	switches_end(w.switches);
	if (!visitor->no_places)
		unwinder_tell(p->unwinder);
	if (!status)
		filter_tell(p);
	return status;
}
