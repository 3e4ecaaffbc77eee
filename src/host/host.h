/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A host's PMUs, without that of its hardware threads: the uncore of packages, the levels of L3s
 *
 * Other folders use only this table, and name none of these PMUs. A card has no such PMU, and its
 * module contains no file of host/.
 */
#ifndef KNC_HOST_HOST_H
#define KNC_HOST_HOST_H

#include <linux/types.h>

struct delayed_work;
struct knc_pmu_desc;
struct knc_refusal;
struct knc_request;

/**
 * struct knc_host_pmu - one of these PMUs, and the operations on its sessions
 * @id: its number in the ABI
 * @follows: its sessions may follow groups of tasks (KNC_PMU_CONFIG_PIDS)
 * @exists: does this machine have it?
 * @init: called when the module is loaded: finds out whether the PMU exists
 * @work: periodic work while the PMU has sessions, or NULL; it may still run after the last session
 * @describe: fills in the answer to INFO
 * @check: the checks that need the request only; returns 0 or an errno of CONFIG
 * @open: allocates a session's state on this PMU, stopped, and fills in the counters of the
 *	request's events; returns the state or an error pointer
 * @close: frees that state
 * @run: START and STOP; returns 0 or an errno
 * @reset: RESET, @registers: RESET_REGISTERS; returns 0 or an errno
 * @read: READ: points @records to records of @needed bytes, which the next READ overwrites; returns
 *	the number of records, or an errno. The session's lock is held
 * @owner: OWNER, as knc_session_owner(); NULL: the PMU has no counters
 * @online: a hardware thread has come online; the hotplug lock is held
 * @offline: a hardware thread goes offline; the hotplug lock is held
 * @suspend: on the only hardware thread that is online, interrupts off; may be NULL
 * @resume: as @suspend
 */
struct knc_host_pmu {
	u32 id;
	bool follows;
	bool (*exists)(void);
	void (*init)(void);
	struct delayed_work *work;
	void (*describe)(struct knc_pmu_desc *desc);
	int (*check)(const struct knc_request *req, struct knc_refusal *why);
	void *(*open)(const struct knc_request *req, struct knc_refusal *why);
	void (*close)(void *has);
	int (*run)(void *has, bool run);
	int (*reset)(void *has, bool registers);
	int (*read)(void *has, u64 size, u32 flags, const void **records, size_t *needed);
	int (*owner)(unsigned int cpu, unsigned int counter, s32 *pid);
	void (*online)(unsigned int cpu);
	void (*offline)(unsigned int cpu);
	void (*suspend)(void);
	void (*resume)(void);
};

#ifdef KNC_PMU_ARCH
#define KNC_HAS_HOST	true
/* The @n-th PMU of the table that this machine has, from 0 on; NULL after the last one */
const struct knc_host_pmu *knc_host_nth(unsigned int n);
void knc_host_init(void);
void knc_host_exit(void);
void knc_host_online(unsigned int cpu);
void knc_host_offline(unsigned int cpu);
void knc_host_suspend(void);
void knc_host_resume(void);
#else
#define KNC_HAS_HOST	false
#define knc_host_nth(n)	((const struct knc_host_pmu *)NULL)
static inline void knc_host_init(void) { }
static inline void knc_host_exit(void) { }
static inline void knc_host_online(unsigned int cpu) { }
static inline void knc_host_offline(unsigned int cpu) { }
static inline void knc_host_suspend(void) { }
static inline void knc_host_resume(void) { }
#endif

/* Returns the PMU with this number in the ABI, or NULL */
static inline const struct knc_host_pmu *knc_host_find(u32 id)
{
	const struct knc_host_pmu *pmu;
	unsigned int n;

	for (n = 0; (pmu = knc_host_nth(n)); n++)
		if (pmu->id == id)
			return pmu;
	return NULL;
}

#endif /* KNC_HOST_HOST_H */
