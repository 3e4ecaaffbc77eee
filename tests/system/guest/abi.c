// SPDX-License-Identifier: GPL-2.0
/*
 * Every errno and every reason that uapi/knc_pmu.h documents
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib.h"

#define CPU	1
#define NOBODY	65534
#define BAD	((void *)8)

/* CONFIG refuses with an errno and a reason, and nothing is configured. */
static void check_refused(struct request *r, int err, unsigned int reason)
{
	int fd = open_device();

	r->c.reason = 99;
	check(config(fd, r), -err);
	check(r->c.reason, reason);
	check(start(fd), -ENODATA);
	close(fd);
}

/* The same without a reason: the errno says it all and nothing is written. */
static void check_error(struct request *r, int err)
{
	int fd = open_device();

	r->c.reason = 99;
	check(config(fd, r), -err);
	check(r->c.reason, 99);
	check(start(fd), -ENODATA);
	close(fd);
}

/* CONFIG puts the two events on these counters. */
static void check_placed(struct request *r, unsigned int first,
			 unsigned int second)
{
	int fd = open_device();

	check(config(fd, r), 0);
	check(r->e[0].counter, first);
	check(r->e[1].counter, second);
	close(fd);
}

static void ask_one(struct request *r)
{
	ask(r, CPU, 1);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR);
}

static void ask_two(struct request *r)
{
	ask(r, CPU, 2);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(r, 1, BRANCHES, USR);
}

/* A struct longer than the module knows: a zero tail is fine, another isn't. */
static void check_long(unsigned long cmd, const void *arg, unsigned int size,
		       int want)
{
	unsigned char longer[512];
	unsigned int longer_size = size + 16;
	int fd = open_device();

	memset(longer, 0, sizeof(longer));
	memcpy(longer, arg, size);
	memcpy(longer, &longer_size, sizeof(longer_size));
	longer[size + 15] = 1;
	check(command(fd, cmd, longer), -E2BIG);
	longer[size + 15] = 0;
	check(command(fd, cmd, longer), want);
	close(fd);
}

/* What all commands with a struct have in common; a good one gives @want. */
static void check_struct(unsigned long cmd, void *arg, unsigned int size,
			 int want)
{
	static const unsigned int small[] = { 0, 4 };
	static const unsigned int large[] = { 1U << 20, ~0U };
	unsigned int i, *its_size = arg;
	int fd = open_device();

	check(command(fd, cmd, NULL), -EFAULT);
	check(command(fd, cmd, BAD), -EFAULT);
	check(command(fd, cmd, (void *)0xffffffff81000000), -EFAULT);
	check(*its_size, size);
	for (i = 0; i < ARRAY_SIZE(small); i++) {
		*its_size = small[i];
		check(command(fd, cmd, arg), -EINVAL);
	}
	for (i = 0; i < ARRAY_SIZE(large); i++) {
		*its_size = large[i];
		check(command(fd, cmd, arg), -E2BIG);
	}
	*its_size = size - 1;
	check(command(fd, cmd, arg), -EINVAL);
	*its_size = size;
	close(fd);
	check_long(cmd, arg, size, want);
}

/* An event longer than the module knows, by the same rule */
static void check_long_events(void)
{
	struct {
		struct knc_pmu_event event;
		unsigned long long more;
	} events[2];
	struct request r;
	int fd = open_device();

	ask_two(&r);
	memset(events, 0, sizeof(events));
	events[0].event = r.e[0];
	events[1].event = r.e[1];
	r.c.events = (unsigned long)events;
	r.c.event_size = sizeof(events[0]);
	events[1].more = 1;
	check_error(&r, E2BIG);
	events[1].more = 0;
	check(config(fd, &r), 0);
	check(events[0].event.counter, 0);
	check(events[1].event.counter, 1);
	close(fd);
}

/* A struct that can't be written back to */
static void check_readonly(unsigned long cmd, const void *arg,
			   unsigned int size)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open_device();

	memcpy(page, arg, size);
	mprotect(page, 4096, PROT_READ);
	check(command(fd, cmd, page), -EFAULT);
	munmap(page, 4096);
	close(fd);
}

