// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks a user may follow where user IDs alone do not tell: capabilities, user namespaces,
 * and threads that execute programs, also during CONFIG
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib.h"

#define FEW		1000UL
#define MANY		900000UL
#define INHERIT		KNC_PMU_CONFIG_INHERIT
#define PROCESS		KNC_PMU_CONFIG_PROCESS
#define ENDED		KNC_PMU_THREAD_ENDED
#define PARTIAL		KNC_PMU_THREAD_PARTIAL

/* The kernel's answer: may the caller ptrace() this process in order to read? */
static int may_look_at(pid_t pid)
{
	char path[64];
	int fd;

	sprintf(path, "/proc/%d/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	return fd >= 0;
}

static int may_follow(pid_t pid, unsigned int flags)
{
	int fd = open_device(), err;
	struct request r;

	ask_task(&r, pid, flags, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	err = config(fd, &r);
	close(fd);
	check(r.c.reason, err ? KNC_PMU_REASON_TASK_DENIED : KNC_PMU_REASON_NONE);
	check(err, err ? -EPERM : 0);
	return !err;
}

/* The kernel and the module give the same answer for process @pid. */
static void check_answers(pid_t pid, int want)
{
	check(may_look_at(pid), want);
	check(may_follow(pid, 0), want);
	check(may_follow(pid, PROCESS | INHERIT), want);
}

/* Start a process of the user nobody that has these capabilities */
static pid_t victim(unsigned int capabilities)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { capabilities, capabilities, 0 }, { 0, 0, 0 } };
	pid_t pid = fork();

	if (pid) {
		wait_state(pid, 'T');
		return pid;
	}
	check(prctl(PR_SET_KEEPCAPS, 1), 0);
	check(setresgid(device_group(), device_group(), device_group()), 0);
	check(setresuid(NOBODY, NOBODY, NOBODY), 0);
	check(syscall(SYS_capset, &header, data), 0);
	check(prctl(PR_SET_DUMPABLE, 1), 0);
	raise(SIGSTOP);
	_exit(0);
}

/* Root of a namespace of its own has no rights outside of it. */
static void check_no_rights(void)
{
	struct knc_pmu_evict evict = { .cpu = KNC_PMU_NO_CPU, .counter = KNC_PMU_NO_COUNTER };
	struct knc_pmu_list stats = { .nr = 0 };
	struct request r;
	struct regs regs;
	int fd = open_device();

	ask_task(&r, 0, 0, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, KNC_PMU_EVENT_OS);
	refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	ask(&r, 1, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	check(read_regs(fd, 0, &regs), -EPERM);
	check(command(fd, KNC_PMU_IOC_STATS, &stats), -EPERM);
	check(command(fd, KNC_PMU_IOC_EVICT, &evict), -EPERM);
	close(fd);
}

/* Become root of a user namespace */
static void become_its_root(void)
{
	char map[32];
	int fd;

	if (unshare(CLONE_NEWUSER))
		skip("no user namespaces: %s", strerror(errno));
	sprintf(map, "0 %d 1", NOBODY);
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	check(write(fd, map, strlen(map)), strlen(map));
	close(fd);
	check(geteuid(), 0);
}

static pid_t plain, capable;

static void look_from_namespace(void)
{
	pid_t inner;

	check_answers(plain, 1);
	check_answers(capable, 0);
	check_answers(1, 0);
	become_its_root();
	check_no_rights();
	check_answers(plain, 0);
	check_answers(capable, 0);
	check_answers(1, 0);
	inner = fork();
	if (!inner) {
		pause();
		_exit(0);
	}
	check_answers(inner, 1);
}

static void test_namespace(void)
{
	plain = victim(0);
	capable = victim(1U << CAP_NET_RAW);
	as_user(NOBODY, look_from_namespace);
}

/* Programs that a user may execute, but not follow */

static const char *secret;

static void execute(unsigned long n)
{
	char number[24], *argv[] = { "loop", number, NULL }, *envp[] = { NULL };

	sprintf(number, "%lu", n);
	execve(secret, argv, envp);
	_exit(127);
}

static void *execute_in_thread(void *n)
{
	execute((unsigned long)n);
	return NULL;
}

/* A second thread executes the program, and becomes the first one. */
static void thread_executes(unsigned long n)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execute_in_thread, (void *)n);
	pause();
}

