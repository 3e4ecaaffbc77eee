// SPDX-License-Identifier: GPL-2.0
/*
 * READ: a record for each hardware thread of a session, or the sums over its tasks
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/read.h"
#include "host/host.h"
#include "pmu/hw.h"
#include "session/internal.h"
#include "session/records.h"
#include "session/run.h"
#include "session/session.h"
#include "task/read-own.h"
#include "task/task.h"

/* If @now is 0, the record's times are left 0. */
static void knc_put_counts(struct knc_hwthread *hw, struct knc_claim *claim,
			   u64 now, struct knc_pmu_thread *record)
{
	if (claim->set)
		knc_claim_read_set(hw, claim, record);
	else
		knc_claim_read(hw, claim, record);
	if (now) {
		knc_claim_read_times(hw, claim, now, record);
		return;
	}
	record->time = 0;
	record->time_enabled = 0;
	record->time_running = 0;
}

static void knc_do_read(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now)
{
	knc_put_counts(hw, claim, now, claim->record);
}

/* Flags of READ that change the session */
#define KNC_READ_CHANGES	(KNC_PMU_READ_STOP | KNC_PMU_READ_START)

/* READ with STOP or START in one call. STOP and START need @now even if READ reports no times. */
static void knc_read_change(struct knc_hwthread *hw, struct knc_claim *claim,
			    u64 now, u32 flags, struct knc_pmu_thread *record)
{
	if (flags & KNC_PMU_READ_STOP)
		knc_run_stop(hw, claim, now);
	knc_put_counts(hw, claim, flags & KNC_PMU_READ_COUNTS ? 0 : now, record);
	if (flags & KNC_PMU_READ_START)
		knc_run_start(hw, claim, now);
}

static void knc_do_stop_read(struct knc_hwthread *hw, struct knc_claim *claim,
			     u64 now)
{
	knc_read_change(hw, claim, now, KNC_PMU_READ_STOP, claim->record);
}

static void knc_do_stop_read_counts(struct knc_hwthread *hw, struct knc_claim *claim, u64 now)
{
	knc_read_change(hw, claim, now, KNC_PMU_READ_STOP | KNC_PMU_READ_COUNTS, claim->record);
}

static void knc_do_read_start(struct knc_hwthread *hw, struct knc_claim *claim,
			      u64 now)
{
	knc_read_change(hw, claim, now, KNC_PMU_READ_START, claim->record);
}

static void knc_do_read_counts_start(struct knc_hwthread *hw, struct knc_claim *claim, u64 now)
{
	knc_read_change(hw, claim, now, KNC_PMU_READ_START | KNC_PMU_READ_COUNTS, claim->record);
}

/*
 * The fast path: the counts of the hardware thread where the caller runs. No lock is needed: a
 * session is configured once, and only its hardware thread accesses the counts.
 *
 * Return: the number of records, or 0 if the slow path is needed.
 */
static __always_inline int
knc_session_read_here(struct knc_session *s, struct knc_pmu_thread __user *to,
		      u64 size, bool timed)
{
	/* no larger than needed: some kernels clear variables on the stack */
	u64 words[KNC_PMU_THREAD_SIZE(PMU_MAX_COUNTERS) / sizeof(u64)];
	struct knc_pmu_thread *record = (void *)words;
	struct knc_hwthread *hw;

	local_irq_disable();
	hw = this_cpu_ptr(&knc_hwthreads);
	if (!knc_session_is_here(s, hw) || size < s->records_size) {
		local_irq_enable();
		return 0;
	}
	knc_claim_read_online(hw, s->claims, record, NULL, false);
	if (timed)
		knc_claim_read_times(hw, s->claims, ktime_get_ns(), record);
	local_irq_enable();
	return knc_records_put_one(to, record, timed);
}

/* As knc_session_read_here(), for a session that follows the caller; @stopped is a constant. */
static __always_inline bool knc_session_read_own(const struct knc_session *s,
						 struct knc_pmu_thread __user *to,
						 bool stopped, bool timed)
{
	u64 words[KNC_PMU_THREAD_SIZE(PMU_MAX_COUNTERS) / sizeof(u64)];
	struct knc_pmu_thread *record = (void *)words;
	bool here;

	local_irq_disable();
	here = stopped ? knc_follow_read_stopped(s->follow, record, timed) :
			 knc_follow_read_here(s->follow, record, timed);
	local_irq_enable();
	return here && knc_records_put_one(to, record, timed);
}

/* Under the session's lock: read the sum, after STOP or before START if @flags ask for it */
static int knc_session_sum_locked(struct knc_session *s, struct knc_pmu_thread *record,
				  u32 flags)
{
	bool timed = !(flags & KNC_PMU_READ_COUNTS);
	int err = flags & KNC_READ_CHANGES ? knc_session_ready(s) : 0;

	if (err)
		return err;
	if (flags & KNC_PMU_READ_STOP)
		knc_follow_stop_read(s->follow, record, timed);
	else
		knc_follow_read(s->follow, record, timed);
	if (flags & KNC_PMU_READ_START)
		knc_follow_start(s->follow);
	return 0;
}

