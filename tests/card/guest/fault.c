// SPDX-License-Identifier: GPL-2.0
/*
 * Let every allocation, and every copy from and to the caller's memory, fail once. A command must
 * return ENOMEM or EFAULT, hold nothing, and work at the next call; or it must succeed without the
 * allocation.
 *
 * The kernel lets the n-th allocation or copy fail (/proc/thread-self/fail-nth). The test increases
 * n until a command makes fewer than n. For get_user() and the like, which the kernel does not let
 * fail, the caller's memory ends.
 *
 * A test executes "fault --rest": its exit status says whether n was reached.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"

#define PAGE		4096
#define MAX_NTH		10000	/* more allocations and copies than any command makes */
#define NOT_REACHED	10	/* exit status of "fault --rest" */
#define NO_PAGES	"11"	/* larger than the largest order: no page allocation fails */

/* Fault injection of the kernel */

static int put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ok = fd >= 0 && write(fd, text, strlen(text)) == (int)strlen(text);

	close(fd);
	return ok;
}

static void put_attr(const char *attr, const char *text)
{
	char path[128];

	sprintf(path, "/sys/kernel/debug/%s", attr);
	if (!put_text(path, text))
		skip("the kernel can't let fail what is asked for: no %s", path);
}

/* @min_order: smaller page allocations do not fail */
static void prepare(const char *min_order)
{
	mkdir("/sys/kernel/debug", 0755);
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	put_attr("failslab/ignore-gfp-wait", "0");
	put_attr("failslab/verbose", "0");
	put_attr("fail_page_alloc/ignore-gfp-wait", "0");
	put_attr("fail_page_alloc/ignore-gfp-highmem", "0");
	put_attr("fail_page_alloc/min-order", min_order);
	put_attr("fail_page_alloc/verbose", "0");
	put_attr("fail_usercopy/verbose", "0");
}

static int nth_file(void)
{
	static int fd = -1, of;

	if (fd >= 0 && of == syscall(SYS_gettid))
		return fd;
	fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		skip("no fail-nth: %s", strerror(errno));
	of = syscall(SYS_gettid);
	return fd;
}

static void fail_nth(unsigned int n)
{
	char text[16];
	int len = sprintf(text, "%u", n);
	int fd = nth_file();

	/* this write copies from user memory too, and an earlier request may let it fail */
	if (pwrite(fd, text, len, 0) != len && pwrite(fd, text, len, 0) != len)
		fail("can't ask for fault %u: %s", n, strerror(errno));
}

/* Has the n-th allocation or copy failed? Also ends the fault injection. */
static int has_failed(void)
{
	char text[16] = "1";
	int err = errno;

	/* this read copies too: if it fails, it was the n-th copy itself */
	if (pread(nth_file(), text, sizeof(text) - 1, 0) < 0)
		text[0] = '1';
	fail_nth(0);
	errno = err;
	return text[0] == '0';
}

/* The requests */

struct kind {
	const char *name;
	void (*make)(struct request *r);
};

static void make_threads(struct request *r)
{
	unsigned int cpu;

	ask(r, 0, 2);
	for (cpu = 1; cpu < nr_cpus(); cpu++)
		ask_cpu(r, cpu);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(r, 1, BRANCHES, USR);
}

static void make_thread_rings(struct request *r)
{
	make_threads(r);
	r->e[0].flags |= KNC_PMU_EVENT_SAMPLE;
	r->e[0].sample_period = 1000000;
	r->c.ring_size = KNC_PMU_MIN_RING;
	r->c.flags |= KNC_PMU_CONFIG_CHAIN_USER;
	r->c.max_frames = 8;
}

static void make_thread_times(struct request *r)
{
	make_threads(r);
	r->c.sample_interval = KNC_PMU_MAX_INTERVAL;
	r->c.ring_size = KNC_PMU_MIN_RING;
}

static void make_thread_rdpmc(struct request *r)
{
	make_threads(r);
	r->c.flags |= KNC_PMU_CONFIG_RDPMC;
}

static void make_task(struct request *r)
{
	ask_task(r, 0, 0, 2);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(r, 1, BRANCHES, USR);
}

static void make_process(struct request *r)
{
	make_task(r);
	r->c.flags |= KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT;
}

static void make_kept(struct request *r)
{
	make_process(r);
	r->c.flags |= KNC_PMU_CONFIG_KEEP;
}

static void make_task_rings(struct request *r)
{
	make_task(r);
	r->e[0].flags |= KNC_PMU_EVENT_SAMPLE;
	r->e[0].sample_period = 1000000;
	r->c.ring_size = KNC_PMU_MIN_RING;
}

