/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts over time, or levels; bins.c and timeline-level.c read them, timeline-csv.c and
 * timeline-svg.c show them
 */
#ifndef KNC_CTL_BINS_H
#define KNC_CTL_BINS_H

#include <stdio.h>

#include "cli/level.h"
#include "profile/profile.h"

struct lanes;

/**
 * struct bin - the count of a hardware thread in an interval, or the level of an L3
 * @cpu: the hardware thread; of a level one of the L3's threads
 * @event: index of the event
 * @start: its beginning, ns since the recording began
 * @end: its end, likewise
 * @count: number of events; the mean of @readings
 * @readings: number of readings of a level
 */
struct bin {
	unsigned int cpu;
	unsigned int event;
	unsigned long long start;
	unsigned long long end;
	double count;
	struct level_readings readings;
};

/**
 * struct timeline - counts or a level over time
 * @bins: the bins, ordered by event, hardware thread and time
 * @nr: number of bins
 * @room: elements of @bins
 * @by_time: the counts are exact, from time samples; else from event samples, whose whole
 *	period is in the bin of the sample
 * @level: the name of the level; NULL: counts
 * @lanes: what each thread did; NULL: the recording has no context switches
 */
struct timeline {
	struct bin *bins;
	size_t nr;
	size_t room;
	int by_time;
	const char *level;
	struct lanes *lanes;
};

int timeline_read(struct timeline *t, struct profile *p, unsigned long long bin);
/* timeline-level.c: read levels from JSON; closes @fd */
int timeline_read_levels(struct timeline *t, const struct profile_opts *opts, int fd,
			 unsigned long long bin);
void timeline_free(struct timeline *t);

#endif /* KNC_CTL_BINS_H */
