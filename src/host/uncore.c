// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that count on the uncore of packages: at most one session a package. One hardware thread
 * of the package accesses the registers and polls the counters.
 *
 * All hardware threads of a package see the same registers: if one goes offline, another one goes
 * on with the same counts. The 48-bit counters wrap after hours: they are read every minute.
 * Linux's own driver does not reserve these registers: a package where it counts is refused.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "host/uncore.h"
#include "pmu/hw.h"
#include "pmu/uncore.h"
#include "request/request.h"

#define KNC_UNCORE_PACKAGES	16
#define KNC_UNCORE_POLL		(60 * HZ)

/**
 * struct knc_uncore - a session on the uncore of some packages
 * @pid: the process that configured it
 * @nr_events: number of events
 * @counter: the counter of each
 * @select: the event select of each
 * @counters: mask of these counters
 * @nr_packages: number of @package
 * @package: the packages, in the order of their numbers
 * @started: between START and STOP
 * @since: while started: time of the last START or RESET, ns of CLOCK_MONOTONIC
 * @enabled: time for which it had been started before @since, ns
 * @records: the answer of READ
 */
struct knc_uncore {
	struct pid *pid;
	unsigned int nr_events;
	unsigned int counter[PMU_UNCORE_COUNTERS];
	u64 select[PMU_UNCORE_COUNTERS];
	u64 counters;
	unsigned int nr_packages;
	struct knc_uncore_package *package[KNC_UNCORE_PACKAGES];
	bool started;
	u64 since;
	u64 enabled;
	u8 records[KNC_UNCORE_PACKAGES * KNC_PMU_THREAD_SIZE(PMU_UNCORE_COUNTERS)] __aligned(8);
};

/**
 * struct knc_uncore_package - the uncore of a package
 * @cpu: the hardware thread that accesses its registers; KNC_PMU_NO_CPU: all are offline
 * @owner: the session that counts here, or NULL
 * @saved: the registers before @owner's session
 * @prev: value of each counter at the last update, in the order of the events
 * @total: events until the last update
 * @wrapped: counters whose bits in the next overflow status stand for wraps already counted
 * @tsc: time stamp of the last update
 * @gap: events are missing: while started, the package was offline, or a counter wrapped unseen
 */
struct knc_uncore_package {
	unsigned int cpu;
	struct knc_uncore *owner;
	struct pmu_uncore_saved saved;
	u64 prev[PMU_UNCORE_COUNTERS];
	u64 total[PMU_UNCORE_COUNTERS];
	u64 wrapped;
	u64 tsc;
	bool gap;
};

/* Protects both structs; taken inside the hotplug lock. "The locks" below are both of these. */
static DEFINE_MUTEX(knc_uncore_lock);
static struct knc_uncore_package knc_uncore_packages[KNC_UNCORE_PACKAGES];
static unsigned int knc_uncore_owned;

static void knc_uncore_begin(void)
{
	cpus_read_lock();
	mutex_lock(&knc_uncore_lock);
}

static void knc_uncore_end(void)
{
	mutex_unlock(&knc_uncore_lock);
	cpus_read_unlock();
}

static void knc_uncore_poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(knc_uncore_work, knc_uncore_poll);

/* The answer to INFO */
static void knc_uncore_describe(struct knc_pmu_desc *desc)
{
	desc->id = KNC_UNCORE_ID;
	desc->scope = KNC_PMU_SCOPE_PACKAGE;
	desc->counters = PMU_UNCORE_MASK;
	desc->features = KNC_PMU_FEATURE_THREADS;
	desc->nr_counters = PMU_UNCORE_GENERAL;
	desc->width = PMU_UNCORE_WIDTH;
	desc->nr_fixed = 1;
	desc->fixed_width = PMU_UNCORE_WIDTH;
	strscpy(desc->name, "uncore", sizeof(desc->name));
}

static struct knc_uncore_package *knc_uncore_package_of(unsigned int cpu)
{
	int package = topology_physical_package_id(cpu);

	return package >= 0 && package < KNC_UNCORE_PACKAGES ?
	       &knc_uncore_packages[package] : NULL;
}

