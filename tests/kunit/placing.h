/* SPDX-License-Identifier: GPL-2.0 */
/* Which events fit on which counters, by trying all combinations */
#ifndef KNC_TEST_PLACING_H
#define KNC_TEST_PLACING_H

#include <linux/types.h>

#include <knc_pmu.h>

#include "request/event.h"

#define PLACING_ANY	3

/* Facts about an event: its code, mask of counters, scope */
struct event_row {
	u8 event;
	u8 umask;
	u8 counters;
	u8 scope;
};

/**
 * struct placing - one or two events that look for counters
 * @e: the events
 * @can: for each event, the counters that can count it and that the request allows
 * @nr: number of events
 * @free: counters to choose from
 */
struct placing {
	struct knc_event e[2];
	unsigned int can[2];
	unsigned int nr;
	unsigned int free;
};

struct knc_event event_of(const struct event_row *row, u32 flags);
void placing_set(struct placing *p, unsigned int i, const struct event_row *row,
		 u32 counters);
bool placing_fits(const struct placing *p, unsigned int free, unsigned int c0,
		  unsigned int c1);
bool placing_possible(const struct placing *p, unsigned int free);

#endif /* KNC_TEST_PLACING_H */
