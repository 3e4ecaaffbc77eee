// SPDX-License-Identifier: GPL-2.0
/* Functions that the test programs on the card share */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <knc/registers.h>

#include "asked.h"
#include "lib.h"

/* Tests */

#define MAX_TEST_CPUS	256
#define SKIPPED		77	/* exit status */

static const char *test_name;

static void say(const char *verdict, const char *fmt, va_list args)
{
	printf("%s %s: ", verdict, test_name);
	vprintf(fmt, args);
	printf("\n");
	fflush(stdout);
}

void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("not ok", fmt, args);
	va_end(args);
	_exit(1);
}

void skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("skip", fmt, args);
	va_end(args);
	_exit(SKIPPED);
}

void note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("#", fmt, args);
	va_end(args);
}

void check_at(const char *file, int line, const char *what, long long got,
	      long long want)
{
	if (got == want)
		return;
	fail("%s:%d: %s is %lld (%#llx), should be %lld (%#llx)", file, line,
	     what, got, got, want, want);
}

/* Kill every process that a test has left. */
static void end_stragglers(pid_t group)
{
	kill(-group, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static int no_session_left(void)
{
	struct knc_pmu_info info;
	int fd, ret;

	memset(&info, 0, sizeof(info));
	fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
	ret = fd < 0 ? fd : ioctl(fd, KNC_PMU_IOC_INFO, &info);
	close(fd);
	return ret == 1 && !info.nr_sessions;
}

static int are_before(const struct registers *before)
{
	struct registers got;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus() && cpu < MAX_TEST_CPUS; cpu++) {
		if (!is_online(cpu))
			continue;
		get_registers(cpu, &got);
		if (memcmp(&got, &before[cpu], sizeof(got)))
			return 0;
	}
	return 1;
}

/*
 * After hundreds of sessions in a second the module restores the registers an eighth of a second
 * late.
 */
static void wait_for_registers(const struct registers *before)
{
	unsigned int ms = 1000;

	while (ms-- && !are_before(before))
		wait_ms();
}

/* Check in a child, because a check may fail. Returns 0 if everything is as before the test */
static int check_rest(const struct registers *before)
{
	unsigned int cpu;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (!no_session_left())
			fail("a session is left");
		if (ask_grants(NULL, 0))
			fail("a permission of RDPMC is left");
		check_no_pce();
		wait_for_registers(before);
		for (cpu = 0; cpu < nr_cpus() && cpu < MAX_TEST_CPUS; cpu++)
			if (is_online(cpu))
				check_registers(cpu, &before[cpu]);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

#define SLOW_MS	1000

/* Report the duration of long tests */
static void say_time(const char *name, unsigned long long began)
{
	unsigned long long ms = (now_ns() - began) / 1000000;

	if (ms >= SLOW_MS)
		printf("# %s: %llu.%llu s\n", name, ms / 1000, ms / 100 % 10);
}

/* The seed of random() in each test */
static unsigned int test_seed(void)
{
	const char *text = getenv("KNC_TEST_SEED");
	static unsigned int seed;

	if (!seed) {
		seed = text && *text ? strtoul(text, NULL, 10) : (unsigned int)getpid();
		printf("# KNC_TEST_SEED=%u\n", seed);
	}
	return seed;
}

static int run_test(const struct test *test)
{
	static struct registers before[MAX_TEST_CPUS];
	unsigned long long began = now_ns();
	unsigned int cpu;
	int status;
	pid_t pid;

	test_name = test->name;
	for (cpu = 0; cpu < nr_cpus() && cpu < MAX_TEST_CPUS; cpu++)
		get_registers(cpu, &before[cpu]);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		srandom(test_seed());
		alarm(TEST_SECONDS);
		test->run();
		_exit(0);
	}
	setpgid(pid, pid);
	while (waitpid(pid, &status, 0) != pid)
		;
	end_stragglers(pid);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		set_online(cpu, 1);
	say_time(test->name, began);
	if (WIFSIGNALED(status)) {
		printf("not ok %s: ended by signal %d%s\n", test->name,
		       WTERMSIG(status), WTERMSIG(status) == SIGALRM ?
		       ", it took too long" : "");
		return 1;
	}
	if (WEXITSTATUS(status) == SKIPPED)
		return check_rest(before) ? 1 : 0;
	if (status || check_rest(before))
		return 1;
	printf("ok %s\n", test->name);
	return 0;
}

static int is_wanted(const char *name, char **names)
{
	if (!is_asked_for(name))
		return 0;
	if (!*names)
		return 1;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return 1;
	return 0;
}

/* Fail for a misspelt name, which would otherwise choose no test unnoticed. */
static unsigned int report_unknown(const struct test *tests, unsigned int nr, char **names)
{
	unsigned int i, unknown = 0;

	for (; *names; names++) {
		for (i = 0; i < nr && strcmp(*names, tests[i].name); i++)
			;
		if (i < nr)
			continue;
		printf("not ok %s: the program has no such test\n", *names);
		unknown++;
	}
	return unknown;
}

int run_tests(const struct test *tests, unsigned int nr, char **names)
{
	unsigned int i, failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	failed = report_unknown(tests, nr, names);
	test_seed();
	for (i = 0; i < nr; i++)
		if (is_wanted(tests[i].name, names))
			failed += run_test(&tests[i]);
	return failed ? 1 : 0;
}

/* The device */

int open_device(void)
{
	int fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail("can't open %s: %s", KNC_PMU_DEVICE, strerror(errno));
	return fd;
}

void ask_info(struct knc_pmu_info *info)
{
	int fd = open_device();

	memset(info, 0, sizeof(*info));
	check(command(fd, KNC_PMU_IOC_INFO, info), 1);
	close(fd);
}

static int has_feature(__u64 feature)
{
	struct knc_pmu_info info;

	ask_info(&info);
	return !!(info.features & feature);
}

int is_irq_mode(void)
{
	return has_feature(KNC_PMU_FEATURE_PMI_IRQ);
}

int has_nmis(void)
{
	return has_feature(KNC_PMU_FEATURE_PMI_NMI);
}

unsigned int nr_sessions(void)
{
	struct knc_pmu_info info;

	ask_info(&info);
	return info.nr_sessions;
}

unsigned long long tsc(void)
{
	unsigned int low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return (unsigned long long)high << 32 | low;
}

unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

unsigned long long ticks_to_ns(unsigned long long ticks)
{
	struct knc_pmu_info info;

	ask_info(&info);
	return ticks * 1000000 / info.tsc_khz;
}

int command(int fd, unsigned long cmd, const void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

void ask(struct request *r, unsigned int cpu, unsigned int nr_events)
{
	memset(r, 0, sizeof(*r));
	r->c.cpus = (unsigned long)r->cpus;
	r->c.cpus_size = sizeof(r->cpus);
	r->c.events = (unsigned long)r->e;
	r->c.event_size = sizeof(r->e[0]);
	r->c.nr_events = nr_events;
	ask_cpu(r, cpu);
}

void ask_cpu(struct request *r, unsigned int cpu)
{
	r->cpus[cpu / 8] |= 1 << cpu % 8;
}

void ask_event(struct request *r, unsigned int i, unsigned int code,
	       unsigned int flags)
{
	r->e[i].event = code;
	r->e[i].flags = flags;
}

void ask_task(struct request *r, int pid, unsigned int flags,
	      unsigned int nr_events)
{
	ask(r, 0, nr_events);
	r->c.cpus = 0;
	r->c.cpus_size = 0;
	r->c.flags = KNC_PMU_CONFIG_TASK | flags;
	r->c.pid = pid;
}

int config(int fd, struct request *r)
{
	return command(fd, KNC_PMU_IOC_CONFIG, &r->c);
}

int start(int fd)
{
	return command(fd, KNC_PMU_IOC_START, NULL);
}

int stop(int fd)
{
	return command(fd, KNC_PMU_IOC_STOP, NULL);
}

int reset(int fd, unsigned long flags)
{
	return command(fd, KNC_PMU_IOC_RESET, (void *)flags);
}

int read_all(int fd, void *records, unsigned long long size)
{
	return read_flags(fd, 0, records, size);
}

int read_flags(int fd, unsigned int flags, void *records,
	       unsigned long long size)
{
	struct knc_pmu_read r;

	memset(&r, 0, sizeof(r));
	r.flags = flags;
	r.buffer = (unsigned long)records;
	r.buffer_size = size;
	return command(fd, KNC_PMU_IOC_READ, &r);
}

/* The place of a register's value */
static unsigned long long *place_of(struct regs *regs, const struct knc_pmu_reg *reg)
{
	switch (reg->number | reg->space << 16) {
	case KNC_IA32_PERFCNTR0:
	case KNC_IA32_PERFCNTR1:
		return &regs->perfcntr[reg->number - KNC_IA32_PERFCNTR0];
	case KNC_IA32_PERFEVTSEL0:
	case KNC_IA32_PERFEVTSEL1:
		return &regs->perfevtsel[reg->number - KNC_IA32_PERFEVTSEL0];
	case KNC_PERF_SPFLT_CONTROL:
		return &regs->spflt_control;
	case KNC_IA32_PERF_GLOBAL_STATUS:
		return &regs->global_status;
	case KNC_IA32_PERF_GLOBAL_CTRL:
		return &regs->global_ctrl;
	case KNC_IA32_TIME_STAMP_COUNTER:
		return &regs->tsc;
	case KNC_CR4 | KNC_PMU_SPACE_CR << 16:
		return &regs->cr4;
	case KNC_APIC_LVTPC | KNC_PMU_SPACE_APIC << 16:
		return &regs->lvtpc;
	}
	fail("REGS has a register %#x of space %u", reg->number, reg->space);
}

int read_regs(int fd, unsigned int cpu, struct regs *regs)
{
	struct knc_pmu_reg list[KNC_NR_REGISTERS];
	struct knc_pmu_regs r;
	int ret, i;

	memset(&r, 0, sizeof(r));
	r.cpu = cpu;
	r.regs.entries = (unsigned long)list;
	r.regs.nr = ARRAY_SIZE(list);
	r.regs.size = sizeof(list[0]);
	memset(regs, 0, sizeof(*regs));
	ret = command(fd, KNC_PMU_IOC_REGS, &r);
	if (ret < 0)
		return ret;
	check(ret, KNC_NR_REGISTERS);
	for (i = 0; i < ret; i++)
		*place_of(regs, &list[i]) = list[i].value;
	return 0;
}

int open_session_at(const char *file, int line, struct request *r)
{
	int fd = open_device();

	check_at(file, line, "config()", config(fd, r), 0);
	return fd;
}

int session(unsigned int cpu, unsigned int code, unsigned int flags)
{
	struct request r;

	ask(&r, cpu, 1);
	ask_event(&r, 0, code, flags);
	return open_session(&r);
}

void read_counts(int fd, unsigned int nr, unsigned long long *counts)
{
	struct record record;

	check(read_all(fd, &record, KNC_PMU_THREAD_SIZE(nr)), 1);
	check(record.flags, 0);
	memcpy(counts, record.value, nr * sizeof(*counts));
}

int task_session(int pid, unsigned int config_flags, unsigned int code,
		 unsigned int flags)
{
	struct request r;

	ask_task(&r, pid, config_flags, 1);
	ask_event(&r, 0, code, flags);
	return open_session(&r);
}

void read_task(int fd, unsigned int nr, unsigned int flags,
	       unsigned long long *counts)
{
	struct record record;

	check(read_all(fd, &record, KNC_PMU_THREAD_SIZE(nr)), 1);
	check(record.cpu, KNC_PMU_NO_CPU);
	check(record.flags, flags);
	check(record.tsc, 0);
	check(record.time_running <= record.time_enabled, 1);
	memcpy(counts, record.value, nr * sizeof(*counts));
}

static int perf_event_open(struct perf_event_attr *attr, unsigned int code, int pid, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_RAW;
	attr->config = code;
	attr->exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int perf_open(unsigned int code, int pid, int cpu)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	return perf_event_open(&attr, code, pid, cpu);
}

int perf_asks(void)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.disabled = 1;
	fd = perf_event_open(&attr, INSTRUCTIONS_EXECUTED, 0, -1);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void refused(struct request *r, int err, unsigned int reason)
{
	int fd = open_device();

	r->c.reason = 99;
	check(config(fd, r), -err);
	check(r->c.reason, reason);
	close(fd);
}

void check_owner(unsigned int counter, unsigned int flags, int pid)
{
	struct knc_pmu_owner owner;
	unsigned int cpu;
	int fd = open_device();

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		memset(&owner, 0, sizeof(owner));
		owner.cpu = cpu;
		owner.counter = counter;
		check(command(fd, KNC_PMU_IOC_OWNER, &owner), 0);
		check(owner.flags, flags);
		check(owner.pid, pid);
	}
	close(fd);
}

void check_unowned(void)
{
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++)
		check_owner(n, 0, 0);
}

