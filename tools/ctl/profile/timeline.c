// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl timeline: counts over time, or levels */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "profile/curves.h"
#include "profile/filter.h"
#include "profile/input.h"
#include "profile/lanes.h"

static struct timeline_opts {
	struct profile_opts common;
	double bin_ms;
	int csv;
	int threads;
	const char *svg;
} want = { .common = PROFILE_OPTS };

static const char * const usage[] = {
	"usage: knc-pmuctl timeline [OPTIONS]",
	"",
	"Shows the counts of each hardware thread of a recording over time: exactly, from time",
	"samples (record --tbs); without these, from event samples. Or the level of each L3, from",
	"the output of stat -I MS --json -e cmt/llc_occupancy/.",
	NULL
};

static const struct opt options[] = {
	{ 'i', "input", "FILE", TEXT(&want.common.input),
	  "the recording, or the output of stat (default: knc.data)" },
	{ 0, "csv", NULL, FLAG(&want.csv),
	  "print CSV: start_s,end_s,cpu,event,count,per_second (the default); of a level "
	  "start_s,end_s,cpu,level,least,mean,most,readings,missing" },
	{ 0, "threads", NULL, FLAG(&want.threads),
	  "of a recording with --off-cpu, print what each thread did instead, as CSV: "
	  "start_s,end_s,pid,tid,name,state. The plot shows it too" },
	{ 0, "svg", "FILE", TEXT(&want.svg), "write a plot instead (SVG, for a browser)" },
	{ 0, "bin", "MS", NUMBER(&want.bin_ms, "bin in ms", 0.001, 1e6),
	  "sum up intervals of at least MS milliseconds (default: from one time sample to the "
	  "next; of event samples: 10)" },
	SYSROOT_OPTION(want.common),
	HEADING("Show only:"),
	FILTER_OPTIONS(want.common),
	END_OF_OPTIONS
};

static int write_svg(const struct timeline *t, const struct profile *p,
		     const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return cant_write(path, errno, "--svg");
	timeline_svg(t, p, f, 0);
	return close_output(f, path);
}

/* @p: the recording; NULL for levels */
static int write_timeline(const struct timeline *t, const struct profile *p,
			  const struct timeline_opts *o)
{
	int status = o->svg ? write_svg(t, p, o->svg) : 0;

	if (!status && o->threads)
		lanes_csv(t->lanes, stdout);
	else if (!status && (o->csv || !o->svg))
		timeline_csv(t, p, stdout);
	return status;
}

static int show_levels(const struct timeline_opts *o, int fd)
{
	struct timeline t;
	int status;

	if (has_time(&o->common) || filter_has_task(&o->common) ||
	    filter_has_place(&o->common))
		return complain("%s has levels, of which there is no part by time, thread or "
				"place: leave --time, --comm, --pid, --tid, --dso and --symbol out",
				o->common.input);
	status = timeline_read_levels(&t, &o->common, fd, o->bin_ms * 1e6);
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
	if (!status && o->threads && !t.lanes)
		status = complain("%s does not say what each thread did: record with --off-cpu, "
				  "and leave -C, --dso and --symbol out", p->file.path);
	if (!status && !t.nr && !lanes_last(t.lanes))
		status = p->told ? CTL_FAILED :
			 complain("%s has no samples to show: record some, or leave -C out",
				  p->file.path);
	if (!status)
		status = write_timeline(&t, p, o);
	timeline_free(&t);
	return status ? : profile_status(p);
}

static int run_timeline(const struct command *cmd, int argc, char **argv)
{
	struct profile p;
	int status, fd;

	fd = input_open(want.common.input);
	/* "{" begins JSON; a recording begins with its magic */
	if (fd >= 0 && input_begins(fd, "{"))
		return show_levels(&want, fd);
	status = profile_open(&p, &want.common, fd);
	if (!status)
		status = show_timeline(&p, &want);
	profile_close(&p);
	return status;
}

const struct command timeline_command = {
	.name = "timeline",
	.summary = "counts of a recording over time, or levels",
	.usage = usage,
	.options = options,
	.run = run_timeline,
};
