// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions to execute RDPMC in ring 3: sessions grant and revoke them
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "rdpmc/forks.h"
#include "rdpmc/grants.h"
#include "rdpmc/hide.h"
#include "rdpmc/perf.h"
#include "rdpmc/permissions.h"
#include "rdpmc/private.h"

#define KNC_GRANTOR_BITS	8

static struct list_head knc_grantors[1 << KNC_GRANTOR_BITS];

/* Task work of knc_rdpmc_grant_exec(): how many run now, and whether any ever ran */
static atomic_t knc_nr_works;
static bool knc_works;

static struct list_head *knc_grantor_bucket(const void *owner)
{
	return &knc_grantors[hash_ptr((void *)owner, KNC_GRANTOR_BITS)];
}

/* Under knc_grants_lock; NULL: not found */
static struct knc_grantor *knc_grantor_find(const void *owner)
{
	struct knc_grantor *from;

	list_for_each_entry(from, knc_grantor_bucket(owner), node)
		if (from->owner == owner)
			return from;
	return NULL;
}

/**
 * knc_rdpmc_open() - let the caller's session give permissions
 * @owner: the session
 * @pid: the process that configures it
 * @forks: children by fork inherit the permissions
 *
 * Undone by knc_rdpmc_close().
 *
 * Return: 0, or -ENOMEM.
 */
int knc_rdpmc_open(const void *owner, struct pid *pid, bool forks)
{
	struct knc_grant_user *user;
	struct knc_grantor *from;
	unsigned long flags;

	from = kzalloc(sizeof(*from), KNC_COMPAT_GFP_ACCOUNT);
	user = kzalloc(sizeof(*user), KNC_COMPAT_GFP_ACCOUNT);
	if (!from || !user) {
		kfree(from);
		kfree(user);
		return -ENOMEM;
	}
	from->owner = owner;
	from->pid = get_pid(pid);
	from->privileged = perfmon_capable();
	from->forks = forks;
	INIT_LIST_HEAD(&from->grants);
	user->uid = knc_compat_payer();
	INIT_LIST_HEAD(&user->grants);
	knc_hide_begin();
	spin_lock_irqsave(&knc_grants_lock, flags);
	user = knc_grant_user_get(from, user);
	list_add(&from->node, knc_grantor_bucket(owner));
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	kfree(user);
	return 0;
}

/* Under knc_grants_lock: check the quota and give @g. @dead: permissions of ended processes, out */
static int knc_grant_link_new(struct knc_grant *g, const void *owner,
			      struct list_head *dead)
{
	struct knc_grantor *from = knc_grantor_find(owner);
	int err;

	/* the session is being closed */
	if (!from)
		return -ESRCH;
	if (!from->privileged && knc_private_has(g->mm))
		return -EACCES;
	err = knc_quota_reclaim(from->user, !from->privileged, dead);
	if (err)
		return err;
	if (knc_grant_nr(g->mm) >= KNC_PMU_MAX_GRANTS)
		return -EMFILE;
	knc_grant_link(g, from, from->user, !from->privileged);
	if (KNC_COMPAT_MM_RDPMC)
		atomic_inc(knc_compat_mm_rdpmc(g->mm));
	return 0;
}

static int knc_grant_add(struct knc_grant *g, const void *owner)
{
	unsigned long flags;
	LIST_HEAD(dead);
	int err;

	spin_lock_irqsave(&knc_grants_lock, flags);
	err = knc_grant_link_new(g, owner, &dead);
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	knc_grants_free(&dead);
	return err;
}

/*
 * After knc_rdpmc_reload() the caller can execute RDPMC, unless perf's setting (rdpmc of the PMU in
 * sysfs) is 0. If the setting was 0 at the takeover, perf's dirty counters are still marked: the
 * kernel would later set them to 0.
 */
static int knc_rdpmc_check(void)
{
	if (!KNC_COMPAT_MM_RDPMC)
		return 0;
	if (!knc_takeover_saw_rdpmc() || !(knc_hw_read_cr4() & KNC_CR4_PCE))
		return -EOPNOTSUPP;
	return 0;
}

/**
 * knc_rdpmc_grant() - let the calling process execute RDPMC
 * @owner: the session that gives the permission
 *
 * Return: 0: all threads of the process can execute RDPMC now; -ENOMEM; -EMFILE: the process has
 * permissions of too many sessions; -EDQUOT: this user's sessions have given too many permissions;
 * -ENFILE: all sessions together have given too many; -EACCES: the process could read private
 * counts of a privileged session; -EOPNOTSUPP: perf's setting forbids RDPMC, close the session.
 */
int knc_rdpmc_grant(const void *owner)
{
	struct knc_grant *g;
	int err;

	g = knc_grant_alloc(current->mm, KNC_COMPAT_GFP_ACCOUNT);
	if (!g)
		return -ENOMEM;
	err = knc_grant_add(g, owner);
	if (err) {
		knc_grant_free(g);
		return err;
	}
	knc_rdpmc_reload(current->mm);
	return knc_rdpmc_check();
}

/* Under knc_grants_lock: takes effect with the next knc_rdpmc_reload() */
static void knc_grant_revoke(struct knc_grant *g, struct list_head *revoked)
{
	if (KNC_COMPAT_MM_RDPMC)
		atomic_dec(knc_compat_mm_rdpmc(g->mm));
	knc_grant_unlink(g, revoked);
}

