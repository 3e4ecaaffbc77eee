// SPDX-License-Identifier: GPL-2.0
/*
 * Requests: copy in and check what CONFIG is asked, and tell the answer
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include "abi/request.h"
#include "compat/compat.h"
#include "session/session.h"

/*
 * Copy in a struct that begins with its size, by the rules of uapi/knc_pmu.h;
 * @first is the size of its first published version.
 */
int knc_copy_in(void *to, size_t ksize, size_t first,
		const void __user *from)
{
	u32 size;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	if (size < first)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, ksize, from, size);
}

/* Copy out as much as the caller knows; @size is what it said. */
int knc_copy_out(void __user *to, const void *from, size_t ksize,
		 u32 size)
{
	return copy_to_user(to, from, min_t(size_t, ksize, size)) ? -EFAULT : 0;
}

/* Room for KNC_PMU_MAX_CPUS bits, of which the kernel may know fewer */
static int knc_copy_cpus(unsigned long *bits, const struct knc_pmu_config *c,
			 struct knc_refusal *why)
{
	unsigned long bit;

	if (!c->cpus_size || c->cpus_size > KNC_PMU_MAX_CPUS / 8)
		return -EINVAL;
	if (copy_from_user(bits, (void __user *)(unsigned long)c->cpus,
			   c->cpus_size))
		return -EFAULT;
	if (bitmap_empty(bits, KNC_PMU_MAX_CPUS)) {
		why->reason = KNC_PMU_REASON_CPU_EMPTY;
		return -EINVAL;
	}
	bit = find_next_bit(bits, KNC_PMU_MAX_CPUS, nr_cpu_ids);
	if (bit < KNC_PMU_MAX_CPUS) {
		why->reason = KNC_PMU_REASON_CPU_NONE;
		why->cpu = bit;
		return -ENXIO;
	}
	return 0;
}

static int knc_copy_events(struct knc_pmu_event *events,
			   const struct knc_pmu_config *c)
{
	const void __user *from = (void __user *)(unsigned long)c->events;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < c->nr_events; i++)
		err = copy_struct_from_user(&events[i], sizeof(events[i]),
					    from + i * c->event_size,
					    c->event_size);
	return err;
}

static int knc_copy_events_back(const struct knc_pmu_event *events,
				const struct knc_pmu_config *c)
{
	void __user *to = (void __user *)(unsigned long)c->events;
	unsigned int i;

	for (i = 0; i < c->nr_events; i++)
		if (copy_to_user(to + i * c->event_size, &events[i],
				 sizeof(events[i])))
			return -EFAULT;
	return 0;
}

/**
 * struct knc_asked - what CONFIG was asked
 * @c: a copy of it
 * @arg: where it is the caller's
 */
struct knc_asked {
	struct knc_pmu_config c;
	struct knc_pmu_config __user *arg;
};

/* A caller that can't be told of its session has none. */
static int knc_config_tell(const struct knc_pmu_config *c,
			   const struct knc_pmu_event *events)
{
	const struct knc_asked *asked = container_of(c, struct knc_asked, c);
	int err;

	err = knc_copy_events_back(events, c);
	return err ? err : knc_copy_out(asked->arg, c, sizeof(*c), c->size);
}

/* On hardware threads, or for tasks */
static int knc_config_where(struct knc_session *s,
			    const struct knc_pmu_config *c,
			    struct knc_pmu_event *events,
			    struct knc_refusal *why)
{
	unsigned long *bits;
	int err;

	if (c->flags & KNC_PMU_CONFIG_TASK)
		return knc_session_config(s, NULL, c, events, why,
					  knc_config_tell);
	BUILD_BUG_ON(sizeof(struct cpumask) > KNC_PMU_MAX_CPUS / 8);
	bits = kzalloc(KNC_PMU_MAX_CPUS / 8, KNC_COMPAT_GFP_QUIET);
	if (!bits)
		return -ENOMEM;
	err = knc_copy_cpus(bits, c, why);
	if (!err)
		err = knc_session_config(s, to_cpumask(bits), c, events, why,
					 knc_config_tell);
	kfree(bits);
	return err;
}

static int knc_config(struct knc_session *s, const struct knc_pmu_config *c,
		      struct knc_refusal *why)
{
	struct knc_pmu_event *events;
	int err;

	events = kcalloc(c->nr_events, sizeof(*events), KNC_COMPAT_GFP_QUIET);
	if (!events)
		return -ENOMEM;
	err = knc_copy_events(events, c);
	if (!err)
		err = knc_config_where(s, c, events, why);
	kfree(events);
	return err;
}

static int knc_config_check(const struct knc_pmu_config *c,
			    struct knc_refusal *why)
{
	if (c->flags & ~KNC_PMU_CONFIG_FLAGS || c->reserved)
		return -EINVAL;
	if (!c->nr_events || c->nr_events > KNC_PMU_MAX_SET ||
	    c->event_size < sizeof(struct knc_pmu_event))
		return -EINVAL;
	if (c->event_size > PAGE_SIZE)
		return -E2BIG;
	if (!(c->flags & KNC_PMU_CONFIG_TASK) && !perfmon_capable()) {
		why->reason = KNC_PMU_REASON_PRIVILEGE;
		return -EPERM;
	}
	return 0;
}

static void knc_config_reason(struct knc_pmu_config *c,
			      const struct knc_refusal *why)
{
	c->reason = why->reason;
	c->reason_event[0] = why->event[0];
	c->reason_event[1] = why->event[1];
	c->reason_cpu = why->cpu;
	c->reason_pid = why->pid;
	c->reason_counter = why->counter;
}

long knc_ioctl_config(struct knc_session *s,
		      struct knc_pmu_config __user *arg)
{
	struct knc_refusal why = { .reason = KNC_PMU_REASON_NONE };
	struct knc_asked asked = { .arg = arg };
	struct knc_pmu_config *c = &asked.c;
	int err;

	/* without sampling, as it was first */
	err = knc_copy_in(c, sizeof(*c),
			  offsetof(struct knc_pmu_config, sample_interval), arg);
	if (err)
		return err;
	/* told if all goes well */
	knc_config_reason(c, &why);
	err = knc_config_check(c, &why);
	if (!err)
		err = knc_config(s, c, &why);
	if (!err || why.reason == KNC_PMU_REASON_NONE)
		return err;
	knc_config_reason(c, &why);
	if (knc_copy_out(arg, c, sizeof(*c), c->size))
		return -EFAULT;
	return err;
}
