// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that may read counters themselves, on the card, run by any user who may open the device.
 * Each test is an argument, and prints lines of a name and a number.
 *
 *	self TEST [CPU|preempted|migrating]
 *	self grant COMMAND...	execute it, followed and permitted, counters running
 *
 * The test runs on CPU, by default on CPU 1. preempted: two other programs share its hardware
 * thread, and switch SPFLT on and off all the time. migrating: a program runs on each hardware
 * thread, and the test is migrated every millisecond.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <knc/ring3.h>

/* Iterations of the empty loop, each of two instructions */
#define ROUNDS	1000
#define READS	1000000
#define TRY	20		/* the approximate cost of a restarted reading */
#define VISITS	3000
#define THREADS	4
#define COMPETITORS 64

#define INSTRUCTIONS	0x16
#define DATA_READ	0x00

static pid_t competitor[COMPETITORS];
static int nr_competitors;

static void fail(const char *why)
{
	printf("failed: %s: %s\n", why, strerror(errno));
	exit(1);
}

static inline __attribute__((__always_inline__)) void loop(void)
{
	unsigned long n = ROUNDS;

	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r" (n));
}

static void pin(pid_t pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		fail("sched_setaffinity");
}

/* A session that follows the caller: two events in user mode, or one event with SPFLT */
static int open_session(unsigned int flags, int spflt, int start)
{
	struct knc_pmu_event event[2];
	struct knc_pmu_config config;
	int fd = open(KNC_PMU_DEVICE, O_RDWR);

	if (fd < 0)
		fail(KNC_PMU_DEVICE);
	memset(event, 0, sizeof(event));
	event[0].event = INSTRUCTIONS;
	event[0].flags = KNC_PMU_EVENT_USR | (spflt ? KNC_PMU_EVENT_SPFLT : 0);
	event[1].event = DATA_READ;
	event[1].flags = KNC_PMU_EVENT_USR;
	memset(&config, 0, sizeof(config));
	config.flags = KNC_PMU_CONFIG_TASK | flags;
	config.nr_events = spflt ? 1 : 2;
	config.events = (unsigned long)event;
	config.event_size = sizeof(*event);
	if (ioctl(fd, KNC_PMU_IOC_CONFIG, &config)) {
		printf("reason %u\n", config.reason);
		fail("KNC_PMU_IOC_CONFIG");
	}
	if (start && ioctl(fd, KNC_PMU_IOC_START, 0))
		fail("KNC_PMU_IOC_START");
	return fd;
}

static unsigned long ioctl_read(int fd, unsigned int event)
{
	struct knc_pmu_thread record;
	struct knc_pmu_read read;

	memset(&record, 0, sizeof(record));
	memset(&read, 0, sizeof(read));
	read.buffer = (unsigned long)&record;
	read.buffer_size = sizeof(record);
	if (ioctl(fd, KNC_PMU_IOC_READ, &read) != 1)
		fail("KNC_PMU_IOC_READ");
	return record.value[event];
}

static void compete(void)
{
	for (;;) {
		knc_spflt_on();
		loop();
		knc_spflt_off();
		knc_spflt_on();
	}
}

static void move(pid_t who, unsigned int nr_cpus)
{
	unsigned int cpu;

	for (cpu = 0;; cpu++) {
		pin(who, cpu % nr_cpus);
		usleep(1000);
	}
}

/* A child that ends with its parent: it competes for a CPU, or migrates the parent */
static void start_one(int cpu, unsigned int nr_cpus)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid) {
		competitor[nr_competitors++] = pid;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu < 0)
		move(parent, nr_cpus);
	pin(0, cpu);
	compete();
}

static void stop_others(void)
{
	while (nr_competitors) {
		kill(competitor[--nr_competitors], SIGKILL);
		waitpid(competitor[nr_competitors], NULL, 0);
	}
}

static void start_others(const char *how)
{
	int i, nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	atexit(stop_others);
	if (!strcmp(how, "migrating")) {
		for (i = 0; i < nr_cpus && i < COMPETITORS - 1; i++)
			start_one(i, nr_cpus);
		start_one(-1, nr_cpus);
		return;
	}
	if (strcmp(how, "preempted")) {
		pin(0, atoi(how));
		return;
	}
	pin(0, 1);
	start_one(1, nr_cpus);
	start_one(1, nr_cpus);
}