/* All *_here() run on a hardware thread of the package, interrupts off. */
static void knc_uncore_update_here(void *info)
{
	struct knc_uncore_package *p = info;
	const struct knc_uncore *u = p->owner;
	u64 overflows = pmu_uncore_overflows() & ~p->wrapped, now;
	unsigned int i;

	p->wrapped = 0;
	for (i = 0; i < u->nr_events; i++) {
		now = pmu_uncore_read(u->counter[i]);
		if (now < p->prev[i])
			p->wrapped |= pmu_bit(u->counter[i]) & ~overflows;
		else if (overflows & pmu_bit(u->counter[i]))
			/* the counter has wrapped and passed @prev again: how often is unknown */
			p->gap = true;
		p->total[i] += (now - p->prev[i]) & ((1ULL << PMU_UNCORE_WIDTH) - 1);
		p->prev[i] = now;
	}
	p->tsc = knc_hw_read_tsc();
}

/* Reprogram at each START: queue occupancy accumulates while stopped and has to begin at 0. */
static void knc_uncore_start_here(void *info)
{
	struct knc_uncore_package *p = info;
	const struct knc_uncore *u = p->owner;
	unsigned int i;

	for (i = 0; i < u->nr_events; i++) {
		pmu_uncore_program(u->counter[i], u->select[i]);
		p->prev[i] = 0;
	}
	p->wrapped = 0;
	pmu_uncore_overflows();
	pmu_uncore_enable(u->counters);
}

static void knc_uncore_stop_here(void *info)
{
	pmu_uncore_enable(0);
	knc_uncore_update_here(info);
}

/* Stop the counters; if the session is started, let them count from 0 again. */
static void knc_uncore_return_here(void *info)
{
	struct knc_uncore_package *p = info;

	pmu_uncore_enable(0);
	if (p->owner->started)
		knc_uncore_start_here(p);
}

static void knc_uncore_counts_here(void *info)
{
	*(bool *)info = pmu_uncore_counts();
}

static void knc_uncore_save_here(void *info)
{
	struct knc_uncore_package *p = info;

	pmu_uncore_save(&p->saved);
}

static void knc_uncore_restore_here(void *info)
{
	struct knc_uncore_package *p = info;

	pmu_uncore_restore(&p->saved);
}

/* Call @fn on the package's hardware thread, if one is online; the locks are held */
static void knc_uncore_call(struct knc_uncore_package *p, smp_call_func_t fn)
{
	if (p->cpu != KNC_PMU_NO_CPU)
		smp_call_function_single(p->cpu, fn, p, true);
}

static void knc_uncore_call_all(struct knc_uncore *u, smp_call_func_t fn)
{
	unsigned int i;

	for (i = 0; i < u->nr_packages; i++)
		knc_uncore_call(u->package[i], fn);
}

static void knc_uncore_poll(struct work_struct *work)
{
	unsigned int i;

	knc_uncore_begin();
	for (i = 0; i < KNC_UNCORE_PACKAGES; i++) {
		struct knc_uncore_package *p = &knc_uncore_packages[i];

		if (p->owner && p->owner->started)
			knc_uncore_call(p, knc_uncore_update_here);
	}
	if (knc_uncore_owned)
		knc_compat_schedule(&knc_uncore_work, KNC_UNCORE_POLL);
	knc_uncore_end();
}

static u32 knc_uncore_check_event(const struct knc_event *e)
{
	const u32 rings = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;

	if (e->flags & (KNC_PMU_EVENT_SAMPLE | KNC_PMU_EVENT_FREQ) || e->sample_period)
		return KNC_PMU_REASON_UNCORE_SAMPLING;
	if ((e->flags & rings) != rings)
		return KNC_PMU_REASON_UNCORE_RING;
	if (e->flags & ~(rings | KNC_PMU_EVENT_EDGE | KNC_PMU_EVENT_INV) ||
	    e->event & ~0xffffULL || e->extra || e->cmask > 0xff ||
	    e->counters & ~PMU_UNCORE_MASK)
		return KNC_PMU_REASON_EVENT_FLAGS;
	if (e->flags & KNC_PMU_EVENT_INV && !e->cmask)
		return KNC_PMU_REASON_EVENT_INV;
	return KNC_PMU_REASON_NONE;
}

