/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUID, whose header has moved
 */
#ifndef KNC_PMU_COMPAT_CPUID_H
#define KNC_PMU_COMPAT_CPUID_H

#include <asm/processor.h>

#if defined(__has_include)
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h>
#endif
#endif

#endif /* KNC_PMU_COMPAT_CPUID_H */
