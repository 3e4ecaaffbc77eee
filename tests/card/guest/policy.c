// SPDX-License-Identifier: GPL-2.0
/*
 * Promises of Documentation/security.rst that no other test attacks, and the administrator's
 * switches
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring.h"

#define CPU		1
#define N		200000UL
#define ALIENS		1000	/* uid of a user other than nobody */
#define PARAMETER	"/sys/module/knc_pmu/parameters/unprivileged"
#define SECURITY	"/sys/kernel/security"
#define LOCKDOWN	SECURITY "/lockdown"
#define LAST_PID	"/proc/sys/kernel/ns_last_pid"

/* 0, or -errno */
static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int ret = fd < 0 ? -errno : 0;

	if (!ret && write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		ret = -errno;
	if (fd >= 0)
		close(fd);
	return ret;
}

static void read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, size - 1);

	if (n < 0)
		fail("can't read %s: %s", path, strerror(errno));
	text[n] = '\0';
	close(fd);
}

static void ask_own(struct request *r, unsigned int code, unsigned int flags)
{
	ask_task(r, 0, 0, 1);
	ask_event(r, 0, code, flags);
}

static void allowed(unsigned int code)
{
	struct request r;
	int fd;

	ask_own(&r, code, USR);
	fd = open_session(&r);
	check(start(fd), 0);
	close(fd);
}

static void denied(unsigned int code, unsigned int reason)
{
	struct request r;

	ask_own(&r, code, USR);
	refused(&r, EPERM, reason);
}

/* Module parameter unprivileged */

static void nobody_all(void)
{
	allowed(INSTRUCTIONS_EXECUTED);
	allowed(CPU_CLK_UNHALTED);
	allowed(L2_READ_MISS);
	check(write_file(PARAMETER, "none"), -EACCES);
}

static void nobody_thread(void)
{
	struct request r;

	allowed(INSTRUCTIONS_EXECUTED);
	allowed(BRANCHES);
	denied(CPU_CLK_UNHALTED, KNC_PMU_REASON_CORE_WIDE);
	/* L2 events are core-wide; the scope of an unlisted code is unknown */
	denied(L2_READ_MISS, KNC_PMU_REASON_CORE_WIDE);
	denied(0xee, KNC_PMU_REASON_CORE_WIDE);
	ask_task(&r, 0, 0, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, CPU_CLK_UNHALTED, USR);
	refused(&r, EPERM, KNC_PMU_REASON_CORE_WIDE);
	check(r.c.reason_event, 1);
}

static void nobody_none(void)
{
	denied(INSTRUCTIONS_EXECUTED, KNC_PMU_REASON_UNPRIVILEGED);
	denied(CPU_CLK_UNHALTED, KNC_PMU_REASON_UNPRIVILEGED);
	/* INFO still works */
	check(nr_sessions(), 0);
}

static void check_parameter(const char *want)
{
	char word[16];

	read_file(PARAMETER, word, sizeof(word));
	word[strcspn(word, "\n")] = '\0';
	if (strcmp(word, want))
		fail("unprivileged is '%s', should be '%s'", word, want);
}

static void test_parameter(void)
{
	check_parameter("all");
	as_user(NOBODY, nobody_all);
	check(write_file(PARAMETER, "some"), -EINVAL);
	check(write_file(PARAMETER, "\n"), -EINVAL);
	check_parameter("all");
	check(write_file(PARAMETER, "thread\n"), 0);
	check_parameter("thread");
	as_user(NOBODY, nobody_thread);
	allowed(CPU_CLK_UNHALTED);
	check(write_file(PARAMETER, "none"), 0);
	check_parameter("none");
	as_user(NOBODY, nobody_none);
	allowed(INSTRUCTIONS_EXECUTED);
	allowed(CPU_CLK_UNHALTED);
	check(write_file(PARAMETER, "all"), 0);
	as_user(NOBODY, nobody_all);
}

