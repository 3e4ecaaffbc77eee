// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl record: take samples of where programs are, into a data file */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "record.h"
#include "topology.h"

#define DEFAULT_EVENTS	"INSTRUCTIONS_EXECUTED"
#define DEFAULT_TIMED	"CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED"
#define DEFAULT_PERIOD	"on"
#define DEFAULT_RING	(512U << 10)

/* How much is lost at most if this program is killed, ms */
#define WRITE_EVERY	1000
/* The same where /proc has to be asked about processes before they end */
#define LOOK_EVERY	20
/* How often to look whether what is followed has ended, ms */
#define ENDED_EVERY	100
/* How long to leave a descriptor alone that has nothing behind it, ms */
#define REST		10

static const char * const usage[] = {
	"usage: knc-pmuctl record [OPTIONS] [--] [COMMAND [ARGUMENTS]]",
	"",
	"Runs COMMAND, takes samples of it and of all that it creates, wherever it runs, and",
	"of nothing else, and writes them to a data file for report, script and timeline.",
	"Its exit status is that of COMMAND. With -C or -a it samples hardware threads while",
	"COMMAND runs, or until it is interrupted: everything that happens there.",
	"",
	"User mode of your own programs may be sampled by anyone who may open the device.",
	"Kernel mode, other users' programs and hardware threads need CAP_PERFMON; without",
	"it, events that name no ring are sampled in user mode only, and the last line says",
	"so.",
	"",
	"  -e EVENTS       what to sample: EVENT[:MODIFIERS][@INTERVAL], one or two, with a",
	"                  comma between them. Default: INSTRUCTIONS_EXECUTED",
	"  -c PERIOD       a sample each PERIOD events, or on, hi (ten times as many samples)",
	"                  or lo (a tenth): primes that suit the event. Default: on",
	"  -F HZ           HZ samples a second of each hardware thread, or of each thread of",
	"                  the program while it runs, about",
	"  -g[=MODE]       call chains: user, kernel or both (default), by frame pointers:",
	"                  compile with -fno-omit-frame-pointer",
	"  --max-frames N  with -g: frames of a call chain, at most (1 to 127; default 127)",
	"  --tbs MS        a sample each MS milliseconds (0.1 to 1000000) with what both",
	"                  events counted meanwhile. Events are sampled besides if they have",
	"                  an interval. Only with -C or -a",
	"  -p PID          a process that runs already, all of its threads, until it has",
	"                  ended, or a signal (Ctrl-C) comes, or COMMAND ends",
	"  -t TID          the same for one thread",
	"  --no-inherit    without the threads and processes that it creates",
	"  -C CPUS         these hardware threads instead, for instance 0-3,8",
	"  -a              all hardware threads that are online",
	"  --pin CPUS      let the command run on these only; or cores (one hardware thread of",
	"                  each), compact[:N], scatter[:N] (core by core, or each core in turn)",
	"  -o FILE         the data file (default knc.data); one that is there becomes",
	"                  FILE.old",
	"  --ring-size N   bytes of memory for the samples of a hardware thread, a power of",
	"                  two from 4K to 4M (default 512K, or what you may lock: ulimit -l)",
	"  -q              say nothing at the end",
	"",
	"INTERVAL is a number of events (@1000003), a frequency (@1000/s) or on, hi or lo.",
	"EVENT and MODIFIERS are those of stat; see: knc-pmuctl help stat.",
	NULL
};

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "count", required_argument, NULL, 'c' },
	{ "freq", required_argument, NULL, 'F' },
	{ "call-graph", optional_argument, NULL, 'g' },
	{ "max-frames", required_argument, NULL, OPT_MAX_FRAMES },
	{ "tbs", required_argument, NULL, OPT_TBS },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "no-inherit", no_argument, NULL, OPT_NO_INHERIT },
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "pin", required_argument, NULL, OPT_PIN },
	{ "output", required_argument, NULL, 'o' },
	{ "ring-size", required_argument, NULL, OPT_RING_SIZE },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int parse_events(const struct command *cmd, struct record_opts *opts,
			const char *text)
{
	struct kncpmu_error err;

	if (kncpmu_samples_parse(text, opts->items, &opts->nr_items,
				 KNC_NR_COUNTERS, &err))
		return usage_error(cmd, "%s", err.text);
	return 0;
}

