/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions that read levels, not counts: how much of an L3 belongs to lines of one RMID, which a
 * set of hardware threads or of tasks has
 *
 * Only modules for hosts have them (PMU_HAS_CMT). A session of session/ has one in place of
 * counters.
 */
#ifndef KNC_LEVEL_LEVEL_H
#define KNC_LEVEL_LEVEL_H

#include <linux/err.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "pmu/cmt.h"

struct knc_level;
struct knc_refusal;
struct knc_request;

/* The PMU's number in the ABI: after the one with counters */
#define KNC_LEVEL_PMU	3

static inline bool knc_level_is(u32 pmu)
{
	return PMU_HAS_CMT && pmu == KNC_LEVEL_PMU && pmu_cmt.nr_rmids;
}

#if PMU_HAS_CMT
void knc_level_init(void);
void knc_level_describe(struct knc_pmu_desc *desc);
int knc_level_check(const struct knc_request *req, struct knc_refusal *why);
struct knc_level *knc_level_create(const struct knc_request *req, struct knc_refusal *why);
void knc_level_destroy(struct knc_level *l);
int knc_level_start(struct knc_level *l);
int knc_level_stop(struct knc_level *l);
int knc_level_reset(struct knc_level *l);
int knc_level_read(struct knc_level *l, u64 size, u32 flags, const void **records,
		   size_t *needed);

/* On hotplug */
void knc_level_online(unsigned int cpu);
void knc_level_offline(unsigned int cpu);
/* On the executing hardware thread, interrupts off */
void knc_level_suspend(void);
void knc_level_resume(void);
#else
static inline void knc_level_init(void) { }
static inline void knc_level_describe(struct knc_pmu_desc *desc) { }
static inline void knc_level_online(unsigned int cpu) { }
static inline void knc_level_offline(unsigned int cpu) { }
static inline void knc_level_suspend(void) { }
static inline void knc_level_resume(void) { }

static inline int knc_level_check(const struct knc_request *req, struct knc_refusal *why)
{
	return -ENODEV;
}

static inline struct knc_level *knc_level_create(const struct knc_request *req,
						 struct knc_refusal *why)
{
	return ERR_PTR(-ENODEV);
}

static inline void knc_level_destroy(struct knc_level *l)
{
}

static inline int knc_level_start(struct knc_level *l)
{
	return -ENODATA;
}

static inline int knc_level_stop(struct knc_level *l)
{
	return -ENODATA;
}

static inline int knc_level_reset(struct knc_level *l)
{
	return -ENODATA;
}

static inline int knc_level_read(struct knc_level *l, u64 size, u32 flags, const void **records,
				 size_t *needed)
{
	return -ENODATA;
}
#endif

#endif /* KNC_LEVEL_LEVEL_H */
