/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernels that the module is for: MPSS's 2.6.38, Linux 5.10 and newer, and older ones whose
 * distribution has backported what 5.10 has (tools/check-kdir says what they lack)
 */
#ifndef KNC_PMU_COMPAT_VERSIONS_H
#define KNC_PMU_COMPAT_VERSIONS_H

#include <linux/capability.h>
#include <linux/version.h>

#define KNC_COMPAT_MPSS							\
	(LINUX_VERSION_CODE < KERNEL_VERSION(2, 6, 39))

#if !KNC_COMPAT_MPSS && !defined(CAP_PERFMON)
#error knc_pmu needs MPSS 2.6.38, or Linux 5.10 or newer, or its interfaces
#endif

#endif /* KNC_PMU_COMPAT_VERSIONS_H */