/* -c, and -F with @suffix "/s", for an event that has no interval of its own */
static int parse_interval(const struct command *cmd, const char *text,
			  const char *suffix, struct knc_pmu_event *event)
{
	struct kncpmu_error err;
	char whole[128];

	if (strchr(text, '/') || strlen(text) > 64)
		return usage_error(cmd,
				   "interval '%s': -c takes a number of events, on, hi or lo; -F samples a second",
				   text);
	if (*suffix && (!*text || strspn(text, "0123456789") != strlen(text)))
		return usage_error(cmd, "frequency '%s': not a number of samples a second",
				   text);
	snprintf(whole, sizeof(whole), "%s%s", text, suffix);
	if (kncpmu_interval_parse(whole, event, &err))
		return usage_error(cmd, "%s", err.text);
	return 0;
}

static int check_interval(const struct command *cmd, const char *text,
			  const char *suffix)
{
	struct knc_pmu_event event = { .event = 0 };

	return parse_interval(cmd, text, suffix, &event);
}

static int parse_chain(const struct command *cmd, const char *text,
		       unsigned int *chain)
{
	static const struct {
		const char *name;
		unsigned int chain;
	} modes[] = {
		{ "user", KNC_PMU_CONFIG_CHAIN_USER },
		{ "kernel", KNC_PMU_CONFIG_CHAIN_KERNEL },
		{ "both", KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_CHAIN_KERNEL },
	};
	unsigned int i;

	if (!text)
		text = "both";
	text += text[0] == '=';
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!strcmp(text, modes[i].name)) {
			*chain = modes[i].chain;
			return 0;
		}
	}
	return usage_error(cmd, "call chains '%s': there are user, kernel and both, as in -g=user",
			   text);
}

static int parse_frames(const struct command *cmd, const char *text,
			unsigned int *frames)
{
	unsigned long number = strtoul(text, NULL, 10);

	if (!*text || strspn(text, "0123456789") != strlen(text) || !number ||
	    number > KNC_PMU_MAX_FRAMES)
		return usage_error(cmd, "frames '%s' of a call chain: not a number from 1 to %d",
				   text, KNC_PMU_MAX_FRAMES);
	*frames = number;
	return 0;
}

/* Bytes, or with K or M behind it */
static int parse_ring(const struct command *cmd, const char *text,
		      unsigned int *size)
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
	*size = number;
	return 0;
}

/* Milliseconds, with up to six places behind the point, to ns */
static int parse_time(const struct command *cmd, const char *text,
		      unsigned long long *ns)
{
	size_t whole = strspn(text, "0123456789"), i = whole;
	unsigned long long place = NSEC_PER_MSEC / 10;

	*ns = whole && whole < 10 ? strtoull(text, NULL, 10) * NSEC_PER_MSEC : 0;
	if (text[i] == '.') {
		for (i++; text[i] >= '0' && text[i] <= '9'; i++, place /= 10)
			*ns += (text[i] - '0') * place;
	}
	if (text[i] || *ns < KNC_PMU_MIN_INTERVAL || *ns > KNC_PMU_MAX_INTERVAL)
		return usage_error(cmd,
				   "time '%s' between samples: not a number of ms from 0.1 to 1000000",
				   text);
	return 0;
}

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct record_opts *opts = ctx;

	switch (opt) {
	case 'e':
		return parse_events(cmd, opts, arg);
	case 'c':
		opts->period = arg;
		return check_interval(cmd, arg, "");
	case 'F':
		opts->freq = arg;
		return check_interval(cmd, arg, "/s");
	case 'g':
		return parse_chain(cmd, arg, &opts->chain);
	case OPT_MAX_FRAMES:
		opts->limit_frames = 1;
		return parse_frames(cmd, arg, &opts->max_frames);
	case OPT_TBS:
		return parse_time(cmd, arg, &opts->interval);
	case 'p':
	case 't':
		return target_take(cmd, opts, opt, arg);
	case OPT_NO_INHERIT:
		opts->no_inherit = 1;
		break;
	case 'C':
	case 'a':
		return take_cpus(cmd, opt, arg, &opts->cpus, &opts->have_cpus);
	case OPT_PIN:
		opts->have_pin = 1;
		return take_pin(cmd, arg, &opts->pin);
	case OPT_RING_SIZE:
		opts->have_ring = 1;
		return parse_ring(cmd, arg, &opts->ring_size);
	case 'o':
		if (!strcmp(arg, "-"))
			return usage_error(cmd, "-o -: the data file can't be a pipe; name one");
		opts->output = arg;
		break;
	case 'q':
		opts->quiet = 1;
		break;
	}
	return 0;
}

