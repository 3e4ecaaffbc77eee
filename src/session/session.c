// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: one open file, what it counts where
 *
 * Locks, in this order: a session's own (its state), the CPU hotplug lock (who
 * is online), knc_claims_lock (who has which counter). The last two are held for what
 * is bounded only; and of a session that follows tasks, which anybody can have, no
 * memory of its user is touched under its own: an eviction waits for it. The counts and registers
 * of a hardware thread need none: only code on that thread, with interrupts
 * off, touches them, or whoever holds the hotplug lock while it is offline.
 */
#include <linux/bitops.h>
#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "pmu/hw.h"
#include "count/hwthread.h"
#include "sample/pmi.h"
#include "task/policy.h"
#include "task/grants.h"
#include "sample/sampler.h"
#include "sample/sampling.h"
#include "session/session.h"
#include "count/rotor.h"
#include "count/set.h"
#include "task/rates.h"
#include "task/task.h"

#define KNC_PERF_MLOCK_PAGES	((516 << 10) >> PAGE_SHIFT)

/**
 * struct knc_session - one open file
 * @lock: taken to configure, and by whoever can't take the short way
 * @configured: set last, for readers without the lock
 * @single: so is this: there is just one hardware thread
 * @evicted: another one took its counters; what it counted until then is kept
 * @ref: the file has one, and an eviction while it goes on
 * @node: in knc_sessions, as long as it has counters
 * @serial: its number in the order of configuration
 * @follow: the tasks it follows, instead of hardware threads; NULL: none
 * @nr_threads: hardware threads; 0: not configured, or it follows tasks
 * @core_wide: an event that other threads of the core make, too, is counted there
 * @layout: the events, in groups
 * @counts: what each of them begins with
 * @cpus: the hardware threads
 * @cpu: the first of them
 * @claims: one for each of them
 * @records: what READ returns, filled by each hardware thread itself
 * @records_size: bytes of it
 * @pid: who configured it
 * @samplers: one for each hardware thread, or for all there can be if tasks are
 *	followed; NULL: nothing is sampled
 * @nr_rings: how many
 * @locked: pages of them that are accounted to
 * @cred: the user of this; NULL: to nobody
 * @wait: where who reads the rings waits
 */
struct knc_session {
	struct mutex lock;	/* but for the short way of knc_is_own() */
	bool configured;
	bool single;
	bool evicted;
	struct kref ref;
	struct list_head node;
	u64 serial;
	struct knc_follow *follow;
	unsigned int nr_threads;
	bool core_wide;
	struct knc_layout layout;
	struct knc_count *counts;
	cpumask_var_t cpus;
	unsigned int cpu;
	struct knc_claim *claims;
	void *records;
	size_t records_size;
	struct pid *pid;
	struct knc_sampler *samplers;
	unsigned int nr_rings;
	unsigned long locked;
	const struct cred *cred;
	wait_queue_head_t wait;
};

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

/* Protects who has which counter, and: */
static DEFINE_MUTEX(knc_claims_lock);
static unsigned int knc_nr_sessions;	/* configured ones; read without */
static unsigned int knc_nr_core_wide;	/* of them, with overflows that any thread makes */

/* Sessions that have counters; each holds the lock for nothing else */
static LIST_HEAD(knc_sessions);
static DEFINE_SPINLOCK(knc_sessions_lock);
static u64 knc_sessions_serial;

/* Whose counters and permissions those of a session are */
static const void *knc_owner(const struct knc_session *s)
{
	return s->follow ? (const void *)s->follow : s;
}

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

/**
 * knc_session_create() - a session that counts nothing yet
 *
 * Return: the session, or NULL if there is no memory.
 */
struct knc_session *knc_session_create(void)
{
	struct knc_session *s = kzalloc(sizeof(*s), KNC_COMPAT_GFP_QUIET);

	if (!s)
		return NULL;
	if (!zalloc_cpumask_var(&s->cpus, KNC_COMPAT_GFP_QUIET)) {
		kfree(s);
		return NULL;
	}
	mutex_init(&s->lock);
	kref_init(&s->ref);
	INIT_LIST_HEAD(&s->node);
	init_waitqueue_head(&s->wait);
	return s;
}

static void knc_session_free_samplers(struct knc_session *s)
{
	unsigned int i;

	if (!s->samplers)
		return;
	for (i = 0; i < s->nr_rings; i++)
		knc_sampler_destroy(&s->samplers[i]);
	kvfree(s->samplers);
	s->samplers = NULL;
	s->nr_rings = 0;
}

static void knc_session_free(struct knc_session *s)
{
	unsigned int i;

	knc_session_free_samplers(s);
	for (i = 0; s->claims && i < s->nr_threads; i++)
		knc_set_free(&s->claims[i]);
	put_pid(s->pid);
	kvfree(s->records);
	kvfree(s->claims);
	s->pid = NULL;
	s->records = NULL;
	s->claims = NULL;
	s->nr_threads = 0;
}

static int knc_session_alloc_samplers(struct knc_session *s,
				      const struct cpumask *cpus,
				      const struct knc_pmu_config *c)
{
	unsigned int cpu, i = 0;
	int err;

	s->nr_rings = cpumask_weight(cpus);
	s->samplers = kvcalloc(s->nr_rings, sizeof(*s->samplers),
			       KNC_COMPAT_GFP_QUIET);
	if (!s->samplers)
		return -ENOMEM;
	for_each_cpu(cpu, cpus) {
		err = knc_sampler_alloc(&s->samplers[i++], c, cpu, &s->wait);
		if (err)
			return err;
	}
	return 0;
}

