/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module for tests/card/guest/gone.sh: writing N to its parameter "burn" executes N rounds of a
 * loop. The functions of the three modules have the same offset.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static noinline void BURN(unsigned long rounds)
{
	while (rounds--)
		barrier();
}

static int knc_gone_set(const char *text, const struct kernel_param *param)
{
	unsigned long rounds;
	int ret = kstrtoul(text, 0, &rounds);

	if (!ret)
		BURN(rounds);
	return ret;
}

static const struct kernel_param_ops knc_gone_ops = {
	.set = knc_gone_set,
};

module_param_cb(burn, &knc_gone_ops, NULL, 0200);

MODULE_DESCRIPTION("Code that goes while it is recorded");
MODULE_LICENSE("GPL");
