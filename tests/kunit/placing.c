// SPDX-License-Identifier: GPL-2.0
/* Which events fit on which counters, by trying all combinations */
#include "placing.h"

struct knc_event event_of(const struct event_row *row, u32 flags)
{
	struct knc_event e = {
		.event = row->event | row->umask << 8,
		.flags = flags,
	};

	return e;
}

/* Event @i is @row; its request allows @counters (0: any). */
void placing_set(struct placing *p, unsigned int i, const struct event_row *row,
		 u32 counters)
{
	p->e[i] = event_of(row, KNC_PMU_EVENT_USR);
	p->e[i].counters = counters;
	p->can[i] = row->counters & (counters ?: PLACING_ANY);
}

/* May the events be on counters @c0 and @c1? */
bool placing_fits(const struct placing *p, unsigned int free, unsigned int c0,
		  unsigned int c1)
{
	if (c0 > 1 || !(p->can[0] & free & 1u << c0))
		return false;
	if (p->nr == 1)
		return true;
	return c1 < 2 && c0 != c1 && p->can[1] & free & 1u << c1;
}

bool placing_possible(const struct placing *p, unsigned int free)
{
	return placing_fits(p, free, 0, 1) || placing_fits(p, free, 1, 0);
}
