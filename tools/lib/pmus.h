/* SPDX-License-Identifier: GPL-2.0 */
/* PMUs and levels by their names */
#ifndef KNCPMU_PMUS_H
#define KNCPMU_PMUS_H

#include "kncpmu.h"

/**
 * struct kncpmu_level - something that is read as a level, whereas an event is counted
 * @name: its name, with that of its PMU as perf writes it: "cmt/llc_occupancy/"
 * @pmu: name of the PMU in INFO
 * @event: @event of struct knc_pmu_event; its @flags are 0
 * @desc: description
 */
struct kncpmu_level {
	const char *name;
	const char *pmu;
	__u64 event;
	const char *desc;
};

/**
 * kncpmu_levels() - all levels
 * @nr: their number, out
 *
 * Return: the levels.
 */
const struct kncpmu_level *kncpmu_levels(unsigned int *nr);

/**
 * kncpmu_level_named() - the level of a name
 * @name: its name
 *
 * Return: the level, or NULL.
 */
const struct kncpmu_level *kncpmu_level_named(const char *name);

/**
 * kncpmu_pmu_find() - find a PMU of this machine by its name
 * @fd: a session
 * @name: "knc", "arch", "cmt"
 * @pmu: the PMU, out; its @id is @pmu of struct knc_pmu_config for kncpmu_config_sampling()
 *
 * Return: 0; -ENOENT: this machine has none of this name; or another negative errno.
 */
int kncpmu_pmu_find(int fd, const char *name, struct knc_pmu_desc *pmu);

/**
 * kncpmu_list_pmu() - take the names of PMUs out of a list of events
 * @pmu: the PMU of events without such a name, in; that of the list, out
 * @text: a list for kncpmu_list_parse(), or one with events such as "uncore/QMC_NORMAL_READS.ANY/"
 * @list: the list without these names, out
 * @size: bytes of @list: more than @text has
 * @err: the error, out
 *
 * All events of a list are of one PMU; sessions name it by its @id.
 *
 * Return: 0, -EINVAL; -ENODEV: the machine does not have it. After an error @pmu is as before.
 */
int kncpmu_list_pmu(struct kncpmu_pmu *pmu, const char *text, char *list, size_t size,
		    struct kncpmu_error *err);

#endif /* KNCPMU_PMUS_H */
