/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doors into what the module's sources keep to themselves
 */
#ifndef KNC_TEST_UNITS_H
#define KNC_TEST_UNITS_H

#include <linux/timer.h>

struct timer_list *knc_test_fold_timer(unsigned int cpu);
unsigned long knc_test_fold_interval(void);

#endif /* KNC_TEST_UNITS_H */
