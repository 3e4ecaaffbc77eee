// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl merge: the counts, or the recordings, of all processes of a parallel program */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/data.h"
#include "cli/options.h"
#include "merge/joined.h"

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
	"Or merges the recordings of all ranks (record -o r%r.knc) into one, that of -o: report,",
	"script, timeline, diff and export read it as any other. It has the rank of each sample:",
	"report --sort rank,symbol, and --rank N with all of them.",
	"",
	"These are named, and then the exit status is 1: a file that is damaged, of another run or of",
	"another version, a rank that is missing or there twice, ranks that counted other events, and",
	"commands that failed. The table, or the recording, has all other ranks. A recording that is cut",
	"off, or has other events or periods than the first one, is left out.",
	NULL
};

static const struct opt options[] = {
	{ 'o', "output", "FILE", TEXT(&want.output), "merge recordings into this file" },
	{ 0, "per-host", NULL, FLAG(&want.per_host), "show each host as well" },
	JSON_OPTION(&want.json, "merge"),
	CSV_OPTION(&want.csv),
	END_OF_OPTIONS
};

/* Read a pipe only once, because a second open would lose its beginning */
static int is_recording(const char *path)
{
	static const char magic[] = DATA_MAGIC;
	char begin[sizeof(magic) - 1];
	struct stat st;
	int fd, is;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	is = read(fd, begin, sizeof(begin)) == (ssize_t)sizeof(begin) &&
	     !memcmp(begin, magic, sizeof(begin));
	close(fd);
	return is;
}

/* Is any file a recording? Then the others may be damaged recordings */
static int are_recordings(char **paths, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (is_recording(paths[i]))
			return 1;
	}
	return 0;
}

static int check_output(const struct command *cmd, int recordings)
{
	if (want.json && want.csv)
		return usage_error(cmd, "-x and --json exclude each other: choose one");
	if (!recordings && want.output)
		return usage_error(cmd, "-o is for recordings, and none of the files is one: "
				   "leave it out, the table goes to standard output");
	if (recordings && (want.json || want.csv || want.per_host))
		return usage_error(cmd, "--json, -x and --per-host are for counts: merge "
				   "recordings without, and report has them by rank");
	if (recordings && !want.output)
		return usage_error(cmd, "no file for the merged recording: name it by -o");
	return 0;
}

static int run_merge(const struct command *cmd, int argc, char **argv)
{
	struct merge m = { .o = &want };
	int i, status;

	if (!argc)
		return usage_error(cmd,
				   "no file to merge: name those that stat --json -o, or record -o, has written");
	m.recordings = are_recordings(argv, argc);
	status = check_output(cmd, m.recordings);
	if (status)
		return status;
	if (m.recordings) {
		status = merge_recordings(&m, argv, argc);
		merge_free(&m);
		return status;
	}
	for (i = 0; i < argc; i++)
		merge_file(&m, argv[i]);
	merge_end(&m);
	/* if no file had a rank, merge_file() has reported the fault of each */
	status = m.nr_places ? merge_print(&m) : CTL_FAILED;
	if (!status && (m.nr_problems || *m.missing))
		status = CTL_FAILED;
	merge_free(&m);
	return status;
}

const struct command merge_command = {
	.name = "merge",
	.summary = "the counts, or recordings, of all processes of a parallel program in one",
	.usage = usage,
	.options = options,
	.operands = 1,
	.paged = 1,
	.run = run_merge,
};
