// SPDX-License-Identifier: GPL-2.0
/* What the test programs for hosts share */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../card/guest/asked.h"
#include "lib.h"

/* Seconds after which a hanging test is killed */
#define LIMIT	400

static const char *test_name;
static int msr_fd = -1;

void fail(const char *fmt, ...)
{
	va_list args;

	printf("not ok %s: ", test_name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

void expect(const char *what, long long got, long long want)
{
	if (got != want)
		fail("%s is %lld (%#llx), should be %lld (%#llx)", what, got, got, want, want);
}

void within(const char *what, long long got, long long least, long long most)
{
	if (got < least || got > most)
		fail("%s is %lld, should be %lld to %lld", what, got, least, most);
}

int run_test(const struct test *test, void (*before)(void))
{
	int status;
	pid_t pid;

	if (!is_asked_for(test->name))
		return 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_name = test->name;
	pid = fork();
	if (!pid) {
		alarm(LIMIT);
		if (before)
			before();
		test->run();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("not ok %s: ended by signal %d\n", test->name, WTERMSIG(status));
	else if (!status)
		printf("ok %s\n", test->name);
	return status != 0;
}

int is_named(const char *name, char **names)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return 1;
	return 0;
}

int run_tests(const struct test *tests, unsigned int nr, char **names, void (*before)(void))
{
	unsigned int i, failed = 0;

	for (i = 0; i < nr; i++)
		if (!*names || is_named(tests[i].name, names))
			failed += run_test(&tests[i], before);
	return failed ? 1 : 0;
}

void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("can't run on CPU %u: %s", cpu, strerror(errno));
}

void set_online(unsigned int cpu, int online)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, online ? "1" : "0", 1) != 1)
		fail("%s: %s", path, strerror(errno));
	close(fd);
}

__attribute__((__noinline__)) void loop(unsigned long n)
{
	__asm__ __volatile__("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

void read_leaf(unsigned int leaf, unsigned int regs[4])
{
	__asm__ __volatile__("cpuid" : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3])
			     : "a"(leaf), "c"(0));
}

int device(void)
{
	int fd = kncpmu_open(NULL);

	if (fd < 0)
		fail("open: %s", strerror(-fd));
	return fd;
}

int config_cpu(int fd, unsigned int cpu, struct knc_pmu_event *events, unsigned int nr,
	       struct knc_pmu_config *config)
{
	struct kncpmu_cpus cpus;

	memset(&cpus, 0, sizeof(cpus));
	kncpmu_cpus_set(&cpus, cpu);
	return kncpmu_config(fd, &cpus, events, nr, 0, config);
}

int task_session(struct knc_pmu_event *events, unsigned int nr)
{
	struct knc_pmu_config config;
	int fd = device(), ret;

	ret = kncpmu_config_task(fd, 0, events, nr, 0, &config);
	if (ret)
		fail("CONFIG: %s, reason %u", strerror(-ret), config.reason);
	return fd;
}

int cpu_session(unsigned int cpu, struct knc_pmu_event *events, unsigned int nr)
{
	struct knc_pmu_config config;
	int fd = device(), ret;

	ret = config_cpu(fd, cpu, events, nr, &config);
	if (ret)
		fail("CONFIG on CPU %u: %s, reason %u", cpu, strerror(-ret), config.reason);
	return fd;
}

void open_msr(unsigned int cpu)
{
	char path[32];

	if (msr_fd >= 0)
		close(msr_fd);
	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	msr_fd = open(path, O_RDWR | O_CLOEXEC);
	if (msr_fd < 0)
		fail("%s: %s", path, strerror(errno));
}

int read_msr(unsigned int msr, unsigned long long *value)
{
	return pread(msr_fd, value, 8, msr) == 8 ? 0 : -errno;
}

unsigned long long value_of(unsigned int msr)
{
	unsigned long long value;
	int ret = read_msr(msr, &value);

	if (ret)
		fail("reading %#x: %s", msr, strerror(-ret));
	return value;
}

void writing(unsigned int msr, unsigned long long value, int want)
{
	int ret = pwrite(msr_fd, &value, 8, msr) == 8 ? 0 : -errno;

	if (ret != want)
		fail("writing %#llx to %#x: %d instead of %d", value, msr, ret, want);
}
