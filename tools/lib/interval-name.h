/* SPDX-License-Identifier: GPL-2.0 */
/* Names of intervals */
#ifndef KNCPMU_INTERVAL_NAME_H
#define KNCPMU_INTERVAL_NAME_H

#include "private.h"

/* The named intervals, columns of a table */
enum kncpmu_interval { KNCPMU_ON, KNCPMU_HI, KNCPMU_LO, KNCPMU_NR_INTERVALS };

/* The enum kncpmu_interval of a name, @len characters at @text; -1: it is none */
int kncpmu_interval_name(const char *text, size_t len);

/* Does a word of a list, @len characters at @text, say how often: "on", "1009", "100/s"? */
int kncpmu_is_interval(const char *text, size_t len);

#endif /* KNCPMU_INTERVAL_NAME_H */
