// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of operations of /dev/knc_pmu in executed guest instructions: see measure.h.
 * tools/ctl/bench/operations.c has the table of operations of a single session.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/operations.h"
#include "knc_pmu.h"
#include "measure.h"

/* Measurements of each bystander, of which the median is shown */
#define BYSTANDERS	33

static int ipi_fd = -1;

/* Needed by all parts that have a session; the module must be loaded */
static void init_operations(void)
{
	int file = kncpmu_open(NULL);

	die_of("INFO", file < 0 ? file : operations_init(file));
	close(file);
}

static int must_open(const struct setup *setup)
{
	int file = session_open(setup);

	die_of("CONFIG", file);
	return file;
}

static void start(void)
{
	if (session_start())
		die("START");
}

static void show_operation(const struct operation *op, const struct scope *scope, unsigned int nr)
{
	struct cost c;
	char name[64];

	operation_name(op, scope, nr, name, sizeof(name));
	die_of(name, operation_cost(op, scope, nr, 0, &c));
	show(name, 0, c.least);
}

/* Show the operations of @scope whose flags include @kind; @samples: OF_SAMPLES, or 0 */
static void show_operations(const struct scope *scope, unsigned int kind, unsigned int samples)
{
	unsigned int sizes[MAX_SIZES], nr, i;
	const struct operation *op;

	for (op = operations; op->name; op++) {
		if ((op->kind & kind) != kind || (op->kind & OF_SAMPLES) != samples)
			continue;
		nr = operation_sizes(op, sizes);
		for (i = 0; i < nr; i++)
			show_operation(op, scope, sizes[i]);
	}
}

/* Show how a request of this user is refused */
static void show_refusal(const char *row, const struct scope *scope, unsigned int event_flags)
{
	struct setup setup = { .scope = scope, .nr = 1, .event_flags = event_flags };
	int err = session_open(&setup);

	if (err < 0) {
		show_refused(row, -err);
		return;
	}
	session_close();
	show(row, 0, 0);
}

static void show_task(void)
{
	show_operations(&own_task, OF_TASK, 0);
	show_refusal("task.kernel-mode", &own_task, KNC_PMU_EVENT_OS);
	show_refusal("task.hardware-thread", &own_thread, 0);
}

/* Start a session that samples */
static const struct knc_pmu_ring *start_samples(const struct setup *setup)
{
	const struct knc_pmu_ring *ring;

	must_open(setup);
	ring = session_map(0);
	if (!ring)
		die("mmap");
	start();
	return ring;
}

static void end_samples(void)
{
	session_unmap();
	session_close();
}

/* Show what sampling at this rate adds to RATE_WORK; the clock counts 1 ns for each instruction */
static void show_rate(const struct scope *s, int khz)
{
	struct setup setup = { .scope = s, .nr = 1, .period = 1000000 / khz };
	const struct knc_pmu_ring *ring;
	long none = rate_work(), sampled;
	char name[64];

	ring = start_samples(&setup);
	sampled = rate_work();
	if (ring->lost || ring->throttles)
		die("samples are missing");
	end_samples();
	snprintf(name, sizeof(name), "%s.rate.%%d", s->name);
	show(name, khz, sampled - none);
}

/* Show the bytes of a sample with a call chain and a copy of the stack */
static void show_stack_bytes(const struct scope *s)
{
	struct setup setup = {
		.scope = s, .nr = 1, .period = PERIOD,
		.flags = KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_STACK,
	};
	const struct knc_pmu_record *first;
	const struct knc_pmu_ring *ring;
	char name[64];

	ring = start_samples(&setup);
	rate_work();
	first = (const void *)((const char *)ring + ring->data_offset);
	if (!ring->head || first->type != KNC_PMU_RECORD_SAMPLE)
		die("there is no sample");
	snprintf(name, sizeof(name), "%s.sample-stack.bytes", s->name);
	show(name, 0, first->size);
	end_samples();
}

static void show_samples(const struct scope *s)
{
	show_operations(s, s == &own_task ? OF_TASK : OF_THREAD, OF_SAMPLES);
	show_stack_bytes(s);
	show_rate(s, 1);
	show_rate(s, 10);
	show_rate(s, 100);
}

static void show_switches(void)
{
	struct cost after;

	show_operations(&own_task, OF_SWITCH, 0);
	if (operation_cost(operations, &own_task, 0, 0, &after))
		die("switch");
	show("switch.after", 0, after.least);
}

