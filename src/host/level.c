// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that read levels, the bytes of an L3 with their RMID: CONFIG, START, STOP, READ, close
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "host/level-tasks.h"
#include "host/level.h"
#include "host/rmid.h"
#include "pmu/cmt.h"
#include "request/refusal.h"
#include "request/request.h"
#include "task/task.h"

/* All levels, under knc_levels_lock. "Both locks" below: knc_levels_lock, the hotplug lock. */
static LIST_HEAD(knc_levels);

/* resctrl's file system, built in or absent (NULL): never a module, needs no reference */
static struct file_system_type *knc_resctrl;

static bool knc_level_exists(void)
{
	return pmu_cmt.nr_rmids;
}

static void knc_level_init(void)
{
	if (!pmu_cmt_probe())
		knc_resctrl = get_fs_type("resctrl");
}

/* resctrl uses the same registers without reserving them, but only while it is mounted. */
static bool knc_resctrl_is_mounted(void)
{
	return knc_resctrl && !hlist_empty(&knc_resctrl->fs_supers);
}

static void knc_level_describe(struct knc_pmu_desc *desc)
{
	desc->id = KNC_LEVEL_PMU;
	desc->scope = KNC_PMU_SCOPE_L3;
	desc->features = KNC_PMU_FEATURE_LEVELS | KNC_PMU_FEATURE_THREADS |
			 KNC_PMU_FEATURE_TASKS;
	/* RMID 0 is for all tasks without an RMID of their own */
	desc->nr_counters = pmu_cmt.nr_rmids - 1;
	desc->unit = pmu_cmt.factor;
	desc->size = pmu_cmt.l3_size;
	strscpy(desc->name, "cmt", sizeof(desc->name));
}

static int knc_level_check_event(const struct knc_event *e, struct knc_refusal *why)
{
	const u32 rings = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;

	why->reason = KNC_PMU_REASON_LEVEL_SAMPLING;
	if (e->flags & (KNC_PMU_EVENT_SAMPLE | KNC_PMU_EVENT_FREQ) || e->sample_period)
		return -EOPNOTSUPP;
	why->reason = KNC_PMU_REASON_EVENT_NONE;
	if (e->event != PMU_CMT_OCCUPANCY)
		return -EINVAL;
	why->reason = KNC_PMU_REASON_EVENT_FLAGS;
	/* ring 0 and ring 3 can't be told apart: a line has the RMID of the task in both */
	if (e->extra || e->counters || e->cmask || e->group ||
	    (e->flags && e->flags != rings))
		return -EINVAL;
	why->reason = KNC_PMU_REASON_NONE;
	return 0;
}

#define KNC_LEVEL_FLAGS							\
	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT |	\
	 KNC_PMU_CONFIG_PIDS)

static int knc_level_check_flags(const struct knc_request *req, struct knc_refusal *why)
{
	const u32 tasks = KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT;
	bool task = req->flags & KNC_PMU_CONFIG_TASK;

	if (req->flags & KNC_PMU_CONFIG_RDPMC) {
		why->reason = KNC_PMU_REASON_RDPMC;
		return -EOPNOTSUPP;
	}
	if (req->flags & KNC_PMU_CONFIG_ON_EXEC) {
		why->reason = KNC_PMU_REASON_TASK_KERNEL;
		return -EOPNOTSUPP;
	}
	if (req->flags & ~KNC_LEVEL_FLAGS)
		return -EINVAL;
	if (task ? !!req->cpus : req->pid || req->flags & tasks) {
		why->reason = KNC_PMU_REASON_TASK_FLAGS;
		return -EINVAL;
	}
	return 0;
}

/**
 * knc_level_check() - the checks that need only the request for a level
 * @req: the request
 * @why: the reason of a refusal, out
 *
 * Return: 0, or an errno of KNC_PMU_IOC_CONFIG.
 */
int knc_level_check(const struct knc_request *req, struct knc_refusal *why)
{
	int err;

	/* RMIDs are scarce, and a task's share of a cache reveals what other tasks do */
	if (!perfmon_capable())
		return -EPERM;
	if (req->sample_interval || req->max_frames || req->ring_size || req->watermark) {
		why->reason = KNC_PMU_REASON_LEVEL_SAMPLING;
		return -EOPNOTSUPP;
	}
	err = knc_level_check_event(&req->events[0], why);
	if (!err && req->nr_events > 1) {
		why->reason = KNC_PMU_REASON_SET_GROUP;
		why->event = 1;
		err = -EINVAL;
	}
	return err ? err : knc_level_check_flags(req, why);
}

