// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl list: the events that have names; metrics and groups (metric/show.c) */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <knc/arch_regs.h>
#include <knc/regs.h>
#include <pmus.h>

#include "cli/options.h"
#include "cli/pmu.h"
#include "cli/print.h"
#include "cmd/collect.h"
#include "metric/show.h"

#define NAME_COLUMN	43	/* fits the longest name of Knights Corner */
#define LEAST_NAME	20
#define COLUMNS_AFTER_NAME	37	/* width of unit, counters, scope, precision, kind */
#define MIN_TEXT	36	/* with less room the text gets a line of its own */

/**
 * struct list_opts - the command line
 * @filter: the events to be listed; its pattern is for metrics too
 * @raw: show raw codes
 * @json: print JSON
 * @levels: list levels
 * @collect: print in the format of Solaris Studio's collect -h
 * @metrics: list metrics
 * @groups: list groups of metrics
 * @files: additional files of metrics
 * @check: the file of metrics to be checked
 */
struct list_opts {
	struct event_filter filter;
	int raw;
	int json;
	int levels;
	int collect;
	int metrics;
	int groups;
	struct file_list files;
	const char *check;
};

static const char * const usage[] = {
	"usage: knc-pmuctl list [events] [PATTERN] [--pmu PMU] [--unit UNIT] [--raw | --json]",
	"       knc-pmuctl list --collect [PATTERN] [--pmu PMU] [--unit UNIT]",
	"       knc-pmuctl list metrics|groups [PATTERN] [--pmu PMU] [--metrics FILE] [--json]",
	"       knc-pmuctl list metrics --check FILE",
	"",
	"Lists the named events: name, unit, counters that can count it, scope, how the emulated",
	"card counts it, kind, description, the sources that document it, and the names that",
	"collect, perf and PAPI have for it. Or metrics: name, passes",
	"(runs that count its events exactly), unit, description, and source. Or groups of",
	"metrics. 'knc-pmuctl help NAME' has the full description of one of them.",
	"",
	"PATTERN: only those with PATTERN in their name or description, in any case; a raw code",
	"(r0016) finds its event, and so does the name of another tool, or the beginning of it",
	"(branch-misses, PAPI_L1).",
	NULL
};

static const char * const notes[] = {
	"scope: core: the same count on all threads of a core; thread: events of the hardware",
	"thread only; unknown: not documented. emulated: exact: as documented; modelled: by a rule",
	"of emulated-card.rst; no: never counted there. kind: cycles: it counts cycles; load,",
	"store, load-store: data accesses cause it; others: other cores do, whatever the program",
	"does; events: the rest.",
	NULL
};

static struct list_opts want;

static int take_unit(const struct command *cmd, const struct opt *o, const char *arg)
{
	unsigned int unit;

	for (unit = KNCPMU_UNIT_P54C; unit <= KNCPMU_UNIT_VPU; unit++) {
		if (!strcasecmp(arg, kncpmu_unit_name(unit)))
			return take_text(cmd, o, arg);
	}
	return usage_error(cmd, "unknown unit '%s': there are P54C, CRI and VPU", arg);
}

/* accept cmt too, which has levels in place of events */
static int take_any_pmu(const struct command *cmd, const struct opt *o, const char *arg)
{
	want.levels = !strcmp(arg, "cmt");
	return want.levels ? 0 : take_pmu(cmd, o, arg);
}

