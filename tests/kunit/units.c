// SPDX-License-Identifier: GPL-2.0
/*
 * The module's sources, with KNC_PMU_KUNIT: all except main.c and chardev.c, which have no unit
 * tests, and except those whose kernel calls tests replace: these are in unit_*.c
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/wait.h>

#include <asm/irq_regs.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "compat/compat.h"
#include "fakes.h"
#include "model.h"
#include "units.h"

bool knc_test_locked_down;
unsigned int knc_test_lockdown_asked;

/* A real lockdown can't be undone. */
static bool test_locked_down(void)
{
	knc_test_lockdown_asked++;
	return knc_test_locked_down;
}

unsigned int knc_test_mm_uses, knc_test_mm_dead_uses;

/* The memory is a fake: nothing is mapped or freed. */
static void test_use_mm(struct mm_struct *mm)
{
	knc_test_mm_uses++;
	if (!atomic_read(&mm->mm_users))
		knc_test_mm_dead_uses++;
}

static void test_unuse_mm(struct mm_struct *mm)
{
}

static int test_munmap(unsigned long start, size_t size)
{
	return 0;
}

static void test_put_mm(struct mm_struct *mm)
{
	atomic_dec(&mm->mm_users);
}

/* after all headers: only the module's own lines use it */
#define knc_compat_locked_down() test_locked_down()

/* policy.c defines its own pr_fmt */
#undef pr_fmt
#include "../../src/request/policy.c"
#include "../../src/pmu/hw.c"
#include "../../src/pmu/knc.c"
#include "../../src/pmu/arch.c"
#include "../../src/pmu/westmere.c"
#include "../../src/pmu/uncore.c"
#include "../../src/pmu/cmt.c"
#include "../../src/request/event.c"
#include "../../src/request/groups.c"
#include "../../src/count/set.c"
#include "../../src/count/registers.c"
#include "../../src/count/hwthread.c"
#include "../../src/count/lvtpc.c"
#include "../../src/count/program.c"
#include "../../src/count/sched.c"
#include "../../src/count/lost.c"
#include "../../src/count/refresh.c"
#include "../../src/count/attach.c"
#include "../../src/count/read.c"
#include "../../src/count/rotation.c"
#include "../../src/rdpmc/hide.c"
#include "../../src/compat/compat.c"
#define kthread_use_mm(mm) test_use_mm(mm)
#define kthread_unuse_mm(mm) test_unuse_mm(mm)
#define vm_munmap(start, size) test_munmap(start, size)
#define mmput(mm) test_put_mm(mm)
#include "../../src/compat/mm.c"
#undef mmput
#undef vm_munmap
#include "../../src/compat/tracepoint.c"
#include "../../src/compat/vectors.c"
#include "../../src/compat/hotplug.c"

/*
 * Replaces the probes of the kernel's reservations, which the test kernel may lack: tests call the
 * registered function
 */
bool knc_test_unwatched;
static struct kprobe *test_probes[2];

static int test_register_kprobe(struct kprobe *probe)
{
	unsigned int i = test_probes[0] ? 1 : 0;

	if (knc_test_unwatched)
		return -EOPNOTSUPP;
	test_probes[i] = probe;
	return 0;
}

static void test_unregister_kprobe(struct kprobe *probe)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(test_probes); i++)
		if (test_probes[i] == probe)
			test_probes[i] = NULL;
}

#define register_kprobe(probe) test_register_kprobe(probe)
#define unregister_kprobe(probe) test_unregister_kprobe(probe)
#include "../../src/compat/reservation.c"
#undef register_kprobe
#undef unregister_kprobe

/* Reserve a register by the kernel's function @reserve */
static bool test_reserve(int (*reserve)(unsigned int msr), unsigned int msr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(test_probes); i++)
		if (test_probes[i] && test_probes[i]->addr == (kprobe_opcode_t *)reserve)
			test_probes[i]->pre_handler(test_probes[i], NULL);
	return reserve(msr);
}

bool knc_test_ask(bool evtsel)
{
	if (evtsel ? !test_reserve(reserve_evntsel_nmi, MODEL_PERFEVTSEL) :
		     !test_reserve(reserve_perfctr_nmi, MODEL_PERFCNTR))
		return false;
	if (evtsel)
		release_evntsel_nmi(MODEL_PERFEVTSEL);
	else
		release_perfctr_nmi(MODEL_PERFCNTR);
	return true;
}

bool knc_test_reserved(void)
{
	if (!reserve_perfctr_nmi(MODEL_PERFCNTR))
		return true;
	release_perfctr_nmi(MODEL_PERFCNTR);
	return false;
}

#include "../../src/sample/ring.c"

unsigned int knc_test_copies;
unsigned long knc_test_memory_end;

static unsigned long test_copy(void *to, const void __user *from,
			       unsigned long n)
{
	unsigned long at = (unsigned long)from, there;

	knc_test_copies++;
	if (!knc_test_memory_end)
		return copy_from_user_nmi(to, from, n);
	there = at < knc_test_memory_end ? min(n, knc_test_memory_end - at) : 0;
	memset(to, KNC_TEST_MEMORY, there);
	return n - there;
}

