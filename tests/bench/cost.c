// SPDX-License-Identifier: GPL-2.0
/* The cost of the operations of /dev/knc_pmu, in executed guest instructions: see measure.h */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <knc/ring3.h>

#include "knc_pmu.h"
#include "measure.h"

static int fd = -1;
static int ipi_fd = -1;
static unsigned char records[NR_TASKS * sizeof(struct knc_pmu_thread)];
static struct knc_pmu_read read_args = {
	.buffer = (unsigned long)records, .buffer_size = sizeof(records),
};

/* Whose events, and which */
struct scope {
	const char *name;
	unsigned int flags;	/* of CONFIG */
	unsigned int event_flags;
	unsigned int codes[2];
};

static const struct scope own_task = {
	"task", KNC_PMU_CONFIG_TASK, KNC_PMU_EVENT_USR, { 0x16, 0x12 },
};

static const struct scope own_thread = {
	"thread", 0, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS, { 0x2a, 0x16 },
};

/* For CONFIG: hardware threads 0 to @threads - 1, unless it follows tasks */
static void fill(struct knc_pmu_config *c, struct knc_pmu_event *e, const struct scope *s,
		 unsigned int nr, unsigned int threads)
{
	static unsigned char cpus[MAX_THREADS / 8];
	unsigned int i;

	memset(c, 0, sizeof(*c));
	memset(e, 0, nr * sizeof(*e));
	for (i = 0; i < nr; i++) {
		e[i].event = s->codes[i];
		e[i].flags = s->event_flags;
	}
	c->flags = s->flags;
	c->nr_events = nr;
	c->events = (unsigned long)e;
	c->event_size = sizeof(*e);
	if (s->flags & KNC_PMU_CONFIG_TASK)
		return;
	memset(cpus, 0, sizeof(cpus));
	for (i = 0; i < threads; i++)
		cpus[i / 8] |= 1 << i % 8;
	c->cpus = (unsigned long)cpus;
	c->cpus_size = sizeof(cpus);
}

static void configure(struct knc_pmu_config *config)
{
	fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(KNC_PMU_DEVICE);
	if (raw_ioctl(fd, KNC_PMU_IOC_CONFIG, (long)config))
		die("CONFIG");
}

/* A stopped session of @nr events */
static void open_session(const struct scope *s, unsigned int nr, unsigned int threads)
{
	struct knc_pmu_config c;
	struct knc_pmu_event e[2];

	fill(&c, e, s, nr, threads);
	configure(&c);
}

static void start(void)
{
	if (raw_ioctl(fd, KNC_PMU_IOC_START, 0))
		die("START");
}

static long work_read(void)
{
	long ret = raw_ioctl(fd, KNC_PMU_IOC_READ, (long)&read_args);

	return ret < 0 ? ret : 0;
}

static long work_start_stop(void)
{
	long ret = raw_ioctl(fd, KNC_PMU_IOC_START, 0);

	return ret ? ret : raw_ioctl(fd, KNC_PMU_IOC_STOP, 0);
}

static const struct scope *opened;
static unsigned int nr_opened;

static long work_open(void)
{
	open_session(opened, nr_opened, 1);
	close(fd);
	return 0;
}

static long work_spflt(void)
{
	knc_spflt_on();
	knc_spflt_off();
	return 0;
}

static struct knc_self self;

static long work_page(void)
{
	unsigned long count = 0;
	int ret = knc_read1(&self, 0, &count);

	use(count);
	return ret;
}

static long work_pages(void)
{
	unsigned long both[2] = { 0 };
	int ret = knc_read(&self, both);

	use(both[0]);
	use(both[1]);
	return ret;
}

/* The rows of ring 3 */
static void show_pages(unsigned int nr)
{
	struct scope s = own_task;

	s.flags |= KNC_PMU_CONFIG_RDPMC;
	open_session(&s, nr, 0);
	if (knc_self_open(&self, fd))
		die("knc_self_open");
	start();
	show("task.ring3.%d", nr, cost("RDPMC", nr == 1 ? work_page : work_pages));
	knc_self_close(&self);
	close(fd);
}

