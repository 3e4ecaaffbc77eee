/* SPDX-License-Identifier: GPL-2.0 */
/* Levels, which are read and not counted: finds their PMU, sums up several readings */
#ifndef KNC_CTL_LEVEL_H
#define KNC_CTL_LEVEL_H

#include <kncpmu.h>
#include <pmus.h>

/* Schema of the levels that stat --json prints and timeline reads */
#define LEVEL_SCHEMA	"knc-pmuctl-level/1"

/**
 * struct level_readings - the readings of a level
 * @nr: how many had a value
 * @missing: how many had none
 * @least: the smallest value, bytes
 * @most: the largest
 * @sum: of all
 */
struct level_readings {
	unsigned int nr;
	unsigned int missing;
	unsigned long long least;
	unsigned long long most;
	double sum;
};

/* Find the PMU of a level through session @fd; returns 0, or -1 with a message in @err */
int level_find_pmu(int fd, const struct kncpmu_level *level, struct knc_pmu_desc *pmu,
		   struct kncpmu_error *err);

/* The meaning of the flag PARTIAL for a level */
extern const char level_partial[];

/* Did the hardware have a value for this record? */
int level_is_valid(const struct knc_pmu_thread *record);
void level_add(struct level_readings *readings, int valid, unsigned long long bytes);
/* Mean of the readings with a value; 0: there is none */
double level_mean(const struct level_readings *readings);

#endif /* KNC_CTL_LEVEL_H */
