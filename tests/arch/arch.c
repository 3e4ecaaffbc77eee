// SPDX-License-Identifier: GPL-2.0
/*
 * The architectural PMU on an emulated host: registers that fault, each counter, tasks, samples,
 * perf beside the module
 *
 * A loop of N times {dec, jnz} is 2 N instructions and N branches. The code around it is the same
 * for every N: differences of two counts are exact.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kncpmu.h>

#include "lib.h"

#define INSTRUCTIONS	0x00c0
#define CYCLES		0x003c
#define REFERENCE	0x0300
#define BRANCHES	0x00c4
#define LLC_MISSES	0x412e

#define OS		KNC_PMU_EVENT_OS

#define FIXED(n)	(32 + (n))

/* version of the PMU */
static unsigned int version;

static struct knc_pmu_event event(unsigned int code, unsigned int flags,
				  unsigned long long counters)
{
	struct knc_pmu_event e = { .event = code, .flags = flags, .counters = counters };

	return e;
}

/* Count @n rounds of the loop, and close the session */
static void count(int fd, unsigned int nr, unsigned long n, unsigned long long *counts)
{
	unsigned char buffer[KNC_PMU_THREAD_SIZE(KNC_PMU_MAX_EVENTS)];
	const struct knc_pmu_thread *record;
	unsigned int i;

	if (kncpmu_start(fd))
		fail("START");
	loop(n);
	if (kncpmu_stop(fd) || kncpmu_read(fd, buffer, sizeof(buffer), 0) != 1)
		fail("STOP or READ");
	record = kncpmu_record(buffer, nr, 0);
	for (i = 0; i < nr; i++)
		counts[i] = record->value[i];
	kncpmu_close(fd);
}

/* The events that @more rounds of the loop add */
static void difference(struct knc_pmu_event *events, unsigned int nr, unsigned long more,
		       unsigned long long *added)
{
	unsigned long long few[KNC_PMU_MAX_EVENTS];
	unsigned int i;

	count(task_session(events, nr), nr, 1000, few);
	count(task_session(events, nr), nr, 1000 + more, added);
	for (i = 0; i < nr; i++)
		added[i] -= few[i];
}

/* Registers */

static void leaf(void)
{
	unsigned int regs[4];

	read_leaf(0xa, regs);
	expect("EAX", regs[0], 0x07300400 | version);
	expect("EBX", regs[1], 0x18);
	expect("EDX", regs[3], version > 1 ? 0x603 : 0);
	read_leaf(1, regs);
	expect("PDCM", regs[2] >> 15 & 1, version == 3);
}

static void reading(unsigned int msr, int want)
{
	unsigned long long value;
	int ret = read_msr(msr, &value);

	if (ret != want)
		fail("reading %#x: %d instead of %d", msr, ret, want);
}

/* #GP comes back as EIO */
static void faults(void)
{
	const int v2 = version > 1 ? 0 : -EIO, v3 = version > 2 ? 0 : -EIO;
	unsigned int i;

	open_msr(0);
	for (i = 0; i < 8; i++) {
		reading(0xc1 + i, i < 4 ? 0 : -EIO);
		reading(0x186 + i, i < 4 ? 0 : -EIO);
		reading(0x4c1 + i, i < 4 ? v3 : -EIO);
	}
	for (i = 0; i < 4; i++)
		reading(0x309 + i, i < 3 ? v2 : -EIO);
	for (i = 0x38d; i <= 0x390; i++)
		reading(i, v2);
	reading(0x345, v3);
	writing(0x345, 0, -EIO);
	writing(0x38e, 0, -EIO);
	writing(0x38f, 0x70000000fULL, v2);
	writing(0x38f, 0x10, -EIO);
	writing(0x38f, BIT(35), -EIO);
	writing(0x38d, 0xbbb, v2);
	writing(0x38d, 0x1000, -EIO);
	writing(0x38d, 0x004, v3);
	writing(0x38d, 0, v2);
	writing(0x186, 0xffdfffff & ~BIT(22), 0);
	writing(0x186, BIT(32), -EIO);
	writing(0x186, BIT(21), v3);
	writing(0x186, 0, 0);
	writing(0x309, BIT(48) - 1, v2);
	writing(0x309, BIT(48), -EIO);
	writing(0x4c1, BIT(48) - 1, v3);
	writing(0x4c1, BIT(48), -EIO);
	writing(0x390, 0x70000000fULL, v2);
	writing(0x390, 0x10, -EIO);
	writing(0x38f, 0xf, v2);
}