/* Opened before a test drops the privilege that opening the directory needs */
static int program_dir(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open(getenv("KNC_TEST_BUILD"),
			  O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fail("no programs: %s", strerror(errno));
	return fd;
}

/* Permissions */

int ask_grants(struct knc_pmu_grant *grants, unsigned int nr)
{
	struct knc_pmu_list r;
	int fd = open_device(), ret;

	r.entries = (unsigned long)grants;
	r.nr = nr;
	r.size = sizeof(*grants);
	ret = command(fd, KNC_PMU_IOC_GRANTS, &r);
	close(fd);
	if (ret < 0)
		fail("no grants: %s", strerror(-ret));
	return ret;
}

void check_no_pce(void)
{
	struct regs regs;
	unsigned int cpu;
	int fd = open_device();

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		if (!is_online(cpu))
			continue;
		pin(cpu);
		check(read_regs(fd, cpu, &regs), 0);
		if (regs.cr4 & KNC_CR4_PCE)
			fail("CPU %u permits RDPMC", cpu);
	}
	close(fd);
}

unsigned int device_group(void)
{
	struct stat st;

	check(stat(KNC_PMU_DEVICE, &st), 0);
	return st.st_gid;
}

void become_other(unsigned int uid, unsigned int group)
{
	program_dir();
	if (setgroups(0, NULL) || setgid(group) || setuid(uid) || prctl(PR_SET_DUMPABLE, 1))
		fail("can't become an unprivileged user");
}

