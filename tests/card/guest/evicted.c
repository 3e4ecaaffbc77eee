// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that call knc_read() all the time lose their permission for RDPMC: no program dies, and
 * none gets a wrong count
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/ring3.h>

#include "lib.h"

#define LOAD(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELEASE)

#define READERS		3
#define EVICTIONS	rounds(400)
/* Instructions of one iteration of read_on() if knc_read() succeeds at the first try */
#define TURN		100

/* Has each program begun to read its present session? In shared memory */
static int *reading;
/* How often each program was refused RDPMC */
static unsigned long *refusals;

/* How a program deals with SIGSEGV, besides knc_self_open() */
enum { PLAIN, INIT, HANDLER, KINDS };

/* A started session that follows the caller */
static int open_counted(void)
{
	struct request r;

	ask_task(&r, 0, KNC_PMU_CONFIG_RDPMC, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, DATA_READ, USR);
	return open_session(&r);
}

/* Counts never decrease, and increase by no more than is possible; returns knc_read()'s error */
static int read_on(struct knc_self *self, unsigned long *last, unsigned long most)
{
	unsigned long now[2];
	unsigned int i;
	int err = knc_read(self, now);

	for (i = 0; !err && i < 2; i++) {
		if (now[i] < last[i] || now[i] - last[i] > most)
			fail("event %u: %lu after %lu", i, now[i], last[i]);
		last[i] = now[i];
	}
	return err;
}

static void on_segv(int sig)
{
	(void)sig;
	_exit(3);
}

/* A program of the user; its exit status is 3 if RDPMC was refused */
static void reader(unsigned long kind, unsigned int i)
{
	unsigned long last[2], best[2], turns;
	struct record record;
	struct knc_self self;
	int fd, err;

	become_nobody(device_group());
	for (;;) {
		fd = open_counted();
		if (kind == INIT)
			check(knc_ring3_init() != KNC_RING3_NOT_KNC, 1);
		check(knc_self_open(&self, fd), 0);
		if (kind == HANDLER)
			signal(SIGSEGV, on_segv);
		err = start(fd);
		check(!err || err == -ECANCELED, 1);
		memset(last, 0, sizeof(last));
		turns = 0;
		/* knc_read() repeats a reading that was interrupted, but not endlessly */
		do {
			best[0] = last[0];
			best[1] = last[1];
			err = read_on(&self, last, 100000 * TURN);
			if (++turns == 100)
				STORE(reading[i], 1);
		} while (!err);
		refusals[i] = knc_r3_shared.faults;
		check(err, -ECANCELED);
		/*
		 * knc_read() does not change counts that it can't read; READ returns the counts at
		 * the eviction
		 */
		check(last[0] == best[0] && last[1] == best[1], 1);
		check(read_all(fd, &record, sizeof(record)), 1);
		check(record.flags, KNC_PMU_THREAD_EVICTED);
		check(record.value[0] >= last[0] && record.value[1] >= last[1], 1);
		check(record.value[0] - last[0] < 100000 * TURN, 1);
		knc_self_close(&self);
		check(knc_read(&self, last), -EBADF);
		close(fd);
	}
}

static int evict_all(void)
{
	struct knc_pmu_evict r = {
		.cpu = KNC_PMU_NO_CPU,
		.counter = KNC_PMU_NO_COUNTER,
	};
	int fd = open_device();
	int nr = command(fd, KNC_PMU_IOC_EVICT, &r);

	close(fd);
	return nr;
}

static void check_alive(const pid_t *pid)
{
	unsigned int i;
	int status;

	for (i = 0; i < READERS; i++)
		if (waitpid(pid[i], &status, WNOHANG))
			fail("reader %u has ended with status %x", i, status);
}

/* Wait until every program reads its counters, each in a new session. */
static void await_readings(const pid_t *pid)
{
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		while (!LOAD(reading[i])) {
			check_alive(pid);
			wait_ms();
		}
		STORE(reading[i], 0);
	}
}

/* Run READERS programs on READERS - 1 hardware threads: some programs are preempted */
static void evict_readers(unsigned long kind)
{
	unsigned int i, nr = 0;
	pid_t pid[READERS];
	int ret;

	reading = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(reading == MAP_FAILED, 0);
	refusals = (void *)(reading + READERS + 1);
	for (i = 0; i < READERS; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			pin(i / 2);
			reader(kind, i);
		}
	}
	while (nr < EVICTIONS) {
		await_readings(pid);
		nr += READERS;
		ret = evict_all();
		check_alive(pid);
		check(ret, READERS);
	}
	for (i = 0; i < READERS; i++) {
		kill(pid[i], SIGKILL);
		check(waitpid(pid[i], NULL, 0), pid[i]);
	}
	note("RDPMC was refused %lu, %lu and %lu times in %u evictions", refusals[0],
	     refusals[1], refusals[2], nr);
	check_no_pce();
}

static void test_plain(void)
{
	evict_readers(PLAIN);
}

static void test_init(void)
{
	evict_readers(INIT);
}

/* The program replaces the handler of knc_self_open(): RDPMC must never fault */
static void test_handler(void)
{
	evict_readers(HANDLER);
}

/* RDPMC is refused although the session was not evicted, and still counts */
static void test_refused(void)
{
	static const char setting[] = "/sys/bus/event_source/devices/cpu/rdpmc";
	unsigned long last[2] = { 0, 0 };
	struct record record;
	struct knc_self self;
	unsigned int i;
	int fd, perf;

	perf = open(setting, O_WRONLY);
	if (perf < 0)
		skip("no %s", setting);
	fd = open_counted();
	check(knc_self_open(&self, fd), 0);
	check(start(fd), 0);
	check(knc_read(&self, last), 0);
	check(write(perf, "0", 1), 1);
	for (i = 0; i < 1000; i++)
		check(read_on(&self, last, 100000 * TURN), 0);
	check(write(perf, "1", 1), 1);
	check(read_on(&self, last, 100000 * TURN), 0);
	check(read_all(fd, &record, sizeof(record)), 1);
	check(record.flags, 0);
	check(record.value[0] >= last[0] && record.value[1] >= last[1], 1);
	knc_self_close(&self);
	close(fd);
}

static const struct test tests[] = {
	{ "evicted.plain", test_plain },
	{ "evicted.init", test_init },
	{ "evicted.handler", test_handler },
	{ "evicted.refused", test_refused },
};

TEST_PROGRAM(tests)
