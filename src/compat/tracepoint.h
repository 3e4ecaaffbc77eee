/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: modules find them by name, and their arguments differ between kernels
 */
#ifndef KNC_PMU_COMPAT_TRACEPOINT_H
#define KNC_PMU_COMPAT_TRACEPOINT_H

#include <linux/hardirq.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "compat/versions.h"

bool knc_compat_has_tracepoint(const char *name);

/**
 * struct knc_compat_probe - a function that a tracepoint calls
 * @name: the tracepoint
 * @probe: the function; a pair of name and function can be registered only once
 */
struct knc_compat_probe {
	const char *name;
	void *probe;
};

int knc_compat_probe_all(const struct knc_compat_probe *probes, unsigned int nr);
void knc_compat_unprobe_all(const struct knc_compat_probe *probes, unsigned int nr);
void knc_compat_unprobe_wait(void);

/*
 * In a probe of a context switch: the state (TASK_*) of @prev, 0 if that task was preempted. If the
 * tracepoint passes the state, use this argument: a waker may have changed the field of @prev.
 */
#ifdef KNC_COMPAT_SWITCH_STATE_LAST
#define KNC_COMPAT_SWITCH_STATE(prev)	(preempt ? 0 : prev_state)
#elif defined(KNC_COMPAT_TASK_STATE)
#define KNC_COMPAT_SWITCH_STATE(prev)	(preempt ? 0 : READ_ONCE((prev)->__state))
#elif !KNC_COMPAT_MPSS
#define KNC_COMPAT_SWITCH_STATE(prev)	(preempt ? 0 : (prev)->state)
#else
#define KNC_COMPAT_SWITCH_STATE(prev)					\
	(preempt_count() & PREEMPT_ACTIVE ? 0 : (prev)->state)
#endif

/*
 * KNC_COMPAT_*_PROBE() begins the definition of a probe, with this kernel's arguments. Probes of
 * sched_process_fork, sched_process_exec and cpu_idle need no macro: their arguments are the same
 * in all kernels.
 */
#ifdef KNC_COMPAT_SWITCH_STATE_LAST
#define KNC_COMPAT_SWITCH_PROBE(fn, prev, next)				\
	void fn(void *data, bool preempt, struct task_struct *prev,	\
		struct task_struct *next, unsigned int prev_state)
#elif !KNC_COMPAT_MPSS
#define KNC_COMPAT_SWITCH_PROBE(fn, prev, next)				\
	void fn(void *data, bool preempt, struct task_struct *prev,	\
		struct task_struct *next)
#else
#define KNC_COMPAT_SWITCH_PROBE(fn, prev, next)				\
	void fn(void *data, struct task_struct *prev, struct task_struct *next)
#endif

/*
 * The tracepoint where current creates a task, which does not run yet. Not sched_process_fork on
 * newer kernels: task_newtask also reports tasks that the kernel creates for a process, such as
 * io_uring's workers.
 */
#if !KNC_COMPAT_MPSS
#define KNC_COMPAT_CREATE_NAME "task_newtask"
#ifdef KNC_COMPAT_CLONE_FLAGS_64
#define KNC_COMPAT_CREATE_PROBE(fn, child)				\
	void fn(void *data, struct task_struct *child, u64 clone_flags)
#else
#define KNC_COMPAT_CREATE_PROBE(fn, child)				\
	void fn(void *data, struct task_struct *child,			\
		unsigned long clone_flags)
#endif
#else
#define KNC_COMPAT_CREATE_NAME "sched_process_fork"
#define KNC_COMPAT_CREATE_PROBE(fn, child)				\
	void fn(void *data, struct task_struct *parent,			\
		struct task_struct *child)
#endif

/* @state of cpu_idle at the end of an idle period */
#define KNC_COMPAT_IDLE_EXIT	(~0U)

#ifdef KNC_COMPAT_GROUP_DEAD
#define KNC_COMPAT_EXIT_PROBE(fn, task)					\
	void fn(void *data, struct task_struct *task, bool group_dead)
#else
#define KNC_COMPAT_EXIT_PROBE(fn, task)					\
	void fn(void *data, struct task_struct *task)
#endif

#endif /* KNC_PMU_COMPAT_TRACEPOINT_H */
