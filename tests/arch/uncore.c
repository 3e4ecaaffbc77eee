// SPDX-License-Identifier: GPL-2.0
/*
 * The uncore of an emulated Westmere: its registers, sessions on packages, Linux's own driver
 *
 *   uncore [TEST]...
 *
 * The emulated uncore clock is twice the time stamp counter. Package 0 has CPUs 0 to 3, package 1
 * CPUs 4 to 7.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kncpmu.h>

#include "lib.h"

#define ALL_RINGS	(KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS)
#define UNCORE		2		/* the PMU's number in INFO */
#define CLOCK		0x00ff
#define READS		0x072c		/* QMC_NORMAL_READS.ANY */
#define LLC_MISS	0x0309		/* LLC_MISS.ANY */
#define OCCUPANCY	0x0102		/* GC_OCCUPANCY.READ_TRACKER */

#define LINES		100000UL
#define LINE		64

static void between(const char *what, unsigned long long got, unsigned long long least,
		    unsigned long long most)
{
	if (got < least || got > most)
		fail("%s is %llu, should be %llu to %llu", what, got, least, most);
}

static unsigned long long tsc(void)
{
	unsigned int low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return (unsigned long long)high << 32 | low;
}

/* Registers */

/* #GP comes back as EIO; the package's threads have the same registers */
static void registers(void)
{
	unsigned int i;

	open_msr(1);
	for (i = 0; i < 8; i++) {
		writing(0x3b0 + i, BIT(48) - 1, 0);
		writing(0x3b0 + i, BIT(48), -EIO);
		/* bit 17 reads as 0; there is no USR, nor bits 19 and 21 */
		writing(0x3c0 + i, 0xff96ffff, 0);
		expect("event select", value_of(0x3c0 + i), 0xff94ffff);
		writing(0x3c0 + i, BIT(16), -EIO);
		writing(0x3c0 + i, BIT(19), -EIO);
		writing(0x3c0 + i, BIT(21), -EIO);
		writing(0x3c0 + i, BIT(32), -EIO);
	}
	writing(0x391, 0x10000 | 0xff, -EIO);
	writing(0x391, BIT(63) | 0xfULL << 48, 0);
	writing(0x392, 0, -EIO);
	writing(0x393, BIT(33), -EIO);
	writing(0x394, BIT(48), -EIO);
	writing(0x395, 2, -EIO);
	open_msr(3);
	expect("of another thread", value_of(0x3b0), BIT(48) - 1);
	open_msr(4);
	expect("of the other package", value_of(0x3b0), 0);
	open_msr(0);
	for (i = 0; i < 8; i++) {
		writing(0x3c0 + i, 0, 0);
		writing(0x3b0 + i, 0, 0);
	}
	writing(0x391, 0, 0);
}

/* A counter that wraps sets its bit in the status, which stays set until it is cleared */
static void overflow(void)
{
	open_msr(0);
	/* clear what firmware left, as a session would */
	writing(0x393, BIT(63), 0);
	writing(0x394, BIT(48) - 10, 0);
	writing(0x395, 1, 0);
	writing(0x391, BIT(32), 0);
	usleep(10000);
	writing(0x391, 0, 0);
	expect("status", value_of(0x392), BIT(32));
	writing(0x393, BIT(32), 0);
	expect("status", value_of(0x392), 0);
	writing(0x395, 0, 0);
	writing(0x394, 0, 0);
}

/* Sessions */

static struct knc_pmu_event event(unsigned int code)
{
	struct knc_pmu_event e = { .event = code, .flags = ALL_RINGS };

	return e;
}

static int config(int fd, unsigned int first, unsigned int last, struct knc_pmu_event *events,
		  unsigned int nr, struct knc_pmu_config *c)
{
	struct kncpmu_cpus cpus;
	unsigned int cpu;

	memset(&cpus, 0, sizeof(cpus));
	for (cpu = first; cpu <= last; cpu++)
		kncpmu_cpus_set(&cpus, cpu);
	memset(c, 0, sizeof(*c));
	c->pmu = UNCORE;
	return kncpmu_config_sampling(fd, &cpus, events, nr, c);
}