/* @record is kernel memory: user memory must not be accessed under the lock */
static int knc_session_sum(struct knc_session *s, struct knc_pmu_thread *record,
			   u32 flags)
{
	int err;

	mutex_lock(&s->lock);
	err = knc_session_sum_locked(s, record, flags);
	mutex_unlock(&s->lock);
	return err;
}

/* The sums of a session with one group */
static noinline int knc_session_read_sum(struct knc_session *s,
					 struct knc_pmu_thread __user *to, u32 flags)
{
	u64 words[KNC_PMU_THREAD_SIZE(PMU_MAX_COUNTERS) / sizeof(u64)];
	struct knc_pmu_thread *record = (void *)words;
	int err = knc_session_sum(s, record, flags);

	if (err)
		return err;
	if (knc_records_put_one(to, record, !(flags & KNC_PMU_READ_COUNTS)))
		return 1;
	return copy_to_user(to, record, s->records_size) ? -EFAULT : 1;
}

/* The sums of a session with several groups; noinline: some kernels clear its large record */
static noinline int knc_session_read_set(struct knc_session *s, void __user *to,
					 u32 flags)
{
	union {
		struct knc_pmu_thread thread;
		u8 bytes[KNC_PMU_SET_SIZE(KNC_PMU_MAX_SET)];
	} record;
	int err = knc_session_sum(s, &record.thread, flags);

	if (err)
		return err;
	return copy_to_user(to, &record, s->records_size) ? -EFAULT : 1;
}

static noinline long knc_session_read_follow(struct knc_session *s, void __user *to,
					     u64 size, u32 flags)
{
	if (flags & KNC_PMU_READ_TASKS)
		return knc_follow_read_tasks(s->follow, to, size, s->records_size, flags);
	if (size < s->records_size)
		return -ENOSPC;
	return s->groups.nr_groups == 1 ? knc_session_read_sum(s, to, flags) :
					  knc_session_read_set(s, to, flags);
}

/* noinline: in one function, each fast path would save the registers that the other one needs */
static noinline long knc_session_read_own_counts(struct knc_session *s, void __user *to)
{
	if (knc_session_read_own(s, to, false, false))
		return 1;
	return knc_session_read_sum(s, to, KNC_PMU_READ_COUNTS);
}

static noinline long knc_session_read_own_times(struct knc_session *s, void __user *to)
{
	return knc_session_read_own(s, to, false, true) ? 1 : knc_session_read_sum(s, to, 0);
}

static noinline long knc_session_read_stopped_counts(struct knc_session *s, void __user *to)
{
	if (knc_session_read_own(s, to, true, false))
		return 1;
	return knc_session_read_sum(s, to, KNC_PMU_READ_COUNTS);
}

static noinline long knc_session_read_stopped_times(struct knc_session *s, void __user *to)
{
	return knc_session_read_own(s, to, true, true) ? 1 : knc_session_read_sum(s, to, 0);
}

/*
 * The fast path of READ with STOP or START: both in one section with interrupts off
 *
 * Return: 1, -EFAULT, or 0 if the slow path is needed.
 */
static noinline int knc_session_change_here(struct knc_session *s, void __user *to,
					    u64 size, u32 flags)
{
	/* cleared, because padding would be copied to the user too */
	u64 words[KNC_PMU_THREAD_SIZE(PMU_MAX_COUNTERS) / sizeof(u64)] = { 0 };
	struct knc_hwthread *hw;
	bool here;

	local_irq_disable();
	hw = this_cpu_ptr(&knc_hwthreads);
	here = knc_session_is_here(s, hw) && size >= s->records_size;
	if (here)
		knc_read_change(hw, s->claims, ktime_get_ns(), flags, (void *)words);
	local_irq_enable();
	if (!here)
		return 0;
	return copy_to_user(to, words, s->records_size) ? -EFAULT : 1;
}

/* The function for cross-calls that does READ with STOP or START */
static knc_hwthread_call_fn knc_read_change_fn(u32 flags)
{
	if (flags & KNC_PMU_READ_STOP)
		return flags & KNC_PMU_READ_COUNTS ? knc_do_stop_read_counts : knc_do_stop_read;
	return flags & KNC_PMU_READ_COUNTS ? knc_do_read_counts_start : knc_do_read_start;
}

/* Under the session's lock */
static int knc_session_change_threads(struct knc_session *s, u32 flags)
{
	int err = knc_session_ready(s);

	if (!err)
		knc_session_call(s, knc_read_change_fn(flags), true);
	return err;
}

