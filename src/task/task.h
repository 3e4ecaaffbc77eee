/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions that follow tasks
 */
#ifndef KNC_PMU_TASK_H
#define KNC_PMU_TASK_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "count/hwthread.h"
#include "count/request.h"
#include "count/set.h"

struct mutex;
struct pid;
struct vm_area_struct;
struct knc_hwthread;
struct knc_sampler;

/**
 * struct knc_follow - the tasks that one session follows
 * @node: in the list of all of them
 * @flags: KNC_PMU_CONFIG_*
 * @claim: what each task begins with
 * @layout: its events, in groups
 * @counts: what each event begins with
 * @cntrs: counters that no session on hardware threads may have meanwhile
 * @privileged: it may look at programs that their user may not look at
 * @started: tasks are counted
 * @executed: what KNC_PMU_CONFIG_ON_EXEC waits for has happened
 * @partial: not all tasks are followed that should be
 * @evicted: it follows nobody any more, see knc_follow_detach()
 * @process: with KNC_PMU_CONFIG_PROCESS: whose threads are followed
 * @filling: in the list of those whose process's threads are still looked for
 * @lock: the session's
 * @cpus: the hardware threads that a command concerns, under @lock
 * @targets: what there is of each task
 * @nr_targets: how many they are
 * @first: the task that CONFIG named; NULL: it is not followed any more
 * @gone: for each event, what tasks counted that are not followed any more
 * @gone_running: for how long each was counted, ticks at tsc_khz
 * @gone_ticks: how long they did, likewise
 * @page: tells the only task what it counted; NULL: there is none
 * @samplers: takes samples of a task on each possible hardware thread; NULL: nothing is
 *	sampled
 */
struct knc_follow {
	struct list_head node;
	u32 flags;
	struct knc_claim claim;
	const struct knc_layout *layout;
	const struct knc_count *counts;
	u64 cntrs;
	bool privileged;
	bool started;
	bool executed;
	bool partial;
	bool evicted;
	struct pid *process;
	struct list_head filling;
	struct mutex *lock;	/* for @cpus, and that commands come one after the other */
	cpumask_var_t cpus;
	struct list_head targets;
	unsigned int nr_targets;
	const struct task_struct *first;
	u64 gone[KNC_PMU_MAX_SET];
	u64 gone_running[KNC_PMU_MAX_SET];
	u64 gone_ticks;
	struct knc_pmu_page *page;
	struct knc_sampler **samplers;
};

/* rights.c */
int knc_follow_check(const struct knc_request *req,
		     struct knc_refusal *why);
struct pid *knc_follow_find(s32 pid, struct knc_refusal *why);

/* follow.c */
struct knc_follow *knc_follow_create(const struct knc_request *req,
				     const struct knc_layout *layout,
				     const struct knc_count *counts);
void knc_follow_destroy(struct knc_follow *f);
int knc_follow_attach(struct knc_follow *f, struct pid *pid);
void knc_follow_detach(struct knc_follow *f, bool keep);
int knc_follow_mmap(struct knc_follow *f, struct vm_area_struct *vma);

/* Under knc_claims_lock */
const struct knc_claim *knc_follow_holder(unsigned int counter);
const struct knc_claim *knc_follow_gated(void);
void knc_follow_taken(struct pid *pid, bool process,
		      const struct knc_claim **claims);

/* fill.c */
int knc_follow_fill(struct knc_follow *f);

/* sums.c */
void knc_follow_start(struct knc_follow *f);
void knc_follow_stop(struct knc_follow *f);
void knc_follow_reset(struct knc_follow *f);
void knc_follow_read(struct knc_follow *f, struct knc_pmu_thread *record,
		     bool timed);
long knc_follow_read_tasks(struct knc_follow *f, void __user *to, u64 size,
			   size_t record_size, bool timed);

/* probes.c */
void knc_follow_exit(void);

/* switch.c: on a hardware thread, interrupts off: whatever task runs is not counted there. */
void knc_task_out(void);
/* There as well: the rate of the time stamp counter changes. */
void knc_task_times(struct knc_hwthread *hw);

#endif /* KNC_PMU_TASK_H */