static int session(unsigned int first, unsigned int last, struct knc_pmu_event *events,
		   unsigned int nr)
{
	struct knc_pmu_config c;
	int fd = device(), ret;

	ret = config(fd, first, last, events, nr, &c);
	if (ret)
		fail("CONFIG: %s, reason %u", strerror(-ret), c.reason);
	return fd;
}

/* A status bit that no counter sets, left by firmware: the package's first session clears it */
static void changed(void)
{
	struct knc_pmu_event e = event(CLOCK);
	int fd;

	open_msr(4);
	expect("status", value_of(0x392), BIT(63));
	fd = session(4, 4, &e, 1);
	expect("status", value_of(0x392), 0);
	kncpmu_close(fd);
}

static unsigned char buffer[2 * KNC_PMU_THREAD_SIZE(KNC_PMU_MAX_EVENTS)];

static const struct knc_pmu_thread *read_session(int fd, unsigned int nr, unsigned int packages,
						 unsigned int which)
{
	expect("READ", kncpmu_read(fd, buffer, sizeof(buffer), 0), packages);
	return kncpmu_record(buffer, nr, which);
}

static void info(void)
{
	struct knc_pmu_desc desc[2];
	int fd = device();

	expect("PMUs", kncpmu_pmus(fd, desc, 2), 2);
	expect("id", desc[1].id, UNCORE);
	expect("name", strcmp(desc[1].name, "uncore"), 0);
	expect("scope", desc[1].scope, KNC_PMU_SCOPE_PACKAGE);
	expect("counters", desc[1].counters, 0x1000000ffULL);
	expect("nr_counters", desc[1].nr_counters, 8);
	expect("nr_fixed", desc[1].nr_fixed, 1);
	expect("width", desc[1].width, 48);
	kncpmu_close(fd);
}

/*
 * The clock counts twice the time stamp counter's ticks, within the readings around START and STOP
 */
static void clock_ticks(void)
{
	unsigned long long outside, inside, before, after, ticks;
	struct knc_pmu_event e = event(CLOCK);
	int fd;

	pin(0);
	fd = session(0, 0, &e, 1);
	expect("counter", e.counter, 32);
	before = tsc();
	expect("START", kncpmu_start(fd), 0);
	inside = tsc();
	usleep(20000);
	after = tsc();
	inside = after - inside;
	expect("STOP", kncpmu_stop(fd), 0);
	outside = tsc() - before;
	ticks = read_session(fd, 1, 1, 0)->value[0];
	between("clock", ticks, 2 * inside, 2 * outside);
	/* the session is stopped */
	usleep(1000);
	expect("clock afterwards", read_session(fd, 1, 1, 0)->value[0], ticks);
	expect("RESET", kncpmu_reset(fd, 0), 0);
	expect("clock after RESET", read_session(fd, 1, 1, 0)->value[0], 0);
	kncpmu_close(fd);
}

/* READ starts and stops a session after it has read the counts */
static void read_runs(void)
{
	struct knc_pmu_event e = event(CLOCK);
	unsigned long long ticks;
	int fd = session(0, 0, &e, 1);

	expect("READ", kncpmu_read(fd, buffer, sizeof(buffer), KNC_PMU_READ_START), 1);
	expect("clock at START", kncpmu_record(buffer, 1, 0)->value[0], 0);
	usleep(1000);
	expect("READ", kncpmu_read(fd, buffer, sizeof(buffer), KNC_PMU_READ_STOP), 1);
	ticks = read_session(fd, 1, 1, 0)->value[0];
	if (!ticks)
		fail("the clock stands still");
	usleep(1000);
	expect("clock after STOP", read_session(fd, 1, 1, 0)->value[0], ticks);
	kncpmu_close(fd);
}