/* Bytes of a record of READ */
static size_t knc_record_size(const struct knc_session *s)
{
	const struct knc_layout *l = &s->layout;

	return l->nr_groups > 1 ? KNC_PMU_SET_SIZE(l->nr_events) :
				  KNC_PMU_THREAD_SIZE(l->nr_events);
}

/* All memory there may be need of; on failure knc_session_free() is called. */
static int knc_session_alloc(struct knc_session *s, const struct cpumask *cpus,
			     const struct knc_pmu_config *c, bool sampling)
{
	s->nr_threads = cpumask_weight(cpus);
	s->cpu = cpumask_first(cpus);
	cpumask_copy(s->cpus, cpus);
	s->pid = get_pid(task_tgid(current));
	s->records_size = s->nr_threads * knc_record_size(s);
	s->claims = kvcalloc(s->nr_threads, sizeof(*s->claims),
			     KNC_COMPAT_GFP_QUIET);
	s->records = kvcalloc(s->nr_threads, knc_record_size(s),
			      KNC_COMPAT_GFP_QUIET);
	if (!s->claims || !s->records)
		return -ENOMEM;
	return sampling ? knc_session_alloc_samplers(s, cpus, c) : 0;
}

static void knc_count_init(struct knc_count *count,
			   const struct knc_pmu_event *event)
{
	count->evtsel = knc_event_evtsel(event);
	count->counter = event->counter;
	count->obeys = event->flags & KNC_PMU_EVENT_SPFLT;
	count->left = KNC_COUNT_MAX;
}

/* What each claim begins with; if there are several groups, without its set */
static void knc_claim_init(struct knc_claim *claim,
			   const struct knc_session *s, u32 flags)
{
	unsigned int i;

	claim->owner = knc_owner(s);
	claim->pid = s->pid;
	claim->user_pref = flags & KNC_PMU_CONFIG_USER_PREF;
	claim->owned = s->layout.cntrs;
	for (i = 0; i < s->layout.nr_events; i++)
		if (s->counts[i].obeys)
			claim->spflt |= 1u << s->counts[i].counter;
	if (s->layout.nr_groups > 1)
		return;
	claim->nr = s->layout.nr_events;
	claim->cntrs = claim->owned;
	claim->obey = claim->spflt;
	memcpy(claim->count, s->counts, claim->nr * sizeof(*s->counts));
}

static int knc_session_init_claims(struct knc_session *s, u32 flags)
{
	unsigned int cpu, i = 0;
	int err = 0;

	for_each_cpu(cpu, s->cpus) {
		knc_claim_init(&s->claims[i], s, flags);
		s->claims[i].cpu = cpu;
		s->claims[i].record = s->records + i * knc_record_size(s);
		if (s->layout.nr_groups > 1)
			err = knc_set_init(&s->claims[i], &s->layout, s->counts,
					   KNC_COMPAT_GFP_QUIET);
		if (err)
			return err;
		i++;
	}
	return 0;
}

static void knc_session_init_counts(struct knc_session *s,
				    const struct knc_pmu_event *events)
{
	unsigned int i;

	for (i = 0; i < s->layout.nr_events; i++)
		knc_count_init(&s->counts[i], &events[i]);
}

static void knc_session_init_samplers(struct knc_session *s,
				      const struct knc_pmu_config *c,
				      const struct knc_pmu_event *events)
{
	struct pid_namespace *ns = ns_of_pid(s->pid); /* which the pid holds */
	unsigned int i;

	if (ns == &init_pid_ns)
		ns = NULL;
	for (i = 0; i < s->nr_rings; i++)
		knc_sampler_init(&s->samplers[i], c, events,
				 s->follow ? &s->follow->claim : &s->claims[i],
				 ns);
	/* the interrupt of an event of user mode may come after a system call began */
	if (!s->nr_rings || !knc_compat_locked_down())
		return;
	for (i = 0; i < s->nr_rings; i++)
		knc_sampler_hide_kernel(&s->samplers[i]);
}

static int knc_check_cpus(const struct cpumask *cpus, struct knc_refusal *why)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpus) {
		if (!cpu_possible(cpu)) {
			why->cpu = cpu;
			why->reason = KNC_PMU_REASON_CPU_NONE;
			return -ENXIO;
		}
		if (!cpu_online(cpu)) {
			why->cpu = cpu;
			why->reason = KNC_PMU_REASON_CPU_OFFLINE;
			return -ENXIO;
		}
	}
	return 0;
}

static int knc_busy(const struct knc_claim *claim, unsigned int counter,
		    u32 reason, struct knc_refusal *why)
{
	why->reason = reason;
	why->counter = counter;
	why->cpu = claim->cpu;
	why->pid = pid_vnr(claim->pid);
	return -EBUSY;
}

/**
 * struct knc_holders - whose the counters are that a session asks for
 * @claim: for each counter, a claim that has it; NULL: nobody's
 * @spflt: one that lets SPFLT control a counter; NULL: none
 */
struct knc_holders {
	const struct knc_claim *claim[KNC_NR_COUNTERS];
	const struct knc_claim *spflt;
};

