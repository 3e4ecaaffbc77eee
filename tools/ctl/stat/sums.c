// SPDX-License-Identifier: GPL-2.0
/* From counts of hardware threads to what stat reports */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <names.h>
#include <topology.h>

#include "cli/cpus.h"
#include "stat/off-cpu.h"
#include "stat/report.h"

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
	return (size_t)c->nr_items * (1 + c->nr_rows) * sizeof(struct cell);
}

static size_t metrics_size(const struct report *r)
{
	return (size_t)r->opts->nr_metrics * (1 + r->counting->nr_rows) * sizeof(*r->metrics);
}

int report_init(struct report *r, const struct stat_opts *opts,
		const struct counting *counting)
{
	memset(r, 0, sizeof(*r));
	r->opts = opts;
	r->counting = counting;
	r->cells = calloc(1, cells_size(counting));
	r->metrics = calloc(1, metrics_size(r) + 1);
	return r->cells && r->metrics ? 0 : complain("out of memory");
}

void report_free(struct report *r)
{
	free(r->cells);
	free(r->metrics);
}

void report_clear(struct report *r)
{
	memset(r->cells, 0, cells_size(r->counting));
	memset(r->metrics, 0, metrics_size(r));
}

/* Cell @where of an event: 0 the sum, 1 + n the n-th hardware thread */
static struct cell *cell_at(const struct report *r, unsigned int item,
			    unsigned int where)
{
	return &r->cells[item * (1 + r->counting->nr_rows) + where];
}

unsigned int report_items(const struct report *r)
{
	return r->counting->nr_items + r->opts->nr_lacking;
}

const struct kncpmu_item *report_item(const struct report *r, unsigned int item)
{
	if (item < r->counting->nr_items)
		return &r->counting->items[item];
	return &r->opts->lacking[item - r->counting->nr_items];
}

const struct cell *report_cell(const struct report *r, unsigned int item,
			       unsigned int where)
{
	static const struct cell nothing;

	return item < r->counting->nr_items ? cell_at(r, item, where) : &nothing;
}

/* An event with a count is shown, even if the card is said to lack it */
int report_unsupported(const struct report *r, unsigned int item, unsigned int where)
{
	if (item >= r->counting->nr_items)
		return 1;
	return kncpmu_card_lacks(&r->opts->card, &report_item(r, item)->event) &&
	       report_cell(r, item, where)->spread.max == 0;
}

unsigned long long report_shown(const struct cell *cell)
{
	return cell->spread.n > 1 ? cell->spread.mean + 0.5 : cell->value;
}

double deviation_percent(const struct spread *spread)
{
	return spread->mean > 0 ? 100 * spread_stddev(spread) / spread->mean : 0;
}

int report_stands_in(const struct report *r, unsigned int item)
{
	return kncpmu_card_stands_in(&r->opts->card, &report_item(r, item)->event);
}

/*
 * Flags of the counts since @before. A flag stays once it is set, but an interval after the loss is
 * complete. If a hardware thread lost counts, the time of the loss is missing from @running.
 */
static unsigned int new_flags(const struct count *now, const struct count *before)
{
	unsigned int flags = now->flags & ~(KNC_PMU_THREAD_GAP | KNC_PMU_THREAD_PARTIAL);

	if (now->enabled - now->running > before->enabled - before->running)
		flags |= now->flags & KNC_PMU_THREAD_GAP;
	return flags | (now->flags & ~before->flags);
}

/* The count since @before (NULL: since the beginning) */
static struct count difference(const struct count *now,
			       const struct count *before)
{
	struct count d = *now;

	if (before) {
		d.value -= before->value;
		d.enabled -= before->enabled;
		d.running -= before->running;
		d.counted -= before->counted;
		d.flags = new_flags(now, before);
	}
	return d;
}

/* Scale the count of an event that took turns to the whole time */
static void scale(struct count *count)
{
	if (count->turns && count->counted && count->counted < count->running)
		count->value = count->value * ((double)count->running / count->counted) + 0.5;
}

/* Is there a count? A program that did not run has one, which is 0. */
static int was_counted(const struct count *count)
{
	if (count->turns && !count->counted && count->running)
		return 0;
	return count->enabled || count->followed;
}

/* Add the count of a run or an interval to a cell */
static void cell_add(struct cell *cell, const struct count *count)
{
	cell->flags |= count->flags;
	cell->turns |= count->turns;
	cell->enabled += count->enabled;
	cell->running += count->running;
	cell->counted += count->counted;
	if (!was_counted(count))
		return;
	cell->value = count->value;
	spread_add(&cell->spread, cell->value);
}

/* What the n-th hardware thread contributes to a sum */
static unsigned long long addend(const struct counting *c, const struct count *counts,
				 unsigned int n, int core_wide)
{
	unsigned long long highest = 0;
	unsigned int i;

	if (c->task || (!core_wide && !counts[n].for_core))
		return counts[n].value;
	/* a core-wide event counts once for each core: the highest count of its threads */
	for (i = 0; i < n; i++) {
		if (c->core[c->row_id[i]] == c->core[c->row_id[n]] &&
		    counts[i].value >= highest)
			highest = counts[i].value;
	}
	return counts[n].value > highest ? counts[n].value - highest : 0;
}