/* unprivileged=self: a program that counts itself */

static void nobody_self(void)
{
	pid_t child = fork();
	struct request r;
	int fd;

	if (!child)
		for (;;)
			pause();
	/*
	 * the program may follow its own process, by any of its ids, with children, and count
	 * core-wide events
	 */
	allowed(CPU_CLK_UNHALTED);
	ask_own(&r, INSTRUCTIONS_EXECUTED, USR);
	r.c.flags |= KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT;
	r.c.pid = getpid();
	fd = open_session(&r);
	close(fd);
	/* the program may follow no other process, even one that it may ptrace() */
	ask_own(&r, INSTRUCTIONS_EXECUTED, USR);
	r.c.pid = child;
	refused(&r, EPERM, KNC_PMU_REASON_SELF);
	r.c.flags |= KNC_PMU_CONFIG_PROCESS;
	refused(&r, EPERM, KNC_PMU_REASON_SELF);
	r.c.pid = getppid();
	refused(&r, EPERM, KNC_PMU_REASON_SELF);
	kill(child, SIGKILL);
	wait(NULL);
}

static void test_self(void)
{
	struct request r;
	int fd;

	check(write_file(PARAMETER, "self"), 0);
	check_parameter("self");
	as_user(NOBODY, nobody_self);
	fd = open_device();
	ask_own(&r, INSTRUCTIONS_EXECUTED, USR);
	r.c.pid = 1;
	check(config(fd, &r), 0);
	close(fd);
	check(write_file(PARAMETER, "all"), 0);
}

/* Attacks */

