// SPDX-License-Identifier: GPL-2.0
/* Sessions on the uncore, with KNC_PMU_KUNIT: the test decides when to poll */
#include "host/uncore.h"
#include "pmu/hw.h"
#include "units.h"

#include "../../src/host/uncore.c"

void knc_test_uncore_poll(void)
{
	knc_uncore_poll(&knc_uncore_work.work);
}

/* Cancel the next poll, as if its time had come */
void knc_test_uncore_cancel(void)
{
	cancel_delayed_work_sync(&knc_uncore_work);
}

static bool test_polls, test_closed;

/* A poll whose kernel thread is starved */
static void test_poll_slowly(struct work_struct *work)
{
	unsigned long until = jiffies + 5 * HZ;

	WRITE_ONCE(test_polls, true);
	while (!READ_ONCE(test_closed) && time_before(jiffies, until))
		schedule_timeout_uninterruptible(1);
	WRITE_ONCE(test_polls, false);
}

/* Close @u during such a poll; returns whether the poll is still running */
bool knc_test_uncore_close_early(struct knc_uncore *u)
{
	bool polls;

	knc_uncore_work.work.func = test_poll_slowly;
	test_closed = false;
	mod_delayed_work(system_wq, &knc_uncore_work, 0);
	while (!READ_ONCE(test_polls))
		schedule_timeout_uninterruptible(1);
	knc_uncore_close(u);
	polls = READ_ONCE(test_polls);
	WRITE_ONCE(test_closed, true);
	cancel_delayed_work_sync(&knc_uncore_work);
	knc_uncore_work.work.func = knc_uncore_poll;
	return polls;
}

/* Is a poll due, and soon enough? @hz: the fastest clock of a counter */
bool knc_test_uncore_polls(u64 hz)
{
	return delayed_work_pending(&knc_uncore_work) &&
	       KNC_UNCORE_POLL / HZ * hz < 1ULL << PMU_UNCORE_WIDTH;
}

/* What READ would return of a package, without reading the counters */
void knc_test_uncore_record(const struct knc_uncore *u, struct knc_pmu_thread *record)
{
	knc_uncore_record(u, u->package[0], 0, KNC_PMU_READ_COUNTS, record);
}

/* What READ would return of event @i */
u64 knc_test_uncore_count(const struct knc_uncore *u, unsigned int i)
{
	struct knc_pmu_thread record;

	knc_test_uncore_record(u, &record);
	return record.value[i];
}
