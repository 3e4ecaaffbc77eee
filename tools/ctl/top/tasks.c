// SPDX-License-Identifier: GPL-2.0
/*
 * knc-pmuctl top: the busiest processes
 *
 * Each has a session that follows it and the tasks that it creates. A child is counted with its
 * parent until it is one of the busiest itself; then the parent's session is reopened.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <kernel-file.h>
#include <names.h>

#include "cli/clock.h"
#include "top/rows.h"

/* /proc/PID/stat after the name: state, parent, flags, times, threads, start time */
#define STAT_FIELDS	"%c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu " \
			"%*d %*d %*d %*d %u %*d %llu"
#define KERNEL_THREAD	0x00200000	/* flags of /proc/PID/stat */

/**
 * struct process - a process, from /proc
 * @pid: its number
 * @parent: the number of its parent
 * @kernel: it is a thread of the kernel
 * @start: when it was started, in ticks; unique together with @pid
 * @time: ticks for which it ran
 * @load: how busy it is, for the order
 * @name: its name
 */
struct process {
	int pid;
	int parent;
	int kernel;
	unsigned long long start;
	unsigned long long time;
	double load;
	char name[KNCPMU_COMM_LEN];
};

/**
 * struct scan - all processes
 * @process: the processes
 * @nr: number of processes
 */
struct scan {
	struct process *process;
	unsigned int nr;
};

/**
 * struct watched - a process that is shown
 * @process: the process
 * @fd: its session; -1: none
 * @keep: it is also shown after the next scan
 * @note: why it has no session
 * @before: the last reading
 * @since: when it was read, ns
 * @rest: counts of an earlier session that were not shown yet
 * @ticks: @time of the process at @since
 * @readings: of a level, since it has its session
 */
struct watched {
	struct process process;
	int fd;
	int keep;
	char note[TOP_NOTE];
	struct top_counts before;
	unsigned long long since;
	struct top_counts rest;
	unsigned long long ticks;
	struct level_readings readings;
};

/**
 * struct top_tasks - processes that are shown
 * @watched: the processes
 * @nr: number of processes
 * @last: the last scan
 */
struct top_tasks {
	struct watched watched[TOP_MAX_TASKS];
	unsigned int nr;
	struct scan last;
};

/* Read a process from /proc; -1: it has ended, or belongs to another user */
static int read_process(int pid, struct process *p)
{
	unsigned long long user, sys;
	unsigned int flags, threads;
	char path[32], text[1024], state, *rest, *name;
	struct stat st;

	memset(p, 0, sizeof(*p));
	p->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (geteuid() && (stat(path, &st) || st.st_uid != geteuid()))
		return -1;
	rest = kncpmu_proc_stat(pid, text, sizeof(text));
	name = rest ? strchr(text, '(') : NULL;
	if (!name++)
		return -1;
	kncpmu_clean(name, rest - strlen(") ") - name, p->name, sizeof(p->name));
	if (sscanf(rest, STAT_FIELDS, &state, &p->parent, &flags, &user, &sys, &threads,
		   &p->start) != 7)
		return -1;
	/* the main thread is a zombie: unless there are other threads the process has ended */
	if (state == 'Z' && threads < 2)
		return -1;
	p->kernel = !!(flags & KERNEL_THREAD);
	p->time = user + sys;
	return 0;
}

static const struct process *find_process(const struct scan *scan, int pid,
					  unsigned long long start)
{
	unsigned int i;

	for (i = 0; i < scan->nr; i++) {
		if (scan->process[i].pid == pid && scan->process[i].start == start)
			return &scan->process[i];
	}
	return NULL;
}

/*
 * Ticks for which @p ran since the last scan; all its ticks if it is new. At the first scan: the
 * share of its life for which it ran.
 */
static double load_of(const struct top_tasks *k, const struct process *p,
		      unsigned long long now)
{
	const struct process *before = find_process(&k->last, p->pid, p->start);
	double share = 0;

	if (now > p->start)
		share = (double)p->time / (now - p->start);
	if (!before)
		return k->last.nr ? p->time : share;
	/* the lifetime share keeps the order of idle processes stable */
	return p->time - before->time + share / 1000;
}

