// SPDX-License-Identifier: GPL-2.0
/*
 * Which session has which counter: find free counters, and initialize claims on them
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/rotation.h"
#include "pmu/hw.h"
#include "session/internal.h"
#include "session/session.h"
#include "task/task.h"

/* Protects the owners of all counters, and the number of sessions */
DEFINE_MUTEX(knc_claims_lock);
/*
 * Number of sessions that have counters. A session whose CONFIG is still running is included here,
 * but is not yet in knc_sessions. Also read without the lock
 */
static unsigned int knc_nr_sessions;
/* The machine is about to reboot: no session gets counters any more */
bool knc_shut_down;

static void knc_count_init(struct knc_count *count,
			   const struct knc_event *event)
{
	count->evtsel = knc_event_evtsel(event);
	count->counter = event->counter;
	count->read_index = pmu_read_index(event->counter);
	count->obeys = event->flags & KNC_PMU_EVENT_SPFLT;
	count->left = pmu_max_load(count->counter);
}

/* Initialize a claim; the caller then calls knc_set_init() */
void knc_claims_init(struct knc_claim *claim,
		     const struct knc_session *s, u32 flags)
{
	unsigned int i;

	claim->owner = knc_session_identity(s);
	claim->pid = s->pid;
	claim->nmi = s->nmi;
	claim->open = flags & KNC_PMU_CONFIG_USER_PREF;
	claim->owned = s->groups.owned;
	claim->nr_events = s->groups.nr_events;
	for (i = 0; i < s->groups.nr_events; i++)
		if (s->counts[i].obeys)
			claim->gated |= pmu_bit(s->counts[i].counter);
	if (s->groups.nr_groups > 1)
		return;
	claim->nr = s->groups.nr_events;
	claim->cntrs = claim->owned;
	claim->obey = claim->gated;
	memcpy(claim->count, s->counts, claim->nr * sizeof(*s->counts));
}

void knc_session_init_counts(struct knc_session *s,
			     const struct knc_event *events)
{
	unsigned int i;

	for (i = 0; i < s->groups.nr_events; i++)
		knc_count_init(&s->counts[i], &events[i]);
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
 * struct knc_holders - the owners of the counters that a request may use
 * @claim: for each counter, a claim that has it; NULL: it is free
 * @gated: a claim with a gated counter; NULL: there is none
 */
struct knc_holders {
	const struct knc_claim *claim[PMU_MAX_NUMBER];
	const struct knc_claim *gated;
};

static void knc_holders_add(struct knc_holders *holders,
			    const struct knc_claim *claim, unsigned int n)
{
	if (!claim)
		return;
	if (!holders->claim[n])
		holders->claim[n] = claim;
	if (!holders->gated && claim->gated & pmu_bit(n))
		holders->gated = claim;
}

/* A counter is free only if it is free on all these hardware threads. */
static void knc_holders_find(struct knc_holders *holders,
			     const struct cpumask *cpus)
{
	unsigned int cpu, n;

	for_each_cpu(cpu, cpus)
		for_each_counter(n)
			knc_holders_add(holders, knc_hwthread_of(cpu)->claim[n],
					n);
}

/* A hardware thread has one gate: only one session can use it. */
static int knc_check_gate(const struct knc_holders *holders,
			  const struct knc_event *events, unsigned int nr,
			  struct knc_refusal *why)
{
	unsigned int i;

	if (!holders->gated)
		return 0;
	for (i = 0; i < nr; i++)
		if (events[i].flags & KNC_PMU_EVENT_SPFLT)
			return knc_busy(holders->gated,
					pmu_lowest(holders->gated->gated),
					KNC_PMU_REASON_SPFLT_BUSY, why);
	return 0;
}

/*
 * Put the events on the same counters on all hardware threads, or name a session that has
 * one of these counters.
 */
static int knc_assign(const struct knc_holders *holders, struct knc_groups *groups,
		      struct knc_event *events, struct knc_refusal *why)
{
	u64 all = this_pmu->counters;
	u64 free = all;
	unsigned int n;
	int err;

	for_each_counter(n)
		if (holders->claim[n])
			free &= ~pmu_bit(n);
	if (!knc_groups_assign(groups, events, free, why))
		return knc_check_gate(holders, events, groups->nr_events, why);
	/* all counters were free: other sessions are not the reason */
	if (free == all)
		return -EOPNOTSUPP;
	err = knc_groups_assign(groups, events, all, why);
	if (err)
		return err;
	/* the request fits on an idle PMU: name the owner of a counter that is missing */
	n = knc_events_missing(events, groups->nr_events, free, why);
	return knc_busy(holders->claim[n], n, KNC_PMU_REASON_BUSY, why);
}

static int knc_check_cpus(const struct cpumask *cpus, struct knc_refusal *why)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpus) {
		if (!cpu_online(cpu)) {
			why->cpu = cpu;
			why->reason = KNC_PMU_REASON_CPU_OFFLINE;
			return -ENXIO;
		}
	}
	return 0;
}

