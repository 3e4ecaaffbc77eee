// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/knc_pmu: one switch over thin handlers that copy, check and hand on
 *
 * Commands, structs and errors are described in uapi/knc_pmu.h.
 */
#include <linux/bitmap.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#include <asm/tsc.h>

#include "abi/chardev.h"
#include "count/clock.h"
#include "compat/compat.h"
#include "pmu/hw.h"
#include "sample/pmi.h"
#include "task/grants.h"
#include "session/session.h"

/*
 * Copy in a struct that begins with its size, by the rules of uapi/knc_pmu.h;
 * @first is the size of its first published version.
 */
static int knc_copy_in(void *to, size_t ksize, size_t first,
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
static int knc_copy_out(void __user *to, const void *from, size_t ksize,
			u32 size)
{
	return copy_to_user(to, from, min_t(size_t, ksize, size)) ? -EFAULT : 0;
}

static long knc_ioctl_info(struct knc_pmu_info __user *arg)
{
	struct knc_pmu_info info;
	int err;

	err = knc_copy_in(&info, sizeof(info), sizeof(info), arg);
	if (err)
		return err;
	if (info.flags || info.reserved)
		return -EINVAL;
	info.nr_counters = knc_hw_model.nr_counters;
	info.counter_width = knc_hw_model.width;
	info.nr_threads = nr_cpu_ids;
	info.nr_online = num_online_cpus();
	info.threads_per_core = knc_hw_model.threads_per_core;
	info.nr_sessions = knc_session_number();
	info.features = KNC_PMU_FEATURE_THREADS | KNC_PMU_FEATURE_SPFLT |
			KNC_PMU_FEATURE_SAMPLING;
	info.features |= KNC_PMU_FEATURE_SETS | KNC_PMU_FEATURE_EVICT;
	if (knc_compat_has_tracepoint("sched_switch"))
		info.features |= KNC_PMU_FEATURE_TASKS;
	if (KNC_COMPAT_RDPMC && knc_compat_has_tracepoint("sched_process_fork"))
		info.features |= KNC_PMU_FEATURE_RDPMC;
	if (KNC_COMPAT_CALLCHAIN)
		info.features |= KNC_PMU_FEATURE_CALLCHAIN;
	if (knc_pmi_is_irq())
		info.features |= KNC_PMU_FEATURE_PMI_IRQ;
	info.tsc_khz = knc_clock_khz();
	return knc_copy_out(arg, &info, sizeof(info), info.size);
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

static long knc_ioctl_config(struct knc_session *s,
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

static long knc_ioctl_reset(struct knc_session *s, unsigned long arg)
{
	if (arg & ~(unsigned long)KNC_PMU_RESET_REGISTERS)
		return -EINVAL;
	return knc_session_reset(s, arg & KNC_PMU_RESET_REGISTERS);
}

/* What knc_copy_in() does, in a fifth of the time if the size is ours */
static int knc_copy_in_read(struct knc_pmu_read *r,
			    const struct knc_pmu_read __user *arg)
{
	if (!user_access_begin(arg, sizeof(*arg)))
		return -EFAULT;
	unsafe_get_user(r->size, &arg->size, fault);
	unsafe_get_user(r->flags, &arg->flags, fault);
	unsafe_get_user(r->buffer, &arg->buffer, fault);
	unsafe_get_user(r->buffer_size, &arg->buffer_size, fault);
	user_access_end();
	if (likely(r->size == sizeof(*r)))
		return 0;
	return knc_copy_in(r, sizeof(*r), sizeof(*r), arg);
fault:
	user_access_end();
	/* a short struct may end where memory does: let this one say so */
	return knc_copy_in(r, sizeof(*r), sizeof(*r), arg);
}

static long knc_ioctl_read(struct knc_session *s,
			   struct knc_pmu_read __user *arg)
{
	struct knc_pmu_read r;
	int err;

	err = knc_copy_in_read(&r, arg);
	if (err)
		return err;
	if (r.flags & ~KNC_PMU_READ_FLAGS)
		return -EINVAL;
	return knc_session_read(s, (void __user *)(unsigned long)r.buffer,
				r.buffer_size, r.flags);
}

static long knc_ioctl_regs(struct knc_pmu_regs __user *arg)
{
	struct knc_pmu_regs regs;
	int err;

	err = knc_copy_in(&regs, sizeof(regs), sizeof(regs), arg);
	if (err)
		return err;
	if (regs.flags)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	err = knc_session_regs(&regs);
	if (err)
		return err;
	return knc_copy_out(arg, &regs, sizeof(regs), regs.size);
}

static long knc_ioctl_owner(struct knc_pmu_owner __user *arg)
{
	struct knc_pmu_owner owner;
	int ret;

	ret = knc_copy_in(&owner, sizeof(owner), sizeof(owner), arg);
	if (ret)
		return ret;
	if (owner.flags || owner.reserved)
		return -EINVAL;
	ret = knc_session_owner(owner.cpu, owner.counter, &owner.pid);
	if (ret < 0)
		return ret;
	owner.flags = ret;
	return knc_copy_out(arg, &owner, sizeof(owner), owner.size);
}

static long knc_ioctl_stats(struct knc_pmu_stats_read __user *arg)
{
	struct knc_pmu_stats_read r;
	int err;

	err = knc_copy_in(&r, sizeof(r), sizeof(r), arg);
	if (err)
		return err;
	if (r.flags)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	return knc_session_stats((void __user *)(unsigned long)r.buffer,
				 r.buffer_size);
}

static long knc_ioctl_grants(struct knc_pmu_grants __user *arg)
{
	struct knc_pmu_grants g;
	int err;

	err = knc_copy_in(&g, sizeof(g), sizeof(g), arg);
	if (err)
		return err;
	if (g.flags)
		return -EINVAL;
	return knc_rdpmc_list((void __user *)(unsigned long)g.buffer,
			      div_u64(g.buffer_size, sizeof(struct knc_pmu_grant)));
}

static long knc_ioctl_evict(struct knc_session *s,
			    struct knc_pmu_evict __user *arg)
{
	struct knc_pmu_evict evict;
	int err;

	err = knc_copy_in(&evict, sizeof(evict), sizeof(evict), arg);
	if (err)
		return err;
	if (evict.flags)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	return knc_sessions_evict(s, evict.cpu, evict.counter);
}

static long knc_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct knc_session *s = file->private_data;

	switch (cmd) {
	case KNC_PMU_IOC_READ:
		return knc_ioctl_read(s, (void __user *)arg);
	case KNC_PMU_IOC_START:
		return arg ? -EINVAL : knc_session_start(s);
	case KNC_PMU_IOC_STOP:
		return arg ? -EINVAL : knc_session_stop(s);
	case KNC_PMU_IOC_RESET:
		return knc_ioctl_reset(s, arg);
	case KNC_PMU_IOC_CONFIG:
		return knc_ioctl_config(s, (void __user *)arg);
	case KNC_PMU_IOC_INFO:
		return knc_ioctl_info((void __user *)arg);
	case KNC_PMU_IOC_REGS:
		return knc_ioctl_regs((void __user *)arg);
	case KNC_PMU_IOC_OWNER:
		return knc_ioctl_owner((void __user *)arg);
	case KNC_PMU_IOC_STATS:
		return knc_ioctl_stats((void __user *)arg);
	case KNC_PMU_IOC_GRANTS:
		return knc_ioctl_grants((void __user *)arg);
	case KNC_PMU_IOC_EVICT:
		return knc_ioctl_evict(s, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static int knc_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED))
		return -EPERM;
	return knc_session_mmap(file->private_data, vma);
}

static __poll_t knc_poll(struct file *file, poll_table *table)
{
	return knc_session_poll(file->private_data, file, table);
}

static int knc_open(struct inode *inode, struct file *file)
{
	struct knc_session *s = knc_session_create();

	if (!s)
		return -ENOMEM;
	file->private_data = s;
	return nonseekable_open(inode, file);
}

static int knc_release(struct inode *inode, struct file *file)
{
	knc_session_destroy(file->private_data);
	return 0;
}

static const struct file_operations knc_fops = {
	.owner		= THIS_MODULE,
	.open		= knc_open,
	.release	= knc_release,
	.unlocked_ioctl	= knc_ioctl,
	.compat_ioctl	= knc_compat_ioctl32,
	.mmap		= knc_mmap,
	.poll		= knc_poll,
};

/* udev gives it to group kncpmu (tools/packaging) */
static struct miscdevice knc_miscdev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "knc_pmu",
	.fops	= &knc_fops,
	.mode	= 0660,
};

int knc_chardev_register(void)
{
	return misc_register(&knc_miscdev);
}

void knc_chardev_unregister(void)
{
	misc_deregister(&knc_miscdev);
}