/*
 * Show the cost of a switch between two tasks while @nr other tasks are followed, and the cost if
 * one of the two is followed too
 */
static void show_crowd(long none, int nr)
{
	struct setup crowd = { .scope = &own_task, .nr = 1, .flags = KNC_PMU_CONFIG_INHERIT };
	struct setup own = { .scope = &own_task, .nr = 1 };
	int others;

	crowd.pid = start_crowd();
	others = must_open(&crowd);
	start();
	fill_crowd(nr);
	show("switch.elsewhere.%d", nr, (round_trip("elsewhere") - none) / 2);
	must_open(&own);
	start();
	show("switch.one-more.%d", nr, (round_trip("one task") - none) / 2);
	session_close();
	close(others);
	stop_sleeper(crowd.pid);
}

static void show_many(void)
{
	struct setup setup = { .scope = &own_task, .nr = 1, .flags = KNC_PMU_CONFIG_INHERIT };

	must_open(&setup);
	start();
	start_threads(NR_TASKS - 1);
	read_with(KNC_PMU_READ_COUNTS);
	show("many.read-sum", 0, cost_of_few("READ", work_read));
	read_with(KNC_PMU_READ_COUNTS | KNC_PMU_READ_TASKS);
	show("many.read-each", 0, cost_of_few("READ", work_read));
	session_close();
}

/*
 * fork() with a child that ends at once: the cost of fork(), and of the time until wait() returns
 */
static void fork_once(long *forked, long *waited)
{
	unsigned long long began = rdtsc(), returned;
	pid_t pid = fork();

	returned = rdtsc();
	if (pid < 0)
		die("fork");
	if (!pid)
		_exit(0);
	if (waitpid(pid, NULL, 0) != pid)
		die("waitpid");
	*forked = returned - began;
	*waited = rdtsc() - returned;
}

/*
 * Show the cost of a switch between two tasks that no session follows, and of a fork and exit,
 * while a session follows @nr other tasks. Medians, because each new task has another address, and
 * therefore another bucket.
 */
static void show_bystander(int nr)
{
	long switched[BYSTANDERS], forked[BYSTANDERS], waited[BYSTANDERS];
	int i;

	for (i = 0; i < BYSTANDERS; i++)
		switched[i] = round_trip("bystander") / 2;
	for (i = 0; i < BYSTANDERS; i++)
		fork_once(&forked[i], &waited[i]);
	show("bystander.switch.%d", nr, median(switched, BYSTANDERS));
	show("bystander.fork.%d", nr, median(forked, BYSTANDERS));
	show("bystander.exit.%d", nr, median(waited, BYSTANDERS));
}

static void show_bystander_of(int nr)
{
	struct setup crowd = { .scope = &own_task, .nr = 1, .flags = KNC_PMU_CONFIG_INHERIT };
	int others;

	crowd.pid = start_crowd();
	others = must_open(&crowd);
	start();
	fill_crowd(nr);
	show_bystander(nr);
	close(others);
	stop_sleeper(crowd.pid);
}

/* Show the costs of a bystander while more and more tasks are followed, up to @most */
static void show_bystanders(int most)
{
	int nr;

	sleep(SETTLE);
	show_bystander(0);
	for (nr = NR_TASKS; nr <= most; nr = nr == NR_TASKS ? 10 * nr : 3 * nr)
		show_bystander_of(nr);
}

static long work_getppid(void)
{
	long ret = raw_call(SYS_getppid, 0, 0, 0);

	return ret < 0 ? ret : 0;
}

static long work_null_ioctl(void)
{
	return raw_ioctl(ipi_fd, 0, 0);
}

static long work_ipi(void)
{
	return raw_ioctl(ipi_fd, 0, 1);
}

static void open_ipi(void)
{
	ipi_fd = open("/dev/knc_bench_ipi", O_RDWR);
	if (ipi_fd < 0)
		die("/dev/knc_bench_ipi");
}

static void show_yardsticks(void)
{
	open_ipi();
	show("getppid", 0, cost("getppid", work_getppid));
	show("null-ioctl", 0, cost("null ioctl", work_null_ioctl));
}

/*
 * The other CPUs' work between calls (idle, or returning to idle) is part of these figures, and
 * drifts. Therefore the two operations are measured in turn, and the medians of both, and of the
 * differences between neighbours, are shown.
 */