static void show_scoped(const struct scope *s, const char *row, int nr, long value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", s->name, row);
	show(name, nr, value);
}

/* A started session for a task, perhaps with those that it creates */
static void follow(pid_t pid, unsigned int nr, int inherit)
{
	struct knc_pmu_config c;
	struct knc_pmu_event e[2];

	fill(&c, e, &own_task, nr, 0);
	c.pid = pid;
	if (inherit)
		c.flags |= KNC_PMU_CONFIG_INHERIT;
	configure(&c);
	start();
}

/* While another task is counted */
static void show_further(unsigned int nr)
{
	pid_t sleeper = start_sleeper();
	int keeper;

	follow(sleeper, 1, 0);
	keeper = fd;
	show("task.open-further.%d", nr, cost_of_few("CONFIG", work_open));
	close(keeper);
	stop_sleeper(sleeper);
}

static void show_own(const struct scope *s, unsigned int nr)
{
	opened = s;
	nr_opened = nr;
	show_scoped(s, "open.%d", nr, cost_of_few("CONFIG", work_open));
	if (s == &own_task)
		show_further(nr);
	open_session(s, nr, 1);
	show_scoped(s, "start-stop.%d", nr, cost("START, STOP", work_start_stop));
	read_args.flags = KNC_PMU_READ_COUNTS;
	show_scoped(s, "read-stopped.%d", nr, cost("READ", work_read));
	start();
	show_scoped(s, "read.%d", nr, cost("READ", work_read));
	read_args.flags = 0;
	show_scoped(s, "read-times.%d", nr, cost("READ", work_read));
	close(fd);
}

/* What this user is refused */
static void show_refusal(const char *row, const struct scope *s)
{
	struct knc_pmu_config c;
	struct knc_pmu_event e[2];
	long ret;

	fill(&c, e, s, 1, 1);
	fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(KNC_PMU_DEVICE);
	ret = raw_ioctl(fd, KNC_PMU_IOC_CONFIG, (long)&c);
	close(fd);
	if (ret)
		show_refused(row, -ret);
	else
		show(row, 0, 0);
}

static void show_task(void)
{
	struct scope kernel = own_task;
	unsigned int nr;

	for (nr = 1; nr <= 2; nr++) {
		show_own(&own_task, nr);
		show_pages(nr);
	}
	kernel.event_flags |= KNC_PMU_EVENT_OS;
	show_refusal("task.kernel-mode", &kernel);
	show_refusal("task.hardware-thread", &own_thread);
}

static void show_thread(void)
{
	unsigned int nr;

	for (nr = 1; nr <= 2; nr++)
		show_own(&own_thread, nr);
	show("thread.spflt", 0, cost("SPFLT", work_spflt));
}

static struct knc_pmu_ring *ring;

static unsigned long long ring_head(void)
{
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
}

static unsigned long sample_address(unsigned long long before)
{
	const struct knc_pmu_sample *sample;

	sample = (void *)((char *)ring + ring->data_offset + before % ring->data_size);
	return sample->record.type == KNC_PMU_RECORD_SAMPLE ? sample->ip : 0;
}

static void open_samples(const struct scope *s, unsigned int nr, int chain, unsigned long period)
{
	struct knc_pmu_config c;
	struct knc_pmu_event e[2];
	unsigned int i;

	fill(&c, e, s, nr, 1);
	for (i = 0; i < nr; i++) {
		e[i].event = 0x16;
		e[i].flags = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE;
		e[i].sample_period = period;
	}
	if (chain) {
		c.flags |= KNC_PMU_CONFIG_CHAIN_USER;
		c.max_frames = FRAMES;
	}
	c.ring_size = RING;
	c.watermark = RING;
	configure(&c);
}

#define RING_BYTES	(sysconf(_SC_PAGESIZE) + RING)

