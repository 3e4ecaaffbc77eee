// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/knc_pmu: its file operations, and the dispatch of commands
 *
 * uapi/knc_pmu.h describes commands, structs and errors.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "abi/chardev.h"
#include "abi/config.h"
#include "abi/copy.h"
#include "abi/query.h"
#include "compat/compat.h"
#include "session/session.h"

static long knc_ioctl_reset(struct knc_session *s, unsigned long arg)
{
	if (arg & ~(unsigned long)KNC_PMU_RESET_REGISTERS)
		return -EINVAL;
	return knc_session_reset(s, arg & KNC_PMU_RESET_REGISTERS);
}

/* READ may have only one of these flags */
#define KNC_READ_ONE_OF	(KNC_PMU_READ_TASKS | KNC_PMU_READ_STOP | KNC_PMU_READ_START)

static bool knc_read_is_legal(u32 flags)
{
	u32 chosen = flags & KNC_READ_ONE_OF;

	if (flags & ~KNC_PMU_READ_FLAGS)
		return false;
	if (chosen & (chosen - 1))
		return false;
	return !(flags & KNC_PMU_READ_NAMES) || flags & KNC_PMU_READ_TASKS;
}

/* @flags: lower half @flags of struct knc_pmu_read, upper half its @reserved */
static noinline long knc_read_flags_checked(struct knc_session *s, u64 buffer, u64 size,
					    u64 flags)
{
	if (flags >> 32 || !knc_read_is_legal(flags))
		return -EINVAL;
	return knc_session_read(s, (void __user *)(unsigned long)buffer, size, flags);
}

/*
 * Both calls are tail calls: READ saves no registers here. 0 and COUNTS, the lowest flag, are legal
 * values of @flags; all larger values are checked.
 */
static __always_inline long knc_read_flags(struct knc_session *s, u64 buffer, u64 size,
					   u64 flags)
{
	if (unlikely(flags > KNC_PMU_READ_COUNTS))
		return knc_read_flags_checked(s, buffer, size, flags);
	return knc_session_read(s, (void __user *)(unsigned long)buffer, size, flags);
}

/* Copies a struct of the module's own size, in a fifth of the time of knc_copy_in() */
static long knc_ioctl_read(struct knc_session *s,
			   struct knc_pmu_read __user *arg)
{
	u64 buffer, size, flags;

	if (!user_access_begin(arg, sizeof(*arg)))
		return -EFAULT;
	unsafe_get_user(buffer, &arg->buffer, fault);
	unsafe_get_user(size, &arg->buffer_size, fault);
	/* one load of @flags and @reserved: one test then finds all rare cases */
	unsafe_get_user(flags, (u64 __user *)&arg->flags, fault);
	user_access_end();
	return knc_read_flags(s, buffer, size, flags);
fault:
	user_access_end();
	return -EFAULT;
}

/* READ with a struct that is shorter or longer than struct knc_pmu_read of this module */
static long knc_ioctl_read_sized(struct knc_session *s,
				 struct knc_pmu_read __user *arg,
				 unsigned int cmd)
{
	struct knc_pmu_read r;
	int err;

	err = knc_copy_in(&r, sizeof(r), arg, cmd);
	if (err)
		return err;
	return knc_read_flags(s, r.buffer, r.buffer_size, (u64)r.reserved << 32 | r.flags);
}

static long knc_ioctl_evict(struct knc_session *s,
			    struct knc_pmu_evict __user *arg, unsigned int cmd)
{
	struct knc_pmu_evict evict;
	int err;

	err = knc_copy_in(&evict, sizeof(evict), arg, cmd);
	if (err)
		return err;
	if (evict.flags)
		return -EINVAL;
	err = knc_query_need_counters(evict.pmu);
	if (err)
		return err;
	if (!perfmon_capable())
		return -EPERM;
	return knc_sessions_evict(s, evict.cpu, evict.counter);
}

/* The number of a command without the size of its struct */
#define KNC_UNSIZED(cmd)	((cmd) & ~IOCSIZE_MASK)

/* Commands whose argument is a struct, of any size */
static noinline long knc_ioctl_sized(struct knc_session *s, void __user *arg,
				     unsigned int cmd)
{
	switch (KNC_UNSIZED(cmd)) {
	case KNC_UNSIZED(KNC_PMU_IOC_READ):
		return knc_ioctl_read_sized(s, arg, cmd);
	case KNC_UNSIZED(KNC_PMU_IOC_CONFIG):
		return knc_config_ioctl(s, arg, cmd);
	case KNC_UNSIZED(KNC_PMU_IOC_INFO):
		return knc_query_ioctl_info(arg, cmd);
	case KNC_UNSIZED(KNC_PMU_IOC_REGS):
		return knc_query_ioctl_regs(arg, cmd);
	case KNC_UNSIZED(KNC_PMU_IOC_OWNER):
		return knc_query_ioctl_owner(arg, cmd);
	case KNC_UNSIZED(KNC_PMU_IOC_STATS):
		return knc_query_ioctl_stats(arg, cmd);
	case KNC_UNSIZED(KNC_PMU_IOC_GRANTS):
		return knc_query_ioctl_grants(arg, cmd);
	case KNC_UNSIZED(KNC_PMU_IOC_EVICT):
		return knc_ioctl_evict(s, arg, cmd);
	default:
		return -ENOTTY;
	}
}

/* The frequent commands, and those without a struct; all others are in knc_ioctl_sized() */
static long knc_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct knc_session *s = file->private_data;

	/* not a switch: the most frequent command is tested first */
	if (likely(cmd == KNC_PMU_IOC_READ))
		return knc_ioctl_read(s, (void __user *)arg);
	if (cmd == KNC_PMU_IOC_START)
		return arg ? -EINVAL : knc_session_start(s);
	if (cmd == KNC_PMU_IOC_STOP)
		return arg ? -EINVAL : knc_session_stop(s);
	if (cmd == KNC_PMU_IOC_RESET)
		return knc_ioctl_reset(s, arg);
	return knc_ioctl_sized(s, (void __user *)arg, cmd);
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
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= knc_mmap,
	.poll		= knc_poll,
};

/* a udev rule (tools/packaging) gives the device node to group kncpmu */
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
