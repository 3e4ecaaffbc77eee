// SPDX-License-Identifier: GPL-2.0
/* Metrics of a recording, computed from its events */
#include <stdio.h>
#include <string.h>
#include <sets.h>

#include "metric/value.h"
#include "profile/metrics.h"

#define RINGS		(KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS)

void sampled_all(struct sampled *s, const struct profile *p)
{
	const struct data_sums *sums = &p->file.sums;
	const struct data_event *e;
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->p = p;
	for (i = 0; i < p->file.nr_events; i++) {
		e = &p->file.events[i];
		/* no metric may use a stand-in, which counted something else */
		s->known[i] = profile_wants(p, i) && e->event.flags && !e->stand_in;
		s->events[i] = e->event;
		s->samples[i] = p->nr[i];
		s->count[i] = p->weight[i];
		if (data_sampled(e) && !profile_has_filter(p))
			s->count[i] += sums->lost_events[i] + sums->unsampled[i];
	}
}

/* The index of the recorded event that @item is, in any ring; -1: none */
static int find(const struct sampled *s, const struct kncpmu_item *item)
{
	const unsigned int ignored = RINGS | KNC_PMU_EVENT_PINNED;
	const struct knc_pmu_event *e;
	unsigned int i;

	for (i = 0; i < s->p->file.nr_events; i++) {
		e = &s->events[i];
		if (s->known[i] && e->event == item->event.event &&
		    e->extra == item->event.extra && e->cmask == item->event.cmask &&
		    !((e->flags ^ item->event.flags) & ~ignored))
			return i;
	}
	return -1;
}

int sampled_has(const struct metrics *ms, const struct metric *m, const struct sampled *s)
{
	unsigned int i;

	for (i = 0; i < m->nr_events; i++) {
		if (find(s, &ms->items[m->events[i]]) < 0)
			return 0;
	}
	return m->nr_events > 0;
}

static int get_count(void *ctx, const struct kncpmu_item *item, struct metric_count *count)
{
	const struct sampled *s = ctx;
	int i = find(s, item);

	if (i < 0)
		return -1;
	count->value = s->count[i];
	count->precision = PRECISION_EXACT;
	if (data_sampled(&s->p->file.events[i]))
		count->precision = s->samples[i] < FEW_SAMPLES ? PRECISION_ROUGH :
								 PRECISION_ESTIMATE;
	return 0;
}

/* Does the formula use the number of cores, directly or through another metric? */
static int uses_cores(const struct metrics *ms, const struct metric *m)
{
	const struct metric_step *step;
	unsigned int i;

	for (i = 0; i < m->nr_steps; i++) {
		step = &m->steps[i];
		if ((step->op == METRIC_OP_QUANTITY && step->index == METRIC_CORES) ||
		    (step->op == METRIC_OP_METRIC && uses_cores(ms, &ms->metrics[step->index])))
			return 1;
	}
	return 0;
}

/* May the metric not be computed from samples? If so, @why says why; returns 0 if it may */
static int is_forbidden(const struct metrics *ms, const struct metric *m,
			const struct sampled *s, char *why, size_t size)
{
	int rings = 0, i;
	unsigned int n;

	for (n = 0; n < m->nr_events; n++) {
		i = find(s, &ms->items[m->events[n]]);
		if (!profile_adds_up(s->p, i)) {
			snprintf(why, size,
				 "each hardware thread of a core sampled the %s of the whole core; knc-pmuctl stat -a -M %s has the value",
				 s->p->file.events[i].name, m->name);
			return 1;
		}
		if (n && rings != (int)(s->events[i].flags & RINGS)) {
			snprintf(why, size,
				 "its events were recorded in different modes: record both with :u, or both without");
			return 1;
		}
		rings = s->events[i].flags & RINGS;
	}
	if (data_number(&s->p->file, "followed") || !uses_cores(ms, m))
		return 0;
	snprintf(why, size,
		 "a recording of hardware threads does not tell their cores; knc-pmuctl stat -a -M %s has the value",
		 m->name);
	return 1;
}

/* The number of hardware threads; a followed program is one, as in stat */
static unsigned int threads(const struct data_file *f)
{
	struct kncpmu_error err;
	struct kncpmu_cpus cpus;

	if (data_number(f, "followed") || kncpmu_cpus_parse(data_text(f, "cpus"), &cpus, &err))
		return 1;
	return kncpmu_cpus_count(&cpus);
}

/* Seconds from the beginning to the end; 0: not known */
static double seconds(const struct data_file *f)
{
	unsigned long long ended =
		json_integer_value(json_object_get(f->end, "ended_ns"));

	return ended > f->started ? (ended - f->started) / 1e9 : 0;
}

void sampled_metric(const struct metrics *ms, const struct metric *m, const struct sampled *s,
		    struct metric_value *value)
{
	struct metric_env env = {
		.count_of = get_count,
		.ctx = (void *)s,
		.seconds = seconds(&s->p->file),
		.threads = threads(&s->p->file),
		.cores = 1,
	};

	env.tsc = env.seconds * 1000 * data_number(&s->p->file, "tsc_khz");
	memset(value, 0, sizeof(*value));
	if (!is_forbidden(ms, m, s, value->why, sizeof(value->why)))
		metric_evaluate(ms, m, &env, value);
}