/* A started session that samples */
static void map_samples(const struct scope *s, unsigned int nr, int chain, unsigned long period)
{
	open_samples(s, nr, chain, period);
	ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		die("mmap");
	/* no page fault later on */
	memset((char *)ring + ring->data_offset, 0, RING);
	start();
}

static void unmap_samples(void)
{
	munmap(ring, RING_BYTES);
	close(fd);
}

static void show_sample(const struct scope *s, const char *row, unsigned int nr, int chain)
{
	static const struct overflow o = { ring_head, sample_address };

	map_samples(s, nr, chain, PERIOD);
	show_scoped(s, row, 0, overflow_cost(&o));
	unmap_samples();
}

/* What samples at this rate add to RATE_WORK, if each instruction took a nanosecond */
static void show_rate(const struct scope *s, int khz)
{
	long none = rate_work(), sampled;

	map_samples(s, 1, 0, 1000000 / khz);
	sampled = rate_work();
	if (ring->lost || ring->throttles)
		die("samples are missing");
	unmap_samples();
	show_scoped(s, "rate.%d", khz, sampled - none);
}

static void show_samples(const struct scope *s)
{
	show_sample(s, "sample", 1, 0);
	show_sample(s, "sample-chain", 1, 1);
	show_sample(s, "samples", 2, 0);
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
	close(fd);
	for (nr = 1; nr <= 2; nr++) {
		follow(0, nr, 0);
		show("switch.one-task.%d", nr, (round_trip("one task") - none) / 2);
		close(fd);
		follow(0, nr, 1);
		show("switch.both-tasks.%d", nr, (round_trip("both tasks") - none) / 2);
		close(fd);
	}
	sleep(SETTLE);
	show("switch.after", 0, (round_trip("after") - none) / 2);
	stop_sleeper(sleeper);
}

static void show_many(void)
{
	follow(0, 1, 1);
	start_threads(NR_TASKS - 1);
	read_args.flags = KNC_PMU_READ_COUNTS;
	show("many.read-sum", 0, cost_of_few("READ", work_read));
	read_args.flags |= KNC_PMU_READ_TASKS;
	show("many.read-each", 0, cost_of_few("READ", work_read));
	close(fd);
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
 * The other CPUs' work between calls (idle, or still on their way there) is part of these figures
 * and drifts. Therefore the two are measured in turns, and the medians of both and of the
 * differences of neighbours are taken.
 */
static void show_all(void)
{
	long call[FEW_RUNS], all[FEW_RUNS], more[FEW_RUNS];
	int threads = sysconf(_SC_NPROCESSORS_ONLN), i;

	open_ipi();
	open_session(&own_thread, 2, threads);
	for (i = 0; i < FEW_RUNS; i++)
		all[i] = once("START, STOP", work_start_stop);
	show("all.threads", 0, threads);
	show("all.start-stop", 0, median(all, FEW_RUNS));
	start();
	read_args.flags = KNC_PMU_READ_COUNTS;
	for (i = 0; i < FEW_RUNS; i++) {
		call[i] = once("IPI", work_ipi);
		all[i] = once("READ", work_read);
		more[i] = all[i] - call[i];
	}
	show("all.null-call", 0, median(call, FEW_RUNS));
	show("all.read", 0, median(all, FEW_RUNS));
	show("all.read-of-each", 0, median(more, FEW_RUNS) / threads);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *part = begin(argc, argv);

	if (!strcmp(part, "yardsticks"))
		show_yardsticks();
	else if (!strcmp(part, "task"))
		show_task();
	else if (!strcmp(part, "thread"))
		show_thread();
	else if (!strcmp(part, "samples-task"))
		show_samples(&own_task);
	else if (!strcmp(part, "samples-thread"))
		show_samples(&own_thread);
	else if (!strcmp(part, "switches"))
		show_switches();
	else if (!strcmp(part, "many"))
		show_many();
	else if (!strcmp(part, "all"))
		show_all();
	else
		die(part);
	return 0;
}
