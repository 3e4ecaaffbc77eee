// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of perf's operations in executed guest instructions: the same work as in cost.c, in
 * perf's cheapest way
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure.h"

#define MAX_FILES	(2 * NR_TASKS)

/* A task's or a hardware thread's events and their modes, as in tools/ctl/bench/operations.c */
struct scope {
	const char *name;
	pid_t pid;
	int cpu;
	int kernel;		/* kernel mode is counted too */
	unsigned int events[MAX_MEASURED];
};

#define INSTRUCTIONS	PERF_COUNT_HW_INSTRUCTIONS
#define BRANCHES	PERF_COUNT_HW_BRANCH_INSTRUCTIONS
#define CYCLES		PERF_COUNT_HW_CPU_CYCLES
#define OTHERS		PERF_COUNT_HW_REF_CPU_CYCLES, PERF_COUNT_HW_BRANCH_MISSES,	\
			INSTRUCTIONS, BRANCHES

static const struct scope own_task = {
	"task", 0, -1, 0, { INSTRUCTIONS, BRANCHES, CYCLES, OTHERS }
};

static const struct scope own_thread = {
	"thread", -1, 0, 1, { CYCLES, INSTRUCTIONS, BRANCHES, OTHERS }
};

static int files[MAX_FILES];
static int nr_files;
static struct perf_event_mmap_page *pages[2];

static long event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr attributes(const struct scope *s, unsigned int i)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = s->events[i];
	attr.exclude_kernel = !s->kernel;
	attr.exclude_hv = 1;
	return attr;
}

static void add_file(long file)
{
	if (file < 0)
		die("perf_event_open");
	files[nr_files++] = file;
}

/* Open a stopped group of @nr events */
static void open_group(const struct scope *s, unsigned int nr, unsigned long long format)
{
	int leader = -1;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct perf_event_attr attr = attributes(s, i);

		attr.disabled = !i;
		attr.read_format = format | (nr > 1 ? PERF_FORMAT_GROUP : 0);
		add_file(event_open(&attr, s->pid, s->cpu, leader));
		if (!i)
			leader = files[nr_files - 1];
	}
}

/* Close the events. Their pages and rings are freed with the last close */
static void close_all(void)
{
	while (nr_files)
		close(files[--nr_files]);
}

static void start(void)
{
	if (raw_ioctl(files[0], PERF_EVENT_IOC_ENABLE, 0))
		die("PERF_EVENT_IOC_ENABLE");
}

static long work_read(void)
{
	unsigned long long buffer[3 + MAX_MEASURED];
	long ret = raw_call(SYS_read, files[0], (long)buffer, sizeof(buffer));

	return ret < 0 ? ret : 0;
}

/* Only for the leader, because its state applies to the whole group. */
static long work_start_stop(void)
{
	long ret = raw_ioctl(files[0], PERF_EVENT_IOC_ENABLE, 0);

	return ret ? ret : raw_ioctl(files[0], PERF_EVENT_IOC_DISABLE, 0);
}

static const struct scope *opened;
static unsigned int nr_opened;

static long work_open(void)
{
	open_group(opened, nr_opened, 0);
	close_all();
	return 0;
}

static unsigned long rdpmc(unsigned int n)
{
	unsigned int lo, hi;

	__asm__ volatile("rdpmc" : "=a" (lo), "=d" (hi) : "c" (n) : "memory");
	return (unsigned long)hi << 32 | lo;
}

#define barrier()	__asm__ volatile("" : : : "memory")

/* The count of an event without a system call, as linux/perf_event.h describes it */
static inline long read_page(const struct perf_event_mmap_page *page, unsigned long *count)
{
	unsigned int seq, index;
	long value;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		barrier();
		index = page->index;
		if (!index)
			return -ENODATA;
		value = rdpmc(index - 1);
		value <<= 64 - page->pmc_width;
		value >>= 64 - page->pmc_width;
		value += page->offset;
		barrier();
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != seq);
	*count = value;
	return 0;
}

static long work_page(void)
{
	unsigned long count = 0;
	long ret = read_page(pages[0], &count);

	use(count);
	return ret;
}

static long work_pages(void)
{
	unsigned long first = 0, second = 0;
	long ret = read_page(pages[0], &first) ?: read_page(pages[1], &second);

	use(first);
	use(second);
	return ret;
}

