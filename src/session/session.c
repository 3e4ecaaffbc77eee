// SPDX-License-Identifier: GPL-2.0
/*
 * A session, which is one open file: create, configure, evict, destroy
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/set.h"
#include "host/host.h"
#include "pmu/hw.h"
#include "rdpmc/forks.h"
#include "rdpmc/grants.h"
#include "sample/delivery.h"
#include "session/internal.h"
#include "session/session.h"
#include "task/task.h"

/* How many threads of a process CONFIG tries if each ends before it can be followed */
#define KNC_FIND_TRIES	8

/*
 * Sessions that can be evicted, the oldest first. A session whose CONFIG is still running may have
 * counters, but is not in this list; knc_nr_sessions of claims.c includes it. No other lock is
 * taken under knc_sessions_lock.
 */
static LIST_HEAD(knc_sessions);
static DEFINE_SPINLOCK(knc_sessions_lock);
static u64 knc_sessions_serial;

/**
 * knc_session_create() - allocate a session that is not configured
 *
 * Return: the session, or NULL if there is no memory.
 */
struct knc_session *knc_session_create(void)
{
	struct knc_session *s = kzalloc(sizeof(*s), KNC_COMPAT_GFP_ACCOUNT);

	if (!s || !zalloc_cpumask_var(&s->cpus, KNC_COMPAT_GFP_ACCOUNT)) {
		kfree(s);
		return NULL;
	}
	mutex_init(&s->lock);
	kref_init(&s->ref);
	INIT_LIST_HEAD(&s->node);
	init_waitqueue_head(&s->wait);
	return s;
}

/* How long an eviction waits for one task to finish knc_read(), and one EVICT for all tasks */
#define KNC_EVICT_TASK		(HZ / 10)
#define KNC_EVICT_ALL		(2 * HZ)

/*
 * Take the session off the counters. First all permissions to execute RDPMC are revoked, and exec
 * can give none: the process must not read the counts of the counters' next owner.
 */
static void knc_session_leave(struct knc_session *s, bool keep)
{
	knc_rdpmc_close(knc_session_identity(s));
	if (s->follow)
		knc_follow_drop(s->follow, keep);
	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	if (s->follow)
		knc_follow_detach(s->follow);
	else
		knc_session_detach_threads(s, keep);
	knc_session_detach_samplers(s);
	knc_session_removed(s);
	knc_reserve_release();
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
}

/* Free all memory of CONFIG: the session can be configured again. */
static void knc_session_unconfig(struct knc_session *s)
{
	unsigned int i;

	knc_session_free_rings(s);
	if (s->follow)
		knc_follow_destroy(s->follow);
	for (i = 0; s->claims && i < s->nr_threads; i++)
		knc_set_free(&s->claims[i]);
	put_pid(s->pid);
	kvfree(s->records);
	kvfree(s->claims);
	kfree(s->counts);
	s->follow = NULL;
	s->following = NULL;
	s->pid = NULL;
	s->records = NULL;
	s->claims = NULL;
	s->counts = NULL;
	s->nr_threads = 0;
}

/* Add the session to knc_sessions, where EVICT finds it. */
static void knc_session_publish(struct knc_session *s)
{
	spin_lock(&knc_sessions_lock);
	s->serial = ++knc_sessions_serial;
	list_add_tail(&s->node, &knc_sessions);
	spin_unlock(&knc_sessions_lock);
}

static void knc_session_unpublish(struct knc_session *s)
{
	spin_lock(&knc_sessions_lock);
	list_del_init(&s->node);
	spin_unlock(&knc_sessions_lock);
}

/* Permit RDPMC. With ON_EXEC this only checks: the exec gives the permission. */
static int knc_session_permit(struct knc_session *s, u32 flags,
			      struct knc_refusal *why)
{
	int err;

	if (!(flags & KNC_PMU_CONFIG_RDPMC))
		return 0;
	if (flags & KNC_PMU_CONFIG_ON_EXEC)
		err = knc_rdpmc_try(knc_session_identity(s));
	else
		err = knc_rdpmc_grant(knc_session_identity(s));
	if (err == -EOPNOTSUPP)
		why->reason = KNC_PMU_REASON_RDPMC_OFF;
	if (err != -EACCES)
		return err;
	why->reason = KNC_PMU_REASON_RDPMC_PRIVATE;
	return -EBUSY;
}

