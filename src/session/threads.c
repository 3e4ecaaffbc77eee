// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions on hardware threads: their memory, and their claims on the counters
 */
#include <linux/cpumask.h>
#include <linux/errno.h>

#include "compat/compat.h"
#include "count/attach.h"
#include "count/hwthread.h"
#include "count/registers.h"
#include "count/set.h"
#include "sample/sampler.h"
#include "session/internal.h"

/*
 * Number of sessions with events that any thread of the core may cause: the PMI may interrupt any
 * of these threads. Under knc_claims_lock
 */
static unsigned int knc_nr_from_siblings;

/* After a failure knc_session_unconfig() frees the memory. */
int knc_session_alloc_threads(struct knc_session *s,
			      const struct knc_request *req)
{
	unsigned int i;
	int err = 0;

	s->nr_threads = cpumask_weight(req->cpus);
	s->cpu = cpumask_first(req->cpus);
	cpumask_copy(s->cpus, req->cpus);
	s->records_size = s->nr_threads * knc_session_record_size(s);
	s->claims = kvcalloc(s->nr_threads, sizeof(*s->claims),
			     KNC_COMPAT_GFP_ACCOUNT);
	s->records = kvcalloc(s->nr_threads, knc_session_record_size(s),
			      KNC_COMPAT_GFP_ACCOUNT);
	if (!s->claims || !s->records)
		return -ENOMEM;
	for (i = 0; !err && s->groups.nr_groups > 1 && i < s->nr_threads; i++)
		err = knc_set_alloc(&s->claims[i], &s->groups, KNC_COMPAT_GFP_ACCOUNT);
	return err;
}

static void knc_session_init_claims(struct knc_session *s, u32 flags)
{
	unsigned int cpu, i = 0;

	for_each_cpu(cpu, s->cpus) {
		knc_claims_init(&s->claims[i], s, flags);
		s->claims[i].cpu = cpu;
		s->claims[i].record = s->records + i * knc_session_record_size(s);
		knc_set_init(&s->claims[i], s->counts);
		i++;
	}
}

static void knc_unlend(struct knc_hwthread *hw, struct knc_claim *none, u64 now)
{
	knc_registers_unlend(hw);
}

static void knc_do_attach(struct knc_hwthread *hw, struct knc_claim *claim,
			  u64 now)
{
	knc_claim_attach(hw, claim);
}

static void knc_lend_attach(struct knc_hwthread *hw, struct knc_claim *claim,
			    u64 now)
{
	knc_registers_lend(hw);
	if (claim)
		knc_claim_attach(hw, claim);
}

/*
 * All hardware threads lend their PMIs, because an overflow may interrupt another thread of the
 * core than the counter's. Threads of other cores lend too: which core a thread belongs to is
 * unknown while it is offline. One cross-call is enough, because no counter counts before START.
 * The hotplug lock and knc_claims_lock are held.
 */
static void knc_lend_all(struct knc_session *s)
{
	struct knc_hwthread_call call = { .owner = s, .all = true, .fn = knc_lend_attach };

	knc_hwthreads_call(cpu_possible_mask, &call);
}

/* Called after all counters of the session have been stopped */
static void knc_unlend_all(void)
{
	struct knc_hwthread_call call = { .fn = knc_unlend };

	knc_hwthreads_call(cpu_possible_mask, &call);
}

static void knc_do_detach(struct knc_hwthread *hw, struct knc_claim *claim,
			  u64 now)
{
	if (claim->sampler && hw->online)
		knc_sampler_stop(claim->sampler);
	knc_claim_detach(hw, claim);
}

/* The counters are assigned; the hotplug lock and knc_claims_lock are held. */
void knc_session_attach_threads(struct knc_session *s,
				const struct knc_request *req)
{
	unsigned int i;

	knc_session_init_claims(s, req->flags);
	knc_session_init_samplers(s, req);
	for (i = 0; i < s->nr_threads; i++) {
		struct knc_claim *claim = &s->claims[i];

		knc_claim_set_owner(knc_hwthread_of(claim->cpu), claim, claim);
		if (claim->sampler)
			knc_sampler_attach(claim->sampler);
	}
	s->from_siblings = knc_events_from_siblings(req->events,
						    req->nr_events);
	if (s->from_siblings && !knc_nr_from_siblings++)
		knc_lend_all(s);
	else
		knc_session_call_all(s, knc_do_attach, 0);
}

/* @keep: keep the counts for READ. The hotplug lock and knc_claims_lock are held */
void knc_session_detach_threads(struct knc_session *s, bool keep)
{
	if (keep)
		knc_session_last_read(s);
	knc_session_call_all(s, knc_do_detach, 0);
	if (s->from_siblings && !--knc_nr_from_siblings)
		knc_unlend_all();
}