/* A write of a general counter takes 32 bits, and extends the sign */
static void extends(void)
{
	unsigned long long value = 0;

	open_msr(0);
	writing(0xc1, 0x1234567890abcdefULL, 0);
	read_msr(0xc1, &value);
	expect("0xc1", value, 0xffff90abcdefULL);
	writing(0xc1, 0xffffffff7fffffffULL, 0);
	read_msr(0xc1, &value);
	expect("0xc1", value, 0x7fffffff);
	if (version > 2) {
		writing(0x4c1, 0x123456789abcULL, 0);
		read_msr(0xc1, &value);
		expect("0xc1", value, 0x123456789abcULL);
	}
	writing(0xc1, 0, 0);
}

/* Counting */

static void info(void)
{
	struct knc_pmu_desc desc;
	int fd = device();

	expect("PMUs", kncpmu_pmus(fd, &desc, 1), 1);
	expect("name", strcmp(desc.name, "arch"), 0);
	expect("counters", desc.counters, 0x70000000fULL);
	expect("nr_counters", desc.nr_counters, 4);
	expect("width", desc.width, 48);
	expect("nr_fixed", desc.nr_fixed, 3);
	expect("fixed_width", desc.fixed_width, 48);
	kncpmu_close(fd);
}

/* Each counter that can count instructions or branches, alone */
static void each(void)
{
	unsigned long long added;
	struct knc_pmu_event e;
	unsigned int n;

	for (n = 0; n < 4; n++) {
		e = event(INSTRUCTIONS, USR, BIT(n));
		difference(&e, 1, 1000000, &added);
		expect("counter", e.counter, n);
		expect("instructions", added, 2000000);
		e = event(BRANCHES, USR, BIT(n));
		difference(&e, 1, 1000000, &added);
		expect("branches", added, 1000000);
	}
	e = event(INSTRUCTIONS, USR, BIT(FIXED(0)));
	difference(&e, 1, 1000000, &added);
	expect("fixed counter", e.counter, FIXED(0));
	expect("instructions of the fixed counter", added, 2000000);
}

/* All seven counters at once; in this model a cycle is an instruction */
static void seven(void)
{
	unsigned long long added[7];
	struct knc_pmu_event e[7] = {
		event(INSTRUCTIONS, USR, 0), event(BRANCHES, USR, 0), event(INSTRUCTIONS, USR, 0),
		event(CYCLES, USR, 0), event(INSTRUCTIONS, USR, 0), event(CYCLES, USR, 0),
		event(REFERENCE, USR, 0),
	};
	unsigned int i;

	difference(e, 7, 1000000, added);
	expect("instructions", added[0], 2000000);
	expect("branches", added[1], 1000000);
	for (i = 2; i < 7; i++)
		expect("others", added[i], 2000000);
}

/* Modes: the count of both modes is the sum of the two, on general and fixed counters */
static void modes(void)
{
	unsigned long long counts[4];
	struct knc_pmu_event e[4] = {
		event(INSTRUCTIONS, USR, BIT(0)), event(INSTRUCTIONS, OS, BIT(1)),
		event(INSTRUCTIONS, USR | OS, BIT(2)), event(INSTRUCTIONS, USR | OS, BIT(FIXED(0))),
	};

	pin(0);
	count(cpu_session(0, e, 4), 4, 3000000, counts);
	if (counts[0] < 6000000 || !counts[1])
		fail("%llu in user mode, %llu in the kernel", counts[0], counts[1]);
	expect("both modes", counts[2], counts[0] + counts[1]);
	expect("both modes, fixed counter", counts[3], counts[0] + counts[1]);
}

static void hwthread(void)
{
	unsigned long long few[2], many[2];
	struct knc_pmu_event e[2] = { event(INSTRUCTIONS, USR, 0), event(BRANCHES, USR, 0) };

	pin(0);
	count(cpu_session(0, e, 2), 2, 1000, few);
	count(cpu_session(0, e, 2), 2, 1001000, many);
	/* other programs may run on this hardware thread too */
	if (many[0] - few[0] < 2000000 || many[1] - few[1] < 1000000)
		fail("%llu instructions, %llu branches", many[0] - few[0], many[1] - few[1]);
}

