// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl report: the functions and files of a recording, with their shares of the events */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/print.h"
#include "profile/annotate.h"
#include "profile/input.h"
#include "profile/page.h"
#include "profile/pictures.h"
#include "profile/slices.h"

#define PAGE_BINS	250		/* most bins of a timeline in a page */
#define MIN_BIN		1000000ULL	/* the shortest bin of a timeline in a page, ns */

/**
 * struct report_opts - the command line
 * @common: the options of all commands
 * @hist: options of the tables
 * @graph: print the call tree too
 * @json: print the tables as JSON
 * @folded: print folded stacks instead
 * @per_thread: speedscope: a profile for each thread
 * @annotate: print the lines of this function instead; NULL: none
 * @html: file for a page; NULL: none
 * @flamegraph: file for a flame graph; NULL: none
 * @speedscope: file for speedscope; NULL: none
 * @title: of the page and the flame graph; NULL: the command
 */
static struct report_opts {
	struct profile_opts common;
	struct hist_opts hist;
	int graph;
	int json;
	int folded;
	int per_thread;
	const char *annotate;
	const char *html;
	const char *flamegraph;
	const char *speedscope;
	const char *title;
} want = { .common = PROFILE_OPTS, .hist = { DEFAULT_SORT } };

/**
 * struct views - the outputs of a report
 * @p: the profile
 * @opts: the command line
 * @hist: tables; NULL: not wanted
 * @tables: print them
 * @stacks: stacks, by event
 * @want_stacks: they are wanted
 * @speedscope: file for speedscope; NULL: not wanted
 * @annotation: lines of a function; NULL: not wanted
 * @slices: sums of slices of time, for a page; NULL: not wanted
 */
struct views {
	struct profile p;
	const struct report_opts *opts;
	struct histogram *hist;
	int tables;
	struct stacks stacks[DATA_EVENTS];
	int want_stacks;
	struct speedscope *speedscope;
	struct annotation *annotation;
	struct slices *slices;
};

static const char * const usage[] = {
	"usage: knc-pmuctl report [OPTIONS]",
	"",
	"Shows the functions of a recording, each with its share of the events. A sample counts",
	"with the number of events that it stands for.",
	NULL
};

static int ignore(const struct command *cmd, const struct opt *o, const char *arg)
{
	return 0;
}

static const struct opt options[] = {
	INPUT_OPTION(want.common),
	SORT_OPTION(&want.hist),
	{ 0, "children", NULL, FLAG(&want.hist.children),
	  "the rows with the largest total first: with what they called" },
	{ 0, "no-children", NULL, OFF(&want.hist.children),
	  "the rows with the largest share of their own first (the default)" },
	{ 'n', "samples", NULL, FLAG(&want.hist.samples), "also show the numbers of samples" },
	LIMIT_OPTION(&want.hist, ""),
	{ 0, "latency", NULL, FLAG(&want.common.latency),
	  "show where the time of the whole program goes: an event counts as 1/N where N of its threads "
	  "ran, as record --off-cpu knows" },
	{ 'g', "call-graph", NULL, FLAG(&want.graph),
	  "also show the call tree, if there are call chains" },
	{ 0, "annotate", "SYMBOL", TEXT(&want.annotate),
	  "show the source lines of a function, or its instructions if there are none. Without "
	  "namespace and class, or a part of the name: if only one function with samples has it" },
	JSON_OPTION(&want.json, "report"),
	{ 0, "folded", NULL, FLAG(&want.folded),
	  "print folded stacks, a line each, for other tools" },
	{ 0, "html", "FILE", TEXT(&want.html),
	  "write a page for a browser: metrics, functions, flame graph, timeline" },
	{ 0, "flamegraph", "FILE", TEXT(&want.flamegraph),
	  "write a flame graph (SVG, for a browser)" },
	{ 0, "title", "TEXT", TEXT(&want.title),
	  "title of the page and the flame graph (default: the command)" },
	{ 0, "speedscope", "FILE", TEXT(&want.speedscope),
	  "write a file for https://www.speedscope.app" },
	{ 0, "per-thread", NULL, FLAG(&want.per_thread),
	  "with --speedscope: write a profile for each thread" },
	{ 0, "stdio", NULL, CALL(ignore, NULL), "no effect, accepted as perf has it" },
	SYSROOT_OPTION(want.common),
	HEADING("Show only samples of:"),
	FILTER_OPTIONS(want.common),
	END_OF_OPTIONS
};

