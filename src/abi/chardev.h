/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/knc_pmu
 */
#ifndef KNC_PMU_CHARDEV_H
#define KNC_PMU_CHARDEV_H

int knc_chardev_register(void);
void knc_chardev_unregister(void);

#endif /* KNC_PMU_CHARDEV_H */