/* Allocate before the hotplug lock and knc_claims_lock are taken: an allocation may sleep long. */
static int knc_session_alloc(struct knc_session *s,
			     const struct knc_request *req,
			     struct knc_refusal *why)
{
	int err;

	s->groups = req->groups;
	s->pid = get_pid(task_tgid(current));
	s->counts = kcalloc(req->nr_events, sizeof(*s->counts),
			    KNC_COMPAT_GFP_ACCOUNT);
	if (!s->counts)
		return -ENOMEM;
	if (req->flags & KNC_PMU_CONFIG_TASK)
		err = knc_session_alloc_tasks(s, req, why);
	else
		err = knc_session_alloc_threads(s, req);
	if (!err)
		err = knc_session_alloc_rings(s, req, why);
	if (err || !(req->flags & KNC_PMU_CONFIG_RDPMC))
		return err;
	/* with @follow, children inherit the permission */
	return knc_rdpmc_open(knc_session_identity(s), s->pid, s->follow);
}

/* The hotplug lock and knc_claims_lock are held. */
static int knc_session_claim(struct knc_session *s, struct pid *pid,
			     const struct knc_request *req,
			     struct knc_refusal *why)
{
	int err;

	if (s->follow)
		err = knc_claims_assign_tasks(s->follow, pid, &s->groups, req->events,
					      why);
	else
		err = knc_claims_assign_threads(req->cpus, &s->groups, req->events, why);
	if (!err && pmu_has_extras())
		err = knc_offcore_claim(s, req, why);
	if (!err)
		err = knc_reserve(s->follow ? cpu_online_mask : req->cpus, why);
	if (err)
		return err;
	if (pmu_has_extras())
		knc_offcore_attach(s);
	s->nmi = knc_delivery_is_nmi(req->events, s->groups.nr_events);
	knc_session_init_counts(s, req->events);
	if (s->follow)
		err = knc_session_attach_tasks(s, pid, req);
	else
		knc_session_attach_threads(s, req);
	if (!err)
		knc_session_added(s);
	else if (pmu_has_extras())
		knc_offcore_detach(s);
	if (err)
		knc_reserve_release();
	return err;
}

/* Take both locks for knc_session_claim(). The first session's slow preparation runs without. */
static int knc_session_claim_locked(struct knc_session *s, struct pid *pid,
				    const struct knc_request *req, struct knc_refusal *why)
{
	int err;

	do {
		cpus_read_lock();
		mutex_lock(&knc_claims_lock);
		err = knc_session_claim(s, pid, req, why);
		mutex_unlock(&knc_claims_lock);
		cpus_read_unlock();
	} while (err == -EAGAIN && !(err = knc_reserve_prepare(why)));
	return err;
}

/* Claim the counters and write the answer. After an error nothing is claimed. */
static int knc_session_take(struct knc_session *s, struct pid *pid,
			    const struct knc_request *req,
			    struct knc_refusal *why, knc_tell_fn tell)
{
	bool claimed;
	int err;

	/* before the hotplug lock and knc_claims_lock: a process may have many threads */
	if (s->follow)
		knc_follow_find_holders(s->follow, pid);
	err = knc_session_claim_locked(s, pid, req, why);
	claimed = !err;
	if (!err && s->follow)
		err = knc_follow_threads(s->follow);
	if (err == -ESRCH)
		why->reason = KNC_PMU_REASON_TASK_NONE;
	if (err == -EPERM)
		why->reason = KNC_PMU_REASON_TASK_DENIED;
	if (err == -EACCES) {
		why->reason = KNC_PMU_REASON_TASK_RDPMC;
		err = -EBUSY;
	}
	if (!err)
		err = knc_session_permit(s, req->flags, why);
	if (!err && tell)
		err = tell(req);
	if (err && claimed)
		knc_session_leave(s, false);
	return err;
}

static int knc_session_config_for(struct knc_session *s, struct pid *pid,
				  const struct knc_request *req,
				  struct knc_refusal *why, knc_tell_fn tell)
{
	int err;

	err = knc_session_alloc(s, req, why);
	if (!err)
		err = knc_session_take(s, pid, req, why, tell);
	if (!err)
		return 0;
	knc_rdpmc_close(knc_session_identity(s));
	knc_session_unconfig(s);
	return err;
}

