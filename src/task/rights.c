// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of CONFIG for sessions that follow tasks: combinations of flags, privileges, and whether
 * the caller may look at the task
 */
#include <linux/errno.h>
#include <linux/pid.h>

#include "compat/compat.h"
#include "request/policy.h"
#include "task/target.h"
#include "task/task.h"

#define KNC_TASK_FLAGS	(KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT | \
			 KNC_PMU_CONFIG_ON_EXEC | KNC_PMU_CONFIG_KEEP | \
			 KNC_PMU_CONFIG_SWITCHES)

static bool knc_events_privileged(const struct knc_request *req,
				  struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < req->nr_events; i++) {
		if (!(req->events[i].flags &
		      (KNC_PMU_EVENT_OS | KNC_PMU_EVENT_THREAD_MODE)))
			continue;
		why->event = i;
		return true;
	}
	return false;
}

/* Are there events that an unprivileged caller may not count? */
bool knc_follow_is_private(const struct knc_request *req)
{
	struct knc_refusal why;

	return knc_events_privileged(req, &why) || knc_policy_unprivileged(req, &why);
}

/**
 * knc_follow_check() - can and may tasks be followed as requested?
 * @req: the request of CONFIG; its events are legal
 * @why: the reason of a refusal, out
 *
 * Return: 0, -EINVAL, -EPERM or -EOPNOTSUPP.
 */
int knc_follow_check(const struct knc_request *req,
		     struct knc_refusal *why)
{
	if (!(req->flags & KNC_PMU_CONFIG_TASK)) {
		if (!req->pid && !(req->flags & KNC_TASK_FLAGS))
			return 0;
		why->reason = KNC_PMU_REASON_TASK_FLAGS;
		return -EINVAL;
	}
	if (req->cpus) {
		why->reason = KNC_PMU_REASON_TASK_FLAGS;
		return -EINVAL;
	}
	if (req->sample_interval) {
		why->reason = KNC_PMU_REASON_TASK_SAMPLING;
		return -EOPNOTSUPP;
	}
	if (req->flags & KNC_PMU_CONFIG_ON_EXEC && !KNC_COMPAT_TASK_WORK) {
		why->reason = KNC_PMU_REASON_TASK_KERNEL;
		return -EOPNOTSUPP;
	}
	if (perfmon_capable())
		return 0;
	/* without a probe of exec we could not stop following at a set-user-ID program */
	if (knc_events_privileged(req, why) || !KNC_COMPAT_TASK_WORK ||
	    req->flags & KNC_PMU_CONFIG_CHAIN_KERNEL) {
		why->reason = KNC_PMU_REASON_PRIVILEGE;
		return -EPERM;
	}
	return knc_policy_unprivileged(req, why);
}

/*
 * ptrace()'s conditions for an unprivileged caller, because ptrace_may_access() is not exported:
 * all user and group IDs are the caller's, the task has no capability that the caller lacks, and
 * its user may look at its program.
 */
static bool knc_same_rights(struct task_struct *task)
{
	const struct cred *own = current_cred();
	const struct cred *its;
	bool same;

	rcu_read_lock();
	its = __task_cred(task);
	same = uid_eq(own->uid, its->euid) && uid_eq(own->uid, its->suid) &&
	       uid_eq(own->uid, its->uid) && gid_eq(own->gid, its->egid) &&
	       gid_eq(own->gid, its->sgid) && gid_eq(own->gid, its->gid) &&
	       knc_compat_same_user_ns(own, its) &&
	       cap_issubset(its->cap_permitted, own->cap_permitted);
	rcu_read_unlock();
	return same && knc_compat_dumpable(task);
}

bool knc_follow_is_allowed(struct task_struct *task)
{
	return same_thread_group(task, current) || perfmon_capable() ||
	       (!knc_policy_self() && knc_same_rights(task));
}

static bool knc_is_alive(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_EXITING));
}

/* Under RCU. The first thread of a process may end long before the others. */
static struct task_struct *knc_living_thread(struct task_struct *process)
{
	struct task_struct *thread;

	for_each_thread(process, thread)
		if (knc_is_alive(thread))
			return thread;
	return NULL;
}

/* Under RCU: find the task that @pid means; NULL: it has ended */
static struct task_struct *knc_task_to_follow(struct pid *pid, bool process)
{
	struct task_struct *task = pid ? knc_task_of(pid) : NULL;

	if (task && !knc_is_alive(task) && process)
		task = knc_living_thread(task);
	return task && knc_is_alive(task) ? task : NULL;
}

/**
 * knc_follow_find() - find a task that the caller may follow
 * @nr: number of a thread in the caller's pid namespace; 0: the caller
 * @process: the whole process will be followed: if thread @nr has ended, take any other thread
 * @why: the reason of a refusal, out
 *
 * Return: its pid, for put_pid(), or an error pointer: -ESRCH or -EPERM.
 */
struct pid *knc_follow_find(s32 nr, bool process, struct knc_refusal *why)
{
	struct pid *found = NULL;
	struct task_struct *task;

	rcu_read_lock();
	task = knc_task_to_follow(nr ? find_vpid(nr) : task_pid(current), process);
	if (task)
		found = get_pid(task_pid(task));
	if (!found)
		why->reason = KNC_PMU_REASON_TASK_NONE;
	else if (!knc_follow_is_allowed(task))
		why->reason = knc_policy_self() ? KNC_PMU_REASON_SELF :
						  KNC_PMU_REASON_TASK_DENIED;
	rcu_read_unlock();
	if (why->reason == KNC_PMU_REASON_NONE)
		return found;
	put_pid(found);
	return ERR_PTR(why->reason == KNC_PMU_REASON_TASK_NONE ? -ESRCH : -EPERM);
}