/* Eight programs that compete with this one for one hardware thread */
static void competitors(void)
{
	unsigned long long few[2], many[2];
	struct knc_pmu_event e[2] = {
		event(INSTRUCTIONS, USR, BIT(FIXED(0))), event(BRANCHES, USR, 0),
	};
	pid_t pids[8];
	unsigned int i;

	pin(0);
	for (i = 0; i < 8; i++) {
		pids[i] = fork();
		while (!pids[i])
			loop(1000);
	}
	count(task_session(e, 2), 2, 1000, few);
	count(task_session(e, 2), 2, 20001000, many);
	for (i = 0; i < 8; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	expect("instructions", many[0] - few[0], 40000000);
	expect("branches", many[1] - few[1], 20000000);
}

/*
 * Sample 4e7 instructions, and the few around the loop. A sample is late if its overflow came while
 * the timer's interrupt was handled: it then waits until the kernel permits interrupts again.
 *
 * Returns whether samples were throttled.
 */
static int samples_on(unsigned long long counter, unsigned int factor, unsigned int want)
{
	struct knc_pmu_event e = event(INSTRUCTIONS, USR | KNC_PMU_EVENT_SAMPLE, counter);
	struct knc_pmu_config config = {
		.flags = KNC_PMU_CONFIG_TASK, .ring_size = 1 << 20,
	};
	const struct knc_pmu_record *records, *record;
	unsigned int nr = 0, inside = 0, late = 0;
	struct kncpmu_ring ring;
	unsigned long long counted, throttles;
	long size;
	int fd = device(), ret;
	size_t offset = 0;

	pin(1);
	e.sample_period = 10007 * factor;
	ret = kncpmu_config_sampling(fd, NULL, &e, 1, &config);
	if (ret)
		fail("CONFIG: %s, reason %u", strerror(-ret), config.reason);
	if (kncpmu_ring_map(fd, 1, config.ring_size, &ring))
		fail("the ring can't be mapped");
	if (kncpmu_start(fd))
		fail("START");
	loop(20000000UL * factor);
	if (kncpmu_stop(fd))
		fail("STOP");
	while ((size = kncpmu_ring_read(&ring, (const void **)&records)) > 0) {
		offset = 0;
		while ((record = kncpmu_ring_next(records, size, &offset))) {
			const struct knc_pmu_sample *s = (const void *)record;

			if (record->type != KNC_PMU_RECORD_SAMPLE)
				continue;
			nr++;
			inside += s->ip - (unsigned long)loop < 32;
			late += !(s->flags & KNC_PMU_SAMPLE_USER);
		}
		kncpmu_ring_release(&ring);
	}
	counted = ring.page->samples;
	throttles = ring.page->throttles;
	kncpmu_ring_unmap(&ring);
	kncpmu_close(fd);
	expect("samples of the ring's page", counted, nr);
	if (throttles)
		return 1;
	expect("samples", nr, want);
	if (inside + late + 3 < nr || late > nr / 10)
		fail("of %u samples %u are in the loop, %u late", nr, inside, late);
	return 0;
}

/*
 * Repeat the test until the machine is quiet enough, and no sample is throttled. After every fourth
 * try halve the rate of the interrupts; their number stays the same.
 */
static void samples(void)
{
	static const unsigned long long counters[] = { BIT(0), BIT(3), BIT(FIXED(0)) };
	unsigned int i, tries = 0;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		while (samples_on(counters[i], 1 << tries / 4, 3997)) {
			printf("# samples are throttled: once more\n");
			tries++;
			sleep(1);
		}
	}
}

/* Requests that this PMU refuses */

static void refused(struct knc_pmu_event e, int err, unsigned int reason)
{
	struct knc_pmu_config config;
	int fd = device();

	expect("CONFIG", kncpmu_config_task(fd, 0, &e, 1, 0, &config), -err);
	expect("reason", config.reason, reason);
	kncpmu_close(fd);
}

static void refusals(void)
{
	struct knc_pmu_event e, eight[8];
	struct knc_pmu_config config;
	unsigned int i;
	int fd;

	/* CPUID says that the CPU lacks this event */
	refused(event(LLC_MISSES, USR, 0), EINVAL, KNC_PMU_REASON_EVENT_NONE);
	/* this PMU has no gate; no counter with this number; a fixed counter of another event */
	refused(event(INSTRUCTIONS, USR | KNC_PMU_EVENT_SPFLT, 0), EINVAL,
		KNC_PMU_REASON_EVENT_FLAGS);
	refused(event(INSTRUCTIONS, USR, BIT(4)), EINVAL, KNC_PMU_REASON_EVENT_FLAGS);
	refused(event(BRANCHES, USR, BIT(FIXED(0))), EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER);
	/* a fixed counter has no edge detection and no counter mask */
	e = event(INSTRUCTIONS, USR, BIT(FIXED(0)));
	e.cmask = 1;
	refused(e, EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER);
	/* a group with more events than counters */
	for (i = 0; i < 8; i++)
		eight[i] = event(INSTRUCTIONS, USR, 0);
	fd = device();
	expect("CONFIG of eight", kncpmu_config_task(fd, 0, eight, 8, 0, &config), -EINVAL);
	expect("reason of eight", config.reason, KNC_PMU_REASON_SET_GROUP);
	kncpmu_close(fd);
	if (version < 3)
		refused(event(INSTRUCTIONS, USR | KNC_PMU_EVENT_THREAD_MODE, 0), EINVAL,
			KNC_PMU_REASON_EVENT_FLAGS);
}

