// SPDX-License-Identifier: GPL-2.0
/*
 * RMIDs: allocation to sessions, loading on hardware threads, how much cache each one owns
 *
 * A free RMID still owns lines. knc_rmid_get() hands out an RMID only if it owns at most its share
 * of each L3: otherwise the session would begin with the lines of an earlier user. An RMID that no
 * session has had is checked too, because another program may have used it.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "host/rmid.h"
#include "pmu/cmt.h"

DEFINE_PER_CPU(struct knc_rmid_cpu, knc_rmid_cpus);

/* Serializes the commands of levels, and the two steps of reading an L3 */
DEFINE_MUTEX(knc_levels_lock);

/* RMIDs that sessions have, or that a hardware thread had before them */
static DECLARE_BITMAP(knc_rmids_used, PMU_CMT_MAX_RMIDS);
/* Number of sessions that have an RMID */
static unsigned int knc_rmid_users;
/* The next search begins here, after the RMID handed out last: free RMIDs are used in turn */
static u32 knc_rmid_next;

/**
 * struct knc_rmid_query - argument of knc_rmid_read_here(): how much of an L3 belongs to an RMID
 * @rmid: the RMID
 * @bytes: the answer, out
 * @err: 0, or why there is no answer, out
 */
struct knc_rmid_query {
	u32 rmid;
	u64 bytes;
	int err;
};

/*
 * Load an RMID on the executing hardware thread, interrupts off. After another program has written
 * the register, we never write it again.
 */
void knc_rmid_load(struct knc_rmid_cpu *c, u32 rmid)
{
	if (c->loaded == rmid || c->taken)
		return;
	c->taken = !pmu_cmt_change_rmid(c->loaded, rmid);
	c->loaded = rmid;
}

/*
 * Does the register still hold @loaded? READ has to check this, because a level on hardware threads
 * loads nothing between START and STOP. Interrupts off.
 */
static void knc_rmid_check_here(void *info)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	if (c->online && pmu_cmt_read_rmid() != c->loaded)
		c->taken = true;
}

/* Sets @taken of the hardware threads whose register another program wrote; hotplug lock held */
void knc_rmids_check(const struct cpumask *cpus)
{
	on_each_cpu_mask(cpus, knc_rmid_check_here, NULL, true);
}

/*
 * The executing hardware thread came online; resctrl's hotplug code has cleared its register.
 * Until 5.10 resctrl clears the register after knc_level_resume(), which has read the old value:
 * without @online, knc_rmid_online() reads the register again.
 */
void knc_rmid_came(void)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	c->domain = pmu_cmt_domain();
	c->known = true;
	c->online = false;
}

/* Remember the RMID that was loaded before our sessions; interrupts off */
void knc_rmid_online(void)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	if (c->online || !knc_rmid_users)
		return;
	c->found = pmu_cmt_read_rmid();
	c->loaded = c->found;
	c->taken = false;
	c->online = true;
}

/*
 * Restore the register; interrupts off. If the register is 0, resctrl has cleared it, as it does
 * until 5.10 before a hardware thread goes offline: no program has written it, and it stays 0.
 */
void knc_rmid_offline(void)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	if (c->online && pmu_cmt_read_rmid())
		knc_rmid_load(c, c->found);
	c->online = false;
}

/* Under both locks: an RMID that another program has loaded is not handed out */
void knc_rmid_mark_found(unsigned int cpu)
{
	const struct knc_rmid_cpu *c = &per_cpu(knc_rmid_cpus, cpu);

	if (c->online)
		set_bit(c->found, knc_rmids_used);
}

static void knc_rmid_online_here(void *info)
{
	knc_rmid_online();
}

static void knc_rmid_offline_here(void *info)
{
	knc_rmid_offline();
}

/* The lowest hardware thread that shares the L3 of @cpu, online or not */
unsigned int knc_rmid_leader(unsigned int cpu)
{
	const struct knc_rmid_cpu *c = &per_cpu(knc_rmid_cpus, cpu);
	unsigned int i;

	for_each_possible_cpu(i) {
		const struct knc_rmid_cpu *other = &per_cpu(knc_rmid_cpus, i);

		if (other->known && other->domain == c->domain)
			return i;
	}
	return cpu;
}