/* CONFIG on a PMU of host/. The session is not in knc_sessions: EVICT does not find it */
static int knc_session_config_host(struct knc_session *s, const struct knc_request *req,
				   struct knc_refusal *why, knc_tell_fn tell)
{
	void *has = req->host->open(req, why);
	int err;

	if (IS_ERR(has))
		return PTR_ERR(has);
	err = tell ? tell(req) : 0;
	if (err) {
		req->host->close(has);
		return err;
	}
	s->host = req->host;
	s->has = has;
	return 0;
}

/*
 * To follow a process, CONFIG begins with any living thread. If this thread ends before it is
 * followed, CONFIG tries another one, KNC_FIND_TRIES times in all.
 */
static int knc_session_config_tasks(struct knc_session *s, const struct knc_request *req,
				    struct knc_refusal *why, knc_tell_fn tell)
{
	bool process = req->flags & KNC_PMU_CONFIG_PROCESS;
	unsigned int tries = process ? KNC_FIND_TRIES : 1;
	struct pid *pid;
	int err;

	do {
		why->reason = KNC_PMU_REASON_NONE;
		pid = knc_follow_find(req->pid, process, why);
		if (IS_ERR(pid))
			return PTR_ERR(pid);
		err = knc_session_config_for(s, pid, req, why, tell);
		put_pid(pid);
	} while (err == -ESRCH && --tries);
	return err;
}

static bool knc_session_is_used(const struct knc_session *s)
{
	return s->configured || s->has;
}

static int knc_session_config_claims(struct knc_session *s,
				     const struct knc_request *req,
				     struct knc_refusal *why, knc_tell_fn tell)
{
	int err;

	/* without RDPMC an error is harmless: forked children keep copies of perf's permission */
	err = knc_rdpmc_prepare(req->flags & KNC_PMU_CONFIG_RDPMC);
	if (req->flags & KNC_PMU_CONFIG_RDPMC && err) {
		if (err == -ENOMEM)
			return err;
		why->reason = KNC_PMU_REASON_RDPMC;
		return -EOPNOTSUPP;
	}
	if (req->flags & KNC_PMU_CONFIG_TASK)
		return knc_session_config_tasks(s, req, why, tell);
	return knc_session_config_for(s, NULL, req, why, tell);
}

static int knc_session_config_counters(struct knc_session *s, const struct knc_request *req,
				       struct knc_refusal *why, knc_tell_fn tell)
{
	int err = knc_session_config_claims(s, req, why, tell);

	if (err)
		return err;
	/* pairs with knc_session_is_here(), knc_session_samplers(), knc_session_read() */
	smp_wmb();
	if (s->groups.nr_groups == 1)
		WRITE_ONCE(s->following, s->follow);
	s->configured = true;
	if (s->nr_threads == 1 && s->groups.nr_groups == 1)
		WRITE_ONCE(s->hw, knc_hwthread_of(s->cpu));
	knc_session_publish(s);
	return 0;
}

/**
 * knc_session_config() - claim counters on hardware threads, or for tasks
 * @s: a session that is not configured
 * @req: CONFIG's request, checked; the counters of its events are filled in
 * @why: the reason of a refusal, out
 * @tell: writes the answer to the caller; called last, with the session's lock held. If it fails,
 *	the session is not configured. NULL: no answer
 *
 * Return: 0, or an errno of KNC_PMU_IOC_CONFIG.
 */
int knc_session_config(struct knc_session *s, const struct knc_request *req,
		       struct knc_refusal *why, knc_tell_fn tell)
{
	int err = -EALREADY;

	mutex_lock(&s->lock);
	if (!knc_session_is_used(s))
		err = KNC_HAS_HOST && req->host ?
		      knc_session_config_host(s, req, why, tell) :
		      knc_session_config_counters(s, req, why, tell);
	mutex_unlock(&s->lock);
	return err;
}

static void knc_session_last(struct kref *ref)
{
	struct knc_session *s = container_of(ref, struct knc_session, ref);

	free_cpumask_var(s->cpus);
	kfree(s);
}

/**
 * knc_session_destroy() - give back the session's counters, permissions and memory
 * @s: the session; its file is closed, but an eviction may still hold a reference
 */