static void take_sample(void *ctx, const struct sample *s)
{
	struct views *v = ctx;
	struct node *ends[NR_VIEWS];

	if (v->hist)
		histogram_add(v->hist, s);
	if (v->annotation)
		annotation_add(v->annotation, s);
	if (!v->want_stacks)
		return;
	stacks_add(&v->stacks[s->event], v->p.symbols, s, v->opts->flamegraph || v->opts->html,
		   ends);
	if (v->slices)
		slices_add(v->slices, s, ends);
	if (v->speedscope)
		speedscope_add(v->speedscope, s, ends[VIEW_CALLS]);
}

static struct calltree *calls(struct views *v, unsigned int event)
{
	return &v->stacks[event].views[VIEW_CALLS];
}

static void print_table(struct views *v, unsigned int event)
{
	const struct profile *p = &v->p;
	char sum[256], missing[256];

	profile_sum(p, event, sum, sizeof(sum));
	printf("\n%s\n", sum);
	if (p->file.events[event].by_others)
		printf("%s\n", profile_others_text);
	profile_missing(p, event, missing, sizeof(missing));
	if (*missing)
		printf("%s\n", missing);
	if (*profile_mark(p, event))
		puts("~: share of the events in samples; of all it may be another: "
		     "take fewer samples (-c)");
	if (*profile_few(p, event))
		printf("%s\n", profile_few(p, event));
	if (!p->nr[event])
		return;
	putchar('\n');
	histogram_print(v->hist, stdout, event);
	if (!v->opts->graph)
		return;
	printf("\nby call, %s\n\n", p->file.chains ? "outermost first" :
	       "without call chains: the recording has none (record -g)");
	calltree_sort(calls(v, event), 1);
	calltree_print(calls(v, event), stdout, v->opts->hist.limit, profile_mark(p, event));
}

static int print_tables(struct views *v)
{
	unsigned int i;

	profile_heading(&v->p, stdout, "");
	for (i = 0; i < v->p.file.nr_events; i++) {
		if (profile_wants(&v->p, i))
			print_table(v, i);
	}
	return CTL_OK;
}

static json_t *table_json(struct views *v, unsigned int event)
{
	const struct profile *p = &v->p;
	const struct data_event *e = &p->file.events[event];

	return json_pack("{s:s, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}",
			 "event", e->spec,
			 "period", (json_int_t)e->period, "freq", (json_int_t)e->freq,
			 "stand_in", e->stand_in,
			 "samples", (json_int_t)p->nr[event],
			 "events", (json_int_t)p->weight[event],
			 "all_samples", (json_int_t)p->all_nr[event],
			 "all_events", (json_int_t)p->all_weight[event],
			 "lost_events", (json_int_t)p->file.sums.lost_events[event],
			 "unsampled", (json_int_t)p->file.sums.unsampled[event],
			 "sampled_percent", profile_sampled(p, event),
			 "rows", histogram_json(v->hist, event));
}

/* The ranks in a file of merge, with their hosts and losses */
static json_t *ranks_json(const struct data_file *f)
{
	json_t *array = json_array();
	const struct data_rank *rank;
	unsigned long long samples;
	json_t *object;
	unsigned int i;

	for (rank = f->ranks; rank < f->ranks + f->nr_ranks; rank++) {
		for (samples = rank->sums.times, i = 0; i < f->nr_events; i++)
			samples += rank->sums.samples[i];
		object = json_pack("{s:I, s:s, s:I, s:I, s:I}", "rank", (json_int_t)rank->rank,
				   "host", data_host(f, rank - f->ranks),
				   "samples", (json_int_t)samples,
				   "lost", (json_int_t)rank->sums.lost,
				   "throttles", (json_int_t)rank->sums.throttles);
		json_array_append_new(array, object);
	}
	return array;
}

