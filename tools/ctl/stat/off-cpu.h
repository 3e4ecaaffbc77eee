/* SPDX-License-Identifier: GPL-2.0 */
/* stat --off-cpu: the records of context switches, of which thread-times.h makes times */
#ifndef KNC_CTL_STAT_OFF_CPU_H
#define KNC_CTL_STAT_OFF_CPU_H

#include "stat/thread-times.h"

struct knc_pmu_config;
struct knc_pmu_event;

struct off_cpu *off_cpu_new(void);
void off_cpu_free(struct off_cpu *o);
/* Check that the module can record context switches; returns 0, or an exit status */
int off_cpu_check(int fd);
/* CONFIG, with @pid and @flags in @config, for a session that also records context switches */
int off_cpu_config(const struct off_cpu *o, int fd, struct knc_pmu_event *events,
		   unsigned int nr, struct knc_pmu_config *config);
/* Should CONFIG, which was refused, be tried again with smaller rings? */
int off_cpu_smaller(struct off_cpu *o, const struct knc_pmu_config *config);
/* Call after CONFIG of a session with @nr events; returns 0, or an exit status */
int off_cpu_open(struct off_cpu *o, int fd, unsigned int nr);
/* Call after the sessions have been started */
int off_cpu_begin(struct off_cpu *o);
/* Empty the rings */
void off_cpu_drain(struct off_cpu *o);
/* Call after the sessions have been stopped */
int off_cpu_end(struct off_cpu *o);
const struct thread_times *off_cpu_times(const struct off_cpu *o);
/* Warn of lost records */
void off_cpu_warn(const struct off_cpu *o);
/* The number of records produced; @lost of them were lost */
unsigned long long off_cpu_switches(const struct off_cpu *o, unsigned long long *lost);

#endif /* KNC_CTL_STAT_OFF_CPU_H */
