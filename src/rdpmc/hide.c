// SPDX-License-Identifier: GPL-2.0
/*
 * While a program may execute RDPMC, a counter that no claim is on has no count of a
 * former owner
 */
#include <linux/mutex.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "count/registers.h"
#include "count/sched.h"
#include "rdpmc/hide.h"

/* Held while counters are wiped: no later caller returns before that is done. */
static DEFINE_MUTEX(knc_hiding_lock);

/* A running task has a counter as another task of its session left it: see knc_count_hand_on() */
static void knc_wipe_here(void *unused)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	unsigned int n;

	if (!hw->taken)
		return;
	knc_wipe(hw);
	for_each_counter(n) {
		if (!knc_hwthread_has_task(hw, n))
			continue;
		knc_hwthread_edit_begin(hw, hw->count[n]);
		knc_hwthread_edit_end(hw, hw->count[n]);
	}
}

/**
 * knc_hide_begin() - leave nothing in free counters any more
 *
 * From return on RDPMC may be permitted to any program. Undone by knc_hide_end().
 */
void knc_hide_begin(void)
{
	mutex_lock(&knc_hiding_lock);
	/* a hardware thread in a context switch sees the number, or is called after it */
	if (atomic_inc_return(&knc_nr_hiding) == 1)
		on_each_cpu(knc_wipe_here, NULL, true);
	mutex_unlock(&knc_hiding_lock);
}

/* RDPMC is not permitted any more. */
void knc_hide_end(void)
{
	atomic_dec(&knc_nr_hiding);
}
