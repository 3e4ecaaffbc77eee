// SPDX-License-Identifier: GPL-2.0
/* READ with STOP or START in the same call: KNC_PMU_READ_STOP, KNC_PMU_READ_START */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ring.h"

#define CPU	1
#define OTHER	2	/* a hardware thread of the same core */
#define N	1000UL
#define BAD	((void *)8)

/* A session of one event, BRANCHES in user mode, on @nr hardware threads or for the caller (0) */
static int ask_session(struct request *r, unsigned int nr)
{
	int fd = open_device();

	if (!nr) {
		ask_task(r, 0, 0, 1);
	} else {
		ask(r, CPU, 1);
		if (nr > 1)
			ask_cpu(r, OTHER);
	}
	ask_event(r, 0, 0x12, USR);
	check(config(fd, r), 0);
	return fd;
}

static int session_of(unsigned int nr)
{
	struct request r;

	return ask_session(&r, nr);
}

/* The sum of the counts of @nr records */
static unsigned long long read_sum(int fd, unsigned int flags, unsigned int nr)
{
	unsigned char records[2 * KNC_PMU_THREAD_SIZE(1)];
	const struct record *record;
	unsigned long long sum = 0;
	unsigned int i;

	memset(records, 0xff, sizeof(records));
	check(read_flags(fd, flags, records, sizeof(records)), nr ? nr : 1);
	for (i = 0; i < (nr ? nr : 1); i++) {
		record = (const void *)(records + i * KNC_PMU_THREAD_SIZE(1));
		check(!(flags & KNC_PMU_READ_COUNTS), record->time && 1);
		if (flags & KNC_PMU_READ_COUNTS)
			check(record->time_enabled | record->time_running, 0);
		sum += record->value[0];
	}
	return sum;
}

/*
 * The counts of READ with STOP are where the session stopped; READ with START returns those from
 * which it goes on. @flags: further flags of READ
 */
static void check_changes(unsigned int nr, unsigned int flags)
{
	unsigned long long at;
	int fd = session_of(nr);

	check(read_sum(fd, flags | KNC_PMU_READ_STOP, nr), 0);
	loop(N);
	check(read_sum(fd, flags | KNC_PMU_READ_START, nr), 0);
	loop(N);
	/* a session that runs already is only read */
	at = read_sum(fd, flags | KNC_PMU_READ_START, nr);
	check(at >= N, 1);
	loop(N);
	at = read_sum(fd, flags | KNC_PMU_READ_STOP, nr);
	check(at >= 2 * N, 1);
	loop(N);
	check(read_sum(fd, flags, nr), at);
	check(read_sum(fd, flags | KNC_PMU_READ_STOP, nr), at);
	check(read_sum(fd, flags | KNC_PMU_READ_START, nr), at);
	loop(N);
	check(stop(fd), 0);
	check(read_sum(fd, flags, nr) >= at + N, 1);
	close(fd);
}

static void check_both(unsigned int nr)
{
	check_changes(nr, 0);
	check_changes(nr, KNC_PMU_READ_COUNTS);
}

static void test_threads(void)
{
	pin(CPU);
	check_both(1);
	check_both(2);
}

/*
 * The caller does not run on the session's hardware thread, where N iterations of a program are
 * counted.
 */
static void test_elsewhere(void)
{
	unsigned long long at;
	struct program p;
	int fd = session_of(1);

	hold(&p, CPU, "loop", N, 0);
	wait_held(&p);
	pin(OTHER);
	check(read_sum(fd, KNC_PMU_READ_START, 1), 0);
	release(&p);
	finish(&p);
	at = read_sum(fd, KNC_PMU_READ_STOP | KNC_PMU_READ_COUNTS, 1);
	check(at >= N, 1);
	check(read_sum(fd, 0, 1), at);
	close(fd);
}

static void test_task(void)
{
	pin(CPU);
	check_both(0);
}

/* The session's times stop with its counts. */
static void test_times(void)
{
	struct record at, later;
	unsigned int nr;
	int fd;

	pin(CPU);
	for (nr = 0; nr < 2; nr++) {
		fd = session_of(nr);
		check(start(fd), 0);
		loop(N);
		check(read_flags(fd, KNC_PMU_READ_STOP, &at, sizeof(at)), 1);
		loop(N);
		check(read_all(fd, &later, sizeof(later)), 1);
		check(at.time_enabled > 0, 1);
		check(later.time_enabled, at.time_enabled);
		check(later.time_running, at.time_running);
		check(later.time > at.time, 1);
		close(fd);
	}
}

