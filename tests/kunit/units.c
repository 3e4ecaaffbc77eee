// SPDX-License-Identifier: GPL-2.0
/*
 * The module but for main.c, the character device, pmi.c and what has a unit_*.c
 * of its own, with KNC_PMU_KUNIT
 */
#include <linux/module.h>

#include "../../src/hw.c"
#include "../../src/event.c"
#include "../../src/hwthread.c"
#include "../../src/set.c"
#include "../../src/compat.c"
#include "../../src/ring.c"
#include "../../src/chain.c"

void (*knc_test_behind_clock)(void);

/* What happens between a reading of the clock and what comes behind it */
static u64 test_ktime_get_ns(void)
{
	u64 now = ktime_get_ns();

	if (knc_test_behind_clock)
		knc_test_behind_clock();
	return now;
}

#define ktime_get_ns() test_ktime_get_ns()
#include "../../src/sampler.c"
#undef ktime_get_ns

#include "../../src/session.c"

#include "units.h"

/* The overflow interrupt's way to write a record; false: no room */
bool knc_test_ring_put(struct knc_ring *r, const void *record, u32 most,
		       u32 size)
{
	if (!knc_ring_reserve(r, most))
		return false;
	memcpy(knc_ring_end(r), record, size);
	knc_ring_commit(r, size);
	return true;
}

void knc_test_tick(struct knc_sampler *s)
{
	knc_clock_set(s);
	knc_tick_here(s);
}

void knc_test_time_sample(struct knc_sampler *s)
{
	knc_time_sample(s);
}

struct knc_sampler *knc_test_sampler(struct knc_session *s, unsigned int i)
{
	return s->samplers ? &s->samplers[i] : NULL;
}

bool knc_test_rotor(unsigned int cpu)
{
	const struct hrtimer *timer = &per_cpu(knc_rotors, cpu);

	/* none until it is first needed */
	return timer->base && hrtimer_active(timer);
}

MODULE_DESCRIPTION("KUnit tests of knc_pmu");
MODULE_LICENSE("GPL");
