// SPDX-License-Identifier: GPL-2.0
/*
 * RMIDs: which hardware thread has which one, who may have one, how much cache it owns
 *
 * An RMID that is given back still owns lines. It is handed out again only when it owns no more
 * than an RMID's share of any L3: otherwise its next session would begin with another one's lines.
 * That is looked at when one is asked for, also for those that nobody had since the module was
 * loaded, because another program may have used them.
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

/* Sessions are created, started, stopped and destroyed one after the other; L3s are read so too. */
DEFINE_MUTEX(knc_levels_lock);

/* RMIDs that sessions have, or that a hardware thread had before them */
static DECLARE_BITMAP(knc_rmids_used, PMU_CMT_MAX_RMIDS);
/* Sessions */
static unsigned int knc_rmid_users;
/* Where the next search begins: what was given back last is looked at last. */
static u32 knc_rmid_next;

/**
 * struct knc_rmid_query - a question to an L3
 * @rmid: whose lines
 * @bytes: the answer, out
 * @err: or why there is none, out
 */
struct knc_rmid_query {
	u32 rmid;
	u64 bytes;
	int err;
};

/*
 * Interrupts off, on the hardware thread itself. Nothing is written any more once somebody else has
 * written the register.
 */
void knc_rmid_load(struct knc_rmid_cpu *c, u32 rmid)
{
	if (c->loaded == rmid || c->taken)
		return;
	c->taken = !pmu_cmt_change_rmid(c->loaded, rmid);
	c->loaded = rmid;
}

/*
 * Does the register still hold what was written? Nothing loads it between START and STOP of a level
 * on hardware threads. Interrupts off.
 */
static void knc_rmid_check_here(void *info)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	if (c->online && pmu_cmt_read_rmid() != c->loaded)
		c->taken = true;
}

/* Has somebody else written the registers of these hardware threads? The hotplug lock is held. */
void knc_rmids_check(const struct cpumask *cpus)
{
	on_each_cpu_mask(cpus, knc_rmid_check_here, NULL, true);
}

/*
 * The executing hardware thread came: its L3 stays the same for ever. Linux's resctrl has cleared
 * its register. Until 5.10 that comes after knc_level_resume(): begin again.
 */
void knc_rmid_came(void)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	c->domain = pmu_cmt_domain();
	c->known = true;
	c->online = false;
}

/* While there are sessions: remember what is there; interrupts off */
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
 * Restore it; interrupts off. If it is 0, resctrl has cleared it, as it does until 5.10 before a
 * hardware thread goes: that is no other program's.
 */
void knc_rmid_offline(void)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	if (c->online && pmu_cmt_read_rmid())
		knc_rmid_load(c, c->found);
	c->online = false;
}

/* Under both locks: the RMID that a hardware thread has is no session's */
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
 * Under both locks: selecting and reading is one transaction of the L3, and is made on a hardware
 * thread of it.
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

/* What an RMID may own when it is handed out: resctrl's rule, an L3's share of each RMID */
u64 knc_rmid_threshold(void)
{
	u64 share = div_u64(pmu_cmt.l3_size, pmu_cmt.nr_rmids);

	return div_u64(share, pmu_cmt.factor) * pmu_cmt.factor;
}

/* The most that it owns in any L3. Without an answer of each, it may own a whole one. */
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
 * knc_rmid_get() - an RMID for a session, under both locks
 * @rmid: the RMID, out
 *
 * One that owns nothing, or the one that owns least.
 *
 * Return: 0; -ENOSPC: sessions, or others, have all; -EAGAIN: those that remain own too much yet.
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

/* For each session, under both locks. The first one finds out what is there. */
void knc_rmids_open(void)
{
	unsigned int cpu;

	if (knc_rmid_users++)
		return;
	on_each_cpu(knc_rmid_online_here, NULL, true);
	bitmap_zero(knc_rmids_used, PMU_CMT_MAX_RMIDS);
	/* of everything that has no other one */
	set_bit(0, knc_rmids_used);
	for_each_online_cpu(cpu)
		knc_rmid_mark_found(cpu);
}

/* The last one restores it. */
void knc_rmids_close(void)
{
	if (!--knc_rmid_users)
		on_each_cpu(knc_rmid_offline_here, NULL, true);
}
