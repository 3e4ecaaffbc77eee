// SPDX-License-Identifier: GPL-2.0
/* Sessions on the uncore, with KNC_PMU_KUNIT: a test polls when it likes */
#include "host/uncore.h"
#include "pmu/hw.h"
#include "units.h"

#include "../../src/host/uncore.c"

void knc_test_uncore_poll(void)
{
	knc_uncore_poll(&knc_uncore_work.work);
}

/* As if the time had come */
void knc_test_uncore_cancel(void)
{
	cancel_delayed_work_sync(&knc_uncore_work);
}

/* Will there be a poll, and is that in time? @hz: the fastest clock that a counter may have */
bool knc_test_uncore_polls(u64 hz)
{
	return delayed_work_pending(&knc_uncore_work) &&
	       KNC_UNCORE_POLL / HZ * hz < 1ULL << PMU_UNCORE_WIDTH;
}

/* What READ would return of a package, without another look at the counters */
void knc_test_uncore_record(const struct knc_uncore *u, struct knc_pmu_thread *record)
{
	knc_uncore_record(u, u->package[0], 0, KNC_PMU_READ_COUNTS, record);
}

/* and of event @i */
u64 knc_test_uncore_count(const struct knc_uncore *u, unsigned int i)
{
	struct knc_pmu_thread record;

	knc_test_uncore_record(u, &record);
	return record.value[i];
}