void knc_session_destroy(struct knc_session *s)
{
	mutex_lock(&s->lock);
	knc_session_unpublish(s);
	if (s->configured && !s->evicted)
		knc_session_leave(s, false);
	knc_session_unconfig(s);
	s->configured = false;
	if (knc_session_is_host(s))
		s->host->close(s->has);
	s->host = NULL;
	mutex_unlock(&s->lock);
	kref_put(&s->ref, knc_session_last);
}

/*
 * Take the counters away from a session, whose lock is held. Waits until @until (jiffies) for a
 * program to finish knc_read(). Returns true if the session had counters.
 */
static bool knc_session_evict(struct knc_session *s, unsigned long until)
{
	unsigned long soon = jiffies + KNC_EVICT_TASK;

	if (!s->configured || s->evicted)
		return false;
	knc_session_unpublish(s);
	/*
	 * A caller on the fast path has interrupts off: the cross-call that detaches waits for it.
	 * Later callers wait for the lock: if RDPMC has failed in a program, its next READ returns
	 * KNC_PMU_THREAD_EVICTED.
	 */
	WRITE_ONCE(s->hw, NULL);
	WRITE_ONCE(s->following, NULL);
	s->evicted = true;
	if (s->follow)
		knc_follow_close_page(s->follow, time_before(soon, until) ? soon : until);
	knc_session_leave(s, true);
	wake_up_interruptible_all(&s->wait);
	return true;
}

static bool knc_session_holds(const struct knc_session *s, unsigned int cpu,
			      unsigned int counter)
{
	u64 cntrs = s->follow ? s->follow->excluded : s->groups.owned;

	if (counter != KNC_PMU_NO_COUNTER && !(cntrs & pmu_bit(counter)))
		return false;
	return cpu == KNC_PMU_NO_CPU || s->follow ||
	       cpumask_test_cpu(cpu, s->cpus);
}

/* The oldest session, other than @self, that has these counters, with a reference; NULL: none */
static struct knc_session *knc_session_holding(const struct knc_session *self,
					       unsigned int cpu,
					       unsigned int counter, u64 serial)
{
	struct knc_session *s, *found = NULL;

	spin_lock(&knc_sessions_lock);
	list_for_each_entry(s, &knc_sessions, node) {
		if (s == self || s->serial > serial ||
		    !knc_session_holds(s, cpu, counter))
			continue;
		kref_get(&s->ref);
		found = s;
		break;
	}
	spin_unlock(&knc_sessions_lock);
	return found;
}

/**
 * knc_sessions_evict() - take counters away from sessions
 * @self: the caller's session, which is not evicted
 * @cpu: a hardware thread; KNC_PMU_NO_CPU: all of them
 * @counter: a counter; KNC_PMU_NO_COUNTER: all of them
 *
 * Sessions that are configured after this call began are not evicted: otherwise the call might
 * never end.
 *
 * Return: how many sessions were evicted; -ENXIO: there is no such counter; -EINTR: the
 * caller is being killed.
 */
int knc_sessions_evict(const struct knc_session *self, unsigned int cpu,
		       unsigned int counter)
{
	unsigned long until = jiffies + KNC_EVICT_ALL;
	struct knc_session *s;
	int nr = 0, err = 0;
	u64 serial;

	if (cpu != KNC_PMU_NO_CPU && (cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return -ENXIO;
	if (counter != KNC_PMU_NO_COUNTER && !pmu_has_counter(counter))
		return -ENXIO;
	if (cpu != KNC_PMU_NO_CPU)
		cpu = array_index_nospec(cpu, nr_cpu_ids);
	if (counter != KNC_PMU_NO_COUNTER)
		counter = array_index_nospec(counter, PMU_MAX_NUMBER);
	spin_lock(&knc_sessions_lock);
	serial = knc_sessions_serial;
	spin_unlock(&knc_sessions_lock);
	while (!err && (s = knc_session_holding(self, cpu, counter, serial))) {
		err = mutex_lock_killable(&s->lock);
		if (!err) {
			nr += knc_session_evict(s, until);
			mutex_unlock(&s->lock);
		}
		kref_put(&s->ref, knc_session_last);
	}
	return err ? -EINTR : nr;
}
