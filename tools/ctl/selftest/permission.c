// SPDX-License-Identifier: GPL-2.0
/* RDPMC in ring 3: refused before and after a session that permits it, and right in the session */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/ring3.h>
#include <kernel-file.h>

#include "selftest/trial.h"

#define N	100000UL

/* Let a child execute RDPMC; returns 0, or the signal that killed it; -1: no child was created */
static int rdpmc_ends(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		knc_rdpmc(0);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Does perf's setting permit RDPMC to every process? */
static int is_free_for_all(void)
{
	char line[16];

	return !kncpmu_read_line("/sys/bus/event_source/devices/cpu/rdpmc", line, sizeof(line)) &&
	       line[0] == '2';
}

static void check_refused(struct selftest *t, const char *when)
{
	int end = rdpmc_ends();

	if (!is_free_for_all() && end != SIGSEGV)
		fail(t, "RDPMC %s a session: signal %d instead of SIGSEGV", when, end);
}

/* The page and READ agree: a known number of instructions lies between two readings */
static void check_reading(struct selftest *t, struct trial *s)
{
	unsigned long long memory[2] = { 0, 0 };
	unsigned long before[2], after[2];
	struct knc_pmu_thread record;
	struct knc_self self;
	int ret = knc_self_open(&self, s->fd);

	if (ret) {
		fail(t, "the session's page can't be mapped: %s", strerror(-ret));
		return;
	}
	ret = knc_read(&self, before);
	work_loop(N, memory);
	if (!ret)
		ret = knc_read(&self, after);
	if (ret)
		fail(t, "reading by RDPMC failed: %s", strerror(-ret));
	else if (after[0] - before[0] < 2 * N || after[0] - before[0] > 2 * N + 1000)
		fail(t, "RDPMC: %lu events in code with %lu", after[0] - before[0], 2 * N);
	if (!ret && !trial_read(t, s, KNC_PMU_READ_STOP, &record)) {
		measured(t, "rdpmc", after[0]);
		measured(t, "read", record.value[0]);
		if (record.value[0] < after[0] || record.value[0] - after[0] > 10000)
			fail(t, "RDPMC says %lu, READ just after it %llu", after[0],
			     (unsigned long long)record.value[0]);
	}
	knc_self_close(&self);
}

void test_rdpmc(struct selftest *t)
{
	struct trial s = { .nr = 1, .config = { .flags = KNC_PMU_CONFIG_RDPMC } };

	if (!(t->pmu.features & KNC_PMU_FEATURE_RDPMC)) {
		skip(t, "this kernel can't permit RDPMC to single processes");
		return;
	}
	check_refused(t, "before");
	event_on(&s.event[0], 0, EVENT_INSTRUCTIONS, KNC_PMU_EVENT_USR);
	if (!trial_open(t, &s, NO_CPU)) {
		if (rdpmc_ends())
			fail(t, "RDPMC is refused although a session permits it");
		else if (!trial_start(t, &s))
			check_reading(t, &s);
		trial_close(&s);
	}
	check_refused(t, "after");
}