static void make_task_page(struct request *r)
{
	make_task(r);
	r->c.flags |= KNC_PMU_CONFIG_RDPMC;
}

static void make_on_exec(struct request *r)
{
	make_task(r);
	r->c.flags |= KNC_PMU_CONFIG_ON_EXEC | KNC_PMU_CONFIG_RDPMC;
}

/* Four events need an array of their own, one does not */
static struct knc_pmu_event four[4];

static void make_set(struct request *r)
{
	unsigned int i;

	memset(four, 0, sizeof(four));
	for (i = 0; i < ARRAY_SIZE(four); i++) {
		four[i] = r->e[i % 2];
		four[i].group = i / 2;
	}
	r->c.events = (unsigned long)four;
	r->c.nr_events = ARRAY_SIZE(four);
}

static void make_thread_set(struct request *r)
{
	make_threads(r);
	make_set(r);
}

static void make_task_set(struct request *r)
{
	make_task(r);
	make_set(r);
}

/*
 * The first session that grants RDPMC, and the first one that follows tasks, register probes. They
 * must come first, because this is done only once.
 */
static const struct kind kinds[] = {
	{ "threads, RDPMC", make_thread_rdpmc },
	{ "task, page", make_task_page },
	{ "threads", make_threads },
	{ "threads, set", make_thread_set },
	{ "threads, rings", make_thread_rings },
	{ "threads, times", make_thread_times },
	{ "task", make_task },
	{ "process, inherit", make_process },
	{ "process, kept", make_kept },
	{ "task, set", make_task_set },
	{ "task, rings", make_task_rings },
	{ "on exec", make_on_exec },
};

/* The registers without any session */

static struct registers before[64];

static void remember(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		get_registers(cpu, &before[cpu]);
}

static void check_nothing_held(void)
{
	unsigned int cpu;

	check(nr_sessions(), 0);
	check(ask_grants(NULL, 0), 0);
	check_unowned();
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		check_registers(cpu, &before[cpu]);
}

static char records[16384];

static void check_works(int fd, struct request *r)
{
	int err = config(fd, r);

	if (err)
		fail("without a fault CONFIG says: %s", strerror(-err));
	check(start(fd), 0);
	check(read_all(fd, records, sizeof(records)) > 0, 1);
	check(stop(fd), 0);
}

static void check_errno(const char *name, unsigned int nth, int ret)
{
	if (ret < 0 && ret != -ENOMEM && ret != -EFAULT)
		fail("%s: fault %u gives %s", name, nth, strerror(-ret));
}

/* CONFIG */

/* Did CONFIG get as far as the n-th allocation or copy? */
static int config_nth(const struct kind *kind, unsigned int nth)
{
	int fd = open_device(), ret, failed;
	struct request r;

	kind->make(&r);
	fail_nth(nth);
	ret = config(fd, &r);
	failed = has_failed();
	if (!failed) {
		check(ret, 0);
	} else if (ret) {
		check_errno(kind->name, nth, ret);
		check(start(fd), -ENODATA);
		check_nothing_held();
		kind->make(&r);
		check_works(fd, &r);
	} else {
		/* CONFIG succeeded in spite of the failure */
		check(start(fd), 0);
		check(read_all(fd, records, sizeof(records)) > 0, 1);
	}
	close(fd);
	check_nothing_held();
	return failed;
}

static unsigned int config_all(const struct kind *kind)
{
	unsigned int n = 1;

	while (config_nth(kind, n)) {
		alarm(TEST_SECONDS);
		if (++n > MAX_NTH)
			fail("%s: no end of faults", kind->name);
	}
	return n - 1;
}

static void test_config(void)
{
	unsigned int i, nr;

	prepare("0");
	remember();
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		nr = config_all(&kinds[i]);
		note("CONFIG, %s: %u faults", kinds[i].name, nr);
		/* struct, events, and the memory that holds them */
		check(nr >= 4, 1);
	}
}

/* The other commands; each needs a session to act on */

struct action {
	const char *name;
	void (*make)(struct request *r);	/* NULL: no session is needed */
	int (*act)(int fd);
};

static int act_read(int fd)
{
	return read_all(fd, records, sizeof(records));
}

static int act_read_tasks(int fd)
{
	return read_flags(fd, KNC_PMU_READ_TASKS, records, sizeof(records));
}

static int act_read_names(int fd)
{
	return read_flags(fd, KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES, records, sizeof(records));
}

static int act_read_start(int fd)
{
	return read_flags(fd, KNC_PMU_READ_START, records, sizeof(records));
}

