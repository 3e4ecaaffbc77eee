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
 * @node: in knc_follows
 * @flags: KNC_PMU_CONFIG_*
 * @claim: the initial claim of each task
 * @layout: the groups of the events
 * @counts: the initial count of each event
 * @cntrs: counters that sessions on hardware threads can't have meanwhile
 * @privileged: the session may follow programs that their user may not look at
 * @started: the tasks are counted
 * @executed: the exec that KNC_PMU_CONFIG_ON_EXEC waits for has happened
 * @partial: some task that should be followed is not
 * @evicted: no task is followed any more, see knc_follow_detach()
 * @process: with KNC_PMU_CONFIG_PROCESS: the process whose threads are followed
 * @filling: in knc_fillings while threads of @process are looked for
 * @lock: the session's
 * @cpus: hardware threads that run tasks of the session; under @lock
 * @targets: the target of each task
 * @nr_targets: number of @targets
 * @first: the task that CONFIG named; NULL: not followed any more
 * @gone: counts of the tasks that are not followed any more, for each event
 * @gone_running: time for which each event counted for them, ticks at tsc_khz
 * @gone_ticks: time for which they were counted, ticks at tsc_khz
 * @page: where the only task reads its own counts; NULL: no page
 * @samplers: the sampler on each possible hardware thread; NULL: no samples
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
	struct mutex *lock;	/* for @cpus; serializes commands */
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

/* switch.c: on the hardware thread, interrupts off */
void knc_task_out(void);
void knc_task_times(struct knc_hwthread *hw);

#endif /* KNC_PMU_TASK_H */
