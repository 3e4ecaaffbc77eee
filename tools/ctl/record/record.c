// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl record: sample programs or hardware threads into a data file */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <names.h>
#include <pmus.h>

#include "cli/clock.h"
#include "cli/cpus.h"
#include "cli/pin.h"
#include "cli/pmu.h"
#include "record/rings.h"

#define LEAST_RING	(64U << 10)
#define MOST_RING	(512U << 10)
#define MOST_STACK_RING	(1U << 20)	/* largest ring by default, with copies of stacks */
#define DWARF_SIZE	8192		/* bytes of a copied stack with dwarf; perf's default */
#define STACK_SIZE	16384		/* with -g: python3 needs it all, most programs a tenth */
#define MOST_EVENTS	(1U << 30)	/* events a second: about one in each cycle, at 1.1 GHz */

static const char * const usage[] = {
	"usage: knc-pmuctl record [OPTIONS] [--] [COMMAND [ARGUMENTS]]",
	"",
	"Runs COMMAND, samples it and the threads and processes it creates, on whichever hardware",
	"threads they run, and writes a data file for report, script and timeline. The exit",
	"status is that of COMMAND. With -C or -a, samples everything that happens on these",
	"hardware threads while COMMAND runs, or until it is interrupted.",
	"",
	"User mode of your own programs may be sampled by anyone who may open the device.",
	"Kernel mode, other users' programs and hardware threads need CAP_PERFMON. Without it,",
	"events with neither modifier u nor k are sampled in user mode only, and the last line",
	"shows u.",
	NULL
};

static const char * const notes[] = {
	"INTERVAL is a number of events (@1000003), a frequency (@1000/s) or on, hi or lo. As",
	"collect has it, it may follow a comma: cycles/0,hi. 'knc-pmuctl list --collect' has the",
	"numbers of on, hi and lo.",
	"EVENT and MODIFIERS are those of stat; see: knc-pmuctl help stat.",
	NULL
};

static struct record_opts want = { .output = DATA_DEFAULT };

static int parse_events(const struct command *cmd, struct record_opts *opts,
			const char *text)
{
	struct kncpmu_error err;

	if (kncpmu_samples_parse(own_pmu(), text, opts->items, &opts->nr_items,
				 own_pmu()->nr_counters, &err))
		return usage_error(cmd, "%s", err.text);
	return 0;
}

/* Without -e: instructions; with time samples, cycles too */
static int parse_default_events(const struct command *cmd, struct record_opts *opts, int timed)
{
	const struct kncpmu_pmu *pmu = own_pmu();

	if (timed && parse_events(cmd, opts, pmu->cycles))
		return CTL_USAGE;
	return parse_events(cmd, opts, pmu->instructions);
}

/* Parse -c, or -F with @suffix "/s", for an event without an interval of its own */
static int parse_interval(const struct command *cmd, const char *text,
			  const char *suffix, struct knc_pmu_event *event)
{
	struct kncpmu_error err;
	char whole[128];

	if (strchr(text, '/') || strlen(text) > 64)
		return usage_error(cmd,
				   "interval '%s': -c takes a number of events, on, hi or lo; for samples a second use -F",
				   text);
	if (*suffix && (!*text || strspn(text, "0123456789") != strlen(text)))
		return usage_error(cmd, "frequency '%s': not a number of samples a second",
				   text);
	snprintf(whole, sizeof(whole), "%s%s", text, suffix);
	if (kncpmu_interval_parse(own_pmu(), whole, event, &err))
		return usage_error(cmd, "%s", err.text);
	return 0;
}

static int take_events(const struct command *cmd, const struct opt *o, const char *arg)
{
	return parse_events(cmd, &want, arg);
}

/* -c, -F: check the interval, for events that follow later on the command line */
static int take_interval(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct knc_pmu_event event = { .event = 0 };

	take_text(cmd, o, arg);
	return parse_interval(cmd, arg, o->letter == 'F' ? "/s" : "", &event);
}

