// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: sets of events */
#include <string.h>
#include <place.h>

#include "cli/array.h"
#include "cli/pmu.h"
#include "top/rows.h"

/*
 * Each set begins with the two events of CPI: the first two events are in one group, which is
 * counted at the same time.
 */
#define CPI		"INSTRUCTIONS_EXECUTED,CPU_CLK_UNHALTED"
#define ARCH_CPI	"INSTRUCTION_RETIRED,UNHALTED_CORE_CYCLES"

struct named_set {
	const char *name;
	const char *events;
};

static const struct named_set knc_sets[] = {
	{ "cycles", CPI },
	{ "branches", "{" CPI "},{BRANCHES,BRANCHES_MISPREDICTED}" },
	{ "data", "{" CPI "},{DATA_READ_OR_WRITE,DATA_READ_MISS_OR_WRITE_MISS}" },
	{ "L2", "{" CPI "},L2_DATA_READ_MISS_CACHE_FILL,L2_DATA_READ_MISS_MEM_FILL" },
	{ "TLB", "{" CPI "},{DATA_PAGE_WALK,LONG_DATA_PAGE_WALK}" },
	{ "vector", "{" CPI "},{VPU_INSTRUCTIONS_EXECUTED,VPU_ELEMENTS_ACTIVE}" },
};

static const struct named_set arch_sets[] = {
	{ "cycles", ARCH_CPI },
	{ "branches", ARCH_CPI ",BRANCH_INSTRUCTIONS_RETIRED,MISPREDICTED_BRANCH_RETIRED" },
};

/* The sets of the PMU */
static const struct named_set *sets(unsigned int *nr)
{
	if (is_host(own_pmu())) {
		*nr = ARRAY_SIZE(arch_sets);
		return arch_sets;
	}
	*nr = ARRAY_SIZE(knc_sets);
	return knc_sets;
}

unsigned int top_nr_sets(const struct top *t)
{
	unsigned int nr;

	sets(&nr);
	return nr + (t->own ? 1 : 0);
}

/* Number the groups in the order in which they begin, as CONFIG requires */
static void number_groups(struct top_set *set)
{
	struct kncpmu_set groups[KNC_PMU_MAX_SET];
	unsigned int of[KNC_PMU_MAX_SET], number[KNC_PMU_MAX_SET];
	unsigned int i, k, nr;

	nr = kncpmu_group(own_pmu(), set->items, set->nr, groups);
	for (i = 0; i < nr; i++) {
		number[i] = nr;
		for (k = 0; k < groups[i].nr; k++)
			of[groups[i].item[k]] = i;
	}
	set->nr_groups = 0;
	for (i = 0; i < set->nr; i++) {
		if (number[of[i]] == nr)
			number[of[i]] = set->nr_groups++;
		set->events[i] = set->items[i].event;
		set->events[i].group = number[of[i]];
	}
}

/* Find the event @name, with any modifiers; returns its index, or -1 */
static int find_event(const struct top_set *set, const char *name)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_find(own_pmu(), name);
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (set->events[i].event == KNC_PMU_EVENT_CODE(desc->event, desc->umask))
			return i;
	}
	return -1;
}

int top_parse_set(struct top_set *set, const char *text, struct kncpmu_error *err)
{
	const struct kncpmu_level *level = kncpmu_level_named(text);

	memset(set, 0, sizeof(*set));
	if (level) {
		top_level_set(set, level);
		return 0;
	}
	set->name = "chosen";
	if (kncpmu_list_parse(own_pmu(), text, set->items, &set->nr, KNC_PMU_MAX_SET, err))
		return -1;
	number_groups(set);
	set->instructions = find_event(set, own_pmu()->instructions);
	set->cycles = find_event(set, own_pmu()->cycles);
	return 0;
}

void top_get_set(const struct top *t, unsigned int index, struct top_set *set)
{
	const struct named_set *named;
	struct kncpmu_error err;
	unsigned int nr;

	if (t->own && !index) {
		*set = t->chosen;
		return;
	}
	if (t->own)
		index--;
	named = &sets(&nr)[index];
	top_parse_set(set, named->events, &err);
	set->name = named->name;
}

int top_user_only(struct top_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (!(set->events[i].flags & KNC_PMU_EVENT_USR))
			return 0;
		set->events[i].flags &= ~KNC_PMU_EVENT_OS;
	}
	return 1;
}
