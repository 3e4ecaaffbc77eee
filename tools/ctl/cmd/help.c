// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl help METRIC, GROUP or EVENT: a full description */
#include <stdio.h>
#include <string.h>

#include <knc/arch_regs.h>
#include <pmus.h>

#include "cli/event.h"
#include "cli/options.h"
#include "cli/pmu.h"
#include "cli/print.h"
#include "cmd/events.h"
#include "metric/passes.h"
#include "metric/show.h"

#define COLUMN	13	/* column in which the texts of fields begin */

static const char *file;

static const char * const usage[] = {
	"usage: knc-pmuctl help [COMMAND | METRIC | GROUP | EVENT] [--pmu PMU] [--metrics FILE]",
	"",
	"Prints the list of commands; the options of COMMAND; or the full description of a",
	"metric, a group of metrics or an event, of each that has this name.",
	NULL
};

static int take_file(const struct command *cmd, const struct opt *o, const char *arg)
{
	if (file)
		return usage_error(NULL, "--metrics is given twice: give one file");
	return take_text(cmd, o, arg);
}

/* The PMU of --pmu */
static struct kncpmu_pmu pmu;

static const struct opt options[] = {
	{ 0, "pmu", "PMU", CALL(take_pmu, &pmu),
	  "look among those of knc, arch, westmere or uncore ('knc-pmuctl list' explains these); "
	  "default: of this machine" },
	{ 0, "metrics", "FILE", CALL(take_file, &file),
	  "also look in FILE for metrics and groups" },
	END_OF_OPTIONS
};

static void print_field(const char *name, const char *text)
{
	printf("  %-*s", COLUMN - 2, name);
	print_wrapped(stdout, text, COLUMN, terminal_width(stdout));
}

static const char *scope_text(const struct kncpmu_item *item)
{
	const struct kncpmu_event_desc *desc;

	if (kncpmu_event_core_wide(&pmu, &item->event))
		return "core-wide, counted once for each core";
	desc = kncpmu_event_of(&pmu, &item->event);
	if (desc && desc->scope == KNCPMU_SCOPE_THREAD)
		return "the hardware thread's own";
	if (desc && desc->scope == KNCPMU_SCOPE_PACKAGE)
		return "of the whole package";
	return "scope not documented";
}

/* Counters that can count an event, as text; fixed counters have the numbers 32 and up */
static const char *counters_text(__u64 counters)
{
	__u64 general = pmu.counters & ((1ULL << ARCH_FIXED) - 1);
	static char text[32];

	counters &= pmu.counters;
	if (!(counters & general))
		return counters ? "a fixed counter only" : "none of this CPU's counters";
	if (!(counters & (counters - 1))) {
		snprintf(text, sizeof(text), "counter %d only", __builtin_ctzll(counters));
		return text;
	}
	if (!is_host(&pmu))
		return "either counter";
	return general & ~counters ? "counters 0 and 1 only" : "any counter";
}

/* Print the PMU of an event; not on a card, which has only one */
static void print_pmu(void)
{
	if (is_host(&pmu))
		print_field("pmu", pmu.name);
}

static void print_events(const struct metrics *ms, const unsigned int *events,
			 unsigned int nr)
{
	const struct kncpmu_event_desc *desc;
	const struct kncpmu_item *item;
	unsigned int i;
	char text[256];

	for (i = 0; i < nr; i++) {
		item = &ms->items[events[i]];
		desc = kncpmu_event_of(&pmu, &item->event);
		snprintf(text, sizeof(text), "%s: %s, %s", item->name,
			 counters_text(item->event.counters ? item->event.counters :
				       desc ? desc->counters : ~0ULL), scope_text(item));
		print_field(i ? "" : "events", text);
	}
}

static void print_passes(const struct metrics *ms, const unsigned int *events,
			 unsigned int nr_events, unsigned int nr)
{
	char passes[1024], text[1100];

	metric_passes_text(ms, events, nr_events, passes, sizeof(passes));
	snprintf(text, sizeof(text), "%u: %s", nr, passes);
	print_field("passes", text);
}

static void print_limits(const struct metric *m, int good)
{
	const char *name = good ? "good" : "bad";
	const struct metric_limit *limit;
	char range[128], text[1024];
	unsigned int i;

	for (i = 0; i < m->nr_limits; i++) {
		limit = &m->limits[i];
		if (limit->good != good)
			continue;
		metric_limit_text(limit, range, sizeof(range));
		snprintf(text, sizeof(text), "%s: %s [%s%s]", range, limit->says,
			 limit->source, limit->unverified ? ", unverified" : "");
		print_field(name, text);
		name = "";
	}
}

static void print_metric(const struct metrics *ms, const struct metric *m)
{
	char text[512];

	printf("metric %s: %s\n", m->name, m->title);
	print_pmu();
	print_field("formula", m->formula);
	print_field("unit", m->unit_text);
	if (m->says)
		print_field("says", m->says);
	print_limits(m, 1);
	print_limits(m, 0);
	if (!m->nr_limits)
		print_field("good, bad", "no source gives limits");
	print_events(ms, m->events, m->nr_events);
	print_passes(ms, m->events, m->nr_events, m->passes);
	snprintf(text, sizeof(text), "%s%s", m->source,
		 m->unverified ? " (unverified: the formula was not checked against it)" : "");
	print_field("source", text);
	print_field("file", m->file);
}

