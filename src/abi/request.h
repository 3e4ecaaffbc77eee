/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structs of the ABI come in and go out; CONFIG
 */
#ifndef KNC_PMU_REQUEST_H
#define KNC_PMU_REQUEST_H

#include <linux/types.h>

#include <knc_pmu.h>

struct knc_session;

int knc_copy_in(void *to, size_t ksize, size_t first, const void __user *from);
int knc_copy_out(void __user *to, const void *from, size_t ksize, u32 size);
long knc_ioctl_config(struct knc_session *s, struct knc_pmu_config __user *arg);

#endif /* KNC_PMU_REQUEST_H */
