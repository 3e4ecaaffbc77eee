/* SPDX-License-Identifier: GPL-2.0 */
/* Events and targets of all commands that count: modifiers, rights, how exact a count is */
#ifndef KNC_CTL_EVENT_H
#define KNC_CTL_EVENT_H

#include <kncpmu.h>

/* What is counted */
enum target {
	TARGET_COMMAND,		/* the command */
	TARGET_CPUS,		/* hardware threads, with all tasks that run there */
	TARGET_PROCESS,		/* an existing process */
	TARGET_THREAD		/* an existing thread */
};

/* How exact a count is, the best first */
enum worth {
	WORTH_EXACT,
	WORTH_ESTIMATE,		/* scaled: its event took turns */
	/* an estimate from few turns, or from turns at different speeds */
	WORTH_ROUGH
};

/* An estimate from fewer turns is rough */
#define MIN_TURNS	20

/*
 * Turns of an event that was counted for @ns, computed from the length of a turn (KNC_TURN_MS
 * of src/count/set.h), because the module does not count them.
 */
#define TURNS(ns)	((ns) / 4000000)

/* How exact the counts of an event are that took turns and was counted for @ns */
static inline enum worth worth_of_turns(const struct kncpmu_card *card, unsigned long long ns)
{
	return card->real_time || TURNS(ns) < MIN_TURNS ? WORTH_ROUGH : WORTH_ESTIMATE;
}

/* Add a modifier to an event; returns 0 if that is not possible */
int add_modifier(struct kncpmu_item *item, char letter);

/* KNC_PMU_CONFIG_* for a target other than TARGET_CPUS; @inherit: its children too */
unsigned int follow_flags(enum target target, int inherit);

/* May this user count kernel mode of a program? */
int may_count_kernel(void);

#endif /* KNC_CTL_EVENT_H */
