// SPDX-License-Identifier: GPL-2.0
/*
 * Reserve the counters for the first session, and release them after the last one
 *
 * Both interrupt every hardware thread, isolated ones too, and any user may open and close sessions
 * in a loop. Therefore at most KNC_GIVE_BACKS times a second are the counters given back at once;
 * otherwise they stay reserved for a while.
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

/* Give back at once up to this often a second, after a burst of KNC_GIVE_BACKS_AT_ONCE */
#define KNC_GIVE_BACKS		32
#define KNC_GIVE_BACKS_AT_ONCE	256
/* Otherwise give back after this time: at most 8 times a second in addition */
#define KNC_KEEP		(HZ / 8)

/* Under knc_claims_lock. The last two are a token bucket: tokens, and when they were last added */
static bool knc_reserved;
static unsigned int knc_give_backs = KNC_GIVE_BACKS_AT_ONCE;
static unsigned long knc_given_back;

static void knc_give_back_later(struct work_struct *work);
static DECLARE_DELAYED_WORK(knc_give_back_work, knc_give_back_later);

/* May the counters be given back at once? If so, takes a token from the bucket */
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

/* Give back what no session needs; the hotplug lock and knc_claims_lock are held. */
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

/* Serializes preparations of the takeover; taken before the hotplug lock and knc_claims_lock */
static DEFINE_MUTEX(knc_prepare_lock);

/* Reserve the counters for the preparation, or release them; knc_reserved stays false. */
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
 * knc_reserve_prepare() - the preparation that knc_reserve() needs once, and that takes long
 * @why: why it failed, out
 *
 * Of the locks only the session's is held: nothing but this session and other CONFIGs waits.
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
 * knc_reserve() - reserve the counters against perf, oprofile and the NMI watchdog
 * @cpus: the hardware threads of the session
 * @why: why it failed, out
 *
 * The hotplug lock and knc_claims_lock are held. Waits for kernel threads on @cpus, up to 2 s.
 *
 * Return: 0; -EAGAIN: release the locks, call knc_reserve_prepare() and try again; -EBUSY: perf or
 * the NMI watchdog has a counter, or a real-time program leaves a hardware thread no time for a
 * kernel thread. After an error there is nothing to undo.
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

/* A session has released its counters; the hotplug lock and knc_claims_lock are held. */
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

/* A CPU comes online: perf may have used its counters before it went offline. Process context */
void knc_reserve_online(unsigned int cpu)
{
	if (knc_reserved)
		knc_takeover_here(cpu);
}

/* The module is being removed: there is no session, and none can be opened. */
void knc_reserve_exit(void)
{
	cancel_delayed_work_sync(&knc_give_back_work);
	knc_give_back_later(NULL);
}
