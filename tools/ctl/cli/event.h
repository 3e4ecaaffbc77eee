/* SPDX-License-Identifier: GPL-2.0 */
/* Events and targets, for all commands that count: modifiers, rights, what a count is worth */
#ifndef KNC_CTL_EVENT_H
#define KNC_CTL_EVENT_H

#include <kncpmu.h>

/* what is counted */
enum target {
	TARGET_COMMAND,		/* the command */
	TARGET_CPUS,		/* hardware threads, whatever runs there */
	TARGET_PROCESS,		/* a process that runs already */
	TARGET_THREAD		/* a thread */
};

/* what a count is worth, the better first */
enum worth {
	WORTH_EXACT,
	WORTH_ESTIMATE,		/* scaled: its event took turns */
	/* and that says little: from few turns, or at another speed in each */
	WORTH_ROUGH
};

/* Fewer turns make a rough estimate */
#define MIN_TURNS	20

/*
 * Turns of an event that was counted for so many ns. The module does not tell how many
 * there were; each is KNC_TURN_MS of src/count/set.h long.
 */
#define TURNS(ns)	((ns) / 4000000)

/* What the counts of an event are worth that took turns and was counted for so many ns */
static inline enum worth worth_of_turns(const struct kncpmu_card *card, unsigned long long ns)
{
	return card->real_time || TURNS(ns) < MIN_TURNS ? WORTH_ROUGH : WORTH_ESTIMATE;
}

/* Another modifier, a letter, for an event; 0 if that can't be */
int add_modifier(struct kncpmu_item *item, char letter);

/* KNC_PMU_CONFIG_* of what is followed, which is no hardware threads; its children too? */
unsigned int follow_flags(enum target target, int inherit);

/* May this user count kernel mode of a program? */
int may_count_kernel(void);

#endif /* KNC_CTL_EVENT_H */
