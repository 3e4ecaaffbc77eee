// SPDX-License-Identifier: GPL-2.0
/*
 * START, STOP, RESET and READ: what is done on each hardware thread of a session
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "sample/sampler.h"
#include "session/room.h"
#include "session/session.h"
#include "task/task.h"

/**
 * struct knc_call - something to do on each hardware thread of a session
 * @session: the session
 * @fn: what to do
 * @timed: it needs the time
 * @now: CLOCK_MONOTONIC when it was certain who is online, ns: then a hardware
 *	thread has not come since
 */
struct knc_call {
	struct knc_session *session;
	void (*fn)(struct knc_hwthread *hw, struct knc_claim *claim,
		   const struct knc_call *call);
	bool timed;
	u64 now;
};

/* On a hardware thread of the session, interrupts off */
static void knc_call_here(void *info)
{
	const struct knc_call *call = info;
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_claim *claim = knc_hwthread_find(hw, call->session);

	if (claim)
		call->fn(hw, claim, call);
}

static void knc_call_offline(struct knc_call *call)
{
	struct knc_session *s = call->session;
	struct knc_hwthread *hw;
	unsigned int i;

	for (i = 0; i < s->nr_threads; i++) {
		hw = knc_hwthread_of(s->claims[i].cpu);
		if (!hw->online)
			call->fn(hw, &s->claims[i], call);
	}
}

/* One pass, all hardware threads in parallel; the hotplug lock is held. */
static void knc_call_locked(struct knc_call *call)
{
	struct knc_session *s = call->session;

	on_each_cpu_mask(s->cpus, knc_call_here, call, true);
	if (!cpumask_subset(s->cpus, cpu_online_mask))
		knc_call_offline(call);
}

/*
 * Is this, where the caller runs with interrupts off, the only hardware thread
 * of the session? Then nothing need be sent to another CPU.
 */
static bool knc_is_own(const struct knc_session *s,
		       const struct knc_hwthread *hw)
{
	if (!s->single)
		return false;
	smp_rmb(); /* with knc_session_config() */
	return s->cpu == smp_processor_id() && likely(hw->online);
}

static __always_inline bool knc_call_own(struct knc_call *call)
{
	struct knc_hwthread *hw;
	bool own;

	local_irq_disable();
	hw = this_cpu_ptr(&knc_hwthreads);
	own = knc_is_own(call->session, hw);
	if (own) {
		call->now = ktime_get_ns();
		call->fn(hw, call->session->claims, call);
	}
	local_irq_enable();
	return own;
}

static void knc_call_session(struct knc_call *call)
{
	cpus_read_lock();
	if (call->timed)
		call->now = ktime_get_ns();
	knc_call_locked(call);
	cpus_read_unlock();
}

static void knc_do_attach(struct knc_hwthread *hw, struct knc_claim *claim,
			  const struct knc_call *call)
{
	knc_hwthread_attach(hw, claim);
}

static void knc_do_detach(struct knc_hwthread *hw, struct knc_claim *claim,
			  const struct knc_call *call)
{
	if (claim->sampler && hw->online)
		knc_sampler_stop(claim->sampler);
	knc_hwthread_detach(hw, claim);
}

static void knc_do_start(struct knc_hwthread *hw, struct knc_claim *claim,
			 const struct knc_call *call)
{
	if (unlikely(claim->sampler) && !claim->started && hw->online)
		knc_sampler_start(claim->sampler);
	knc_hwthread_start(hw, claim, call->now);
}

static void knc_do_stop(struct knc_hwthread *hw, struct knc_claim *claim,
			const struct knc_call *call)
{
	knc_hwthread_stop(hw, claim, call->now);
	if (unlikely(claim->sampler) && hw->online)
		knc_sampler_stop(claim->sampler);
}

static void knc_do_reset(struct knc_hwthread *hw, struct knc_claim *claim,
			 const struct knc_call *call)
{
	knc_hwthread_reset(hw, claim, call->now);
}

static void knc_do_forget(struct knc_hwthread *hw, struct knc_claim *claim,
			  const struct knc_call *call)
{
	knc_hwthread_forget(hw);
}

static void knc_do_read(struct knc_hwthread *hw, struct knc_claim *claim,
			const struct knc_call *call)
{
	struct knc_pmu_thread *record = claim->record;

	if (claim->set)
		knc_hwthread_read_set(hw, claim, record);
	else
		knc_hwthread_read(hw, claim, record);
	if (call->timed) {
		knc_hwthread_read_times(hw, claim, call->now, record);
		return;
	}
	record->time = 0;
	record->time_enabled = 0;
	record->time_running = 0;
}

static int knc_session_do_locked(struct knc_session *s, struct knc_call *call,
				 void (*follow)(struct knc_follow *f))
{
	if (!s->configured)
		return -ENODATA;
	if (unlikely(s->evicted))
		return -ECANCELED;
	if (s->follow)
		follow(s->follow);
	else
		knc_call_session(call);
	return 0;
}

