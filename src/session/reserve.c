// SPDX-License-Identifier: GPL-2.0
/*
 * The counters are taken from the machine for the first session, and given back after the last
 *
 * Both cost every hardware thread something, isolated ones too. Who opens and closes sessions
 * without end, which any user may do, has them kept for a while instead: that makes others'
 * work slower no more often than KNC_GIVE_BACKS times a second.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "pmu/hw.h"
#include "rdpmc/perf.h"
#include "session/internal.h"
#include "session/session.h"
#include "task/task.h"

/* Times a second, if it is more than so many at once */
#define KNC_GIVE_BACKS		32
#define KNC_GIVE_BACKS_AT_ONCE	256
/* How long the counters are kept after more: that many times a second in addition, then */
#define KNC_KEEP		(HZ / 8)

/* Under knc_claims_lock, all of them */
static bool knc_reserved;
static unsigned int knc_give_backs = KNC_GIVE_BACKS_AT_ONCE;
static unsigned long knc_given_back;

static void knc_give_back_later(struct work_struct *work);
static DECLARE_DELAYED_WORK(knc_give_back_work, knc_give_back_later);

/* Have the counters been given back seldom enough? */
static bool knc_may_give_back(void)
{
	unsigned long more = (jiffies - knc_given_back) * KNC_GIVE_BACKS / HZ;

	if (more) {
		knc_give_backs = min_t(unsigned long, knc_give_backs + more,
				       KNC_GIVE_BACKS_AT_ONCE);
		knc_given_back = jiffies;
	}
	if (!knc_give_backs)
		return false;
	knc_give_backs--;
	return true;
}

/* Give back what no session needs; the hotplug and claims locks are held. */
static void knc_give_back(void)
{
	knc_follow_dismiss();
	if (!knc_reserved || knc_session_number())
		return;
	knc_hw_release();
	knc_reserved = false;
}

static void knc_give_back_later(struct work_struct *work)
{
	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	knc_give_back();
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
}

/* Held by the CONFIG that prepares the takeover: no other lock is taken before it. */
static DEFINE_MUTEX(knc_prepare_lock);

/* Take the counters from the machine, or give them back, while no session can have them. */
static int knc_hold(bool on)
{
	int err = 0;

	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	if (!on)
		knc_hw_release();
	else if (knc_shut_down || knc_hw_reserve())
		err = -EBUSY;
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
	return err;
}

/**
 * knc_reserve_prepare() - what knc_reserve() needs once, and that takes long
 * @why: why it failed, out
 *
 * The session's lock is held, but none that anybody waits for who has nothing to do with CONFIG.
 *
 * Return: 0: try knc_reserve() again; -EBUSY: as knc_reserve().
 */
int knc_reserve_prepare(struct knc_refusal *why)
{
	int err = 0;

	mutex_lock(&knc_prepare_lock);
	if (!knc_takeover_is_prepared()) {
		err = knc_hold(true);
		if (!err) {
			knc_takeover_prepare();
			knc_hold(false);
		}
	}
	mutex_unlock(&knc_prepare_lock);
	if (err)
		why->reason = KNC_PMU_REASON_PMU_RESERVED;
	return err;
}

/**
 * knc_reserve() - take the counters from the machine
 * @cpus: the hardware threads of the session
 * @why: why it failed, out
 *
 * The hotplug and claims locks are held. Waits for kernel threads on @cpus, up to 2 seconds.
 *
 * Return: 0; after an error nothing is to be undone. -EAGAIN: without the locks, call
 * knc_reserve_prepare() first. -EBUSY: perf or the NMI watchdog has a counter, or a real-time
 * program leaves a hardware thread no time for a kernel thread.
 */
int knc_reserve(const struct cpumask *cpus, struct knc_refusal *why)
{
	unsigned int stuck;

	if (!knc_reserved && !knc_takeover_is_prepared())
		return -EAGAIN;
	if (knc_shut_down || (!knc_reserved && knc_hw_reserve())) {
		why->reason = KNC_PMU_REASON_PMU_RESERVED;
		return -EBUSY;
	}
	if (!knc_reserved)
		knc_takeover_begin();
	knc_reserved = true;
	stuck = knc_takeover(cpus);
	if (stuck >= nr_cpu_ids)
		return 0;
	why->reason = KNC_PMU_REASON_CPU_STUCK;
	why->cpu = stuck;
	knc_unreserve();
	return -EBUSY;
}

/* A session needs no counters any more; the hotplug and claims locks are held. */
void knc_unreserve(void)
{
	bool unused = knc_reserved && !knc_session_number();

	if (!unused && !knc_follow_is_idle())
		return;
	if (knc_may_give_back())
		knc_give_back();
	else
		knc_compat_schedule(&knc_give_back_work, KNC_KEEP);
}

/* A CPU comes online, in a kernel thread of its own; perf may have used it before it went. */
void knc_reserve_online(unsigned int cpu)
{
	if (knc_reserved)
		knc_takeover_here(cpu);
}

/* No session is left, and none can come. */
void knc_reserve_exit(void)
{
	cancel_delayed_work_sync(&knc_give_back_work);
	knc_give_back_later(NULL);
}