/* Show the costs of reading in ring 3 */
static void show_pages(unsigned int nr)
{
	unsigned int i;

	open_group(&own_task, nr, 0);
	for (i = 0; i < nr; i++) {
		pages[i] = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, files[i], 0);
		if (pages[i] == MAP_FAILED)
			die("mmap");
	}
	start();
	show("task.ring3.%d", nr, cost("RDPMC", nr == 1 ? work_page : work_pages));
	for (i = 0; i < nr; i++)
		munmap(pages[i], sysconf(_SC_PAGESIZE));
	close_all();
}

static void show_scoped(const struct scope *s, const char *row, int nr, long value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", s->name, row);
	show(name, nr, value);
}

/* Start @nr events of a task, with @inherit also for the tasks that it creates */
static void follow(pid_t pid, unsigned int nr, int inherit)
{
	int first = nr_files;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct perf_event_attr attr = attributes(&own_task, i);

		attr.inherit = inherit;
		add_file(event_open(&attr, pid, -1, i ? files[first] : -1));
	}
}

/* Show the operations while another task is counted */
static void show_further(unsigned int nr)
{
	pid_t sleeper = start_sleeper();
	int keeper;

	follow(sleeper, 1, 0);
	keeper = files[--nr_files];
	show("task.open-further.%d", nr, cost_of_few("perf_event_open", work_open));
	close(keeper);
	stop_sleeper(sleeper);
}

static void show_own(const struct scope *s, unsigned int nr)
{
	opened = s;
	nr_opened = nr;
	show_scoped(s, "open.%d", nr, cost_of_few("perf_event_open", work_open));
	if (s == &own_task && nr <= 2)
		show_further(nr);
	open_group(s, nr, 0);
	show_scoped(s, "start-stop.%d", nr, cost("ENABLE, DISABLE", work_start_stop));
	show_scoped(s, "read-stopped.%d", nr, cost("read", work_read));
	start();
	show_scoped(s, "read.%d", nr, cost("read", work_read));
	close_all();
	open_group(s, nr, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	start();
	show_scoped(s, "read-times.%d", nr, cost("read", work_read));
	close_all();
}

/* Show how a request of this user is refused */
static void show_refusal(const char *row, const struct scope *s)
{
	struct perf_event_attr attr = attributes(s, 0);
	long file = event_open(&attr, s->pid, s->cpu, -1);

	if (file < 0) {
		show_refused(row, errno);
		return;
	}
	show(row, 0, 0);
	close(file);
}

static void show_task(void)
{
	struct scope kernel = own_task;
	unsigned int nr;

	for (nr = 1; nr; nr = next_size(nr)) {
		show_own(&own_task, nr);
		if (nr <= 2)
			show_pages(nr);
	}
	kernel.kernel = 1;
	show_refusal("task.kernel-mode", &kernel);
	show_refusal("task.hardware-thread", &own_thread);
}

static void show_thread(void)
{
	struct scope all = own_thread;
	unsigned int nr;

	for (nr = 1; nr; nr = next_size(nr))
		show_own(&own_thread, nr);
	all.cpu = -1;
	show_refusal("thread.all-in-one-call", &all);
}

static unsigned long long ring_head(void)
{
	return __atomic_load_n(&pages[0]->data_head, __ATOMIC_ACQUIRE);
}

/* The address in the sample at @before: with PERF_SAMPLE_IP, its first field */
static unsigned long sample_address(unsigned long long before)
{
	const char *data = (const char *)pages[0] + pages[0]->data_offset;
	const struct perf_event_header *header;

	header = (const void *)(data + before % pages[0]->data_size);
	return header->type == PERF_RECORD_SAMPLE ? *(const unsigned long *)(header + 1) : 0;
}

/* What each sample contains besides the address */
enum with { WITH_NOTHING, WITH_CHAIN, WITH_STACK };

/* Registers of perf record --call-graph dwarf: those of x86-64 except segments DS to GS */
#define DWARF_REGS	0xff0fffUL

static void open_samples(const struct scope *s, unsigned int nr, enum with with,
			 unsigned long period)
{
	int leader = -1;

	while (nr--) {
		struct perf_event_attr attr = attributes(s, 0);

		attr.config = INSTRUCTIONS;
		attr.exclude_kernel = 1;
		attr.disabled = leader < 0;
		attr.sample_period = period;
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
		if (with != WITH_NOTHING)
			attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr.exclude_callchain_kernel = 1;
		attr.sample_max_stack = with != WITH_NOTHING ? FRAMES : 0;
		if (with == WITH_STACK) {
			attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
			attr.sample_regs_user = DWARF_REGS;
			attr.sample_stack_user = STACK;
		}
		attr.watermark = 1;
		attr.wakeup_watermark = RING;
		add_file(event_open(&attr, s->pid, s->cpu, leader));
		if (leader < 0)
			leader = files[0];
	}
}

#define RING_BYTES	(sysconf(_SC_PAGESIZE) + RING)

/* Map the rings of started, sampling events */
static void map_samples(const struct scope *s, unsigned int nr, enum with with,
			unsigned long period)
{
	long i;

	open_samples(s, nr, with, period);
	pages[0] = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, files[0], 0);
	if (pages[0] == MAP_FAILED)
		die("mmap");
	if (nr > 1 && ioctl(files[1], PERF_EVENT_IOC_SET_OUTPUT, files[0]))
		die("PERF_EVENT_IOC_SET_OUTPUT");
	/* touch all pages now, because a page fault would be part of a measurement */
	for (i = 0; i < RING_BYTES; i += sysconf(_SC_PAGESIZE))
		use(__atomic_load_n((const char *)pages[0] + i, __ATOMIC_RELAXED));
	start();
}