/* Requests that take CAP_PERFMON, through a file that root has opened */
static void check_denied(int fd)
{
	struct knc_pmu_list stats;
	struct regs regs;
	struct request r;

	check(read_regs(fd, 0, &regs), -EPERM);
	memset(&stats, 0, sizeof(stats));
	check(command(fd, KNC_PMU_IOC_STATS, &stats), -EPERM);
	ask(&r, CPU, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	check(config(fd, &r), -EPERM);
	check(r.c.reason, KNC_PMU_REASON_PRIVILEGE);
	ask_own(&r, INSTRUCTIONS_EXECUTED, OS);
	check(config(fd, &r), -EPERM);
	check(r.c.reason, KNC_PMU_REASON_PRIVILEGE);
	ask_own(&r, INSTRUCTIONS_EXECUTED, USR);
	r.c.pid = 1;
	check(config(fd, &r), -EPERM);
	check(r.c.reason, KNC_PMU_REASON_TASK_DENIED);
}

/* The caller's rights decide, not those of root, who opened the file. */
static void test_passed_fd(void)
{
	int sockets[2], fd = open_device();
	pid_t pid;

	check(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	pid = fork();
	if (!pid) {
		become_nobody(device_group());
		check_denied(receive_file(sockets[1]));
		/* the file that the child inherited from root */
		check_denied(fd);
		_exit(0);
	}
	pass_file(sockets[0], fd);
	wait_child(pid);
	/* none of these requests made a session */
	check(start(fd), -ENODATA);
}

/* A process that gets a session from root can use it as it is, and do nothing more. */
static void test_dropped(void)
{
	struct record record;
	struct request r;
	int fd = session(CPU, INSTRUCTIONS_EXECUTED, USR | OS);
	pid_t pid;

	check(start(fd), 0);
	pid = fork();
	if (!pid) {
		become_nobody(device_group());
		check(read_all(fd, &record, sizeof(record)), 1);
		check(stop(fd), 0);
		ask(&r, CPU, 1);
		ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | OS);
		check(config(fd, &r), -EPERM);
		close(fd);
		fd = open_device();
		check_denied(fd);
		_exit(0);
	}
	wait_child(pid);
	check(reset(fd, 0), 0);
}

/* Samples in the kernel, and all samples */
static unsigned int in_kernel, in_all;

static void look(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;

	check(record->cpu, ring->cpu);
	if (record->type != KNC_PMU_RECORD_SAMPLE)
		return;
	in_all++;
	in_kernel += s->ip >> 47 || !(s->flags & KNC_PMU_SAMPLE_USER) ||
		     s->nr_kernel;
}

/* Read until there are some samples; none may be in the kernel. */
static void check_user_only(struct ring *ring)
{
	in_all = 0;
	in_kernel = 0;
	ring->each = look;
	while (in_all < 100) {
		read_ring(ring);
		wait_ms();
	}
	check(in_kernel, 0);
}

static __noreturn void call_kernel(void)
{
	pin(CPU);
	for (;;)
		getppid();
}

/* A user's session shows nothing more when root uses it. */
static void test_gained(void)
{
	int sockets[2], fd;
	struct ring ring;
	struct request r;
	pid_t pid;

	pin(0);
	check(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	pid = fork();
	if (!pid) {
		become_nobody(device_group());
		ask_task(&r, 0, 0, 1);
		r.c.ring_size = 1 << 16;
		ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
		fd = open_session(&r);
		pass_file(sockets[1], fd);
		call_kernel();
	}
	fd = receive_file(sockets[0]);
	memset(&ring, 0, sizeof(ring));
	map_ring(&ring, fd, CPU, CPU, 1 << 16);
	check(start(fd), 0);
	check_user_only(&ring);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
}

/* Try every way to write to the page, which is the kernel's */
static void write_page(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	unsigned int byte = 0x5a5a5a5a;
	struct knc_pmu_page *page;
	int fd, mem, status;
	struct request r;
	pid_t pid;

	ask_own(&r, INSTRUCTIONS_EXECUTED, USR);
	r.c.flags |= KNC_PMU_CONFIG_RDPMC;
	fd = open_session(&r);
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, KNC_PMU_PAGE_OFFSET);
	check(page == MAP_FAILED, 0);
	mem = open("/proc/self/mem", O_RDWR);
	check(mem >= 0, 1);
	check(pwrite(mem, &byte, 4, (off_t)(unsigned long)&page->tsc_khz), -1);
	check(mprotect(page, size, PROT_READ | PROT_WRITE), -1);
	check(mremap(page, size, 2 * size, MREMAP_MAYMOVE) == MAP_FAILED, 1);
	/* let the kernel write to the page by a read() */
	lseek(mem, (off_t)(unsigned long)&byte, SEEK_SET);
	check(read(mem, page, 4), -1);
	check(errno, EFAULT);
	check(page->tsc_khz != byte, 1);
	check(page->nr_events, 1);
	/* a child does not inherit the page, even on request */
	check(madvise(page, size, MADV_DOFORK), -1);
	pid = fork();
	if (!pid) {
		__atomic_load_n(&page->seq, __ATOMIC_RELAXED);
		_exit(0);
	}
	check(waitpid(pid, &status, 0), pid);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, 1);
}

static void test_page(void)
{
	as_user(NOBODY, write_page);
}

/* The user-mode time of a process in ticks */
static unsigned long cpu_time(pid_t pid)
{
	char path[32], text[512];
	unsigned long ticks = 0;
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	read_file(path, text, sizeof(text));
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu",
			    &ticks) != 1)
		fail("can't read %s", path);
	return ticks;
}

static pid_t fork_as(pid_t pid)
{
	char text[16];
	pid_t child;

	snprintf(text, sizeof(text), "%d", pid - 1);
	if (write_file(LAST_PID, text))
		skip("this kernel does not let choose a pid");
	child = fork();
	if (child)
		return child;
	/* a process of another user, which computes */
	if (setgid(ALIENS) || setuid(ALIENS))
		_exit(2);
	for (;;)
		loop(N);
}

