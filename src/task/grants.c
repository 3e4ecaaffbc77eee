// SPDX-License-Identifier: GPL-2.0
/*
 * Who may execute RDPMC in ring 3
 *
 * A permission is a process's: its memory's (mm). Since Linux 4.0 the kernel sets
 * CR4.PCE when it switches to memory with a counter that is not 0, and clears it
 * when it switches to other memory; so that counter is all that is changed here, and
 * where the memory is in use the kernel is made to switch. CR4 itself is not
 * written: the kernel has a copy of it, by which it would not clear a bit again that
 * it did not set. Before 4.0 nothing touches the bit, and it is switched here.
 *
 * A process that forks gives the counter to its child, with all that it holds; a
 * program that is executed begins with 0.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include "compat/compat.h"
#include "pmu/hw.h"
#include "task/grants.h"

#define KNC_MM_BITS		10
#define KNC_GRANTOR_BITS	8
#define KNC_USER_BUCKETS	64

/* Permissions looked at for each one that is added: dead ones can't pile up */
#define KNC_PRUNE		2

/**
 * struct knc_grant_user - a user, who has a share of all permissions
 * @node: in a bucket of knc_users
 * @uid: the user
 * @nr_sessions: sessions of this user that give permissions
 * @nr: their permissions
 * @nr_shared: of them, those that count for the share
 * @grants: all permissions of this user's sessions; first the one that was looked at
 *	longest ago
 */
struct knc_grant_user {
	struct list_head node;
	kuid_t uid;
	unsigned int nr_sessions;
	unsigned int nr;
	unsigned int nr_shared;
	struct list_head grants;
};

/**
 * struct knc_grantor - a session that gives permissions
 * @node: in a bucket of knc_grantors
 * @owner: the session; never followed here
 * @pid: who configured it
 * @user: whose share its permissions use up
 * @privileged: they don't
 * @forks: a process that is forked has the permission as well
 * @grants: its permissions
 */
struct knc_grantor {
	struct list_head node;
	const void *owner;
	struct pid *pid;
	struct knc_grant_user *user;
	bool privileged;
	bool forks;
	struct list_head grants;
};

/**
 * struct knc_grant - one process has the permission of one session
 * @node: in a bucket of knc_mm_grants
 * @session: in those of its session; when it ends, of those that are not there any more
 * @user: in those of its user
 * @from: the session
 * @pid: who configured it
 * @mm: the process's memory; not in use any more if the process has ended
 * @rcu: frees it
 */
struct knc_grant {
	struct list_head node;
	struct list_head session;
	struct list_head user;
	struct knc_grantor *from;
	struct pid *pid;
	struct mm_struct *mm;
	struct rcu_head rcu;
};

/*
 * All written under the lock. No search goes through more than one bucket: what others
 * have does not make it longer. knc_rdpmc_switch() and GRANTS look at knc_mm_grants
 * without.
 */
static struct list_head knc_mm_grants[1 << KNC_MM_BITS];
static struct list_head knc_grantors[1 << KNC_GRANTOR_BITS];
static struct list_head knc_users[KNC_USER_BUCKETS];
static unsigned int knc_nr_grants;
static unsigned int knc_nr_shared;	/* of them, those that count for a share */
static DEFINE_SPINLOCK(knc_grants_lock);

/* The probes remain from the first use on: a fork may be under way at the last */
static DEFINE_MUTEX(knc_probes_lock);
static bool knc_probes;

/*
 * The memory of the process that loaded the module. Once that has ended nobody runs
 * there, and switching to it gives nobody the permission.
 */
static struct mm_struct *knc_loader_mm;

/* RDPMC could be permitted when the counters were taken over. Under the hotplug lock */
static bool knc_taken_over = true;
static atomic_t knc_not_permitted;

/* Work for programs that were executed: under way, and whether there ever was any */
static atomic_t knc_nr_works;
static bool knc_works;

static struct list_head *knc_mm_bucket(const struct mm_struct *mm)
{
	return &knc_mm_grants[hash_ptr((void *)mm, KNC_MM_BITS)];
}

static struct list_head *knc_grantor_bucket(const void *owner)
{
	return &knc_grantors[hash_ptr((void *)owner, KNC_GRANTOR_BITS)];
}

static struct list_head *knc_user_bucket(kuid_t uid)
{
	return &knc_users[__kuid_val(uid) % KNC_USER_BUCKETS];
}

/* Under the lock; NULL: there is none */

