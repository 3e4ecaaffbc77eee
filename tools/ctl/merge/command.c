// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl merge: the counts of all processes of a parallel program in one table */
#include "cli/options.h"
#include "merge/merge.h"

static struct merge_opts want;

static const char * const usage[] = {
	"usage: knc-pmuctl merge [OPTIONS] FILE...",
	"",
	"Merges the counts of all processes (ranks) of a parallel program into one table, for",
	"instance those of 'mpirun -n 16 knc-pmuctl stat --json -o r%r.json -- ./app': sum, minimum,",
	"mean and maximum of each event and metric, and the ranks that have the minimum and the",
	"maximum. Imbalance is 1 - mean / maximum: the share of the ranks' time that is lost if all",
	"wait for the one with the maximum. FILE - is standard input.",
	"",
	"These are named, and then the exit status is 1: a file that is damaged, of another run or of",
	"another version, a rank that is missing or there twice, ranks that counted other events, and",
	"commands that failed. The table has the counts of all other ranks.",
	NULL
};

static const struct opt options[] = {
	{ 0, "per-host", NULL, FLAG(&want.per_host), "show each host as well" },
	JSON_OPTION(&want.json, "merge"),
	CSV_OPTION(&want.csv),
	END_OF_OPTIONS
};

static int run_merge(const struct command *cmd, int argc, char **argv)
{
	struct merge m = { .o = &want };
	int i, status;

	if (!argc)
		return usage_error(cmd,
				   "no file to merge: name those that stat --json -o has written");
	if (want.json && want.csv)
		return usage_error(cmd, "-x and --json exclude each other: choose one");
	for (i = 0; i < argc; i++)
		merge_file(&m, argv[i]);
	merge_end(&m);
	/* if no file had a rank, merge_file() has said for each what is wrong */
	status = m.nr_places ? merge_print(&m) : CTL_FAILED;
	if (!status && (m.nr_problems || *m.missing))
		status = CTL_FAILED;
	merge_free(&m);
	return status;
}

const struct command merge_command = {
	.name = "merge",
	.summary = "the counts of all processes of a parallel program in one table",
	.usage = usage,
	.options = options,
	.operands = 1,
	.paged = 1,
	.run = run_merge,
};