/**
 * knc_uncore_check() - the checks that need the request only
 * @req: the request
 * @why: the reason of a refusal, out
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int knc_uncore_check(const struct knc_request *req, struct knc_refusal *why)
{
	unsigned int i;

	if (req->flags & KNC_PMU_CONFIG_TASK) {
		why->reason = KNC_PMU_REASON_UNCORE_TASK;
		return -EOPNOTSUPP;
	}
	if (req->sample_interval || req->ring_size) {
		why->reason = KNC_PMU_REASON_UNCORE_SAMPLING;
		return -EOPNOTSUPP;
	}
	if (req->flags || req->max_frames || req->watermark)
		return -EINVAL;
	for (i = 0; i < req->nr_events; i++) {
		why->event = i;
		why->reason = knc_uncore_check_event(&req->events[i]);
		if (why->reason == KNC_PMU_REASON_UNCORE_SAMPLING)
			return -EOPNOTSUPP;
		if (why->reason != KNC_PMU_REASON_NONE)
			return -EINVAL;
		if (i == PMU_UNCORE_COUNTERS) {
			why->reason = KNC_PMU_REASON_SET_GROUP;
			return -EINVAL;
		}
	}
	return 0;
}

/* Each event takes the lowest free counter that can count it: the general counters are alike. */
static int knc_uncore_assign(struct knc_uncore *u, const struct knc_request *req,
			     struct knc_refusal *why)
{
	struct pmu_select select;
	struct knc_event *e;
	unsigned int i;
	u64 can;

	for (i = 0; i < req->nr_events; i++) {
		e = &req->events[i];
		can = pmu_uncore_counters(e->event) & ~u->counters;
		if (e->counters)
			can &= e->counters;
		if (!can) {
			why->event = i;
			why->reason = KNC_PMU_REASON_EVENT_COUNTER;
			return -EOPNOTSUPP;
		}
		e->counter = pmu_lowest(can);
		select = (struct pmu_select) {
			.code = e->event, .flags = e->flags, .cmask = e->cmask,
		};
		u->counter[i] = e->counter;
		u->select[i] = pmu_uncore_select(&select);
		u->counters |= pmu_bit(e->counter);
	}
	u->nr_events = req->nr_events;
	return 0;
}

/* Add the package of @cpu; no error if @u has it already */
static int knc_uncore_add(struct knc_uncore *u, unsigned int cpu, struct knc_refusal *why)
{
	struct knc_uncore_package *p = knc_uncore_package_of(cpu);
	bool counts = false;
	unsigned int i;

	why->cpu = cpu;
	if (!p || !cpu_online(cpu)) {
		why->reason = KNC_PMU_REASON_CPU_OFFLINE;
		return -ENXIO;
	}
	for (i = 0; i < u->nr_packages; i++)
		if (u->package[i] == p)
			return 0;
	if (p->owner) {
		why->reason = KNC_PMU_REASON_UNCORE_BUSY;
		why->pid = pid_vnr(p->owner->pid);
		return -EBUSY;
	}
	smp_call_function_single(cpu, knc_uncore_counts_here, &counts, true);
	if (counts) {
		why->reason = KNC_PMU_REASON_UNCORE_FOREIGN;
		return -EBUSY;
	}
	p->cpu = cpu;
	u->package[u->nr_packages++] = p;
	return 0;
}

/* All checks have passed: this can't fail. */
static void knc_uncore_take(struct knc_uncore *u)
{
	struct knc_uncore_package *p;
	unsigned int i;

	for (i = 0; i < u->nr_packages; i++) {
		p = u->package[i];
		p->owner = u;
		p->gap = false;
		memset(p->total, 0, sizeof(p->total));
		memset(p->prev, 0, sizeof(p->prev));
		knc_uncore_call(p, knc_uncore_save_here);
	}
	if (!knc_uncore_owned)
		knc_compat_schedule(&knc_uncore_work, KNC_UNCORE_POLL);
	knc_uncore_owned += u->nr_packages;
}

static int knc_uncore_claim(struct knc_uncore *u, const struct knc_request *req,
			    struct knc_refusal *why)
{
	unsigned int cpu;
	int err;

