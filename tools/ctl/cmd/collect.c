// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl list --collect: the events, the defaults and the counters as collect -h shows them */
#include <stdio.h>
#include <string.h>

#include "cmd/collect.h"
#include "record/record.h"
#include "stat/events.h"

#define INDENT	"    "

/* Print "[/{0|1}]", "[/0]", or nothing if no counter of @counters can be chosen */
static void print_counters(const struct kncpmu_pmu *pmu, __u64 counters)
{
	const char *before, *after;
	unsigned int i;

	counters &= (1ULL << pmu->nr_general) - 1;
	before = counters & (counters - 1) ? "[/{" : "[/";
	after = counters & (counters - 1) ? "}]" : "]";
	for (i = 0; counters >> i; i++) {
		if (!(counters & 1ULL << i))
			continue;
		printf("%s%u", before, i);
		before = "|";
	}
	printf("%s", counters ? after : "");
}

/* Print the rest of an event's line: everything between its name and the bracket */
static void print_rest(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *desc)
{
	struct knc_pmu_event event;
	char intervals[96];

	event_of_desc(desc, &event);
	intervals_text(pmu, desc, intervals, sizeof(intervals));
	printf("%s; %s)\n", kncpmu_event_kind(pmu, &event), intervals);
}

static void print_alias(const struct kncpmu_pmu *pmu, const struct kncpmu_alias *alias,
			const struct kncpmu_event_desc *desc)
{
	unsigned int bit;

	printf(INDENT "%s", alias->name);
	print_counters(pmu, desc->counters);
	printf(",<interval> (");
	if (alias->title)
		printf("`%s', ", alias->title);
	for (bit = 0; kncpmu_tool_name(bit) && !alias->title; bit++) {
		if (alias->tools & 1U << bit)
			printf("%s, ", kncpmu_tool_name(bit));
	}
	printf("alias for %s; ", desc->name);
	print_rest(pmu, desc);
}

static void print_aliases(const struct event_filter *filter)
{
	const struct kncpmu_event_desc *desc;
	const struct kncpmu_alias *aliases;
	unsigned int i, nr;

	printf("\nAliased HW counters available for profiling:\n");
	aliases = kncpmu_aliases(&filter->pmu, &nr);
	for (i = 0; i < nr; i++) {
		desc = kncpmu_event_find(&filter->pmu, aliases[i].event);
		if (event_passes(filter, desc))
			print_alias(&filter->pmu, &aliases[i], desc);
	}
}

static void print_raw(const struct event_filter *filter)
{
	const struct kncpmu_event_desc *events = filter->pmu.events;
	unsigned int i;

	printf("\nRaw HW counters available for profiling:\n");
	for (i = 0; i < filter->pmu.nr_events; i++) {
		if (!event_passes(filter, &events[i]))
			continue;
		printf(INDENT "%s", events[i].name);
		print_counters(&filter->pmu, events[i].counters);
		printf(",<interval> (");
		print_rest(&filter->pmu, &events[i]);
	}
}

void list_collect(const struct event_filter *filter)
{
	const struct kncpmu_pmu *pmu = &filter->pmu;
	const struct stat_defaults *d = stat_defaults(pmu);

	printf("PMU %s: %u counters on each hardware thread, %u events at the same time.\n"
	       "stat counts up to %d events, in turns; record samples up to %d.\n\n"
	       "Default events:\n"
	       INDENT "stat COMMAND, -p, -t    %s\n"
	       INDENT "stat -C, -a             %s\n"
	       INDENT "record                  %s,%s\n"
	       INDENT "record --tbs            %s,%s\n\n"
	       "<interval>: on (the default), hi, lo, a number of events, or N/s: samples a second.\n"
	       "on, hi and lo are slowed to 2000, 20000 and 200 samples a second of a thread.\n"
	       "A raw code is rUUEE",
	       pmu->name, pmu->nr_counters, pmu->nr_counters, KNC_PMU_MAX_SET,
	       pmu->nr_counters, d->tasks, d->cpus,
	       pmu->instructions, RECORD_PERIOD, pmu->cycles, pmu->instructions);
	print_counters(pmu, pmu->counters);
	printf(", unit mask and event select.\n");
	print_aliases(filter);
	print_raw(filter);
}
