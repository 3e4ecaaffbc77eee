// SPDX-License-Identifier: GPL-2.0
/*
 * The module but for main.c and the character device, with KNC_PMU_KUNIT
 */
#include <linux/module.h>

#include "../../src/hw.c"
#include "../../src/event.c"
#include "../../src/hwthread.c"
#include "../../src/compat.c"
#include "../../src/session.c"

#include "units.h"

struct timer_list *knc_test_fold_timer(unsigned int cpu)
{
	return &per_cpu(knc_fold_timers, cpu);
}

unsigned long knc_test_fold_interval(void)
{
	return knc_fold_interval();
}

MODULE_DESCRIPTION("KUnit tests of knc_pmu");
MODULE_LICENSE("GPL");
