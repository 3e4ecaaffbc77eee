/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delivery of PMIs: as NMIs, or by a vector of their own
 */
#ifndef KNC_PMU_DELIVERY_H
#define KNC_PMU_DELIVERY_H

#include <linux/types.h>

struct knc_event;

int knc_delivery_init(void);
void knc_delivery_exit(void);
void knc_delivery_online(unsigned int cpu);
void knc_delivery_offline(unsigned int cpu);
bool knc_delivery_has_vectors(void);
bool knc_delivery_has_nmis(void);
bool knc_delivery_is_nmi(const struct knc_event *events, unsigned int nr);

#endif /* KNC_PMU_DELIVERY_H */
