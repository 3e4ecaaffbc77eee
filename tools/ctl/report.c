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

/* Of what took turns: what it would have been all the time */
static void scale(struct count *count, unsigned long long wall)
{
	if (count->turns && count->enabled && wall > count->enabled)
		count->value = count->value * ((double)wall / count->enabled) + 0.5;
}

/* One run's or one interval's counts into a cell */
static void cell_add(struct cell *cell, const struct count *count,
		     unsigned long long wall)
{
	cell->wall += wall;
	cell->flags |= count->flags;
	cell->turns |= count->turns;
	if (!count->enabled)
		return;
	cell->enabled += count->enabled;
	cell->running += count->running;
	cell->value = count->value;
	spread_add(&cell->spread, cell->value);
}

/* What the n-th hardware thread adds to the sum */
static unsigned long long addend(const struct counting *c, const struct count *counts,
				 unsigned int n, int core_wide)
{
	unsigned long long highest = 0;
	unsigned int i;

	if (!core_wide && !counts[n].for_core)
		return counts[n].value;
	/* once for each core, with its first thread: what the highest one read */
	for (i = 0; i < n; i++) {
		if (c->core[c->cpu[i]] == c->core[c->cpu[n]] &&
		    counts[i].value >= highest)
			highest = counts[i].value;
	}
	return counts[n].value > highest ? counts[n].value - highest : 0;
}

/* The n-th hardware thread's part in the sum, which is as sure as the least sure */
static void sum_up(struct count *sum, const struct counting *c,
		   const struct count *counts, unsigned int n, int core_wide)
{
	const struct count *count = &counts[n];

	sum->value += addend(c, counts, n, core_wide);
	sum->flags |= count->flags;
	sum->turns |= count->turns;
	if (!n || count->enabled < sum->enabled)
		sum->enabled = count->enabled;
	if (count->running > sum->running)
		sum->running = count->running;
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
	struct count *row, sum;
	int wide;

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
			scale(&row[n], wall);
			sum_up(&sum, c, row, n, wide);
			cell_add(cell_at(r, item, 1 + n), &row[n], wall);
		}
		cell_add(cell_at(r, item, 0), &sum, wall);
	}
	free(row);
}

/* Part of the time for which it was counted; 100 if it took no turns */
double report_percent(const struct cell *cell)
{
	if (!cell->wall || !cell->enabled)
		return 0;
	if (!cell->turns || cell->enabled > cell->wall)
		return 100;
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

/* Those of @cpus that counted for their cores */
static void for_core_text(const struct counting *c, const struct kncpmu_cpus *cpus,
			  char *text, size_t size)
{
	struct kncpmu_cpus both;
	unsigned int cpu;

	memset(&both, 0, sizeof(both));
	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		if (kncpmu_cpus_test(&c->for_core, cpu))
			kncpmu_cpus_set(&both, cpu);
	}
	kncpmu_cpus_format(&both, text, size);
}

/* Say which hardware threads have counts to be taken with care */
void report_warn(const struct report *r)
{
	/* bits of KNC_PMU_THREAD_* */
	static const char * const warnings[NR_FLAGS] = {
		"went offline: nothing was counted there from then on",
		"was offline for some of the time: nothing was counted there meanwhile",
	};
	const struct counting *c = r->counting;
	char cpus[CPUS_TEXT], core[CPUS_TEXT];
	unsigned int bit;

	for (bit = 0; bit < NR_FLAGS; bit++) {
		if (!kncpmu_cpus_count(&c->flagged[bit]))
			continue;
		kncpmu_cpus_format(&c->flagged[bit], cpus, sizeof(cpus));
		for_core_text(c, &c->flagged[bit], core, sizeof(core));
		complain(core[0] ? "warning: CPU %s %s; CPU %s counted for the whole core" :
			 "warning: CPU %s %s", cpus, warnings[bit], core);
	}
}