static unsigned long long ticks_since_boot(void)
{
	return kncpmu_boot_ns() / (NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
}

static int add_process(struct scan *scan, const struct process *p)
{
	struct process *more;

	/* room grows in powers of two */
	if (!(scan->nr & (scan->nr - 1))) {
		more = realloc(scan->process, (scan->nr ? 2 * scan->nr : 1) * sizeof(*more));
		if (!more)
			return -1;
		scan->process = more;
	}
	scan->process[scan->nr++] = *p;
	return 0;
}

static int wanted(const struct top *t, const struct process *p)
{
	unsigned int i;

	if (!t->nr_pids)
		return !p->kernel && p->pid != getpid();
	for (i = 0; i < t->nr_pids; i++) {
		if (t->pids[i] == p->pid)
			return 1;
	}
	return 0;
}

static int by_load(const void *one, const void *other)
{
	const struct process *a = one, *b = other;

	if (a->load != b->load)
		return a->load > b->load ? -1 : 1;
	return a->pid - b->pid;
}

/* List all processes that might be shown, the busiest first. Returns 0, or -1 with @err. */
static int scan_processes(struct top *t, struct scan *scan, struct kncpmu_error *err)
{
	unsigned long long now = ticks_since_boot();
	struct dirent *entry;
	struct process p;
	int error = kncpmu_proc_own();
	DIR *dir = error ? NULL : opendir("/proc");

	memset(scan, 0, sizeof(*scan));
	if (!dir) {
		snprintf(err->text, sizeof(err->text), "can't read /proc: %s",
			 kncpmu_kernel_why("/proc", error ? : -errno));
		return -1;
	}
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    read_process(atoi(entry->d_name), &p) || !wanted(t, &p))
			continue;
		p.load = load_of(t->tasks, &p, now);
		if (add_process(scan, &p))
			break;
	}
	closedir(dir);
	if (scan->nr)
		qsort(scan->process, scan->nr, sizeof(*scan->process), by_load);
	return 0;
}

static struct watched *find_watched(struct top_tasks *k, int pid)
{
	unsigned int i;

	for (i = 0; i < k->nr; i++) {
		if (k->watched[i].process.pid == pid)
			return &k->watched[i];
	}
	return NULL;
}

/* Has the process ended, and does another one have its number? */
static int is_another(const struct process *p)
{
	struct process now;

	return !read_process(p->pid, &now) && now.start != p->start;
}

static int config_task(struct top *t, struct watched *w, struct knc_pmu_config *config)
{
	memset(&w->readings, 0, sizeof(w->readings));
	if (t->set.level)
		return top_level_config(t, w->fd, NULL, w->process.pid, config);
	return kncpmu_config_task(w->fd, w->process.pid, t->set.events, t->set.nr,
				  KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT, config);
}

/* Open a session for a process; returns 0, or a negative errno with the reason in @config */
static int open_session(struct top *t, struct watched *w, struct knc_pmu_config *config)
{
	int ret;

	memset(config, 0, sizeof(*config));
	kncpmu_close(w->fd);
	w->note[0] = '\0';
	memset(&w->before, 0, sizeof(w->before));
	w->fd = kncpmu_open(NULL);
	if (w->fd < 0)
		return w->fd;
	ret = config_task(t, w, config);
	w->since = now_ns();
	if (!ret && is_another(&w->process))
		ret = -ESRCH;
	if (!ret)
		ret = kncpmu_start(w->fd);
	if (ret) {
		kncpmu_close(w->fd);
		w->fd = -1;
		return ret;
	}
	/*
	 * All sessions must have the same counters: the module refuses to count a task twice on one
	 * counter, but not on different counters.
	 */
	if (t->set.nr == 1)
		t->set.events[0].counters = 1U << t->set.events[0].counter;
	return 0;
}

/* The shown process that is an ancestor of @w; NULL: none */
static struct watched *find_ancestor(struct top_tasks *k, const struct watched *w)
{
	struct process p = w->process;
	struct watched *found;
	int depth;

	for (depth = 0; depth < 64 && p.parent > 0; depth++) {
		found = find_watched(k, p.parent);
		if (found && found != w && found->fd >= 0)
			return found;
		if (read_process(p.parent, &p))
			break;
	}
	return NULL;
}

static int read_counts(const struct top *t, const struct watched *w, struct top_counts *counts,
		       unsigned long long *time)
{
	unsigned char record[KNC_PMU_SET_SIZE(KNC_PMU_MAX_SET)] __attribute__((aligned(8)));

	if (w->fd < 0 || kncpmu_read(w->fd, record, sizeof(record), 0) != 1)
		return -1;
	top_take_record(&t->set, (const void *)record, counts);
	*time = ((const struct knc_pmu_thread *)record)->time;
	return 0;
}