void become_nobody(unsigned int group)
{
	become_other(NOBODY, group);
}

void wait_child(int pid)
{
	int status;

	check(waitpid(pid, &status, 0), pid);
	/* its message, or that of skip(), is printed already */
	if (WIFEXITED(status) && WEXITSTATUS(status))
		_exit(WEXITSTATUS(status));
	check(status, 0);
}

void as_user(unsigned int uid, void (*fn)(void))
{
	pid_t pid = fork();

	if (!pid) {
		become_other(uid, device_group());
		fn();
		_exit(0);
	}
	wait_child(pid);
}

void pass_file(int socket, int fd)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	check(sendmsg(socket, &msg, 0), 1);
}

int receive_file(int socket)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 }, byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	int fd;

	check(recvmsg(socket, &msg, 0), 1);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* Registers */

const struct registers zeros = { .lvtpc = KNC_APIC_LVT_NMI };

/* Registers by REGS: zeros while the hardware thread is offline */
void get_registers(unsigned int cpu, struct registers *regs)
{
	struct regs r;
	int fd = open_device();

	memset(regs, 0, sizeof(*regs));
	if (!read_regs(fd, cpu, &r)) {
		memcpy(regs->perfcntr, r.perfcntr, sizeof(r.perfcntr));
		memcpy(regs->perfevtsel, r.perfevtsel, sizeof(r.perfevtsel));
		regs->spflt_control = r.spflt_control;
		regs->global_ctrl = r.global_ctrl;
		regs->global_status = r.global_status;
		regs->lvtpc = r.lvtpc;
	}
	close(fd);
}

