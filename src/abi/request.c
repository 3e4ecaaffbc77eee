// SPDX-License-Identifier: GPL-2.0
/*
 * The door: copy in, check, one parsed struct knc_request for all below, and the answer
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include "abi/request.h"
#include "compat/compat.h"
#include "sample/sampling.h"
#include "session/session.h"
#include "task/policy.h"
#include "task/task.h"

/**
 * knc_copy_in() - a struct of the caller, by the rules of uapi/knc_pmu.h
 * @to: room for what the module knows of it
 * @ksize: bytes of that
 * @from: the caller's
 * @cmd: the command, whose number has the size of the caller's
 *
 * Return: 0; -EFAULT; -E2BIG.
 */
int knc_copy_in(void *to, size_t ksize, const void __user *from,
		unsigned int cmd)
{
	return copy_struct_from_user(to, ksize, from, _IOC_SIZE(cmd));
}

/* The answer: as much as the caller knows */
int knc_copy_out(void __user *to, const void *from, size_t ksize,
		 unsigned int cmd)
{
	size_t size = min_t(size_t, ksize, _IOC_SIZE(cmd));

	return copy_to_user(to, from, size) ? -EFAULT : 0;
}

/* An entry without bytes is an error where there is room for one, and a page is too many. */
int knc_room_init(struct knc_room *room, const struct knc_pmu_list *list)
{
	if (list->nr && !list->size)
		return -EINVAL;
	if (list->size > PAGE_SIZE)
		return -E2BIG;
	room->to = (void __user *)(unsigned long)list->entries;
	room->nr = list->nr;
	room->size = list->size;
	return 0;
}

/**
 * knc_room_put() - write one entry of a list, if there is room
 * @room: where
 * @i: which one
 * @entry: the entry
 * @ksize: bytes of it; what the caller has more is zeroed
 *
 * Return: 0, or -EFAULT.
 */
int knc_room_put(const struct knc_room *room, unsigned int i,
		 const void *entry, size_t ksize)
{
	void __user *to = room->to + (u64)i * room->size;
	size_t size = min_t(size_t, ksize, room->size);

	if (i >= room->nr)
		return 0;
	if (copy_to_user(to, entry, size) ||
	    clear_user(to + size, room->size - size))
		return -EFAULT;
	return 0;
}

/**
 * struct knc_asked - what CONFIG was asked, while it is looked at
 * @c: a copy of the struct
 * @arg: where it is the caller's
 * @cmd: the command
 * @req: what it says
 * @events: its events
 * @cpus: its hardware threads, of which the kernel may know fewer
 */
struct knc_asked {
	struct knc_pmu_config c;
	struct knc_pmu_config __user *arg;
	unsigned int cmd;
	struct knc_request req;
	struct knc_event events[KNC_PMU_MAX_SET];
	DECLARE_BITMAP(cpus, KNC_PMU_MAX_CPUS);
};

static int knc_parse_config(struct knc_asked *asked, struct knc_refusal *why)
{
	const struct knc_pmu_config *c = &asked->c;
	struct knc_request *req = &asked->req;

	if (c->flags & ~KNC_PMU_CONFIG_FLAGS || c->reserved)
		return -EINVAL;
	if (!c->nr_events || c->nr_events > KNC_PMU_MAX_SET || !c->event_size)
		return -EINVAL;
	if (c->event_size > PAGE_SIZE)
		return -E2BIG;
	if (!knc_has_pmu(c->pmu)) {
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
	req->ring_size = c->ring_size;
	req->watermark = c->watermark;
	return 0;
}

/* Where one event is the caller's */
static void __user *knc_event_at(const struct knc_pmu_config *c, unsigned int i)
{
	return (void __user *)(unsigned long)c->events + i * c->event_size;
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
		asked->events[i].sample_period = e.sample_period;
		asked->events[i].flags = e.flags;
		asked->events[i].cmask = e.cmask;
		asked->events[i].group = e.group;
	}
	return 0;
}

/* With TASK there are to be none: knc_follow_check() says so. */
static int knc_parse_cpus(struct knc_asked *asked, struct knc_refusal *why)
{
	const struct knc_pmu_config *c = &asked->c;
	unsigned long bit;

	BUILD_BUG_ON(sizeof(struct cpumask) > KNC_PMU_MAX_CPUS / 8);
	if (c->flags & KNC_PMU_CONFIG_TASK && !c->cpus && !c->cpus_size)
		return 0;
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
 * knc_request_check() - all that can be said of a request without knowing the others
 * @req: the request; its layout is filled in
 * @why: where to tell the reason of a refusal
 *
 * Return: 0, or an errno of KNC_PMU_IOC_CONFIG.
 */
int knc_request_check(struct knc_request *req, struct knc_refusal *why)
{
	int err;

	err = knc_events_check(req->events, req->nr_events, why);
	if (err)
		return err;
	err = knc_layout_init(&req->layout, req->events, req->nr_events, why);
	if (err)
		return err;
	if (req->layout.nr_groups > 1 && req->ring_size) {
		why->reason = KNC_PMU_REASON_SET_SAMPLING;
		return -EOPNOTSUPP;
	}
	err = knc_sampling_check(req, why);
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

	/* a caller that does not know of the field is not told */
	if (asked->c.event_size < sizeof(*e))
		return 0;
	for (i = 0; i < asked->c.nr_events; i++) {
		e = knc_event_at(&asked->c, i);
		if (put_user(asked->events[i].counter, &e->counter))
			return -EFAULT;
	}
	return 0;
}

/* A caller that can't be told of its session has none. */
static int knc_config_tell(const struct knc_request *req)
{
	const struct knc_asked *asked = container_of(req, struct knc_asked, req);
	int err;

	err = knc_tell_counters(asked);
	return err ? err : knc_copy_out(asked->arg, &asked->c, sizeof(asked->c),
					asked->cmd);
}

static int knc_config(struct knc_session *s, struct knc_asked *asked,
		      struct knc_refusal *why)
{
	int err;

	/* told if all goes well */
	knc_config_reason(&asked->c, why);
	err = knc_parse_config(asked, why);
	if (!err)
		err = knc_parse_events(asked);
	if (!err)
		err = knc_parse_cpus(asked, why);
	if (!err)
		err = knc_request_check(&asked->req, why);
	if (!err)
		err = knc_session_config(s, &asked->req, why, knc_config_tell);
	if (!err || why->reason == KNC_PMU_REASON_NONE)
		return err;
	knc_config_reason(&asked->c, why);
	if (knc_copy_out(asked->arg, &asked->c, sizeof(asked->c), asked->cmd))
		return -EFAULT;
	return err;
}

long knc_ioctl_config(struct knc_session *s, struct knc_pmu_config __user *arg,
		      unsigned int cmd)
{
	struct knc_refusal why = { .reason = KNC_PMU_REASON_NONE };
	struct knc_asked *asked;
	int err;

	asked = kzalloc(sizeof(*asked), KNC_COMPAT_GFP_QUIET);
	if (!asked)
		return -ENOMEM;
	asked->arg = arg;
	asked->cmd = cmd;
	err = knc_copy_in(&asked->c, sizeof(asked->c), arg, cmd);
	if (!err)
		err = knc_config(s, asked, &why);
	kfree(asked);
	return err;
}