/* @sum += @now - @before */
static void add_difference(struct top_counts *sum, const struct top_counts *now,
			   const struct top_counts *before)
{
	unsigned int i;

	sum->enabled += now->enabled - before->enabled;
	sum->running += now->running - before->running;
	for (i = 0; i < KNC_PMU_MAX_SET; i++) {
		sum->value[i] += now->value[i] - before->value[i];
		sum->counted[i] += now->counted[i] - before->counted[i];
	}
}

/*
 * Open a new session for a process whose session was closed. Counts of the old session that were
 * not shown yet are added to the new one's, or shown alone if the process has ended.
 */
static void reopen(struct top *t, struct watched *w, const struct top_counts *last)
{
	unsigned long long since = w->since;
	struct knc_pmu_config ignored;

	add_difference(&w->rest, last, &w->before);
	if (open_session(t, w, &ignored))
		snprintf(w->note, sizeof(w->note), "lost: it is not followed any more");
	w->since = since;
}

/* Give a child that is counted with a shown process a session of its own */
static int part_from_parent(struct top *t, struct watched *w, struct knc_pmu_config *config)
{
	struct watched *parent = find_ancestor(t->tasks, w);
	unsigned long long time;
	struct top_counts last;
	int ret;

	if (!parent)
		return -EBUSY;
	/* until both are followed again, neither parent nor child is counted */
	if (read_counts(t, parent, &last, &time))
		last = parent->before;
	kncpmu_close(parent->fd);
	parent->fd = -1;
	ret = open_session(t, w, config);
	reopen(t, parent, &last);
	return ret;
}

static void note_failure(struct watched *w, int ret, const struct knc_pmu_config *config)
{
	if (w->process.kernel && config->reason == KNC_PMU_REASON_TASK_NONE)
		snprintf(w->note, sizeof(w->note), "a thread of the kernel can't be followed");
	else
		top_note(w->note, sizeof(w->note), ret, config);
}

/* Follow a process; returns less than 0 with @err if no process can be followed */
static int follow(struct top *t, struct watched *w, struct kncpmu_error *err)
{
	struct knc_pmu_config config;
	int ret = open_session(t, w, &config);

	if (ret && config.reason == KNC_PMU_REASON_PRIVILEGE && !t->user_only &&
	    top_user_only(&t->set)) {
		t->user_only = 1;
		ret = open_session(t, w, &config);
	}
	if (ret && config.reason == KNC_PMU_REASON_TASK_BUSY && config.reason_pid == getpid())
		ret = part_from_parent(t, w, &config);
	if (!ret)
		return 0;
	note_failure(w, ret, &config);
	if (top_fails_alone(ret, &config))
		return 0;
	return top_fail(err, config.nr_events ? KNCPMU_OP_CONFIG : KNCPMU_OP_OPEN, ret,
			config.nr_events ? &config : NULL, t->set.events);
}

/* Drop processes that are no longer among the busiest, or have ended */
static void drop_watched(struct top_tasks *k)
{
	unsigned int i, nr = 0;

	for (i = 0; i < k->nr; i++) {
		if (!k->watched[i].keep)
			kncpmu_close(k->watched[i].fd);
		else
			k->watched[nr++] = k->watched[i];
	}
	k->nr = nr;
}

static unsigned int max_watched(const struct top *t)
{
	return t->nr_pids ? TOP_MAX_TASKS : t->max_tasks;
}

/* Mark the shown processes that are among the busiest of @scan, and update them */
static void update_watched(struct top *t, const struct scan *scan)
{
	unsigned int i, max = max_watched(t);
	struct top_tasks *k = t->tasks;
	struct watched *w;

	for (i = 0; i < k->nr; i++)
		k->watched[i].keep = 0;
	for (i = 0; i < scan->nr && i < max; i++) {
		w = find_watched(k, scan->process[i].pid);
		if (w && w->process.start == scan->process[i].start) {
			w->process = scan->process[i];
			w->keep = 1;
		}
	}
}

/* Show the busiest processes of @scan, which becomes the last scan */
static int choose(struct top *t, struct scan *scan, struct kncpmu_error *err)
{
	unsigned int i, max = max_watched(t);
	struct top_tasks *k = t->tasks;
	struct watched *w;
	int ret = 0;

	drop_watched(k);
	for (i = 0; i < scan->nr && i < max; i++) {
		if (find_watched(k, scan->process[i].pid))
			continue;
		w = &k->watched[k->nr++];
		memset(w, 0, sizeof(*w));
		w->process = scan->process[i];
		w->ticks = w->process.time;
		w->fd = -1;
	}
	for (i = 0; i < k->nr && !ret; i++) {
		if (k->watched[i].fd < 0)
			ret = follow(t, &k->watched[i], err);
	}
	free(k->last.process);
	k->last = *scan;
	return ret;
}

