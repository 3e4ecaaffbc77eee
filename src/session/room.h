/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this folder share: a session, and what they do for each other
 *
 * Locks, in this order: a session's own (its state), the CPU hotplug lock (who
 * is online), knc_claims_lock (who has which counter). The last two are held for what
 * is bounded only; and of a session that follows tasks, which anybody can have, no
 * memory of its user is touched under its own: an eviction waits for it. The counts and
 * registers of a hardware thread need none: only code on that thread, with interrupts
 * off, touches them, or whoever holds the hotplug lock while it is offline.
 */
#ifndef KNC_PMU_SESSION_ROOM_H
#define KNC_PMU_SESSION_ROOM_H

#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <knc_pmu.h>

#include "count/claim.h"
#include "count/request.h"
#include "sample/sampler.h"
#include "task/grants.h"
#include "task/task.h"

struct cred;
struct pid;

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

/* Whose counters and permissions those of a session are */
static inline const void *knc_owner(const struct knc_session *s)
{
	return s->follow ? (const void *)s->follow : s;
}

/* Bytes of a record of READ */
static inline size_t knc_record_size(const struct knc_session *s)
{
	const struct knc_layout *l = &s->layout;

	return l->nr_groups > 1 ? KNC_PMU_SET_SIZE(l->nr_events) :
				  KNC_PMU_THREAD_SIZE(l->nr_events);
}

/* Permissions of a session on hardware threads are for its own process alone. */
static inline int knc_session_open_rdpmc(const struct knc_session *s, u32 flags)
{
	if (!(flags & KNC_PMU_CONFIG_RDPMC))
		return 0;
	return knc_rdpmc_open(knc_owner(s), s->pid, s->follow);
}

/* threads.c: sessions on hardware threads */
int knc_session_config_threads(struct knc_session *s,
			       const struct knc_request *req,
			       struct knc_refusal *why);
void knc_session_detach_threads(struct knc_session *s);
void knc_session_evict_threads(struct knc_session *s);
void knc_session_free(struct knc_session *s);

/* tasks.c: sessions that follow tasks */
int knc_session_config_tasks(struct knc_session *s,
			     const struct knc_request *req,
			     struct knc_refusal *why);
void knc_session_detach_tasks(struct knc_session *s);
void knc_session_evict_tasks(struct knc_session *s);
void knc_session_free_follow(struct knc_session *s);

/* commands.c: on all hardware threads of a session; the hotplug lock is held */
void knc_call_attach(struct knc_session *s);
void knc_call_detach(struct knc_session *s);
void knc_call_last_read(struct knc_session *s);

/* rings.c: where its samples go */
int knc_session_alloc_samplers(struct knc_session *s,
			       const struct cpumask *cpus,
			       const struct knc_request *req);
int knc_session_alloc_rings(struct knc_session *s,
			    const struct knc_request *req);
void knc_session_init_samplers(struct knc_session *s,
			       const struct knc_request *req);
void knc_session_sample_tasks(struct knc_session *s,
			      const struct knc_request *req);
void knc_session_detach_samplers(struct knc_session *s);
void knc_session_free_samplers(struct knc_session *s);
int knc_session_account(struct knc_session *s, const struct knc_request *req,
			struct knc_refusal *why);
void knc_session_unaccount(struct knc_session *s);

/* claims.c: who has which counter; under its lock and that of hotplug */
extern struct mutex knc_claims_lock;

int knc_assign_threads(const struct cpumask *cpus, struct knc_layout *l,
		       struct knc_event *events, struct knc_refusal *why);
int knc_assign_tasks(struct knc_follow *f, struct pid *pid,
		     struct knc_layout *l, struct knc_event *events,
		     struct knc_refusal *why);
int knc_reserve(struct knc_refusal *why);
void knc_unreserve(void);
void knc_session_added(const struct knc_session *s);
void knc_session_removed(const struct knc_session *s);
void knc_session_init_counts(struct knc_session *s,
			     const struct knc_event *events);
void knc_claim_init(struct knc_claim *claim, const struct knc_session *s,
		    u32 flags);

#endif /* KNC_PMU_SESSION_ROOM_H */