/*
 * Is @a less exact than @b, because it was counted for a smaller share of the time, or less time?
 */
static int less_sure(const struct count *a, const struct count *b)
{
	double part_a = a->running ? (double)a->counted / a->running : 1;
	double part_b = b->running ? (double)b->counted / b->running : 1;

	return part_a < part_b || (part_a == part_b && a->enabled < b->enabled);
}

/* Add the n-th hardware thread to a sum; the sum takes the times of its least exact summand */
static void sum_up(struct count *sum, const struct counting *c,
		   const struct count *counts, unsigned int n, int core_wide)
{
	const struct count *count = &counts[n];

	sum->value += addend(c, counts, n, core_wide);
	sum->flags |= count->flags;
	sum->turns |= count->turns;
	sum->followed |= count->followed;
	if (c->task) {
		sum->enabled += count->enabled;
		sum->running += count->running;
		sum->counted += count->counted;
	} else if (!sum->enabled || less_sure(count, sum)) {
		sum->enabled = count->enabled;
		sum->running = count->running;
		sum->counted = count->counted;
	}
}

/*
 * The row of threads without a row also contains the whole counts of threads that ended since
 * @before and were not kept: subtract their counts at @before. A thread with less time than before
 * is a new thread with an ended one's number.
 */
static void settle_ended(const struct counting *c, struct count *row,
			 const struct count *now, const struct count *before)
{
	unsigned int n;

	for (n = 1; n < c->nr_rows; n++) {
		if (!before[n].followed ||
		    (now[n].followed && now[n].enabled >= before[n].enabled))
			continue;
		row[0].value -= before[n].value;
		row[0].enabled -= before[n].enabled;
		row[0].running -= before[n].running;
		row[0].counted -= before[n].counted;
		row[n] = now[n];
	}
}

static int same_core(const struct counting *c, unsigned int a, unsigned int b)
{
	return c->core[c->row_id[a]] == c->core[c->row_id[b]];
}

/* Is the n-th hardware thread the first counted one of its core? */
static int first_of_core(const struct counting *c, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (same_core(c, i, n))
			return 0;
	}
	return 1;
}

/* Sum up the counts of the core whose first thread is the n-th hardware thread */
static void core_sum(struct count *sum, const struct counting *c, const struct count *row,
		     unsigned int n, int wide)
{
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	for (i = n; i < c->nr_rows; i++) {
		if (same_core(c, i, n))
			sum_up(sum, c, row, i, wide);
	}
}

/* Add the counts from @before (NULL: the beginning) to @now as one run */
void report_add(struct report *r, const struct count *now, const struct count *before)
{
	const struct counting *c = r->counting;
	unsigned int item, n, at;
	struct count *row, sum, core;
	int wide;

	row = calloc(c->nr_rows, sizeof(*row));
	if (!row) {
		complain("out of memory");
		return;
	}
	for (item = 0; item < c->nr_items; item++) {
		memset(&sum, 0, sizeof(sum));
		wide = kncpmu_event_core_wide(c->pmu, &c->items[item].event);
		at = item * c->nr_rows;
		for (n = 0; n < c->nr_rows; n++)
			row[n] = difference(&now[at + n], before ? &before[at + n] : NULL);
		if (c->per_thread && before)
			settle_ended(c, row, &now[at], &before[at]);
		for (n = 0; n < c->nr_rows; n++) {
			scale(&row[n]);
			sum_up(&sum, c, row, n, wide);
			core = row[n];
			if (r->opts->per_core)
				core_sum(&core, c, row, n, wide);
			cell_add(cell_at(r, item, 1 + n), &core);
		}
		cell_add(cell_at(r, item, 0), &sum);
	}
	free(row);
}

/* Does the row have a thread? Live threads are shown even if idle, ended ones only if they ran */
static int has_thread(const struct report *r, unsigned int where)
{
	const struct counting *c = r->counting;
	const struct cell *cell;
	unsigned int item;

	for (item = 0; item < r->counting->nr_items; item++) {
		cell = cell_at(r, item, where);
		if (where == 1 || c->tasks[where - 1].ended ? cell->enabled :
		    c->row_id[where - 1] && cell->spread.n)
			return 1;
	}
	return 0;
}

int report_shows(const struct report *r, unsigned int where)
{
	const struct stat_opts *opts = r->opts;

	if (!opts->per_cpu && !opts->per_core && !opts->per_thread)
		return !where;
	if (!where)
		return 0;
	if (opts->per_core)
		return first_of_core(r->counting, where - 1);
	return opts->per_cpu || has_thread(r, where);
}