void (*knc_test_asks_pid)(void);

static pid_t test_tgid_nr_ns(struct task_struct *task, struct pid_namespace *ns)
{
	if (knc_test_asks_pid)
		knc_test_asks_pid();
	return task_tgid_nr_ns(task, ns);
}

/* after all headers: the scheduler does not know the sampled tasks */
#undef current
#define current fake_current()
#define copy_from_user_nmi(to, from, n) test_copy(to, from, n)
#define task_tgid_nr_ns(task, ns) test_tgid_nr_ns(task, ns)

#include "../../src/sample/chain.c"
#include "../../src/sample/stack.c"

void (*knc_test_behind_clock)(void);
u64 knc_test_now;

/* Called between a reading of the clock and the following code */
static u64 test_ktime_get_ns(void)
{
	u64 now = knc_test_now ?: ktime_get_ns();

	if (knc_test_behind_clock)
		knc_test_behind_clock();
	return now;
}

#define ktime_get_ns() test_ktime_get_ns()
#include "../../src/count/clock.c"
/*
 * a model's time stamp counter does not follow the machine's clock: only a test measures its rate
 */
#define add_timer_on(timer, cpu) do { } while (0)
#include "../../src/task/tsc-rate.c"
#undef add_timer_on
#include "../../src/request/samples.c"
#include "../../src/sample/overflow.c"
#include "../../src/sample/switches.c"
#include "../../src/sample/period.c"
#include "../../src/sample/tick.c"
#include "../../src/sample/timed.c"
#include "../../src/sample/sampler.c"
#undef ktime_get_ns
#undef task_tgid_nr_ns
#undef copy_from_user_nmi
#undef current
#define current get_current()

#include "../../src/session/offcore.c"
#include "../../src/host/rmid.c"
#include "../../src/host/level.c"
#include "../../src/host/level-tasks.c"
#include "../../src/session/claims.c"
/*
 * Time only advances on request of the test, however slow the machine is; delayed work never runs
 * by itself
 */
static unsigned long test_jiffies;
#undef jiffies
#define jiffies test_jiffies
#define knc_compat_schedule(work, delay) ((void)(work), (void)(delay))
#include "../../src/session/reserve.c"
#undef knc_compat_schedule
#undef jiffies
#include "../../src/session/rings.c"
#include "../../src/session/commands.c"
#include "../../src/session/read.c"
#include "../../src/session/records.c"
#include "../../src/session/threads.c"
#include "../../src/session/tasks.c"
#include "../../src/session/session.c"
#include "../../src/session/hotplug.c"
#include "../../src/abi/copy.c"
#include "../../src/abi/config.c"
#include "../../src/abi/query.c"

/* Write a record as the overflow interrupt does; false: no room */
bool knc_test_ring_put(struct knc_ring *r, const void *record, u32 most,
		       u32 size)
{
	if (!knc_ring_reserve(r, most))
		return false;
	memcpy(knc_ring_end(r), record, size);
	knc_ring_commit(r, size);
	return true;
}

void knc_test_tick(struct knc_sampler *s)
{
	knc_sampler_set_clock(s);
	knc_tick_here(s);
}

/* Call the timer that measures the time stamp counter, with CLOCK_MONOTONIC = @now */
bool knc_test_measure(u64 now)
{
	bool known;

	knc_test_now = now;
	known = knc_tsc_rate_measure();
	knc_test_now = 0;
	return known;
}

void knc_test_measure_end(void)
{
	memset(this_cpu_ptr(&knc_tsc_rates), 0, sizeof(struct knc_rate));
}

void knc_test_time_sample(struct knc_sampler *s)
{
	knc_time_sample(s);
}

struct knc_sampler *knc_test_sampler(struct knc_session *s, unsigned int i)
{
	return s->samplers ? &s->samplers[i] : NULL;
}

bool knc_test_rotates(unsigned int cpu)
{
	const struct hrtimer *timer = &per_cpu(knc_rotation_timers, cpu);

	/* no timer before it is first needed */
	return timer->base && hrtimer_active(timer);
}

void knc_test_may_give_back(unsigned int nr)
{
	knc_give_backs = nr;
	knc_given_back = test_jiffies;
}

void knc_test_give_backs(unsigned int nr)
{
	BUILD_BUG_ON(KNC_TEST_GIVE_BACKS != KNC_GIVE_BACKS_AT_ONCE);
	BUILD_BUG_ON(KNC_TEST_KEEP != KNC_KEEP);
	BUILD_BUG_ON(KNC_TEST_DELAY != KNC_DELAY);
	knc_reserve_exit();
	knc_test_may_give_back(nr);
}

void knc_test_later(unsigned long passed)
{
	test_jiffies += passed;
	/* run both works: they look at the time themselves, or may run at any time */
	knc_restore_later(NULL);
	knc_keep_end(NULL);
}

MODULE_DESCRIPTION("KUnit tests of knc_pmu");
MODULE_LICENSE("GPL");