static void knc_holders_add(struct knc_holders *holders,
			    const struct knc_claim *claim, unsigned int n)
{
	if (!claim)
		return;
	if (!holders->claim[n])
		holders->claim[n] = claim;
	if (!holders->spflt && claim->spflt & 1u << n)
		holders->spflt = claim;
}

/* On any of these hardware threads */
static void knc_holders_find(struct knc_holders *holders,
			     const struct cpumask *cpus)
{
	unsigned int cpu, n;

	for_each_cpu(cpu, cpus)
		for (n = 0; n < knc_hw_model.nr_counters; n++)
			knc_holders_add(holders, knc_hwthread_of(cpu)->claim[n],
					n);
}

/* USER_PREF is one bit of a hardware thread: two sessions can't have it. */
static int knc_check_spflt(const struct knc_holders *holders,
			   const struct knc_pmu_event *events, unsigned int nr,
			   struct knc_refusal *why)
{
	unsigned int i;

	if (!holders->spflt)
		return 0;
	for (i = 0; i < nr; i++)
		if (events[i].flags & KNC_PMU_EVENT_SPFLT)
			return knc_busy(holders->spflt,
					holders->spflt->spflt & 1 ? 0 : 1,
					KNC_PMU_REASON_SPFLT_BUSY, why);
	return 0;
}

/* Counters for the events, the same everywhere, or who has them */
static int knc_assign(const struct knc_holders *holders, struct knc_layout *l,
		      struct knc_pmu_event *events, struct knc_refusal *why)
{
	unsigned int all = (1u << knc_hw_model.nr_counters) - 1;
	unsigned int free = all;
	unsigned int n;
	int err;

	err = knc_layout_assign(l, events, all, why);
	if (err)
		return err;
	for (n = 0; n < knc_hw_model.nr_counters; n++)
		if (holders->claim[n])
			free &= ~(1u << n);
	if (!knc_layout_assign(l, events, free, why))
		return knc_check_spflt(holders, events, l->nr_events, why);
	/* it would fit if this one were free */
	knc_layout_assign(l, events, all, why);
	n = knc_events_missing(events, l->nr_events, free, why);
	return knc_busy(holders->claim[n], n, KNC_PMU_REASON_BUSY, why);
}

/* Those of tasks are on all hardware threads. */
static int knc_assign_threads(const struct cpumask *cpus, struct knc_layout *l,
			      struct knc_pmu_event *events,
			      struct knc_refusal *why)
{
	struct knc_holders holders = { .spflt = NULL };
	unsigned int n;

	knc_holders_find(&holders, cpus);
	for (n = 0; n < knc_hw_model.nr_counters; n++)
		knc_holders_add(&holders, knc_follow_holder(n), n);
	if (!holders.spflt)
		holders.spflt = knc_follow_spflt();
	return knc_assign(&holders, l, events, why);
}

/* The first session takes the counters from perf, with what perf left undone. */
static int knc_reserve(struct knc_refusal *why)
{
	if (knc_nr_sessions)
		return 0;
	if (knc_hw_reserve()) {
		why->reason = KNC_PMU_REASON_PMU_RESERVED;
		return -EBUSY;
	}
	knc_rdpmc_takeover();
	return 0;
}

/* Are times of @s measured in ticks of time stamp counters? */
static bool knc_session_ticks(const struct knc_session *s)
{
	return s->follow || s->layout.nr_groups > 1;
}

/* One session more; the hotplug and claims locks are held. */
static void knc_session_added(const struct knc_session *s)
{
	WRITE_ONCE(knc_nr_sessions, knc_nr_sessions + 1);
	if (knc_session_ticks(s))
		knc_clocks_get();
	if (s->layout.nr_groups > 1)
		knc_rotor_get();
}

static void knc_session_removed(const struct knc_session *s)
{
	if (s->layout.nr_groups > 1)
		knc_rotor_put();
	if (knc_session_ticks(s))
		knc_clocks_put();
	WRITE_ONCE(knc_nr_sessions, knc_nr_sessions - 1);
	if (!knc_nr_sessions)
		knc_hw_release();
}

static void knc_lend_here(void *lend)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);

	if (lend)
		knc_hwthread_lend(hw);
	else
		knc_hwthread_unlend(hw);
}

/*
 * Whose counters have overflown is not told where: all hardware threads take these
 * interrupts, as a core's threads are not known while they are offline. The hotplug
 * and claims locks are held.
 */
static void knc_lend_all(bool lend)
{
	unsigned int cpu;

	on_each_cpu(knc_lend_here, lend ? &knc_nr_core_wide : NULL, true);
	for_each_possible_cpu(cpu)
		if (!knc_hwthread_of(cpu)->online)
			knc_hwthread_of(cpu)->lent = lend;
}

static void knc_attach(struct knc_session *s)
{
	struct knc_call call = { .session = s, .fn = knc_do_attach };
	unsigned int i;

	for (i = 0; i < s->nr_threads; i++) {
		struct knc_claim *claim = &s->claims[i];
		struct knc_hwthread *hw = knc_hwthread_of(claim->cpu);

		knc_hwthread_own(hw, claim, claim);
		if (claim->sampler)
			knc_sampler_attach(claim->sampler);
	}
	if (s->core_wide && !knc_nr_core_wide++)
		knc_lend_all(true);
	knc_call_locked(&call);
	knc_session_added(s);
}

