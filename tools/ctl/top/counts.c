// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: the counts of records, and their growth between two readings */
#include <string.h>

#include "top/top.h"

size_t top_record_size(const struct top_set *set)
{
	if (set->nr_groups > 1)
		return KNC_PMU_SET_SIZE(set->nr);
	return KNC_PMU_THREAD_SIZE(set->nr);
}

void top_take_record(const struct top_set *set, const struct knc_pmu_thread *record,
		     struct top_counts *counts)
{
	const char *values = (const char *)record->value;
	unsigned int i;

	memset(counts, 0, sizeof(*counts));
	counts->flags = record->flags;
	counts->enabled = record->time_enabled;
	counts->running = record->time_running;
	for (i = 0; i < set->nr; i++)
		counts->counted[i] = record->time_running;
	memcpy(counts->value, values, set->nr * sizeof(*counts->value));
	if (set->nr_groups > 1)
		memcpy(counts->counted, values + set->nr * sizeof(*counts->value),
		       set->nr * sizeof(*counts->counted));
}

static enum precision scaled_precision(const struct top *t, unsigned long long counted)
{
	return counted ? precision_of_turns(&t->card, counted) : PRECISION_NONE;
}

void top_subtract(const struct top *t, const struct top_counts *now,
		  const struct top_counts *before, struct top_row *row)
{
	const struct top_set *set = &t->set;
	unsigned long long running = now->running - before->running, counted;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		row->value[i] = now->value[i] - before->value[i];
		row->precision[i] = PRECISION_EXACT;
		/* a program that did not run has an exact count of 0 */
		if (set->nr_groups < 2 || !running)
			continue;
		counted = now->counted[i] - before->counted[i];
		row->precision[i] = scaled_precision(t, counted);
		if (counted)
			row->value[i] *= (double)running / counted;
	}
}