/*
 * What needs no lock where the session has one hardware thread and the caller
 * runs on it, and one pass over all of them otherwise; or what is to be done for
 * tasks
 */
static __always_inline int knc_session_do(struct knc_session *s,
					  struct knc_call *call,
					  void (*follow)(struct knc_follow *f))
{
	int err;

	if (knc_call_own(call))
		return 0;
	mutex_lock(&s->lock);
	err = knc_session_do_locked(s, call, follow);
	mutex_unlock(&s->lock);
	return err;
}

/* RESET_REGISTERS is for who has all there is on these hardware threads. */
static bool knc_session_has_all(const struct knc_session *s)
{
	return s->layout.cntrs == this_pmu->counters;
}

static int knc_session_reset_locked(struct knc_session *s, bool registers)
{
	struct knc_call call = {
		.session = s,
		.fn = knc_do_reset,
		.timed = true,
	};

	if (!s->configured)
		return -ENODATA;
	if (s->evicted)
		return -ECANCELED;
	if (registers && (s->follow || !knc_session_has_all(s)))
		return -EBUSY;
	if (s->follow) {
		knc_follow_reset(s->follow);
		return 0;
	}
	knc_call_session(&call);
	if (registers) {
		call.fn = knc_do_forget;
		knc_call_session(&call);
	}
	return 0;
}

/* One record; copy_to_user() would take longer than all the rest of READ. */
static inline int knc_put_record(struct knc_pmu_thread __user *to,
				 const struct knc_pmu_thread *record,
				 bool timed)
{
	unsigned int i;

	/* room for all there can be, a constant: cheaper to check */
	if (!user_access_begin(to, KNC_PMU_THREAD_SIZE(PMU_MAX_COUNTERS)))
		return -EFAULT;
	unsafe_put_user(record->cpu, &to->cpu, fault);
	/* and nr_events */
	unsafe_put_user(*(const u32 *)&record->flags, (u32 __user *)&to->flags,
			fault);
	unsafe_put_user(record->tsc, &to->tsc, fault);
	if (unlikely(timed)) {
		unsafe_put_user(record->time, &to->time, fault);
		unsafe_put_user(record->time_enabled, &to->time_enabled, fault);
		unsafe_put_user(record->time_running, &to->time_running, fault);
	} else {
		unsafe_put_user(0, &to->time, fault);
		unsafe_put_user(0, &to->time_enabled, fault);
		unsafe_put_user(0, &to->time_running, fault);
	}
	unsafe_put_user(record->value[0], &to->value[0], fault);
	for (i = 1; i < PMU_MAX_COUNTERS && i < record->nr_events; i++)
		unsafe_put_user(record->value[i], &to->value[i], fault);
	user_access_end();
	return 1;
fault:
	user_access_end();
	return -EFAULT;
}

/*
 * The short way for what is done often: the counts of the hardware thread the
 * caller runs on. It needs no lock: a session is configured once, and its
 * counts are touched on its hardware thread only.
 *
 * Return: as knc_session_read(), or 0 if the long way must be taken.
 */
static __always_inline int
knc_session_read_own(struct knc_session *s, struct knc_pmu_thread __user *to,
		     u64 size, bool timed)
{
	/* as long as it can be here, not as the struct: some kernels clear it first */
	u64 room[KNC_PMU_THREAD_SIZE(PMU_MAX_COUNTERS) / sizeof(u64)];
	struct knc_pmu_thread *record = (void *)room;
	struct knc_hwthread *hw;

	local_irq_disable();
	hw = this_cpu_ptr(&knc_hwthreads);
	if (!knc_is_own(s, hw) || size < s->records_size) {
		local_irq_enable();
		return 0;
	}
	knc_hwthread_read(hw, s->claims, record);
	if (unlikely(timed))
		knc_hwthread_read_times(hw, s->claims, ktime_get_ns(), record);
	local_irq_enable();
	return knc_put_record(to, record, timed);
}

/* Does it follow tasks? Then the lock is not held while the answer is written. */
static bool knc_session_follows(const struct knc_session *s)
{
	if (!READ_ONCE(s->configured))
		return false;
	smp_rmb(); /* with knc_session_config() */
	return s->follow;
}

static int knc_session_read_follow(struct knc_session *s, void __user *to,
				   u64 size, u32 flags)
{
	bool timed = !(flags & KNC_PMU_READ_COUNTS);
	union {
		struct knc_pmu_thread thread;
		u8 bytes[KNC_PMU_SET_SIZE(KNC_PMU_MAX_SET)];
	} record;

	if (flags & KNC_PMU_READ_TASKS)
		return knc_follow_read_tasks(s->follow, to, size,
					     knc_record_size(s), timed);
	if (size < knc_record_size(s))
		return -ENOSPC;
	mutex_lock(&s->lock);
	knc_follow_read(s->follow, &record.thread, timed);
	mutex_unlock(&s->lock);
	if (copy_to_user(to, &record, knc_record_size(s)))
		return -EFAULT;
	return 1;
}