/* The hotplug and claims locks are held. */
static int knc_session_claim(struct knc_session *s, const struct cpumask *cpus,
			     const struct knc_pmu_config *c,
			     struct knc_pmu_event *events,
			     struct knc_refusal *why)
{
	int err;

	err = knc_check_cpus(cpus, why);
	if (err)
		return err;
	err = knc_assign_threads(cpus, &s->layout, events, why);
	if (err)
		return err;
	knc_session_init_counts(s, events);
	err = knc_session_init_claims(s, c->flags);
	if (err)
		return err;
	err = knc_reserve(why);
	if (err)
		return err;
	knc_session_init_samplers(s, c, events);
	s->core_wide = knc_events_core_wide(events, s->layout.nr_events);
	knc_attach(s);
	return 0;
}

/* Permissions of a session on hardware threads are for its own process alone. */
static int knc_session_open_rdpmc(const struct knc_session *s, u32 flags)
{
	if (!(flags & KNC_PMU_CONFIG_RDPMC))
		return 0;
	return knc_rdpmc_open(knc_owner(s), s->pid, s->follow);
}

static int knc_session_config_threads(struct knc_session *s,
				      const struct cpumask *cpus,
				      const struct knc_pmu_config *c,
				      struct knc_pmu_event *events,
				      struct knc_refusal *why)
{
	int err;

	err = knc_session_alloc(s, cpus, c, knc_sampling_wanted(c, events));
	if (!err)
		err = knc_session_open_rdpmc(s, c->flags);
	if (!err) {
		cpus_read_lock();
		mutex_lock(&knc_claims_lock);
		err = knc_session_claim(s, cpus, c, events, why);
		mutex_unlock(&knc_claims_lock);
		cpus_read_unlock();
	}
	if (err) {
		knc_rdpmc_close(s);
		knc_session_free(s);
	}
	return err;
}

/*
 * Tasks go everywhere: their counters must be nobody's on all hardware threads. And
 * who may execute RDPMC can read the one that he did not ask for as well.
 */
static int knc_assign_tasks(struct knc_follow *f, struct pid *pid,
			    struct knc_layout *l, struct knc_pmu_event *events,
			    struct knc_refusal *why)
{
	struct knc_holders threads = { .spflt = NULL };
	struct knc_holders tasks = { .spflt = NULL };
	const struct knc_claim *claim[KNC_NR_COUNTERS] = { NULL };
	unsigned int n;
	int err;

	knc_holders_find(&threads, cpu_possible_mask);
	err = knc_assign(&threads, l, events, why);
	if (err)
		return err;
	knc_follow_taken(pid, f->flags & KNC_PMU_CONFIG_PROCESS, claim);
	tasks = threads;
	for (n = 0; n < knc_hw_model.nr_counters; n++)
		knc_holders_add(&tasks, claim[n], n);
	err = knc_assign(&tasks, l, events, why);
	if (err && why->reason == KNC_PMU_REASON_BUSY)
		why->reason = KNC_PMU_REASON_TASK_BUSY;
	if (err)
		return err;
	if (!(f->flags & KNC_PMU_CONFIG_RDPMC) || f->privileged)
		return 0;
	for (n = 0; n < knc_hw_model.nr_counters; n++) {
		f->cntrs |= 1u << n;
		if (threads.claim[n])
			return knc_busy(threads.claim[n], n,
					KNC_PMU_REASON_RDPMC_BUSY, why);
	}
	return 0;
}

static void knc_page_init(struct knc_follow *f,
			  const struct knc_pmu_event *events)
{
	unsigned int i;

	f->page->nr_events = f->claim.nr;
	for (i = 0; i < f->claim.nr; i++) {
		f->page->counter[i] = events[i].counter;
		f->claim.count[i].page = f->page;
		f->claim.count[i].index = i;
	}
}

/*
 * What users may lock in memory. perf's buffers are in the same account, but do not
 * count if they are small (kernel.perf_event_mlock_kb, of each CPU).
 */
static int knc_session_account(struct knc_session *s,
			       const struct knc_pmu_config *c,
			       struct knc_refusal *why)
{
	unsigned long limit = (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) +
			      num_online_cpus() * KNC_PERF_MLOCK_PAGES;

	if (s->follow->privileged)
		return 0;
	s->locked = num_possible_cpus() *
		    ((PAGE_SIZE + c->ring_size) >> PAGE_SHIFT);
	s->cred = get_current_cred();
	if (atomic_long_add_return(s->locked, &s->cred->user->locked_vm) <= limit)
		return 0;
	why->reason = KNC_PMU_REASON_RING_MEMLOCK;
	return -ENOMEM;
}

static void knc_session_unaccount(struct knc_session *s)
{
	if (!s->cred)
		return;
	atomic_long_sub(s->locked, &s->cred->user->locked_vm);
	put_cred(s->cred);
	s->cred = NULL;
}

/* Each hardware thread has a ring for the tasks that run there. */
static int knc_session_alloc_rings(struct knc_session *s,
				   const struct knc_pmu_config *c)
{
	unsigned int i;
	int err;

	s->follow->samplers = kcalloc(nr_cpu_ids, sizeof(*s->follow->samplers),
				      KNC_COMPAT_GFP_QUIET);
	if (!s->follow->samplers)
		return -ENOMEM;
	err = knc_session_alloc_samplers(s, cpu_possible_mask, c);
	for (i = 0; !err && i < s->nr_rings; i++)
		s->follow->samplers[s->samplers[i].ring.cpu] = &s->samplers[i];
	return err;
}

