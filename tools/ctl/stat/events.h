/* SPDX-License-Identifier: GPL-2.0 */
/* The events that stat counts */
#ifndef KNC_CTL_STAT_EVENTS_H
#define KNC_CTL_STAT_EVENTS_H

#include "stat/stat.h"

/**
 * struct stat_defaults - the events of a PMU that stat counts without -e
 * @pmu: its name
 * @tasks: events for programs
 * @cpus: events for hardware threads
 * @detail_1: events that -d adds
 * @detail_2: events that the second -d adds
 */
struct stat_defaults {
	const char *pmu;
	const char *tasks;
	const char *cpus;
	const char *detail_1;
	const char *detail_2;
};

const struct stat_defaults *stat_defaults(const struct kncpmu_pmu *pmu);

/* The PMU whose events are counted: the machine's default PMU unless the options name another */
const struct kncpmu_pmu *stat_pmu(const struct stat_opts *opts);

/* Bytes of the longest list of events or metrics */
#define LIST_LEN	(MAX_ITEMS * KNCPMU_SPEC_LEN)

/* kncpmu_list_pmu() for -e, -M and -G, which must all name the same PMU; returns 0 or CTL_USAGE */
int stat_list_pmu(const struct command *cmd, struct stat_opts *opts, const char *text,
		  char *list, size_t size);
int stat_parse_events(const struct command *cmd, struct stat_opts *opts, const char *text);

/* Add the default events if none were named */
int default_events(const struct command *cmd, struct stat_opts *opts);

/* The card, read at the first call */
const struct kncpmu_card *stat_card(struct stat_opts *opts);

/* Add an event to those that are listed but can't be counted */
void add_lacking(struct stat_opts *opts, const struct kncpmu_item *item);

/* -d: add further events, in two levels */
int add_detail(const struct command *cmd, struct stat_opts *opts);

/* Without the right to kernel mode, let events without u and k count user mode only */
void choose_modes(struct stat_opts *opts);

#endif /* KNC_CTL_STAT_EVENTS_H */
