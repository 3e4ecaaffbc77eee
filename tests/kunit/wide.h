/* SPDX-License-Identifier: GPL-2.0 */
/* A PMU that differs from Knights Corner's in everything that a descriptor allows */
#ifndef KNC_TEST_WIDE_H
#define KNC_TEST_WIDE_H

#include "pmu/pmu.h"

extern const struct pmu_desc pmu_wide;

#endif /* KNC_TEST_WIDE_H */
