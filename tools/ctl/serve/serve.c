// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl serve: counts for Prometheus and other tools that read its formats */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/rank.h"
#include "serve/serve.h"
#include "stat/events.h"
#include "stat/report.h"
#include "top/signals.h"

#define DEFAULT_ADDRESS	"127.0.0.1:9477"
#define DEFAULT_SECONDS	15

static const char * const usage[] = {
	"usage: knc-pmuctl serve [OPTIONS]",
	"",
	"Counts all hardware threads until a signal comes, and answers GET /metrics with the counts",
	"in the format OpenMetrics, or in that of Prometheus. With --textfile, writes them to a file",
	"for node_exporter instead. The counts never decrease. Of a hardware thread that is not",
	"counted now there are none, and knc_pmu_lost is 1.",
	NULL
};

static const char * const notes[] = {
	"Counting hardware threads takes CAP_PERFMON, and no other privilege. Whoever can connect",
	"sees the counts of everybody's programs: on this machine each user, unless the address is",
	"a Unix socket, which its user and its group can use. The counters are read once a second",
	"at most.",
	NULL
};

/**
 * struct serve_opts - the command line
 * @stat: the options that serve shares with stat
 * @address: where to listen
 * @textfile: the file; NULL: none
 * @seconds: s from one writing of the file to the next; 0: not given
 * @card: the label of the card; NULL: the name of this host
 */
static struct serve_opts {
	struct stat_opts stat;
	const char *address;
	const char *textfile;
	unsigned int seconds;
	const char *card;
} want = { .stat = NO_STAT_OPTS };

static const struct opt options[] = {
	{ 'e', "event", "EVENTS", CALL(take_stat_events, &want.stat),
	  "events to count, as with stat; more than two (32 at most) take turns, and "
	  "knc_pmu_counted_seconds says how long each was counted. Default: cycles and "
	  "instructions" },
	{ 'M', "metric", "METRIC,...", CALL(take_stat_metrics, &want.stat),
	  "the events of metrics" },
	{ 'G', "group", "GROUP,...", CALL(take_stat_metrics, &want.stat),
	  "the events of groups of metrics" },
	{ 0, "metrics", "FILE", FILES(&want.stat.metric_files),
	  "also use metrics and groups of FILE" },
	{ 'C', "cpu", "CPUS", CPUS(&want.stat.cpus, &want.stat.have_cpus),
	  "count these hardware threads only, for instance 0-3,8" },
	{ 'l', "listen", "ADDRESS", TEXT(&want.address),
	  "where to listen: PORT of this machine alone, ADDRESS:PORT, [ADDRESS]:PORT, or unix:PATH; "
	  "default: " DEFAULT_ADDRESS },
	{ 0, "textfile", "FILE", TEXT(&want.textfile),
	  "write the counts to FILE instead, whose name should end in .prom; it is removed at the "
	  "end" },
	{ 0, "interval", "S", WHOLE(&want.seconds, "interval in seconds", 1, 3600),
	  "with --textfile: write it every S seconds; default: 15" },
	{ 0, "card", "NAME", TEXT(&want.card),
	  "the label \"card\" of all counts; default: the name of this host" },
	END_OF_OPTIONS
};

static int complete(const struct command *cmd, struct serve_opts *opts)
{
	struct stat_opts *stat = &opts->stat;
	int status;

	stat->target = TARGET_CPUS;
	if (opts->textfile && opts->address)
		return usage_error(cmd, "--listen and --textfile exclude each other: choose one");
	if (opts->seconds && !opts->textfile)
		return usage_error(cmd, "--interval is for --textfile: clients ask when they want");
	if (stat->level)
		return usage_error(cmd, "%s is a level, which no counter has: name events",
				   stat->level->name);
	status = stat_metrics(cmd, stat);
	if (!status && !stat->nr_items)
		status = stat_parse_events(cmd, stat, stat_defaults(stat_pmu(stat))->tasks);
	if (status)
		return status;
	if (is_uncore(stat_pmu(stat)))
		return usage_error(cmd,
				   "serve counts hardware threads: leave out events of the uncore");
	if (stat->nr_items > KNC_PMU_MAX_SET)
		return usage_error(cmd, "%u events are too many to take turns, at most %u can",
				   stat->nr_items, KNC_PMU_MAX_SET);
	return 0;
}

static int serve(const struct command *cmd, struct serve_counts *c, const char *card)
{
	const char *address = want.address ? want.address : DEFAULT_ADDRESS;
	unsigned int seconds = want.seconds ? want.seconds : DEFAULT_SECONDS;
	int fd, status;

	if (want.textfile)
		return serve_textfile(c, want.textfile, seconds, card);
	status = serve_listen(cmd, address, &fd);
	if (status)
		return status;
	printf("counting; the counts are at %s%s\n", address,
	       serve_unix_path(address) ? "" : "/metrics");
	fflush(stdout);
	status = serve_http(c, fd, card);
	serve_unlisten(address, fd);
	return status;
}

static int run_serve(const struct command *cmd, int argc, char **argv)
{
	struct serve_counts counts;
	char host[HOST_LEN];
	int status = complete(cmd, &want);

	if (status)
		return status;
	own_host(host);
	status = top_take_signals(0);
	if (status)
		return status;
	status = serve_begin(&counts, &want.stat);
	if (!status)
		status = serve(cmd, &counts, want.card ? want.card : host);
	serve_end(&counts);
	return status;
}

const struct command serve_command = {
	.name = "serve",
	.summary = "counts for Prometheus, over HTTP or as a file",
	.usage = usage,
	.options = options,
	.notes = notes,
	.run = run_serve,
};