/* Order threads by id, which is mostly the order of creation; the row of other threads is last */
static int compare_places(const void *a, const void *b, void *r)
{
	const struct counting *c = ((const struct report *)r)->counting;
	unsigned int x = c->row_id[*(const unsigned int *)a - 1];
	unsigned int y = c->row_id[*(const unsigned int *)b - 1];

	return x < y ? -1 : x > y;
}

const unsigned int *report_places(const struct report *r, unsigned int *nr)
{
	static unsigned int places[1 + KNC_PMU_MAX_CPUS];
	unsigned int where;

	*nr = 0;
	for (where = 0; where <= r->counting->nr_rows; where++) {
		if (report_shows(r, where))
			places[(*nr)++] = where;
	}
	if (r->opts->per_thread)
		qsort_r(places, *nr, sizeof(*places), compare_places, (void *)r);
	return places;
}

/* The cores of this machine, read from sysfs once; NULL: unknown */
static const struct kncpmu_topology *cores_here(void)
{
	static struct kncpmu_topology topology;
	static int known;

	if (!known)
		known = kncpmu_topology_read(NULL, &topology) ? -1 : 1;
	return known > 0 ? &topology : NULL;
}

unsigned int report_all_cores(void)
{
	const struct kncpmu_topology *t = cores_here();

	return t ? t->nr_cores : 0;
}

/*
 * The core of @cpu, named as by perf if there are several packages; without /sys the CPU's number
 */
static void core_label(unsigned int cpu, char *text, size_t size)
{
	const struct kncpmu_topology *t = cores_here();
	int core = t ? kncpmu_topology_core(t, cpu) : -1;

	if (core < 0)
		snprintf(text, size, "core%u", cpu);
	else if (several_packages(t))
		snprintf(text, size, "S%u-C%u", t->cores[core].package, t->cores[core].id);
	else
		snprintf(text, size, "core%u", t->cores[core].id);
}

void report_label(const struct report *r, unsigned int where, char *text, size_t size)
{
	const struct counting *c = r->counting;
	unsigned int cpu = where ? c->row_id[where - 1] : 0;

	if (!where)
		text[0] = '\0';
	else if (r->opts->per_core)
		core_label(cpu, text, size);
	else if (!r->opts->per_thread)
		snprintf(text, size, "CPU%u", cpu);
	else if (cpu == KNC_PMU_NO_CPU)
		snprintf(text, size, "ended");
	else
		snprintf(text, size, "%s-%u", c->tasks[where - 1].name, cpu);
}

/* Percentage of the time for which the event was counted; 100 if it took no turns */
double report_percent(const struct cell *cell)
{
	if (!cell->spread.n)
		return 0;
	if (!cell->turns || cell->counted >= cell->running)
		return 100;
	return 100.0 * cell->counted / cell->running;
}

enum precision report_precision(const struct report *r, unsigned int item, unsigned int where)
{
	const struct cell *cell = report_cell(r, item, where);

	if (!cell->spread.n || report_percent(cell) >= 100)
		return PRECISION_EXACT;
	return precision_of_turns(&r->opts->card, cell->counted);
}

unsigned int report_runs(const struct report *r)
{
	return r->elapsed.n / r->counting->nr_passes;
}

/* Write the list of those @cpus that counted for their cores */
static void for_core_text(const struct counting *c, const struct kncpmu_cpus *cpus,
			  char *text, size_t size)
{
	struct kncpmu_cpus both = *cpus;

	kncpmu_cpus_and(&both, &c->for_core);
	kncpmu_cpus_format(&both, text, size);
}

/* Print warnings about incomplete counts */
void report_warn(const struct report *r)
{
	/* index: bit of KNC_PMU_THREAD_* */
	static const char * const warnings[NR_FLAGS] = {
		"went offline: nothing was counted there from then on",
		"was offline, or lost its counters, for some of the time: nothing was counted "
		"there meanwhile",
	};
	const struct counting *c = r->counting;
	char cpus[CPUS_TEXT], core[CPUS_TEXT];
	unsigned int bit;

	if (c->seen & KNC_PMU_THREAD_PARTIAL)
		complain("warning: the counts are partial: a task was not followed to its "
			 "end, because it executed a program that is not yours to look at "
			 "(set-user-ID), or for lack of memory; run as root to count such "
			 "programs too; or a core lost its counters while a task ran there");
	if (c->seen & KNC_PMU_THREAD_EVICTED)
		complain("warning: evicted: a privileged user has taken the counters away "
			 "('knc-pmuctl reset --force' does that); the counts end there; "
			 "count again");
	if (c->off_cpu)
		off_cpu_warn(c->off_cpu);
	for (bit = 0; bit < NR_FLAGS; bit++) {
		if (!kncpmu_cpus_count(&c->flagged[bit]))
			continue;
		kncpmu_cpus_format(&c->flagged[bit], cpus, sizeof(cpus));
		for_core_text(c, &c->flagged[bit], core, sizeof(core));
		complain(core[0] ? "warning: CPU %s %s; CPU %s counted for the whole core" :
			 "warning: CPU %s %s", cpus, warnings[bit], core);
	}
}
