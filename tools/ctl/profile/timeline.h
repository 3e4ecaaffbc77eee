/* SPDX-License-Identifier: GPL-2.0 */
/* Counts over time: bins.c sums up, timeline-svg.c draws */
#ifndef KNC_CTL_TIMELINE_H
#define KNC_CTL_TIMELINE_H

#include <stdio.h>

#include "profile/profile.h"

/**
 * struct bin - what a hardware thread counted in an interval
 * @cpu: the hardware thread
 * @event: index of the event
 * @start: its beginning, ns since the recording's
 * @end: its end
 * @count: events
 */
struct bin {
	unsigned int cpu;
	unsigned int event;
	unsigned long long start;
	unsigned long long end;
	double count;
};

/**
 * struct timeline - counts over time
 * @bins: by event, hardware thread and time
 * @nr: how many
 * @room: room for how many
 * @by_time: they come from time samples, of which it says nothing but the truth;
 *	else from event samples, each a period in the bin it ends in
 */
struct timeline {
	struct bin *bins;
	size_t nr;
	size_t room;
	int by_time;
};

int timeline_read(struct timeline *t, struct profile *p, unsigned long long bin);
void timeline_csv(const struct timeline *t, const struct profile *p, FILE *f);
void timeline_svg(const struct timeline *t, const struct profile *p, FILE *f);
void timeline_free(struct timeline *t);

#endif /* KNC_CTL_TIMELINE_H */
