// SPDX-License-Identifier: GPL-2.0
/*
 * Take the counters over from perf: clear the permissions and dirty marks that perf leaves behind
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "pmu/hw.h"
#include "rdpmc/forks.h"
#include "rdpmc/perf.h"
#include "rdpmc/permissions.h"

/*
 * The mm of the process that loaded the module (insmod). A kernel thread can use an mm only while
 * the mm has a user: the module is one. After insmod has ended no task runs in this mm, and a
 * permission for it lets no task execute RDPMC.
 */
static struct mm_struct *knc_loader_mm;
/* The delay before the memory of knc_loader_mm is freed: in general insmod has ended by then */
#define KNC_LOADER_ENDS		(5 * HZ)

static void knc_loader_empty(struct work_struct *work)
{
	knc_compat_mm_empty(knc_loader_mm);
}

static DECLARE_DELAYED_WORK(knc_loader_work, knc_loader_empty);

/* Did perf's setting permit RDPMC at the takeover? Written under the hotplug lock */
static bool knc_saw_rdpmc = true;
static atomic_t knc_not_permitted;

/*
 * How long to wait for a kernel thread. By default a real-time program lets other tasks run after
 * 0.95 s (kernel.sched_rt_runtime_us); if that limit is off, never.
 */
#define KNC_TAKEOVER_WAIT	(2 * HZ)

/*
 * A hardware thread is taken over when a session needs it: isolated ones are not disturbed. A
 * kernel thread does this there, because a takeover switches the mm. Whether perf left a dirty mark
 * can't be found out: the counters look the same, and other programs may have written them.
 */
static DEFINE_PER_CPU(struct work_struct, knc_takeover_works);
/* When knc_takeover_works was queued, in jiffies; under the hotplug lock and knc_claims_lock */
static DEFINE_PER_CPU(unsigned long, knc_takeover_asked);
static DECLARE_WAIT_QUEUE_HEAD(knc_takeover_wait);
/* Hardware threads already taken over; knc_taken_lock protects this and @knc_round */
static struct cpumask knc_taken;
static DEFINE_SPINLOCK(knc_taken_lock);
/*
 * The number of the present takeover, or 0, and of the last one. A work item counts only for the
 * takeover in which it began: if it runs late, knc_loader_mm may have lost its permission.
 */
static unsigned int knc_round, knc_rounds;
/* The hardware threads of the present takeover; valid if @knc_round */
static const struct cpumask *knc_round_cpus;

/*
 * Perf has no events now, and no process maps one: permissions that are not ours are copies made by
 * fork().
 */
static bool knc_mm_repair(struct mm_struct *mm)
{
	atomic_t *allowed = knc_compat_mm_rdpmc(mm);
	unsigned long flags;
	bool changed;
	int nr;

	if (!atomic_read(allowed))
		return false;
	spin_lock_irqsave(&knc_grants_lock, flags);
	nr = knc_grant_nr(mm);
	changed = atomic_xchg(allowed, nr) != nr;
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	return changed;
}

static bool knc_processes_repair(void)
{
	struct task_struct *p;
	bool changed = false;

	rcu_read_lock();
	for_each_process(p)
		if (!(p->flags & PF_KTHREAD))
			changed |= !!knc_permissions_mm(p, knc_mm_repair);
	rcu_read_unlock();
	return changed;
}

/* Count hardware threads where perf's setting forbids RDPMC: dirty marks are not cleared there. */
static void knc_count_unpermitted_here(void)
{
	if (!(knc_hw_read_cr4() & KNC_CR4_PCE))
		atomic_inc(&knc_not_permitted);
}

/* Permit RDPMC in the loader's mm during a takeover: insmod, if it still runs, may use it too. */
static void knc_loader_permit(bool permit)
{
	if (permit) {
		atomic_set(&knc_not_permitted, 0);
		atomic_inc(knc_compat_mm_rdpmc(knc_loader_mm));
		return;
	}
	atomic_dec(knc_compat_mm_rdpmc(knc_loader_mm));
	/*
	 * not knc_rdpmc_reload(), which stops all CPUs if insmod blocks one: insmod is privileged,
	 * and may keep the permission
	 */
	if (atomic_read(&knc_loader_mm->mm_users) > 1)
		knc_rdpmc_try_reload(knc_loader_mm);
	if (atomic_read(&knc_not_permitted))
		WRITE_ONCE(knc_saw_rdpmc, false);
}

