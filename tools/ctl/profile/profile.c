// SPDX-License-Identifier: GPL-2.0
/* The samples of a data file with names, in the order of time */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

int profile_number(const struct command *cmd, const char *what, const char *text,
		   double min, double max, double *value)
{
	double number;
	char *end;

	number = *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;
	if (!(number >= min && number <= max) || *end)
		return usage_error(cmd, "%s '%s' is not a number from %g to %.10g", what,
				   text, min, max);
	*value = number;
	return 0;
}

static int task_number(const struct command *cmd, const char *what,
		       const char *text, long long *number)
{
	double value = 0;
	int status = profile_number(cmd, what, text, 0, 0xffffffffU, &value);

	*number = value;
	return status;
}

int profile_option(const struct command *cmd, struct profile_opts *opts,
		   int opt, const char *arg)
{
	struct kncpmu_error err;

	switch (opt) {
	case 'i':
		opts->input = arg;
		return 0;
	case 'e':
		opts->event = arg;
		return 0;
	case 'C':
		/* those of the recorded machine, not of this one */
		opts->have_cpus = 1;
		if (kncpmu_cpus_parse(arg, &opts->cpus, &err))
			return usage_error(cmd, "%s", err.text);
		return 0;
	case OPT_COMM:
		/* as it is shown, or as it is */
		opts->comm = intern_text(arg);
		return 0;
	case OPT_DSO:
		opts->dso = intern_text(arg);
		return 0;
	case OPT_PID:
		return task_number(cmd, "process", arg, &opts->pid);
	case OPT_TID:
		return task_number(cmd, "thread", arg, &opts->tid);
	case OPT_SYSROOT:
		opts->sysroot = arg;
		return 0;
	}
	return -1;
}

int profile_wants(const struct profile *p, unsigned int event)
{
	return !p->opts->event ||
	       !strcasecmp(p->opts->event, p->file.events[event].name);
}

static int check_event(const struct profile *p)
{
	const struct data_file *f = &p->file;
	unsigned int i;

	for (i = 0; i < f->nr_events; i++) {
		if (profile_wants(p, i))
			return 0;
	}
	return complain("%s has no event %s, but %s%s%s", f->path, p->opts->event,
			f->events[0].name, f->nr_events > 1 ? " and " : "",
			f->nr_events > 1 ? f->events[1].name : "");
}

static int prepare(struct profile *p, int status)
{
	p->symbols = symbols_new(&p->file, p->opts->sysroot);
	return status ? : check_event(p);
}

int profile_open(struct profile *p, const struct profile_opts *opts)
{
	memset(p, 0, sizeof(*p));
	p->opts = opts;
	return prepare(p, data_open(&p->file, opts->input));
}

int profile_open_fd(struct profile *p, const struct profile_opts *opts, int fd)
{
	memset(p, 0, sizeof(*p));
	p->opts = opts;
	return prepare(p, data_open_fd(&p->file, fd, opts->input));
}

void profile_close(struct profile *p)
{
	tasks_free(p->tasks);
	symbols_free(p->symbols);
	data_close(&p->file);
	intern_free();
}

/* What was not written for want of space is no failure; wrong bytes are */
int profile_status(const struct profile *p)
{
	return p->file.damaged ? CTL_FAILED : CTL_OK;
}

/**
 * struct walker - a walk over the samples
 * @p: whose
 * @visitor: who is shown them
 * @ctx: for it
 * @sample: the sample being put together
 */
struct walker {
	struct profile *p;
	const struct profile_visitor *visitor;
	void *ctx;
	struct sample sample;
};

static void add_frame(struct walker *w, const struct map *space,
		      unsigned long long addr, int kernel, int exact)
{
	struct sample *s = &w->sample;

	if (!kernel && s->first_user == ~0U)
		s->first_user = s->nr;
	s->frames[s->nr++] = symbols_place(w->p->symbols, space,
					   exact || !addr ? addr : addr - 1, kernel);
}

/* The call chain; where it was is the first of it, or put before it */
static void add_frames(struct walker *w, const struct knc_pmu_sample *r)
{
	const __u64 *chain = (const __u64 *)(r + 1);
	const struct map *space = tasks_space(w->p->tasks, r->pid);
	unsigned int i, nr = r->nr_kernel + r->nr_user;
	int kernel = !(r->flags & KNC_PMU_SAMPLE_USER), exact;

	if (!nr || chain[0] != r->ip || kernel != !!r->nr_kernel)
		add_frame(w, space, r->ip, kernel, 1);
	for (i = 0; i < nr; i++) {
		kernel = i < r->nr_kernel;
		/* the first of each mode is where it was */
		exact = !w->sample.nr || (!kernel && w->sample.first_user == ~0U);
		add_frame(w, space, chain[i], kernel, exact);
	}
}

/* Was the sample asked for? */
static int wanted(const struct walker *w)
{
	const struct profile_opts *o = w->p->opts;
	const struct sample *s = &w->sample;

	return profile_wants(w->p, s->event) &&
	       (o->pid < 0 || o->pid == s->pid) && (o->tid < 0 || o->tid == s->tid) &&
	       (!o->have_cpus || kncpmu_cpus_test(&o->cpus, s->cpu)) &&
	       (!o->comm || !strcmp(o->comm, s->comm));
}

static int in_dso(const struct walker *w)
{
	const struct dso *dso = w->sample.frames[0]->dso;
	const char *name = w->p->opts->dso;

	return !name || !strcmp(name, dso->name) || !strcmp(name, dso->short_name);
}

static void begin_sample(struct walker *w, const struct knc_pmu_sample *r)
{
	struct sample *s = &w->sample;

	s->event = r->event;
	s->cpu = r->record.cpu;
	s->pid = r->pid;
	s->tid = r->tid;
	s->time = r->time;
	s->period = r->period;
	s->comm = tasks_comm(w->p->tasks, r->pid, r->tid);
	s->nr = 0;
	s->first_user = ~0U;
}

