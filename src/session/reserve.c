// SPDX-License-Identifier: GPL-2.0
/*
 * Reserve the counters for the first session, and release them after the last one
 *
 * To take the counters over from perf costs work on every hardware thread, isolated ones too, and
 * any user may open and close sessions in a loop. Therefore the reservation is kept for KNC_KEEP
 * after the last session. While it is only kept, no register is ours: perf, oprofile or the NMI
 * watchdog gets the counters at once if it asks for them.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "compat/reservation.h"
#include "pmu/hw.h"
#include "rdpmc/perf.h"
#include "session/internal.h"
#include "session/session.h"
#include "task/task.h"
#include "task/tsc-rate.h"

/*
 * How long the counters stay reserved after the last session; equal to KNC_PROBES_LINGER. SETTLE of
 * the tools' bench must be longer.
 */
#define KNC_KEEP		(2 * HZ)
/* How often work may interrupt all hardware threads: times a second, and times in a row */
#define KNC_GIVE_BACKS		32
#define KNC_GIVE_BACKS_AT_ONCE	256
/* Work beyond these limits is delayed: this adds at most 8 interruptions a second */
#define KNC_DELAY		(HZ / 8)

/**
 * enum knc_reservation - whose the counters are
 * @KNC_FREE: not reserved by us
 * @KNC_USED: reserved for sessions; registers of hardware threads may be ours
 * @KNC_KEPT: reserved, but given to the first that asks; all registers are restored
 */
enum knc_reservation {
	KNC_FREE,
	KNC_USED,
	KNC_KEPT
};

/*
 * Written under knc_reservation_lock. While knc_claims_lock is held, only knc_reserve_asked()
 * changes it, from KNC_KEPT to KNC_FREE.
 */
static enum knc_reservation knc_reservation;
static DEFINE_SPINLOCK(knc_reservation_lock);
/* A token bucket: tokens, and when they were last added; under knc_reservation_lock */
static unsigned int knc_give_backs = KNC_GIVE_BACKS_AT_ONCE;
static unsigned long knc_given_back;

/* Rates of time stamp counters are measured; under knc_claims_lock */
static bool knc_measuring;

static void knc_restore_later(struct work_struct *work);
static DECLARE_DELAYED_WORK(knc_restore_work, knc_restore_later);
/* When knc_keep_work has something to do, in jiffies; under knc_claims_lock */
static unsigned long knc_keep_until;
static void knc_keep_end(struct work_struct *work);
static DECLARE_DELAYED_WORK(knc_keep_work, knc_keep_end);

/* May all hardware threads be interrupted now? If so, takes a token; under knc_reservation_lock */
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

/* Is knc_reserve_asked() registered? Written under knc_prepare_lock, before @knc_watch_tried */
static bool knc_watched, knc_watch_tried;

/*
 * A probe: perf, oprofile or the NMI watchdog asks for counters. It must not sleep, and need not:
 * no register has to be restored. The release costs a token, because the next session has to take
 * the counters over again on all hardware threads.
 */
static void knc_reserve_asked(void)
{
	unsigned long flags;

	/* test without the lock first: our own knc_hw_reserve() also calls this probe */
	if (READ_ONCE(knc_reservation) != KNC_KEPT)
		return;
	/* lockdep takes the probe's trap for an NMI, in which it allows only trylocks */
	while (!spin_trylock_irqsave(&knc_reservation_lock, flags))
		cpu_relax();
	if (knc_reservation == KNC_KEPT && knc_may_give_back()) {
		knc_hw_release();
		knc_reservation = KNC_FREE;
	}
	spin_unlock_irqrestore(&knc_reservation_lock, flags);
}

/* Change the reservation from @from to @to; false if the probe released the counters meanwhile */
static bool knc_reservation_change(enum knc_reservation from, enum knc_reservation to)
{
	unsigned long flags;
	bool is;

	spin_lock_irqsave(&knc_reservation_lock, flags);
	is = knc_reservation == from;
	if (is)
		knc_reservation = to;
	if (is && to == KNC_FREE)
		knc_hw_release();
	spin_unlock_irqrestore(&knc_reservation_lock, flags);
	return is;
}

static bool knc_take_token(void)
{
	unsigned long flags;
	bool may;

	spin_lock_irqsave(&knc_reservation_lock, flags);
	may = knc_may_give_back();
	spin_unlock_irqrestore(&knc_reservation_lock, flags);
	return may;
}

static void knc_keep_for(unsigned long delay)
{
	knc_keep_until = jiffies + delay;
	/* the work may already be queued for a later time */
	cancel_delayed_work(&knc_keep_work);
	knc_compat_schedule(&knc_keep_work, delay);
}

/* From here on the hotplug lock and knc_claims_lock are held, unless a comment says otherwise. */
static void knc_give_back(void)
{
	if (knc_reservation == KNC_USED)
		return;
	knc_reservation_change(KNC_KEPT, KNC_FREE);
	if (knc_measuring)
		knc_tsc_rates_put();
	knc_measuring = false;
}

