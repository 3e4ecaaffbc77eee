// SPDX-License-Identifier: GPL-2.0
/*
 * knc-pmuctl top: levels of hardware threads and of processes
 *
 * A level has a set of its own, whose columns are not events. Each row has a session, and with it
 * an RMID. RMIDs are scarce: a row without one says so, and asks again at each refresh.
 */
#include <stdio.h>
#include <string.h>

#include "top/rows.h"

#define SHARE_UNITS	10000	/* of @value of TOP_LEVEL_SHARE: hundredths of a percent */

void top_level_set(struct top_set *set, const struct kncpmu_level *level)
{
	static const char * const titles[TOP_NR_LEVEL] = {
		[TOP_LEVEL_NOW] = "BYTES",
		[TOP_LEVEL_SHARE] = "%L3",
		[TOP_LEVEL_LEAST] = "LEAST",
		[TOP_LEVEL_MEAN] = "MEAN",
		[TOP_LEVEL_MOST] = "MOST",
	};

	memset(set, 0, sizeof(*set));
	set->name = level->name;
	set->level = level;
	set->nr_groups = 1;
	set->instructions = -1;
	set->cycles = -1;
	for (set->nr = 0; set->nr < TOP_NR_LEVEL; set->nr++)
		snprintf(set->items[set->nr].name, KNCPMU_SPEC_LEN, "%s", titles[set->nr]);
}

int top_level_prepare(struct top *t, struct kncpmu_error *err)
{
	int ret, fd = kncpmu_open(NULL);

	memset(&t->level, 0, sizeof(t->level));
	if (fd < 0)
		return top_fail(err, KNCPMU_OP_OPEN, fd, NULL, NULL);
	ret = level_find_pmu(fd, t->set.level, &t->level.pmu, err);
	kncpmu_close(fd);
	return ret;
}

int top_level_config(const struct top *t, int fd, const struct kncpmu_cpus *cpus, int pid,
		     struct knc_pmu_config *config)
{
	struct knc_pmu_event event = { .event = t->set.level->event };

	memset(config, 0, sizeof(*config));
	config->pmu = t->level.pmu.id;
	config->pid = pid;
	if (!cpus)
		config->flags = KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PROCESS |
				KNC_PMU_CONFIG_INHERIT;
	return kncpmu_config_sampling(fd, cpus, &event, 1, config);
}

/* The index of the L3 of @cpu. A process has columns only for the first L3s */
static unsigned int l3_index(struct top *t, unsigned int cpu)
{
	struct top_level *level = &t->level;
	unsigned int i, n;

	for (n = 0; n < level->nr && level->l3[n] != cpu; n++)
		;
	if (n == level->nr)
		level->l3[level->nr++] = cpu;
	if (t->mode == TOP_TASKS && level->nr > 1) {
		for (i = 0; i < level->nr && i < TOP_L3_COLUMNS; i++)
			snprintf(t->set.items[TOP_NR_LEVEL + i].name, KNCPMU_SPEC_LEN, "L3:CPU%u",
				 level->l3[i]);
		t->set.nr = TOP_NR_LEVEL + i;
	}
	return n;
}

/* Add a record. If one L3 has no value, neither has the sum */
static void take_record(struct top *t, const struct knc_pmu_thread *record, struct top_row *row)
{
	unsigned int l3 = l3_index(t, record->cpu);
	unsigned long long bytes = record->value[0];

	t->level.partial |= record->flags & KNC_PMU_THREAD_PARTIAL;
	if (!level_is_valid(record)) {
		row->precision[TOP_LEVEL_NOW] = PRECISION_NONE;
		bytes = 0;
	}
	if (l3 < TOP_L3_COLUMNS) {
		row->value[TOP_NR_LEVEL + l3] = bytes;
		if (!level_is_valid(record))
			row->precision[TOP_NR_LEVEL + l3] = PRECISION_NONE;
	}
	t->level.bytes[l3] += bytes;
	row->value[TOP_LEVEL_NOW] += bytes;
	/* find the largest part in any L3, in bytes, for put_share() */
	if (bytes > row->value[TOP_LEVEL_SHARE])
		row->value[TOP_LEVEL_SHARE] = bytes;
}