/* An error leaves the session as it was, except EFAULT. */
static void check_errors(unsigned int nr)
{
	unsigned int both = KNC_PMU_READ_STOP | KNC_PMU_READ_START;
	unsigned long long at, room = 2 * KNC_PMU_THREAD_SIZE(1);
	struct record record;
	int fd = session_of(nr);

	check(read_flags(fd, both, &record, sizeof(record)), -EINVAL);
	check(read_flags(fd, KNC_PMU_READ_TASKS | KNC_PMU_READ_START, &record, sizeof(record)),
	      -EINVAL);
	check(read_flags(fd, KNC_PMU_READ_START, &record, KNC_PMU_THREAD_SIZE(1) - 1), -ENOSPC);
	loop(N);
	check(read_sum(fd, 0, nr), 0);
	check(read_flags(fd, KNC_PMU_READ_START, BAD, room), -EFAULT);
	loop(N);
	check(read_flags(fd, both, &record, sizeof(record)), -EINVAL);
	check(read_flags(fd, KNC_PMU_READ_TASKS | KNC_PMU_READ_STOP, &record, sizeof(record)),
	      -EINVAL);
	check(read_flags(fd, KNC_PMU_READ_STOP, &record, 0), -ENOSPC);
	at = read_sum(fd, 0, nr);
	check(at >= N, 1);
	loop(N);
	check(read_flags(fd, KNC_PMU_READ_STOP, BAD, room), -EFAULT);
	check(read_sum(fd, 0, nr) >= at + N, 1);
	at = read_sum(fd, 0, nr);
	loop(N);
	check(read_sum(fd, 0, nr), at);
	close(fd);
}

static void test_errors(void)
{
	unsigned int both = KNC_PMU_READ_STOP | KNC_PMU_READ_START;
	struct record record;
	int fd = open_device();

	check(read_flags(fd, both, &record, sizeof(record)), -EINVAL);
	check(read_flags(fd, KNC_PMU_READ_STOP, &record, sizeof(record)), -ENODATA);
	check(read_flags(fd, KNC_PMU_READ_START, &record, sizeof(record)), -ENODATA);
	close(fd);
	pin(CPU);
	check_errors(0);
	check_errors(1);
	check_errors(2);
}

/* READ of an evicted session works, but it can be neither stopped nor started. */
static void test_evicted(void)
{
	struct knc_pmu_evict evict = { .cpu = KNC_PMU_NO_CPU, .counter = KNC_PMU_NO_COUNTER };
	struct record record;
	unsigned int nr;
	int fd, other = open_device();

	pin(CPU);
	for (nr = 0; nr < 2; nr++) {
		fd = session_of(nr);
		check(start(fd), 0);
		check(command(other, KNC_PMU_IOC_EVICT, &evict), 1);
		check(read_flags(fd, KNC_PMU_READ_STOP, &record, sizeof(record)), -ECANCELED);
		check(read_flags(fd, KNC_PMU_READ_START, &record, sizeof(record)), -ECANCELED);
		check(read_all(fd, &record, sizeof(record)), 1);
		close(fd);
	}
}

/* The counts that READ with STOP returns equal the sampled, lost and unsampled events. */
static void test_sampled(void)
{
	struct ring ring;
	struct record at;
	struct request r;
	unsigned int i;
	int fd;

	pin(CPU);
	memset(&ring, 0, sizeof(ring));
	ask(&r, CPU, 1);
	ask_sample(&r, 0, 0x12, USR, PERIOD);
	fd = open_session(&r);
	map_ring(&ring, fd, 0, CPU, r.c.ring_size);
	for (i = 0; i < 20; i++) {
		check(read_flags(fd, KNC_PMU_READ_START, &at, sizeof(at)), 1);
		loop(PERIOD + i * 997);
		check(read_flags(fd, KNC_PMU_READ_STOP, &at, sizeof(at)), 1);
		drain_ring(&ring);
		check_produced(&ring);
		check_sum(&ring, 0, at.value[0], PERIOD);
	}
	check(ring.samples[0] >= 10, 1);
	unmap_ring(&ring);
	close(fd);
}

static const struct test tests[] = {
	{ "change.threads", test_threads },
	{ "change.elsewhere", test_elsewhere },
	{ "change.task", test_task },
	{ "change.times", test_times },
	{ "change.errors", test_errors },
	{ "change.evicted", test_evicted },
	{ "change.sampled", test_sampled },
};

TEST_PROGRAM(tests)
