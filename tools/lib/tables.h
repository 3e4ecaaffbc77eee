/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of events of further PMUs: uncore.c, westmere.c */
#ifndef KNCPMU_TABLES_H
#define KNCPMU_TABLES_H

#include "private.h"

/* The table of the uncore's events */
const struct kncpmu_event_desc *kncpmu_uncore_events(unsigned int *nr);

/* The table of Westmere's events */
const struct kncpmu_event_desc *kncpmu_westmere_events(unsigned int *nr);

#endif /* KNCPMU_TABLES_H */