static int print_tables_json(struct views *v)
{
	json_t *array = json_array();
	const char *command = data_command(&v->p.file);
	json_t *object;
	unsigned int i;

	for (i = 0; i < v->p.file.nr_events; i++) {
		if (profile_wants(&v->p, i))
			json_array_append_new(array, table_json(v, i));
	}
	object = json_pack("{s:s, s:s?, s:I, s:I, s:o}", "schema", "knc-pmuctl-report/1",
			   "command", command, "lost", (json_int_t)v->p.file.sums.lost,
			   "throttles", (json_int_t)v->p.file.sums.throttles, "events", array);
	if (v->p.file.merged)
		json_object_set_new(object, "ranks", ranks_json(&v->p.file));
	return print_json(stdout, object, JSON_INDENT(1));
}

/* The event for outputs of only one: that of -e, or the first one with samples */
static unsigned int one_event(const struct views *v)
{
	unsigned int i, chosen = 0;

	for (i = v->p.file.nr_events; i-- > 0;) {
		if (profile_wants(&v->p, i) && (v->p.nr[i] || v->p.opts->event))
			chosen = i;
	}
	return chosen;
}

static int print_folded(struct views *v)
{
	struct calltree *t = calls(v, one_event(v));

	calltree_sort(t, 0);
	calltree_folded(t, stdout);
	return CTL_OK;
}

static const char *title(const struct views *v)
{
	return intern_text(v->opts->title ? : profile_title(&v->p));
}

static int write_flamegraph(struct views *v)
{
	FILE *f = fopen(v->opts->flamegraph, "we");
	unsigned int event = one_event(v);
	const struct flamegraph graph = {
		.p = &v->p,
		.event = event,
		.stacks = &v->stacks[event],
		.title = title(v),
	};

	if (!f)
		return cant_write(v->opts->flamegraph, errno, "--flamegraph");
	if (!v->p.file.chains)
		complain("warning: the recording has no call chains: the flame graph shows "
			 "single functions, without their callers; record with -g");
	stacks_sort(&v->stacks[event]);
	flamegraph_write(&graph, f);
	return close_output(f, v->opts->flamegraph);
}

/* The length of a bin of a page's timeline */
static unsigned long long bin_of_page(const struct data_file *f)
{
	unsigned long long ended =
		json_integer_value(json_object_get(f->end, "ended_ns"));
	unsigned long long bin = ended > f->started ? (ended - f->started) / PAGE_BINS : 0;

	return bin > MIN_BIN ? bin : MIN_BIN;
}

static int write_page(struct views *v, const struct timeline *timeline, const struct metrics *ms)
{
	struct page page = {
		.p = &v->p,
		.title = title(v),
		.hist = v->hist,
		.hist_opts = &v->opts->hist,
		.stacks = v->stacks,
		.timeline = timeline,
		.ms = ms,
	};
	FILE *f = fopen(v->opts->html, "we");
	unsigned int i;

	if (!f)
		return cant_write(v->opts->html, errno, "--html");
	for (i = 0; i < v->p.file.nr_events; i++)
		stacks_sort(&v->stacks[i]);
	page.slice = slices_end(v->slices, v->stacks, flamegraph_draws);
	page.slices = page.slice ? v->slices : NULL;
	page_write(&page, f);
	return close_output(f, v->opts->html);
}