/*
 * All processes were searched for copies of perf's permission. Once is enough, because the probe of
 * forks prevents new copies. No counter is taken from perf before.
 */
static bool knc_repaired;
/* The probe of forks was registered before the search for copies: none was missed. */
static bool knc_stays_repaired;
/* The search has found copies, which may still be in effect on hardware threads. */
static bool knc_repaired_any;

/* Has knc_takeover_prepare() been called, if it is needed? */
bool knc_takeover_is_prepared(void)
{
	return !KNC_COMPAT_MM_RDPMC || READ_ONCE(knc_repaired);
}

/**
 * knc_takeover_prepare() - revoke permissions that are neither ours nor perf's
 *
 * The counters are reserved: perf has no events. Takes time for each process: no lock may be held
 * for which others wait.
 */
void knc_takeover_prepare(void)
{
	knc_stays_repaired = knc_forks_are_watched();
	knc_repaired_any |= knc_processes_repair();
	WRITE_ONCE(knc_repaired, true);
}

/* Mark all hardware threads as not taken over; if no takeover is @needed, as taken over. */
static void knc_taken_reset(bool needed)
{
	spin_lock(&knc_taken_lock);
	if (needed)
		cpumask_clear(&knc_taken);
	else
		cpumask_copy(&knc_taken, cpu_possible_mask);
	spin_unlock(&knc_taken_lock);
}

/**
 * knc_takeover_begin() - begin to take the counters over from perf
 *
 * Marks all hardware threads as not taken over, if knc_takeover() has work there: this work makes
 * the revocations of knc_takeover_prepare() take effect. The hotplug lock and knc_claims_lock are
 * held.
 */
void knc_takeover_begin(void)
{
	if (!KNC_COMPAT_MM_RDPMC)
		return;
	knc_saw_rdpmc = true;
	knc_taken_reset(knc_repaired_any || knc_loader_mm);
	knc_repaired_any = false;
	/* without the probe of forks, children will have copies of perf's permission again */
	if (!knc_stays_repaired)
		WRITE_ONCE(knc_repaired, false);
}

static void knc_round_set(unsigned int round, const struct cpumask *cpus)
{
	spin_lock(&knc_taken_lock);
	knc_round = round;
	knc_round_cpus = cpus;
	spin_unlock(&knc_taken_lock);
}

/* Takes over one hardware thread, in a kernel thread there */
static void knc_takeover_work(struct work_struct *work)
{
	unsigned int round = READ_ONCE(knc_round);
	bool last = false;

	knc_compat_use_mm_here(knc_loader_mm, knc_count_unpermitted_here);
	spin_lock(&knc_taken_lock);
	if (round && round == knc_round) {
		cpumask_set_cpu(smp_processor_id(), &knc_taken);
		last = cpumask_subset(knc_round_cpus, &knc_taken);
	}
	spin_unlock(&knc_taken_lock);
	/* only the last work wakes the caller: at each wakeup it looks at all hardware threads */
	if (last)
		wake_up(&knc_takeover_wait);
}

/* The first of @cpus that is not taken over; nr_cpu_ids: there is none */
static unsigned int knc_not_taken(const struct cpumask *cpus)
{
	unsigned int cpu;

	if (cpumask_subset(cpus, &knc_taken))
		return nr_cpu_ids;
	for_each_cpu(cpu, cpus)
		if (!cpumask_test_cpu(cpu, &knc_taken))
			return cpu;
	return nr_cpu_ids;
}

/*
 * Queue the work of a hardware thread. Returns false if the work is still queued from an earlier
 * CONFIG, which has waited for it in vain: the caller does not wait again.
 */