/* Parse the size after "dwarf"; as in perf a comma precedes it, and it is rounded up to 8 */
static int take_stack_size(const struct command *cmd, const char *text)
{
	unsigned int size = DWARF_SIZE;

	if (*text == ',' &&
	    whole_number(cmd, "bytes of the stack", text + 1, 1, KNC_PMU_MAX_STACK, &size))
		return CTL_USAGE;
	want.chain = KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_CHAIN_KERNEL;
	want.stack_size = (size + 7) & ~7U;
	return 0;
}

static int take_chain(const struct command *cmd, const struct opt *o, const char *text)
{
	static const struct {
		const char *name;
		unsigned int chain;
		unsigned int stack_size;
	} modes[] = {
		{ "user", KNC_PMU_CONFIG_CHAIN_USER, STACK_SIZE },
		{ "kernel", KNC_PMU_CONFIG_CHAIN_KERNEL, 0 },
		{ "both", KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_CHAIN_KERNEL, STACK_SIZE },
		{ "fp", KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_CHAIN_KERNEL, 0 },
	};
	unsigned int i;

	if (!text)
		text = "both";
	text += text[0] == '=';
	want.stack_size = 0;
	want.may_drop_stack = 0;
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!strcmp(text, modes[i].name)) {
			want.chain = modes[i].chain;
			want.stack_size = modes[i].stack_size;
			want.may_drop_stack = 1;
			return 0;
		}
	}
	if (!strncmp(text, "dwarf", 5) && (!text[5] || text[5] == ','))
		return take_stack_size(cmd, text + 5);
	if (!strncmp(text, "lbr", 3))
		return usage_error(cmd,
				   "call chains '%s': the PMU has no record of branches: use -g",
				   text);
	return usage_error(cmd,
			   "call chains '%s': there are user, kernel, both, fp and dwarf, as in -g=user",
			   text);
}

/* Parse a number of bytes, perhaps with K or M */
static int take_ring(const struct command *cmd, const struct opt *o, const char *text)
{
	unsigned long long number;
	char *end = (char *)text;

	number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	if (number <= KNC_PMU_MAX_RING && (*end == 'K' || *end == 'k'))
		number <<= 10, end++;
	else if (number <= KNC_PMU_MAX_RING && (*end == 'M' || *end == 'm'))
		number <<= 20, end++;
	if (*end || number < KNC_PMU_MIN_RING || number > KNC_PMU_MAX_RING ||
	    number & (number - 1))
		return usage_error(cmd, "size '%s' of a ring: not a power of two from 4K to 4M",
				   text);
	want.ring_size = number;
	return 0;
}

static int take_file(const struct command *cmd, const struct opt *o, const char *path)
{
	if (!strcmp(path, "-"))
		return usage_error(cmd, "-o -: the data file can't be a pipe; name a file");
	return take_output(cmd, o, path);
}

static int take_target(const struct command *cmd, const struct opt *o, const char *arg)
{
	unsigned int number;

	if (want.pid)
		return usage_error(cmd,
				   "-p and -t are given twice: one process or thread can be followed");
	if (whole_number(cmd, o->letter == 'p' ? "process" : "thread", arg, 1, INT_MAX, &number))
		return CTL_USAGE;
	want.pid = number;
	want.target = o->letter == 'p' ? TARGET_PROCESS : TARGET_THREAD;
	return 0;
}

#define LEAST_MS	(KNC_PMU_MIN_INTERVAL / (double)NSEC_PER_MSEC)
#define MOST_MS		(KNC_PMU_MAX_INTERVAL / (double)NSEC_PER_MSEC)

