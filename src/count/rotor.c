// SPDX-License-Identifier: GPL-2.0
/*
 * Timers that end the turns of groups, while any session has several groups
 */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/rotor.h"
#include "count/set.h"

static DEFINE_PER_CPU(struct hrtimer, knc_rotors);
static DEFINE_MUTEX(knc_rotor_lock);
static unsigned int knc_rotor_users;

static enum hrtimer_restart knc_rotate(struct hrtimer *timer)
{
	unsigned long flags;

	local_irq_save(flags);
	knc_hwthread_rotate(this_cpu_ptr(&knc_hwthreads));
	local_irq_restore(flags);
	hrtimer_forward_now(timer, ns_to_ktime(KNC_TURN_MS * NSEC_PER_MSEC));
	return HRTIMER_RESTART;
}

static void knc_rotor_start_here(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&knc_rotors);

	hrtimer_setup(timer, knc_rotate, CLOCK_MONOTONIC,
		      KNC_COMPAT_HRTIMER_MODE);
	hrtimer_start(timer, ns_to_ktime(KNC_TURN_MS * NSEC_PER_MSEC),
		      KNC_COMPAT_HRTIMER_MODE);
}

static void knc_rotor_stop_here(void *unused)
{
	hrtimer_cancel(this_cpu_ptr(&knc_rotors));
}

/* The hotplug lock is held. */
void knc_rotor_get(void)
{
	mutex_lock(&knc_rotor_lock);
	if (!knc_rotor_users++)
		on_each_cpu(knc_rotor_start_here, NULL, true);
	mutex_unlock(&knc_rotor_lock);
}

/* The hotplug lock is held. */
void knc_rotor_put(void)
{
	mutex_lock(&knc_rotor_lock);
	if (!--knc_rotor_users)
		on_each_cpu(knc_rotor_stop_here, NULL, true);
	mutex_unlock(&knc_rotor_lock);
}

/* On a hardware thread that came online; interrupts off, hotplug lock held */
void knc_rotor_online(void)
{
	if (knc_rotor_users)
		knc_rotor_start_here(NULL);
}

/* On a hardware thread that goes offline; interrupts off, hotplug lock held */
void knc_rotor_offline(void)
{
	if (knc_rotor_users)
		knc_rotor_stop_here(NULL);
}
