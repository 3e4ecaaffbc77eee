// SPDX-License-Identifier: GPL-2.0
/*
 * While a program may execute RDPMC, free counters are 0: they don't show counts of a former owner
 */
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "count/registers.h"
#include "count/sched.h"
#include "rdpmc/hide.h"

/* Held while counters are wiped: a second caller waits until this is done. */
static DEFINE_MUTEX(knc_hiding_lock);
/* Hardware threads whose registers are ours; under knc_hiding_lock */
static struct cpumask knc_hiding_on;

/*
 * Clear the free counters of this hardware thread. Also load the running task's counters anew: they
 * may show what another task counted (knc_count_hand_on()).
 */
static void knc_wipe_here(void *unused)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	unsigned int n;

	if (!hw->taken)
		return;
	knc_registers_wipe(hw);
	for_each_counter(n) {
		if (!knc_hwthread_has_task(hw, n))
			continue;
		knc_count_edit_begin(hw, hw->count[n]);
		knc_count_edit_end(hw, hw->count[n]);
	}
}

/**
 * knc_hide_begin() - set free counters to 0 from now on
 *
 * After this RDPMC may be permitted. Undone by knc_hide_end().
 */
void knc_hide_begin(void)
{
	unsigned int cpu;

	mutex_lock(&knc_hiding_lock);
	/* a context switch either sees the new number, or is finished before the call arrives */
	if (atomic_inc_return(&knc_nr_hiding) == 1) {
		cpumask_clear(&knc_hiding_on);
		for_each_possible_cpu(cpu)
			if (READ_ONCE(knc_hwthread_of(cpu)->taken))
				cpumask_set_cpu(cpu, &knc_hiding_on);
		on_each_cpu_mask(&knc_hiding_on, knc_wipe_here, NULL, true);
	}
	mutex_unlock(&knc_hiding_lock);
}

/* The session has revoked its permissions. */
void knc_hide_end(void)
{
	atomic_dec(&knc_nr_hiding);
}
