// SPDX-License-Identifier: GPL-2.0
/*
 * Second words of offcore events, in registers that the threads of a core share
 *
 * A word is written once, before its session counts, and not when counters are programmed.
 * Therefore two sessions that need different words in a core's register exclude each other; a
 * session that follows tasks needs its words on all cores. While sessions have words, perf can't
 * use the PMU. The last of these sessions restores the registers.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "compat/compat.h"
#include "request/request.h"
#include "session/internal.h"

/* Sessions with offcore events; under the hotplug lock and knc_claims_lock */
static LIST_HEAD(knc_offcore_sessions);

/* Contents of the registers before the first of these sessions */
static DEFINE_PER_CPU(u64 [PMU_MAX_EXTRAS], knc_offcore_saved);
/* Hardware threads with valid knc_offcore_saved; a thread that was offline is added when online */
static struct cpumask knc_offcore_known;

/* The number, in @extras of the PMU, of the register that the event needs; -1: it needs none */
static int knc_offcore_of(const struct knc_event *e)
{
	unsigned int i;

	for (i = 0; i < this_pmu->nr_extras; i++)
		if (this_pmu->extras[i].code == e->event)
			return i;
	return -1;
}

/* Collect the session's words; refuse two different words for one register */
static int knc_offcore_collect(struct knc_offcore *x, const struct knc_request *req,
			       struct knc_refusal *why)
{
	unsigned int by[PMU_MAX_EXTRAS];
	unsigned int i;
	int n;

	x->used = 0;
	for (i = 0; i < req->nr_events; i++) {
		n = knc_offcore_of(&req->events[i]);
		if (n < 0)
			continue;
		if (x->used & 1U << n && x->word[n] != req->events[i].extra) {
			why->reason = KNC_PMU_REASON_EXTRA_PAIR;
			why->event = by[n];
			why->other = i;
			return -EOPNOTSUPP;
		}
		x->used |= 1U << n;
		x->word[n] = req->events[i].extra;
		by[n] = i;
	}
	return 0;
}

/* The first hardware thread of @s that shares a core with @other, or KNC_PMU_NO_CPU */
static unsigned int knc_offcore_shared(const struct knc_session *s,
				       const struct knc_session *other)
{
	unsigned int cpu;

	if (s->follow)
		return other->follow ? KNC_PMU_NO_CPU : other->cpu;
	for_each_cpu(cpu, s->cpus)
		if (other->follow ||
		    cpumask_intersects(topology_sibling_cpumask(cpu), other->cpus))
			return cpu;
	return KNC_PMU_NO_CPU;
}

static bool knc_offcore_conflict(const struct knc_session *s,
				 const struct knc_session *other)
{
	const struct knc_offcore *a = &s->offcore, *b = &other->offcore;
	unsigned int n;

	if (!s->follow && !other->follow &&
	    knc_offcore_shared(s, other) == KNC_PMU_NO_CPU)
		return false;
	for (n = 0; n < this_pmu->nr_extras; n++)
		if (a->used & b->used & 1U << n && a->word[n] != b->word[n])
			return true;
	return false;
}

/* The first event whose second word differs from the one that @other has in the same register */
static unsigned int knc_offcore_event(const struct knc_request *req,
				      const struct knc_session *other)
{
	unsigned int i;
	int n;

	for (i = 0; i < req->nr_events; i++) {
		n = knc_offcore_of(&req->events[i]);
		if (n >= 0 && other->offcore.used & 1U << n &&
		    other->offcore.word[n] != req->events[i].extra)
			break;
	}
	return i;
}

/**
 * knc_offcore_claim() - can the session have the second words of its events?
 * @s: the session; its hardware threads or tasks are known
 * @req: its request
 * @why: the reason of a refusal, out
 *
 * Return: 0, -EOPNOTSUPP or -EBUSY.
 */
int knc_offcore_claim(struct knc_session *s, const struct knc_request *req,
		      struct knc_refusal *why)
{
	const struct knc_session *other;
	int err;