/* Read one byte of each line of uncached memory */
static void read_lines(void)
{
	volatile unsigned char *memory;
	unsigned long i;

	memory = mmap(NULL, LINES * LINE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		fail("no memory");
	for (i = 0; i < LINES; i++)
		memory[i * LINE];
	munmap((void *)memory, LINES * LINE);
}

/* Lines that are read once come from memory; the other package is not involved. */
static void lines(void)
{
	struct knc_pmu_event e[3] = { event(READS), event(LLC_MISS), event(CLOCK) };
	const struct knc_pmu_thread *record;
	unsigned long long count[2][2];
	unsigned int n;
	int fd;

	pin(0);
	for (n = 0; n < 2; n++) {
		fd = session(0, 7, e, 3);
		expect("START", kncpmu_start(fd), 0);
		if (n)
			read_lines();
		expect("STOP", kncpmu_stop(fd), 0);
		expect("READ", kncpmu_read(fd, buffer, sizeof(buffer), 0), 2);
		record = kncpmu_record(buffer, 3, 0);
		count[n][0] = record->value[0];
		expect("misses", record->value[1], record->value[0]);
		if (!record->value[2])
			fail("the clock of package 0 does not tick");
		record = kncpmu_record(buffer, 3, 1);
		count[n][1] = record->value[0];
		if (record->cpu < 4)
			fail("CPU %u is not of package 1", record->cpu);
		kncpmu_close(fd);
	}
	/* the kernel clears the memory first, and reads memory of its own */
	between("reads", count[1][0] - count[0][0], LINES, 4 * LINES);
	if (count[1][1] > LINES / 2)
		fail("package 1 made %llu reads", count[1][1]);
}

/* Totals have 64 bits: they go on when a counter wraps */
static void wraps(void)
{
	struct knc_pmu_event e = event(CLOCK);
	unsigned long long first, second;
	int fd = session(0, 0, &e, 1);

	open_msr(0);
	expect("START", kncpmu_start(fd), 0);
	writing(0x394, BIT(48) - 400000000, 0);
	first = read_session(fd, 1, 1, 0)->value[0];
	/* the clock has some hundred million ticks a second: soon it wraps */
	do
		usleep(10000);
	while (value_of(0x394) >> 47);
	second = read_session(fd, 1, 1, 0)->value[0];
	between("clock", first, BIT(48) - 400000000, BIT(48) + BIT(40));
	if (second <= first)
		fail("%llu after %llu", second, first);
	kncpmu_close(fd);
}

/* The registers while a session counts; afterwards they are as before */
static void programmed(void)
{
	struct knc_pmu_event e[9] = { event(CLOCK), event(OCCUPANCY), event(READS) };
	unsigned int i;
	int fd;

	open_msr(0);
	writing(0x3c7, 0x53, 0);
	writing(0x3b7, 0x1234567, 0);
	for (i = 3; i < 9; i++)
		e[i] = event(LLC_MISS);
	e[3].cmask = 3;
	e[3].flags |= KNC_PMU_EVENT_INV;
	e[4].flags |= KNC_PMU_EVENT_EDGE;
	fd = session(0, 3, e, 9);
	expect("ctrl of a stopped session", value_of(0x391), 0);
	expect("START", kncpmu_start(fd), 0);
	expect("ctrl", value_of(0x391), 0x1000000ffULL);
	expect("fixed", value_of(0x395), 1);
	/* bit 17, which resets the occupancy, is read as 0 */
	expect("select 0", value_of(0x3c0), 0x400102);
	expect("select 1", value_of(0x3c1), 0x40072c);
	expect("select 2", value_of(0x3c2), 0x03c00309);
	expect("select 3", value_of(0x3c3), 0x440309);
	expect("counter", e[8].counter, 7);
	expect("STOP", kncpmu_stop(fd), 0);
	expect("ctrl", value_of(0x391), 0);
	kncpmu_close(fd);
	expect("select 7 afterwards", value_of(0x3c7), 0x53);
	expect("counter 7 afterwards", value_of(0x3b7), 0x1234567);
	expect("fixed afterwards", value_of(0x395), 0);
	writing(0x3c7, 0, 0);
	writing(0x3b7, 0, 0);
}

/* Refusals */

static void refuses(struct knc_pmu_event e, int err, unsigned int reason)
{
	struct knc_pmu_config c;
	int fd = device();

	expect("CONFIG", config(fd, 0, 0, &e, 1, &c), -err);
	expect("reason", c.reason, reason);
	kncpmu_close(fd);
}

static void refusals(void)
{
	struct knc_pmu_config timed = { .pmu = UNCORE, .sample_interval = 1000000,
					.ring_size = 4096 };
	struct knc_pmu_event e = event(READS), ten[10];
	struct kncpmu_cpus cpus;
	struct knc_pmu_config c = { .pmu = UNCORE, .flags = KNC_PMU_CONFIG_TASK };
	unsigned int i;
	int fd = device();

	expect("CONFIG of a task", kncpmu_config_sampling(fd, NULL, &e, 1, &c), -EOPNOTSUPP);
	expect("reason", c.reason, KNC_PMU_REASON_UNCORE_TASK);
	e.flags = KNC_PMU_EVENT_USR;
	refuses(e, EINVAL, KNC_PMU_REASON_UNCORE_RING);
	e.flags = KNC_PMU_EVENT_OS;
	refuses(e, EINVAL, KNC_PMU_REASON_UNCORE_RING);
	e.flags = ALL_RINGS | KNC_PMU_EVENT_SAMPLE;
	e.sample_period = 1000;
	refuses(e, EOPNOTSUPP, KNC_PMU_REASON_UNCORE_SAMPLING);
	e = event(READS);
	memset(&cpus, 0, sizeof(cpus));
	kncpmu_cpus_set(&cpus, 0);
	expect("time samples", kncpmu_config_sampling(fd, &cpus, &e, 1, &timed), -EOPNOTSUPP);
	expect("reason", timed.reason, KNC_PMU_REASON_UNCORE_SAMPLING);
	e.flags |= KNC_PMU_EVENT_THREAD_MODE;
	refuses(e, EINVAL, KNC_PMU_REASON_EVENT_FLAGS);
	e = event(READS);
	e.flags |= KNC_PMU_EVENT_INV;
	refuses(e, EINVAL, KNC_PMU_REASON_EVENT_INV);
	e = event(READS);
	e.extra = 1;
	refuses(e, EINVAL, KNC_PMU_REASON_EVENT_FLAGS);
	/* the counter of the clock counts nothing else */
	e = event(READS);
	e.counters = BIT(32);
	refuses(e, EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER);
	e = event(CLOCK);
	e.counters = 1;
	refuses(e, EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER);
	for (i = 0; i < 10; i++)
		ten[i] = event(READS);
	expect("CONFIG of nine", config(fd, 0, 0, ten, 9, &c), -EOPNOTSUPP);
	expect("CONFIG of ten", config(fd, 0, 0, ten, 10, &c), -EINVAL);
	expect("reason", c.reason, KNC_PMU_REASON_SET_GROUP);
	kncpmu_close(fd);
}

/* Commands for the hardware threads' PMU only; for a PMU that does not exist another error */
static void no_evict(void)
{
	struct knc_pmu_evict evict = {
		.pmu = UNCORE, .cpu = KNC_PMU_NO_CPU, .counter = KNC_PMU_NO_COUNTER,
	};
	struct knc_pmu_regs regs = { .pmu = UNCORE };
	struct knc_pmu_event e = event(READS);
	int fd = session(0, 0, &e, 1), other = device();

	expect("EVICT", ioctl(other, KNC_PMU_IOC_EVICT, &evict) ? -errno : 0, -EOPNOTSUPP);
	expect("REGS", ioctl(other, KNC_PMU_IOC_REGS, &regs) ? -errno : 0, -EOPNOTSUPP);
	evict.pmu = UNCORE + 1;
	regs.pmu = UNCORE + 1;
	expect("EVICT of none", ioctl(other, KNC_PMU_IOC_EVICT, &evict) ? -errno : 0, -ENODEV);
	expect("REGS of none", ioctl(other, KNC_PMU_IOC_REGS, &regs) ? -errno : 0, -ENODEV);
	expect("START", kncpmu_start(fd), 0);
	/* evicting all counters of the hardware threads does not evict a session on the uncore */
	expect("EVICT of the core's", kncpmu_evict(other, KNC_PMU_NO_CPU, KNC_PMU_NO_COUNTER), 0);
	expect("flags", read_session(fd, 1, 1, 0)->flags, 0);
	kncpmu_close(other);
	kncpmu_close(fd);
}

static void owned(const char *what, unsigned int cpu, unsigned int counter, int want, int pid)
{
	struct knc_pmu_owner owner = { .pmu = UNCORE, .cpu = cpu, .counter = counter };
	int fd = device(), ret = ioctl(fd, KNC_PMU_IOC_OWNER, &owner) ? -errno : (int)owner.flags;

	expect(what, ret, want);
	expect(what, owner.pid, pid);
	close(fd);
}

/* One session for each package; OWNER names it for any hardware thread of the package */
static void owner(void)
{
	struct knc_pmu_event e = event(READS);
	struct knc_pmu_config c;
	int fd = session(0, 0, &e, 1), other = device();

	expect("CONFIG", config(other, 2, 2, &e, 1, &c), -EBUSY);
	expect("reason", c.reason, KNC_PMU_REASON_UNCORE_BUSY);
	expect("CPU", c.reason_cpu, 2);
	expect("pid", c.reason_pid, getpid());
	owned("OWNER", 0, 0, KNC_PMU_OWNER_SESSION, getpid());
	owned("OWNER of another thread", 3, 7, KNC_PMU_OWNER_SESSION, getpid());
	owned("OWNER of the other package", 4, 0, 0, 0);
	owned("OWNER without such a CPU", 8, 0, -ENXIO, 0);
	owned("OWNER without such a counter", 0, 33, -ENXIO, 0);
	expect("CONFIG on both", config(other, 0, 7, &e, 1, &c), -EBUSY);
	expect("CONFIG on the other package", config(other, 4, 4, &e, 1, &c), 0);
	expect("CONFIG again", config(other, 4, 4, &e, 1, &c), -EALREADY);
	kncpmu_close(other);
	kncpmu_close(fd);
	fd = session(0, 7, &e, 1);
	kncpmu_close(fd);
}

/* CONFIG that can't write its answer leaves no session */
static void unanswered(void)
{
	struct knc_pmu_event e = event(READS);
	struct knc_pmu_event *fixed = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct knc_pmu_config c;
	int fd = device();

	if (fixed == MAP_FAILED)
		fail("mmap: %s", strerror(errno));
	*fixed = e;
	if (mprotect(fixed, 4096, PROT_READ))
		fail("mprotect: %s", strerror(errno));
	expect("CONFIG", config(fd, 0, 0, fixed, 1, &c), -EFAULT);
	expect("START", kncpmu_start(fd), -ENODATA);
	owned("OWNER", 0, 0, 0, 0);
	expect("CONFIG again", config(fd, 0, 0, &e, 1, &c), 0);
	kncpmu_close(fd);
	munmap(fixed, 4096);
}

/* When a hardware thread goes offline another takes over; the last one stops the counters */
static void hotplug(void)
{
	struct knc_pmu_event e = event(CLOCK);
	const struct knc_pmu_thread *record;
	unsigned long long before, after;
	int fd = session(4, 4, &e, 1), other = device();
	struct knc_pmu_config c;
	unsigned int cpu;

	expect("START", kncpmu_start(fd), 0);
	record = read_session(fd, 1, 1, 0);
	expect("CPU", record->cpu, 4);
	before = record->value[0];
	set_online(4, 0);
	record = read_session(fd, 1, 1, 0);
	between("CPU", record->cpu, 5, 7);
	expect("CONFIG of an offline CPU", config(other, 4, 4, &e, 1, &c), -ENXIO);
	expect("reason", c.reason, KNC_PMU_REASON_CPU_OFFLINE);
	kncpmu_close(other);
	expect("flags", record->flags, 0);
	if (record->value[0] <= before)
		fail("the clock has stopped");
	for (cpu = 5; cpu < 8; cpu++)
		set_online(cpu, 0);
	record = read_session(fd, 1, 1, 0);
	expect("CPU", record->cpu, KNC_PMU_NO_CPU);
	expect("flags", record->flags, KNC_PMU_THREAD_OFFLINE | KNC_PMU_THREAD_GAP);
	before = record->value[0];
	usleep(1000);
	expect("clock", read_session(fd, 1, 1, 0)->value[0], before);
	for (cpu = 4; cpu < 8; cpu++)
		set_online(cpu, 1);
	record = read_session(fd, 1, 1, 0);
	expect("CPU", record->cpu, 4);
	expect("flags", record->flags, KNC_PMU_THREAD_GAP);
	after = record->value[0];
	if (after <= before)
		fail("the clock does not go on: %llu, then %llu", before, after);
	usleep(1000);
	if (read_session(fd, 1, 1, 0)->value[0] <= after)
		fail("the clock does not go on");
	kncpmu_close(fd);
}

/* perf */

static int perf_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uncore/type", "re");
	int type;

	if (!f || fscanf(f, "%d", &type) != 1)
		fail("Linux has no PMU of the name uncore");
	fclose(f);
	return type;
}

