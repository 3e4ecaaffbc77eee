// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl script: the samples one by one, as perf script shows them */
#include <stdio.h>
#include <string.h>

#include "cli/text.h"
#include "profile/profile.h"

#define DELETED	" (deleted)"

/* The argument of -F */
enum field {
	FIELD_COMM = 1 << 0,
	FIELD_PID = 1 << 1,
	FIELD_TID = 1 << 2,
	FIELD_CPU = 1 << 3,
	FIELD_TIME = 1 << 4,
	FIELD_PERIOD = 1 << 5,
	FIELD_EVENT = 1 << 6,
	FIELD_IP = 1 << 7,
	FIELD_SYM = 1 << 8,
	FIELD_SYMOFF = 1 << 9,
	FIELD_DSO = 1 << 10,
	FIELD_ALL = (1 << 11) - 1
};

static const char * const field_names[] = {
	"comm", "pid", "tid", "cpu", "time", "period", "event", "ip", "sym", "symoff",
	"dso",
};

struct script_opts {
	struct profile_opts common;
	unsigned int fields;
};

struct script {
	struct profile p;
	const struct script_opts *opts;
};

static const char * const usage[] = {
	"usage: knc-pmuctl script [OPTIONS]",
	"",
	"Shows every sample with its call chain, in the order of time, in the format of perf",
	"script, which stackcollapse-perf.pl, speedscope and other tools read. Lines about lost",
	"and throttled samples begin with '#'.",
	"",
	"  -i FILE              the recording (default: knc.data)",
	"  -F FIELD[,FIELD]...  show only these fields: comm, pid, tid, cpu, time, period, event,",
	"                       ip, sym, symoff, dso",
	"",
	"Show only samples of:",
	"  -e EVENT  --comm NAME  --dso NAME  --pid PID  --tid TID  -C CPUS",
	"",
	"  --sysroot DIR        look in DIR for the files of the recorded machine",
	NULL
};

static const struct option options[] = {
	PROFILE_LONGS,
	{ "fields", required_argument, NULL, 'F' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int parse_fields(const struct command *cmd, struct script_opts *opts,
			const char *text)
{
	size_t length;
	unsigned int i;

	opts->fields = 0;
	while (1) {
		length = strcspn(text, ",");
		for (i = 0; i < ARRAY_SIZE(field_names); i++) {
			if (strlen(field_names[i]) == length &&
			    !strncmp(field_names[i], text, length))
				break;
		}
		if (i == ARRAY_SIZE(field_names))
			return usage_error(cmd, "unknown field '%.*s': there are %s", (int)length,
					   text, intern_list(field_names, ARRAY_SIZE(field_names)));
		opts->fields |= 1U << i;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct script_opts *opts = ctx;
	int status = profile_option(cmd, &opts->common, opt, arg);

	if (status >= 0)
		return status;
	return opt == 'F' ? parse_fields(cmd, opts, arg) : 0;
}

/* "comm  pid/tid [cpu] seconds: period event: " */
static void print_head(const struct script *x, const struct sample *s)
{
	unsigned int fields = x->opts->fields;

	if (fields & FIELD_COMM)
		printf("%s ", s->comm);
	if ((fields & FIELD_PID) && (fields & FIELD_TID))
		printf("%7u/%-7u ", s->pid, s->tid);
	else if (fields & (FIELD_PID | FIELD_TID))
		printf("%7u ", fields & FIELD_PID ? s->pid : s->tid);
	if (fields & FIELD_CPU)
		printf("[%03u] ", s->cpu);
	if (fields & FIELD_TIME)
		printf("%5llu.%06llu: ", s->time / 1000000000, s->time / 1000 % 1000000);
	if (fields & FIELD_PERIOD)
		printf("%10llu ", s->period);
	if (fields & FIELD_EVENT)
		printf("%s: ", x->p.file.events[s->event].name);
	putchar('\n');
}

/* Length without " (deleted)": readers take the last '(' for that of the file */
static size_t file_length(const char *name)
{
	const char *end = strstr(name, DELETED);

	return end && !end[strlen(DELETED)] ? (size_t)(end - name) : strlen(name);
}

static void print_frame(const struct script *x, const struct sample *s,
			unsigned int i)
{
	const struct place *place = s->frames[i];
	unsigned int fields = x->opts->fields;
	/* the place of a return address is that of the call, a byte before */
	unsigned long long addr = place->addr + !sample_exact(s, i);

	putchar('\t');
	if (fields & FIELD_IP)
		printf("%16llx", addr);
	if (fields & FIELD_SYM)
		printf(" %s", place->symbol ? place->name : "[unknown]");
	if ((fields & FIELD_SYM) && (fields & FIELD_SYMOFF) && place->symbol)
		printf("+0x%llx", addr - place->symbol->start);
	if (fields & FIELD_DSO)
		printf(" (%.*s)", (int)file_length(place->dso->name), place->dso->name);
	putchar('\n');
}

static void print_sample(void *ctx, const struct sample *s)
{
	const struct script *x = ctx;
	unsigned int i;

	print_head(x, s);
	for (i = 0; i < s->nr && (x->opts->fields & (FIELD_IP | FIELD_SYM | FIELD_DSO)); i++)
		print_frame(x, s, i);
	putchar('\n');
}

/* Print a number for each event, with the event's name in the file */
static void print_events(const struct data_file *f, const __u64 *events)
{
	unsigned int i;

	for (i = 0; i < f->nr_events; i++)
		printf("%s %llu %s", i ? "," : "", (unsigned long long)events[i],
		       f->events[i].name);
	putchar('\n');
}

static void print_other(void *ctx, const struct knc_pmu_record *record)
{
	const struct knc_pmu_lost *lost = (const void *)record;
	const struct knc_pmu_throttle *throttle = (const void *)record;
	const struct script *x = ctx;
	unsigned long long time = data_record_time(record);
	__u64 events[KNC_NR_COUNTERS] = { 0 };

	if (!profile_passes_cpu(&x->p, record->cpu))
		return;
	if (record->type != KNC_PMU_RECORD_LOST &&
	    record->type != KNC_PMU_RECORD_THROTTLE &&
	    record->type != KNC_PMU_RECORD_UNTHROTTLE)
		return;
	printf("# [%03u] %5llu.%06llu: ", record->cpu, time / 1000000000,
	       time / 1000 % 1000000);
	if (record->type == KNC_PMU_RECORD_LOST) {
		printf("%llu samples lost,", (unsigned long long)lost->samples);
		print_events(&x->p.file, lost->events);
	} else if (record->type == KNC_PMU_RECORD_UNTHROTTLE) {
		printf("sampled again; meanwhile");
		events[throttle->event] = throttle->unsampled;
		print_events(&x->p.file, events);
	} else {
		printf("throttled\n");
	}
}

static int run_script(const struct command *cmd, int argc, char **argv)
{
	static const struct profile_visitor visitor = {
		.sample = print_sample,
		.other = print_other,
		.prints = 1,
	};
	struct script_opts opts = { .common = PROFILE_OPTS, .fields = FIELD_ALL };
	struct script x = { .opts = &opts };
	int status;

	if (parse_only_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	status = profile_open(&x.p, &opts.common);
	if (!status) {
		profile_heading(&x.p, stdout, "# ");
		status = profile_walk(&x.p, &visitor, &x) ? : profile_status(&x.p);
	}
	profile_close(&x.p);
	return status;
}

const struct command script_command = {
	.name = "script",
	.summary = "the samples of a recording one by one",
	.usage = usage,
	.longs = options,
	.paged = 1,
	.run = run_script,
};