void top_tasks_close(struct top *t)
{
	struct top_tasks *k = t->tasks;
	unsigned int i;

	t->tasks = NULL;
	if (!k)
		return;
	for (i = 0; i < k->nr; i++)
		kncpmu_close(k->watched[i].fd);
	free(k->last.process);
	free(k);
}

int top_tasks_open(struct top *t, struct kncpmu_error *err)
{
	struct scan scan;

	t->tasks = calloc(1, sizeof(*t->tasks));
	if (!t->tasks) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -1;
	}
	if (scan_processes(t, &scan, err) || choose(t, &scan, err))
		return -1;
	if (!t->nr_pids || t->tasks->nr)
		return 0;
	snprintf(err->text, sizeof(err->text),
		 "the processes of -p have ended or belong to other users: list yours with ps");
	return -1;
}

/* Make the row of a level. Levels have no times: show the process' time from /proc, in ticks */
static int make_level_row(struct top *t, struct watched *w, struct top_row *row)
{
	unsigned long long now = now_ns(), ns = now - w->since;

	if (w->since && ns)
		row->busy = 100.0 * NSEC_PER_SEC / sysconf(_SC_CLK_TCK) *
			    (w->process.time - w->ticks) / ns;
	w->since = now;
	w->ticks = w->process.time;
	snprintf(row->note, sizeof(row->note), "%s", w->note);
	return w->fd < 0 ? 0 : top_level_read(t, w->fd, &w->readings, row);
}

static int make_count_row(struct top *t, struct watched *w, struct top_row *row)
{
	static const struct top_counts nothing;
	struct top_counts now, counts;
	unsigned long long time;

	if (read_counts(t, w, &now, &time)) {
		snprintf(row->note, sizeof(row->note), "%s", w->rest.enabled ? "" : w->note);
		now = w->before;
		time = w->since;
	}
	counts = w->rest;
	add_difference(&counts, &now, &w->before);
	top_subtract(t, &counts, &nothing, row);
	if (time > w->since)
		row->busy = 100.0 * counts.enabled / (time - w->since);
	w->since = time;
	w->before = now;
	memset(&w->rest, 0, sizeof(w->rest));
	return now.flags & KNC_PMU_THREAD_EVICTED ? -ECANCELED : 0;
}

/* Make a row; returns 0, or the negative errno of a failure that concerns all rows */
static int make_row(struct top *t, struct watched *w, struct top_row *row)
{
	memset(row, 0, sizeof(*row));
	row->id = w->process.pid;
	row->core = -1;
	memcpy(row->name, w->process.name, sizeof(row->name));
	return t->set.level ? make_level_row(t, w, row) : make_count_row(t, w, row);
}

/* Leave out core-wide counts, because two programs on one core would count the same events */
static void add_row(struct top *t, const struct top_row *row)
{
	struct top_row *total = &t->total;
	unsigned int i;

	total->busy += row->busy;
	for (i = 0; i < t->set.nr; i++) {
		total->value[i] += row->value[i];
		if (row->precision[i] > total->precision[i])
			total->precision[i] = row->precision[i];
		if (kncpmu_event_core_wide(t->card.pmu, &t->set.events[i]))
			total->precision[i] = PRECISION_NONE;
	}
}

/*
 * Scan the processes, then read the counts: this shows an ended process once more, with its last
 * counts.
 */
int top_tasks_read(struct top *t, struct kncpmu_error *err)
{
	struct top_tasks *k = t->tasks;
	struct top_row *rows = calloc(k->nr + 1, sizeof(*rows));
	struct scan scan;
	unsigned int i;
	int ret = 0;

	if (!rows) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -1;
	}
	if (scan_processes(t, &scan, err)) {
		free(rows);
		return -1;
	}
	update_watched(t, &scan);
	free(t->rows);
	t->rows = rows;
	t->nr_rows = k->nr;
	memset(&t->total, 0, sizeof(t->total));
	for (i = 0; i < k->nr && !ret; i++) {
		ret = make_row(t, &k->watched[i], &rows[i]);
		add_row(t, &rows[i]);
	}
	if (t->set.level)
		top_level_total(t);
	if (!ret)
		return choose(t, &scan, err);
	free(scan.process);
	return top_fail(err, KNCPMU_OP_READ, ret, NULL, NULL);
}
