// SPDX-License-Identifier: GPL-2.0
/* A recording, from the fork of its command to the closing line */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/cpus.h"
#include "record/jit.h"
#include "record/known.h"
#include "record/listen.h"
#include "record/marks.h"
#include "record/proc.h"
#include "record/sideband.h"
#include "record/summary.h"

/* How often to write, ms: as much is lost if this program is killed */
#define WRITE_EVERY	1000
/* How often to write if processes must be read from /proc before they end, ms */
#define LOOK_EVERY	20
/* Time between checks whether an existing target has ended, ms */
#define ENDED_EVERY	100
/* How long to leave out of poll() a descriptor that is ready without data, ms */
#define REST		10

/**
 * struct record - a recording
 * @opts: the command line
 * @rings: the session and its rings
 * @sb: records of tasks
 * @modules: modules of the kernel
 * @marks: visits of the command's regions
 * @file: the data file
 * @child: the command
 * @mask: the signal mask at the start, for the command
 * @fds: descriptors to poll: signals, samples, exec of the command, modules, records of tasks
 * @nr_fds: number of @fds
 * @signals: the signalfd
 * @began: when it began, s since 1970
 * @failed: an error has been printed
 * @misnamed: the file kept its temporary name, which has been printed
 * @evicted: the session was evicted
 */
struct record {
	const struct record_opts *opts;
	struct rings rings;
	struct sideband sb;
	struct modules modules;
	struct marks marks;
	struct data_writer file;
	struct child child;
	sigset_t mask;
	struct pollfd *fds;
	unsigned int nr_fds;
	int signals;
	time_t began;
	int failed;
	int misnamed;
	int evicted;
};

enum { SIGNALS, SAMPLES, EXECUTED, MODULES, SIDEBAND };

/* Leave the sampled cores to the command, if there are others */
static void step_aside(const struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus cores = *cpus, siblings;
	unsigned int cpu;

	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		if (!kncpmu_cpus_siblings(cpu, &siblings))
			kncpmu_cpus_or(&cores, &siblings);
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
	rec->fds[MODULES].fd = rec->modules.events;
	rec->fds[MODULES].events = POLLIN;
	sideband_poll(&rec->sb, rec->fds + SIDEBAND);
	return 0;
}

/* Take a signal; returns whether the recording is to end */
static int is_over(struct record *rec)
{
	const struct timespec none = { .tv_sec = 0 };
	sigset_t set;
	int sig;

	if (rec->opts->command)
		return child_wait(&rec->child, now_ns() + NSEC_PER_MSEC) == WAIT_OVER;
	child_wanted_signals(&set);
	sig = sigtimedwait(&set, NULL, &none);
	return sig > 0 && sig != SIGCHLD;
}

/*
 * Don't poll descriptors that are ready but have no data, because poll() would return at once. The
 * rings of offline CPUs are left out for good, the session for REST ms.
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

/* A write error ends the recording, not the command */
static void write_failed(struct record *rec)
{
	const struct data_writer *file = &rec->file;
	struct rings_sums sums;

	rec->failed = 1;
	kncpmu_stop(rec->rings.fd);
	rings_finish(&rec->rings);
	rings_sums(&rec->rings, &sums);
	complain("can't write to '%s': %s; the recording ends here: %llu samples are in "
		 "the file (%llu bytes), %llu are not; free space, or choose another file with -o",
		 file->path, strerror(file->error), rec->rings.samples, file->size,
		 rec->rings.unwritten + sums.lost);
	if (rec->opts->command)
		child_wait(&rec->child, 0);
}

/* The command has been executed: from now on the new file replaces an existing one */
static void on_executed(struct record *rec)
{
	rec->fds[EXECUTED].fd = -1;
	if (child_executed(&rec->child))
		rec->misnamed |= writer_keep(&rec->file);
}

/*
 * Has an existing target ended? It is no child of this program, but READ tells whether a task is
 * still followed.
 */
static int has_ended(const struct record *rec)
{
	return !rec->opts->command && rec->opts->pid &&
	       rings_flags(&rec->rings) & KNC_PMU_THREAD_ENDED;
}

