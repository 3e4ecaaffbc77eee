// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions on hardware threads: they get their counters, and give them back
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/call.h"
#include "count/hwthread.h"
#include "count/set.h"
#include "sample/sampler.h"
#include "sample/sampling.h"
#include "session/room.h"
#include "task/grants.h"

/* Sessions with overflows that any thread of the core makes; under knc_claims_lock */
static unsigned int knc_nr_core_wide;

void knc_session_free(struct knc_session *s)
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

/* All memory there may be need of; on failure knc_session_free() is called. */
static int knc_session_alloc(struct knc_session *s,
			     const struct knc_request *req)
{
	const struct cpumask *cpus = req->cpus;

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
	return knc_sampling_wanted(req) ?
	       knc_session_alloc_samplers(s, cpus, req) : 0;
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

static void knc_lend(struct knc_hwthread *hw, struct knc_claim *none, u64 now)
{
	knc_hwthread_lend(hw);
}

static void knc_unlend(struct knc_hwthread *hw, struct knc_claim *none, u64 now)
{
	knc_hwthread_unlend(hw);
}

/*
 * All hardware threads take these interrupts, because no interrupt tells whose counter has
 * overflown, and which threads make a core is not known while they are offline. The
 * hotplug and claims locks are held.
 */
static void knc_lend_all(bool lend)
{
	struct knc_call call = { .fn = lend ? knc_lend : knc_unlend };

	knc_call_on(cpu_possible_mask, &call);
}

static void knc_attach(struct knc_session *s)
{
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
	knc_call_attach(s);
	knc_session_added(s);
}

/* The hotplug and claims locks are held. */
static int knc_session_claim(struct knc_session *s,
			     const struct knc_request *req,
			     struct knc_refusal *why)
{
	int err;

	err = knc_check_cpus(req->cpus, why);
	if (err)
		return err;
	err = knc_assign_threads(req->cpus, &s->layout, req->events, why);
	if (err)
		return err;
	knc_session_init_counts(s, req->events);
	err = knc_session_init_claims(s, req->flags);
	if (err)
		return err;
	err = knc_reserve(why);
	if (err)
		return err;
	knc_session_init_samplers(s, req);
	s->core_wide = knc_events_core_wide(req->events, req->nr_events);
	knc_attach(s);
	return 0;
}

int knc_session_config_threads(struct knc_session *s,
			       const struct knc_request *req,
			       struct knc_refusal *why)
{
	int err;

	err = knc_session_alloc(s, req);
	if (!err)
		err = knc_session_open_rdpmc(s, req->flags);
	if (!err) {
		cpus_read_lock();
		mutex_lock(&knc_claims_lock);
		err = knc_session_claim(s, req, why);
		mutex_unlock(&knc_claims_lock);
		cpus_read_unlock();
	}
	if (err) {
		knc_rdpmc_close(s);
		knc_session_free(s);
	}
	return err;
}

void knc_session_detach_threads(struct knc_session *s)
{
	knc_call_detach(s);
	if (s->core_wide && !--knc_nr_core_wide)
		knc_lend_all(false);
	knc_session_detach_samplers(s);
}

/* What it has counted is read for the last time, and kept; the locks are held. */
void knc_session_evict_threads(struct knc_session *s)
{
	knc_call_last_read(s);
	knc_session_detach_threads(s);
}