/* Which events are sampled how often */
static int complete_events(const struct command *cmd, struct record_opts *opts)
{
	int timed = opts->interval && !opts->period && !opts->freq;
	unsigned int i, sampled = 0;
	struct knc_pmu_event *event;

	if (opts->period && opts->freq)
		return usage_error(cmd,
				   "-c and -F exclude each other: choose one, or give each event its own as in EVENT@1000/s");
	if (!opts->nr_items &&
	    parse_events(cmd, opts, timed ? DEFAULT_TIMED : DEFAULT_EVENTS))
		return CTL_USAGE;
	for (i = 0; i < opts->nr_items; i++) {
		event = &opts->items[i].event;
		if (!(event->flags & KNC_PMU_EVENT_SAMPLE) && !timed &&
		    parse_interval(cmd, opts->freq ? opts->freq :
				   opts->period ? opts->period : DEFAULT_PERIOD,
				   opts->freq ? "/s" : "", event))
			return CTL_USAGE;
		sampled += !!(event->flags & KNC_PMU_EVENT_SAMPLE);
	}
	if (opts->limit_frames && !opts->chain)
		return usage_error(cmd, "--max-frames belongs to -g, which is missing");
	if (opts->chain && !sampled)
		return usage_error(cmd,
				   "time samples have no call chains (-g): have an event sampled too, with -c or -F");
	return 0;
}

/* What the command line left open */
static int complete(const struct command *cmd, struct record_opts *opts, int argc,
		    char **argv)
{
	int status = complete_events(cmd, opts);

	if (status)
		return status;
	if (optind < argc)
		opts->command = argv + optind;
	if (opts->have_pin && opts->command && !opts->quiet)
		say_pin(&opts->pin);
	return target_complete(cmd, opts);
}

/**
 * struct record - a recording
 * @opts: what was asked for
 * @rings: samples
 * @sb: what tasks do meanwhile
 * @file: where it all goes
 * @child: the command
 * @mask: signals that were blocked before
 * @fds: what is waited for: signals, samples, that the command is executed, tasks
 * @nr_fds: how many
 * @signals: a descriptor that has signals
 * @failed: something went wrong, the message is out
 * @misnamed: the file has another name, the message is out
 */
struct record {
	const struct record_opts *opts;
	struct rings rings;
	struct sideband sb;
	struct data_writer file;
	struct child child;
	sigset_t mask;
	struct pollfd *fds;
	unsigned int nr_fds;
	int signals;
	int failed;
	int misnamed;
	int evicted;
};

enum { SIGNALS, SAMPLES, EXECUTED, SIDEBAND };

/* Leave the cores that are sampled to the command, where there are others */
static void step_aside(const struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus cores = *cpus, siblings;
	unsigned int cpu, sibling;

	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		if (kncpmu_cpus_siblings(cpu, &siblings))
			continue;
		for (sibling = first_cpu(&siblings); sibling < KNC_PMU_MAX_CPUS;
		     sibling = next_cpu(&siblings, sibling))
			kncpmu_cpus_set(&cores, sibling);
	}
	keep_off(&cores, cpus);
}

static int init_fds(struct record *rec)
{
	sigset_t set;

	rec->nr_fds = SIDEBAND + rec->sb.nr_rings;
	rec->fds = calloc(rec->nr_fds, sizeof(*rec->fds));
	if (!rec->fds)
		return complain("out of memory");
	child_wanted_signals(&set);
	rec->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (rec->signals < 0)
		return complain("can't wait for signals: %s%s", strerror(errno),
				remedy(errno));
	rec->fds[SIGNALS].fd = rec->signals;
	rec->fds[SIGNALS].events = POLLIN;
	rec->fds[SAMPLES].fd = rec->rings.fd;
	rec->fds[SAMPLES].events = POLLIN;
	rec->fds[EXECUTED].fd = rec->opts->command ? rec->child.error : -1;
	rec->fds[EXECUTED].events = POLLIN;
	sideband_poll(&rec->sb, rec->fds + SIDEBAND);
	return 0;
}

