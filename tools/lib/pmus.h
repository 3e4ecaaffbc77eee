/* SPDX-License-Identifier: GPL-2.0 */
/* PMUs and levels by their names, and the PMU whose events have names */
#ifndef KNCPMU_PMUS_H
#define KNCPMU_PMUS_H

#include "kncpmu.h"

/**
 * struct kncpmu_pmu - a PMU whose events this library knows by name
 * @name: as in struct knc_pmu_desc
 * @counters: mask of its counters
 * @nr_counters: how many
 * @nr_general: how many can be picked by /N after the name of an event
 * @cycles: its event of core clock cycles
 * @instructions: its event of executed instructions
 * @id: @pmu of struct knc_pmu_config
 */
struct kncpmu_pmu {
	const char *name;
	__u64 counters;
	unsigned int nr_counters;
	unsigned int nr_general;
	const char *cycles;
	const char *instructions;
	unsigned int id;
};

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
 * kncpmu_pmu_use() - choose the PMU whose events have names from here on
 * @name: "knc"; "arch": the architectural PMU of a host (CPUID leaf 0xA); "westmere": that of a
 *	Westmere; "uncore": that of its packages
 *
 * Without this it is the PMU of the machine, if module knc_pmu is loaded there, else Knights
 * Corner's.
 *
 * Return: 0, or -ENOENT.
 */
int kncpmu_pmu_use(const char *name);

/**
 * kncpmu_list_pmu() - take the names of PMUs out of a list of events
 * @text: a list for kncpmu_list_parse(), or one with events such as "uncore/QMC_NORMAL_READS.ANY/"
 * @list: the list without these names, out
 * @size: bytes of @list: more than @text has
 * @err: the error, out
 *
 * Chooses the PMU, as kncpmu_pmu_use() does; sessions name it by @id of kncpmu_pmu(). All events of
 * a list are of one PMU. Without a name nothing changes.
 *
 * Return: 0, -EINVAL; -ENODEV: the machine does not have it.
 */
int kncpmu_list_pmu(const char *text, char *list, size_t size, struct kncpmu_error *err);

/**
 * kncpmu_pmu() - the PMU whose events have names
 *
 * Return: the PMU.
 */
const struct kncpmu_pmu *kncpmu_pmu(void);

#endif /* KNCPMU_PMUS_H */
