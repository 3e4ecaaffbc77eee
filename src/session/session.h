/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions, each of which is one open file: declarations for the floors above
 */
#ifndef KNC_PMU_SESSION_H
#define KNC_PMU_SESSION_H

#include <linux/poll.h>

#include "compat/compat.h"
#include "request/request.h"

struct knc_session;
struct vm_area_struct;

/* Writes CONFIG's answer to the caller's memory; returns 0, or -EFAULT */
typedef int (*knc_tell_fn)(const struct knc_request *req);

/* session.c */
struct knc_session *knc_session_create(void);
void knc_session_destroy(struct knc_session *s);

int knc_session_config(struct knc_session *s, const struct knc_request *req,
		       struct knc_refusal *why, knc_tell_fn tell);
int knc_sessions_evict(const struct knc_session *self, unsigned int cpu,
		       unsigned int counter);

/* commands.c */
int knc_session_start(struct knc_session *s);
int knc_session_stop(struct knc_session *s);
int knc_session_reset(struct knc_session *s, bool registers);
long knc_session_read(struct knc_session *s, void __user *buffer, u64 size,
		      u32 flags);

/* rings.c */
int knc_session_mmap(struct knc_session *s, struct vm_area_struct *vma);
__poll_t knc_session_poll(struct knc_session *s, struct file *file,
			  poll_table *table);

/* claims.c */
unsigned int knc_session_number(void);
int knc_session_owner(unsigned int cpu, unsigned int counter, s32 *pid);

/* reserve.c */
void knc_reserve_exit(void);

/* hotplug.c */
int knc_sessions_online(unsigned int cpu);
int knc_sessions_offline(unsigned int cpu);
void knc_sessions_suspend(void);
void knc_sessions_resume(void);
void knc_sessions_shutdown(void);

#endif /* KNC_PMU_SESSION_H */