static void show_all(void)
{
	struct setup setup = { .scope = &own_thread, .nr = 2 };
	long call[FEW_RUNS], all[FEW_RUNS], more[FEW_RUNS];
	int threads = sysconf(_SC_NPROCESSORS_ONLN), i;
	long before = kernel_memory();

	open_ipi();
	setup.threads = threads - 1;
	must_open(&setup);
	show("all.memory", 0, (kernel_memory() - before) / threads);
	for (i = 0; i < FEW_RUNS; i++)
		all[i] = once("START, STOP", work_start_stop);
	show("all.threads", 0, threads);
	show("all.start-stop", 0, median(all, FEW_RUNS));
	start();
	read_with(KNC_PMU_READ_COUNTS);
	for (i = 0; i < FEW_RUNS; i++) {
		call[i] = once("IPI", work_ipi);
		all[i] = once("READ", work_read);
		more[i] = all[i] - call[i];
	}
	show("all.null-call", 0, median(call, FEW_RUNS));
	show("all.read", 0, median(all, FEW_RUNS));
	show("all.read-of-each", 0, median(more, FEW_RUNS) / threads);
	session_close();
}

/* The median of FEW_RUNS; before each the other CPUs get time to become idle */
static void show_median(const char *name, const char *what, long (*work)(void))
{
	long runs[FEW_RUNS];
	int i;

	for (i = 0; i < FEW_RUNS; i++) {
		usleep(2000);
		runs[i] = once(what, work);
	}
	show(name, 0, median(runs, FEW_RUNS));
}

/* Show a session from CONFIG to close while another session has a counter */
static void show_further(const char *name, const struct setup *first,
			 const struct setup *further)
{
	int keeper = must_open(first);

	open_with(further);
	show_median(name, "CONFIG", work_open);
	close(keeper);
}

/* Sessions that follow a task */
static void show_scale_task(void)
{
	struct setup task = { .scope = &own_task, .nr = 2 };
	struct setup other = { .scope = &own_task, .nr = 2 };

	open_with(&task);
	show_median("scale.task.open", "CONFIG", work_open);
	other.pid = start_sleeper();
	show_further("scale.task.open-further", &other, &task);
	stop_sleeper(other.pid);
	must_open(&task);
	show_median("scale.task.start-stop", "START, STOP", work_start_stop);
	start();
	read_with(KNC_PMU_READ_COUNTS);
	show_median("scale.task.read", "READ", work_read);
	session_close();
}

/*
 * Costs that may depend on the number of hardware threads: sessions on all of them, and for a task
 */
static void show_scale(void)
{
	struct setup setup = { .scope = &own_thread, .nr = 2 };
	struct setup one = { .scope = &own_thread, .nr = 1 };
	int threads = sysconf(_SC_NPROCESSORS_ONLN);

	open_ipi();
	show("scale.threads", 0, threads);
	show_median("scale.null-call", "IPI", work_ipi);
	setup.threads = threads - 1;
	one.threads = threads - 1;
	open_with(&setup);
	show_median("scale.open", "CONFIG", work_open);
	show_further("scale.open-further", &one, &one);
	must_open(&setup);
	show_median("scale.start-stop", "START, STOP", work_start_stop);
	show_median("scale.reset", "RESET", work_reset);
	read_with(KNC_PMU_READ_COUNTS);
	show_median("scale.read", "READ", work_read);
	read_with(KNC_PMU_READ_COUNTS | KNC_PMU_READ_STOP);
	show_median("scale.start-read-stop", "START, READ", work_start_read);
	session_close();
	show_scale_task();
}

int main(int argc, char **argv)
{
	const char *part = begin(argc, argv);

	if (!strcmp(part, "yardsticks")) {
		show_yardsticks();
		return 0;
	}
	init_operations();
	if (!strcmp(part, "task"))
		show_task();
	else if (!strcmp(part, "thread"))
		show_operations(&own_thread, OF_THREAD, 0);
	else if (!strcmp(part, "samples-task"))
		show_samples(&own_task);
	else if (!strcmp(part, "samples-thread"))
		show_samples(&own_thread);
	else if (!strcmp(part, "switches"))
		show_switches();
	else if (!strcmp(part, "crowds"))
		show_crowds(show_crowd);
	else if (!strcmp(part, "bystanders"))
		show_bystanders(30 * NR_TASKS);
	else if (!strcmp(part, "bystanders-few"))
		show_bystanders(NR_TASKS);
	else if (!strcmp(part, "many"))
		show_many();
	else if (!strcmp(part, "all"))
		show_all();
	else if (!strcmp(part, "scale"))
		show_scale();
	else
		die(part);
	return 0;
}
