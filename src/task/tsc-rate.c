// SPDX-License-Identifier: GPL-2.0
/*
 * The rate of each hardware thread's time stamp counter
 *
 * While the counters are reserved, a timer measures the rate, and converts the times of the
 * hardware thread and of its task up to then. This file is in task/, and not in count/, because it
 * converts times of tasks. The same timer calls count/refresh.c, which looks for lost registers.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/smp.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/read.h"
#include "count/refresh.h"
#include "task/task.h"
#include "task/tsc-rate.h"

/*
 * Measurements per second. A rate needs two readings: the second reading comes
 * after 1 / KNC_RATE_FIRST_HZ s.
 */
#define KNC_RATE_HZ		10
#define KNC_RATE_FIRST_HZ	100

/* A rate over a shorter interval is inexact; over a longer one 64 bits overflow. */
#define KNC_RATE_LEAST		(2 * NSEC_PER_MSEC)
#define KNC_RATE_MOST		(1000ULL * NSEC_PER_SEC)

/* Ignore deviations below 0.8%: NTP slews the clock, a reading may be late. */
#define KNC_RATE_SAME		(1ULL << (KNC_SCALE_SHIFT - 7))

static unsigned int knc_tsc_rates_users;

/* The scale of a TSC that made @ticks in @ns */
static u64 knc_scale_of(u64 ticks, u64 ns)
{
	/* @ns is below KNC_RATE_MOST: 64 bits hold the product */
	u64 expected = div64_u64(ns * tsc_khz, NSEC_PER_MSEC);
	u64 scale = div64_u64(expected << KNC_SCALE_SHIFT, max_t(u64, ticks, 1));
	u64 one = 1ULL << KNC_SCALE_SHIFT;

	if (scale + KNC_RATE_SAME > one && scale < one + KNC_RATE_SAME)
		return 0;
	return max_t(u64, scale, 1);
}

/**
 * knc_tsc_rate_measure() - measure the rate since the last reading
 *
 * On the hardware thread, interrupts off. Converts its times up to now, and updates its counts.
 *
 * Return: true if there was an earlier reading.
 */
bool knc_tsc_rate_measure(void)
{
	struct knc_rate *r = this_cpu_ptr(&knc_tsc_rates);
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_clock now = { 0 };
	bool known = r->last.ns;
	u64 ns;

	knc_clock_read(&now);
	ns = now.ns - r->last.ns;
	if (known && ns < KNC_RATE_LEAST)
		return true;
	if (known && ns < KNC_RATE_MOST)
		r->scale = knc_scale_of(now.tsc - r->last.tsc, ns);
	r->last = now;
	knc_refresh_counts(hw, now.ns);
	knc_task_times(hw);
	knc_read_update_turns(hw);
	return known;
}

static void knc_tsc_rate_timer(struct timer_list *timer)
{
	struct knc_rate *r = timer_container_of(r, timer, timer);
	unsigned int hz = KNC_RATE_HZ;
	unsigned long flags;

	local_irq_save(flags);
	/* CPU hotplug may have moved the timer to another CPU */
	if (r == this_cpu_ptr(&knc_tsc_rates)) {
		if (!knc_tsc_rate_measure())
			hz = KNC_RATE_FIRST_HZ;
		mod_timer(timer, jiffies + max_t(unsigned int, HZ / hz, 1));
	}
	local_irq_restore(flags);
}

static void knc_tsc_rate_begin(unsigned int cpu)
{
	struct knc_rate *r = &per_cpu(knc_tsc_rates, cpu);

	r->last.ns = 0;
	/* deferrable: an idle hardware thread is not woken to measure */
	timer_setup(&r->timer, knc_tsc_rate_timer, TIMER_PINNED | TIMER_DEFERRABLE);
	r->timer.expires = jiffies;
	add_timer_on(&r->timer, cpu);
}

static void knc_tsc_rate_end(unsigned int cpu)
{
	timer_delete_sync(&per_cpu(knc_tsc_rates, cpu).timer);
}

/**
 * knc_tsc_rates_get() - begin to measure rates
 *
 * The hotplug lock and knc_claims_lock are held.
 */
void knc_tsc_rates_get(void)
{
	unsigned int cpu;

	if (knc_tsc_rates_users++)
		return;
	for_each_online_cpu(cpu)
		knc_tsc_rate_begin(cpu);
}

/* Undo knc_tsc_rates_get(), with the same locks. */
void knc_tsc_rates_put(void)
{
	unsigned int cpu;

	if (--knc_tsc_rates_users)
		return;
	for_each_online_cpu(cpu)
		knc_tsc_rate_end(cpu);
}

/* A CPU came online; in process context, with the hotplug lock */
void knc_tsc_rate_online(unsigned int cpu)
{
	if (knc_tsc_rates_users)
		knc_tsc_rate_begin(cpu);
}

/* A CPU is about to go offline; in process context, with the hotplug lock */
void knc_tsc_rate_offline(unsigned int cpu)
{
	if (knc_tsc_rates_users)
		knc_tsc_rate_end(cpu);
}