static int act_read_stop(int fd)
{
	return read_flags(fd, KNC_PMU_READ_STOP, records, sizeof(records));
}

static int act_info(int fd)
{
	struct knc_pmu_info info;

	memset(&info, 0, sizeof(info));
	return command(fd, KNC_PMU_IOC_INFO, &info);
}

static int act_regs(int fd)
{
	struct regs regs;

	return read_regs(fd, 1, &regs);
}

static int act_owner(int fd)
{
	struct knc_pmu_owner owner;

	memset(&owner, 0, sizeof(owner));
	return command(fd, KNC_PMU_IOC_OWNER, &owner);
}

static int list(int fd, unsigned long cmd)
{
	struct knc_pmu_list r;

	r.entries = (unsigned long)records;
	r.size = sizeof(struct knc_pmu_stats);
	r.nr = sizeof(records) / r.size;
	return command(fd, cmd, &r);
}

static int act_stats(int fd)
{
	return list(fd, KNC_PMU_IOC_STATS);
}

static int act_grants(int fd)
{
	return list(fd, KNC_PMU_IOC_GRANTS);
}

static int act_reset(int fd)
{
	return reset(fd, 0);
}

static int map_it(int fd, size_t size, int prot, off_t offset)
{
	void *at = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	/* a mapping that remains keeps its session */
	if (munmap(at, size))
		check(munmap(at, size), 0);
	return 0;
}

static int act_map_ring(int fd)
{
	return map_it(fd, PAGE + KNC_PMU_MIN_RING, PROT_READ | PROT_WRITE, 0);
}

static int act_map_page(int fd)
{
	return map_it(fd, PAGE, PROT_READ, KNC_PMU_PAGE_OFFSET);
}

static int act_open(int fd)
{
	int other = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);

	(void)fd;
	if (other < 0)
		return -errno;
	close(other);
	return 0;
}

static const struct action actions[] = {
	{ "open", NULL, act_open },
	{ "INFO", NULL, act_info },
	{ "REGS", NULL, act_regs },
	{ "OWNER", NULL, act_owner },
	{ "STATS", NULL, act_stats },
	{ "GRANTS", make_thread_rdpmc, act_grants },
	{ "READ, threads", make_threads, act_read },
	{ "READ, threads, set", make_thread_set, act_read },
	{ "READ, task", make_task, act_read },
	{ "READ, task, set", make_task_set, act_read },
	{ "READ_TASKS", make_process, act_read_tasks },
	{ "READ_TASKS, set", make_task_set, act_read_tasks },
	{ "READ_NAMES", make_kept, act_read_names },
	{ "READ_START, threads", make_threads, act_read_start },
	{ "READ_STOP, rings", make_thread_rings, act_read_stop },
	{ "READ_START, task", make_task, act_read_start },
	{ "READ_STOP, task, set", make_task_set, act_read_stop },
	{ "START, threads", make_threads, start },
	{ "START, rings", make_thread_rings, start },
	{ "START, task", make_task, start },
	{ "STOP, threads", make_threads, stop },
	{ "STOP, task", make_task, stop },
	{ "RESET, threads", make_threads, act_reset },
	{ "RESET, task", make_task, act_reset },
	{ "mmap, ring", make_thread_rings, act_map_ring },
	{ "mmap, page", make_task_page, act_map_page },
};

static int act_nth(const struct action *action, int fd, unsigned int nth)
{
	int ret, failed;

	fail_nth(nth);
	ret = action->act(fd);
	failed = has_failed();
	if (failed)
		check_errno(action->name, nth, ret);
	else
		check(ret >= 0, 1);
	ret = action->act(fd);
	if (ret < 0)
		fail("%s: after fault %u it says: %s", action->name, nth,
		     strerror(-ret));
	return failed;
}

static void act_all(const struct action *action)
{
	unsigned int n = 1;
	struct request r;
	int fd = open_device();

	if (action->make) {
		action->make(&r);
		check(config(fd, &r), 0);
		check(start(fd), 0);
	}
	while (act_nth(action, fd, n)) {
		alarm(TEST_SECONDS);
		if (++n > MAX_NTH)
			fail("%s: no end of faults", action->name);
	}
	close(fd);
	note("%s: %u faults", action->name, n - 1);
	check_nothing_held();
}

static void test_commands(void)
{
	unsigned int i;

	prepare("0");
	remember();
	for (i = 0; i < ARRAY_SIZE(actions); i++)
		act_all(&actions[i]);
}

/* The followed process forks, and executes a program */

