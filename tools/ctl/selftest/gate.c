// SPDX-License-Identifier: GPL-2.0
/* SPFLT: counters that count only while a thread's USER_PREF is set */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <knc/ring3.h>

#include "selftest/trial.h"

#define N		100000UL
#define SWITCHES	50
/* Instructions of READ, START and the calls, in addition to the loop */
#define BESIDE		2000

/* The loop three times: before SPFLT sets USER_PREF, while it is set, after SPFLT clears it */
static void work_gated(unsigned long n, void *memory)
{
	work_loop(n, memory);
	knc_spflt_on();
	work_loop(n, memory);
	knc_spflt_off();
	work_loop(n, memory);
}

/* Counter @gated obeys SPFLT, the other one does not */
static void check_bit(struct selftest *t, unsigned int gated)
{
	struct trial s = { .nr = 2 };
	__u64 count[KNC_NR_COUNTERS];
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++)
		event_on(&s.event[n], n, EVENT_INSTRUCTIONS,
			 KNC_PMU_EVENT_USR | (n == gated ? KNC_PMU_EVENT_SPFLT : 0));
	if (trial_count(t, &s, NO_CPU, work_gated, N, count))
		return;
	measured(t, gated ? "gated 1" : "gated 0", count[gated]);
	measured(t, gated ? "not gated 0" : "not gated 1", count[!gated]);
	if (count[gated] < 2 * N || count[gated] > 2 * N + BESIDE)
		fail(t, "counter %u, gated: %llu events instead of %lu", gated,
		     (unsigned long long)count[gated], 2 * N);
	if (count[!gated] < 6 * N || count[!gated] > 6 * N + BESIDE)
		fail(t, "counter %u, not gated: %llu events instead of %lu", !gated,
		     (unsigned long long)count[!gated], 6 * N);
}

void test_spflt(struct selftest *t)
{
	if (!(t->pmu.features & KNC_PMU_FEATURE_SPFLT)) {
		skip(t, "the module does not offer SPFLT");
		return;
	}
	check_bit(t, 0);
	check_bit(t, 1);
}

/* A child on the same hardware thread, which sets its own USER_PREF to @on and replies */
static void be_other_task(int in, int out, int on)
{
	char c;

	while (read(in, &c, 1) == 1) {
		if (on)
			knc_spflt_on();
		else
			knc_spflt_off();
		if (write(out, &c, 1) != 1)
			break;
	}
	_exit(0);
}

static int switch_tasks(int in, int out)
{
	unsigned int i;
	char c = 0;

	for (i = 0; i < SWITCHES; i++) {
		if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
			return -1;
	}
	return 0;
}

/*
 * Count with a gated counter across context switches, with USER_PREF @on; @in and @out: pipes of
 * the other task
 */
static void count_gated(struct selftest *t, int on, int in, int out, __u64 *count)
{
	struct trial s = { .nr = 1 };
	unsigned long long memory[2] = { 0, 0 };
	struct knc_pmu_thread record;

	event_on(&s.event[0], 0, EVENT_INSTRUCTIONS, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SPFLT);
	if (trial_open(t, &s, NO_CPU))
		return;
	if (on)
		knc_spflt_on();
	else
		knc_spflt_off();
	if (!trial_start(t, &s)) {
		if (switch_tasks(in, out))
			fail(t, "the other task does not answer");
		work_loop(N, memory);
		if (!trial_read(t, &s, KNC_PMU_READ_STOP, &record))
			*count = record.value[0];
	}
	knc_spflt_off();
	trial_close(&s);
}

/* count_gated() while this task alternates with one that sets its USER_PREF to !@on */
static int count_switching(struct selftest *t, int on, __u64 *count)
{
	int there[2], back[2];
	pid_t pid;

	if (pipe(there) || pipe(back)) {
		fail(t, "no pipe: %s", strerror(errno));
		return -1;
	}
	pid = fork();
	if (!pid) {
		close(there[1]);
		be_other_task(there[0], back[1], !on);
	}
	if (pid > 0)
		count_gated(t, on, back[0], there[1], count);
	else
		fail(t, "no child: %s", strerror(errno));
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return has_failed(t) ? -1 : 0;
}

void test_spflt_switch(struct selftest *t)
{
	__u64 on = 0, off = 0;

	if (count_switching(t, 1, &on) || count_switching(t, 0, &off))
		return;
	measured(t, "on", on);
	measured(t, "off", off);
	if (on < 2 * N)
		fail(t, "USER_PREF was lost in %u context switches: %llu events instead of %lu",
		     SWITCHES, (unsigned long long)on, 2 * N);
	if (off)
		fail(t, "another task's USER_PREF let the counter count %llu events",
		     (unsigned long long)off);
}

static void idle(void)
{
	struct timespec while_idle = { .tv_nsec = 50000000 };

	nanosleep(&while_idle, NULL);
}

/*
 * Both loops run without a context switch, which would write the register again. If USER_PREF is
 * lost, the first loop is not counted; if the counters' gate bits are lost, the second loop is
 * counted, too.
 */
void test_spflt_idle(struct selftest *t)
{
	struct trial s = { .nr = 1 };
	unsigned long long memory[2] = { 0, 0 };
	struct knc_pmu_thread record;
	__u64 count;

	event_on(&s.event[0], 0, EVENT_INSTRUCTIONS, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SPFLT);
	if (trial_open(t, &s, t->cpu))
		return;
	if (!trial_start(t, &s)) {
		knc_spflt_on();
		idle();
		work_loop(N, memory);
		knc_spflt_off();
		idle();
		work_loop(N, memory);
		if (!trial_read(t, &s, KNC_PMU_READ_STOP, &record)) {
			count = record.value[0];
			measured(t, "count", count);
			/* other programs may run while this one sleeps */
			if (count < 2 * N || count > 3 * N)
				fail(t, "idle for 50 ms: %llu events instead of %lu",
				     (unsigned long long)count, 2 * N);
		}
	}
	trial_close(&s);
}