static void put_msr(int fd, unsigned int msr, unsigned long long value)
{
	if (pwrite(fd, &value, sizeof(value), msr) != sizeof(value))
		fail("can't write MSR %#x: %s", msr, strerror(errno));
}

void put_registers(unsigned int cpu, const struct registers *regs)
{
	char path[64];
	int fd, n;

	sprintf(path, "/dev/cpu/%u/msr", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		fail("can't open %s: %s", path, strerror(errno));
	put_msr(fd, KNC_IA32_PERF_GLOBAL_CTRL, 0);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		put_msr(fd, KNC_IA32_PERFCNTR(n), regs->perfcntr[n]);
		put_msr(fd, KNC_IA32_PERFEVTSEL(n), regs->perfevtsel[n]);
	}
	put_msr(fd, KNC_PERF_SPFLT_CONTROL, regs->spflt_control);
	put_msr(fd, KNC_IA32_PERF_GLOBAL_CTRL, regs->global_ctrl);
	close(fd);
}

static const char *show(const struct registers *regs, char *text)
{
	sprintf(text, "%#llx %#llx, %#llx %#llx, %#llx, %#llx, %#llx, %#llx",
		regs->perfcntr[0], regs->perfcntr[1], regs->perfevtsel[0],
		regs->perfevtsel[1], regs->spflt_control, regs->global_ctrl,
		regs->global_status, regs->lvtpc);
	return text;
}