static bool knc_takeover_ask(unsigned int cpu)
{
	if (knc_compat_queue_on(cpu, &per_cpu(knc_takeover_works, cpu)))
		per_cpu(knc_takeover_asked, cpu) = jiffies;
	return time_before(jiffies, per_cpu(knc_takeover_asked, cpu) + KNC_TAKEOVER_WAIT);
}

/**
 * knc_takeover() - take counters over from perf
 * @cpus: hardware threads that are online; others are taken over when they come online
 *
 * The kernel sets perf's dirty counters to 0 at the next switch to an mm with the permission.
 * This call makes the kernel set them to 0 now, before sessions use them. The hotplug lock and
 * knc_claims_lock are held; waits up to KNC_TAKEOVER_WAIT.
 *
 * Return: nr_cpu_ids; or a hardware thread where a real-time program leaves no time for it.
 */
unsigned int knc_takeover(const struct cpumask *cpus)
{
	unsigned int cpu, stuck = nr_cpu_ids;

	if (!KNC_COMPAT_MM_RDPMC || knc_not_taken(cpus) >= nr_cpu_ids)
		return nr_cpu_ids;
	if (knc_loader_mm)
		knc_loader_permit(true);
	knc_round_set(++knc_rounds ?: ++knc_rounds, cpus);
	for_each_cpu(cpu, cpus)
		if (!cpumask_test_cpu(cpu, &knc_taken) && !knc_takeover_ask(cpu))
			stuck = cpu;
	/* let this CPU's kernel thread run first: often no wait is needed then */
	cond_resched();
	if (stuck >= nr_cpu_ids)
		wait_event_timeout(knc_takeover_wait, knc_not_taken(cpus) >= nr_cpu_ids,
				   KNC_TAKEOVER_WAIT);
	knc_round_set(0, NULL);
	if (knc_loader_mm)
		knc_loader_permit(false);
	return stuck < nr_cpu_ids ? stuck : knc_not_taken(cpus);
}

/* As knc_takeover(), for a CPU that comes online; called on it, in process context */
void knc_takeover_here(unsigned int cpu)
{
	if (!KNC_COMPAT_MM_RDPMC)
		return;
	if (knc_loader_mm) {
		knc_loader_permit(true);
		knc_compat_use_mm_here(knc_loader_mm, knc_count_unpermitted_here);
		knc_loader_permit(false);
	}
	spin_lock(&knc_taken_lock);
	cpumask_set_cpu(cpu, &knc_taken);
	spin_unlock(&knc_taken_lock);
}

/* The hardware thread goes offline: it will be taken over again when it comes online. */
void knc_takeover_offline(unsigned int cpu)
{
	spin_lock(&knc_taken_lock);
	cpumask_clear_cpu(cpu, &knc_taken);
	spin_unlock(&knc_taken_lock);
}

/* Did perf's setting permit RDPMC at the takeover? */
bool knc_takeover_saw_rdpmc(void)
{
	return READ_ONCE(knc_saw_rdpmc);
}

/* @loader: the mm of the process that loads the module */
void knc_takeover_init(struct mm_struct *loader)
{
	unsigned int cpu;

	knc_repaired = false;
	for_each_possible_cpu(cpu)
		INIT_WORK(&per_cpu(knc_takeover_works, cpu), knc_takeover_work);
	if (!KNC_COMPAT_DIRTY || !loader)
		return;
	knc_loader_mm = loader;
	knc_compat_mm_keep(loader);
	schedule_delayed_work(&knc_loader_work, KNC_LOADER_ENDS);
}

void knc_takeover_exit(void)
{
	unsigned int cpu;

	/* some may still be queued, because a real-time program left them no time */
	for_each_possible_cpu(cpu)
		cancel_work_sync(&per_cpu(knc_takeover_works, cpu));
	if (!knc_loader_mm)
		return;
	cancel_delayed_work_sync(&knc_loader_work);
	knc_compat_mm_put(knc_loader_mm);
	knc_loader_mm = NULL;
}