static void test_info(void)
{
	struct knc_pmu_info info;
	int fd = open_device();

	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	check_struct(KNC_PMU_IOC_INFO, &info, sizeof(info), 0);
	check_readonly(KNC_PMU_IOC_INFO, &info, sizeof(info));
	info.flags = 1;
	check(command(fd, KNC_PMU_IOC_INFO, &info), -EINVAL);
	info.flags = 0;
	info.reserved = 1;
	check(command(fd, KNC_PMU_IOC_INFO, &info), -EINVAL);
	info.reserved = 0;
	check(command(fd, KNC_PMU_IOC_INFO, &info), 0);
	check(info.nr_counters, 2);
	check(info.counter_width, 40);
	check(info.threads_per_core, 4);
	check(info.nr_threads >= nr_cpus(), 1);
	check(info.nr_online, nr_cpus());
	check(info.nr_sessions, 0);
	check(info.features, KNC_PMU_FEATURE_THREADS | KNC_PMU_FEATURE_SPFLT);
	check(info.tsc_khz > 1000, 1);
	session(CPU, BRANCHES, USR);
	session(CPU, BRANCHES, USR);
	check(command(fd, KNC_PMU_IOC_INFO, &info), 0);
	check(info.nr_sessions, 2);
}

static void test_config_struct(void)
{
	struct request r;

	ask_one(&r);
	check_struct(KNC_PMU_IOC_CONFIG, &r.c, sizeof(r.c), 0);
	check_readonly(KNC_PMU_IOC_CONFIG, &r.c, sizeof(r.c));
	ask_one(&r);
	r.c.flags = 1U << 31;
	check_error(&r, EINVAL);
	r.c.flags = KNC_PMU_CONFIG_FLAGS + 1;
	check_error(&r, EINVAL);
	ask_one(&r);
	r.c.reserved = 1;
	check_error(&r, EINVAL);
	ask_one(&r);
	r.c.nr_events = 0;
	check_error(&r, EINVAL);
	r.c.nr_events = KNC_PMU_MAX_EVENTS + 1;
	check_error(&r, EINVAL);
	r.c.nr_events = ~0U;
	check_error(&r, EINVAL);
	ask_one(&r);
	r.c.event_size = 0;
	check_error(&r, EINVAL);
	r.c.event_size = sizeof(r.e[0]) - 8;
	check_error(&r, EINVAL);
	r.c.event_size = 1U << 20;
	check_error(&r, E2BIG);
	check_long_events();
	ask_one(&r);
	r.c.events = 8;
	check_error(&r, EFAULT);
	r.c.events = 0;
	check_error(&r, EFAULT);
	r.c.events = 0xffff888000000000;
	check_error(&r, EFAULT);
}

static void test_config_cpus(void)
{
	struct request r;
	int fd;

	ask_one(&r);
	r.c.cpus = 0;
	check_error(&r, EFAULT);
	r.c.cpus = 8;
	check_error(&r, EFAULT);
	ask_one(&r);
	r.c.cpus_size = 0;
	check_error(&r, EINVAL);
	r.c.cpus_size = sizeof(r.cpus) + 1;
	check_error(&r, EINVAL);
	ask_one(&r);
	memset(r.cpus, 0, sizeof(r.cpus));
	check_refused(&r, EINVAL, KNC_PMU_REASON_CPU_EMPTY);
	/* the highest bit there is: no such CPU on this card */
	ask_one(&r);
	ask_cpu(&r, KNC_PMU_MAX_CPUS - 1);
	check_refused(&r, ENXIO, KNC_PMU_REASON_CPU_NONE);
	check(r.c.reason_cpu, KNC_PMU_MAX_CPUS - 1);
	ask_one(&r);
	ask_cpu(&r, nr_cpus());
	check_refused(&r, ENXIO, KNC_PMU_REASON_CPU_NONE);
	check(r.c.reason_cpu, nr_cpus());
	/* one byte is enough for CPU 1; what lies behind it is not looked at */
	ask_one(&r);
	r.c.cpus_size = 1;
	memset(r.cpus + 1, 0xff, sizeof(r.cpus) - 1);
	fd = open_device();
	check(config(fd, &r), 0);
	check(r.c.reason, KNC_PMU_REASON_NONE);
}

