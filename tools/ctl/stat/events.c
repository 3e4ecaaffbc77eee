// SPDX-License-Identifier: GPL-2.0
/* The events to be counted: named ones, default ones, and their rings */
#include <string.h>

#include "cli/command.h"
#include "cli/pmu.h"
#include "stat/events.h"

static const struct stat_defaults defaults[] = {
	{
		"knc", "CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED",
		"CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED,BRANCHES",
		"BRANCHES,BRANCHES_MISPREDICTED,DATA_READ_OR_WRITE,DATA_READ_MISS_OR_WRITE_MISS",
		"DATA_PAGE_WALK,LONG_DATA_PAGE_WALK,L2_READ_MISS,CODE_CACHE_MISS",
	}, {
		"arch", "UNHALTED_CORE_CYCLES,INSTRUCTION_RETIRED",
		"UNHALTED_CORE_CYCLES,INSTRUCTION_RETIRED,BRANCH_INSTRUCTIONS_RETIRED",
		"BRANCH_INSTRUCTIONS_RETIRED,MISPREDICTED_BRANCH_RETIRED",
		"FIXED_REFERENCE_CYCLES",
	}, {
		"uncore", "CLK_UNHALTED,LLC_HITS.ANY,LLC_MISS.ANY",
		"CLK_UNHALTED,LLC_HITS.ANY,LLC_MISS.ANY",
		"QMC_NORMAL_READS.ANY", "QMC_WRITES.FULL_ANY",
	}, {
		"westmere", "UNHALTED_CORE_CYCLES,INSTRUCTION_RETIRED",
		"UNHALTED_CORE_CYCLES,INSTRUCTION_RETIRED,BRANCH_INSTRUCTIONS_RETIRED",
		"BRANCH_INSTRUCTIONS_RETIRED,MISPREDICTED_BRANCH_RETIRED,LLC_REFERENCES,LLC_MISSES",
		"DTLB_MISSES.ANY,ITLB_MISSES.ANY,L1I.MISSES,L2_RQSTS.MISS",
	},
};

const struct stat_defaults *stat_defaults(const struct kncpmu_pmu *pmu)
{
	const struct stat_defaults *d = defaults;

	while (strcmp(d->pmu, pmu->name))
		d++;
	return d;
}

const struct kncpmu_pmu *stat_pmu(const struct stat_opts *opts)
{
	return opts->pmu.name ? &opts->pmu : own_pmu();
}

int stat_list_pmu(const struct command *cmd, struct stat_opts *opts, const char *text, char *list,
		  size_t size)
{
	const struct kncpmu_pmu *before = stat_pmu(opts);
	struct kncpmu_pmu pmu = *before;
	struct kncpmu_error err;

	if (kncpmu_list_pmu(&pmu, text, list, size, &err))
		return usage_error(cmd, "%s", err.text);
	if ((opts->nr_items || opts->nr_wanted) && pmu.kind != before->kind)
		return usage_error(cmd,
				   "all events and metrics are of one PMU, and '%s' is not of PMU %s: count it in another run",
				   text, before->name);
	opts->pmu = pmu;
	return 0;
}

int stat_parse_events(const struct command *cmd, struct stat_opts *opts, const char *text)
{
	const struct kncpmu_level *level = kncpmu_level_named(text);
	struct kncpmu_error err;
	char list[LIST_LEN];

	if (level) {
		opts->level = level;
		return 0;
	}
	if (stat_list_pmu(cmd, opts, text, list, sizeof(list)))
		return CTL_USAGE;
	if (kncpmu_list_parse(stat_pmu(opts), list, opts->items, &opts->nr_items, MAX_ITEMS, &err))
		return usage_error(cmd, "%s", err.text);
	return 0;
}

int default_events(const struct command *cmd, struct stat_opts *opts)
{
	const struct stat_defaults *d;

	if (opts->nr_items)
		return 0;
	opts->exact = opts->target == TARGET_CPUS;
	d = stat_defaults(stat_pmu(opts));
	return stat_parse_events(cmd, opts, opts->exact ? d->cpus : d->tasks);
}

const struct kncpmu_card *stat_card(struct stat_opts *opts)
{
	/* an error is reported later, when a session is opened */
	if (!opts->have_card)
		kncpmu_card_read(stat_pmu(opts), &opts->card);
	opts->have_card = 1;
	return &opts->card;
}

void add_lacking(struct stat_opts *opts, const struct kncpmu_item *item)
{
	unsigned int i;

	for (i = 0; i < opts->nr_lacking; i++) {
		if (!strcmp(opts->lacking[i].name, item->name))
			return;
	}
	if (i < MAX_ITEMS)
		opts->lacking[opts->nr_lacking++] = *item;
}

/* Move those events after the first @nr that the card can't count to opts->lacking */
static void drop_lacking(struct stat_opts *opts, unsigned int nr)
{
	const struct kncpmu_card *card = stat_card(opts);
	unsigned int i, kept = nr;

	for (i = nr; i < opts->nr_items; i++) {
		if (kncpmu_card_lacks(card, &opts->items[i].event))
			add_lacking(opts, &opts->items[i]);
		else
			opts->items[kept++] = opts->items[i];
	}
	opts->nr_items = kept;
}

int add_detail(const struct command *cmd, struct stat_opts *opts)
{
	const struct stat_defaults *d = stat_defaults(stat_pmu(opts));
	unsigned int nr;

	if (!opts->detail)
		return 0;
	if (!opts->nr_items && stat_parse_events(cmd, opts, d->tasks))
		return CTL_USAGE;
	nr = opts->nr_items;
	if (stat_parse_events(cmd, opts, d->detail_1) ||
	    (opts->detail > 1 && stat_parse_events(cmd, opts, d->detail_2)))
		return CTL_USAGE;
	drop_lacking(opts, nr);
	return 0;
}

void choose_modes(struct stat_opts *opts)
{
	const __u32 rings = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
	struct kncpmu_item item;
	unsigned int i, all = 0;

	for (i = 0; i < opts->nr_items; i++)
		all |= opts->items[i].event.flags;
	if (opts->target == TARGET_CPUS || (all & rings) != rings || may_count_kernel())
		return;
	for (i = 0; i < opts->nr_items; i++) {
		item = opts->items[i];
		if ((item.event.flags & rings) != rings ||
		    !add_modifier(stat_pmu(opts), &item, 'u') ||
		    item.event.flags & KNC_PMU_EVENT_OS)
			continue;
		opts->items[i] = item;
		opts->user_only = 1;
	}
}