/* perf */

static int perf_open(unsigned long long config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = config;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static unsigned long long perf_count(unsigned long long config, unsigned long n)
{
	unsigned long long value;
	int fd = perf_open(config);

	if (fd < 0)
		fail("perf_event_open: %s", strerror(errno));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(n);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		fail("perf: %s", strerror(errno));
	close(fd);
	return value;
}

/* Linux's own driver counts the same, with the same registers */
static void by_perf(void)
{
	expect("instructions", perf_count(PERF_COUNT_HW_INSTRUCTIONS, 1001000) -
	       perf_count(PERF_COUNT_HW_INSTRUCTIONS, 1000), 2000000);
	expect("branches", perf_count(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1001000) -
	       perf_count(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000), 1000000);
}

/* perf gives counters back when its last event is freed, some time after close() */
static void perf_first(void)
{
	struct knc_pmu_event e = event(INSTRUCTIONS, USR, 0);
	int fd = perf_open(PERF_COUNT_HW_INSTRUCTIONS), ours, ret, i;
	struct knc_pmu_config config;

	if (fd < 0)
		fail("perf_event_open: %s", strerror(errno));
	refused(e, EBUSY, KNC_PMU_REASON_PMU_RESERVED);
	close(fd);
	for (i = 0; i < 1000; i++) {
		ours = device();
		ret = kncpmu_config_task(ours, 0, &e, 1, 0, &config);
		kncpmu_close(ours);
		if (!ret)
			return;
		usleep(10000);
	}
	fail("the counters do not come back: %s", strerror(-ret));
}

static void perf_second(void)
{
	struct knc_pmu_event e = event(INSTRUCTIONS, USR, 0);
	int ours = task_session(&e, 1), fd = perf_open(PERF_COUNT_HW_INSTRUCTIONS);

	if (fd >= 0)
		fail("perf has got a counter");
	expect("errno", errno, EBUSY);
	kncpmu_close(ours);
	fd = perf_open(PERF_COUNT_HW_INSTRUCTIONS);
	if (fd < 0)
		fail("perf_event_open afterwards: %s", strerror(errno));
	close(fd);
}

/* The registers hold again what they held before. */
static void restored(void)
{
	static const unsigned int msrs[] = {
		0x186, 0x187, 0x188, 0x189, 0x38d, 0x38f, 0x38e,
	};
	unsigned long long before[ARRAY_SIZE(msrs)], after, added;
	struct knc_pmu_event e = event(INSTRUCTIONS, USR, 0);
	unsigned int i;

	open_msr(0);
	pin(0);
	writing(0x187, 0x1300c5, 0);
	writing(0xc2, 0x7654321, 0);
	for (i = 0; i < ARRAY_SIZE(msrs); i++)
		read_msr(msrs[i], &before[i]);
	difference(&e, 1, 1000, &added);
	for (i = 0; i < ARRAY_SIZE(msrs); i++) {
		read_msr(msrs[i], &after);
		if (after != before[i])
			fail("%#x is %#llx, was %#llx", msrs[i], after, before[i]);
	}
	read_msr(0xc2, &after);
	expect("0xc2", after, 0x7654321);
	writing(0x187, 0, 0);
	writing(0xc2, 0, 0);
}

/* The number of samples, which the module counts while the program runs */
static unsigned long long samples_of(const struct kncpmu_ring *ring)
{
	return *(const volatile __u64 *)&ring->page->samples;
}

/* A period above the largest load: the counter is loaded several times for each sample */
static void long_period(void)
{
	const unsigned long long period = BIT(31) + 12345;
	struct knc_pmu_event e = event(INSTRUCTIONS, USR | KNC_PMU_EVENT_SAMPLE, BIT(0));
	struct knc_pmu_config config = { .flags = KNC_PMU_CONFIG_TASK, .ring_size = 1 << 16 };
	unsigned char buffer[KNC_PMU_THREAD_SIZE(1)];
	struct kncpmu_ring ring;
	int fd = device();

	pin(1);
	e.sample_period = period;
	expect("CONFIG", kncpmu_config_sampling(fd, NULL, &e, 1, &config), 0);
	expect("the ring", kncpmu_ring_map(fd, 1, config.ring_size, &ring), 0);
	expect("START", kncpmu_start(fd), 0);
	loop(period / 2 - 5000);
	expect("samples before", samples_of(&ring), 0);
	loop(10000);
	expect("samples", samples_of(&ring), 1);
	expect("STOP", kncpmu_stop(fd), 0);
	expect("READ", kncpmu_read(fd, buffer, sizeof(buffer), 0), 1);
	if (kncpmu_record(buffer, 1, 0)->value[0] - period > 20000)
		fail("%llu instructions", kncpmu_record(buffer, 1, 0)->value[0]);
	kncpmu_ring_unmap(&ring);
	kncpmu_close(fd);
}

/* Version 3: AnyThread counts what the sibling does as well, on general and fixed counters */
static void sibling(void)
{
	struct knc_pmu_event e[3] = {
		event(INSTRUCTIONS, USR | KNC_PMU_EVENT_THREAD_MODE, BIT(0)),
		event(INSTRUCTIONS, USR | KNC_PMU_EVENT_THREAD_MODE, BIT(FIXED(0))),
		event(INSTRUCTIONS, USR, BIT(1)),
	};
	unsigned char buffer[KNC_PMU_THREAD_SIZE(3)];
	const struct knc_pmu_thread *record;
	int fd, status;
	pid_t pid;

	pin(2);
	fd = cpu_session(0, e, 3);
	expect("START", kncpmu_start(fd), 0);
	pid = fork();
	if (!pid) {
		pin(1);
		loop(1000000);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	expect("STOP", kncpmu_stop(fd), 0);
	expect("READ", kncpmu_read(fd, buffer, sizeof(buffer), 0), 1);
	record = kncpmu_record(buffer, 3, 0);
	if (record->value[0] - record->value[2] < 2000000)
		fail("%llu of the core, %llu of the hardware thread", record->value[0], record->value[2]);
	expect("fixed counter", record->value[1], record->value[0]);
	kncpmu_close(fd);
}

/*
 * Firmware may leave CondChgd set, and the emulated host begins with it. The first session clears
 * this bit, and it stays 0 afterwards.
 */
static void changed(void)
{
	unsigned int cpu;

	expect("session", system("\"$KNC_PMUCTL\" stat -a -e BRANCH_INSTRUCTIONS_RETIRED -o /dev/null -- true"), 0);
	for (cpu = 0; cpu < 4; cpu++) {
		open_msr(cpu);
		expect("status", value_of(0x38e), 0);
	}
}

static const struct {
	struct test test;
	unsigned int since;	/* the first version with this test */
	unsigned int module;	/* it needs the module */
} tests[] = {
	{ { "changed", changed }, 2, 1 },
	{ { "leaf", leaf }, 1, 0 },
	{ { "faults", faults }, 1, 0 },
	{ { "extends", extends }, 1, 0 },
	{ { "info", info }, 2, 1 },
	{ { "each", each }, 2, 1 },
	{ { "seven", seven }, 2, 1 },
	{ { "modes", modes }, 2, 1 },
	{ { "hwthread", hwthread }, 2, 1 },
	{ { "competitors", competitors }, 2, 1 },
	{ { "samples", samples }, 2, 1 },
	{ { "refusals", refusals }, 2, 1 },
	{ { "by_perf", by_perf }, 2, 0 },
	{ { "perf_first", perf_first }, 2, 1 },
	{ { "perf_second", perf_second }, 2, 1 },
	{ { "restored", restored }, 2, 1 },
	{ { "long_period", long_period }, 2, 1 },
	{ { "sibling", sibling }, 3, 1 },
};

/* arch VERSION [TEST]...: without names, all tests of this version of the PMU */
int main(int argc, char **argv)
{
	unsigned int i, wanted, failed = 0;

	version = argc > 1 ? atoi(argv[1]) : 2;
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		if (argc > 2)
			wanted = is_named(tests[i].test.name, argv + 2);
		else
			wanted = tests[i].since <= version && (version > 1 || !tests[i].module);
		if (wanted)
			failed += run_test(&tests[i].test, NULL);
	}
	return failed ? 1 : 0;
}