static void check_event(struct request *r, unsigned int reason)
{
	check_refused(r, EINVAL, reason);
	check(r->c.reason_event[0], 1);
}

/* The second of two events is illegal: each field of it in turn */
static void test_config_events(void)
{
	struct request r;
	unsigned int bit;

	for (bit = 6; bit < 32; bit++) {
		ask_two(&r);
		r.e[1].flags |= 1U << bit;
		check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	}
	for (bit = 2; bit < 32; bit++) {
		ask_two(&r);
		r.e[1].counters = 1U << bit;
		check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	}
	ask_two(&r);
	r.e[1].reserved0 = 1;
	check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	ask_two(&r);
	r.e[1].reserved = 1ULL << 63;
	check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	ask_two(&r);
	r.e[1].sample_period = 1;
	check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	ask_two(&r);
	r.e[1].flags = KNC_PMU_EVENT_EDGE;
	check_event(&r, KNC_PMU_REASON_EVENT_RING);
	ask_two(&r);
	r.e[1].flags |= KNC_PMU_EVENT_INV;
	check_event(&r, KNC_PMU_REASON_EVENT_INV);
	ask_two(&r);
	ask_event(&r, 1, CPU_CLK_UNHALTED, USR | KNC_PMU_EVENT_THREAD_MODE);
	check_event(&r, KNC_PMU_REASON_EVENT_THREAD_MODE);
}

/* What can be counted on counter 0 only */
static void test_config_counters(void)
{
	struct request r;

	ask(&r, CPU, 2);
	ask_event(&r, 0, L2_READ_MISS, USR);
	ask_event(&r, 1, L2_READ_HIT_M, USR);
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR);
	check(r.c.reason_event[0] + r.c.reason_event[1], 1);
	ask_event(&r, 1, L2_READ_MISS, USR);
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR);
	ask_event(&r, 1, BRANCHES, USR);
	r.e[1].counters = 1;
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR);

	ask_two(&r);
	ask_event(&r, 1, L2_READ_MISS, USR);
	r.e[1].counters = 2;
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER);
	check(r.c.reason_event[0], 1);

	/* with one that goes anywhere it fits, in either order */
	ask_two(&r);
	ask_event(&r, 1, L2_READ_MISS, USR);
	check_placed(&r, 1, 0);
	ask_two(&r);
	ask_event(&r, 0, L2_READ_MISS, USR);
	check_placed(&r, 0, 1);
}

static void test_config_twice(void)
{
	struct request r;
	int fd = open_device();

	ask_one(&r);
	check(config(fd, &r), 0);
	check(config(fd, &r), -EALREADY);
	/* a refused one leaves the session open for another try */
	close(fd);
	fd = open_device();
	ask_one(&r);
	r.e[0].flags = 0;
	check(config(fd, &r), -EINVAL);
	ask_one(&r);
	check(config(fd, &r), 0);
	check(start(fd), 0);
}

static void test_commands(void)
{
	int fd = open_device();
	unsigned int nr;

	check(start(fd), -ENODATA);
	check(stop(fd), -ENODATA);
	check(reset(fd, 0), -ENODATA);
	check(reset(fd, KNC_PMU_RESET_REGISTERS), -ENODATA);
	check(read_all(fd, NULL, 0), -ENODATA);
	for (nr = 8; nr < 256; nr++)
		check(command(fd, _IO(KNC_PMU_IOC_TYPE, nr), NULL), -ENOTTY);
	check(command(fd, _IO(KNC_PMU_IOC_TYPE - 1, 0), NULL), -ENOTTY);
	check(command(fd, _IOR(KNC_PMU_IOC_TYPE, 2, int), NULL), -ENOTTY);
	close(fd);
	fd = session(CPU, BRANCHES, USR);
	check(command(fd, KNC_PMU_IOC_START, (void *)1), -EINVAL);
	check(command(fd, KNC_PMU_IOC_STOP, (void *)(1UL << 63)), -EINVAL);
	check(reset(fd, 2), -EINVAL);
	check(reset(fd, 1UL << 32 | KNC_PMU_RESET_REGISTERS), -EINVAL);
	check(reset(fd, KNC_PMU_RESET_REGISTERS), -EBUSY);
	check(reset(fd, 0), 0);
}

