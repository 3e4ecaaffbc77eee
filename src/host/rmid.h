/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RMIDs: which hardware thread has which one, who may have one, how much cache it owns
 *
 * What is on a hardware thread is touched there, interrupts off. All else is under the hotplug
 * lock, and inside it knc_levels_lock.
 */
#ifndef KNC_HOST_RMID_H
#define KNC_HOST_RMID_H

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct knc_rmid_cpu - RMIDs of a hardware thread
 * @known: @domain has been found out
 * @online: @found and @loaded are valid: levels are in use, and it is online
 * @taken: somebody else has written the register since
 * @domain: its L3
 * @found: its RMID before the first session
 * @own: that of the session on it; 0: none
 * @loaded: what was written last: that of the task that runs, or @own, or @found
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

/* Interrupts off: for a task without an RMID of its own */
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

/* On hotplug, and with the first and last session: came: its L3; online: the RMID found there */
void knc_rmid_came(void);
void knc_rmid_online(void);
void knc_rmid_offline(void);
void knc_rmid_mark_found(unsigned int cpu);

#endif /* KNC_HOST_RMID_H */
