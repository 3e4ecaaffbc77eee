/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Has this kernel's tracepoint the arguments that our probe has?
 *
 * The compiler does not compare the arguments, because tracepoints are found by name. A probe with
 * other arguments would read wrong registers.
 */
#ifndef KNC_PMU_COMPAT_PROBE_TYPES_H
#define KNC_PMU_COMPAT_PROBE_TYPES_H

#include "compat/versions.h"

#if !KNC_COMPAT_MPSS
#ifdef __clang__
/* clang warns about a struct in linux/cgroup-defs.h */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"
#endif
#include <trace/events/power.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#ifdef __clang__
#pragma clang diagnostic pop
#endif

#define KNC_COMPAT_CHECK_PROBE(name, fn) check_trace_callback_type_##name(fn)
#define KNC_COMPAT_CHECK_CREATE_PROBE(fn) KNC_COMPAT_CHECK_PROBE(task_newtask, fn)
#else
/* the tests' headers of 2.6.38 have no tracepoints */
#define KNC_COMPAT_CHECK_PROBE(name, fn) do { } while (0)
#define KNC_COMPAT_CHECK_CREATE_PROBE(fn) do { } while (0)
#endif

#endif /* KNC_PMU_COMPAT_PROBE_TYPES_H */
