// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the context switches of followed tasks
 *
 * They are written as the PMI writes samples: interrupts are off, and the claim is on no counter,
 * thus no PMI writes to this ring. The scheduler calls with its own lock held: nothing here wakes
 * a task, and no page fault is handled.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/ptrace.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "sample/chain.h"
#include "sample/overflow.h"
#include "sample/ring.h"
#include "sample/stack.h"
#include "sample/state.h"
#include "sample/switches.h"

/* Room for a record of @size bytes; false: there is none, and the record is counted as lost */
static bool knc_switch_reserve(struct knc_sampler *s, u32 size)
{
	bool room = knc_ring_reserve(&s->ring, size);

	if (room) {
		s->ring.control->switches++;
		s->switch_lost = false;
	}
	return room;
}

static void knc_switch_lose(struct knc_sampler *s)
{
	s->ring.control->switches++;
	s->ring.control->lost_switches++;
	/* wake the reader once, because a full ring may be below the watermark */
	if (!s->switch_lost)
		knc_ring_wake(&s->ring, s->ring.head);
	s->switch_lost = true;
}

/* Common fields of SWITCH_OUT and _IN; the ring is never read, because readers can write to it */
static struct knc_pmu_sample *knc_switch_begin(const struct knc_sampler *s, u64 tsc, u64 time,
					       u16 type)
{
	struct knc_pmu_sample *r = knc_ring_end(&s->ring);

	r->record.type = type;
	r->record.size = sizeof(*r);
	r->record.cpu = s->record.cpu;
	r->ip = 0;
	knc_sampler_pids(s, (struct task_struct *)s->task, &r->pid, &r->tid);
	*(u64 *)&r->counter = (u64)s->ring.nr_events << 8;
	r->tsc = tsc;
	r->time = time;
	r->period = 0;
	return r;
}

/* Where the task is in its program: address, chain and copy of the stack. Returns the bytes */
static u32 knc_switch_where(const struct knc_sampler *s, struct knc_pmu_sample *r, u8 flags,
			    bool room)
{
	struct pt_regs *regs = knc_user_regs();
	u32 size = sizeof(*r);

	flags |= KNC_PMU_SAMPLE_USER;
	if (regs) {
		r->ip = regs->ip;
		size = knc_sampler_user_chain(s, r, regs);
	}
	if (regs && s->stack_size) {
		flags |= KNC_PMU_SAMPLE_STACK;
		size += knc_stack_write(regs, (void *)r + size, room ? s->stack_size : 0);
	}
	r->flags = flags;
	r->record.size = size;
	return size;
}

/**
 * knc_switches_out() - record that a task leaves the hardware thread
 * @s: the sampler, whose claim is on no counter any more
 * @tsc: time stamp
 *
 * Writes nothing if there is no context switch: a command or CPU hotplug took the claim off.
 */
void knc_switches_out(struct knc_sampler *s, u64 tsc)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	u32 least = KNC_PMU_SAMPLE_SIZE(s->max_frames), most = least;
	u64 time = knc_sampler_time(s, tsc);
	bool room;

	hw->tells--;
	if (!hw->leaves) {
		if (!s->claim->started)
			s->claim->off_since = 0;
		return;
	}
	s->claim->off_since = time;
	if (s->stack_size)
		most += KNC_PMU_STACK_SIZE(s->stack_size);
	room = knc_switch_reserve(s, most);
	if (!room && (!s->stack_size || !knc_switch_reserve(s, most - s->stack_size))) {
		knc_switch_lose(s);
		return;
	}
	knc_ring_commit(&s->ring,
			knc_switch_where(s, knc_switch_begin(s, tsc, time,
							     KNC_PMU_RECORD_SWITCH_OUT),
					 hw->leaves, room));
}

/**
 * knc_switches_in() - record that a task is on the hardware thread
 * @s: the sampler, whose claim is on no counter yet
 * @hw: the hardware thread
 * @tsc: time stamp
 *
 * Writes nothing if the task was there before: a command has only put it on the counters again.
 */
void knc_switches_in(struct knc_sampler *s, struct knc_hwthread *hw, u64 tsc)
{
	struct knc_claim *claim = s->claim;
	struct knc_pmu_sample *r;
	u64 time, since = claim->off_since;

	hw->tells++;
	if (since == KNC_CLAIM_IS_ON)
		return;
	claim->off_since = KNC_CLAIM_IS_ON;
	if (!knc_switch_reserve(s, sizeof(*r))) {
		knc_switch_lose(s);
		return;
	}
	time = knc_sampler_time(s, tsc);
	r = knc_switch_begin(s, tsc, time, KNC_PMU_RECORD_SWITCH_IN);
	/* clocks of two hardware threads may be some microseconds apart */
	if (since)
		r->period = time > since ? time - since : 1;
	knc_ring_commit(&s->ring, sizeof(*r));
}