/* A later task that gets the same pid is not followed. */
static void test_recycled_pid(void)
{
	unsigned long long count, later;
	struct record record;
	struct request r;
	int fd, tries;
	pid_t pid, again;

	pid = fork();
	if (!pid) {
		loop(N);
		pause();
		_exit(0);
	}
	ask_task(&r, pid, KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	fd = open_session(&r);
	check(start(fd), 0);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
	read_task(fd, 1, KNC_PMU_THREAD_ENDED, &count);
	for (tries = 0; tries < 1000; tries++) {
		again = fork_as(pid);
		if (again == pid)
			break;
		kill(again, SIGKILL);
		waitpid(again, NULL, 0);
	}
	check(again, pid);
	/* wait until the task has run */
	while (cpu_time(again) < 3)
		wait_ms();
	read_task(fd, 1, KNC_PMU_THREAD_ENDED, &later);
	check(later, count);
	check(read_flags(fd, KNC_PMU_READ_TASKS, &record, sizeof(record)), 1);
	check(record.cpu, KNC_PMU_NO_CPU);
	kill(again, SIGKILL);
	waitpid(again, NULL, 0);
}

/* Lockdown restricts root too. It can't be undone, therefore this is the last command of a card. */

static void lock_down(void)
{
	char text[64];

	mount("securityfs", SECURITY, "securityfs", 0, NULL);
	if (access(LOCKDOWN, W_OK))
		skip("this kernel has no lockdown");
	check(write_file(LOCKDOWN, "confidentiality"), 0);
	read_file(LOCKDOWN, text, sizeof(text));
	check(!!strstr(text, "[confidentiality]"), 1);
}

static void refuse_kernel(void)
{
	struct request r;

	ask(&r, CPU, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | OS);
	ask_sample(&r, 1, BRANCHES, USR | OS, PERIOD);
	refused(&r, EPERM, KNC_PMU_REASON_LOCKDOWN);
	check(r.c.reason_event, 1);
	ask(&r, CPU, 1);
	ask_sample(&r, 0, BRANCHES, USR, PERIOD);
	r.c.flags = KNC_PMU_CONFIG_CHAIN_KERNEL;
	r.c.max_frames = 8;
	refused(&r, EPERM, KNC_PMU_REASON_LOCKDOWN);
	ask(&r, CPU, 1);
	ask_event(&r, 0, BRANCHES, USR);
	r.c.sample_interval = KNC_PMU_MIN_INTERVAL;
	r.c.ring_size = KNC_PMU_MIN_RING;
	refused(&r, EPERM, KNC_PMU_REASON_LOCKDOWN);
	ask_task(&r, 0, 0, 1);
	ask_sample(&r, 0, BRANCHES, OS, PERIOD);
	refused(&r, EPERM, KNC_PMU_REASON_LOCKDOWN);
}

static void test_lockdown(void)
{
	struct ring ring;
	struct request r;
	pid_t pid;
	int fd;

	pin(0);
	lock_down();
	refuse_kernel();
	/* a count shows no address */
	fd = session(CPU, INSTRUCTIONS_EXECUTED, USR | OS);
	check(start(fd), 0);
	close(fd);
	/* user mode may be sampled: its samples show nothing of the kernel */
	pid = fork();
	if (!pid)
		call_kernel();
	ask(&r, CPU, 1);
	r.c.ring_size = 1 << 16;
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
	fd = open_session(&r);
	memset(&ring, 0, sizeof(ring));
	map_ring(&ring, fd, 0, CPU, 1 << 16);
	check(start(fd), 0);
	check_user_only(&ring);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
}

static const struct test tests[] = {
	{ "policy.parameter", test_parameter },
	{ "policy.self", test_self },
	{ "policy.passed-fd", test_passed_fd },
	{ "policy.dropped", test_dropped },
	{ "policy.gained", test_gained },
	{ "policy.page", test_page },
	{ "policy.recycled-pid", test_recycled_pid },
	{ "policy.lockdown", test_lockdown },
};

TEST_PROGRAM(tests)