	INIT_LIST_HEAD(&s->offcore.node);
	err = knc_offcore_collect(&s->offcore, req, why);
	if (err)
		return err;
	list_for_each_entry(other, &knc_offcore_sessions, offcore.node) {
		if (!knc_offcore_conflict(s, other))
			continue;
		why->reason = KNC_PMU_REASON_EXTRA_BUSY;
		why->event = knc_offcore_event(req, other);
		why->cpu = knc_offcore_shared(s, other);
		why->pid = pid_vnr(other->pid);
		return -EBUSY;
	}
	return 0;
}

static void knc_offcore_write(const struct knc_offcore *x)
{
	unsigned int n;

	for (n = 0; n < this_pmu->nr_extras; n++)
		if (x->used & 1U << n)
			knc_hw_write_extra(n, x->word[n]);
}

static void knc_offcore_write_here(void *extras)
{
	knc_offcore_write(extras);
}

static void knc_offcore_save_here(void *info)
{
	unsigned int n;

	for (n = 0; n < this_pmu->nr_extras; n++)
		this_cpu_ptr(&knc_offcore_saved)[0][n] = knc_hw_read_extra(n);
	cpumask_set_cpu(smp_processor_id(), &knc_offcore_known);
}

/*
 * @cpu was offline when the registers were saved, and its registers may hold a session's words now:
 * copy the saved contents of a sibling, which shares the registers; without one, save them here.
 */
static void knc_offcore_save_late(unsigned int cpu)
{
	unsigned int other;

	for_each_cpu(other, topology_sibling_cpumask(cpu)) {
		if (!cpumask_test_cpu(other, &knc_offcore_known))
			continue;
		memcpy(per_cpu(knc_offcore_saved, cpu), per_cpu(knc_offcore_saved, other),
		       sizeof(knc_offcore_saved));
		cpumask_set_cpu(cpu, &knc_offcore_known);
		return;
	}
	knc_offcore_save_here(NULL);
}

static void knc_offcore_restore_here(void *info)
{
	unsigned int n;

	for (n = 0; n < this_pmu->nr_extras; n++)
		knc_hw_write_extra(n, this_cpu_ptr(&knc_offcore_saved)[0][n]);
}

/* Write the session's words, before any of its counters counts. */
void knc_offcore_attach(struct knc_session *s)
{
	unsigned int cpu;

	if (!s->offcore.used)
		return;
	if (list_empty(&knc_offcore_sessions)) {
		cpumask_clear(&knc_offcore_known);
		on_each_cpu(knc_offcore_save_here, NULL, true);
	}
	list_add(&s->offcore.node, &knc_offcore_sessions);
	for_each_online_cpu(cpu)
		if (s->follow || cpumask_test_cpu(cpu, s->cpus))
			smp_call_function_single(cpu, knc_offcore_write_here,
						 &s->offcore, true);
}

/* Give up the session's words, after all its counters were stopped; idempotent. */
void knc_offcore_detach(struct knc_session *s)
{
	if (!s->offcore.used)
		return;
	s->offcore.used = 0;
	list_del_init(&s->offcore.node);
	if (list_empty(&knc_offcore_sessions))
		on_each_cpu(knc_offcore_restore_here, NULL, true);
}

/*
 * This hardware thread came online, and the core's offcore registers may have lost their contents.
 * Writing them again is safe: sessions on one core have equal words. The caller holds the hotplug
 * lock.
 */
void knc_offcore_online_here(void)
{
	unsigned int cpu = smp_processor_id();
	const struct knc_session *s;

	if (!list_empty(&knc_offcore_sessions) && !cpumask_test_cpu(cpu, &knc_offcore_known))
		knc_offcore_save_late(cpu);
	list_for_each_entry(s, &knc_offcore_sessions, offcore.node)
		if (s->follow || cpumask_test_cpu(cpu, s->cpus))
			knc_offcore_write(&s->offcore);
}
