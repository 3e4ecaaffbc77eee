/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Learn that perf, oprofile or the NMI watchdog asks the kernel for counters
 */
#ifndef KNC_PMU_COMPAT_RESERVATION_H
#define KNC_PMU_COMPAT_RESERVATION_H

/*
 * @asked is called before each reserve_perfctr_nmi() and reserve_evntsel_nmi() of the kernel, this
 * module's included: in atomic context, on the CPU of the caller. Whatever @asked releases, the
 * caller can reserve. Returns 0, or an errno: the kernel has no probes, or can't probe these
 * functions.
 */
int knc_compat_reservation_watch(void (*asked)(void));
/* On return @asked does not run any more. Takes a grace period of RCU. */
void knc_compat_reservation_unwatch(void);

#endif /* KNC_PMU_COMPAT_RESERVATION_H */