/* A signal came: is the recording to end? */
static int is_over(struct record *rec)
{
	const struct timespec none = { .tv_sec = 0 };
	sigset_t set;
	int sig;

	if (rec->opts->command)
		return child_wait(&rec->child, now_ns() + NSEC_PER_MSEC) == CHILD_ENDED;
	child_wanted_signals(&set);
	sig = sigtimedwait(&set, NULL, &none);
	return sig > 0 && sig != SIGCHLD;
}

/*
 * Descriptors that would wake us again at once with nothing behind them are left
 * alone: those of a CPU that went offline for good, the session for a moment.
 */
static int calm(struct record *rec, unsigned long long drained)
{
	unsigned int i;
	int resting;

	for (i = SIDEBAND; i < rec->nr_fds; i++) {
		if (rec->fds[i].revents & ~POLLIN)
			rec->fds[i].fd = -1;
	}
	resting = rec->fds[SAMPLES].revents && !drained;
	rec->fds[SAMPLES].fd = resting || rec->evicted ? -1 : rec->rings.fd;
	return resting;
}

/* What can't be written ends the recording, not the command */
static void write_failed(struct record *rec)
{
	const struct data_writer *file = &rec->file;
	struct rings_sums sums;

	rec->failed = 1;
	kncpmu_stop(rec->rings.fd);
	rings_finish(&rec->rings);
	rings_sums(&rec->rings, &sums);
	complain("can't write to '%s': %s; the recording ends here: %llu samples are in "
		 "the file (%llu bytes), %llu are not; make room or choose another file with -o",
		 file->path, strerror(file->error), rec->rings.samples, file->size,
		 rec->rings.unwritten + sums.lost);
	if (rec->opts->command)
		child_wait(&rec->child, 0);
}

/* There is a program to record: the file of the one before makes way for this one's */
static void on_executed(struct record *rec)
{
	rec->fds[EXECUTED].fd = -1;
	if (child_executed(&rec->child))
		rec->misnamed |= writer_keep(&rec->file);
}

/* Nobody tells when what is followed and is no child of ours ends */
static int has_ended(const struct record *rec)
{
	return !rec->opts->command && rec->opts->pid &&
	       rings_flags(&rec->rings) & KNC_PMU_THREAD_ENDED;
}

/* Nothing more will be sampled; a command goes on all the same, and is waited for */
static int is_evicted(struct record *rec)
{
	if (rec->fds[SAMPLES].fd < 0 || !(rec->fds[SAMPLES].revents & POLLHUP))
		return 0;
	rec->evicted = 1;
	return !rec->opts->command;
}

static int wait_time(const struct record *rec)
{
	if (!rec->sb.nr_rings)
		return LOOK_EVERY;
	return !rec->opts->command && rec->opts->pid ? ENDED_EVERY : WRITE_EVERY;
}

static void record_until_end(struct record *rec)
{
	int every = wait_time(rec);
	int over = 0, resting = 0;
	unsigned long long drained;

	while (!over && !rec->rings.damaged) {
		if (poll(rec->fds, rec->nr_fds, resting ? REST : every) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (rec->fds[EXECUTED].revents)
			on_executed(rec);
		if (rec->fds[SIGNALS].revents)
			over = is_over(rec);
		over |= has_ended(rec) || is_evicted(rec);
		sideband_drain(&rec->sb);
		drained = rings_drain(&rec->rings);
		if (rec->file.error) {
			write_failed(rec);
			return;
		}
		resting = calm(rec, drained);
	}
	if (rec->rings.damaged && rec->opts->command)
		child_wait(&rec->child, 0);
}

/* What comes behind the samples */
static void finish(struct record *rec, int status)
{
	unsigned long long ended;

	kncpmu_stop(rec->rings.fd);
	ended = now_ns();
	rings_finish(&rec->rings);
	sideband_drain(&rec->sb);
	rec->failed |= !!rings_counts(&rec->rings);
	ksyms_write(&rec->file, &rec->rings.kernel);
	writer_put_json(&rec->file, DATA_END, record_end(&rec->rings, status, ended));
	writer_close(&rec->file);
	if (rec->file.error)
		write_failed(rec);
}

static void size_text(unsigned long long bytes, char *text, size_t size)
{
	if (bytes < 10000)
		snprintf(text, size, "%llu bytes", bytes);
	else if (bytes < 1000000)
		snprintf(text, size, "%.1f kB", bytes / 1e3);
	else
		snprintf(text, size, "%.1f MB", bytes / 1e6);
}

static void events_text(const struct rings *r, char *text, size_t size)
{
	char name[KNCPMU_SPEC_LEN];
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < r->config.nr_events && len < size; i++) {
		kncpmu_spec_format(&r->events[i], name, sizeof(name));
		len += snprintf(text + len, size - len, "%s%s", i ? ", " : "", name);
	}
}

