/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A level and its tasks: what the files of this folder share
 */
#ifndef KNC_HOST_LEVEL_TASKS_H
#define KNC_HOST_LEVEL_TASKS_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "host/rmid.h"

struct pid;
struct task_struct;

/**
 * struct knc_level - what one session reads: hardware threads or tasks with one RMID
 * @node: in the list of all of them
 * @rmid: its RMID
 * @flags: KNC_PMU_CONFIG_* of TASK, PROCESS, INHERIT
 * @started: the RMID is, or will be, on its hardware threads or tasks
 * @lost: resctrl was mounted meanwhile: it has no RMID any more
 * @partial: a task is missing for lack of memory
 * @cpus: its hardware threads; of tasks none
 * @leaders: a hardware thread of each L3 that it has a record of
 * @began: when it was started, ns; 0: it is stopped
 * @enabled: ns before that
 * @pid: the process that configured it
 * @tasks: its tasks, struct knc_level_task
 * @records: the answer of READ
 * @rcu: probes may have found it just before it lost its tasks
 */
struct knc_level {
	struct list_head node;
	u32 rmid;
	u32 flags;
	bool started;
	bool lost;
	bool partial;
	cpumask_var_t cpus;
	cpumask_var_t leaders;
	u64 began;
	u64 enabled;
	struct pid *pid;
	struct list_head tasks;
	void *records;
	struct rcu_head rcu;
};

static inline bool knc_level_has_tasks(const struct knc_level *l)
{
	return l->flags & KNC_PMU_CONFIG_TASK;
}

/* tasks.c; the RMID for a task, interrupts off: its own, or that of the hardware thread */
u32 knc_level_rmid_for(const struct knc_rmid_cpu *c, const struct task_struct *task);
/*
 * @pid: a task, or a process with all of its threads; @owner: of -EBUSY: the process that has a
 * level with one of them. Returns 0, -ESRCH, -EBUSY, -ENOMEM. After an error the caller unfollows.
 */
int knc_level_follow(struct knc_level *l, struct pid *pid, s32 *owner);
void knc_level_unfollow(struct knc_level *l);
/* For each level with tasks, without other locks */
int knc_level_probes_get(void);
void knc_level_probes_put(void);

/* level.c: put on each hardware thread the RMID that belongs there now */
void knc_level_sync(void);

#endif /* KNC_HOST_LEVEL_TASKS_H */