static const struct opt options[] = {
	{ 0, "pmu", "PMU", CALL(take_any_pmu, &want.filter.pmu),
	  "events or metrics of knc (Knights Corner), arch (a host with the architectural PMU), "
	  "westmere (one with its own events) or uncore (of a Westmere's packages), levels of cmt "
	  "(a host's cache monitoring); default: of this machine" },
	{ 0, "unit", "P54C|CRI|VPU", CALL(take_unit, &want.filter.unit),
	  "only events of P54C (core), CRI (L2 and ring) or VPU (vector)" },
	{ 0, "raw", NULL, FLAG(&want.raw), "also show the raw code, rUUEE, which stat -e accepts" },
	{ 0, "collect", NULL, FLAG(&want.collect),
	  "as collect -h of Solaris Studio lists them: defaults, how many events at once; for each "
	  "name [/COUNTER],<interval> (kind; intervals), which record -e takes" },
	{ 'j', "json", NULL, FLAG(&want.json),
	  "print JSON for programs (schemas knc-pmuctl-list/1, knc-pmuctl-metrics/1)" },
	{ 0, "metrics", "FILE", FILES(&want.files),
	  "also list metrics and groups of FILE; may be given more than once" },
	{ 0, "check", "FILE", TEXT(&want.check),
	  "check a file of metrics: names, units, events counted together" },
	END_OF_OPTIONS
};

/* Fixed counters, numbered from 32, are not part of "any" */
static const char *counters_text(const struct kncpmu_pmu *pmu, __u64 counters)
{
	__u64 all = pmu->counters & ((1ULL << ARCH_FIXED) - 1);

	if (counters >> ARCH_FIXED && !(counters & 1))
		return "f2";
	if (!(all & ~counters))
		return "any";
	return counters & 2 ? "0,1" : "0";
}

/* Print the last column, on a line of its own if the column is too narrow */
static void print_last(const char *text, unsigned int column, unsigned int width)
{
	if (width && width < column + MIN_TEXT) {
		column = 6;
		printf("\n%*s", (int)column, "");
	} else {
		putchar(' ');
		column++;
	}
	print_wrapped(stdout, text, column, width);
}

static int raw_column(const struct kncpmu_pmu *pmu)
{
	unsigned int i;
	char raw[RAW_TEXT];
	int column = 0;

	for (i = 0; i < pmu->nr_events; i++) {
		raw_text(&pmu->events[i], raw, sizeof(raw));
		if ((int)strlen(raw) > column)
			column = strlen(raw);
	}
	return column + 2;
}

/*
 * Make room for the longest name. Names with a second word are longer. The terminal may have less
 * room, especially beside raw codes.
 */
static int name_column(const struct list_opts *opts, unsigned int width)
{
	const struct kncpmu_pmu *pmu = &opts->filter.pmu;
	const struct kncpmu_event_desc *e;
	int column = NAME_COLUMN, most;

	for (e = pmu->events; e < pmu->events + pmu->nr_events; e++) {
		if (!e->extra && (int)strlen(e->name) > column)
			column = strlen(e->name);
	}
	most = (int)width - (opts->raw ? raw_column(pmu) : 0) - COLUMNS_AFTER_NAME;
	if (width && most < column)
		column = most > LEAST_NAME ? most : LEAST_NAME;
	return column;
}

static void print_head(const struct list_opts *opts, unsigned int width)
{
	unsigned int column = opts->raw ? printf("%-*s", raw_column(&opts->filter.pmu), "RAW") : 0;

	column += printf("%-*s UNIT CTR SCOPE   EMULATED KIND      ", name_column(opts, width),
			 "NAME");
	print_last("WHAT IT COUNTS [DOCUMENTED IN] OTHER NAMES", column, width);
}

/* The kinds of kncpmu_event_kind() in one word, because the column is narrow */
static const char *kind_text(const struct kncpmu_event_desc *e)
{
	static const char * const words[] = {
		[KNCPMU_CAUSE_ANY] = "events",
		[KNCPMU_CAUSE_LOAD] = "load",
		[KNCPMU_CAUSE_STORE] = "store",
		[KNCPMU_CAUSE_LOAD_STORE] = "load-store",
		[KNCPMU_CAUSE_OTHERS] = "others",
	};

	return e->rate == KNCPMU_RATE_CYCLES ? "cycles" : words[e->cause];
}

