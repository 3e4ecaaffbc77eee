// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIG: copy the caller's structs, check them, make a struct knc_request for the floors below,
 * and write the answer
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "abi/config.h"
#include "abi/copy.h"
#include "abi/query.h"
#include "compat/compat.h"
#include "host/host.h"
#include "request/policy.h"
#include "request/samples.h"
#include "session/session.h"
#include "task/task.h"

/* How often CONFIG tries if the caller's pages are reclaimed before the answer is written */
#define KNC_CONFIG_TRIES	4

/**
 * struct knc_asked - a CONFIG while it is parsed
 * @c: a copy of the caller's struct
 * @arg: the caller's struct
 * @cmd: the command
 * @req: the parsed request
 * @events: its events
 * @cpus: its hardware threads; the kernel's cpumasks may be smaller
 * @pids: its tasks, with PIDS
 */
struct knc_asked {
	struct knc_pmu_config c;
	struct knc_pmu_config __user *arg;
	unsigned int cmd;
	struct knc_request req;
	struct knc_event events[KNC_PMU_MAX_SET];
	union {
		DECLARE_BITMAP(cpus, KNC_PMU_MAX_CPUS);
		s32 pids[KNC_PMU_MAX_PIDS];
	};
};

static int knc_parse_config(struct knc_asked *asked, struct knc_refusal *why)
{
	const struct knc_pmu_config *c = &asked->c;
	struct knc_request *req = &asked->req;

	if (c->flags & ~KNC_PMU_CONFIG_FLAGS || c->reserved || c->reserved1)
		return -EINVAL;
	if (!c->nr_events || c->nr_events > KNC_PMU_MAX_SET || !c->event_size)
		return -EINVAL;
	if (c->event_size > PAGE_SIZE)
		return -E2BIG;
	req->host = knc_host_find(c->pmu);
	if (!req->host && !knc_query_has_pmu(c->pmu)) {
		why->reason = KNC_PMU_REASON_PMU_NONE;
		return -ENODEV;
	}
	if (!(c->flags & KNC_PMU_CONFIG_TASK) && !perfmon_capable()) {
		why->reason = KNC_PMU_REASON_PRIVILEGE;
		return -EPERM;
	}
	req->flags = c->flags;
	req->pid = c->pid;
	req->nr_events = c->nr_events;
	req->events = asked->events;
	req->sample_interval = c->sample_interval;
	req->max_frames = c->max_frames;
	req->stack_size = c->stack_size;
	req->ring_size = c->ring_size;
	req->watermark = c->watermark;
	return 0;
}

/* The address of event @i in the caller's array */
static void __user *knc_event_at(const struct knc_pmu_config *c, unsigned int i)
{
	return (void __user *)(unsigned long)c->events + i * c->event_size;
}

/*
 * With LIMIT, @sample_period holds a period and, in its upper bits, a rate. Without LIMIT these
 * bits make the period too long, and it is refused.
 */
static void knc_parse_period(const struct knc_pmu_event *from, struct knc_event *to)
{
	bool limit = from->flags & KNC_PMU_EVENT_LIMIT;

	to->sample_period = limit ? KNC_PMU_LIMITED_PERIOD(from->sample_period) :
				    from->sample_period;
	to->max_freq = limit ? KNC_PMU_LIMITED_HZ(from->sample_period) : 0;
}

static int knc_parse_events(struct knc_asked *asked)
{
	const struct knc_pmu_config *c = &asked->c;
	struct knc_pmu_event e;
	unsigned int i;
	int err;

	for (i = 0; i < c->nr_events; i++) {
		err = copy_struct_from_user(&e, sizeof(e), knc_event_at(c, i),
					    c->event_size);
		if (err)
			return err;
		asked->events[i].event = e.event;
		asked->events[i].extra = e.extra;
		asked->events[i].counters = e.counters;
		asked->events[i].counter = e.counter;
		knc_parse_period(&e, &asked->events[i]);
		asked->events[i].flags = e.flags;
		asked->events[i].cmask = e.cmask;
		asked->events[i].group = e.group;
	}
	return 0;
}