static void knc_rmid_read_here(void *info)
{
	struct knc_rmid_query *r = info;

	r->err = pmu_cmt_occupancy(r->rmid, &r->bytes);
}

/**
 * knc_rmid_read() - how much of an L3 belongs to an RMID
 * @leader: a hardware thread of that L3
 * @rmid: the RMID
 * @bytes: the answer, out; 0 after an error
 *
 * Under both locks, because an L3 is read in two steps: the RMID is selected, then read. Both steps
 * are made on one hardware thread of this L3.
 *
 * Return: 0; -EAGAIN, -EIO: see pmu_cmt_occupancy(); -ENXIO: no such hardware thread is online.
 */
int knc_rmid_read(unsigned int leader, u32 rmid, u64 *bytes)
{
	struct knc_rmid_query r = { .rmid = rmid };
	unsigned int cpu;
	int err = -ENXIO;

	*bytes = 0;
	for_each_online_cpu(cpu) {
		if (knc_rmid_leader(cpu) != leader)
			continue;
		err = smp_call_function_single(cpu, knc_rmid_read_here, &r, true);
		break;
	}
	if (err || r.err)
		return err ? err : r.err;
	*bytes = r.bytes;
	return 0;
}

/* The most that an RMID may own when it is handed out: resctrl's rule, L3 size / number of RMIDs */
u64 knc_rmid_threshold(void)
{
	u64 share = div_u64(pmu_cmt.l3_size, pmu_cmt.nr_rmids);

	return div_u64(share, pmu_cmt.factor) * pmu_cmt.factor;
}

/* The largest occupancy in any L3; an L3 that can't be read counts as full */
static u64 knc_rmid_owns(u32 rmid)
{
	unsigned int cpu;
	u64 bytes, most = 0;
	int err;

	for_each_possible_cpu(cpu) {
		if (knc_rmid_leader(cpu) != cpu)
			continue;
		err = knc_rmid_read(cpu, rmid, &bytes);
		if (err && err != -ENXIO)
			return ~0ULL;
		most = max(most, bytes);
	}
	return most;
}

/**
 * knc_rmid_get() - allocate an RMID for a session, under both locks
 * @rmid: the RMID, out
 *
 * Takes the first free RMID that owns nothing, or else the one that owns least.
 *
 * Return: 0; -ENOSPC: all RMIDs are in use; -EAGAIN: every free RMID still owns too much.
 */
int knc_rmid_get(u32 *rmid)
{
	u64 owns, least = ~0ULL;
	bool any = false;
	u32 i, n;

	for (i = 0; i < pmu_cmt.nr_rmids && least; i++) {
		n = (knc_rmid_next + i) % pmu_cmt.nr_rmids;
		if (test_bit(n, knc_rmids_used))
			continue;
		any = true;
		owns = knc_rmid_owns(n);
		if (owns >= least)
			continue;
		least = owns;
		*rmid = n;
	}
	if (!any)
		return -ENOSPC;
	if (least > knc_rmid_threshold())
		return -EAGAIN;
	set_bit(*rmid, knc_rmids_used);
	knc_rmid_next = *rmid + 1;
	return 0;
}

void knc_rmid_put(u32 rmid)
{
	clear_bit(rmid, knc_rmids_used);
}

/* Called for each session, under both locks. The first call saves the RMIDs that are loaded. */
void knc_rmids_open(void)
{
	unsigned int cpu;

	if (knc_rmid_users++)
		return;
	on_each_cpu(knc_rmid_online_here, NULL, true);
	bitmap_zero(knc_rmids_used, PMU_CMT_MAX_RMIDS);
	/* RMID 0 is for all tasks without an RMID of their own */
	set_bit(0, knc_rmids_used);
	for_each_online_cpu(cpu)
		knc_rmid_mark_found(cpu);
}

/* Called when a session ends, under both locks. The last call restores the saved RMIDs. */
void knc_rmids_close(void)
{
	if (!--knc_rmid_users)
		on_each_cpu(knc_rmid_offline_here, NULL, true);
}
