/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of events, one for each PMU: events.c, uncore.c, westmere.c */
#ifndef KNCPMU_TABLES_H
#define KNCPMU_TABLES_H

#include "private.h"

const struct kncpmu_event_desc *kncpmu_knc_events(unsigned int *nr);
const struct kncpmu_event_desc *kncpmu_arch_events(unsigned int *nr);
const struct kncpmu_event_desc *kncpmu_westmere_events(unsigned int *nr);
const struct kncpmu_event_desc *kncpmu_uncore_events(unsigned int *nr);

#endif /* KNCPMU_TABLES_H */
