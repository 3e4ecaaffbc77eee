// SPDX-License-Identifier: GPL-2.0
/*
 * A user executes RDPMC without end, while others have sessions of every kind on the same hardware
 * thread. The user's counter counts only the user's instructions, and the other counter is 0.
 *
 * KNC_TEST_SPY: seconds for each counter, 1 by default
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/ring3.h>

#include "ring.h"

#define CPU	1
#define OTHER	1234	/* user ID of the others */

struct result {
	unsigned long long reads;
	unsigned long long usual;	/* difference between two readings of the user's counter */
	unsigned long long difference;	/* the last different one */
	unsigned long long value;	/* the last one of the other counter that was not 0 */
	unsigned long long sessions;	/* of others */
	int stop;
};

static struct result *result;
static unsigned int counter, flags;	/* of the user's session */

static inline unsigned long long rdpmc(unsigned int n)
{
	unsigned int low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (n) : "memory");
	return (unsigned long long)high << 32 | low;
}

static void read_counters(void)
{
	unsigned long long before, other, difference;

	before = rdpmc(counter);
	other = rdpmc(!counter);
	loop(1);
	difference = knc_diff39(rdpmc(counter), before);
	if (!result->usual)
		result->usual = difference;
	if (difference != result->usual)
		result->difference = difference;
	if (other)
		result->value = other;
	result->reads++;
}

static void spy(unsigned long unused)
{
	struct request r;
	unsigned int i;

	(void)unused;
	become_nobody(device_group());
	ask_task(&r, 0, KNC_PMU_CONFIG_RDPMC | flags, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	r.e[0].counters = 1 << counter;
	check(start(open_session(&r)), 0);
	while (!__atomic_load_n(&result->stop, __ATOMIC_RELAXED)) {
		for (i = 0; i < 1000; i++)
			read_counters();
		usleep(random_below(2) * 100);
	}
}

static void ask_any(struct request *r, struct knc_pmu_event *events, int pid)
{
	unsigned int i;

	ask_task(r, pid, random_below(2) * KNC_PMU_CONFIG_INHERIT, 1);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(r, 1, BRANCHES, USR);
	r->e[0].counters = random_below(3);
	switch (random_below(6)) {
	case 0:
		r->c.nr_events = 2;
		break;
	case 1:
		memset(events, 0, 8 * sizeof(*events));
		r->c.nr_events = 3 + random_below(5);
		for (i = 0; i < r->c.nr_events; i++) {
			events[i].event = i & 1 ? BRANCHES : DATA_READ;
			events[i].flags = USR;
			events[i].group = i / 2;
		}
		r->c.events = (unsigned long)events;
		break;
	case 2:
		ask_sample(r, 0, INSTRUCTIONS_EXECUTED, USR, 3000 + random_below(9000));
		r->c.ring_size = KNC_PMU_MIN_RING;
		break;
	case 3:
		r->e[0].flags |= KNC_PMU_EVENT_SPFLT;
		r->c.flags |= KNC_PMU_CONFIG_USER_PREF;
		break;
	case 4:
		r->c.flags |= KNC_PMU_CONFIG_RDPMC;
	}
}

static void use_session(int fd)
{
	unsigned int i;

	for (i = random_below(10); i; i--) {
		start(fd);
		loop(random_below(30000));
		if (!random_below(4) && !fork()) {
			loop(random_below(3000));
			_exit(0);
		}
		if (random_below(2))
			stop(fd);
		if (!random_below(4))
			reset(fd, 0);
		usleep(random_below(2) * 100);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* Sessions of themselves, or of another task (@pid) */
static void be_others(unsigned long pid)
{
	struct knc_pmu_event events[8];
	struct request r;
	int fd;

	/* not as the other processes do */
	srandom(random() ^ getpid());
	for (;;) {
		fd = open_device();
		ask_any(&r, events, pid);
		if (!config(fd, &r)) {
			__sync_fetch_and_add(&result->sessions, 1);
			use_session(fd);
		}
		close(fd);
	}
}

static void be_user(unsigned long pid)
{
	become_other(OTHER, device_group());
	be_others(pid);
}

static void spin(unsigned long n)
{
	for (;;)
		loop(n);
}

static void run(void (*work)(unsigned long n), unsigned int cpu, unsigned long n, struct program *p)
{
	hold_call(p, cpu, work, n);
	release(p);
}

/* The user's program also sleeps, and moves, while others use the counters. */
static void disturb(int pid)
{
	const char *seconds = getenv("KNC_TEST_SPY");
	unsigned long long end = now_ns() + (seconds ? atoi(seconds) : 1) * 1000000000ULL;

	while (now_ns() < end) {
		usleep(random_below(80000));
		kill(pid, SIGSTOP);
		pin_task(pid, CPU + random_below(2));
		usleep(random_below(3000));
		kill(pid, SIGCONT);
		pin_task(pid, CPU);
	}
}

static void spy_on(unsigned int n, unsigned int session_flags)
{
	struct program spying, spun, p;

	counter = n;
	flags = session_flags;
	result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run(spy, CPU, 0, &spying);
	while (!__atomic_load_n(&result->reads, __ATOMIC_RELAXED) && !has_ended(&spying))
		wait_ms();
	run(be_user, CPU, 0, &p);
	run(be_user, CPU, 0, &p);
	run(be_others, CPU, 0, &p);
	run(spin, CPU, 1000, &spun);
	run(be_others, CPU + 1, spun.pid, &p);
	disturb(spying.pid);
	result->stop = 1;
	finish(&spying);
	note("%llu readings beside %llu sessions", result->reads, result->sessions);
	check(result->value, 0);
	check(result->difference, 0);
	check(result->sessions > 0, 1);
}

static void test_first(void)
{
	spy_on(0, 0);
}

static void test_second(void)
{
	spy_on(1, KNC_PMU_CONFIG_INHERIT | KNC_PMU_CONFIG_PROCESS);
}

static const struct test tests[] = {
	{ "spy.first", test_first },
	{ "spy.second", test_second },
};

TEST_PROGRAM(tests)