	err = knc_uncore_assign(u, req, why);
	for_each_cpu(cpu, req->cpus) {
		if (err)
			return err;
		err = knc_uncore_add(u, cpu, why);
	}
	if (!err)
		knc_uncore_take(u);
	return err;
}

/**
 * knc_uncore_open() - take the uncore of the packages of hardware threads
 * @req: a request that knc_uncore_check() has found legal; the counters of its events are set
 * @why: the reason of a refusal, out
 *
 * Return: the session's struct knc_uncore, or an error pointer.
 */
void *knc_uncore_open(const struct knc_request *req, struct knc_refusal *why)
{
	struct knc_uncore *u = kzalloc(sizeof(*u), KNC_COMPAT_GFP_ACCOUNT);
	int err;

	if (!u)
		return ERR_PTR(-ENOMEM);
	u->pid = get_pid(task_tgid(current));
	knc_uncore_begin();
	err = knc_uncore_claim(u, req, why);
	knc_uncore_end();
	if (!err)
		return u;
	put_pid(u->pid);
	kfree(u);
	return ERR_PTR(err);
}

/* Put back what the registers held. */
void knc_uncore_close(void *has)
{
	struct knc_uncore *u = has;
	unsigned int i;

	knc_uncore_begin();
	knc_uncore_call_all(u, knc_uncore_restore_here);
	for (i = 0; i < u->nr_packages; i++)
		u->package[i]->owner = NULL;
	knc_uncore_owned -= u->nr_packages;
	/* the work may already be running: knc_host_exit() waits for it */
	if (!knc_uncore_owned)
		cancel_delayed_work(&knc_uncore_work);
	knc_uncore_end();
	put_pid(u->pid);
	kfree(u);
}

/* START and STOP; idempotent */
static void knc_uncore_run_locked(struct knc_uncore *u, bool run, u64 now)
{
	if (u->started == run)
		return;
	u->started = run;
	knc_uncore_call_all(u, run ? knc_uncore_start_here : knc_uncore_stop_here);
	if (run)
		u->since = now;
	else
		u->enabled += now - u->since;
}

int knc_uncore_run(void *has, bool run)
{
	knc_uncore_begin();
	knc_uncore_run_locked(has, run, ktime_get_ns());
	knc_uncore_end();
	return 0;
}

/*
 * Set counts and times to 0, queue occupancies too; a started session goes on counting. RESET of
 * registers is refused: they belong to the package, not to a hardware thread.
 */
int knc_uncore_reset(void *has, bool registers)
{
	struct knc_uncore *u = has;
	unsigned int i;

	if (registers)
		return -EBUSY;
	knc_uncore_begin();
	knc_uncore_call_all(u, knc_uncore_return_here);
	for (i = 0; i < u->nr_packages; i++)
		memset(u->package[i]->total, 0, sizeof(u->package[i]->total));
	u->since = ktime_get_ns();
	u->enabled = 0;
	knc_uncore_end();
	return 0;
}

static void knc_uncore_record(const struct knc_uncore *u, const struct knc_uncore_package *p,
			      u64 now, u32 flags, struct knc_pmu_thread *record)
{
	memset(record, 0, KNC_PMU_THREAD_SIZE(u->nr_events));
	record->cpu = p->cpu;
	record->flags = p->gap ? KNC_PMU_THREAD_GAP : 0;
	if (p->cpu == KNC_PMU_NO_CPU)
		record->flags |= KNC_PMU_THREAD_OFFLINE;
	record->nr_events = u->nr_events;
	record->tsc = p->tsc;
	memcpy(record->value, p->total, u->nr_events * sizeof(u64));
	if (flags & KNC_PMU_READ_COUNTS)
		return;
	record->time = now;
	record->time_enabled = u->enabled + (u->started ? now - u->since : 0);
	record->time_running = record->time_enabled;
}

static void knc_uncore_tell(struct knc_uncore *u, u64 now, u32 flags)
{
	const size_t size = KNC_PMU_THREAD_SIZE(u->nr_events);
	unsigned int i;

	for (i = 0; i < u->nr_packages; i++)
		knc_uncore_record(u, u->package[i], now, flags, (void *)u->records + i * size);
}