static void knc_session_sample_tasks(struct knc_session *s,
				     const struct knc_pmu_config *c,
				     const struct knc_pmu_event *events)
{
	unsigned int i;

	knc_session_init_samplers(s, c, events);
	/* no task is there yet */
	for (i = 0; i < s->nr_rings; i++) {
		s->samplers[i].claim = NULL;
		if (!s->follow->privileged)
			knc_sampler_hide_kernel(&s->samplers[i]);
	}
	s->follow->claim.sampler = NULL;
}

static void knc_session_detach_samplers(struct knc_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_rings; i++)
		knc_sampler_detach(&s->samplers[i]);
}

static void knc_session_detach_tasks(struct knc_session *s)
{
	knc_follow_detach(s->follow);
	knc_session_detach_samplers(s);
}

/* The hotplug and claims locks are held. */
static int knc_session_follow(struct knc_session *s, struct pid *pid,
			      const struct knc_pmu_config *c,
			      struct knc_pmu_event *events,
			      struct knc_refusal *why)
{
	struct knc_follow *f = s->follow;
	int err;

	err = knc_assign_tasks(f, pid, &s->layout, events, why);
	if (err)
		return err;
	err = knc_reserve(why);
	if (err)
		return err;
	knc_session_init_counts(s, events);
	knc_claim_init(&f->claim, s, f->flags);
	f->claim.cpu = KNC_PMU_NO_CPU;
	f->cntrs |= f->claim.owned;
	if (f->page)
		knc_page_init(f, events);
	if (s->samplers)
		knc_session_sample_tasks(s, c, events);
	err = knc_follow_attach(f, pid);
	if (!err) {
		knc_session_added(s);
		return 0;
	}
	/* what was waited for may have been executed, and sampled, until then */
	knc_session_detach_samplers(s);
	if (!knc_nr_sessions)
		knc_hw_release();
	return err;
}

/* The process may have many threads: without the locks that others wait for */
static int knc_session_follow_more(struct knc_session *s)
{
	int err = knc_follow_fill(s->follow);

	if (!err)
		return 0;
	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	knc_session_detach_tasks(s);
	knc_session_removed(s);
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
	return err;
}

static void knc_session_free_follow(struct knc_session *s)
{
	knc_session_free_samplers(s);
	knc_session_unaccount(s);
	knc_follow_destroy(s->follow);
	s->follow = NULL;
	put_pid(s->pid);
	s->pid = NULL;
}

static int knc_session_config_task(struct knc_session *s,
				   struct pid *pid,
				   const struct knc_pmu_config *c,
				   struct knc_pmu_event *events,
				   struct knc_refusal *why)
{
	struct knc_follow *f = knc_follow_create(c, &s->layout, s->counts);
	int err;

	if (IS_ERR(f)) {
		if (PTR_ERR(f) != -ENOENT)
			return PTR_ERR(f);
		why->reason = KNC_PMU_REASON_TASK_KERNEL;
		return -EOPNOTSUPP;
	}
	s->follow = f;
	f->lock = &s->lock;
	s->pid = get_pid(task_tgid(current));
	err = knc_session_open_rdpmc(s, c->flags);
	if (!err && c->ring_size)
		err = knc_session_account(s, c, why);
	if (!err && c->ring_size)
		err = knc_session_alloc_rings(s, c);
	if (!err) {
		cpus_read_lock();
		mutex_lock(&knc_claims_lock);
		err = knc_session_follow(s, pid, c, events, why);
		mutex_unlock(&knc_claims_lock);
		cpus_read_unlock();
		if (!err)
			err = knc_session_follow_more(s);
		if (err == -ESRCH)
			why->reason = KNC_PMU_REASON_TASK_NONE;
		if (err == -EPERM)
			why->reason = KNC_PMU_REASON_TASK_DENIED;
	}
	if (err) {
		/* likewise: what was executed got its permission */
		knc_rdpmc_close(f);
		knc_session_free_follow(s);
	}
	return err;
}

static int knc_session_config_tasks(struct knc_session *s,
				    const struct knc_pmu_config *c,
				    struct knc_pmu_event *events,
				    struct knc_refusal *why)
{
	struct pid *pid = knc_follow_find(c->pid, why);
	int err;

	if (IS_ERR(pid))
		return PTR_ERR(pid);
	err = knc_session_config_task(s, pid, c, events, why);
	put_pid(pid);
	return err;
}

static void knc_session_detach_threads(struct knc_session *s)
{
	struct knc_call call = { .session = s, .fn = knc_do_detach };

	knc_call_locked(&call);
	if (s->core_wide && !--knc_nr_core_wide)
		knc_lend_all(false);
	knc_session_detach_samplers(s);
}

/*
 * Have @detach take the session off the counters. Permissions first: whose the counters
 * will be is not to be read. And once more, when no task can execute the program any more
 * that was to get one.
 */
static void knc_session_leave(struct knc_session *s,
			      void (*detach)(struct knc_session *s))
{
	knc_rdpmc_revoke(knc_owner(s));
	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	detach(s);
	knc_session_removed(s);
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
	knc_rdpmc_close(knc_owner(s));
}