static void knc_level_sync_here(void *info)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	if (c->online)
		knc_rmid_load(c, knc_level_rmid_for(c, current));
}

void knc_level_sync(void)
{
	on_each_cpu(knc_level_sync_here, NULL, true);
}

/* Under both locks: load the RMID on the hardware threads (START), or take it off them (STOP). */
static void knc_level_put_on(struct knc_level *l, bool on)
{
	u64 now = ktime_get_ns();
	unsigned int cpu;

	if (l->started == on)
		return;
	l->enabled += on ? 0 : now - l->began;
	l->began = on ? now : 0;
	WRITE_ONCE(l->started, on);
	for_each_cpu(cpu, l->cpus)
		per_cpu(knc_rmid_cpus, cpu).own = on ? l->rmid : 0;
	knc_level_sync();
}

/* Under both locks: refuse a hardware thread that another level has; it can have one RMID only */
static int knc_level_check_cpus(const struct knc_request *req, struct knc_refusal *why)
{
	const struct knc_level *l;
	unsigned int cpu;

	if (!req->cpus)
		return 0;
	for_each_cpu(cpu, req->cpus) {
		if (!cpu_online(cpu)) {
			why->reason = KNC_PMU_REASON_CPU_OFFLINE;
			why->cpu = cpu;
			return -ENXIO;
		}
		list_for_each_entry(l, &knc_levels, node) {
			if (!cpumask_test_cpu(cpu, l->cpus))
				continue;
			why->reason = KNC_PMU_REASON_RMID_BUSY;
			why->cpu = cpu;
			why->pid = pid_vnr(l->pid);
			return -EBUSY;
		}
	}
	return 0;
}

static int knc_level_get_rmid(struct knc_level *l, struct knc_refusal *why)
{
	int err = knc_rmid_get(&l->rmid);

	if (!err)
		return 0;
	why->reason = err == -EAGAIN ? KNC_PMU_REASON_RMID_DIRTY : KNC_PMU_REASON_RMID_NONE;
	return -EBUSY;
}

/* READ has a record for each L3 of the hardware threads; for tasks, which migrate, for every L3 */
static void knc_level_find_leaders(struct knc_level *l)
{
	unsigned int cpu;

	for_each_cpu(cpu, knc_level_has_tasks(l) ? cpu_online_mask : l->cpus)
		cpumask_set_cpu(knc_rmid_leader(cpu), l->leaders);
}

/* Add the task, or the process, with pid @nr to those that the session follows. */
static int knc_level_find_task(struct knc_level *l, s32 nr, struct knc_refusal *why)
{
	struct pid *pid = knc_follow_find(nr, l->flags & KNC_PMU_CONFIG_PROCESS, why);
	int err;

	if (IS_ERR(pid))
		return PTR_ERR(pid);
	err = knc_level_follow(l, pid, &why->pid);
	put_pid(pid);
	if (err == -ESRCH)
		why->reason = KNC_PMU_REASON_TASK_NONE;
	if (err == -EBUSY)
		why->reason = KNC_PMU_REASON_RMID_BUSY;
	return err;
}

/* Follow all tasks of the request. After an error none is followed. */
static int knc_level_find_tasks(struct knc_level *l, const struct knc_request *req,
				struct knc_refusal *why)
{
	const s32 *pids = req->nr_pids ? req->pids : &req->pid;
	unsigned int i, nr = req->nr_pids ? req->nr_pids : 1;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		err = knc_level_find_task(l, pids[i], why);
		why->other = i;
	}
	if (err)
		knc_level_unfollow(l);
	return err;
}

/* Under both locks: all of CONFIG that depends on other levels */
static int knc_level_claim(struct knc_level *l, const struct knc_request *req,
			   struct knc_refusal *why)
{
	int err;

	if (knc_resctrl_is_mounted()) {
		why->reason = KNC_PMU_REASON_RESCTRL;
		return -EBUSY;
	}
	err = knc_level_check_cpus(req, why);
	if (err)
		return err;
	knc_rmids_open();
	err = knc_level_get_rmid(l, why);
	if (err) {
		knc_rmids_close();
		return err;
	}
	if (req->cpus)
		cpumask_copy(l->cpus, req->cpus);
	knc_level_find_leaders(l);
	if (knc_level_has_tasks(l))
		err = knc_level_find_tasks(l, req, why);
	if (!err) {
		list_add_tail(&l->node, &knc_levels);
		return 0;
	}
	knc_rmid_put(l->rmid);
	knc_rmids_close();
	return err;
}

static void knc_level_rcu(struct rcu_head *rcu)
{
	struct knc_level *l = container_of(rcu, struct knc_level, rcu);

	put_pid(l->pid);
	free_cpumask_var(l->leaders);
	free_cpumask_var(l->cpus);
	kfree(l);
}

