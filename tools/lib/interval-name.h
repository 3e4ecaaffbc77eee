/* SPDX-License-Identifier: GPL-2.0 */
/* Names of intervals */
#ifndef KNCPMU_INTERVAL_NAME_H
#define KNCPMU_INTERVAL_NAME_H

#include "private.h"

/* The named intervals, columns of a table */
enum kncpmu_interval { KNCPMU_ON, KNCPMU_HI, KNCPMU_LO, KNCPMU_NR_INTERVALS };

/* Returns the enum kncpmu_interval of the @len characters at @text; -1: no such name */
int kncpmu_interval_name(const char *text, size_t len);

/* Are the @len characters at @text an interval, such as "on", "1009" or "100/s"? */
int kncpmu_is_interval(const char *text, size_t len);

#endif /* KNCPMU_INTERVAL_NAME_H */