static int write_html(struct views *v)
{
	struct metrics *ms = metrics_get(&v->p.file.pmu, NULL, 0);
	struct timeline t;
	int status;

	if (!ms)
		return CTL_FAILED;
	status = timeline_read(&t, &v->p, bin_of_page(&v->p.file));
	if (!status)
		status = write_page(v, &t, ms);
	timeline_free(&t);
	metrics_free(ms);
	return status;
}

static int write_speedscope(struct views *v)
{
	FILE *f = fopen(v->opts->speedscope, "we");

	if (!f)
		return cant_write(v->opts->speedscope, errno, "--speedscope");
	speedscope_write(v->speedscope, f);
	return close_output(f, v->opts->speedscope);
}

static int show(struct views *v)
{
	const struct report_opts *o = v->opts;
	int status = CTL_OK;

	if (o->html)
		status = write_html(v);
	if (!status && o->flamegraph)
		status = write_flamegraph(v);
	if (!status && o->speedscope)
		status = write_speedscope(v);
	if (status)
		return status;
	if (o->folded)
		return print_folded(v);
	if (v->annotation)
		return annotation_print(v->annotation, stdout);
	if (!v->tables)
		return CTL_OK;
	return o->json ? print_tables_json(v) : print_tables(v);
}

static void prepare(struct views *v)
{
	const struct report_opts *o = v->opts;

	v->want_stacks = o->graph || o->folded || o->html || o->flamegraph || o->speedscope;
	v->tables = !o->annotate && !o->folded &&
		    (o->json || (!o->html && !o->flamegraph && !o->speedscope));
	if (o->speedscope)
		v->speedscope = speedscope_new(&v->p, o->per_thread);
	if (o->annotate)
		v->annotation = annotation_new(&v->p, o->annotate);
	if (v->tables || o->html)
		v->hist = histogram_new(&v->p, &o->hist);
	if (!o->html)
		return;
	v->slices = slices_new(&v->p);
	histogram_slices(v->hist, v->slices);
}

static void views_free(struct views *v)
{
	unsigned int i;

	if (v->hist)
		histogram_free(v->hist);
	if (v->annotation)
		annotation_free(v->annotation);
	if (v->speedscope)
		speedscope_free(v->speedscope);
	if (v->slices)
		slices_free(v->slices);
	for (i = 0; i < DATA_EVENTS; i++)
		stacks_free(&v->stacks[i]);
}

static int report(struct views *v)
{
	static const struct profile_visitor visitor = { .sample = take_sample };
	int status;

	prepare(v);
	status = profile_walk(&v->p, &visitor, v);
	if (!status)
		status = show(v);
	return status ? : profile_status(&v->p);
}

static int check_options(const struct command *cmd, const struct report_opts *o)
{
	if (!!o->folded + !!o->annotate + !!o->json > 1)
		return usage_error(cmd,
				   "--folded, --annotate and --json can't be shown at once: choose one");
	if (o->per_thread && !o->speedscope)
		return usage_error(cmd, "--per-thread belongs to --speedscope, which is missing");
	if (o->common.latency && (o->html || o->speedscope))
		return usage_error(cmd, "--latency is for tables, stacks and flame graphs, not for "
				   "--html and --speedscope");
	if (o->title && !o->flamegraph && !o->html)
		return usage_error(cmd,
				   "--title belongs to --html or --flamegraph: give one of them");
	return 0;
}

static int run_report(const struct command *cmd, int argc, char **argv)
{
	struct views v = { .opts = &want };
	int status = check_options(cmd, &want);

	if (status)
		return status;
	want.common.parallelism = hist_has_key(&want.hist, SORT_PARALLELISM);
	want.common.regions = hist_has_key(&want.hist, SORT_REGION);
	status = profile_open(&v.p, &want.common, input_open(want.common.input));
	if (!status)
		status = report(&v);
	views_free(&v);
	profile_close(&v.p);
	return status;
}

const struct command report_command = {
	.name = "report",
	.summary = "where the events of a recording were",
	.usage = usage,
	.options = options,
	.paged = 1,
	.run = run_report,
};
