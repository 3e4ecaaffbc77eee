/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernels that the module is for: MPSS's 2.6.38, and Linux 5.10 and newer
 */
#ifndef KNC_PMU_COMPAT_VERSIONS_H
#define KNC_PMU_COMPAT_VERSIONS_H

#include <linux/version.h>

#define KNC_COMPAT_MPSS							\
	(LINUX_VERSION_CODE < KERNEL_VERSION(2, 6, 39))

#if !KNC_COMPAT_MPSS && LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error knc_pmu needs MPSS 2.6.38, or Linux 5.10 or newer
#endif

#endif /* KNC_PMU_COMPAT_VERSIONS_H */