static void knc_session_release(struct knc_session *s)
{
	if (!s->follow && !s->nr_threads)
		return;
	if (!s->evicted)
		knc_session_leave(s, s->follow ? knc_session_detach_tasks :
						 knc_session_detach_threads);
	if (s->follow)
		knc_session_free_follow(s);
	else
		knc_session_free(s);
}

/* From now on it can be evicted. */
static void knc_session_publish(struct knc_session *s)
{
	spin_lock(&knc_sessions_lock);
	s->serial = ++knc_sessions_serial;
	list_add_tail(&s->node, &knc_sessions);
	spin_unlock(&knc_sessions_lock);
}

static void knc_session_unpublish(struct knc_session *s)
{
	spin_lock(&knc_sessions_lock);
	list_del_init(&s->node);
	spin_unlock(&knc_sessions_lock);
}

/* The program to be executed gets its permission when it is. */
static int knc_session_permit(struct knc_session *s, u32 flags,
			      struct knc_refusal *why)
{
	int err;

	if (!(flags & KNC_PMU_CONFIG_RDPMC))
		return 0;
	if (flags & KNC_PMU_CONFIG_ON_EXEC)
		err = knc_rdpmc_try();
	else
		err = knc_rdpmc_grant(knc_owner(s));
	if (err == -EOPNOTSUPP)
		why->reason = KNC_PMU_REASON_RDPMC_OFF;
	return err;
}

static int knc_session_config_locked(struct knc_session *s,
				     const struct cpumask *cpus,
				     const struct knc_pmu_config *c,
				     const struct knc_layout *l,
				     struct knc_pmu_event *events,
				     struct knc_refusal *why, knc_tell_fn tell)
{
	int err;

	if (s->configured)
		return -EALREADY;
	err = knc_rdpmc_prepare(c->flags & KNC_PMU_CONFIG_RDPMC);
	if (c->flags & KNC_PMU_CONFIG_RDPMC && err) {
		if (err == -ENOMEM)
			return err;
		why->reason = KNC_PMU_REASON_RDPMC;
		return -EOPNOTSUPP;
	}
	s->layout = *l;
	s->counts = kcalloc(l->nr_events, sizeof(*s->counts), KNC_COMPAT_GFP_QUIET);
	if (!s->counts)
		return -ENOMEM;
	if (c->flags & KNC_PMU_CONFIG_TASK)
		err = knc_session_config_tasks(s, c, events, why);
	else
		err = knc_session_config_threads(s, cpus, c, events, why);
	if (!err) {
		err = knc_session_permit(s, c->flags, why);
		if (!err && tell)
			err = tell(c, events);
		if (err)
			knc_session_release(s);
	}
	if (err) {
		kfree(s->counts);
		s->counts = NULL;
	}
	return err;
}

/**
 * knc_session_config() - claim counters on hardware threads, or for tasks
 * @s: a session that is not configured
 * @cpus: the hardware threads, at least one; not with KNC_PMU_CONFIG_TASK
 * @c: what CONFIG was asked; of its addresses nothing is used
 * @events: the events, 1 to KNC_PMU_MAX_SET; their counters are filled in
 * @why: where to tell the reason of a refusal
 * @tell: tells the caller; called when nothing else can fail, with the session's
 *	lock held. After an error of its own nothing is configured. NULL: nobody is told
 *
 * Return: 0, or an errno of struct knc_pmu_config.
 */
int knc_session_config(struct knc_session *s, const struct cpumask *cpus,
		       const struct knc_pmu_config *c,
		       struct knc_pmu_event *events, struct knc_refusal *why,
		       knc_tell_fn tell)
{
	struct knc_layout l;
	int err;

	err = knc_events_check(events, c->nr_events, why);
	if (err)
		return err;
	err = knc_layout_init(&l, events, c->nr_events, why);
	if (err)
		return err;
	if (l.nr_groups > 1 && c->ring_size) {
		why->reason = KNC_PMU_REASON_SET_SAMPLING;
		return -EOPNOTSUPP;
	}
	err = knc_sampling_check(c, events, why);
	if (err)
		return err;
	err = knc_follow_check(c, events, why);
	if (err)
		return err;
	err = knc_policy_lockdown(c, events, why);
	if (err)
		return err;
	mutex_lock(&s->lock);
	err = knc_session_config_locked(s, cpus, c, &l, events, why, tell);
	if (!err) {
		smp_wmb(); /* with knc_is_own(), knc_session_samplers() */
		s->configured = true;
		s->single = s->nr_threads == 1 && l.nr_groups == 1;
		knc_session_publish(s);
	}
	mutex_unlock(&s->lock);
	return err;
}

static void knc_session_last(struct kref *ref)
{
	struct knc_session *s = container_of(ref, struct knc_session, ref);

	free_cpumask_var(s->cpus);
	kfree(s);
}

/**
 * knc_session_destroy() - give everything back
 * @s: a session nobody else uses any more, unless it is just being evicted
 */
void knc_session_destroy(struct knc_session *s)
{
	mutex_lock(&s->lock);
	knc_session_unpublish(s);
	knc_session_release(s);
	s->configured = false;
	kfree(s->counts);
	mutex_unlock(&s->lock);
	kref_put(&s->ref, knc_session_last);
}

/* What it has counted is read for the last time, and kept; the locks are held. */
static void knc_session_evict_threads(struct knc_session *s)
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
	knc_session_detach_threads(s);
}

