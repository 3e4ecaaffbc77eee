// SPDX-License-Identifier: GPL-2.0
/*
 * References for tests/bench: the only command of /dev/knc_bench_ipi does nothing (argument 0), or
 * calls an empty function on every CPU (argument 1).
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/smp.h>

static void knc_bench_nothing(void *info)
{
}

static long knc_bench_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	if (arg)
		on_each_cpu(knc_bench_nothing, NULL, 1);
	return 0;
}

static const struct file_operations knc_bench_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= knc_bench_ioctl,
};

static struct miscdevice knc_bench_dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "knc_bench_ipi",
	.fops	= &knc_bench_fops,
};

module_misc_device(knc_bench_dev);

MODULE_DESCRIPTION("What an empty command and an empty call on every CPU cost");
MODULE_LICENSE("GPL");