static void print_event(const struct list_opts *opts,
			const struct kncpmu_event_desc *e, unsigned int width)
{
	char raw[RAW_TEXT], sources[64], aliases[256], text[640];
	int names = name_column(opts, width);
	unsigned int column = 0;

	if (opts->raw) {
		raw_text(e, raw, sizeof(raw));
		column += printf("%-*s", raw_column(&opts->filter.pmu), raw);
	}
	/* continue on a new line after a name that is too long */
	if (width && (int)strlen(e->name) > names)
		printf("%s\n%*s", e->name, (int)column + names, "");
	else
		printf("%-*s", names, e->name);
	column += names;
	column += printf(" %-5s%-4s%-8s%-9s%-10s",
			 kncpmu_unit_name(e->unit), counters_text(&opts->filter.pmu, e->counters),
			 kncpmu_scope_name(e->scope), kncpmu_emulated_name(e->emulated),
			 kind_text(e));
	sources_text(e->sources, sources, sizeof(sources));
	aliases_text(&opts->filter.pmu, e, ~0U, aliases, sizeof(aliases));
	snprintf(text, sizeof(text), "%s [%s]%s%s", e->desc, sources, aliases[0] ? " " : "",
		 aliases);
	print_last(text, column, width);
}

static json_t *aliases_json(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *e)
{
	const struct kncpmu_alias *alias;
	json_t *array = json_array();
	unsigned int at = 0;

	while ((alias = next_alias(pmu, e, &at)))
		json_array_append_new(array, json_string(alias->name));
	return array;
}

static json_t *event_json(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *e)
{
	json_t *counters = json_array();
	struct knc_pmu_event event;
	unsigned int i;
	char raw[RAW_TEXT];

	for (i = 0; e->counters >> i; i++) {
		if (e->counters & pmu->counters & 1ULL << i)
			json_array_append_new(counters, json_integer(i));
	}
	raw_text(e, raw, sizeof(raw));
	event_of_desc(e, &event);
	return json_pack("{s:s, s:s, s:i, s:i, s:s, s:o, s:s, s:o, s:s, s:b, s:s, s:s, s:o, "
			 "s:{s:I, s:I, s:I}}",
			 "name", e->name, "raw", raw, "event", e->event,
			 "umask", e->umask, "unit", kncpmu_unit_name(e->unit),
			 "counters", counters, "scope", kncpmu_scope_name(e->scope),
			 "sources", sources_json(e->sources), "description", e->desc,
			 "emulated", e->emulated != KNCPMU_EMULATED_NONE,
			 "emulated_as", kncpmu_emulated_name(e->emulated),
			 "kind", kncpmu_event_kind(pmu, &event),
			 "aliases", aliases_json(pmu, e), "intervals",
			 "on", (json_int_t)named_interval(pmu, e, "on"),
			 "hi", (json_int_t)named_interval(pmu, e, "hi"),
			 "lo", (json_int_t)named_interval(pmu, e, "lo"));
}

static int nothing_found(const struct list_opts *opts)
{
	const struct kncpmu_event_desc *near;

	if (opts->filter.unit)
		return complain("no event of unit %s matches '%s': leave --unit or the pattern out",
				opts->filter.unit, opts->filter.pattern);
	if (kncpmu_event_nearest(&opts->filter.pmu, opts->filter.pattern, &near, 1))
		return complain("no event matches '%s': did you mean %s? (%s list shows all)",
				opts->filter.pattern, near->name, PROGRAM);
	return complain("no event matches '%s': leave the pattern out to see all",
			opts->filter.pattern);
}

/* Is @word equal to @what, or to its singular? */
static int is_word(const char *word, const char *what)
{
	return !strcmp(word, what) ||
	       (strlen(word) == strlen(what) - 1 && !strncmp(word, what, strlen(word)));
}

