// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl diff: what grew from one recording, or one count, to the next */
#include <stdio.h>
#include <string.h>

#include "diff/diff.h"
#include "profile/input.h"

enum diff_option {
	OPT_ORDER = OPT_BIN + 1
};

static const char * const usage[] = {
	"usage: knc-pmuctl diff [OPTIONS] [OLD NEW]",
	"",
	"Shows what grew and what shrank from one recording to the next: the functions, with their",
	"shares of the events, the difference in points of per cent and in events. Or compares",
	"two outputs of stat --json: counts and metrics. Without files: knc.data.old and knc.data.",
	"",
	"  --sort KEY[,KEY]...  group samples by symbol, dso (file), comm (name of the thread),",
	"                       pid, tid, cpu, event, srcline (default: symbol,dso)",
	"  --order share|events the rows with the largest difference of shares, or of events, first",
	"                       (default: share)",
	"  --percent-limit N    leave out rows of less than N percent in both",
	"  --json               print JSON (schema knc-pmuctl-diff/1)",
	"  -x SEP               print columns separated by SEP, for other programs",
	"  --flamegraph FILE    write a flame graph of NEW (SVG, for a browser): red is what grew,",
	"                       blue what shrank",
	"  --title TEXT         its title (default: the names of the files)",
	"",
	"Compare only samples of:",
	"  -e EVENT  --comm NAME  --dso NAME  -C CPUS",
	"",
	"  --sysroot DIR        look in DIR for the files of the recorded machine",
	NULL
};

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "comm", required_argument, NULL, OPT_COMM },
	{ "dso", required_argument, NULL, OPT_DSO },
	{ "sysroot", required_argument, NULL, OPT_SYSROOT },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "order", required_argument, NULL, OPT_ORDER },
	{ "percent-limit", required_argument, NULL, OPT_PERCENT_LIMIT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "flamegraph", required_argument, NULL, OPT_FLAMEGRAPH },
	{ "title", required_argument, NULL, OPT_TITLE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int take_order(const struct command *cmd, struct diff_opts *opts, const char *arg)
{
	opts->by_events = !strcmp(arg, "events");
	if (opts->by_events || !strcmp(arg, "share"))
		return 0;
	return usage_error(cmd, "can't order by '%s': there are share and events", arg);
}

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct diff_opts *opts = ctx;
	const struct option_field fields[] = {
		{ OPT_JSON, .flag = &opts->json },
		{ OPT_FLAMEGRAPH, .text = &opts->flamegraph },
		{ OPT_TITLE, .text = &opts->title },
	};
	int status = profile_option(cmd, &opts->common, opt, arg);

	if (status >= 0)
		return status;
	if (take_field(fields, ARRAY_SIZE(fields), opt, arg))
		return 0;
	switch (opt) {
	case OPT_SORT:
		return sort_parse(cmd, arg, &opts->hist);
	case OPT_ORDER:
		return take_order(cmd, opts, arg);
	case 'x':
		return take_separator(cmd, arg, &opts->csv);
	case OPT_PERCENT_LIMIT:
		return take_number(cmd, "percent limit", arg, 0, 100, &opts->hist.limit);
	}
	return 0;
}

static int take_files(const struct command *cmd, struct diff_opts *opts, int argc, char **argv)
{
	if (argc != optind && argc != optind + NR_SIDES)
		return usage_error(cmd, "%s: name the older file and the newer one",
				   argc > optind + NR_SIDES ? "there are more than two files" :
				   "there is one file");
	if (argc > optind) {
		opts->path[OLD] = argv[optind];
		opts->path[NEW] = argv[optind + 1];
	}
	if (opts->json && opts->csv)
		return usage_error(cmd, "--json and -x can't be printed at once: choose one");
	if (opts->title && !opts->flamegraph)
		return usage_error(cmd, "--title belongs to --flamegraph, which is missing");
	return 0;
}

static int diff_files(const struct command *cmd, struct diff_opts *opts)
{
	int recording[NR_SIDES], i;

	for (i = 0; i < NR_SIDES; i++) {
		opts->fd[i] = input_open(opts->path[i]);
		if (opts->fd[i] < 0)
			return CTL_FAILED;
		recording[i] = input_begins(opts->fd[i], DATA_MAGIC);
	}
	if (recording[OLD] != recording[NEW])
		return complain("%s is a recording, %s is none: both have to be recordings, or "
				"outputs of stat --json", opts->path[recording[OLD] ? OLD : NEW],
				opts->path[recording[OLD] ? NEW : OLD]);
	if (recording[OLD])
		return diff_recordings(opts);
	if (opts->flamegraph)
		return usage_error(cmd, "--flamegraph is for recordings, and %s is none",
				   opts->path[NEW]);
	return diff_counts(opts);
}

static int run_diff(const struct command *cmd, int argc, char **argv)
{
	struct diff_opts opts = {
		.common = PROFILE_OPTS,
		.path = { DATA_DEFAULT ".old", DATA_DEFAULT },
	};
	int status;

	opts.hist.keys[0] = SORT_SYMBOL;
	opts.hist.keys[1] = SORT_DSO;
	opts.hist.nr_keys = 2;
	if (parse_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	status = take_files(cmd, &opts, argc, argv);
	return status ? : diff_files(cmd, &opts);
}

const struct command diff_command = {
	.name = "diff",
	.summary = "what grew from one recording, or count, to the next",
	.usage = usage,
	.longs = options,
	.paged = 1,
	.run = run_diff,
};