/**
 * knc_uncore_read() - READ: a record for each package
 * @has: the session's struct knc_uncore
 * @size: bytes that the reader has room for
 * @flags: KNC_PMU_READ_*
 * @records: the records, out; the next call overwrites them
 * @needed: size of the records in bytes, out
 *
 * @cpu of a record is the hardware thread that read the counters. The session's lock is held.
 *
 * Return: the number of records, -ENOSPC or -EINVAL.
 */
int knc_uncore_read(void *has, u64 size, u32 flags, const void **records, size_t *needed)
{
	struct knc_uncore *u = has;
	u64 now;

	*records = u->records;
	*needed = u->nr_packages * KNC_PMU_THREAD_SIZE(u->nr_events);
	if (flags & KNC_PMU_READ_TASKS)
		return -EINVAL;
	if (size < *needed)
		return -ENOSPC;
	knc_uncore_begin();
	now = ktime_get_ns();
	if (flags & KNC_PMU_READ_STOP)
		knc_uncore_run_locked(u, false, now);
	else if (u->started)
		knc_uncore_call_all(u, knc_uncore_update_here);
	if (flags & KNC_PMU_READ_START)
		knc_uncore_run_locked(u, true, now);
	knc_uncore_tell(u, now, flags);
	knc_uncore_end();
	return u->nr_packages;
}

/**
 * knc_uncore_owner() - which session has a counter
 * @cpu: a hardware thread of the package
 * @counter: the counter
 * @pid: the process that configured it, in the caller's pid namespace (0: not visible)
 *
 * Return: KNC_PMU_OWNER_*; -ENXIO if there is no such counter.
 */
int knc_uncore_owner(unsigned int cpu, unsigned int counter, s32 *pid)
{
	const struct knc_uncore_package *p;
	const struct knc_uncore *owner;

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu) || counter > PMU_UNCORE_FIXED ||
	    !(PMU_UNCORE_MASK & pmu_bit(counter)))
		return -ENXIO;
	p = knc_uncore_package_of(cpu);
	mutex_lock(&knc_uncore_lock);
	owner = p ? p->owner : NULL;
	*pid = owner ? pid_vnr(owner->pid) : 0;
	mutex_unlock(&knc_uncore_lock);
	return owner ? KNC_PMU_OWNER_SESSION : 0;
}

/* If this is the package's first hardware thread, program its counters anew: they may be lost. */
void knc_uncore_online(unsigned int cpu)
{
	struct knc_uncore_package *p = knc_uncore_package_of(cpu);

	mutex_lock(&knc_uncore_lock);
	if (p && p->owner && p->cpu == KNC_PMU_NO_CPU) {
		p->cpu = cpu;
		knc_uncore_call(p, knc_uncore_return_here);
	}
	mutex_unlock(&knc_uncore_lock);
}

/* If @cpu accesses the registers, another online hardware thread of the package takes over. */
void knc_uncore_offline(unsigned int cpu)
{
	struct knc_uncore_package *p = knc_uncore_package_of(cpu);
	unsigned int other;

	mutex_lock(&knc_uncore_lock);
	if (p && p->owner && p->cpu == cpu) {
		other = cpumask_any_but(topology_core_cpumask(cpu), cpu);
		if (other >= nr_cpu_ids) {
			if (p->owner->started)
				knc_uncore_call(p, knc_uncore_stop_here);
			knc_uncore_call(p, knc_uncore_restore_here);
			p->gap |= p->owner->started;
			other = KNC_PMU_NO_CPU;
		}
		p->cpu = other;
	}
	mutex_unlock(&knc_uncore_lock);
}

const struct knc_host_pmu knc_uncore_pmu = {
	.id		= KNC_UNCORE_ID,
	.exists		= pmu_uncore_exists,
	.init		= pmu_uncore_add_registers,
	.work		= &knc_uncore_work,
	.describe	= knc_uncore_describe,
	.check		= knc_uncore_check,
	.open		= knc_uncore_open,
	.close		= knc_uncore_close,
	.run		= knc_uncore_run,
	.reset		= knc_uncore_reset,
	.read		= knc_uncore_read,
	.owner		= knc_uncore_owner,
	.online		= knc_uncore_online,
	.offline	= knc_uncore_offline,
};
