// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that follow tasks: they get their counters, and give them back
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>

#include "compat/compat.h"
#include "session/room.h"
#include "task/grants.h"
#include "task/task.h"

static void knc_page_init(struct knc_follow *f,
			  const struct knc_event *events)
{
	unsigned int i;

	f->page->nr_events = f->claim.nr;
	for (i = 0; i < f->claim.nr; i++) {
		f->page->counter[i] = events[i].counter;
		f->claim.count[i].page = f->page;
		f->claim.count[i].index = i;
	}
}

void knc_session_detach_tasks(struct knc_session *s)
{
	knc_follow_detach(s->follow);
	knc_session_detach_samplers(s);
}

/* The hotplug and claims locks are held. */
static int knc_session_follow(struct knc_session *s, struct pid *pid,
			      const struct knc_request *req,
			      struct knc_refusal *why)
{
	struct knc_follow *f = s->follow;
	int err;

	err = knc_assign_tasks(f, pid, &s->layout, req->events, why);
	if (err)
		return err;
	err = knc_reserve(why);
	if (err)
		return err;
	knc_session_init_counts(s, req->events);
	knc_claim_init(&f->claim, s, f->flags);
	f->claim.cpu = KNC_PMU_NO_CPU;
	f->cntrs |= f->claim.owned;
	if (f->page)
		knc_page_init(f, req->events);
	if (s->samplers)
		knc_session_sample_tasks(s, req);
	err = knc_follow_attach(f, pid);
	if (!err) {
		knc_session_added(s);
		return 0;
	}
	/* what was waited for may have been executed, and sampled, until then */
	knc_session_detach_samplers(s);
	knc_unreserve();
	return err;
}

/* The process may have many threads: without the locks that others wait for */
static int knc_session_follow_more(struct knc_session *s)
{
	int err = knc_follow_fill(s->follow);

	if (!err)
		return 0;
	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	knc_session_detach_tasks(s);
	knc_session_removed(s);
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
	return err;
}

/* The task, or all threads of its process */
static int knc_session_follow_all(struct knc_session *s, struct pid *pid,
				  const struct knc_request *req,
				  struct knc_refusal *why)
{
	int err;

	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	err = knc_session_follow(s, pid, req, why);
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
	if (!err)
		err = knc_session_follow_more(s);
	if (err == -ESRCH)
		why->reason = KNC_PMU_REASON_TASK_NONE;
	if (err == -EPERM)
		why->reason = KNC_PMU_REASON_TASK_DENIED;
	return err;
}

void knc_session_free_follow(struct knc_session *s)
{
	knc_session_free_samplers(s);
	knc_session_unaccount(s);
	knc_follow_destroy(s->follow);
	s->follow = NULL;
	put_pid(s->pid);
	s->pid = NULL;
}

static int knc_session_config_task(struct knc_session *s,
				   struct pid *pid,
				   const struct knc_request *req,
				   struct knc_refusal *why)
{
	struct knc_follow *f = knc_follow_create(req, &s->layout, s->counts);
	int err;

	if (IS_ERR(f)) {
		if (PTR_ERR(f) != -ENOENT)
			return PTR_ERR(f);
		why->reason = KNC_PMU_REASON_TASK_KERNEL;
		return -EOPNOTSUPP;
	}
	s->follow = f;
	f->lock = &s->lock;
	s->pid = get_pid(task_tgid(current));
	err = knc_session_open_rdpmc(s, req->flags);
	if (!err && req->ring_size)
		err = knc_session_account(s, req, why);
	if (!err && req->ring_size)
		err = knc_session_alloc_rings(s, req);
	if (!err)
		err = knc_session_follow_all(s, pid, req, why);
	if (err) {
		/* what was waited for may have been executed, and have got its permission */
		knc_rdpmc_close(f);
		knc_session_free_follow(s);
	}
	return err;
}

int knc_session_config_tasks(struct knc_session *s,
			     const struct knc_request *req,
			     struct knc_refusal *why)
{
	struct pid *pid = knc_follow_find(req->pid, why);
	int err;

	if (IS_ERR(pid))
		return PTR_ERR(pid);
	err = knc_session_config_task(s, pid, req, why);
	put_pid(pid);
	return err;
}

void knc_session_evict_tasks(struct knc_session *s)
{
	knc_follow_evict(s->follow);
	knc_session_detach_samplers(s);
}