static int perf_open(unsigned int code)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = perf_type();
	attr.config = code;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		fail("perf_event_open: %s", strerror(errno));
	return fd;
}

static unsigned long long perf_read(int fd)
{
	unsigned long long value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		fail("perf: %s", strerror(errno));
	return value;
}

/* Linux's own driver counts the same with these registers; meanwhile CONFIG refuses sessions */
static void by_perf(void)
{
	struct knc_pmu_event e = event(READS);
	unsigned long long before, inside, outside, ticks, reads[2];
	unsigned int n;
	int fd;

	pin(0);
	before = tsc();
	fd = perf_open(CLOCK);
	inside = tsc();
	refuses(e, EBUSY, KNC_PMU_REASON_UNCORE_FOREIGN);
	usleep(20000);
	inside = tsc() - inside;
	ticks = perf_read(fd);
	outside = tsc() - before;
	close(fd);
	between("perf's clock", ticks, 2 * inside, 2 * outside);
	for (n = 0; n < 2; n++) {
		fd = perf_open(READS);
		if (n)
			read_lines();
		reads[n] = perf_read(fd);
		close(fd);
	}
	between("perf's reads", reads[1] - reads[0], LINES, 4 * LINES);
	/* the driver leaves the global enables set: a session restores them */
	open_msr(0);
	expect("ctrl after perf", value_of(0x391), 0x1000000ffULL);
	fd = session(0, 0, &e, 1);
	expect("ctrl of a stopped session", value_of(0x391), 0);
	kncpmu_close(fd);
	expect("ctrl afterwards", value_of(0x391), 0x1000000ffULL);
	writing(0x391, 0, 0);
}

static const struct test tests[] = {
	{ "uncore.registers", registers },
	{ "uncore.overflow", overflow },
	{ "uncore.info", info },
	{ "uncore.changed", changed },
	{ "uncore.clock", clock_ticks },
	{ "uncore.lines", lines },
	{ "uncore.wraps", wraps },
	{ "uncore.programmed", programmed },
	{ "uncore.refusals", refusals },
	{ "uncore.no_evict", no_evict },
	{ "uncore.owner", owner },
	{ "uncore.unanswered", unanswered },
	{ "uncore.read-runs", read_runs },
	{ "uncore.hotplug", hotplug },
	{ "uncore.by_perf", by_perf },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc, NULL);
}
