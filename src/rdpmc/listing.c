// SPDX-License-Identifier: GPL-2.0
/*
 * List the processes that may execute RDPMC
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sort.h>

#include <knc_pmu.h>

#include "compat/compat.h"
#include "rdpmc/grants.h"
#include "rdpmc/permissions.h"

static bool knc_may_see(struct task_struct *p, bool all)
{
	return all || uid_eq(task_uid(p), current_uid());
}

/* Under RCU: one permission of process @p, or NULL */
static struct knc_grant *knc_grant_of(struct task_struct *p)
{
	const struct mm_struct *mm = knc_permissions_mm(p, knc_grant_may_exist);
	struct knc_grant *g;

	if (!mm)
		return NULL;
	list_for_each_entry_rcu(g, knc_grant_bucket(mm), node)
		if (g->mm == mm)
			return g;
	return NULL;
}

/*
 * List up to @room processes: @all, or those of the caller's user. Returns how many there are,
 * which may be more than @room.
 */
static u64 knc_grants_collect(struct knc_pmu_grant *list, u64 room, bool all)
{
	struct task_struct *p;
	struct knc_grant *g;
	pid_t pid;
	u64 nr = 0;

	rcu_read_lock();
	for_each_process(p) {
		pid = task_pid_vnr(p);
		if (pid <= 0 || p->flags & PF_KTHREAD || !knc_may_see(p, all))
			continue;
		g = knc_grant_of(p);
		if (!g)
			continue;
		if (nr < room) {
			list[nr].pid = pid;
			list[nr].session_pid = pid_vnr(g->pid);
		}
		nr++;
	}
	rcu_read_unlock();
	return nr;
}

static int knc_grant_cmp(const void *a, const void *b)
{
	const struct knc_pmu_grant *left = a, *right = b;

	return left->pid < right->pid ? -1 : left->pid > right->pid;
}

/**
 * knc_rdpmc_list() - list the processes with RDPMC that the caller may see
 * @list: the list, sorted by pid, for kvfree(), out; NULL: only count them
 *
 * Return: the number of processes; -ENOMEM; -EINTR: the caller is being killed.
 * After an error there is no list.
 */
int knc_rdpmc_list(struct knc_pmu_grant **list)
{
	struct knc_pmu_grant *grants = NULL;
	/* not perfmon_capable(), which makes an entry in the audit log: nothing is refused here */
	bool all = knc_compat_is_perfmon();
	u64 room, nr = knc_grants_collect(NULL, 0, all);

	if (!list)
		return nr;
	/* repeat if more processes got a permission while the list was allocated */
	do {
		kvfree(grants);
		room = nr + 16;
		grants = kvcalloc(room, sizeof(*grants), KNC_COMPAT_GFP_ACCOUNT);
		if (!grants)
			return -ENOMEM;
		nr = knc_grants_collect(grants, room, all);
	} while (nr > room && !fatal_signal_pending(current));
	if (nr > room) {
		kvfree(grants);
		return -EINTR;
	}
	sort(grants, nr, sizeof(*grants), knc_grant_cmp, NULL);
	*list = grants;
	return nr;
}
