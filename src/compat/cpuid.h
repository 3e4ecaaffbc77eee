/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUID, whose header has moved
 */
#ifndef KNC_PMU_COMPAT_CPUID_H
#define KNC_PMU_COMPAT_CPUID_H

#include <linux/version.h>

#include <asm/processor.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <asm/cpuid/api.h>
#endif

#endif /* KNC_PMU_COMPAT_CPUID_H */