/* With PIDS, @cpus of the caller's struct is an array of tasks. */
static int knc_parse_pids(struct knc_asked *asked, struct knc_refusal *why)
{
	const struct knc_pmu_config *c = &asked->c;

	why->reason = KNC_PMU_REASON_PIDS;
	if (!asked->req.host || !asked->req.host->follows)
		return -EOPNOTSUPP;
	if (!(c->flags & KNC_PMU_CONFIG_TASK) || c->pid || !c->cpus_size ||
	    c->cpus_size % sizeof(asked->pids[0]) || c->cpus_size > sizeof(asked->pids))
		return -EINVAL;
	why->reason = KNC_PMU_REASON_NONE;
	if (copy_from_user(asked->pids, (void __user *)(unsigned long)c->cpus, c->cpus_size))
		return -EFAULT;
	asked->req.pids = asked->pids;
	asked->req.nr_pids = c->cpus_size / sizeof(asked->pids[0]);
	return 0;
}

/* With TASK, req.cpus is set only if the caller names CPUs: knc_follow_check() refuses them. */
static int knc_parse_cpus(struct knc_asked *asked, struct knc_refusal *why)
{
	const struct knc_pmu_config *c = &asked->c;
	unsigned long bit;

	if (c->flags & KNC_PMU_CONFIG_PIDS)
		return knc_parse_pids(asked, why);
	BUILD_BUG_ON(sizeof(struct cpumask) > KNC_PMU_MAX_CPUS / 8);
	if (c->flags & KNC_PMU_CONFIG_TASK && !c->cpus && !c->cpus_size)
		return 0;
	bitmap_zero(asked->cpus, KNC_PMU_MAX_CPUS);
	asked->req.cpus = to_cpumask(asked->cpus);
	if (c->flags & KNC_PMU_CONFIG_TASK)
		return 0;
	if (!c->cpus_size || c->cpus_size > KNC_PMU_MAX_CPUS / 8)
		return -EINVAL;
	if (copy_from_user(asked->cpus, (void __user *)(unsigned long)c->cpus,
			   c->cpus_size))
		return -EFAULT;
	if (bitmap_empty(asked->cpus, KNC_PMU_MAX_CPUS)) {
		why->reason = KNC_PMU_REASON_CPU_EMPTY;
		return -EINVAL;
	}
	bit = find_next_bit(asked->cpus, KNC_PMU_MAX_CPUS, nr_cpu_ids);
	if (bit < KNC_PMU_MAX_CPUS) {
		why->reason = KNC_PMU_REASON_CPU_NONE;
		why->cpu = bit;
		return -ENXIO;
	}
	return 0;
}

/**
 * knc_config_check() - the checks that need only the request
 * @req: the request; its groups are filled in
 * @why: the reason of a refusal, out
 *
 * Return: 0, or an errno of KNC_PMU_IOC_CONFIG.
 */
int knc_config_check(struct knc_request *req, struct knc_refusal *why)
{
	int err;

	if (req->host)
		return req->host->check(req, why);
	err = knc_events_check(req->events, req->nr_events, why);
	if (err)
		return err;
	err = knc_groups_init(&req->groups, req->events, req->nr_events, why);
	if (err)
		return err;
	if (req->groups.nr_groups > 1 && req->ring_size) {
		why->reason = KNC_PMU_REASON_SET_SAMPLING;
		return -EOPNOTSUPP;
	}
	err = knc_samples_check(req, why);
	if (err)
		return err;
	err = knc_follow_check(req, why);
	if (err)
		return err;
	return knc_policy_lockdown(req, why);
}

