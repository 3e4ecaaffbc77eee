// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl export: recordings in the formats of other tools */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/print.h"
#include "export/export.h"
#include "export/perf.h"
#include "profile/input.h"

static struct export_opts {
	struct profile_opts common;
	const char *perf_data;
	const char *kallsyms;
	const char *pprof;
	const char *firefox;
} want = { .common = PROFILE_OPTS };

/* Each format, and the variable with the name of its file, which the option sets */
static const struct {
	const struct format *format;
	const char **path;
} formats[] = {
	{ &perf_data_format, &want.perf_data },
	{ &kallsyms_format, &want.kallsyms },
	{ &pprof_format, &want.pprof },
	{ &firefox_format, &want.firefox },
};

struct export {
	struct profile p;
	struct target targets[ARRAY_SIZE(formats)];
};

static const char * const usage[] = {
	"usage: knc-pmuctl export [OPTIONS] --perf-data FILE | --pprof FILE | --firefox FILE",
	"",
	"Writes a recording as a file of another tool. Each sample keeps its time, thread, call",
	"chain and the number of events that it stands for.",
	NULL
};

static const struct opt options[] = {
	INPUT_OPTION(want.common),
	{ 0, "perf-data", "FILE", TEXT(&want.perf_data),
	  "write a file for perf report, perf script and perf annotate" },
	{ 0, "kallsyms", "FILE", TEXT(&want.kallsyms),
	  "write the kernel's functions, for --kallsyms of perf" },
	{ 0, "pprof", "FILE", TEXT(&want.pprof),
	  "write a file for pprof, which speedscope reads too" },
	{ 0, "firefox", "FILE", TEXT(&want.firefox),
	  "write a file for the Firefox Profiler" },
	SYSROOT_OPTION(want.common),
	HEADING("Write only samples of:"),
	FILTER_OPTIONS(want.common),
	END_OF_OPTIONS
};

static void hand_sample(void *ctx, const struct sample *sample)
{
	struct export *x = ctx;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (x->targets[i].f)
			x->targets[i].format->sample(&x->targets[i], sample);
	}
}

static void hand_task(void *ctx, const struct data_task *task)
{
	struct export *x = ctx;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (x->targets[i].f && x->targets[i].format->task)
			x->targets[i].format->task(&x->targets[i], task);
	}
}

static void hand_other(void *ctx, const struct knc_pmu_record *record)
{
	struct export *x = ctx;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (x->targets[i].f && x->targets[i].format->other)
			x->targets[i].format->other(&x->targets[i], record);
	}
}

/* Is @target's file the recording, or an earlier option's? fopen() would truncate it */
static int is_other(const struct export *x, const struct target *target)
{
	const struct target *t;
	struct stat st, other;

	if (stat(target->path, &st))
		return 0;
	if (!fstat(x->p.file.fd, &other) && other.st_dev == st.st_dev && other.st_ino == st.st_ino)
		return 1;
	for (t = x->targets; t < target; t++) {
		if (t->f && !fstat(fileno(t->f), &other) && other.st_dev == st.st_dev &&
		    other.st_ino == st.st_ino)
			return 1;
	}
	return 0;
}

static int open_target(struct export *x, struct target *t)
{
	if (!t->path)
		return 0;
	if (is_other(x, t))
		return complain("can't write %s: it is the recording, or the file of another "
				"option; name another file (%s)", t->path, t->format->option);
	t->f = fopen(t->path, "we");
	if (!t->f)
		return cant_write(t->path, errno, t->format->option);
	if (t->format->seeks && lseek(fileno(t->f), 0, SEEK_CUR) < 0)
		return complain("can't write %s: its header, which is written last, has to be at "
				"its beginning; name a file that is no pipe (%s)", t->path,
				t->format->option);
	t->p = &x->p;
	t->format->begin(t);
	t->begun = 1;
	return 0;
}

static int open_targets(struct export *x)
{
	unsigned int i;
	int status = 0;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		x->targets[i].format = formats[i].format;
		x->targets[i].path = *formats[i].path;
		x->targets[i].kallsyms = want.kallsyms;
	}
	for (i = 0; !status && i < ARRAY_SIZE(formats); i++)
		status = open_target(x, &x->targets[i]);
	return status;
}

static int close_targets(struct export *x, int status)
{
	struct target *t;

	for (t = x->targets; t < x->targets + ARRAY_SIZE(formats); t++) {
		if (!t->f)
			continue;
		if (!status)
			status = t->format->finish(t);
		if (t->begun)
			t->format->end(t);
		if (status)
			fclose(t->f);
		else
			status = close_output(t->f, t->path);
	}
	return status;
}

static int run_export(const struct command *cmd, int argc, char **argv)
{
	static const struct profile_visitor visitor = {
		.sample = hand_sample,
		.other = hand_other,
		.task = hand_task,
	};
	struct export x = { .p = { .opts = NULL } };
	int status;

	if (!want.perf_data && !want.kallsyms && !want.pprof && !want.firefox)
		return usage_error(cmd, "there is nothing to write: give --perf-data FILE, "
				   "--pprof FILE or --firefox FILE");
	status = profile_open(&x.p, &want.common, input_open(want.common.input));
	if (!status)
		status = open_targets(&x);
	if (!status)
		status = profile_walk(&x.p, &visitor, &x);
	status = close_targets(&x, status) ? : profile_status(&x.p);
	profile_close(&x.p);
	return status;
}

const struct command export_command = {
	.name = "export",
	.summary = "write a recording for other tools",
	.usage = usage,
	.options = options,
	.run = run_export,
};