static int fork_nth(int fd, unsigned int nth)
{
	int failed, pid;

	fail_nth(nth);
	pid = fork();
	if (!pid)
		_exit(0);
	failed = has_failed();
	if (pid > 0)
		check(waitpid(pid, NULL, 0), pid);
	else
		check(errno, ENOMEM);
	/* READ flags children that could not be followed; all other tasks still count */
	check(read_all(fd, records, sizeof(records)), 1);
	return failed;
}

/* Only slab allocations and copies fail: the kernel would log that a new task gets no pages. */
static void test_fork(void)
{
	unsigned int n = 1;
	struct request r;
	int fd = open_device();

	prepare(NO_PAGES);
	remember();
	make_process(&r);
	r.c.flags |= KNC_PMU_CONFIG_RDPMC;
	check(config(fd, &r), 0);
	check(start(fd), 0);
	while (fork_nth(fd, n)) {
		alarm(TEST_SECONDS);
		n++;
	}
	note("fork: %u faults", n - 1);
	close(fd);
	check_nothing_held();
}

/* In the program that exec has started: did exec's n-th allocation or copy fail? */
static int tell_rest(void)
{
	char text[16] = "";
	int fd = open("/proc/thread-self/fail-nth", O_RDONLY | O_CLOEXEC);

	/* if this read fails, it was the n-th copy itself */
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return NOT_REACHED;
	return text[0] == '0' ? 0 : NOT_REACHED;
}

static void execute_nth(unsigned long nth)
{
	char *argv[3] = { "fault", "--rest", NULL }, *envp[1] = { NULL };

	/* libc would report there that it has no memory */
	close(STDERR_FILENO);
	fail_nth(nth);
	execve("/proc/self/exe", argv, envp);
	has_failed();
	_exit(1);
}

static int exec_nth(unsigned int nth)
{
	struct program p;
	struct request r;
	int fd = open_device(), status;

	hold_call(&p, ANY_CPU, execute_nth, nth);
	wait_held(&p);
	make_on_exec(&r);
	r.c.pid = p.pid;
	check(config(fd, &r), 0);
	release(&p);
	check(waitpid(p.pid, &status, 0), p.pid);
	close(p.go);
	check(read_all(fd, records, sizeof(records)), 1);
	close(fd);
	check_nothing_held();
	return !WIFEXITED(status) || WEXITSTATUS(status) != NOT_REACHED;
}

static void test_exec(void)
{
	unsigned int n = 1;

	prepare(NO_PAGES);
	remember();
	while (exec_nth(n)) {
		alarm(TEST_SECONDS);
		n++;
	}
	note("exec: %u faults", n - 1);
}

/* Memory that ends, and read-only memory */

static unsigned char *edge;	/* the end of readable and writable memory */
static unsigned char *fixed;	/* read-only */

static void make_edges(void)
{
	edge = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(edge != MAP_FAILED, 1);
	edge += 2 * PAGE;
	check(mprotect(edge, PAGE, PROT_NONE), 0);
	fixed = edge + PAGE;
}

/* A copy of which the last @missing bytes are not mapped */
static void *cut(const void *data, size_t size, size_t missing)
{
	memcpy(edge - (size - missing), data, size - missing);
	return edge - (size - missing);
}

static void *fix(const void *data, size_t size)
{
	check(mprotect(fixed, PAGE, PROT_READ | PROT_WRITE), 0);
	memcpy(fixed, data, size);
	check(mprotect(fixed, PAGE, PROT_READ), 0);
	return fixed;
}

static void check_cut(unsigned long cmd, const void *data, size_t size)
{
	size_t missing;
	int fd = open_device();

	for (missing = 4; missing <= size; missing += 4)
		check(command(fd, cmd, cut(data, size, missing)), -EFAULT);
	close(fd);
}

static void test_cut(void)
{
	struct knc_pmu_list list;
	struct knc_pmu_read read;
	struct knc_pmu_owner owner;
	struct knc_pmu_regs regs;
	struct knc_pmu_info info;
	struct request r;
	int fd;

	make_edges();
	remember();
	make_threads(&r);
	check_cut(KNC_PMU_IOC_CONFIG, &r.c, sizeof(r.c));
	check_nothing_held();
	memset(&info, 0, sizeof(info));
	check_cut(KNC_PMU_IOC_INFO, &info, sizeof(info));
	memset(&regs, 0, sizeof(regs));
	check_cut(KNC_PMU_IOC_REGS, &regs, sizeof(regs));
	memset(&owner, 0, sizeof(owner));
	check_cut(KNC_PMU_IOC_OWNER, &owner, sizeof(owner));
	list.entries = (unsigned long)records;
	list.size = sizeof(struct knc_pmu_stats);
	list.nr = sizeof(records) / list.size;
	check_cut(KNC_PMU_IOC_STATS, &list, sizeof(list));
	check_cut(KNC_PMU_IOC_GRANTS, &list, sizeof(list));
	memset(&read, 0, sizeof(read));
	read.buffer = (unsigned long)records;
	read.buffer_size = sizeof(records);
	fd = open_session(&r);
	check(command(fd, KNC_PMU_IOC_READ, cut(&read, sizeof(read), 4)),
	      -EFAULT);
	check(read_all(fd, edge - 8, sizeof(records)), -EFAULT);
	check(read_all(fd, records, sizeof(records)), 4);
	close(fd);
	check_nothing_held();
}