/* Show @most, the largest part of one L3 in bytes, as a share of that L3 */
static void put_share(const struct top *t, unsigned long long most, struct top_row *row)
{
	row->value[TOP_LEVEL_SHARE] = SHARE_UNITS * most / t->level.pmu.size;
	row->precision[TOP_LEVEL_SHARE] = row->precision[TOP_LEVEL_NOW];
}

static void put_readings(const struct level_readings *readings, struct top_row *row)
{
	unsigned int i;

	row->value[TOP_LEVEL_LEAST] = readings->least;
	row->value[TOP_LEVEL_MEAN] = level_mean(readings);
	row->value[TOP_LEVEL_MOST] = readings->most;
	for (i = TOP_LEVEL_LEAST; i <= TOP_LEVEL_MOST; i++)
		row->precision[i] = readings->nr ? PRECISION_EXACT : PRECISION_NONE;
}

int top_level_read(struct top *t, int fd, struct level_readings *readings, struct top_row *row)
{
	/* READ has a record for each L3, of which there are at most as many as hardware threads */
	static unsigned char records[KNC_PMU_MAX_CPUS * KNC_PMU_THREAD_SIZE(1)]
		__attribute__((aligned(8)));
	int i, nr = kncpmu_read(fd, records, sizeof(records), 0);

	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i++)
		take_record(t, kncpmu_record(records, 1, i), row);
	level_add(readings, row->precision[TOP_LEVEL_NOW] != PRECISION_NONE,
		  row->value[TOP_LEVEL_NOW]);
	put_share(t, row->value[TOP_LEVEL_SHARE], row);
	put_readings(readings, row);
	return 0;
}

/* @total += @row */
static void add_value(struct top_row *total, const struct top_row *row, unsigned int value)
{
	total->value[value] += row->value[value];
	if (row->precision[value] == PRECISION_NONE)
		total->precision[value] = PRECISION_NONE;
}

/*
 * Sum up the present levels, because each cache line has one RMID. Minimum and maximum have no sum,
 * because they are of different times.
 */
void top_level_total(struct top *t)
{
	static const struct level_readings nothing;
	struct top_row *total = &t->total;
	unsigned long long most = 0;
	unsigned int i, k, rows = 0;

	memset(total->value, 0, sizeof(total->value));
	memset(total->precision, 0, sizeof(total->precision));
	for (i = 0; i < t->nr_rows; i++) {
		if (t->rows[i].note[0])
			continue;
		rows++;
		add_value(total, &t->rows[i], TOP_LEVEL_NOW);
		for (k = 0; k < TOP_L3_COLUMNS; k++)
			add_value(total, &t->rows[i], TOP_NR_LEVEL + k);
	}
	for (k = 0; !rows && k < KNC_PMU_MAX_SET; k++)
		total->precision[k] = PRECISION_NONE;
	for (k = 0; k < t->level.nr; k++) {
		if (t->level.bytes[k] > most)
			most = t->level.bytes[k];
		t->level.bytes[k] = 0;
	}
	put_share(t, most, total);
	put_readings(&nothing, total);
}

static int any_missing(const struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_rows; i++) {
		if (!t->rows[i].note[0] &&
		    t->rows[i].precision[TOP_LEVEL_NOW] == PRECISION_NONE)
			return 1;
	}
	return 0;
}

const char *top_level_remark(const struct top *t, unsigned int n)
{
	if (!n--)
		return "%L3: of the L3 where it has most; LEAST, MEAN, MOST: since it has its RMID";
	if (t->mode == TOP_TASKS && t->level.nr > TOP_L3_COLUMNS && !n--)
		return "BYTES and %L3 are of all L3s: there are more than columns";
	if (any_missing(t) && !n--)
		return "-: the hardware has no value for an L3";
	if (t->level.partial && !n--)
		return level_partial;
	return NULL;
}