/* Running probes may still read the struct itself, therefore RCU frees it. */
static void knc_level_free(struct knc_level *l)
{
	kvfree(l->records);
	call_rcu(&l->rcu, knc_level_rcu);
}

static struct knc_level *knc_level_alloc(void)
{
	struct knc_level *l = kzalloc(sizeof(*l), KNC_COMPAT_GFP_ACCOUNT);

	if (!l)
		return NULL;
	INIT_LIST_HEAD(&l->tasks);
	l->pid = get_pid(task_tgid(current));
	/* after a failure each of the two is NULL or allocated: both can be freed */
	if (!zalloc_cpumask_var(&l->cpus, KNC_COMPAT_GFP_ACCOUNT) ||
	    !zalloc_cpumask_var(&l->leaders, KNC_COMPAT_GFP_ACCOUNT))
		goto err;
	l->records = kvcalloc(num_possible_cpus(), KNC_PMU_THREAD_SIZE(1),
			      KNC_COMPAT_GFP_ACCOUNT);
	if (l->records)
		return l;
err:
	knc_level_free(l);
	return NULL;
}

/**
 * knc_level_open() - claim an RMID for hardware threads or tasks
 * @req: CONFIG's request, checked by knc_level_check()
 * @why: the reason of a refusal, out
 *
 * Return: the level, stopped, or an error pointer with an errno of KNC_PMU_IOC_CONFIG.
 */
void *knc_level_open(const struct knc_request *req, struct knc_refusal *why)
{
	struct knc_level *l = knc_level_alloc();
	int err;

	if (!l)
		return ERR_PTR(-ENOMEM);
	l->flags = req->flags;
	/* before the hotplug lock: the kernel takes this lock to enable a tracepoint */
	err = knc_level_has_tasks(l) ? knc_level_probes_get() : 0;
	if (!err) {
		cpus_read_lock();
		mutex_lock(&knc_levels_lock);
		err = knc_level_claim(l, req, why);
		mutex_unlock(&knc_levels_lock);
		cpus_read_unlock();
		if (err && knc_level_has_tasks(l))
			knc_level_probes_put();
	}
	if (!err)
		return l;
	knc_level_free(l);
	return ERR_PTR(err);
}

/* Under both locks: stop, and give back the tasks and the RMID */
static void knc_level_leave(struct knc_level *l)
{
	if (l->lost)
		return;
	knc_level_put_on(l, false);
	knc_level_unfollow(l);
	list_del_init(&l->node);
	knc_rmid_put(l->rmid);
	knc_rmids_close();
	l->lost = true;
}

void knc_level_close(void *has)
{
	struct knc_level *l = has;

	cpus_read_lock();
	mutex_lock(&knc_levels_lock);
	knc_level_leave(l);
	mutex_unlock(&knc_levels_lock);
	cpus_read_unlock();
	if (knc_level_has_tasks(l))
		knc_level_probes_put();
	knc_level_free(l);
}

/* Under both locks: is the RMID still ours? Give it up for good if resctrl was mounted. */
static int knc_level_ready(struct knc_level *l)
{
	if (l->lost)
		return -ECANCELED;
	if (!knc_resctrl_is_mounted())
		return 0;
	knc_level_leave(l);
	return -EBUSY;
}

/* START and STOP */
int knc_level_run(void *has, bool run)
{
	struct knc_level *l = has;
	int err;

	cpus_read_lock();
	mutex_lock(&knc_levels_lock);
	err = knc_level_ready(l);
	if (!err)
		knc_level_put_on(l, run);
	mutex_unlock(&knc_levels_lock);
	cpus_read_unlock();
	return err;
}

/* A level is the present state of a cache: there is nothing to reset. */
static int knc_level_reset(void *has, bool registers)
{
	return -EOPNOTSUPP;
}

static void knc_level_put_times(const struct knc_level *l, u64 now,
				struct knc_pmu_thread *record)
{
	record->time = now;
	record->time_enabled = l->enabled + (l->started ? now - l->began : 0);
	record->time_running = record->time_enabled;
}

/* Has another program written the RMID of one of the level's hardware threads on this L3? */
static bool knc_level_is_taken(const struct knc_level *l, unsigned int leader)
{
	unsigned int cpu;

	for_each_cpu(cpu, knc_level_has_tasks(l) ? cpu_online_mask : l->cpus)
		if (knc_rmid_leader(cpu) == leader &&
		    READ_ONCE(per_cpu(knc_rmid_cpus, cpu).taken))
			return true;
	return false;
}