static void unmap_samples(void)
{
	munmap(pages[0], RING_BYTES);
	close_all();
}

static void show_sample(const struct scope *s, const char *row, unsigned int nr, enum with with)
{
	static const struct overflow o = { ring_head, sample_address, NULL };

	map_samples(s, nr, with, PERIOD);
	show_scoped(s, row, 0, overflow_cost(&o));
	unmap_samples();
}

/* Show the cost of a sample with a call chain and a copy of the stack, and its size */
static void show_stacks(const struct scope *s)
{
	const struct perf_event_header *first;

	show_sample(s, "sample-stack", 1, WITH_STACK);
	map_samples(s, 1, WITH_STACK, PERIOD);
	rate_work();
	first = (const void *)((const char *)pages[0] + pages[0]->data_offset);
	if (!ring_head() || first->type != PERF_RECORD_SAMPLE)
		die("there is no sample");
	show_scoped(s, "sample-stack.bytes", 0, first->size);
	unmap_samples();
}

#define SAMPLE_BYTES	(sizeof(struct perf_event_header) + 40)

/* Show what sampling at this rate adds to RATE_WORK; the clock counts 1 ns for each instruction */
static void show_rate(const struct scope *s, int khz)
{
	long none = rate_work(), sampled, period = 1000000 / khz;

	map_samples(s, 1, WITH_NOTHING, period);
	sampled = rate_work();
	if (ring_head() < RATE_WORK / period * SAMPLE_BYTES)
		die("samples are missing");
	unmap_samples();
	show_scoped(s, "rate.%d", khz, sampled - none);
}

static void show_samples(const struct scope *s)
{
	show_sample(s, "sample", 1, WITH_NOTHING);
	show_sample(s, "sample-chain", 1, WITH_CHAIN);
	show_sample(s, "samples", 2, WITH_NOTHING);
	show_rate(s, 1);
	show_rate(s, 10);
	show_rate(s, 100);
}

static void show_switches(void)
{
	pid_t sleeper = start_sleeper();
	unsigned int nr;
	long none;

	sleep(SETTLE);
	none = round_trip("round trip");
	show("switch", 0, none / 2);
	follow(sleeper, 2, 0);
	show("switch.elsewhere", 0, (round_trip("elsewhere") - none) / 2);
	close_all();
	for (nr = 1; nr; nr = next_size(nr)) {
		follow(0, nr, 0);
		show("switch.one-task.%d", nr, (round_trip("one task") - none) / 2);
		close_all();
		if (nr > 2)
			continue;
		follow(0, nr, 1);
		show("switch.both-tasks.%d", nr, (round_trip("both tasks") - none) / 2);
		close_all();
	}
	sleep(SETTLE);
	show("switch.after", 0, (round_trip("after") - none) / 2);
	stop_sleeper(sleeper);
}

static long work_read_files(void)
{
	unsigned long long buffer[8];
	long ret = 0;
	int i;

	for (i = 0; i < nr_files && ret >= 0; i++)
		ret = raw_call(SYS_read, files[i], (long)buffer, sizeof(buffer));
	return ret < 0 ? ret : 0;
}

/* An event for each thread of this process */
static void open_each(void)
{
	struct perf_event_attr attr = attributes(&own_task, 0);
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;

	if (!tasks)
		die("/proc/self/task");
	while ((entry = readdir(tasks)))
		if (*entry->d_name != '.')
			add_file(event_open(&attr, atoi(entry->d_name), -1, -1));
	closedir(tasks);
}

