// SPDX-License-Identifier: GPL-2.0
/*
 * Time samples, taken by a timer
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/irq_regs.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/read.h"
#include "sample/ring.h"
#include "sample/state.h"
#include "sample/timed.h"

/*
 * After a time sample, other code gets KNC_TIME_FACTOR times the time that the sample took, at most
 * KNC_TIME_MAX ns. The limit is there because a sample that took longer was interrupted.
 */
#define KNC_TIME_FACTOR		4
#define KNC_TIME_MAX		(10 * NSEC_PER_MSEC)

static void knc_time_sample(struct knc_sampler *s)
{
	struct pt_regs *regs = get_irq_regs();
	u64 values[PMU_MAX_COUNTERS] = { 0 };
	unsigned int i, nr = s->ring.nr_events;
	struct knc_pmu_time_sample sample;

	memset(&sample, 0, sizeof(sample));
	sample.record.type = KNC_PMU_RECORD_TIME;
	sample.record.size = KNC_PMU_TIME_SIZE(nr);
	sample.record.cpu = s->ring.cpu;
	sample.ip = regs ? regs->ip : 0;
	sample.flags = regs && user_mode(regs) ? KNC_PMU_SAMPLE_USER : 0;
	knc_sampler_pids(s, current, &sample.pid, &sample.tid);
	sample.nr_events = nr;
	sample.missed = s->missed;
	sample.tsc = knc_claim_values(this_cpu_ptr(&knc_hwthreads),
				      s->claim, values);
	sample.time = ktime_get_ns();
	for (i = 0; i < nr; i++)
		sample.delta[i] = values[i] - s->values[i];
	if (!knc_ring_write(&s->ring, &sample, sample.record.size)) {
		s->missed++;
		return;
	}
	memcpy(s->values, values, sizeof(values));
	s->missed = 0;
}

/*
 * If samples take longer than the interval, other code must still get time to run: the next sample
 * is later, and the intervals before it are missed.
 */
enum hrtimer_restart knc_timed_timer(struct hrtimer *timer)
{
	struct knc_sampler *s = container_of(timer, struct knc_sampler, timer);
	u64 began = ktime_get_ns();
	unsigned long flags;
	u64 now, passed;

	local_irq_save(flags);
	knc_time_sample(s);
	local_irq_restore(flags);
	now = ktime_get_ns();
	now = knc_compat_timer_now(timer, now) +
	      min_t(u64, KNC_TIME_FACTOR * (now - began), KNC_TIME_MAX);
	passed = hrtimer_forward(timer, ns_to_ktime(now),
				 ns_to_ktime(s->interval * s->step));
	if (passed)
		s->missed += passed * s->step - 1;
	return HRTIMER_RESTART;
}
