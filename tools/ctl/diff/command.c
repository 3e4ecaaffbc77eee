// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl diff: what grew from one recording, or one count, to the next */
#include <stdio.h>
#include <string.h>

#include "diff/diff.h"
#include "profile/input.h"

static struct diff_opts want = {
	.common = PROFILE_OPTS,
	.hist = { DEFAULT_SORT },
	.path = { DATA_DEFAULT ".old", DATA_DEFAULT },
};

static const char * const usage[] = {
	"usage: knc-pmuctl diff [OPTIONS] [OLD NEW]",
	"",
	"Shows what grew and what shrank from one recording to the next: the functions, with their",
	"shares of the events, the difference in points of per cent and in events. Or compares",
	"two outputs of stat --json: counts and metrics. Without files: knc.data.old and knc.data.",
	NULL
};

static int take_order(const struct command *cmd, const struct opt *o, const char *arg)
{
	want.by_events = !strcmp(arg, "events");
	if (want.by_events || !strcmp(arg, "share"))
		return 0;
	return usage_error(cmd, "can't order by '%s': there are share and events", arg);
}

static const struct opt options[] = {
	SORT_OPTION(&want.hist),
	{ 0, "order", "share|events", CALL(take_order, NULL),
	  "the rows with the largest difference of shares, or of events, first (default: share)" },
	LIMIT_OPTION(&want.hist, " in both"),
	JSON_OPTION(&want.json, "diff"),
	{ 'x', "field-separator", "SEP", SEPARATOR(&want.csv),
	  "print columns separated by SEP, for other programs" },
	{ 0, "flamegraph", "FILE", TEXT(&want.flamegraph),
	  "write a flame graph of NEW (SVG, for a browser): red is what grew, blue what shrank" },
	{ 0, "title", "TEXT", TEXT(&want.title), "its title (default: the names of the files)" },
	SYSROOT_OPTION(want.common),
	HEADING("Compare only samples of:"),
	FILTER_OPTIONS(want.common),
	END_OF_OPTIONS
};

static int take_files(const struct command *cmd, struct diff_opts *opts, int argc, char **argv)
{
	if (argc && argc != NR_SIDES)
		return usage_error(cmd, "%s: name the older file and the newer one",
				   argc > NR_SIDES ? "there are more than two files" :
				   "there is one file");
	if (argc) {
		opts->path[OLD] = argv[0];
		opts->path[NEW] = argv[1];
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
	int status = take_files(cmd, &want, argc, argv);

	return status ? : diff_files(cmd, &want);
}

const struct command diff_command = {
	.name = "diff",
	.summary = "what grew from one recording, or count, to the next",
	.usage = usage,
	.options = options,
	.operands = 1,
	.paged = 1,
	.run = run_diff,
};