/* What was read when it was evicted */
static int knc_session_read_evicted(const struct knc_session *s,
				    void __user *buffer, bool timed)
{
	size_t size = knc_record_size(s), head = KNC_PMU_THREAD_SIZE(0);
	struct knc_pmu_thread record;
	unsigned int i;

	for (i = 0; i < s->nr_threads; i++, buffer += size) {
		memcpy(&record, s->records + i * size, head);
		if (!timed) {
			record.time = 0;
			record.time_enabled = 0;
			record.time_running = 0;
		}
		if (copy_to_user(buffer, &record, head) ||
		    copy_to_user(buffer + head, s->records + i * size + head,
				 size - head))
			return -EFAULT;
	}
	return s->nr_threads;
}

static int knc_session_read_locked(struct knc_session *s, void __user *buffer,
				   u64 size, u32 flags)
{
	bool timed = !(flags & KNC_PMU_READ_COUNTS);
	struct knc_call call = {
		.session = s,
		.fn = knc_do_read,
		.timed = timed,
	};

	/* if it follows tasks it has been configured since knc_session_read() looked */
	if (!s->configured || s->follow)
		return -ENODATA;
	if (flags & KNC_PMU_READ_TASKS)
		return -EINVAL;
	if (size < s->records_size)
		return -ENOSPC;
	if (unlikely(s->evicted))
		return knc_session_read_evicted(s, buffer, timed);
	knc_call_session(&call);
	if (copy_to_user(buffer, s->records, s->records_size))
		return -EFAULT;
	return s->nr_threads;
}

/**
 * knc_session_start() - begin to count on every hardware thread of the session, or for
 * every task
 * @s: the session
 *
 * Return: 0; -ENODATA: it is not configured; -ECANCELED: it was evicted.
 */
int knc_session_start(struct knc_session *s)
{
	struct knc_call call = {
		.session = s,
		.fn = knc_do_start,
		.timed = true,
	};

	return knc_session_do(s, &call, knc_follow_start);
}

/**
 * knc_session_stop() - cease to count on every hardware thread of the session, or for
 * every task
 * @s: the session
 *
 * Return: 0; -ENODATA: it is not configured; -ECANCELED: it was evicted.
 */
int knc_session_stop(struct knc_session *s)
{
	struct knc_call call = {
		.session = s,
		.fn = knc_do_stop,
		.timed = true,
	};

	return knc_session_do(s, &call, knc_follow_stop);
}

/**
 * knc_session_reset() - counts and times to 0
 * @s: the session
 * @registers: have the registers zeroed too when the session ends
 *
 * Return: 0; -ENODATA if it is not configured; -ECANCELED if it was evicted; -EBUSY if
 * @registers and it has not all counters of its hardware threads.
 */
int knc_session_reset(struct knc_session *s, bool registers)
{
	int err;

	mutex_lock(&s->lock);
	err = knc_session_reset_locked(s, registers);
	mutex_unlock(&s->lock);
	return err;
}

/**
 * knc_session_read() - all counts of all hardware threads
 * @s: the session
 * @buffer: room for the records
 * @size: bytes there
 * @flags: KNC_PMU_READ_*
 *
 * Return: the number of records; -ENODATA, -ENOSPC or -EFAULT.
 */
int knc_session_read(struct knc_session *s, void __user *buffer, u64 size,
		     u32 flags)
{
	int ret = 0;

	if (likely(!(flags & KNC_PMU_READ_TASKS)))
		ret = knc_session_read_own(s, buffer, size,
					   !(flags & KNC_PMU_READ_COUNTS));
	if (ret)
		return ret;
	if (knc_session_follows(s))
		return knc_session_read_follow(s, buffer, size, flags);
	mutex_lock(&s->lock);
	ret = knc_session_read_locked(s, buffer, size, flags);
	mutex_unlock(&s->lock);
	return ret;
}

/* Program the counters. */
void knc_call_attach(struct knc_session *s)
{
	struct knc_call call = { .session = s, .fn = knc_do_attach };

	knc_call_locked(&call);
}

/* Take them off. */
void knc_call_detach(struct knc_session *s)
{
	struct knc_call call = { .session = s, .fn = knc_do_detach };

	knc_call_locked(&call);
}

/* What it has counted is read for the last time, and kept. */
void knc_call_last_read(struct knc_session *s)
{
	struct knc_call call = { .session = s, .now = ktime_get_ns() };
	struct knc_pmu_thread *record;
	unsigned int i;

	call.timed = true;
	call.fn = knc_do_stop;
	knc_call_locked(&call);
	call.fn = knc_do_read;
	knc_call_locked(&call);
	for (i = 0; i < s->nr_threads; i++) {
		record = s->records + i * knc_record_size(s);
		record->flags |= KNC_PMU_THREAD_EVICTED;
	}
}