static void test_read(void)
{
	struct knc_pmu_thread record[2];
	struct knc_pmu_read r;
	int fd = session(CPU, BRANCHES, USR);
	size_t size = KNC_PMU_THREAD_SIZE(1);

	check(size, offsetof(struct knc_pmu_thread, value[1]));
	check(read_all(fd, record, size - 1), -ENOSPC);
	check(read_all(fd, record, 0), -ENOSPC);
	check(read_all(fd, BAD, size), -EFAULT);
	check(read_all(fd, (void *)0xffff888000000000, size), -EFAULT);
	memset(record, 0xff, sizeof(record));
	check(read_all(fd, record, sizeof(record)), 1);
	check(record[0].cpu, CPU);
	/* it writes its record and not a byte more */
	check(record[0].value[1], ~0ULL);
	memset(&r, 0, sizeof(r));
	r.size = sizeof(r);
	r.buffer = (unsigned long)record;
	r.buffer_size = ~0ULL;
	check(command(fd, KNC_PMU_IOC_READ, &r), 1);
	r.flags = KNC_PMU_READ_FLAGS + 1;
	check(command(fd, KNC_PMU_IOC_READ, &r), -EINVAL);
	r.flags = 1U << 31;
	check(command(fd, KNC_PMU_IOC_READ, &r), -EINVAL);
	r.flags = 0;
	close(fd);
	check_struct(KNC_PMU_IOC_READ, &r, sizeof(r), -ENODATA);
}

static void test_read_counts(void)
{
	struct knc_pmu_thread with, without;
	struct knc_pmu_read r;
	int fd = session(CPU, BRANCHES, USR);

	check(start(fd), 0);
	pin(CPU);
	loop(1000);
	check(stop(fd), 0);
	check(read_all(fd, &with, sizeof(with)), 1);
	memset(&r, 0, sizeof(r));
	r.size = sizeof(r);
	r.flags = KNC_PMU_READ_COUNTS;
	r.buffer = (unsigned long)&without;
	r.buffer_size = sizeof(without);
	check(command(fd, KNC_PMU_IOC_READ, &r), 1);
	check(with.value[0] >= 1000, 1);
	check(without.value[0], with.value[0]);
	check(without.cpu, CPU);
	check(without.flags, 0);
	check(without.time | without.time_enabled | without.time_running, 0);
	check(with.time_enabled > 0, 1);
}

static void test_regs(void)
{
	struct knc_pmu_regs regs;
	int fd = open_device();

	check(read_regs(fd, CPU, &regs), 0);
	check_struct(KNC_PMU_IOC_REGS, &regs, sizeof(regs), 0);
	check_readonly(KNC_PMU_IOC_REGS, &regs, sizeof(regs));
	check(read_regs(fd, nr_cpus(), &regs), -ENXIO);
	check(read_regs(fd, ~0U, &regs), -ENXIO);
	set_online(CPU, 0);
	check(read_regs(fd, CPU, &regs), -ENXIO);
	set_online(CPU, 1);
	regs.cpu = CPU;
	regs.flags = 1;
	check(command(fd, KNC_PMU_IOC_REGS, &regs), -EINVAL);
}

/* What REGS shows while a session counts */
static void test_regs_session(void)
{
	unsigned long long usr_en_branches = 0x410012;
	struct knc_pmu_regs regs;
	struct request r;
	int fd = open_device();

	ask(&r, CPU, 2);
	ask_event(&r, 0, BRANCHES, USR);
	ask_event(&r, 1, DATA_READ, OS | KNC_PMU_EVENT_EDGE |
		  KNC_PMU_EVENT_INV | KNC_PMU_EVENT_THREAD_MODE |
		  KNC_PMU_EVENT_SPFLT);
	r.e[1].cmask = 7;
	r.c.flags = KNC_PMU_CONFIG_USER_PREF;
	check(config(fd, &r), 0);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.perfevtsel[0], usr_en_branches);
	check(regs.perfevtsel[1], 0x07e60000);
	check(regs.global_ctrl, 0);
	check(regs.spflt_control, 1ULL << 63 | 2);
	check(start(fd), 0);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.global_ctrl, 3);
	check(regs.tsc != 0 && regs.cr4 != 0, 1);
	check(stop(fd), 0);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.global_ctrl, 0);
}