static void print_group(const struct metrics *ms, const struct metric_group *g)
{
	const struct metric *m;
	unsigned int i;
	char text[512];

	printf("group %s: %s\n", g->name, g->title);
	print_pmu();
	for (i = 0; i < g->nr_metrics; i++) {
		m = &ms->metrics[g->metrics[i]];
		snprintf(text, sizeof(text), "%s: %s%s", m->name,
			 m->unverified ? "unverified: " : "", m->title);
		print_field(i ? "" : "metrics", text);
	}
	print_events(ms, g->events, g->nr_events);
	print_passes(ms, g->events, g->nr_events, g->passes);
	print_field("file", g->file);
}

static int uses(const struct metrics *ms, const struct metric *m,
		const struct kncpmu_event_desc *desc)
{
	const struct knc_pmu_event *event;
	unsigned int i;

	for (i = 0; i < m->nr_events; i++) {
		event = &ms->items[m->events[i]].event;
		if (event->event == KNC_PMU_EVENT_CODE(desc->event, desc->umask))
			return 1;
	}
	return 0;
}

static const char * const emulated_texts[] = {
	[KNCPMU_EMULATED_NONE] = "no: the emulated %s never counts it",
	[KNCPMU_EMULATED_EXACT] = "exact: the emulated %s counts it",
	[KNCPMU_EMULATED_MODELLED] =
		"modelled: the emulated %s counts it by a rule, which emulated-card.rst has",
	[KNCPMU_EMULATED_VECTOR] =
		"modelled: the emulated %s counts it by a rule, of vector instructions; with knc-vm --vpu-stand-in of packed SSE operations as well",
};

static void print_names(const struct kncpmu_event_desc *desc)
{
	char field[32], text[512];
	unsigned int bit;

	for (bit = 0; kncpmu_tool_name(bit); bit++) {
		aliases_text(&pmu, desc, 1U << bit, text, sizeof(text));
		snprintf(field, sizeof(field), "in %s", kncpmu_tool_name(bit));
		if (text[0])
			print_field(field, text);
	}
}

static void print_kind(const struct kncpmu_event_desc *desc)
{
	struct knc_pmu_event event;
	char text[96];

	event_of_desc(desc, &event);
	print_field("kind", kncpmu_event_kind(&pmu, &event));
	intervals_text(&pmu, desc, text, sizeof(text));
	print_field("intervals", text);
}

static void print_event(const struct metrics *ms, const struct kncpmu_event_desc *desc)
{
	char text[1024];
	unsigned int i;
	size_t len = 0;

	printf("event %s: %s\n", desc->name, desc->desc);
	print_pmu();
	snprintf(text, sizeof(text), "r%02x%02x (event 0x%02x, unit mask 0x%02x)", desc->umask,
		 desc->event, desc->event, desc->umask);
	print_field("code", text);
	print_field("unit", kncpmu_unit_name(desc->unit));
	print_field("counters", counters_text(desc->counters));
	print_field("scope", kncpmu_scope_name(desc->scope));
	print_kind(desc);
	snprintf(text, sizeof(text), emulated_texts[desc->emulated],
		 is_host(&pmu) ? "host" : "card");
	print_field("emulated", text);
	sources_text(desc->sources, text, sizeof(text));
	print_field("source", text);
	print_names(desc);
	text[0] = '\0';
	for (i = 0; i < ms->nr_metrics && len < sizeof(text); i++) {
		if (uses(ms, &ms->metrics[i], desc))
			len += snprintf(text + len, sizeof(text) - len, "%s%s", len ? ", " : "",
					ms->metrics[i].name);
	}
	print_field("metrics", len ? text : "none");
}

/* Describe everything that has the name @name; returns 0 if nothing has */
static int print_all(const struct metrics *ms, const char *name)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_named(&pmu, name);
	const struct metric_group *g = metric_group_find(ms, name);
	const struct metric *m = metric_find(ms, name);

	if (m)
		print_metric(ms, m);
	if (m && g)
		putchar('\n');
	if (g)
		print_group(ms, g);
	if (desc && (m || g))
		putchar('\n');
	if (desc)
		print_event(ms, desc);
	return m || g || desc;
}

static int unknown_name(const struct metrics *ms, const char *name)
{
	char near[256];

	if (!metric_suggest_uncore(&pmu, name, near, sizeof(near)) &&
	    !metric_suggest(ms, name, near, sizeof(near)) &&
	    !metric_group_suggest(ms, name, near, sizeof(near)))
		snprintf(near, sizeof(near), " see: %s help, list, list metrics, list groups",
			 PROGRAM);
	complain("unknown command '%s', and there is no such metric, group or event:%s", name,
		 near);
	return CTL_USAGE;
}

static int run_help(const struct command *cmd, int argc, char **argv)
{
	struct metrics *ms;
	int status;

	if (!argc)
		return usage_error(NULL, "help needs a name: that of a metric, a group or an "
					 "event");
	if (argc > 1)
		return usage_error(NULL, "help takes one name, and '%s' is another: leave it out",
				   argv[1]);
	if (!pmu.name)
		pmu = *own_pmu();
	ms = metrics_get(&pmu, &file, file ? 1 : 0);
	if (!ms)
		return CTL_FAILED;
	status = print_all(ms, argv[0]) ? CTL_OK : unknown_name(ms, argv[0]);
	metrics_free(ms);
	return status;
}

const struct command help_command = {
	.name = "help",
	.summary = "this text, or the description of a command, metric, group or event",
	.usage = usage,
	.options = options,
	.operands = 1,
	.run = run_help,
};
