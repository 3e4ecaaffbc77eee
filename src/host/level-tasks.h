/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A level and its tasks: declarations that the files of this folder share
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
 * @node: in the list of all levels
 * @rmid: its RMID
 * @flags: KNC_PMU_CONFIG_* of TASK, PROCESS, INHERIT
 * @started: the RMID is, or will be, on its hardware threads or tasks
 * @lost: resctrl was mounted, and the level gave its RMID back
 * @partial: there was no memory to follow one of the new threads
 * @cpus: its hardware threads; empty if it follows tasks
 * @leaders: the leader of each L3 for which READ has a record
 * @began: time of the last START, ns; 0 while stopped
 * @enabled: ns for which it had been started before @began
 * @pid: the process that configured it
 * @tasks: its tasks, struct knc_level_task
 * @records: the answer of READ
 * @rcu: a probe may still use the struct after its tasks were removed
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

/* level-tasks.c: the RMID of the task, or else that of the hardware thread; interrupts off */
u32 knc_level_rmid_for(const struct knc_rmid_cpu *c, const struct task_struct *task);
/*
 * Add the task @pid, or all threads of the process @pid. Returns 0, -ESRCH, -ENOMEM, or -EBUSY if
 * another level has one of these threads: @owner is then the process that configured this level.
 * After an error the caller calls knc_level_unfollow().
 */
int knc_level_follow(struct knc_level *l, struct pid *pid, s32 *owner);
void knc_level_unfollow(struct knc_level *l);
/* Called once for each level with tasks, without other locks */
int knc_level_probes_get(void);
void knc_level_probes_put(void);

/* level.c: load the RMID of the running task, or else the thread's, on all hardware threads */
void knc_level_sync(void);

#endif /* KNC_HOST_LEVEL_TASKS_H */
