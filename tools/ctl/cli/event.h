/* SPDX-License-Identifier: GPL-2.0 */
/* Events and targets of all commands that count: modifiers, rights, how exact a count is */
#ifndef KNC_CTL_EVENT_H
#define KNC_CTL_EVENT_H

#include <kncpmu.h>
#include <card.h>

#include "cli/clock.h"

/* What is counted */
enum target {
	TARGET_COMMAND,		/* the command */
	TARGET_CPUS,		/* hardware threads, with all tasks that run there */
	TARGET_PROCESS,		/* an existing process */
	TARGET_THREAD		/* an existing thread */
};

/* How exact a count is, the best first */
enum precision {
	PRECISION_EXACT,
	PRECISION_ESTIMATE,	/* scaled, because its event took turns */
	/* an estimate from few turns, or from turns at different speeds */
	PRECISION_ROUGH,
	PRECISION_NONE		/* not counted */
};

/* An estimate from fewer turns is rough */
#define MIN_TURNS	20

/* Length of a turn in ms: KNC_TURN_MS of src/count/set.h (tests/host/run compares them) */
#define TURN_MS		4

/*
 * Estimate how many turns an event had in @ns; the module does not count them. Without high
 * resolution timers a turn ends at a tick of the kernel.
 */
static inline unsigned long long turns_of(unsigned long long ns)
{
	unsigned long long turn = TURN_MS * NSEC_PER_MSEC, tick = timer_resolution();

	return ns / (turn > tick ? turn : tick);
}

/* How exact is the count of an event that took turns, and was counted for @ns? */
static inline enum precision precision_of_turns(const struct kncpmu_card *card,
						unsigned long long ns)
{
	return card->real_time || turns_of(ns) < MIN_TURNS ? PRECISION_ROUGH : PRECISION_ESTIMATE;
}

/* Printed before an estimate in tables; stat prints the percentage of the time instead of "~" */
static inline const char *precision_mark(enum precision precision)
{
	return precision == PRECISION_ROUGH ? "?" : precision == PRECISION_ESTIMATE ? "~" : "";
}

/* Does the PMU count a host's events, not a card's? */
static inline int is_host(const struct kncpmu_pmu *pmu)
{
	return pmu->kind != KNCPMU_PMU_KNC;
}

static inline int is_uncore(const struct kncpmu_pmu *pmu)
{
	return pmu->kind == KNCPMU_PMU_UNCORE;
}

/* Add a modifier to an event of @pmu; returns 0 if that is not possible */
int add_modifier(const struct kncpmu_pmu *pmu, struct kncpmu_item *item, char letter);

/* KNC_PMU_CONFIG_* for a target other than TARGET_CPUS; @inherit: its children too */
unsigned int follow_flags(enum target target, int inherit);

/*
 * After CONFIG failed with @error: this kernel may not report exec to modules (before Linux 5.0).
 * Then take ON_EXEC out of @flags, print a warning and return 1: try again, and START before the
 * command runs. Return 0 if it failed for another reason.
 */
int leave_exec_out(unsigned int *flags, int error, const struct knc_pmu_config *config);

/* May this user count kernel mode of a program? 1 also if the device can't be opened */
int may_count_kernel(void);

#endif /* KNC_CTL_EVENT_H */