/* Under the session's lock: READ of a session on hardware threads */
static int knc_session_read_locked(struct knc_session *s, void __user *buffer,
				   u64 size, u32 flags, struct knc_records *left)
{
	bool timed = !(flags & KNC_PMU_READ_COUNTS);
	int err = 0;

	if (!s->configured)
		return -ENODATA;
	if (flags & KNC_PMU_READ_TASKS)
		return -EINVAL;
	if (size < s->records_size)
		return -ENOSPC;
	if (unlikely(flags & KNC_READ_CHANGES))
		err = knc_session_change_threads(s, flags);
	else if (likely(!s->evicted))
		knc_session_call(s, knc_do_read, timed);
	else if (!timed)
		err = knc_records_put_counts(s, left);
	if (likely(!err && !left->copy))
		err = knc_records_put(buffer, s->records, s->records_size, left);
	return err ? err : s->nr_threads;
}

/* Under the session's lock: READ of a session on a PMU of host/ */
static int knc_session_read_host(struct knc_session *s, void __user *buffer, u64 size, u32 flags,
				 struct knc_records *left)
{
	const void *records;
	size_t needed;
	int err, nr;

	nr = s->host->read(s->has, size, flags, &records, &needed);
	if (nr < 0)
		return nr;
	err = knc_records_put(buffer, records, needed, left);
	return err ? err : nr;
}

static noinline long knc_session_read_slowly(struct knc_session *s, void __user *buffer,
					     u64 size, u32 flags)
{
	struct knc_records left = { .copy = NULL };
	bool follows;
	long ret = 0;

	mutex_lock(&s->lock);
	/* test again: CONFIG or EVICT may have run since knc_session_read() tested @following */
	follows = s->follow && s->configured;
	if (knc_session_is_host(s))
		ret = knc_session_read_host(s, buffer, size, flags, &left);
	else if (likely(!follows))
		ret = knc_session_read_locked(s, buffer, size, flags, &left);
	mutex_unlock(&s->lock);
	if (unlikely(follows))
		return knc_session_read_follow(s, buffer, size, flags);
	if (unlikely(left.copy) && knc_records_end(&left, buffer))
		return -EFAULT;
	return ret;
}

static noinline long knc_session_read_counts(struct knc_session *s, void __user *to, u64 size)
{
	long ret = knc_session_read_here(s, to, size, false);

	return ret ? ret : knc_session_read_slowly(s, to, size, KNC_PMU_READ_COUNTS);
}

static noinline long knc_session_read_times(struct knc_session *s, void __user *to, u64 size)
{
	long ret = knc_session_read_here(s, to, size, true);

	return ret ? ret : knc_session_read_slowly(s, to, size, 0);
}

static __always_inline long knc_session_read_threads(struct knc_session *s, void __user *to,
						     u64 size, u32 flags)
{
	long ret = 0;

	if (likely(flags == KNC_PMU_READ_COUNTS))
		return knc_session_read_counts(s, to, size);
	if (!flags)
		return knc_session_read_times(s, to, size);
	if (flags & KNC_READ_CHANGES)
		ret = knc_session_change_here(s, to, size, flags);
	return ret ? ret : knc_session_read_slowly(s, to, size, flags);
}

/**
 * knc_session_read() - READ: write the session's records to the caller
 * @s: the session
 * @buffer: the caller's memory
 * @size: bytes of @buffer
 * @flags: KNC_PMU_READ_*, already checked for contradictions
 *
 * Return: the number of records; -ENODATA: not configured; -ENOSPC: @size is too small;
 * -EINVAL: KNC_PMU_READ_TASKS of a session on hardware threads; -ECANCELED: evicted, and @flags
 * have STOP or START; -ENOMEM; -EFAULT.
 */
long knc_session_read(struct knc_session *s, void __user *buffer, u64 size,
		      u32 flags)
{
	const struct knc_follow *f = READ_ONCE(s->following);

	if (!f)
		return knc_session_read_threads(s, buffer, size, flags);
	smp_rmb(); /* pairs with knc_session_config_counters() */
	if (unlikely(size < s->records_size))
		return knc_session_read_follow(s, buffer, size, flags);
	if (likely(flags == KNC_PMU_READ_COUNTS))
		return READ_ONCE(f->started) ? knc_session_read_own_counts(s, buffer) :
					       knc_session_read_stopped_counts(s, buffer);
	if (!flags)
		return READ_ONCE(f->started) ? knc_session_read_own_times(s, buffer) :
					       knc_session_read_stopped_times(s, buffer);
	return knc_session_read_follow(s, buffer, size, flags);
}

/* STOP and READ before an eviction: from now on READ returns these records, times included. */
void knc_session_last_read(struct knc_session *s)
{
	struct knc_pmu_thread *record;
	u64 now = ktime_get_ns();
	unsigned int i;

	knc_session_call_all(s, knc_run_stop, now);
	knc_session_call_all(s, knc_do_read, now);
	for (i = 0; i < s->nr_threads; i++) {
		record = s->records + i * knc_session_record_size(s);
		record->flags |= KNC_PMU_THREAD_EVICTED;
	}
}