static void print_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("switches %ld\n", usage.ru_nivcsw);
}

/*
 * Counts never decrease. A reading adds exactly its own instructions: the same number each time, or
 * more for a restart.
 */
static void test_read(void)
{
	unsigned long least = ~0UL, most = 0, backwards = 0, beside = 0;
	unsigned long now[2], last[2], first, d, by_read, times[2];
	unsigned long again = 0;
	struct knc_self self;
	int i, fd;

	fd = open_session(KNC_PMU_CONFIG_RDPMC, 0, 1);
	printf("init %d\n", knc_ring3_init());
	printf("open %d\n", knc_self_open(&self, fd));
	if (knc_read(&self, last))
		fail("knc_read");
	first = last[0];
	for (i = 0; i < READS; i++) {
		if (knc_read(&self, now))
			fail("knc_read");
		d = now[0] - last[0];
		if ((long)d <= 0 || (long)(now[1] - last[1]) <= 0)
			backwards++;
		least = d < least ? d : least;
		most = d > most ? d : most;
		again += d > least + TRY / 2;
		last[0] = now[0];
		last[1] = now[1];
	}
	printf("backwards %lu\n", backwards);
	printf("more %lu\n", most - least);
	printf("again %lu\n", again);
	d = last[0] - first;
	printf("sum %d\n", d >= READS * least &&
	       d <= READS * (least + TRY / 2) + again * 2 * TRY);
	for (i = 0; i < 1000; i++) {
		knc_read(&self, last);
		by_read = ioctl_read(fd, i % 2);
		knc_read(&self, now);
		if (by_read <= last[i % 2] || by_read >= now[i % 2] ||
		    now[i % 2] - last[i % 2] > 400)
			beside++;
	}
	printf("beside %lu\n", beside);
	/* the session is stopped: all three functions use a system call, and return the same */
	knc_read_times(&self, &times[0], &times[1]);
	ioctl(fd, KNC_PMU_IOC_STOP, 0);
	knc_read(&self, now);
	knc_read1(&self, 1, &d);
	printf("stopped %d\n", now[0] == ioctl_read(fd, 0) &&
	       now[1] == ioctl_read(fd, 1) && d == now[1]);
	knc_read_times(&self, &last[0], &last[1]);
	printf("times %d\n", times[0] == times[1] && times[0] && times[0] < last[0] &&
	       last[0] == last[1]);
	print_switches();
	knc_self_close(&self);
	close(fd);
}

static void *regions(void *arg)
{
	int i;

	for (i = 0; i < VISITS; i++) {
		KNC_REGION("outer") {
			KNC_BEGIN("loop");
			loop();
			KNC_END("loop");
		}
	}
	return arg;
}

static void test_regions(void)
{
	pthread_t thread[THREADS];
	int i, fd;

	fd = open_session(KNC_PMU_CONFIG_RDPMC | KNC_PMU_CONFIG_INHERIT, 0, 1);
	printf("init %d\n", knc_ring3_init());
	regions(NULL);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, regions, NULL))
			fail("pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	print_switches();
	stop_others();
	knc_regions_report(stdout, KNC_REPORT_CSV);
	close(fd);
}

/* Only the part between the two counts is counted, not startup and the other programs' SPFLT */
static void test_spflt(void)
{
	struct knc_self self;
	unsigned long count = 0, before;
	int i, fd;

	fd = open_session(KNC_PMU_CONFIG_RDPMC, 1, 1);
	knc_ring3_init();
	knc_self_open(&self, fd);
	loop();
	knc_read1(&self, 0, &before);
	for (i = 0; i < VISITS; i++) {
		loop();
		knc_spflt_on();
		loop();
		knc_spflt_off();
		loop();
	}
	knc_read1(&self, 0, &count);
	printf("before %lu\n", before);
	printf("gated %lu\n", count);
	ioctl(fd, KNC_PMU_IOC_STOP, 0);
	printf("by-read %lu\n", ioctl_read(fd, 0));
	print_switches();
	knc_self_close(&self);
	close(fd);
}

