/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RMIDs: allocation to sessions, loading on hardware threads, how much cache each one owns
 *
 * A hardware thread's register and fields are accessed on that thread, interrupts off. All else is
 * protected by two locks ("both locks"): the hotplug lock, and inside it knc_levels_lock.
 */
#ifndef KNC_HOST_RMID_H
#define KNC_HOST_RMID_H

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct knc_rmid_cpu - RMIDs of a hardware thread
 * @known: @domain is valid
 * @online: @found and @loaded are valid: there are levels, and the hardware thread is online
 * @taken: another program has written the register since the first session
 * @domain: number of its L3
 * @found: its RMID before the first session
 * @own: RMID of the session that has this hardware thread; 0: none
 * @loaded: the RMID written last: the running task's, or @own, or @found
 */
struct knc_rmid_cpu {
	bool known;
	bool online;
	bool taken;
	u32 domain;
	u32 found;
	u32 own;
	u32 loaded;
};

DECLARE_PER_CPU(struct knc_rmid_cpu, knc_rmid_cpus);

extern struct mutex knc_levels_lock;

/* The RMID for tasks without one of their own; interrupts off */
static inline u32 knc_rmid_base(const struct knc_rmid_cpu *c)
{
	return c->own ? c->own : c->found;
}

void knc_rmid_load(struct knc_rmid_cpu *c, u32 rmid);

void knc_rmids_check(const struct cpumask *cpus);
void knc_rmids_open(void);
void knc_rmids_close(void);
int knc_rmid_get(u32 *rmid);
void knc_rmid_put(u32 rmid);
int knc_rmid_read(unsigned int leader, u32 rmid, u64 *bytes);
unsigned int knc_rmid_leader(unsigned int cpu);
u64 knc_rmid_threshold(void);

/*
 * On the hardware thread itself, at hotplug and with the first and the last session: came() finds
 * its L3, online() saves the RMID that is loaded, offline() restores this RMID.
 */
void knc_rmid_came(void);
void knc_rmid_online(void);
void knc_rmid_offline(void);
void knc_rmid_mark_found(unsigned int cpu);

#endif /* KNC_HOST_RMID_H */