/*
 * Show the cost of a switch between two tasks while @nr other tasks are followed, and the cost if
 * one of the two is followed too
 */
static void show_crowd(long none, int nr)
{
	pid_t crowd = start_crowd();

	follow(crowd, 1, 1);
	fill_crowd(nr);
	show("switch.elsewhere.%d", nr, (round_trip("elsewhere") - none) / 2);
	follow(0, 1, 0);
	show("switch.one-more.%d", nr, (round_trip("one task") - none) / 2);
	close_all();
	stop_sleeper(crowd);
}

static void show_many(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		die("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit");
	follow(0, 1, 1);
	start_threads(NR_TASKS - 1);
	show("many.read-sum", 0, cost_of_few("read", work_read));
	close_all();
	open_each();
	show("many.read-each", 0, cost_of_few("read", work_read_files));
	close_all();
}

/* Open only the leaders, because READ of a leader returns its group */
static void open_everywhere(int threads)
{
	struct scope s = own_thread;
	int group, leaders[MAX_THREADS], members[MAX_THREADS], i;

	for (i = 0; i < threads; i++) {
		group = nr_files;
		s.cpu = i;
		open_group(&s, 2, 0);
		leaders[i] = files[group];
		members[i] = files[group + 1];
	}
	memcpy(files, leaders, threads * sizeof(int));
	memcpy(files + threads, members, threads * sizeof(int));
}

static long ioctl_everywhere(long cmd, int threads)
{
	long ret = 0;
	int i;

	for (i = 0; i < threads && !ret; i++)
		ret = raw_ioctl(files[i], cmd, 0);
	return ret;
}

static long work_start_stop_everywhere(void)
{
	return ioctl_everywhere(PERF_EVENT_IOC_ENABLE, nr_files) ?:
	       ioctl_everywhere(PERF_EVENT_IOC_DISABLE, nr_files);
}

static void show_all(void)
{
	int threads = sysconf(_SC_NPROCESSORS_ONLN), i;
	long values[FEW_RUNS], before = kernel_memory();

	open_everywhere(threads);
	show("all.memory", 0, (kernel_memory() - before) / threads);
	nr_files = threads;
	for (i = 0; i < FEW_RUNS; i++)
		values[i] = once("start, stop", work_start_stop_everywhere);
	show("all.start-stop", 0, median(values, FEW_RUNS));
	if (ioctl_everywhere(PERF_EVENT_IOC_ENABLE, threads))
		die("PERF_EVENT_IOC_ENABLE");
	for (i = 0; i < FEW_RUNS; i++)
		values[i] = once("read", work_read_files);
	show("all.read", 0, median(values, FEW_RUNS));
}

/*
 * Execute 2 * @rounds instructions in user mode, to see that the second counter counts and that
 * sampling continues.
 */
static void run_loop(unsigned long rounds)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (rounds));
}

static void show_defects(void)
{
	struct scope s = { "defect", 0, -1, 0, { INSTRUCTIONS, INSTRUCTIONS } };
	unsigned long long buffer[8] = { 0 };

	open_group(&s, 2, 0);
	start();
	run_loop(1000000);
	if (read(files[0], buffer, sizeof(buffer)) < 0)
		die("read");
	show("defect.counter0", 0, buffer[1]);
	show("defect.counter1", 0, buffer[2]);
	close_all();
	map_samples(&s, 1, WITH_NOTHING, PERIOD);
	run_loop(50 * PERIOD);
	show("defect.samples", 0, ring_head() / SAMPLE_BYTES);
	unmap_samples();
}

int main(int argc, char **argv)
{
	const char *part = begin(argc, argv);

	if (!strcmp(part, "task"))
		show_task();
	else if (!strcmp(part, "thread"))
		show_thread();
	else if (!strcmp(part, "samples-task"))
		show_samples(&own_task);
	else if (!strcmp(part, "samples-thread"))
		show_samples(&own_thread);
	else if (!strcmp(part, "stacks-task"))
		show_stacks(&own_task);
	else if (!strcmp(part, "stacks-thread"))
		show_stacks(&own_thread);
	else if (!strcmp(part, "switches"))
		show_switches();
	else if (!strcmp(part, "crowds"))
		show_crowds(show_crowd);
	else if (!strcmp(part, "many"))
		show_many();
	else if (!strcmp(part, "all"))
		show_all();
	else if (!strcmp(part, "defects"))
		show_defects();
	else
		die(part);
	return 0;
}