/*
 * All registers are restored: keep the counters reserved. Give them back if no probe would tell us
 * that perf asks for them, or if perf's setting forbade RDPMC: it may be changed before the next
 * takeover.
 */
static void knc_keep(void)
{
	if (!knc_reservation_change(KNC_USED, KNC_KEPT))
		return;
	if (knc_watched && knc_takeover_saw_rdpmc())
		knc_keep_for(KNC_KEEP);
	else if (knc_take_token())
		knc_give_back();
	else
		knc_keep_for(KNC_DELAY);
}

static void knc_restore_all(void)
{
	knc_follow_dismiss();
	if (!knc_session_number())
		knc_keep();
}

/* Takes the hotplug lock and knc_claims_lock */
static void knc_restore_later(struct work_struct *work)
{
	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	knc_restore_all();
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
}

/* Takes the hotplug lock and knc_claims_lock */
static void knc_keep_end(struct work_struct *work)
{
	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	/* too early if a session has ended since this was queued */
	if (time_before(jiffies, knc_keep_until))
		knc_compat_schedule(&knc_keep_work, knc_keep_until - jiffies);
	else
		knc_give_back();
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
}

/* Serializes preparations of the takeover; taken before the hotplug lock and knc_claims_lock */
static DEFINE_MUTEX(knc_prepare_lock);

/* A preparation has reserved the counters: other CONFIGs wait for it. Under knc_claims_lock */
static bool knc_held;

/* Reserve the counters while the preparation runs (@on), or release them; takes both locks */
static int knc_hold(bool on)
{
	int err = 0;

	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	if (!on)
		knc_hw_release();
	else if (knc_shut_down || knc_hw_reserve())
		err = -EBUSY;
	knc_held = on && !err;
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
	return err;
}

static bool knc_reserve_is_prepared(void)
{
	return READ_ONCE(knc_watch_tried) && knc_takeover_is_prepared();
}

/**
 * knc_reserve_prepare() - make the long preparation that knc_reserve() needs once
 * @why: why it failed, out
 *
 * Only the session's lock is held: nothing waits for this but the session and other CONFIGs.
 *
 * Return: 0: try knc_reserve() again; -EBUSY: as knc_reserve().
 */
int knc_reserve_prepare(struct knc_refusal *why)
{
	int err = 0;

	mutex_lock(&knc_prepare_lock);
	if (!knc_watch_tried)
		knc_watched = !knc_compat_reservation_watch(knc_reserve_asked);
	WRITE_ONCE(knc_watch_tried, true);
	/* if the counters are reserved, another session has made the preparation meanwhile */
	if (!knc_takeover_is_prepared() && READ_ONCE(knc_reservation) == KNC_FREE) {
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

/* Reserve the counters, or use the reservation that is kept. */
static int knc_reserve_counters(void)
{
	if (knc_shut_down)
		return -EBUSY;
	if (knc_reservation == KNC_USED || knc_reservation_change(KNC_KEPT, KNC_USED))
		return 0;
	if (knc_held || !knc_reserve_is_prepared())
		return -EAGAIN;
	if (knc_hw_reserve())
		return -EBUSY;
	knc_reservation_change(KNC_FREE, KNC_USED);
	knc_takeover_begin();
	return 0;
}

/**
 * knc_reserve() - reserve the counters against perf, oprofile and the NMI watchdog
 * @cpus: the hardware threads of the session, online
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
	int err;

	err = knc_reserve_counters();
	if (err == -EBUSY)
		why->reason = KNC_PMU_REASON_PMU_RESERVED;
	if (err)
		return err;
	if (!knc_measuring)
		knc_tsc_rates_get();
	knc_measuring = true;
	stuck = knc_takeover(cpus);
	if (stuck >= nr_cpu_ids)
		return 0;
	why->reason = KNC_PMU_REASON_CPU_STUCK;
	why->cpu = stuck;
	knc_reserve_release();
	return -EBUSY;
}

/*
 * A session has released its counters: restore registers. This interrupts other hardware threads,
 * therefore its rate is limited.
 */
void knc_reserve_release(void)
{
	if (knc_session_number() && !knc_follow_is_used(false))
		return;
	if (!knc_follow_is_used(true) || knc_take_token())
		knc_restore_all();
	else
		knc_compat_schedule(&knc_restore_work, KNC_DELAY);
}

/* A CPU comes online: perf may have used its counters before it went offline. Process context */
void knc_reserve_online(unsigned int cpu)
{
	if (READ_ONCE(knc_reservation) != KNC_FREE)
		knc_takeover_here(cpu);
}

/* The module is being removed: there is no session, and none can be opened. Takes both locks */
void knc_reserve_exit(void)
{
	if (knc_watched)
		knc_compat_reservation_unwatch();
	knc_watched = false;
	knc_watch_tried = false;
	cancel_delayed_work_sync(&knc_restore_work);
	cancel_delayed_work_sync(&knc_keep_work);
	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	knc_follow_dismiss();
	knc_reservation_change(KNC_USED, KNC_KEPT);
	knc_give_back();
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
}