static void knc_config_reason(struct knc_pmu_config *c,
			      const struct knc_refusal *why)
{
	c->reason = why->reason;
	c->reason_event = why->event;
	c->reason_other = why->other;
	c->reason_cpu = why->cpu;
	c->reason_counter = why->counter;
	c->reason_pid = why->pid;
}

static int knc_tell_counters(const struct knc_asked *asked)
{
	struct knc_pmu_event __user *e;
	unsigned int i;

	/* the struct of an older caller may end before @counter */
	if (asked->c.event_size < offsetof(struct knc_pmu_event, counter) +
				  sizeof(e->counter))
		return 0;
	e = knc_event_at(&asked->c, 0);
	if (!knc_compat_may_write(e, asked->c.nr_events * (size_t)asked->c.event_size))
		return -EFAULT;
	/* not put_user(), which may sleep on 2.6.38: see knc_compat_put_nofault() */
	for (i = 0; i < asked->c.nr_events; i++) {
		e = knc_event_at(&asked->c, i);
		if (__put_user(asked->events[i].counter, &e->counter))
			return -EFAULT;
	}
	return 0;
}

/* Write the answer. Before the session has counters this only faults the answer's pages in. */
static int knc_config_answer(const struct knc_asked *asked)
{
	int err = knc_tell_counters(asked);

	return err ? err : knc_copy_out(asked->arg, &asked->c, sizeof(asked->c),
					asked->cmd);
}

/*
 * Called at the end of CONFIG, when the session has its counters and can't be evicted yet. No page
 * fault is handled here: a user could delay it for ever. After an error knc_session_config() undoes
 * the session.
 */
static int knc_config_tell(const struct knc_request *req)
{
	const struct knc_asked *asked = container_of(req, struct knc_asked, req);
	int err;

	pagefault_disable();
	err = knc_tell_counters(asked);
	pagefault_enable();
	return err ?: knc_copy_out_nofault(asked->arg, &asked->c, sizeof(asked->c), asked->cmd);
}

/* Before anything is claimed, write the answer once to fault its pages in. */
static int knc_config_session(struct knc_session *s, struct knc_asked *asked,
			      struct knc_refusal *why)
{
	unsigned int tries = KNC_CONFIG_TRIES;
	int err;

	do {
		err = knc_config_answer(asked);
		if (err)
			return err;
		err = knc_session_config(s, &asked->req, why, knc_config_tell);
	} while (err == -EFAULT && --tries);
	return err;
}

static int knc_config(struct knc_session *s, struct knc_asked *asked,
		      struct knc_refusal *why)
{
	int err;

	/* clear the reason's fields: the caller may have left anything there */
	knc_config_reason(&asked->c, why);
	err = knc_parse_config(asked, why);
	if (!err)
		err = knc_parse_events(asked);
	if (!err)
		err = knc_parse_cpus(asked, why);
	if (!err)
		err = knc_config_check(&asked->req, why);
	if (!err)
		err = knc_config_session(s, asked, why);
	if (!err || why->reason == KNC_PMU_REASON_NONE)
		return err;
	knc_config_reason(&asked->c, why);
	if (knc_copy_out(asked->arg, &asked->c, sizeof(asked->c), asked->cmd))
		return -EFAULT;
	return err;
}

long knc_config_ioctl(struct knc_session *s, struct knc_pmu_config __user *arg,
		      unsigned int cmd)
{
	struct knc_refusal why = { .reason = KNC_PMU_REASON_NONE };
	struct knc_asked *asked;
	int err;

	/* kmalloc(): most of it is large arrays, which need not be cleared */
	asked = kmalloc(sizeof(*asked), KNC_COMPAT_GFP_ACCOUNT);
	if (!asked)
		return -ENOMEM;
	memset(&asked->req, 0, sizeof(asked->req));
	asked->arg = arg;
	asked->cmd = cmd;
	err = knc_copy_in(&asked->c, sizeof(asked->c), arg, cmd);
	if (!err)
		err = knc_config(s, asked, &why);
	kfree(asked);
	return err;
}
