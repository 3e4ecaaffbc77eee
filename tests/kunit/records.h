/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader of rings that adds up the records
 */
#ifndef KNC_TEST_RECORDS_H
#define KNC_TEST_RECORDS_H

#include <kunit/test.h>

#include <knc_pmu.h>

#include "pmu/pmu.h"
#include "sample/ring.h"

#define TALLY_TYPES	(KNC_PMU_RECORD_SWITCH_IN + 1)

/**
 * struct tally - sums of the records that were read
 * @records: number of records of each type
 * @samples: number of samples of each event
 * @periods: events that these samples stood for
 * @longest: the most events of one sample
 * @tsc: time stamp of the last sample or time sample
 * @last: the last sample, without its chains
 * @out: the last record of a task that left
 * @in: the last record of a task that came
 * @copies: samples with a copy of the stack
 * @no_room: samples for whose copy the ring had no room
 * @lost: samples reported as lost
 * @lost_events: the events that these stood for
 * @unsampled: events reported as unsampled
 * @delta: the sum of time samples
 * @missed: the sum of their missed intervals
 * @nr_order: how many types @order has
 * @order: types of the first records, in order
 */
struct tally {
	u64 records[TALLY_TYPES];
	u64 samples[PMU_MAX_COUNTERS];
	u64 periods[PMU_MAX_COUNTERS];
	u64 longest[PMU_MAX_COUNTERS];
	u64 tsc;
	struct knc_pmu_sample last;
	struct knc_pmu_sample out;
	struct knc_pmu_sample in;
	u64 copies;
	u64 no_room;
	u64 lost;
	u64 lost_events[PMU_MAX_COUNTERS];
	u64 unsampled[PMU_MAX_COUNTERS];
	u64 delta[PMU_MAX_COUNTERS];
	u64 missed;
	unsigned int nr_order;
	u8 order[64];
};

void tally_read(struct kunit *test, struct knc_ring *r, struct tally *t);
u64 tally_sum(const struct knc_ring *r, const struct tally *t, unsigned int i);

#endif /* KNC_TEST_RECORDS_H */