static void show_sample(struct walker *w, const struct knc_pmu_sample *r)
{
	begin_sample(w, r);
	if (!wanted(w))
		return;
	add_frames(w, r);
	if (!in_dso(w))
		return;
	w->p->nr[r->event]++;
	w->p->weight[r->event] += r->period;
	w->visitor->sample(w->ctx, &w->sample);
}

/* Events that are not sampled: what was counted, where the time sample was */
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
		r.period = t->delta[i];
		show_sample(w, &r);
	}
}

static void visit_record(void *ctx, const struct knc_pmu_record *record)
{
	struct walker *w = ctx;

	switch (record->type) {
	case KNC_PMU_RECORD_SAMPLE:
		show_sample(w, (const void *)record);
		return;
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
}

int profile_walk(struct profile *p, const struct profile_visitor *visitor, void *ctx)
{
	static const struct data_visitor records = {
		.record = visit_record,
		.task = visit_task,
	};
	struct walker w = { .p = p, .visitor = visitor, .ctx = ctx };

	tasks_free(p->tasks);
	p->tasks = tasks_new(p->symbols);
	memset(p->nr, 0, sizeof(p->nr));
	memset(p->weight, 0, sizeof(p->weight));
	return data_walk(&p->file, &records, &w);
}

void profile_how(const struct profile *p, unsigned int event, char *text, size_t size)
{
	const struct data_event *e = &p->file.events[event];
	unsigned long long interval = data_number(&p->file, "sample_interval_ns");

	if (e->freq)
		snprintf(text, size, "%llu samples a second", e->freq);
	else if (e->period)
		snprintf(text, size, "a sample each %llu events", e->period);
	else
		snprintf(text, size, "counted at time samples, each %g ms", interval / 1e6);
}

/* Sampled, lost and unsampled events of the file */
static double all_events(const struct profile *p, unsigned int event)
{
	const struct data_sums *s = &p->file.sums;

	return (double)p->weight[event] + s->lost_events[event] + s->unsampled[event];
}

static int has_filter(const struct profile_opts *o)
{
	return o->comm || o->dso || o->have_cpus || o->pid >= 0 || o->tid >= 0;
}

void profile_missing(const struct profile *p, unsigned int event, char *text,
		     size_t size)
{
	const struct data_sums *s = &p->file.sums;
	double all = all_events(p, event);
	size_t len = 0;

	text[0] = '\0';
	if (!data_sampled(&p->file.events[event]) || has_filter(p->opts))
		return;
	if (s->lost_events[event])
		len = snprintf(text, size,
			       "%.2g %% of the events were lost: their samples found no room",
			       100.0 * s->lost_events[event] / all);
	if (s->unsampled[event] && len < size)
		snprintf(text + len, size - len, "%s%.2g %% of the events were not sampled: %s",
			 len ? "; " : "", 100.0 * s->unsampled[event] / all,
			 s->throttles ? "throttled" :
			 "hardware threads went offline, or the kernel did not know the program yet");
}

static void print_line(FILE *f, const char *prefix, const char *what,
		       const char *text)
{
	fprintf(f, "%s%-10s%s\n", prefix, what, text);
}

static void print_event(const struct profile *p, FILE *f, const char *prefix,
			unsigned int event)
{
	const struct data_file *file = &p->file;
	char how[96], text[256];

	profile_how(p, event, how, sizeof(how));
	if (data_sampled(&file->events[event]))
		snprintf(text, sizeof(text), "%s, %s: %llu sample%s",
			 file->events[event].name, how, file->sums.samples[event],
			 plural_of(file->sums.samples[event]));
	else
		snprintf(text, sizeof(text), "%s, %s", file->events[event].name, how);
	print_line(f, prefix, "event", text);
}

static void print_losses(const struct profile *p, FILE *f, const char *prefix)
{
	const struct data_sums *s = &p->file.sums;
	char text[160];

	if (s->lost) {
		snprintf(text, sizeof(text), "%llu sample%s found no room in the ring",
			 s->lost, plural_of(s->lost));
		print_line(f, prefix, "lost", text);
	}
	if (s->throttles) {
		snprintf(text, sizeof(text), "%llu time%s: samples came too fast",
			 s->throttles, plural_of(s->throttles));
		print_line(f, prefix, "throttled", text);
	}
	if (s->tasks_lost) {
		snprintf(text, sizeof(text),
			 "%llu records of tasks are missing: some addresses have no name or a wrong one",
			 s->tasks_lost);
		print_line(f, prefix, "tasks", text);
	}
	if (!p->file.end)
		print_line(f, prefix, "end",
			   "missing: what was lost at last is not known");
}

void profile_header(const struct profile *p, FILE *f, const char *prefix)
{
	const char *command = data_command(&p->file);
	const char *cpus = data_text(&p->file, "cpus");
	char text[512];
	unsigned int i;

	snprintf(text, sizeof(text), "none: %s",
		 data_number(&p->file, "followed") ? data_text(&p->file, "who") :
		 "hardware threads were recorded");
	print_line(f, prefix, "command", command ? : text);
	snprintf(text, sizeof(text), "%s, Linux %s, CPU%s %s", data_text(&p->file, "host"),
		 data_text(&p->file, "kernel"), strpbrk(cpus, "-,") ? "s" : "", cpus);
	print_line(f, prefix, "machine", text);
	print_line(f, prefix, "recorded", data_text(&p->file, "started"));
	for (i = 0; i < p->file.nr_events; i++) {
		if (profile_wants(p, i))
			print_event(p, f, prefix, i);
	}
	print_losses(p, f, prefix);
}