static void test_status(void)
{
	int status = knc_ring3_init();

	printf("status %d rdpmc %d\n", status, knc_rdpmc(0) || knc_rdpmc(1));
}

/* After close nothing can be read; a new session works */
static void test_closed(char *program)
{
	struct knc_self self;
	unsigned long count[2], raw;
	int fd, status;

	pin(0, 1);
	printf("early %d\n", knc_ring3_init());
	fd = open_session(KNC_PMU_CONFIG_RDPMC, 0, 1);
	printf("init %d\n", knc_ring3_init());
	knc_self_open(&self, fd);
	KNC_REGION("before")
		loop();
	printf("reads %d\n", !knc_read(&self, count) && count[0] > ROUNDS);
	fflush(stdout);
	if (!fork()) {
		execl(program, program, "status", NULL);
		_exit(1);
	}
	wait(&status);
	knc_self_close(&self);
	printf("closed %d\n", knc_read(&self, count) == -EBADF);
	KNC_BEGIN("during");
	loop();
	close(fd);
	KNC_END("during");
	KNC_REGION("after")
		loop();
	raw = knc_rdpmc(0) | knc_rdpmc(1);
	printf("afterwards %d %lu\n", knc_ring3_status(), raw);
	fd = open_session(KNC_PMU_CONFIG_RDPMC, 0, 1);
	printf("again %d\n", knc_ring3_init());
	KNC_REGION("again")
		loop();
	/* surplus, because the statement after KNC_REGION() has ended the region */
	KNC_END("again");
	KNC_REGION("again")
		loop();
	knc_regions_report(stdout, KNC_REPORT_CSV);
	close(fd);
}

static void write_counter(unsigned long value)
{
	int fd = open("/dev/cpu/1/msr", O_RDWR);

	if (pwrite(fd, &value, sizeof(value), KNC_IA32_PERFCNTR0) != sizeof(value))
		fail("/dev/cpu/1/msr");
	close(fd);
}

/* As root: the counter overflows during regions and readings */
static void test_wrap(void)
{
	unsigned long now[2], last[2], least = ~0UL, most = 0, d, high = 0;
	struct knc_self self;
	int i, k, fd;

	pin(0, 1);
	fd = open_session(KNC_PMU_CONFIG_RDPMC, 0, 1);
	printf("init %d\n", knc_ring3_init());
	knc_self_open(&self, fd);
	/* k = -1: first visits, not measured */
	for (k = -1; k < 100; k++) {
		write_counter((1UL << KNC_COUNTER_WIDTH) - 10007 - 7 * k);
		knc_read(&self, last);
		for (i = 0; i < 20; i++) {
			KNC_REGION("wrap")
				loop();
			knc_read(&self, now);
			d = now[0] - last[0];
			last[0] = now[0];
			if (k < 0)
				continue;
			least = d < least ? d : least;
			most = d > most ? d : most;
		}
		high += knc_rdpmc(0) >> KNC_RAW_WIDTH;
	}
	printf("wrap-least %d\n", least >= 2 * ROUNDS);
	printf("wrap-more %lu\n", most - least);
	printf("loaded %lu\n", high);
	knc_regions_report(stdout, KNC_REPORT_CSV);
	knc_self_close(&self);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "grant")) {
		open_session(KNC_PMU_CONFIG_RDPMC | KNC_PMU_CONFIG_INHERIT |
			     KNC_PMU_CONFIG_ON_EXEC, 0, 0);
		execvp(argv[2], argv + 2);
		fail(argv[2]);
	}
	start_others(argc > 2 ? argv[2] : "1");
	if (!strcmp(what, "status"))
		test_status();
	else if (!strcmp(what, "read"))
		test_read();
	else if (!strcmp(what, "regions"))
		test_regions();
	else if (!strcmp(what, "spflt"))
		test_spflt();
	else if (!strcmp(what, "closed"))
		test_closed(argv[0]);
	else if (!strcmp(what, "wrap"))
		test_wrap();
	else
		fail("which test?");
	return 0;
}