static void child_executes(unsigned long n)
{
	if (!vfork())
		execute(n);
	wait(NULL);
}

static unsigned long long follow(void (*work)(unsigned long n), unsigned long n,
				 unsigned int flags, unsigned int want)
{
	unsigned long long counts[2];
	struct program p;
	int fd;

	hold_call(&p, ANY_CPU, work, n);
	wait_held(&p);
	fd = task_session(p.pid, flags, BRANCHES, USR);
	check(start(fd), 0);
	release(&p);
	finish(&p);
	read_task(fd, 1, want, counts);
	close(fd);
	return counts[0];
}

/* @want: the flags of a session whose task executes the program */
static void hidden(void (*work)(unsigned long n), unsigned int flags, unsigned int want)
{
	unsigned long long few, many;

	few = follow(work, FEW, flags, want);
	many = follow(work, MANY, flags, want);
	/* to create a thread takes some branches more or less */
	if (many > few + FEW || few >= MANY / 4)
		fail("%llu branches with a short program, %llu with a long one", few, many);
}

static void hidden_anyhow(void)
{
	become_nobody(device_group());
	hidden(execute, PROCESS, ENDED | PARTIAL);
	hidden(child_executes, PROCESS | INHERIT | KNC_PMU_CONFIG_KEEP, ENDED | PARTIAL);
	hidden(thread_executes, INHERIT, ENDED | PARTIAL);
	/* without INHERIT only the first thread is followed, and ends as any thread does */
	hidden(thread_executes, PROCESS, ENDED);
}

static void test_file_capability(void)
{
	struct vfs_cap_data data = { .magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE };

	secret = copy_loop(0755);
	data.data[0].permitted = 1U << CAP_NET_RAW;
	if (setxattr(secret, "security.capability", &data, sizeof(data), 0))
		skip("no file capabilities: %s", strerror(errno));
	hidden_anyhow();
}

static void test_thread_exec(void)
{
	secret = copy_loop(04755);
	hidden_anyhow();
}

/* CONFIG while the process executes the program. Returns whether it was followed */
static int race(unsigned int flags, void (*work)(unsigned long n))
{
	unsigned long long until;
	struct record record;
	struct program p;
	struct request r;
	int fd = open_device(), err;

	hold_call(&p, ANY_CPU, work, MANY);
	ask_task(&r, p.pid, flags, 1);
	ask_event(&r, 0, BRANCHES, USR);
	until = now_ns() + random_below(1500) * 1000;
	release(&p);
	while (now_ns() < until)
		;
	err = config(fd, &r);
	if (err)
		check(err == -EPERM || err == -ESRCH, 1);
	else
		check(start(fd), 0);
	finish(&p);
	if (!err) {
		check(read_all(fd, &record, sizeof(record)), 1);
		check(record.value[0] < MANY / 2, 1);
	}
	close(fd);
	return !err;
}

static void test_race(void)
{
	static const unsigned int flags[] = { 0, PROCESS, INHERIT, PROCESS | INHERIT };
	unsigned int i, followed = 0, times = rounds(300);

	secret = copy_loop(04755);
	become_nobody(device_group());
	for (i = 0; i < times || !followed; i++)
		followed += race(flags[i % 4], i & 4 ? thread_executes : execute);
	note("%u of %u processes were followed", followed, i);
}

static const struct test tests[] = {
	{ "rights.namespace", test_namespace },
	{ "rights.file-capability", test_file_capability },
	{ "rights.thread-exec", test_thread_exec },
	{ "rights.race", test_race },
};

TEST_PROGRAM(tests)