/**
 * knc_rdpmc_try() - could a program that is executed later get the permission?
 * @owner: the session that will give it
 *
 * The caller gets the permission for a moment.
 *
 * Return: 0, or an errno as knc_rdpmc_grant().
 */
int knc_rdpmc_try(const void *owner)
{
	struct knc_grant *g;
	unsigned long flags;
	LIST_HEAD(revoked);
	int err;

	if (!KNC_COMPAT_MM_RDPMC)
		return 0;
	g = knc_grant_alloc(current->mm, KNC_COMPAT_GFP_ACCOUNT);
	if (!g)
		return -ENOMEM;
	err = knc_grant_add(g, owner);
	if (err) {
		knc_grant_free(g);
		return err;
	}
	knc_rdpmc_reload(current->mm);
	err = knc_rdpmc_check();
	spin_lock_irqsave(&knc_grants_lock, flags);
	knc_grant_revoke(g, &revoked);
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	knc_rdpmc_reload(current->mm);
	knc_grants_free(&revoked);
	return err;
}

/*
 * A reference to the module keeps this function loaded until it runs. After it has dropped this
 * reference, knc_rdpmc_exit() waits for it by @knc_nr_works.
 */
static void knc_grant_work(struct callback_head *work)
{
	atomic_inc(&knc_nr_works);
	WRITE_ONCE(knc_works, true);
	module_put(THIS_MODULE);
	/* a task that was killed meanwhile has no mm */
	if (current->mm)
		knc_rdpmc_reload(current->mm);
	kfree(work);
	atomic_dec(&knc_nr_works);
}

/**
 * knc_rdpmc_grant_exec() - let the program that was just executed use RDPMC
 * @owner: the session that gives the permission
 *
 * Called by a tracepoint, which must not sleep: task work makes the permission take effect before
 * the program's first instruction.
 *
 * Return: 0, or a negative errno.
 */
int knc_rdpmc_grant_exec(const void *owner)
{
	struct callback_head *work;
	struct knc_grant *g;
	int err = -ENOMEM;

	work = kzalloc(sizeof(*work), KNC_COMPAT_GFP_ATOMIC);
	if (!work)
		return -ENOMEM;
	g = knc_grant_alloc(current->mm, KNC_COMPAT_GFP_ATOMIC);
	if (!g)
		goto err_work;
	/* the session may be closed before the work runs */
	__module_get(THIS_MODULE);
	err = knc_compat_task_work(work, knc_grant_work);
	if (err)
		goto err_grant;
	err = knc_grant_add(g, owner);
	/* the work stays queued: without the permission it is harmless */
	if (err)
		knc_grant_free(g);
	return err;

err_grant:
	module_put(THIS_MODULE);
	knc_grant_free(g);
err_work:
	kfree(work);
	return err;
}

/* Under knc_grants_lock: revoke all permissions of a session. */
static void knc_grantor_revoke(struct knc_grantor *from,
			       struct list_head *revoked)
{
	struct knc_grant *g, *next;

	list_for_each_entry_safe(g, next, &from->grants, session)
		knc_grant_revoke(g, revoked);
}

/* Make the revocation take effect on CPUs that run the processes, and free the permissions. */
static void knc_grants_finish_revoke(struct list_head *revoked)
{
	struct knc_grant *g;

	list_for_each_entry(g, revoked, session) {
		if (!atomic_read(&g->mm->mm_users) || knc_rdpmc_try_reload(g->mm))
			continue;
		/* after a timeout reload all at once: thousands of timeouts would take too long */
		knc_rdpmc_reload_all();
		break;
	}
	knc_grants_free(revoked);
}

/**
 * knc_rdpmc_close() - undo knc_rdpmc_open(), and revoke all permissions
 * @owner: the session; nothing is done if it was not opened
 *
 * On return the permissions have no effect any more, and the session can't give new ones.
 */
void knc_rdpmc_close(const void *owner)
{
	struct knc_grant_user *user = NULL;
	struct knc_grantor *from;
	unsigned long flags;
	LIST_HEAD(revoked);

	spin_lock_irqsave(&knc_grants_lock, flags);
	from = knc_grantor_find(owner);
	if (from) {
		knc_grantor_revoke(from, &revoked);
		list_del(&from->node);
		user = knc_grant_user_put(from->user);
	}
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	knc_grants_finish_revoke(&revoked);
	if (!from)
		return;
	knc_hide_end();
	put_pid(from->pid);
	kfree(from);
	kfree(user);
}

/**
 * knc_rdpmc_init() - initialize grants, quota and takeover
 * @loader: the mm of the process that loads the module
 */
void knc_rdpmc_init(struct mm_struct *loader)
{
	knc_grant_init();
	knc_permissions_init_buckets(knc_grantors, ARRAY_SIZE(knc_grantors));
	knc_quota_init();
	knc_reload_init();
	knc_takeover_init(loader);
}

/*
 * The module is being removed. There is no session, but a task may still be in knc_grant_work()
 * after its exec.
 */
void knc_rdpmc_exit(void)
{
	knc_takeover_exit();
	while (atomic_read(&knc_nr_works))
		schedule_timeout_uninterruptible(1);
	if (knc_works)
		knc_compat_sync_tasks();
	knc_forks_exit();
	knc_reload_exit();
}