static void knc_session_evict_tasks(struct knc_session *s)
{
	knc_follow_evict(s->follow);
	knc_session_detach_samplers(s);
}

/* Its lock is held. Returns whether it had counters until now. */
static bool knc_session_evict(struct knc_session *s)
{
	if (!s->configured || s->evicted)
		return false;
	knc_session_unpublish(s);
	/* who is on the short way has interrupts off: it is over when it is detached */
	s->single = false;
	s->evicted = true;
	knc_session_leave(s, s->follow ? knc_session_evict_tasks :
					 knc_session_evict_threads);
	wake_up_interruptible_all(&s->wait);
	return true;
}

static bool knc_session_holds(const struct knc_session *s, unsigned int cpu,
			      unsigned int counter)
{
	u32 cntrs = s->follow ? s->follow->cntrs : s->layout.cntrs;

	if (counter != KNC_PMU_NO_COUNTER && !(cntrs & 1u << counter))
		return false;
	return cpu == KNC_PMU_NO_CPU || s->follow ||
	       cpumask_test_cpu(cpu, s->cpus);
}

/* The oldest one but @self that has these counters; with a reference, or NULL */
static struct knc_session *knc_session_holding(const struct knc_session *self,
					       unsigned int cpu,
					       unsigned int counter, u64 serial)
{
	struct knc_session *s, *found = NULL;

	spin_lock(&knc_sessions_lock);
	list_for_each_entry(s, &knc_sessions, node) {
		if (s == self || s->serial > serial ||
		    !knc_session_holds(s, cpu, counter))
			continue;
		kref_get(&s->ref);
		found = s;
		break;
	}
	spin_unlock(&knc_sessions_lock);
	return found;
}

/**
 * knc_sessions_evict() - take counters away from sessions
 * @self: a session that keeps its own
 * @cpu: a hardware thread; KNC_PMU_NO_CPU: all of them
 * @counter: a counter; KNC_PMU_NO_COUNTER: all of them
 *
 * Those that are configured meanwhile remain.
 *
 * Return: how many sessions lost theirs; -ENXIO: there is no such counter; -EINTR: the
 * caller is being killed.
 */