static struct knc_grantor *knc_grantor_find(const void *owner)
{
	struct knc_grantor *from;

	list_for_each_entry(from, knc_grantor_bucket(owner), node)
		if (from->owner == owner)
			return from;
	return NULL;
}

static struct knc_grant_user *knc_user_find(kuid_t uid)
{
	struct knc_grant_user *user;

	list_for_each_entry(user, knc_user_bucket(uid), node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/* Under the lock: @user, or the one there is of that user; returns what is to be freed */
static struct knc_grant_user *knc_user_get(struct knc_grantor *from,
					   struct knc_grant_user *user)
{
	struct knc_grant_user *old = knc_user_find(user->uid);

	from->user = old ?: user;
	from->user->nr_sessions++;
	if (old)
		return user;
	list_add(&user->node, knc_user_bucket(user->uid));
	return NULL;
}

/* Under the lock; returns what is to be freed */
static struct knc_grant_user *knc_user_put(struct knc_grant_user *user)
{
	if (--user->nr_sessions)
		return NULL;
	list_del(&user->node);
	return user;
}

/**
 * knc_rdpmc_open() - a session will give permissions, that the caller configures
 * @owner: the session
 * @pid: who configured it
 * @forks: processes that are forked have them as well
 *
 * knc_rdpmc_close() must be called for it.
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
	spin_lock_irqsave(&knc_grants_lock, flags);
	user = knc_user_get(from, user);
	list_add(&from->node, knc_grantor_bucket(owner));
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	kfree(user);
	return 0;
}

static struct knc_grant *knc_grant_alloc(struct mm_struct *mm, gfp_t gfp)
{
	struct knc_grant *g = kzalloc(sizeof(*g), gfp);

	if (!g)
		return NULL;
	g->mm = mm;
	mmgrab(mm);
	return g;
}

/* Who lists them looks at the pid. */
static void knc_grant_rcu(struct rcu_head *rcu)
{
	struct knc_grant *g = container_of(rcu, struct knc_grant, rcu);

	put_pid(g->pid);
	kfree(g);
}

static void knc_grant_free(struct knc_grant *g)
{
	mmdrop(g->mm);
	call_rcu(&g->rcu, knc_grant_rcu);
}

static void knc_grants_free(struct list_head *grants)
{
	struct knc_grant *g, *next;

	list_for_each_entry_safe(g, next, grants, session)
		knc_grant_free(g);
}

/*
 * Under the lock: what is to be done at every fork is bounded. Sessions of one process
 * that need the permission are few.
 */
static unsigned int knc_mm_nr_grants(const struct mm_struct *mm)
{
	struct knc_grant *g;
	unsigned int nr = 0;

	list_for_each_entry(g, knc_mm_bucket(mm), node)
		nr += g->mm == mm;
	return nr;
}

/* Under the lock */

static void knc_grant_link(struct knc_grant *g, struct knc_grantor *from)
{
	g->from = from;
	g->pid = get_pid(from->pid);
	list_add_rcu(&g->node, knc_mm_bucket(g->mm));
	list_add(&g->session, &from->grants);
	list_add_tail(&g->user, &from->user->grants);
	from->user->nr++;
	knc_nr_grants++;
	if (from->privileged)
		return;
	from->user->nr_shared++;
	knc_nr_shared++;
}

static void knc_grant_unlink(struct knc_grant *g, struct list_head *gone)
{
	list_del_rcu(&g->node);
	list_move(&g->session, gone);
	list_del(&g->user);
	g->from->user->nr--;
	knc_nr_grants--;
	if (g->from->privileged)
		return;
	g->from->user->nr_shared--;
	knc_nr_shared--;
}

/* Of @max permissions of a user, those of processes that have ended go to @dead. */
static void knc_user_prune(struct knc_grant_user *user, unsigned int max,
			   struct list_head *dead)
{
	struct knc_grant *g, *next;

	max = min(max, user->nr);
	list_for_each_entry_safe(g, next, &user->grants, user) {
		if (!max--)
			return;
		/* this one was looked at last */
		if (atomic_read(&g->mm->mm_users))
			list_move_tail(&g->user, &user->grants);
		else
			knc_grant_unlink(g, dead);
	}
}

static void knc_users_prune(struct list_head *dead)
{
	struct knc_grant_user *user;
	unsigned int i;

	for (i = 0; i < KNC_USER_BUCKETS; i++)
		list_for_each_entry(user, &knc_users[i], node)
			knc_user_prune(user, user->nr, dead);
}

/*
 * May @from give one more? Users without privilege have a share each, and together
 * leave one.
 */
static int knc_grant_room(const struct knc_grantor *from)
{
	if (knc_nr_grants >= KNC_PMU_MAX_ALL_GRANTS)
		return -ENFILE;
	if (from->privileged)
		return 0;
	if (from->user->nr_shared >= KNC_PMU_MAX_USER_GRANTS)
		return -EDQUOT;
	return knc_nr_shared < KNC_PMU_MAX_ALL_GRANTS - KNC_PMU_MAX_USER_GRANTS ?
	       0 : -ENFILE;
}

/* The same, with @dead out of the way; nearly always there is room. */
static int knc_grant_make_room(struct knc_grantor *from, struct list_head *dead)
{
	int err;

	knc_user_prune(from->user, KNC_PRUNE, dead);
	err = knc_grant_room(from);
	if (err == -EDQUOT)
		knc_user_prune(from->user, from->user->nr, dead);
	if (err == -ENFILE)
		knc_users_prune(dead);
	return err ? knc_grant_room(from) : 0;
}

/* Under the lock */
static int knc_grant_link_new(struct knc_grant *g, const void *owner,
			      struct list_head *dead)
{
	struct knc_grantor *from = knc_grantor_find(owner);
	int err;

	/* its session is being closed */
	if (!from)
		return -ESRCH;
	err = knc_grant_make_room(from, dead);
	if (err)
		return err;
	if (knc_mm_nr_grants(g->mm) >= KNC_PMU_MAX_GRANTS)
		return -EMFILE;
	knc_grant_link(g, from);
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

/* Has @mm, of who runs here, the permission? Where the kernel does not ask itself */
static bool knc_mm_granted(const struct mm_struct *mm)
{
	struct knc_grant *g;
	bool granted = false;

	rcu_read_lock();
	list_for_each_entry_rcu(g, knc_mm_bucket(mm), node)
		granted |= g->mm == mm;
	rcu_read_unlock();
	return granted;
}

static KNC_COMPAT_SWITCH_PROBE(knc_rdpmc_switch, prev, next)
{
	if (next->mm)
		knc_hw_permit_rdpmc(knc_mm_granted(next->mm));
}

static void knc_rdpmc_here(void *unused)
{
	knc_hw_permit_rdpmc(current->mm && knc_mm_granted(current->mm));
}

static void knc_rdpmc_reload(struct mm_struct *mm)
{
	if (KNC_COMPAT_MM_RDPMC)
		knc_compat_mm_reload(mm);
	else
		on_each_cpu(knc_rdpmc_here, NULL, true);
}

/* Else there is no need to look further. */
static bool knc_mm_may_be_granted(struct mm_struct *mm)
{
	return !KNC_COMPAT_MM_RDPMC || atomic_read(knc_compat_mm_rdpmc(mm));
}

/* Under the lock: @mm has what @g has, for which there is room. Does it? */
static bool knc_grant_copy(const struct knc_grant *g, struct mm_struct *mm)
{
	struct knc_grant *new = knc_grant_alloc(mm, KNC_COMPAT_GFP_ATOMIC);

	if (new)
		knc_grant_link(new, g->from);
	return new;
}

/* Under the lock. How many; dead ones are all looked for at most once. */
static int knc_grants_copy(const struct mm_struct *from, struct mm_struct *to,
			   struct list_head *dead)
{
	struct knc_grant *g;
	bool full = false;
	int nr = 0;

	list_for_each_entry(g, knc_mm_bucket(from), node) {
		if (g->mm != from || !g->from->forks)
			continue;
		if (full ? knc_grant_room(g->from) :
			   knc_grant_make_room(g->from, dead))
			full = true;
		else
			nr += knc_grant_copy(g, to);
	}
	return nr;
}

/*
 * The child holds what its parent held when its memory was copied: say so, and take
 * away what was taken from the parent meanwhile, or was perf's: its mappings are not
 * copied.
 */
static KNC_COMPAT_FORK_PROBE(knc_rdpmc_fork, parent, child)
{
	unsigned long flags;
	LIST_HEAD(dead);
	int nr;

	if (!child->mm || child->mm == parent->mm ||
	    !knc_mm_may_be_granted(child->mm))
		return;
	spin_lock_irqsave(&knc_grants_lock, flags);
	nr = knc_grants_copy(parent->mm, child->mm, &dead);
	if (KNC_COMPAT_MM_RDPMC)
		atomic_set(knc_compat_mm_rdpmc(child->mm), nr);
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	knc_grants_free(&dead);
}

static int knc_rdpmc_probe(void)
{
	int err;

	err = knc_compat_probe("sched_process_fork", knc_rdpmc_fork);
	if (err || KNC_COMPAT_MM_RDPMC)
		return err;
	err = knc_compat_probe("sched_switch", knc_rdpmc_switch);
	if (err)
		knc_compat_unprobe("sched_process_fork", knc_rdpmc_fork);
	return err;
}

/**
 * knc_rdpmc_prepare() - before a session
 * @wanted: it is to give permissions
 *
 * What is forked is looked at while others count, too: perf's permissions are copied.
 *
 * Return: 0, or a negative errno: this kernel does not tell of forks.
 */
int knc_rdpmc_prepare(bool wanted)
{
	int err = 0;

	if (!KNC_COMPAT_RDPMC)
		return -EOPNOTSUPP;
	if (!wanted && !KNC_COMPAT_MM_RDPMC)
		return 0;
	mutex_lock(&knc_probes_lock);
	if (!knc_probes)
		err = knc_rdpmc_probe();
	knc_probes |= !err;
	mutex_unlock(&knc_probes_lock);
	return err;
}

/*
 * What the caller's process may, it can when it runs next: unless the kernel permits
 * RDPMC to nobody (rdpmc of the PMU in sysfs is 0), or did not when the counters were taken
 * over. Then perf's marks are still there, and what is counted would be set to 0.
 */
static int knc_rdpmc_check(void)
{
	if (!KNC_COMPAT_MM_RDPMC)
		return 0;
	if (!READ_ONCE(knc_taken_over) || !(knc_hw_read_cr4() & KNC_CR4_PCE))
		return -EOPNOTSUPP;
	return 0;
}

/**
 * knc_rdpmc_grant() - the calling process may execute RDPMC
 * @owner: the session that this is for
 *
 * Return: 0: all its threads can, at once; -ENOMEM; -EMFILE: it has that from too many
 * sessions already; -EDQUOT: too many processes have it from sessions of this user;
 * -ENFILE: ... of all; -EOPNOTSUPP: perf's setting permits it to nobody, the session is to
 * be closed.
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

/**
 * knc_rdpmc_try() - could a program that is executed later be given it?
 *
 * The caller has a session, and may execute RDPMC for a moment.
 *
 * Return: 0, or -EOPNOTSUPP as knc_rdpmc_grant().
 */
int knc_rdpmc_try(void)
{
	struct mm_struct *mm = current->mm;
	int err;

	if (!KNC_COMPAT_MM_RDPMC)
		return 0;
	atomic_inc(knc_compat_mm_rdpmc(mm));
	knc_rdpmc_reload(mm);
	err = knc_rdpmc_check();
	atomic_dec(knc_compat_mm_rdpmc(mm));
	knc_rdpmc_reload(mm);
	return err;
}

/*
 * Until here the module can't be unloaded, from here on that waits for this function:
 * knc_rdpmc_exit().
 */
static void knc_grant_work(struct callback_head *work)
{
	atomic_inc(&knc_nr_works);
	WRITE_ONCE(knc_works, true);
	module_put(THIS_MODULE);
	/* it may have been killed on its way */
	if (current->mm)
		knc_rdpmc_reload(current->mm);
	kfree(work);
	atomic_dec(&knc_nr_works);
}

/**
 * knc_rdpmc_grant_exec() - the program that the caller has just executed may
 * @owner: the session that this is for
 *
 * Called by a tracepoint, where nothing can sleep: it takes effect before the
 * program's first instruction all the same.
 *
 * Return: 0, or a negative errno.
 */
int knc_rdpmc_grant_exec(const void *owner)
{
	struct callback_head *work;
	struct knc_grant *g;
	int err = -ENOMEM;

	work = kzalloc(sizeof(*work), GFP_ATOMIC);
	if (!work)
		return -ENOMEM;
	g = knc_grant_alloc(current->mm, GFP_ATOMIC);
	if (!g)
		goto err_work;
	/* the session may be closed before its work is done */
	__module_get(THIS_MODULE);
	err = knc_compat_task_work(work, knc_grant_work);
	if (err)
		goto err_grant;
	err = knc_grant_add(g, owner);
	/* if all together have too many the work does no harm */
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

/* Under the lock: takes all permissions of a session. */
static void knc_grantor_revoke(struct knc_grantor *from,
			       struct list_head *revoked)
{
	struct knc_grant *g, *next;

	list_for_each_entry_safe(g, next, &from->grants, session) {
		if (KNC_COMPAT_MM_RDPMC)
			atomic_dec(knc_compat_mm_rdpmc(g->mm));
		knc_grant_unlink(g, revoked);
	}
}

static void knc_grants_revoked(struct list_head *revoked)
{
	struct knc_grant *g;

	list_for_each_entry(g, revoked, session)
		if (atomic_read(&g->mm->mm_users))
			knc_rdpmc_reload(g->mm);
	knc_grants_free(revoked);
}

/**
 * knc_rdpmc_revoke() - a session ends: its permissions do as well
 * @owner: the session
 *
 * When this returns nobody has one of them any more.
 */
void knc_rdpmc_revoke(const void *owner)
{
	struct knc_grantor *from;
	unsigned long flags;
	LIST_HEAD(revoked);

	spin_lock_irqsave(&knc_grants_lock, flags);
	from = knc_grantor_find(owner);
	if (from)
		knc_grantor_revoke(from, &revoked);
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	knc_grants_revoked(&revoked);
}

/**
 * knc_rdpmc_close() - a session gives no permissions any more
 * @owner: the session; one for which knc_rdpmc_open() was not called has none
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
		user = knc_user_put(from->user);
	}
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	knc_grants_revoked(&revoked);
	if (!from)
		return;
	put_pid(from->pid);
	kfree(from);
	kfree(user);
}

/*
 * Whose memory a process uses, if it may be granted; its first thread may have ended
 * before others. Without the lock it might be gone before it is looked at.
 */
static const struct mm_struct *knc_process_mm(struct task_struct *p)
{
	struct mm_struct *mm = NULL;
	struct task_struct *t;
	bool may = false;

	for_each_thread(p, t) {
		task_lock(t);
		mm = t->mm;
		may = mm && knc_mm_may_be_granted(mm);
		task_unlock(t);
		if (mm)
			break;
	}
	return may ? mm : NULL;
}

static bool knc_may_see(struct task_struct *p)
{
	return perfmon_capable() || uid_eq(task_uid(p), current_uid());
}

/* Under RCU: one permission of process @p, or NULL */
static struct knc_grant *knc_grant_of(struct task_struct *p)
{
	const struct mm_struct *mm = knc_process_mm(p);
	struct knc_grant *g;

	if (!mm)
		return NULL;
	list_for_each_entry_rcu(g, knc_mm_bucket(mm), node)
		if (g->mm == mm)
			return g;
	return NULL;
}

/* All processes that can be told of: how many; the first @room of them are in @list */
static u64 knc_grants_collect(struct knc_pmu_grant *list, u64 room)
{
	struct task_struct *p;
	struct knc_grant *g;
	pid_t pid;
	u64 nr = 0;

	rcu_read_lock();
	for_each_process(p) {
		pid = task_pid_vnr(p);
		if (pid <= 0 || p->flags & PF_KTHREAD || !knc_may_see(p))
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
 * knc_rdpmc_list() - who may execute RDPMC, as far as the caller may know
 * @to: where to put it, in the order of the pids
 * @max: how many there is room for
 *
 * Return: how many there are; -EFAULT; -ENOMEM; -EINTR: the caller is being killed.
 */
int knc_rdpmc_list(struct knc_pmu_grant __user *to, u64 max)
{
	struct knc_pmu_grant *list = NULL;
	u64 room, nr = knc_grants_collect(NULL, 0);
	int ret;

	if (!max)
		return nr;
	/* more may have come until there is room for them */
	do {
		kvfree(list);
		room = nr + 16;
		list = kvcalloc(room, sizeof(*list), KNC_COMPAT_GFP_ACCOUNT);
		if (!list)
			return -ENOMEM;
		nr = knc_grants_collect(list, room);
	} while (nr > room && !fatal_signal_pending(current));
	ret = nr > room ? -EINTR : nr;
	if (ret > 0) {
		sort(list, nr, sizeof(*list), knc_grant_cmp, NULL);
		if (copy_to_user(to, list, min(nr, max) * sizeof(*list)))
			ret = -EFAULT;
	}
	kvfree(list);
	return ret;
}

/*
 * The counters were perf's, and are ours: perf has no event, and no process a mapping of
 * one. What it still may is a copy that came with fork().
 */
static bool knc_mm_repair(struct mm_struct *mm)
{
	atomic_t *allowed = knc_compat_mm_rdpmc(mm);
	unsigned long flags;
	bool changed;
	int nr;

	if (!atomic_read(allowed))
		return false;
	spin_lock_irqsave(&knc_grants_lock, flags);
	nr = knc_mm_nr_grants(mm);
	changed = atomic_xchg(allowed, nr) != nr;
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	return changed;
}

/* All threads have the same, but for those that have none any more. */
static bool knc_process_repair(struct task_struct *p)
{
	bool changed = false, found = false;
	struct task_struct *t;

	for_each_thread(p, t) {
		task_lock(t);
		found = t->mm;
		if (found)
			changed = knc_mm_repair(t->mm);
		task_unlock(t);
		if (found)
			break;
	}
	return changed;
}

static bool knc_processes_repair(void)
{
	struct task_struct *p;
	bool changed = false;

	rcu_read_lock();
	for_each_process(p)
		if (!(p->flags & PF_KTHREAD))
			changed |= knc_process_repair(p);
	rcu_read_unlock();
	return changed;
}

/* The kernel has just let RDPMC, if it lets anybody, and cleared what perf had marked. */
static void knc_rdpmc_permitted_here(void)
{
	if (!(knc_hw_read_cr4() & KNC_CR4_PCE))
		atomic_inc(&knc_not_permitted);
}

/* What those are given that run in the memory of the module's loader, perhaps */
static void knc_loader_permit(bool permit)
{
	if (permit) {
		atomic_set(&knc_not_permitted, 0);
		atomic_inc(knc_compat_mm_rdpmc(knc_loader_mm));
		return;
	}
	atomic_dec(knc_compat_mm_rdpmc(knc_loader_mm));
	if (atomic_read(&knc_loader_mm->mm_users))
		knc_rdpmc_reload(knc_loader_mm);
	if (atomic_read(&knc_not_permitted))
		WRITE_ONCE(knc_taken_over, false);
}

/**
 * knc_rdpmc_takeover() - the counters were perf's, and are ours
 *
 * Nothing counts yet. perf's marks are worked off, or counters would be set to 0 when a
 * process with the permission is switched to; and permissions are taken away that are
 * neither ours nor perf's. The hotplug lock is held.
 */
void knc_rdpmc_takeover(void)
{
	bool changed;

	if (!KNC_COMPAT_MM_RDPMC || !KNC_COMPAT_RDPMC)
		return;
	changed = knc_processes_repair();
	knc_taken_over = true;
	if (knc_loader_mm && KNC_COMPAT_DIRTY) {
		knc_loader_permit(true);
		knc_compat_visit(knc_loader_mm, knc_rdpmc_permitted_here);
		knc_loader_permit(false);
	} else if (changed) {
		knc_compat_visit(NULL, NULL);
	}
}

/* This hardware thread came when they were ours; perf may have had it before it went. */
void knc_rdpmc_takeover_here(void)
{
	if (!knc_loader_mm || !KNC_COMPAT_DIRTY)
		return;
	knc_loader_permit(true);
	knc_compat_visit_here(knc_loader_mm, knc_rdpmc_permitted_here);
	knc_loader_permit(false);
}

static void knc_buckets_init(struct list_head *buckets, unsigned int nr)
{
	while (nr--)
		INIT_LIST_HEAD(&buckets[nr]);
}

/**
 * knc_rdpmc_init() - before everything
 * @loader: the memory of the process that loads the module
 */
void knc_rdpmc_init(struct mm_struct *loader)
{
	knc_buckets_init(knc_mm_grants, ARRAY_SIZE(knc_mm_grants));
	knc_buckets_init(knc_grantors, ARRAY_SIZE(knc_grantors));
	knc_buckets_init(knc_users, ARRAY_SIZE(knc_users));
	knc_loader_mm = loader;
	if (loader)
		mmgrab(loader);
}

/*
 * No session is left; but who was about to fork, or switch, may still be, and who has
 * executed a program may be about to leave this module.
 */
void knc_rdpmc_exit(void)
{
	if (knc_loader_mm)
		mmdrop(knc_loader_mm);
	while (atomic_read(&knc_nr_works))
		schedule_timeout_uninterruptible(1);
	if (knc_works)
		knc_compat_sync_tasks();
	if (!knc_probes)
		return;
	knc_compat_unprobe("sched_process_fork", knc_rdpmc_fork);
	if (!KNC_COMPAT_MM_RDPMC)
		knc_compat_unprobe("sched_switch", knc_rdpmc_switch);
	tracepoint_synchronize_unregister();
}