/* If @now is 0, the record's times are left 0. */
static void knc_level_read_one(const struct knc_level *l, unsigned int leader, u64 now,
			       struct knc_pmu_thread *record)
{
	int err;

	memset(record, 0, KNC_PMU_THREAD_SIZE(1));
	record->cpu = leader;
	record->nr_events = 1;
	if (now)
		knc_level_put_times(l, now, record);
	err = knc_rmid_read(leader, l->rmid, &record->value[0]);
	if (err == -ENXIO)
		record->flags |= KNC_PMU_THREAD_OFFLINE;
	else if (err == -EAGAIN)
		record->flags |= KNC_PMU_THREAD_UNAVAILABLE;
	else if (err)
		record->flags |= KNC_PMU_THREAD_ERROR;
	if (l->partial || knc_level_is_taken(l, leader))
		record->flags |= KNC_PMU_THREAD_PARTIAL;
	if (knc_level_has_tasks(l) && list_empty(&l->tasks))
		record->flags |= KNC_PMU_THREAD_ENDED;
}

/* Under both locks: fill in all records; returns their number or an errno */
static int knc_level_read_all(struct knc_level *l, u32 flags)
{
	u64 now = flags & KNC_PMU_READ_COUNTS ? 0 : ktime_get_ns();
	void *record = l->records;
	unsigned int leader;
	int err, nr = 0;

	err = knc_level_ready(l);
	if (err)
		return err;
	knc_rmids_check(knc_level_has_tasks(l) ? cpu_online_mask : l->cpus);
	for_each_cpu(leader, l->leaders) {
		knc_level_read_one(l, leader, now, record);
		record += KNC_PMU_THREAD_SIZE(1);
		nr++;
	}
	if (flags & (KNC_PMU_READ_STOP | KNC_PMU_READ_START))
		knc_level_put_on(l, flags & KNC_PMU_READ_START);
	return nr;
}

/**
 * knc_level_read() - how much of each L3 belongs to the RMID
 * @has: the level
 * @size: bytes that the reader has room for
 * @flags: KNC_PMU_READ_*, already checked for contradictions
 * @records: one record for each L3, out; the next call overwrites them
 * @needed: size of the records in bytes, out
 *
 * Return: the number of records; -ENOSPC: @size is too small; -EINVAL: KNC_PMU_READ_TASKS;
 * -EBUSY: resctrl was mounted; -ECANCELED: an earlier call has returned -EBUSY.
 */
int knc_level_read(void *has, u64 size, u32 flags, const void **records, size_t *needed)
{
	struct knc_level *l = has;
	int nr;

	*records = l->records;
	*needed = cpumask_weight(l->leaders) * KNC_PMU_THREAD_SIZE(1);
	if (flags & KNC_PMU_READ_TASKS)
		return -EINVAL;
	if (size < *needed)
		return -ENOSPC;
	cpus_read_lock();
	mutex_lock(&knc_levels_lock);
	nr = knc_level_read_all(l, flags);
	mutex_unlock(&knc_levels_lock);
	cpus_read_unlock();
	return nr;
}

/* Called on the hardware thread itself, interrupts off */
static void knc_level_suspend(void)
{
	knc_rmid_offline();
}

static void knc_level_resume(void)
{
	knc_rmid_online();
	knc_level_sync_here(NULL);
}

static void knc_level_online_here(void *info)
{
	knc_rmid_came();
	knc_level_resume();
}

/* A hardware thread came online; the hotplug lock is held */
void knc_level_online(unsigned int cpu)
{
	mutex_lock(&knc_levels_lock);
	smp_call_function_single(cpu, knc_level_online_here, NULL, true);
	knc_rmid_mark_found(cpu);
	mutex_unlock(&knc_levels_lock);
}

static void knc_level_offline_here(void *info)
{
	knc_level_suspend();
}

/* @cpu goes offline. Until 5.10 it is offline already, and has called knc_level_suspend(). */
void knc_level_offline(unsigned int cpu)
{
	smp_call_function_single(cpu, knc_level_offline_here, NULL, true);
}

const struct knc_host_pmu knc_level_pmu = {
	.id		= KNC_LEVEL_PMU,
	.follows	= true,
	.exists		= knc_level_exists,
	.init		= knc_level_init,
	.describe	= knc_level_describe,
	.check		= knc_level_check,
	.open		= knc_level_open,
	.close		= knc_level_close,
	.run		= knc_level_run,
	.reset		= knc_level_reset,
	.read		= knc_level_read,
	.online		= knc_level_online,
	.offline	= knc_level_offline,
	.suspend	= knc_level_suspend,
	.resume		= knc_level_resume,
};
