/* SPDX-License-Identifier: GPL-2.0 */
/* Fake tasks on the CPUs of this machine, and the follows that follow them */
#ifndef KNC_TEST_TASK_FIXTURE_H
#define KNC_TEST_TASK_FIXTURE_H

#include "fakes.h"
#include "session_fixture.h"
#include "task/task.h"

#define CAST_TASKS	8
#define CAST_FOLLOWS	3

/**
 * struct cast - the data of a test of sessions that follow tasks
 * @test: the test
 * @st: the stage: models of the registers, and CPU hotplug
 * @task: processes of one thread; no CPU executes one at first
 * @follow: the follows of these tasks
 * @groups: their events
 * @config: the request of cast_try() beside flags
 * @prepare: called before cast_try() attaches the follow; may be NULL
 * @here: the CPU to which the test is pinned
 * @there: another CPU, which can go offline
 */
struct cast {
	struct kunit *test;
	struct stage *st;
	struct task_struct *task[CAST_TASKS];
	struct knc_follow *follow[CAST_FOLLOWS];
	struct knc_groups groups[CAST_FOLLOWS];
	struct knc_request config;
	void (*prepare)(struct cast *c, struct knc_follow *f);
	unsigned int here;
	unsigned int there;
};

int cast_init(struct kunit *test);
int cast_init_wide(struct kunit *test);
/*
 * As cast_init(), with pids from @first in steps of @step; the TSC only advances on request of the
 * test
 */
int cast_init_numbered(struct kunit *test, int first, int step);
void cast_permit(bool permit);
void cast_exit(struct kunit *test);

/* Follow @i with @nr events: the first on counter @first, the second on the other counter */
int cast_try(struct cast *c, unsigned int i, u32 flags,
	     struct task_struct *task, unsigned int first, unsigned int nr);
struct knc_follow *cast_follow(struct cast *c, unsigned int i, u32 flags,
			       struct task_struct *task, unsigned int first,
			       unsigned int nr);
void cast_leave(struct cast *c, unsigned int i);
/* Evict a follow: its counts remain readable */
void cast_evict(struct knc_follow *f);
void cast_dismiss(void);

/* Which fake task a CPU executes, and what happens to it; cast_switch(@cpu, NULL): none */
void cast_switch(unsigned int cpu, struct task_struct *task);
/* Start the first follow, and switch its first task in */
void cast_begin(struct cast *c, unsigned int cpu);
void cast_fork(unsigned int cpu, struct task_struct *child);
void cast_exec(unsigned int cpu, bool secure);
void cast_end(unsigned int cpu);

void cast_run(unsigned int cpu, u64 n0, u64 n1);
struct knc_pmu_thread cast_read(struct cast *c, unsigned int i);
void cast_expect(struct cast *c, unsigned int i, u64 v0, u64 v1);
void cast_expect_empty(struct cast *c, unsigned int cpu);

#endif /* KNC_TEST_TASK_FIXTURE_H */