/* Counters of sessions that follow tasks are not free: these have them on all hardware threads. */
int knc_claims_assign_threads(const struct cpumask *cpus, struct knc_groups *groups,
			      struct knc_event *events,
			      struct knc_refusal *why)
{
	struct knc_holders holders = { .gated = NULL };
	unsigned int n;
	int err;

	err = knc_check_cpus(cpus, why);
	if (err)
		return err;
	knc_holders_find(&holders, cpus);
	for_each_counter(n)
		knc_holders_add(&holders, knc_follow_holder(n), n);
	if (!holders.gated)
		holders.gated = knc_follow_gated();
	return knc_assign(&holders, groups, events, why);
}

/* Counters that other sessions use to follow the same task (@claim) are not free either. */
static int knc_assign_beside(const struct knc_holders *threads,
			     const struct knc_claim **claim, struct knc_groups *groups,
			     struct knc_event *events, struct knc_refusal *why)
{
	struct knc_holders tasks = *threads;
	bool any = false;
	unsigned int n;
	int err;

	for_each_counter(n) {
		any = any || claim[n];
		knc_holders_add(&tasks, claim[n], n);
	}
	/* the assignment that the caller made stays valid */
	if (!any)
		return 0;
	err = knc_assign(&tasks, groups, events, why);
	if (err && why->reason == KNC_PMU_REASON_BUSY)
		why->reason = KNC_PMU_REASON_TASK_BUSY;
	return err;
}

/*
 * A task may run on any hardware thread: its counters must be free on all of them. RDPMC reads
 * any counter: without privilege, a session with RDPMC needs all other counters to be free too.
 */
int knc_claims_assign_tasks(struct knc_follow *f, struct pid *pid,
			    struct knc_groups *groups, struct knc_event *events,
			    struct knc_refusal *why)
{
	struct knc_holders threads = { .gated = NULL };
	const struct knc_claim *claim[PMU_MAX_NUMBER] = { NULL };
	unsigned int n;
	int err;

	knc_holders_find(&threads, cpu_possible_mask);
	err = knc_assign(&threads, groups, events, why);
	if (err)
		return err;
	knc_follow_task_holders(f, pid, claim);
	err = knc_assign_beside(&threads, claim, groups, events, why);
	if (err)
		return err;
	if (!(f->flags & KNC_PMU_CONFIG_RDPMC) || f->privileged)
		return 0;
	for_each_counter(n) {
		f->excluded |= pmu_bit(n);
		if (threads.claim[n])
			return knc_busy(threads.claim[n], n,
					KNC_PMU_REASON_RDPMC_BUSY, why);
	}
	return 0;
}

/* A session has got its counters; the hotplug lock and knc_claims_lock are held. */
void knc_session_added(const struct knc_session *s)
{
	WRITE_ONCE(knc_nr_sessions, knc_nr_sessions + 1);
	if (s->groups.nr_groups > 1)
		knc_rotation_get();
}

void knc_session_removed(struct knc_session *s)
{
	if (s->groups.nr_groups > 1)
		knc_rotation_put();
	if (pmu_has_extras())
		knc_offcore_detach(s);
	WRITE_ONCE(knc_nr_sessions, knc_nr_sessions - 1);
}

/* The number of sessions that have counters */
unsigned int knc_session_number(void)
{
	return READ_ONCE(knc_nr_sessions);
}

/**
 * knc_session_owner() - which session has a counter
 * @cpu: the hardware thread
 * @counter: the counter
 * @pid: the process that configured it, in the caller's pid namespace (0: not visible)
 *
 * Return: KNC_PMU_OWNER_*; -ENXIO if there is no such counter.
 */
int knc_session_owner(unsigned int cpu, unsigned int counter, s32 *pid)
{
	const struct knc_claim *claim;
	int flags = 0;

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu) ||
	    !pmu_has_counter(counter))
		return -ENXIO;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	counter = array_index_nospec(counter, PMU_MAX_NUMBER);
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
