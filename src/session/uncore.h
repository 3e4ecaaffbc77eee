/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions that count on the uncore of packages
 */
#ifndef KNC_PMU_SESSION_UNCORE_H
#define KNC_PMU_SESSION_UNCORE_H

#include <linux/types.h>

struct knc_refusal;
struct knc_request;
struct knc_session;
struct knc_uncore;

/* The number of this PMU in the ABI, if the machine has it */
#define KNC_UNCORE_ID		2

/* Constant on Knights Corner: nothing of it is called there. */
#ifdef KNC_PMU_ARCH
#define KNC_HAS_UNCORE		true
bool knc_uncore_exists(void);
void knc_uncore_init(void);
#else
#define KNC_HAS_UNCORE		false
#define knc_uncore_exists()	false
#define knc_uncore_init()	do { } while (0)
#endif

int knc_uncore_check(const struct knc_request *req, struct knc_refusal *why);
struct knc_uncore *knc_uncore_open(struct knc_request *req, struct knc_refusal *why);
void knc_uncore_close(struct knc_uncore *u);
void knc_uncore_run(struct knc_uncore *u, bool run);
void knc_uncore_reset(struct knc_uncore *u);
int knc_uncore_read(struct knc_uncore *u, u64 size, u32 flags, const void **records,
		    size_t *needed);
int knc_uncore_owner(unsigned int cpu, unsigned int counter, s32 *pid);
void knc_uncore_online(unsigned int cpu);
void knc_uncore_offline(unsigned int cpu);

#endif /* KNC_PMU_SESSION_UNCORE_H */