static const struct opt options[] = {
	{ 'e', "event", "EVENTS", CALL(take_events, NULL),
	  "EVENT[/COUNTER][:MODIFIERS][@INTERVAL],... as many as a hardware thread has counters. "
	  "Default: INSTRUCTIONS_EXECUTED" },
	{ 'c', "count", "PERIOD", CALL(take_interval, &want.period),
	  "take a sample every PERIOD events; or on, hi (ten times as many samples) or lo (a tenth): "
	  "a prime that suits the event. Default: on" },
	{ 'F', "freq", "HZ", CALL(take_interval, &want.freq),
	  "take about HZ samples a second of each hardware thread, or of each thread of the program "
	  "while it runs" },
	{ 'g', "call-chains", "[=user|kernel|both|fp|dwarf[,SIZE]]", CALL(take_chain, NULL),
	  "record call chains: user, kernel or both (default). Programs need no frame pointers: each "
	  "sample has a copy of the stack, up to 16384 bytes, which report unwinds. dwarf copies up "
	  "to SIZE bytes (default 8192, at most 61440). fp copies nothing, and follows frame "
	  "pointers only: compile with -fno-omit-frame-pointer" },
	{ 0, "call-graph", "user|kernel|both|fp|dwarf[,SIZE]", CALL(take_chain, NULL),
	  "likewise, as perf has it. There is no lbr" },
	{ 0, "off-cpu", NULL, FLAG(&want.off_cpu),
	  "also record when threads of the program leave their hardware threads, why, and where they "
	  "are in it: report shows the time that they wait, or could run, by function. Not with -C "
	  "or -a" },
	{ 0, "max-frames", "N", WHOLE(&want.max_frames, "frames", 1, KNC_PMU_MAX_FRAMES),
	  "with -g: the most frames of a call chain (1 to 127; default 127)" },
	{ 0, "tbs", "MS", TIME(&want.interval, "time in ms between samples", LEAST_MS, MOST_MS,
			       NSEC_PER_MSEC),
	  "take a sample every MS milliseconds (0.1 to 1000000) with the counts of the events since "
	  "the last one. Events with an interval are sampled as well. Only with -C or -a" },
	{ 'p', "pid", "PID", CALL(take_target, NULL),
	  "sample an existing process with all its threads, until it ends, a signal (Ctrl-C) "
	  "comes, or COMMAND ends" },
	{ 't', "tid", "TID", CALL(take_target, NULL), "sample an existing thread, likewise" },
	{ 0, "no-inherit", NULL, FLAG(&want.no_inherit),
	  "do not sample the threads and processes that the program creates" },
	{ 'C', "cpu", "CPUS", CPUS(&want.cpus, &want.have_cpus),
	  "sample these hardware threads instead, for instance 0-3,8" },
	{ 'a', "all-cpus", NULL, CPUS(&want.cpus, &want.have_cpus),
	  "sample all hardware threads that are online" },
	PIN_OPTION(&want.pin, &want.have_pin),
	{ 'o', "output", "FILE", CALL(take_file, &want.output),
	  "the data file (default knc.data); an existing one is renamed FILE.old. %r, %h, %p and "
	  "%% in its name: as with stat" },
	{ 0, "ring-size", "N", CALL_AND_FLAG(take_ring, NULL, &want.have_ring),
	  "bytes of the ring of each hardware thread, a power of two from 4K to 4M (default 64K to "
	  "1M, as often as samples come; less if ulimit -l demands it)" },
	{ 0, "no-marks", NULL, FLAG(&want.no_marks),
	  "do not record when threads of COMMAND are in regions of ring3.h: the regions can count "
	  "then, which marked ones do not" },
	{ 'q', "quiet", NULL, FLAG(&want.quiet), "do not print the closing line" },
	END_OF_OPTIONS
};

