/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct knc_session, and declarations that only the files of this folder use
 *
 * Locks, in this order: a session's own (its state), the CPU hotplug lock (which
 * hardware threads are online), knc_claims_lock (which session has which counter).
 *
 * * Work under the last two may grow with the number of tasks, but never waits for user space.
 * * An eviction waits for a session's lock: whoever holds this lock must not wait for a page fault
 *   of user memory.
 * * knc_sessions_lock of session.c is innermost.
 * * The counts and registers of a hardware thread need no lock. Only code on that thread,
 *   with interrupts off, touches them, or the holder of the hotplug lock while the thread
 *   is offline.
 */
#ifndef KNC_PMU_SESSION_INTERNAL_H
#define KNC_PMU_SESSION_INTERNAL_H

#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <knc_pmu.h>

#include "count/hwthread.h"
#include "count/claim.h"
#include "host/host.h"
#include "request/request.h"
#include "sample/sampler.h"
#include "task/task.h"

struct cred;
struct knc_payer;
struct pid;

/**
 * struct knc_offcore - the second words of a session's events
 * @node: in the list of sessions with second words
 * @used: mask of the registers that the session uses; bit n is @extras[n] of the PMU
 * @word: the contents of each register
 */
struct knc_offcore {
	struct list_head node;
	unsigned int used;
	u64 word[PMU_MAX_EXTRAS];
};

/**
 * struct knc_session - one open file
 * @lock: held by CONFIG and by commands, but not on the fast path of knc_session_is_here()
 * @configured: CONFIG has succeeded; written last, because READ and mmap() test it without @lock
 * @evicted: its counters were taken away; their counts can still be read
 * @hw: the only hardware thread, for the fast path; NULL: several threads, or several groups, or
 *	evicted. Written after everything that the fast path reads
 * @ref: one reference of the file, and one of each eviction that is under way
 * @node: in knc_sessions, as long as it can be evicted
 * @serial: its number in the order of configuration
 * @follow: the tasks that it follows; NULL: it counts on hardware threads
 * @following: @follow, for READ without @lock; NULL before @configured, after an eviction, and with
 *	several groups: READ then takes @lock, and thus waits until the eviction is done
 * @host: the PMU of host/ that it is on; NULL: on counters of hardware threads
 * @has: the state of the session on @host, returned by its open(); or NULL
 * @nr_threads: number of @cpus; 0: not configured, or it follows tasks
 * @nmi: its claims need NMIs
 * @from_siblings: other threads of the core may cause one of the events as well
 * @groups: the events, in groups
 * @counts: the initial count of each event
 * @cpus: the hardware threads on which it counts
 * @cpu: the first of @cpus
 * @claims: one claim for each of @cpus
 * @records: the answer of READ; each hardware thread writes its own record
 * @records_size: bytes of @records; if the session follows tasks, bytes of one record
 * @pid: the process that configured it
 * @samplers: one for each of @cpus, or for each possible hardware thread if tasks are followed;
 *	NULL: nothing is sampled
 * @nr_rings: number of @samplers
 * @locked: pages of the rings, charged to @cred
 * @cred: the user to whom @locked is charged; NULL: not charged
 * @payer: the payer to whom @locked is charged; valid if @cred is
 * @offcore: second words of its events
 * @wait: where the reader of the rings waits
 */
struct knc_session {
	struct mutex lock;	/* see @lock above */
	bool configured;
	bool evicted;
	const struct knc_hwthread *hw;
	struct kref ref;
	struct list_head node;
	u64 serial;
	struct knc_follow *follow;
	struct knc_follow *following;
	const struct knc_host_pmu *host;
	void *has;
	unsigned int nr_threads;
	bool nmi;
	bool from_siblings;
	struct knc_groups groups;
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
	struct knc_payer *payer;
	struct knc_offcore offcore;
	wait_queue_head_t wait;
};

/* Is the session on a PMU of host/ (uncore, cmt), not on counters of hardware threads? */
static inline bool knc_session_is_host(const struct knc_session *s)
{
	return KNC_HAS_HOST && s->host;
}

/*
 * Identifies the session in its claims and permissions. The floors below only compare
 * this pointer.
 */
static inline const void *knc_session_identity(const struct knc_session *s)
{
	return s->follow ? (const void *)s->follow : s;
}

/* Bytes of a record of READ */
static inline size_t knc_session_record_size(const struct knc_session *s)
{
	const struct knc_groups *groups = &s->groups;

	return groups->nr_groups > 1 ? KNC_PMU_SET_SIZE(groups->nr_events) :
				       KNC_PMU_THREAD_SIZE(groups->nr_events);
}

/* threads.c: sessions on hardware threads */
int knc_session_alloc_threads(struct knc_session *s,
			      const struct knc_request *req);
void knc_session_attach_threads(struct knc_session *s,
				const struct knc_request *req);
void knc_session_detach_threads(struct knc_session *s, bool keep);

/* tasks.c: sessions that follow tasks */
int knc_session_alloc_tasks(struct knc_session *s,
			    const struct knc_request *req,
			    struct knc_refusal *why);
int knc_session_attach_tasks(struct knc_session *s, struct pid *pid,
			     const struct knc_request *req);

/* commands.c: call @fn on all hardware threads of a session; the hotplug lock is held */
void knc_session_call_all(struct knc_session *s, knc_hwthread_call_fn fn, u64 now);
/* As knc_session_call_all(), but takes the hotplug lock */
void knc_session_call(struct knc_session *s, knc_hwthread_call_fn fn, bool timed);
void knc_session_last_read(struct knc_session *s);

/* rings.c: the rings, which receive the samples */
int knc_session_alloc_rings(struct knc_session *s,
			    const struct knc_request *req,
			    struct knc_refusal *why);
void knc_session_free_rings(struct knc_session *s);
void knc_session_init_samplers(struct knc_session *s,
			       const struct knc_request *req);
void knc_session_detach_samplers(struct knc_session *s);

/* offcore.c: second words; the hotplug lock and knc_claims_lock are held */
int knc_offcore_claim(struct knc_session *s, const struct knc_request *req,
		      struct knc_refusal *why);
void knc_offcore_attach(struct knc_session *s);
void knc_offcore_detach(struct knc_session *s);
void knc_offcore_online_here(void);

/* claims.c: which session has which counter; the hotplug lock and knc_claims_lock are held */
extern struct mutex knc_claims_lock;
extern bool knc_shut_down;

int knc_claims_assign_threads(const struct cpumask *cpus, struct knc_groups *groups,
			      struct knc_event *events, struct knc_refusal *why);
int knc_claims_assign_tasks(struct knc_follow *f, struct pid *pid,
			    struct knc_groups *groups, struct knc_event *events,
			    struct knc_refusal *why);
void knc_session_added(const struct knc_session *s);
void knc_session_removed(struct knc_session *s);
void knc_session_init_counts(struct knc_session *s,
			     const struct knc_event *events);
void knc_claims_init(struct knc_claim *claim, const struct knc_session *s,
		     u32 flags);

/* reserve.c: keeps perf off the PMU during sessions; hotplug lock and knc_claims_lock are held */
int knc_reserve(const struct cpumask *cpus, struct knc_refusal *why);
int knc_reserve_prepare(struct knc_refusal *why);
void knc_reserve_release(void);
void knc_reserve_online(unsigned int cpu);

#endif /* KNC_PMU_SESSION_INTERNAL_H */
