// SPDX-License-Identifier: GPL-2.0
/*
 * Take the counters over from perf: clear permissions and marks that it leaves
 */
#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "pmu/hw.h"
#include "task/permissions.h"
#include "task/takeover.h"

/*
 * The mm of the process that loaded the module. After that has ended no task
 * runs in it: switching to it gives no task the permission.
 */
static struct mm_struct *knc_loader_mm;

/* Did perf's setting permit RDPMC at the takeover? Written under the hotplug lock */
static bool knc_saw_rdpmc = true;
static atomic_t knc_not_permitted;

/*
 * Perf has no event now, and no process has a mapping of one: permissions that
 * are not ours are copies that fork() made.
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
	nr = knc_mm_nr_grants(mm);
	changed = atomic_xchg(allowed, nr) != nr;
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	return changed;
}

/* All threads share one mm; those that are exiting have none. */
static bool knc_process_repair(struct task_struct *p)
{
	bool changed = false, found = false;
	struct task_struct *t;

	for_each_thread(p, t) {
		task_lock(t);
		found = t->mm;
		if (found)
			changed = knc_mm_repair(t->mm);
		task_unlock(t);
		if (found)
			break;
	}
	return changed;
}

static bool knc_processes_repair(void)
{
	struct task_struct *p;
	bool changed = false;

	rcu_read_lock();
	for_each_process(p)
		if (!(p->flags & PF_KTHREAD))
			changed |= knc_process_repair(p);
	rcu_read_unlock();
	return changed;
}

/* Count the hardware threads where perf forbids RDPMC: on others marked counters are cleared. */
static void knc_count_unpermitted_here(void)
{
	if (!(knc_hw_read_cr4() & KNC_CR4_PCE))
		atomic_inc(&knc_not_permitted);
}

/* Tasks that still run in the loader's mm have the permission meanwhile. */
static void knc_loader_permit(bool permit)
{
	if (permit) {
		atomic_set(&knc_not_permitted, 0);
		atomic_inc(knc_compat_mm_rdpmc(knc_loader_mm));
		return;
	}
	atomic_dec(knc_compat_mm_rdpmc(knc_loader_mm));
	if (atomic_read(&knc_loader_mm->mm_users))
		knc_rdpmc_reload(knc_loader_mm);
	if (atomic_read(&knc_not_permitted))
		WRITE_ONCE(knc_saw_rdpmc, false);
}

/**
 * knc_rdpmc_takeover() - take the counters over from perf
 *
 * Makes the kernel act on perf's marks now: otherwise it would set counters to
 * 0 when it switches to a process with the permission. Revokes permissions that
 * are neither ours nor perf's. The hotplug lock is held.
 */
void knc_rdpmc_takeover(void)
{
	bool changed;

	if (!KNC_COMPAT_MM_RDPMC)
		return;
	changed = knc_processes_repair();
	knc_saw_rdpmc = true;
	if (knc_loader_mm && KNC_COMPAT_DIRTY) {
		knc_loader_permit(true);
		knc_compat_use_mm(knc_loader_mm, knc_count_unpermitted_here);
		knc_loader_permit(false);
	} else if (changed) {
		knc_compat_use_mm(NULL, NULL);
	}
}

/* The same on a CPU that comes online: perf may have used it before it went. */
void knc_rdpmc_takeover_here(void)
{
	if (!knc_loader_mm || !KNC_COMPAT_DIRTY)
		return;
	knc_loader_permit(true);
	knc_compat_use_mm_here(knc_loader_mm, knc_count_unpermitted_here);
	knc_loader_permit(false);
}

/* Did perf's setting permit RDPMC at the takeover? */
bool knc_takeover_saw_rdpmc(void)
{
	return READ_ONCE(knc_saw_rdpmc);
}

/* @loader: the mm of the process that loads the module */
void knc_takeover_init(struct mm_struct *loader)
{
	knc_loader_mm = loader;
	if (loader)
		mmgrab(loader);
}

void knc_takeover_exit(void)
{
	if (knc_loader_mm)
		mmdrop(knc_loader_mm);
}