static struct registers saved[KNC_PMU_MAX_CPUS];

void save_registers(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		get_registers(cpu, &saved[cpu]);
}

void put_back_registers(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		put_registers(cpu, &saved[cpu]);
}

void check_registers(unsigned int cpu, const struct registers *want)
{
	struct registers got;
	char is[256], should[256];

	get_registers(cpu, &got);
	if (memcmp(&got, want, sizeof(got)))
		fail("CPU %u: counters, selects, SPFLT, CTRL, STATUS, LVT PC are %s; should be %s",
		     cpu, show(&got, is), show(want, should));
}

/* CPUs */

unsigned int nr_cpus(void)
{
	static unsigned int nr;

	if (!nr)
		nr = sysconf(_SC_NPROCESSORS_CONF);
	return nr;
}

static int open_online(unsigned int cpu, int flags)
{
	char path[64];

	sprintf(path, "/sys/devices/system/cpu/cpu%u/online", cpu);
	return open(path, flags | O_CLOEXEC);
}

int is_online(unsigned int cpu)
{
	char c = '1';
	int fd = open_online(cpu, O_RDONLY);

	if (fd < 0)
		return 1;	/* the boot CPU can't go offline */
	if (read(fd, &c, 1) != 1)
		fail("can't ask whether CPU %u is online", cpu);
	close(fd);
	return c == '1';
}

void set_online(unsigned int cpu, int online)
{
	int fd;

	if (is_online(cpu) == online)
		return;
	fd = open_online(cpu, O_WRONLY);
	if (fd < 0 || write(fd, online ? "1" : "0", 1) != 1)
		fail("can't take CPU %u %sline: %s", cpu, online ? "on" : "off",
		     strerror(errno));
	close(fd);
}

