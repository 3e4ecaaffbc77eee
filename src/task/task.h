/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions that follow tasks: declarations for the floors above
 */
#ifndef KNC_PMU_TASK_H
#define KNC_PMU_TASK_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "count/hwthread.h"
#include "count/set.h"
#include "request/request.h"

struct mutex;
struct pid;
struct vm_area_struct;
struct knc_hwthread;
struct knc_sampler;
struct knc_target;

/**
 * struct knc_sum - sums over tasks
 * @value: the count of each event
 * @running: with several groups, time for which each counted, ticks at tsc_khz
 * @ticks: time for which the tasks were counted, ticks at tsc_khz
 */
struct knc_sum {
	u64 value[KNC_PMU_MAX_SET];
	u64 running[KNC_PMU_MAX_SET];
	u64 ticks;
};

/**
 * struct knc_ended - the counts of tasks that have ended, with KNC_PMU_CONFIG_KEEP
 * @nr: number of tasks
 * @stride: bytes from one element of @tasks to the next
 * @values: bytes of one task's counts
 * @running: bytes of one task's times for which its events counted
 * @rest: the sum of the tasks that are not followed any more, and are not in @tasks
 * @tasks: array of struct knc_ended_task, each with the counts of all events
 */
struct knc_ended {
	unsigned int nr;
	size_t stride;
	size_t values;
	size_t running;
	struct knc_sum rest;
	void *tasks;
};

/**
 * struct knc_walk - a command's walk over a session's targets, see walk.c
 * @next: the next target in @targets, or the list's head at the end; NULL: there is no walk
 * @last: @serial of the last target that the walk visits
 * @sum: receives the counts of tasks that end before the walk visits them; NULL: not needed
 * @apart: leave tasks out of @sum that struct knc_ended keeps: READ_TASKS has a record for each
 */
struct knc_walk {
	struct list_head *next;
	u64 last;
	struct knc_sum *sum;
	bool apart;
};

/**
 * struct knc_follow - the tasks that one session follows
 * @node: in knc_follows
 * @id: number of this session, never used again
 * @flags: KNC_PMU_CONFIG_*
 * @claim: the initial claim of each task
 * @groups: the groups of the events
 * @counts: the initial count of each event
 * @spare: the target of the task that CONFIG names; NULL after that task is followed
 * @excluded: counters that sessions on hardware threads can't have: those of this session; with
 *	RDPMC but without privilege, all counters
 * @beside: with PROCESS, for each counter the @id of a session that used it for one of the threads
 *	when CONFIG looked; 0: none
 * @privileged: the session may follow programs that their user may not look at
 * @private: it counts events that an unprivileged session may not count
 * @everywhere: all hardware threads save their registers at CONFIG
 * @started: the tasks are counted; the context switch reads it
 * @executed: ON_EXEC: the exec has happened, or may not start the session any more
 * @partial: counts are missing: a task could not be followed, ran on a hardware thread that was
 *	offline or lost its registers, or executed a program that got no permission for RDPMC
 * @evicted: no task is followed any more, see knc_follow_drop()
 * @process: with KNC_PMU_CONFIG_PROCESS: the process whose threads are followed
 * @search: in a bucket of knc_searches while CONFIG looks for threads of @process
 * @denied: during that search @process executed a program that its user may not look at
 * @lock: the session's
 * @cpus: hardware threads that run tasks of the session; under @lock
 * @targets: the target of each task
 * @serial: number of targets ever added to @targets
 * @walk: the present walk over @targets
 * @nr_targets: number of @targets
 * @first: the task that CONFIG named; NULL: not followed any more
 * @own: the target of the task that was followed first, for READ without a lock; NULL: unlinked.
 *	Cleared before the search for hardware threads that may still use it
 * @resets: odd while a RESET changes counts, and another number after it
 * @gone: the sum of the tasks that are not followed any more
 * @ended: tasks that have ended, each by itself; NULL: without KEEP
 * @page: where the only task reads its own counts; NULL: no page
 * @page_closed: @page stays invalid, because RDPMC is about to be revoked
 * @samplers: the sampler on each possible hardware thread; NULL: no samples
 */
struct knc_follow {
	struct list_head node;
	u64 id;
	u32 flags;
	struct knc_claim claim;
	const struct knc_groups *groups;
	const struct knc_count *counts;
	struct knc_target *spare;
	u64 excluded;
	u64 beside[PMU_MAX_NUMBER];
	bool privileged;
	bool private;
	bool everywhere;
	bool started;
	bool executed;
	bool partial;
	bool evicted;
	struct pid *process;
	struct hlist_node search;
	bool denied;
	struct mutex *lock;	/* for @cpus; serializes commands */
	cpumask_var_t cpus;
	struct list_head targets;
	u64 serial;
	struct knc_walk walk;
	unsigned int nr_targets;
	const struct task_struct *first;
	const struct knc_target *own;
	unsigned int resets;
	struct knc_sum gone;
	struct knc_ended *ended;
	struct knc_pmu_page *page;
	bool page_closed;
	struct knc_sampler **samplers;
};

/* rights.c */
int knc_follow_check(const struct knc_request *req,
		     struct knc_refusal *why);
struct pid *knc_follow_find(s32 nr, bool process, struct knc_refusal *why);
bool knc_follow_is_private(const struct knc_request *req);

/* follow.c */
struct knc_follow *knc_follow_create(const struct knc_request *req,
				     const struct knc_groups *groups,
				     const struct knc_count *counts);
void knc_follow_destroy(struct knc_follow *f);
int knc_follow_attach(struct knc_follow *f, struct pid *pid);
void knc_follow_drop(struct knc_follow *f, bool keep);
void knc_follow_detach(struct knc_follow *f);
bool knc_follow_is_used(bool elsewhere);
void knc_follow_dismiss(void);
void knc_follow_close_page(struct knc_follow *f, unsigned long until);

/* Owners of counters; under knc_claims_lock */
const struct knc_claim *knc_follow_holder(unsigned int counter);
const struct knc_claim *knc_follow_gated(void);
void knc_follow_task_holders(const struct knc_follow *f, struct pid *pid,
			     const struct knc_claim **claims);

/* search.c */
void knc_follow_find_holders(struct knc_follow *f, struct pid *pid);
int knc_follow_threads(struct knc_follow *f);

/* commands.c */
void knc_follow_start(struct knc_follow *f);
void knc_follow_stop(struct knc_follow *f);
void knc_follow_reset(struct knc_follow *f);
void knc_follow_read(struct knc_follow *f, struct knc_pmu_thread *record,
		     bool timed);
void knc_follow_stop_read(struct knc_follow *f, struct knc_pmu_thread *record,
			  bool timed);
long knc_follow_read_tasks(struct knc_follow *f, void __user *to, u64 size,
			   size_t record_size, u32 flags);

/* probes.c */
void knc_probes_exit(void);

/* table.c */
unsigned int knc_tasks_bits(u64 bytes);
void knc_tasks_init(void);
void knc_tasks_exit(void);

/* switch.c: on the hardware thread, interrupts off */
void knc_task_sched_out(void);
void knc_task_times(struct knc_hwthread *hw);

#endif /* KNC_PMU_TASK_H */