/* The mask and the events to which CONFIG points, cut at any byte */
static void test_cut_within(void)
{
	struct request r;
	size_t missing;
	int fd = open_device();

	make_edges();
	remember();
	make_threads(&r);
	for (missing = 4; missing <= 2 * sizeof(r.e[0]); missing += 4) {
		r.c.events = (unsigned long)cut(r.e, 2 * sizeof(r.e[0]),
						missing);
		check(config(fd, &r), -EFAULT);
	}
	make_threads(&r);
	r.c.cpus = (unsigned long)cut(r.cpus, sizeof(r.cpus), 1);
	check(config(fd, &r), -EFAULT);
	check_nothing_held();
	make_threads(&r);
	check_works(fd, &r);
}

/* If CONFIG can't write its answer, there is no session. */
static void test_read_only(void)
{
	struct request r;
	unsigned int i;
	int fd;

	make_edges();
	remember();
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		fd = open_device();
		kinds[i].make(&r);
		r.c.events = (unsigned long)fix((void *)(unsigned long)r.c.events,
						r.c.nr_events * sizeof(r.e[0]));
		check(config(fd, &r), -EFAULT);
		check(start(fd), -ENODATA);
		check_nothing_held();
		kinds[i].make(&r);
		check_works(fd, &r);
		close(fd);
	}
	/* CONFIG can't write the reason of a refusal either */
	fd = open_device();
	make_threads(&r);
	r.e[0].flags = 0;
	check(command(fd, KNC_PMU_IOC_CONFIG, fix(&r.c, sizeof(r.c))), -EFAULT);
	check_nothing_held();
}

/* Loading the module */

#define LOAD_LAST	60	/* more than the module's own allocations, the last ones */

static void unload(void)
{
	const struct timespec ten_ms = { 0, 10000000 };
	unsigned int i;

	/* the last session's end may take a moment */
	for (i = 0; syscall(SYS_delete_module, "knc_pmu", O_NONBLOCK); i++) {
		if (errno == ENOENT)
			return;
		if (i == 1000)
			fail("rmmod fails: %s", strerror(errno));
		nanosleep(&ten_ms, NULL);
	}
}

/* Load the module, and let the n-th allocation fail. Has there been an n-th? */
static int load_nth(unsigned int nth)
{
	int fd = open(getenv("KNC_MODULE"), O_RDONLY | O_CLOEXEC);
	int failed, ret;

	if (fd < 0)
		fail("%s: %s", getenv("KNC_MODULE"), strerror(errno));
	unload();
	fail_nth(nth);
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	failed = has_failed();
	close(fd);
	alarm(TEST_SECONDS);
	if (!failed || ret)
		check(ret, failed ? -ENOMEM : 0);
	return failed;
}

/* How many allocations loading makes */
static unsigned int load_faults(void)
{
	unsigned int low = 0, high = 1;

	while (load_nth(high)) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		if (load_nth((low + high) / 2))
			low = (low + high) / 2;
		else
			high = (low + high) / 2;
	}
	return low;
}

static void test_load(void)
{
	unsigned int nr, n;
	struct request r;
	int fd;

	prepare("0");
	remember();
	nr = load_faults();
	note("loading: %u faults", nr);
	for (n = nr; n && n + LOAD_LAST > nr; n--)
		load_nth(n);
	load_nth(nr + 1000);
	fd = open_device();
	make_threads(&r);
	check_works(fd, &r);
	close(fd);
	check_nothing_held();
}

static const struct test tests[] = {
	/* must be the first test: see kinds[] */
	{ "fault.config", test_config },
	{ "fault.commands", test_commands },
	{ "fault.fork", test_fork },
	{ "fault.exec", test_exec },
	{ "fault.cut", test_cut },
	{ "fault.cut-within", test_cut_within },
	{ "fault.read-only", test_read_only },
	{ "fault.load", test_load },
};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--rest"))
		return tell_rest();
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc);
}