/* Was the session evicted? A command then continues, without samples, until its end */
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
	int over = 0, resting = 0, wait;
	unsigned long long drained;

	while (!over && !rec->rings.damaged) {
		wait = resting ? REST : marks_wait(&rec->marks, every);
		if (poll(rec->fds, rec->nr_fds, wait) < 0) {
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
		modules_drain(&rec->modules);
		marks_drain(&rec->marks);
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

/* Write the chunks that follow the samples */
static void finish(struct record *rec, int status)
{
	unsigned long long ended;

	kncpmu_stop(rec->rings.fd);
	ended = now_ns();
	rings_finish(&rec->rings);
	sideband_drain(&rec->sb);
	jit_write(&rec->sb, rec->began);
	rec->failed |= !!rings_counts(&rec->rings);
	marks_end(&rec->marks, !!rec->sb.nr_rings);
	modules_end(&rec->modules);
	ksyms_write(&rec->file, &rec->rings.kernel, &rec->modules);
	writer_put_json(&rec->file, DATA_END, record_end(&rec->rings, status, ended));
	writer_close(&rec->file);
	if (rec->file.error)
		write_failed(rec);
}

/* Read names and mappings of the tasks that are recorded */
static void learn(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	int pid = opts->target == TARGET_COMMAND ? rec->child.pid : opts->pid;

	if (opts->target == TARGET_CPUS) {
		listen_start(&rec->sb, 0);
		known_scan(&rec->sb);
		return;
	}
	if (opts->target == TARGET_THREAD)
		pid = proc_of_thread(pid) ? : pid;
	listen_start(&rec->sb, pid);
	if (opts->target != TARGET_COMMAND || !rec->sb.nr_rings)
		known_check();
	/* a command gets its name and mappings later, by exec */
	if (opts->target != TARGET_COMMAND)
		known_look(&rec->sb, pid, 0);
}

/* Are samples of kernel mode wanted? Without, a late interrupt may still cause a few */
static int samples_kernel(const struct record_opts *opts)
{
	unsigned int i;

	for (i = 0; i < opts->nr_items; i++) {
		if (opts->items[i].event.flags & KNC_PMU_EVENT_OS)
			return 1;
	}
	return opts->interval || opts->chain & KNC_PMU_CONFIG_CHAIN_KERNEL;
}

/* Write everything that precedes the first sample, and start */
static int begin(struct record *rec)
{
	int ret;

	rec->sb.hold = 1;
	rec->began = time(NULL);
	learn(rec);
	modules_begin(&rec->modules, samples_kernel(rec->opts));
	if (init_fds(rec))
		return CTL_FAILED;
	if (writer_put_json(&rec->file, DATA_INFO,
			    record_info(rec->opts, &rec->rings, rec->child.pid, now_ns())))
		return cant_write(rec->file.path, rec->file.error, "-o");
	/* for a command the exec starts the session, if the kernel reports exec to modules */
	ret = rec->rings.config.flags & KNC_PMU_CONFIG_ON_EXEC ? 0 :
	      kncpmu_start(rec->rings.fd);
	if (ret)
		return explain_op(KNCPMU_OP_START, ret, 0);
	rec->sb.hold = 0;
	return 0;
}

/* Reap the command; returns its exit status, and in @why the errno of a failed exec */
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

/* Open the session before the file: a refusal must not touch an existing file */
static int open_all(struct record *rec)
{
	const struct record_opts *opts = rec->opts;

	if (rings_open(&rec->rings, opts, opts->pid ? opts->pid : rec->child.pid))
		return CTL_FAILED;
	return writer_create(&rec->file, opts->output);
}

/* End the recording: write the rest of the file, print the closing line; returns the exit status */
static int conclude(struct record *rec, int status)
{
	rec->misnamed |= writer_keep(&rec->file);
	if (!rec->failed)
		finish(rec, status);
	if (!rec->failed && !rec->rings.damaged && !rec->opts->quiet)
		print_summary(rec->opts, &rec->rings, &rec->marks, &rec->file, rec->evicted);
	if (!status && (rec->failed || rec->misnamed || rec->rings.damaged))
		status = CTL_FAILED;
	return status;
}

/* Fork the command, which inherits the file for the visits of its regions */
static int spawn(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	int status;

	if (!opts->no_marks)
		marks_open(&rec->marks, &rec->file);
	status = child_spawn(&rec->child, opts->command, opts->have_pin ? &opts->pin : NULL,
			     &rec->mask);
	marks_hide(&rec->marks);
	return status;
}

/* Record from the command's fork to the closing line */
static int run_recording(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	int status = CTL_OK, why = 0;

	if (opts->command)
		status = spawn(rec);
	if (status)
		return status;
	/* write() returns EFBIG and EPIPE instead */
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
	return conclude(rec, status);
}

static int record_init(struct record *rec, const struct record_opts *opts)
{
	rec->opts = opts;
	rec->signals = -1;
	rec->file.fd = -1;
	rec->modules.events = -1;
	rec->marks.fd = -1;
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
	modules_free(&rec->modules);
	marks_free(&rec->marks);
	writer_close(&rec->file);
	if (rec->signals >= 0)
		close(rec->signals);
	free(rec->fds);
}

int record_run(const struct record_opts *opts)
{
	static struct record rec = { .rings.fd = -1 };
	int status = record_init(&rec, opts);

	if (!status)
		status = run_recording(&rec);
	record_free(&rec);
	return status;
}