/* Take the operands: what to list, and a pattern */
static int take_operands(const struct command *cmd, struct list_opts *opts, int argc,
			 char **argv)
{
	int nr = 0;

	if (nr < argc) {
		opts->metrics = is_word(argv[nr], "metrics");
		opts->groups = is_word(argv[nr], "groups");
		if (opts->metrics || opts->groups || is_word(argv[nr], "events"))
			nr++;
	}
	if (nr < argc)
		opts->filter.pattern = argv[nr++];
	if (nr < argc)
		return usage_error(cmd, "list takes one pattern, and '%s' is another: leave it out",
				   argv[nr]);
	if ((opts->metrics || opts->groups) && (opts->filter.unit || opts->raw || opts->collect))
		return usage_error(cmd,
				   "--unit, --raw and --collect are for events: leave them out");
	if (opts->levels && (opts->filter.unit || opts->filter.pattern || opts->raw ||
			     opts->collect || opts->metrics || opts->groups))
		return usage_error(cmd,
				   "--pmu cmt lists levels: leave pattern, metrics, groups, --unit, --raw and --collect out");
	if (opts->collect && (opts->raw || opts->json))
		return usage_error(cmd,
				   "--collect has a format of its own: leave --raw and --json out");
	if (!opts->metrics && !opts->groups && (opts->files.nr || opts->check))
		return usage_error(cmd,
				   "--metrics and --check are for metrics: write 'list metrics'");
	return 0;
}

static int list_events(const struct list_opts *opts)
{
	const struct kncpmu_pmu *pmu = &opts->filter.pmu;
	const struct kncpmu_event_desc *table = pmu->events;
	unsigned int i, found = 0, width = terminal_width(stdout);
	json_t *array;

	array = json_array();
	for (i = 0; i < pmu->nr_events; i++) {
		if (!event_passes(&opts->filter, &table[i]))
			continue;
		if (!found++ && opts->collect) {
			list_collect(&opts->filter);
			break;
		}
		if (found == 1 && !opts->json)
			print_head(opts, width);
		if (opts->json)
			json_array_append_new(array, event_json(pmu, &table[i]));
		else
			print_event(opts, &table[i], width);
	}
	if (!found) {
		json_decref(array);
		return nothing_found(opts);
	}
	if (opts->json)
		return print_json(stdout, json_pack("{s:s, s:o}", "schema",
						    "knc-pmuctl-list/1", "events", array),
				  JSON_INDENT(1));
	json_decref(array);
	return CTL_OK;
}

static int list_levels(const struct list_opts *opts)
{
	const struct kncpmu_level *levels;
	json_t *array = json_array();
	unsigned int i, nr;

	levels = kncpmu_levels(&nr);
	for (i = 0; i < nr; i++) {
		json_array_append_new(array, json_pack("{s:s, s:s}", "name", levels[i].name,
						       "description", levels[i].desc));
		if (!opts->json)
			printf("%s  %s\n", levels[i].name, levels[i].desc);
	}
	if (opts->json)
		return print_json(stdout, json_pack("{s:s, s:o}", "schema", "knc-pmuctl-list/1",
						    "levels", array), JSON_INDENT(1));
	json_decref(array);
	return CTL_OK;
}

static int run_list(const struct command *cmd, int argc, char **argv)
{
	int status = take_operands(cmd, &want, argc, argv);

	if (status)
		return status;
	if (!want.filter.pmu.name)
		want.filter.pmu = *own_pmu();
	if (want.check)
		return metric_check(want.check);
	if (want.metrics || want.groups)
		return metric_list(&want.filter.pmu, want.groups, want.filter.pattern,
				   want.files.path, want.files.nr, want.json);
	return want.levels ? list_levels(&want) : list_events(&want);
}

const struct command list_command = {
	.name = "list",
	.summary = "named events, metrics, groups of metrics",
	.usage = usage,
	.options = options,
	.notes = notes,
	.operands = 1,
	.paged = 1,
	.far = 1,
	.run = run_list,
};