static int ask_owner(int fd, unsigned int cpu, unsigned int counter,
		     struct knc_pmu_owner *owner)
{
	memset(owner, 0, sizeof(*owner));
	owner->size = sizeof(*owner);
	owner->cpu = cpu;
	owner->counter = counter;
	return command(fd, KNC_PMU_IOC_OWNER, owner);
}

static void test_owner(void)
{
	struct knc_pmu_owner owner;
	int fd = open_device();

	check(ask_owner(fd, CPU, 1, &owner), 0);
	check(owner.flags, 0);
	check(owner.pid, 0);
	check_struct(KNC_PMU_IOC_OWNER, &owner, sizeof(owner), 0);
	check_readonly(KNC_PMU_IOC_OWNER, &owner, sizeof(owner));
	check(ask_owner(fd, nr_cpus(), 0, &owner), -ENXIO);
	check(ask_owner(fd, ~0U, 0, &owner), -ENXIO);
	check(ask_owner(fd, CPU, 2, &owner), -ENXIO);
	ask_owner(fd, CPU, 0, &owner);
	owner.reserved = 1;
	check(command(fd, KNC_PMU_IOC_OWNER, &owner), -EINVAL);
	owner.reserved = 0;
	owner.flags = 2;
	check(command(fd, KNC_PMU_IOC_OWNER, &owner), -EINVAL);
	session(CPU, BRANCHES, USR);
	check(ask_owner(fd, CPU, 0, &owner), 0);
	check(owner.flags, KNC_PMU_OWNER_SESSION);
	check(owner.pid, getpid());
	check(ask_owner(fd, CPU, 1, &owner), 0);
	check(owner.flags, 0);
	check(ask_owner(fd, CPU + 1, 0, &owner), 0);
	check(owner.flags, 0);
}

static void become_nobody(gid_t group)
{
	if (setgroups(0, NULL) || setgid(group) || setuid(NOBODY))
		fail("can't become an unprivileged user");
}

/* In the device's group, without CAP_PERFMON */
static void test_group(void)
{
	struct knc_pmu_owner owner;
	struct knc_pmu_info info;
	struct knc_pmu_regs regs;
	struct request r;
	struct stat st;
	int fd;

	check(stat(KNC_PMU_DEVICE, &st), 0);
	check(st.st_mode, S_IFCHR | 0660);
	check(st.st_uid, 0);
	check(st.st_gid != 0, 1);
	become_nobody(st.st_gid);
	ask_one(&r);
	check_refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	fd = open_device();
	check(read_regs(fd, CPU, &regs), -EPERM);
	check(ask_owner(fd, CPU, 0, &owner), 0);
	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	check(command(fd, KNC_PMU_IOC_INFO, &info), 0);
}

static void test_others(void)
{
	become_nobody(NOBODY);
	check(open(KNC_PMU_DEVICE, O_RDWR), -1);
	check(errno, EACCES);
}

/* No read, write, seek or mapping: errors, not surprises */
static void test_file(void)
{
	int fd = session(CPU, BRANCHES, USR);
	char byte;

	check(read(fd, &byte, 1), -1);
	check(errno, EINVAL);
	check(write(fd, &byte, 1), -1);
	check(errno, EINVAL);
	check(lseek(fd, 0, SEEK_SET), -1);
	check(errno, ESPIPE);
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, 1);
	check(errno, ENODEV);
}

static const struct test tests[] = {
	{ "abi.info", test_info },
	{ "abi.config-struct", test_config_struct },
	{ "abi.config-cpus", test_config_cpus },
	{ "abi.config-events", test_config_events },
	{ "abi.config-counters", test_config_counters },
	{ "abi.config-twice", test_config_twice },
	{ "abi.commands", test_commands },
	{ "abi.read", test_read },
	{ "abi.read-counts", test_read_counts },
	{ "abi.regs", test_regs },
	{ "abi.regs-session", test_regs_session },
	{ "abi.owner", test_owner },
	{ "abi.group", test_group },
	{ "abi.others", test_others },
	{ "abi.file", test_file },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc);
}
