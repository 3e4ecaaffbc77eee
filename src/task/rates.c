// SPDX-License-Identifier: GPL-2.0
/*
 * How fast the time stamp counter of each hardware thread goes
 *
 * A timer finds that out while anybody measures times with it. What is being counted at
 * that moment, for the hardware thread or for its task, is brought up to date with the
 * rate it had.
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
#include "task/rates.h"
#include "task/task.h"

/* From one measurement to the next; the first one has none before it */
#define KNC_RATE_HZ		10
#define KNC_RATE_FIRST_HZ	100

/* Shorter than this tells no rate, and longer is too much for 64 bits. */
#define KNC_RATE_LEAST		(2 * NSEC_PER_MSEC)
#define KNC_RATE_MOST		(1000ULL * NSEC_PER_SEC)

/* Less than a hundredth: NTP slews CLOCK_MONOTONIC, and a reading may be late. */
#define KNC_RATE_SAME		(1ULL << (KNC_SCALE_SHIFT - 7))

static unsigned int knc_clocks_users;

/* What @scale is to be if @ticks took @ns */
static u64 knc_scale_of(u64 ticks, u64 ns)
{
	u64 expected = div64_u64(div64_u64(ns, 16) * tsc_khz, 1000000 / 16);
	u64 scale = div64_u64(expected << KNC_SCALE_SHIFT, max_t(u64, ticks, 1));
	u64 one = 1ULL << KNC_SCALE_SHIFT;

	if (scale + KNC_RATE_SAME > one && scale < one + KNC_RATE_SAME)
		return 0;
	return max_t(u64, scale, 1);
}

/**
 * knc_clock_measure() - how fast has the time stamp counter gone?
 *
 * On the hardware thread, interrupts off. What is being counted here is brought up to
 * date with that rate.
 *
 * Return: whether there was an earlier reading to compare with.
 */
bool knc_clock_measure(void)
{
	struct knc_rate *r = this_cpu_ptr(&knc_rates);
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
	knc_task_times(hw);
	knc_hwthread_times(hw);
	return known;
}

static void knc_rate_timer(struct timer_list *timer)
{
	struct knc_rate *r = timer_container_of(r, timer, timer);
	unsigned int hz = KNC_RATE_HZ;
	unsigned long flags;

	local_irq_save(flags);
	/* a hardware thread that went left its timers to another one */
	if (r == this_cpu_ptr(&knc_rates)) {
		if (!knc_clock_measure())
			hz = KNC_RATE_FIRST_HZ;
		mod_timer(timer, jiffies + max_t(unsigned int, HZ / hz, 1));
	}
	local_irq_restore(flags);
}

static void knc_clock_begin(unsigned int cpu)
{
	struct knc_rate *r = &per_cpu(knc_rates, cpu);

	r->last.ns = 0;
	/* an idle hardware thread is not woken: nothing is measured there */
	timer_setup(&r->timer, knc_rate_timer, TIMER_PINNED | TIMER_DEFERRABLE);
	r->timer.expires = jiffies;
	add_timer_on(&r->timer, cpu);
}

static void knc_clock_end(unsigned int cpu)
{
	timer_delete_sync(&per_cpu(knc_rates, cpu).timer);
}

/**
 * knc_clocks_get() - times are measured with time stamp counters from now on
 *
 * The hotplug and claims locks are held.
 */
void knc_clocks_get(void)
{
	unsigned int cpu;

	if (knc_clocks_users++)
		return;
	for_each_online_cpu(cpu)
		knc_clock_begin(cpu);
}

/* They are not any more; likewise. */
void knc_clocks_put(void)
{
	unsigned int cpu;

	if (--knc_clocks_users)
		return;
	for_each_online_cpu(cpu)
		knc_clock_end(cpu);
}

/* A hardware thread came; in process context, the hotplug lock is held. */
void knc_clock_online(unsigned int cpu)
{
	if (knc_clocks_users)
		knc_clock_begin(cpu);
}

/* One is to go, likewise. */
void knc_clock_offline(unsigned int cpu)
{
	if (knc_clocks_users)
		knc_clock_end(cpu);
}