/* Time samples are named as such: report does not mix them with the others */
static void samples_text(const struct rings *r, char *text, size_t size)
{
	unsigned long long others = r->samples - r->times;

	if (!r->times)
		snprintf(text, size, "%llu sample%s", others, plural_of(others));
	else if (!others)
		snprintf(text, size, "%llu time sample%s", r->times, plural_of(r->times));
	else
		snprintf(text, size, "%llu sample%s and %llu time sample%s", others,
			 plural_of(others), r->times, plural_of(r->times));
}

/* What was recorded, behind the events */
static void where_text(const struct record_opts *opts, char *text, size_t size)
{
	char cpus[CPUS_TEXT];

	kncpmu_cpus_format(&opts->cpus, cpus, sizeof(cpus));
	if (opts->target == TARGET_CPUS)
		snprintf(text, size, "on CPU%s %s", plural(&opts->cpus), cpus);
	else
		snprintf(text, size, "in %s", opts->who);
}

/* Why there are no samples */
static const char *nothing_text(const struct rings *r)
{
	struct kncpmu_card card;
	unsigned int i;

	kncpmu_card_read(&card);
	for (i = 0; i < r->config.nr_events; i++) {
		if (!kncpmu_card_lacks(&card, &r->events[i]))
			return "the period may be longer than all that was counted: "
			       "use -c hi or a number";
	}
	return card.emulated ? "the emulated card never counts this; a real one does" :
			       "there is nothing on this card that could count it";
}

static void closing_line(const struct record *rec)
{
	char events[2 * KNCPMU_SPEC_LEN + 4], size[32], where[CPUS_TEXT + 16], samples[96];
	struct rings_sums sums;

	rings_sums(&rec->rings, &sums);
	events_text(&rec->rings, events, sizeof(events));
	samples_text(&rec->rings, samples, sizeof(samples));
	size_text(rec->file.size, size, sizeof(size));
	where_text(rec->opts, where, sizeof(where));
	fprintf(stderr, "%s record: %s of %s %s written to %s (%s)",
		PROGRAM, samples, events, intern_text(where),
		intern_text(rec->file.path), size);
	if (sums.lost && rec->rings.config.ring_size < rec->opts->ring_size)
		fprintf(stderr,
			"; %llu lost: the rings have %u bytes, you may lock no more memory; raise that (ulimit -l), or use a longer period",
			sums.lost, rec->rings.config.ring_size);
	else if (sums.lost)
		fprintf(stderr, "; %llu lost: use a bigger --ring-size or a longer period",
			sums.lost);
	if (sums.throttles)
		fprintf(stderr,
			"; throttled %llu time%s, %llu events not sampled: use a longer period",
			sums.throttles, plural_of(sums.throttles), sums.unsampled);
	if (!sums.samples && !rec->rings.samples)
		fprintf(stderr, "; %s", nothing_text(&rec->rings));
	if (rec->opts->user_only)
		fprintf(stderr,
			"; kernel mode is left out, which needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN)");
	fputc('\n', stderr);
	if (rec->evicted)
		complain("warning: evicted: a privileged user has taken the counters away "
			 "('knc-pmuctl reset --force' does that); nothing was sampled from "
			 "then on; record again");
	if (rec->opts->target != TARGET_CPUS &&
	    rings_flags(&rec->rings) & KNC_PMU_THREAD_PARTIAL)
		complain("warning: something was not followed to its end: it executed a program "
			 "that is not yours to look at (set-user-ID), or there was no memory; "
			 "run as root to follow the former too");
}

/* What there is of whom is recorded: names and mappings */
static void learn(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	int pid = opts->target == TARGET_COMMAND ? rec->child.pid : opts->pid;

	if (opts->target == TARGET_CPUS) {
		sideband_listen(&rec->sb, 0);
		proc_snapshot(&rec->sb);
		return;
	}
	if (opts->target == TARGET_THREAD)
		pid = proc_of_thread(pid);
	sideband_listen(&rec->sb, pid);
	/* the command has yet to become what it is */
	if (opts->target != TARGET_COMMAND)
		sideband_look(&rec->sb, pid, 0);
}