int pin_task(int pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

int unpin_task(int pid)
{
	unsigned int cpu;
	cpu_set_t set;

	CPU_ZERO(&set);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

void pin(unsigned int cpu)
{
	int err = pin_task(0, cpu);

	if (err)
		fail("can't run on CPU %u: %s", cpu, strerror(-err));
}

/* Programs */

/*
 * Run in the child. The number of instructions is the same each time: the environment is empty,
 * because its length would count.
 */
static void become(int go, const char *name, unsigned long n, unsigned long m)
{
	char file[64], first[24], second[24], byte;
	char *argv[4], *envp[1] = { NULL };
	int dir = program_dir();

	/* a relative path has the same length everywhere; 2.6.38 has no execveat() */
	sprintf(file, "%s", name);
	sprintf(first, "%lu", n);
	sprintf(second, "%lu", m);
	argv[0] = file;
	argv[1] = first;
	argv[2] = m ? second : NULL;
	argv[3] = NULL;
	if (read(go, &byte, 1) == 1 && !fchdir(dir))
		execve(file, argv, envp);
	_exit(127);
}

/* Returns -1 in the parent, and in the child the file from which it reads its release */
static int fork_held(struct program *p, unsigned int cpu)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC))
		fail("no pipe: %s", strerror(errno));
	p->pid = fork();
	if (p->pid < 0)
		fail("no process: %s", strerror(errno));
	if (!p->pid) {
		close(pipes[1]);
		if (cpu != ANY_CPU)
			pin(cpu);
		return pipes[0];
	}
	close(pipes[0]);
	p->go = pipes[1];
	return -1;
}

void hold(struct program *p, unsigned int cpu, const char *name,
	  unsigned long n, unsigned long m)
{
	int go = fork_held(p, cpu);

	if (go >= 0)
		become(go, name, n, m);
}

void hold_call(struct program *p, unsigned int cpu,
	       void (*work)(unsigned long n), unsigned long n)
{
	int go = fork_held(p, cpu);
	char byte;

	if (go < 0)
		return;
	if (read(go, &byte, 1) != 1)
		_exit(127);
	work(n);
	_exit(0);
}