/* Choose the events and their intervals */
static int complete_events(const struct command *cmd, struct record_opts *opts)
{
	int timed = opts->interval && !opts->period && !opts->freq;
	unsigned int i, sampled = 0;
	struct knc_pmu_event *event;

	if (opts->period && opts->freq)
		return usage_error(cmd,
				   "-c and -F exclude each other: choose one, or give each event its own as in EVENT@1000/s");
	if (!opts->nr_items &&
	    parse_default_events(cmd, opts, timed))
		return CTL_USAGE;
	for (i = 0; i < opts->nr_items; i++) {
		event = &opts->items[i].event;
		if (!(event->flags & KNC_PMU_EVENT_SAMPLE) && !timed &&
		    parse_interval(cmd, opts->freq ? opts->freq :
				   opts->period ? opts->period : RECORD_PERIOD,
				   opts->freq ? "/s" : "", event))
			return CTL_USAGE;
		sampled += !!(event->flags & KNC_PMU_EVENT_SAMPLE);
	}
	if (opts->max_frames && !opts->chain)
		return usage_error(cmd, "--max-frames belongs to -g, which is missing");
	if (!opts->max_frames)
		opts->max_frames = KNC_PMU_MAX_FRAMES;
	if (opts->chain && !sampled)
		return usage_error(cmd,
				   "time samples have no call chains (-g): sample an event too, with -c or -F");
	return 0;
}

/* Warn of events that other cores cause; if there are no others, call chains are useless */
static void tell_by_others(struct record_opts *opts)
{
	unsigned int i, own = 0;

	for (i = 0; i < opts->nr_items; i++) {
		if (!kncpmu_event_by_others(own_pmu(), &opts->items[i].event)) {
			own = 1;
			continue;
		}
		complain("warning: %s is not program-related: other cores cause it, wherever the "
			 "program is at that moment; report shows it in a line of its own, "
			 "without functions and call chains", opts->items[i].name);
	}
	if (own)
		return;
	opts->chain = 0;
	opts->stack_size = 0;
}

/* The highest rate of samples that an event can have on a hardware thread */
static double samples_a_second(const struct knc_pmu_event *event)
{
	if (!(event->flags & KNC_PMU_EVENT_SAMPLE))
		return 0;
	if (event->flags & KNC_PMU_EVENT_FREQ)
		return event->sample_period;
	return (double)MOST_EVENTS / KNC_PMU_LIMITED_PERIOD(event->sample_period);
}

/* The default ring holds the samples of half a second, because the reader may be that late */
static unsigned int default_ring(const struct record_opts *opts)
{
	unsigned int i, size, most = opts->stack_size ? MOST_STACK_RING : MOST_RING;
	double bytes, samples = 0;

	for (i = 0; i < opts->nr_items; i++)
		samples += samples_a_second(&opts->items[i].event);
	bytes = samples * sizeof(struct knc_pmu_sample);
	if (opts->chain)
		bytes += samples * opts->max_frames * 2 * sizeof(__u64);
	if (opts->stack_size)
		bytes += samples * KNC_PMU_STACK_SIZE(opts->stack_size);
	if (opts->interval)
		bytes += 1e9 / opts->interval * sizeof(struct knc_pmu_time_sample);
	/* nobody knows how often threads will wait */
	size = opts->off_cpu ? MOST_RING / 2 : LEAST_RING;
	while (size < most && size < bytes / 2)
		size *= 2;
	while (size < least_ring(opts) ||
	       (opts->may_drop_stack && size < STACK_PART * opts->stack_size))
		size *= 2;
	return size;
}

/* Check the options together, and complete them */
static int complete(const struct command *cmd, struct record_opts *opts, int argc,
		    char **argv)
{
	int status = complete_events(cmd, opts);

	if (status)
		return status;
	tell_by_others(opts);
	if (!opts->have_ring)
		opts->ring_size = default_ring(opts);
	if (argc)
		opts->command = argv;
	if (opts->have_pin && opts->command && !opts->quiet)
		say_pin(&opts->pin);
	return target_complete(cmd, opts);
}

static int run_record(const struct command *cmd, int argc, char **argv)
{
	int status = complete(cmd, &want, argc, argv);

	if (!status)
		status = target_choose_modes(&want);
	return status ? status : record_run(&want);
}

const struct command record_command = {
	.name = "record",
	.summary = "sample a command, running programs or hardware threads into a data file",
	.usage = usage,
	.wraps = 1,
	.options = options,
	.notes = notes,
	.operands = 1,
	.far = 1,
	.output = DATA_DEFAULT,
	.run = run_record,
};
