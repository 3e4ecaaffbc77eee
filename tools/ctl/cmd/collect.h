/* SPDX-License-Identifier: GPL-2.0 */
/* The events, the defaults and the counters as collect -h shows them */
#ifndef KNC_CTL_COLLECT_H
#define KNC_CTL_COLLECT_H

#include "cmd/events.h"

void list_collect(const struct event_filter *filter);

#endif /* KNC_CTL_COLLECT_H */
