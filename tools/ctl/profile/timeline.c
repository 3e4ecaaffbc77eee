// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl timeline: counts over time, or levels */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "profile/curves.h"
#include "profile/input.h"

struct timeline_opts {
	struct profile_opts common;
	double bin_ms;
	int csv;
	const char *svg;
};

static const char * const usage[] = {
	"usage: knc-pmuctl timeline [OPTIONS]",
	"",
	"Shows the counts of each hardware thread of a recording over time: exactly, from time",
	"samples (record --tbs); without these, from event samples. Or the level of each L3, from",
	"the output of stat -I MS --json -e cmt/llc_occupancy/.",
	"",
	"  -i FILE     the recording, or the output of stat (default: knc.data)",
	"  --csv       print CSV: start_s,end_s,cpu,event,count,per_second (the default); of a level",
	"              start_s,end_s,cpu,level,least,mean,most,readings,missing",
	"  --svg FILE  write a plot instead (SVG, for a browser)",
	"  --bin MS    sum up intervals of at least MS milliseconds (default: from one time",
	"              sample to the next; of event samples: 10)",
	"  -e EVENT    show only this event",
	"  -C CPUS     show only these hardware threads",
	NULL
};

static const struct option options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "event", required_argument, NULL, 'e' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "svg", required_argument, NULL, OPT_SVG },
	{ "bin", required_argument, NULL, OPT_BIN },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct timeline_opts *opts = ctx;
	int status = profile_option(cmd, &opts->common, opt, arg);

	if (status >= 0)
		return status;
	switch (opt) {
	case OPT_CSV:
		opts->csv = 1;
		break;
	case OPT_SVG:
		opts->svg = arg;
		break;
	case OPT_BIN:
		return take_number(cmd, "bin in ms", arg, 0.001, 1e6, &opts->bin_ms);
	}
	return 0;
}

static int write_svg(const struct timeline *t, const struct profile *p,
		     const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return cant_write(path, errno, "--svg");
	timeline_svg(t, p, f, 0);
	return close_output(f, path);
}

/* @p: NULL for levels */
static int write_timeline(const struct timeline *t, const struct profile *p,
			  const struct timeline_opts *o)
{
	int status = o->svg ? write_svg(t, p, o->svg) : 0;

	if (!status && (o->csv || !o->svg))
		timeline_csv(t, p, stdout);
	return status;
}

static int show_levels(const struct timeline_opts *o, int fd)
{
	struct timeline t;
	int status = timeline_read_levels(&t, &o->common, fd, o->bin_ms * 1e6);

	if (!status)
		status = write_timeline(&t, NULL, o);
	timeline_free(&t);
	return status;
}

static int show_timeline(struct profile *p, const struct timeline_opts *o)
{
	struct timeline t;
	int status;

	status = timeline_read(&t, p, o->bin_ms * 1e6);
	if (!status && !t.nr)
		status = complain("%s has no samples to show: record some, or leave -C out",
				  p->file.path);
	if (!status)
		status = write_timeline(&t, p, o);
	timeline_free(&t);
	return status ? : profile_status(p);
}

static int run_timeline(const struct command *cmd, int argc, char **argv)
{
	struct timeline_opts opts = { .common = PROFILE_OPTS };
	struct profile p;
	int status, fd;

	if (parse_only_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	fd = input_open(opts.common.input);
	/* a line of JSON; a recording begins with its magic */
	if (fd >= 0 && input_begins(fd, "{"))
		return show_levels(&opts, fd);
	status = profile_open(&p, &opts.common, fd);
	if (!status)
		status = show_timeline(&p, &opts);
	profile_close(&p);
	return status;
}

const struct command timeline_command = {
	.name = "timeline",
	.summary = "counts of a recording over time, or levels",
	.usage = usage,
	.longs = options,
	.run = run_timeline,
};