int knc_sessions_evict(const struct knc_session *self, unsigned int cpu,
		       unsigned int counter)
{
	struct knc_session *s;
	int nr = 0, err = 0;
	u64 serial;

	if (cpu != KNC_PMU_NO_CPU && (cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return -ENXIO;
	if (counter != KNC_PMU_NO_COUNTER && counter >= knc_hw_model.nr_counters)
		return -ENXIO;
	spin_lock(&knc_sessions_lock);
	serial = knc_sessions_serial;
	spin_unlock(&knc_sessions_lock);
	while (!err && (s = knc_session_holding(self, cpu, counter, serial))) {
		err = mutex_lock_killable(&s->lock);
		if (!err) {
			nr += knc_session_evict(s);
			mutex_unlock(&s->lock);
		}
		kref_put(&s->ref, knc_session_last);
	}
	return err ? -EINTR : nr;
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
	return hweight32(s->layout.cntrs) == knc_hw_model.nr_counters;
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
static inline int knc_put_record(const struct knc_session *s,
				 struct knc_pmu_thread __user *to,
				 const struct knc_pmu_thread *record,
				 bool timed)
{
	BUILD_BUG_ON(KNC_PMU_MAX_EVENTS != 2);
	/* room for all there can be, a constant: cheaper to check */
	if (!user_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_put_user(record->cpu, &to->cpu, fault);
	unsafe_put_user(record->flags, &to->flags, fault);
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
	if (s->layout.nr_events > 1)
		unsafe_put_user(record->value[1], &to->value[1], fault);
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
static int knc_session_read_own(struct knc_session *s,
				struct knc_pmu_thread __user *to, u64 size,
				bool timed)
{
	struct knc_pmu_thread record;
	struct knc_hwthread *hw;

	local_irq_disable();
	hw = this_cpu_ptr(&knc_hwthreads);
	if (!knc_is_own(s, hw) || size < s->records_size) {
		local_irq_enable();
		return 0;
	}
	knc_hwthread_read(hw, s->claims, &record);
	if (unlikely(timed))
		knc_hwthread_read_times(hw, s->claims, ktime_get_ns(), &record);
	local_irq_enable();
	return knc_put_record(s, to, &record, timed);
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

/* Configured sessions on the machine */
unsigned int knc_session_number(void)
{
	return READ_ONCE(knc_nr_sessions);
}

/**
 * knc_session_owner() - who has a counter
 * @cpu: the hardware thread
 * @counter: the counter
 * @pid: whose session has it, in the caller's pid namespace (0: not visible)
 *
 * Return: KNC_PMU_OWNER_*; -ENXIO if there is no such counter.
 */
int knc_session_owner(unsigned int cpu, unsigned int counter, s32 *pid)
{
	const struct knc_claim *claim;
	int flags = 0;

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu) ||
	    counter >= knc_hw_model.nr_counters)
		return -ENXIO;
	mutex_lock(&knc_claims_lock);
	claim = knc_hwthread_of(cpu)->claim[counter];
	if (claim)
		flags = KNC_PMU_OWNER_SESSION;
	else
		claim = knc_follow_holder(counter);
	if (claim && !flags)
		flags = KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS;
	*pid = claim ? pid_vnr(claim->pid) : 0;
	mutex_unlock(&knc_claims_lock);
	return flags;
}

/*
 * For who has not the lock: mmap() is called with one that page faults take, and
 * they may happen under ours. 0, or why there are none.
 */
static int knc_session_samplers(struct knc_session *s,
				struct knc_sampler **samplers)
{
	if (!READ_ONCE(s->configured))
		return -ENODATA;
	smp_rmb(); /* with knc_session_config() */
	*samplers = s->samplers;
	return s->samplers ? 0 : -EINVAL;
}

static int knc_session_mmap_page(struct knc_session *s,
				 struct vm_area_struct *vma)
{
	if (!s->follow || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	return knc_follow_mmap(s->follow, vma);
}

/**
 * knc_session_mmap() - map a ring, or the self-monitoring page
 * @s: the session
 * @vma: where; see struct knc_pmu_ring, struct knc_pmu_page
 *
 * Return: 0; -ENODATA: not configured; -EINVAL: nothing is sampled, or that is
 * no ring, nor the page; -EPERM: the page, to be written.
 */
int knc_session_mmap(struct knc_session *s, struct vm_area_struct *vma)
{
	struct knc_sampler *samplers;
	unsigned long pages, i;
	int err;

	err = knc_session_samplers(s, &samplers);
	if (err == -EINVAL && vma->vm_pgoff == KNC_PMU_PAGE_OFFSET >> PAGE_SHIFT)
		return knc_session_mmap_page(s, vma);
	if (err)
		return err;
	pages = (PAGE_SIZE + samplers->ring.mask + 1) >> PAGE_SHIFT;
	i = vma->vm_pgoff / pages;
	if (vma->vm_pgoff % pages || i >= s->nr_rings ||
	    vma->vm_end - vma->vm_start != pages << PAGE_SHIFT)
		return -EINVAL;
	return knc_ring_mmap(&samplers[i].ring, vma);
}

/**
 * knc_session_poll() - is there something to be read in a ring?
 * @s: the session
 * @file: its file
 * @table: of poll()
 *
 * Return: EPOLLIN if so; EPOLLHUP if nothing more will be, it was evicted; EPOLLERR if
 * nothing is sampled.
 */
__poll_t knc_session_poll(struct knc_session *s, struct file *file,
			  poll_table *table)
{
	struct knc_sampler *samplers;
	__poll_t mask = 0;
	unsigned int i;

	if (knc_session_samplers(s, &samplers))
		return EPOLLERR;
	poll_wait(file, &s->wait, table);
	/* nothing more comes */
	if (READ_ONCE(s->evicted))
		mask = EPOLLHUP;
	for (i = 0; i < s->nr_rings; i++)
		if (knc_ring_readable(&samplers[i].ring))
			mask |= EPOLLIN | EPOLLRDNORM;
	return mask;
}

/* @fn for each sampler of a hardware thread; one on both counters is met once */
static void knc_samplers_of(unsigned int cpu, void (*fn)(struct knc_sampler *s))
{
	const struct knc_hwthread *hw = knc_hwthread_of(cpu);

	if (hw->claim[0] && hw->claim[0]->sampler)
		fn(hw->claim[0]->sampler);
	if (hw->claim[1] && hw->claim[1] != hw->claim[0] &&
	    hw->claim[1]->sampler)
		fn(hw->claim[1]->sampler);
}

static void knc_start_again(struct knc_sampler *s)
{
	if (s->claim->started)
		knc_sampler_start(s);
}

static void knc_online_here(void *info)
{
	knc_rotor_online();
	knc_samplers_of(smp_processor_id(), knc_start_again);
	knc_hwthread_online(this_cpu_ptr(&knc_hwthreads), *(u64 *)info);
}

static void knc_offline_here(void *info)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);

	knc_rotor_offline();
	knc_task_out();
	knc_hwthread_halt(hw);
	knc_samplers_of(smp_processor_id(), knc_sampler_stop);
	knc_hwthread_offline(hw, *(u64 *)info);
}

/*
 * A hardware thread came: its claims count again. Nothing here fails: that would keep
 * the CPU offline. No CONFIG can be under way.
 */
int knc_sessions_online(unsigned int cpu)
{
	u64 now = ktime_get_ns();

	knc_hwthread_of(cpu)->cpu = cpu;
	knc_pmi_online(cpu);
	if (knc_nr_sessions)
		knc_rdpmc_takeover_here();
	knc_samplers_of(cpu, knc_sampler_attach);
	knc_clock_online(cpu);
	smp_call_function_single(cpu, knc_online_here, &now, true);
	return 0;
}

/*
 * The machine is suspended: on the CPU that is left, with interrupts off and the clock
 * still going. Its registers are lost, unless they are taken away from its claims first.
 */
void knc_sessions_suspend(void)
{
	u64 now = ktime_get_ns();

	knc_offline_here(&now);
}

/* It goes on: the registers hold what the firmware left there. */
void knc_sessions_resume(void)
{
	u64 now = ktime_get_ns();

	knc_online_here(&now);
}

/* A hardware thread is about to go: its claims keep what they counted. */
int knc_sessions_offline(unsigned int cpu)
{
	u64 now = ktime_get_ns();

	smp_call_function_single(cpu, knc_offline_here, &now, true);
	knc_samplers_of(cpu, knc_sampler_detach);
	knc_clock_offline(cpu);
	knc_pmi_offline(cpu);
	return 0;
}