/* Everything that is there when the first sample is taken */
static int begin(struct record *rec)
{
	int ret;

	rec->sb.hold = 1;
	learn(rec);
	if (init_fds(rec))
		return CTL_FAILED;
	if (writer_put_json(&rec->file, DATA_INFO,
			    record_info(rec->opts, &rec->rings, rec->child.pid, now_ns())))
		return complain("can't write to '%s': %s; choose another file with -o",
				rec->file.path, strerror(rec->file.error));
	/* a command that is followed starts it by being executed */
	ret = rec->opts->target == TARGET_COMMAND ? 0 : kncpmu_start(rec->rings.fd);
	if (ret)
		return explain_op(KNCPMU_OP_START, ret, 0);
	rec->sb.hold = 0;
	return 0;
}

/* The command has ended: its exit status, @*why if it was not executed */
static int end_command(struct record *rec, int *why)
{
	if (!rec->opts->command)
		return CTL_OK;
	child_reap(&rec->child);
	*why = child_exec_error(&rec->child);
	if (*why)
		return child_exec_failed(rec->opts->command[0], *why);
	return child_exit_status(&rec->child);
}

/* The session first: if it is refused the old file is kept */
static int open_all(struct record *rec)
{
	const struct record_opts *opts = rec->opts;

	if (rings_open(&rec->rings, opts, opts->pid ? opts->pid : rec->child.pid))
		return CTL_FAILED;
	return writer_create(&rec->file, opts->output);
}

/* From the command's fork to the last line */
static int run_recording(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	int status = CTL_OK, why = 0;

	if (opts->command)
		status = child_spawn(&rec->child, opts->command,
				     opts->have_pin ? &opts->pin : NULL, &rec->mask);
	if (status)
		return status;
	/* a full disk and a closed pipe are told by write() */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (opts->have_pin || opts->target == TARGET_CPUS)
		step_aside(opts->have_pin ? &opts->pin : &opts->cpus);
	if (open_all(rec) || begin(rec)) {
		rec->failed = 1;
		status = end_command(rec, &why);
		writer_discard(&rec->file);
		return status ? status : CTL_FAILED;
	}
	if (opts->command)
		child_release(&rec->child);
	else
		rec->misnamed |= writer_keep(&rec->file);
	record_until_end(rec);
	kncpmu_stop(rec->rings.fd);
	status = end_command(rec, &why);
	if (why) {
		writer_discard(&rec->file);
		return status;
	}
	rec->misnamed |= writer_keep(&rec->file);
	if (!rec->failed)
		finish(rec, status);
	if (!rec->failed && !rec->rings.damaged && !opts->quiet)
		closing_line(rec);
	if (!status && (rec->failed || rec->misnamed || rec->rings.damaged))
		status = CTL_FAILED;
	return status;
}

static int record_init(struct record *rec, const struct record_opts *opts)
{
	rec->opts = opts;
	rec->signals = -1;
	rec->file.fd = -1;
	rec->rings.file = &rec->file;
	rec->rings.sb = &rec->sb;
	if (sideband_init(&rec->sb, &rec->file))
		return CTL_FAILED;
	if (child_signals(&rec->mask))
		return complain("can't block signals: %s", strerror(errno));
	return 0;
}

static void record_free(struct record *rec)
{
	rings_close(&rec->rings);
	sideband_free(&rec->sb);
	writer_close(&rec->file);
	if (rec->signals >= 0)
		close(rec->signals);
	free(rec->fds);
}

static int run_record(const struct command *cmd, int argc, char **argv)
{
	static struct record_opts opts = {
		.max_frames = KNC_PMU_MAX_FRAMES,
		.ring_size = DEFAULT_RING,
		.output = DATA_DEFAULT,
	};
	static struct record rec = { .rings.fd = -1 };
	int status;

	if (parse_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	status = complete(cmd, &opts, argc, argv);
	if (status)
		return status;
	status = target_choose_rings(&opts);
	if (!status)
		status = record_init(&rec, &opts);
	if (!status)
		status = run_recording(&rec);
	record_free(&rec);
	return status;
}

const struct command record_command = {
	.name = "record",
	.summary = "take samples while a command runs, into a data file",
	.usage = usage,
	.shorts = "+:he:c:F:g::p:t:C:ao:q",
	.longs = options,
	.run = run_record,
};