/* Read a file of /proc/PID into @text; returns its length, or -1 if the process is gone */
static ssize_t read_proc(int pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	sprintf(path, "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = read(fd, text, size - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len;
}

void wait_state(int pid, char wanted)
{
	char text[512], *state;

	for (;;) {
		read_proc(pid, "stat", text, sizeof(text));
		state = strrchr(text, ')');
		if (state && state[2] == wanted)
			return;
		/* a dead task never gets another state */
		if (!state || state[2] == 'Z' || state[2] == 'X')
			fail("process %d does not get into state %c: %s", pid,
			     wanted, text);
		wait_ms();
	}
}

/*
 * Wait until the program blocks in read(). A task on its way to sleep may still be on its hardware
 * thread: the kernel waits for that before it reports the system call.
 */
void wait_held(const struct program *p)
{
	char text[512];

	do {
		wait_state(p->pid, 'S');
		if (read_proc(p->pid, "syscall", text, sizeof(text)) <= 0)
			fail("can't ask what process %d does: %s", p->pid,
			     strerror(errno));
	} while (strncmp(text, "0 ", 2));
}

void release(const struct program *p)
{
	if (write(p->go, "", 1) != 1)
		fail("can't let a program go: %s", strerror(errno));
}

void finish(const struct program *p)
{
	int status;

	waitpid(p->pid, &status, 0);
	close(p->go);
	check(status, 0);
}

int has_ended(const struct program *p)
{
	siginfo_t info;

	info.si_pid = 0;
	check(waitid(P_PID, p->pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
	return info.si_pid != 0;
}

const char *copy_loop(unsigned int mode)
{
	static char path[4096];
	char command_line[9000];

	snprintf(path, sizeof(path), "%s", getenv("TMPDIR"));
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", path, "tmpfs", 0, "mode=755"))
		fail("no tmpfs of its own: %s", strerror(errno));
	snprintf(command_line, sizeof(command_line), "cp %s/loop %s/loop",
		 getenv("KNC_TEST_BUILD"), path);
	check(system(command_line), 0);
	strcat(path, "/loop");
	check(chown(path, 0, 0), 0);
	check(chmod(path, mode), 0);
	return path;
}

void wait_ms(void)
{
	static const struct timespec ms = { 0, 1000000 };

	nanosleep(&ms, NULL);
}

unsigned int migrate_to_end(const struct program *p, unsigned int cpu)
{
	unsigned int migrations = 0;

	while (!has_ended(p)) {
		do {
			cpu = (cpu + 1) % nr_cpus();
		} while (!is_online(cpu));
		if (!pin_task(p->pid, cpu))
			migrations++;
		wait_ms();
	}
	return migrations;
}

void measure(struct request *r, unsigned int cpu, const char *name,
	     unsigned long n, unsigned long m, unsigned long long *counts)
{
	struct program p;
	int fd = open_device();

	pin(cpu ? 0 : 1);
	hold(&p, cpu, name, n, m);
	wait_held(&p);
	check(config(fd, r), 0);
	check(start(fd), 0);
	release(&p);
	finish(&p);
	check(stop(fd), 0);
	read_counts(fd, r->c.nr_events, counts);
	close(fd);
}

unsigned long long_loop(void)
{
	return getenv("KNC_TEST_LONG") ? 20000000UL : 5000000UL;
}

unsigned int slow(void)
{
	const char *text = getenv("KNC_TEST_SLOW");

	return text ? atoi(text) : 1;
}

static unsigned int calmer = 1;

unsigned int pace(void)
{
	if (slow() > 1)
		return calmer * slow();
	return calmer * (getenv("KNC_TEST_PMI") ? 4 : 1);
}

void calm_down(unsigned int tries)
{
	if (tries % 4 == 0)
		calmer *= 2;
}

unsigned int rounds(unsigned int most)
{
	unsigned int part = slow() > 4 ? slow() : 4;

	return getenv("KNC_TEST_LONG") ? most : most / part;
}

void loop(unsigned long n)
{
	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (n) : : "cc");
}

void ask_monitor(const char *command, void (*meanwhile)(void))
{
	const char *path = getenv("KNC_TEST_MONITOR");
	char asked[4096], done[4096];
	unsigned int nr = 0;
	FILE *file;

	if (!path)
		fail("KNC_TEST_MONITOR is not set");
	/* other processes, such as earlier tests, have asked the monitor too */
	do {
		snprintf(done, sizeof(done), "%s.%u.done", path, ++nr);
	} while (!access(done, F_OK));
	snprintf(done, sizeof(done), "%s.%u.new", path, nr);
	file = fopen(done, "w");
	if (!file || fprintf(file, "%s\n", command) < 0 || fclose(file))
		fail("can't write %s: %s", done, strerror(errno));
	/* rename: the server must not see half a command */
	snprintf(asked, sizeof(asked), "%s.%u", path, nr);
	check(rename(done, asked), 0);
	snprintf(done, sizeof(done), "%s.%u.done", path, nr);
	while (access(done, F_OK)) {
		if (meanwhile)
			meanwhile();
		usleep(10000);
	}
}

int watch_faults(unsigned long long features, struct uffdio_range area, unsigned long long mode)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register range = { .range = area, .mode = mode };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		skip("no userfaultfd of that kind: %s", strerror(errno));
	check(ioctl(fd, UFFDIO_REGISTER, &range), 0);
	return fd;
}

unsigned int random_below(unsigned int n)
{
	return random() % n;
}

void kill_clients(unsigned int times, void (*client)(void),
		  void (*check_free)(void))
{
	static struct registers before[MAX_TEST_CPUS];
	unsigned int cpu, i, seed;
	int status;
	pid_t pid;

	for (cpu = 0; cpu < nr_cpus() && cpu < MAX_TEST_CPUS; cpu++)
		get_registers(cpu, &before[cpu]);
	for (i = 0; i < times; i++) {
		seed = random();
		pid = fork();
		if (!pid) {
			srandom(seed);
			client();
		}
		usleep(random_below(20000));
		kill(pid, SIGKILL);
		check(waitpid(pid, &status, 0), pid);
		check(status, SIGKILL);
		wait_for_registers(before);
		for (cpu = 0; cpu < nr_cpus() && cpu < MAX_TEST_CPUS; cpu++)
			check_registers(cpu, &before[cpu]);
		check_free();
	}
}
