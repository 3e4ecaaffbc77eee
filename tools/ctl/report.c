// SPDX-License-Identifier: GPL-2.0
/* From counts of hardware threads to what stat reports */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

#define CYCLES		"CPU_CLK_UNHALTED"
#define INSTRUCTIONS	"INSTRUCTIONS_EXECUTED"

void spread_add(struct spread *spread, double value)
{
	double delta = value - spread->mean;

	if (!spread->n || value < spread->min)
		spread->min = value;
	if (!spread->n || value > spread->max)
		spread->max = value;
	spread->n++;
	spread->mean += delta / spread->n;
	spread->m2 += delta * (value - spread->mean);
}

double spread_stddev(const struct spread *spread)
{
	return spread->n > 1 ? sqrt(spread->m2 / (spread->n - 1)) : 0;
}

static size_t cells_size(const struct counting *c)
{
	return (size_t)c->nr_items * (1 + c->nr_cpus) * sizeof(struct cell);
}

int report_init(struct report *r, const struct stat_opts *opts,
		const struct counting *counting)
{
	memset(r, 0, sizeof(*r));
	r->opts = opts;
	r->counting = counting;
	r->cells = calloc(1, cells_size(counting));
	return r->cells ? 0 : complain("out of memory");
}

void report_free(struct report *r)
{
	free(r->cells);
}

/* Forget all counts */
void report_clear(struct report *r)
{
	memset(r->cells, 0, cells_size(r->counting));
}

/* Cell @where of an event: 0 the sum, 1 + n the n-th hardware thread */
static struct cell *cell_at(const struct report *r, unsigned int item,
			    unsigned int where)
{
	return &r->cells[item * (1 + r->counting->nr_cpus) + where];
}

const struct cell *report_cell(const struct report *r, unsigned int item,
			       unsigned int where)
{
	return cell_at(r, item, where);
}

/* What was counted since @before (NULL: since the beginning) */
static struct count difference(const struct count *now,
			       const struct count *before)
{
	struct count d = *now;

	if (before) {
		d.value -= before->value;
		d.enabled -= before->enabled;
		d.running -= before->running;
	}
	return d;
}

static unsigned long long scale(unsigned long long value,
				unsigned long long enabled,
				unsigned long long wall)
{
	return value * ((double)wall / enabled) + 0.5;
}

/* One run's or one interval's counts into a cell */
static void cell_add(struct cell *cell, const struct count *count,
		     unsigned long long wall, int turns)
{
	cell->wall += wall;
	cell->flags |= count->flags;
	if (!count->enabled)
		return;
	cell->enabled += count->enabled;
	cell->running += count->running;
	cell->value = count->value;
	if (turns && wall > count->enabled)
		cell->value = scale(count->value, count->enabled, wall);
	spread_add(&cell->spread, cell->value);
}

/* The part of the n-th hardware thread in the sum */
static void sum_up(struct count *sum, const struct count *counts,
		   const unsigned int *core, unsigned int n, int core_wide)
{
	unsigned long long highest = 0;
	unsigned int i;

	sum->flags |= counts[n].flags;
	if (counts[n].enabled > sum->enabled)
		sum->enabled = counts[n].enabled;
	if (counts[n].running > sum->running)
		sum->running = counts[n].running;
	if (!core_wide) {
		sum->value += counts[n].value;
		return;
	}
	/* once for each core, with its first thread: what the highest one read */
	for (i = 0; i < n; i++) {
		if (core[i] == core[n] && counts[i].value >= highest)
			highest = counts[i].value;
	}
	if (counts[n].value > highest)
		sum->value += counts[n].value - highest;
}

/*
 * Add what was counted between @before (NULL: the beginning) and @now, in
 * @wall ns, as one run
 */
void report_add(struct report *r, const struct count *now,
		const struct count *before, unsigned long long wall)
{
	const struct counting *c = r->counting;
	unsigned int item, n, at;
	int wide, turns = c->nr_sets > 1;
	struct count *row, sum;

	row = calloc(c->nr_cpus, sizeof(*row));
	if (!row) {
		complain("out of memory");
		return;
	}
	for (item = 0; item < c->nr_items; item++) {
		memset(&sum, 0, sizeof(sum));
		wide = kncpmu_event_core_wide(&c->items[item].event);
		for (n = 0; n < c->nr_cpus; n++) {
			at = item * c->nr_cpus + n;
			row[n] = difference(&now[at], before ? &before[at] : NULL);
			sum_up(&sum, row, c->core, n, wide);
			cell_add(cell_at(r, item, 1 + n), &row[n], wall, turns);
		}
		cell_add(cell_at(r, item, 0), &sum, wall, turns);
	}
	free(row);
}

/* Part of the time for which it was counted; 100 if it took no turns */
double report_percent(const struct report *r, const struct cell *cell)
{
	if (r->counting->nr_sets == 1)
		return 100;
	if (!cell->wall || cell->enabled > cell->wall)
		return cell->wall ? 100 : 0;
	return 100.0 * cell->enabled / cell->wall;
}

static int is_plain(const struct knc_pmu_event *event, const char *name)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_find(name);

	return desc && event->event == desc->event && event->umask == desc->umask &&
	       !event->cmask &&
	       !(event->flags & ~(KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS));
}

/*
 * Cycles per instruction, for the row of the instructions: returns 1 if cycles
 * in the same rings are there
 */
int report_cpi(const struct report *r, unsigned int item, unsigned int where,
	       double *cpi)
{
	const struct kncpmu_item *items = r->counting->items;
	const struct cell *instructions = cell_at(r, item, where), *cycles;
	unsigned int i;

	if (!is_plain(&items[item].event, INSTRUCTIONS) ||
	    instructions->spread.mean <= 0)
		return 0;
	for (i = 0; i < r->counting->nr_items; i++) {
		cycles = cell_at(r, i, where);
		if (!is_plain(&items[i].event, CYCLES) || !cycles->spread.n ||
		    items[i].event.flags != items[item].event.flags)
			continue;
		*cpi = cycles->spread.mean / instructions->spread.mean;
		return 1;
	}
	return 0;
}

static const struct {
	unsigned int flag;
	const char *text;
} warnings[] = {
	{ KNC_PMU_THREAD_OFFLINE,
	  "went offline: they were counted until then only" },
	{ KNC_PMU_THREAD_GAP,
	  "were offline for some of the time: nothing was counted then" },
	{ KNC_PMU_THREAD_UNSURE,
	  "may have counted too little: a counter may have wrapped unseen; use -I 1000" },
};

/* Say which hardware threads have counts to be taken with care */
void report_warn(const struct report *r)
{
	const struct counting *c = r->counting;
	struct kncpmu_cpus cpus;
	char text[CPUS_TEXT];
	unsigned int i, item, n;

	for (i = 0; i < ARRAY_SIZE(warnings); i++) {
		memset(&cpus, 0, sizeof(cpus));
		for (item = 0; item < c->nr_items; item++) {
			for (n = 0; n < c->nr_cpus; n++) {
				if (cell_at(r, item, 1 + n)->flags & warnings[i].flag)
					kncpmu_cpus_set(&cpus, c->cpu[n]);
			}
		}
		if (!kncpmu_cpus_count(&cpus))
			continue;
		kncpmu_cpus_format(&cpus, text, sizeof(text));
		complain("warning: CPUs %s %s", text, warnings[i].text);
	}
}
