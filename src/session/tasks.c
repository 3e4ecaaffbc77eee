// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that follow tasks: allocation, and the first task. The rest is in src/task
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mutex.h>

#include "compat/compat.h"
#include "request/event.h"
#include "session/internal.h"
#include "task/page.h"
#include "task/task.h"

/* After a failure knc_session_unconfig() frees the memory. */
int knc_session_alloc_tasks(struct knc_session *s,
			    const struct knc_request *req,
			    struct knc_refusal *why)
{
	struct knc_follow *f = knc_follow_create(req, &s->groups, s->counts);

	if (!IS_ERR(f)) {
		s->follow = f;
		s->records_size = knc_session_record_size(s);
		f->lock = &s->lock;
		return 0;
	}
	if (PTR_ERR(f) != -ENOENT)
		return PTR_ERR(f);
	why->reason = KNC_PMU_REASON_TASK_KERNEL;
	return -EOPNOTSUPP;
}

/* The counters are assigned; the hotplug lock and knc_claims_lock are held. */
int knc_session_attach_tasks(struct knc_session *s, struct pid *pid,
			     const struct knc_request *req)
{
	struct knc_follow *f = s->follow;
	int err;

	knc_claims_init(&f->claim, s, f->flags);
	f->claim.cpu = KNC_PMU_NO_CPU;
	f->excluded |= f->claim.owned;
	f->everywhere = knc_events_from_siblings(req->events, req->nr_events) ||
			f->flags & KNC_PMU_CONFIG_RDPMC;
	knc_page_init(f, req->events);
	knc_session_init_samplers(s, req);
	err = knc_follow_attach(f, pid);
	/* with ON_EXEC the program may have been executed, and sampled: detach the samplers */
	if (err)
		knc_session_detach_samplers(s);
	return err;
}
