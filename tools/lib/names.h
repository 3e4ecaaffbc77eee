/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptions of events by their names, and the names that other tools have for them */
#ifndef KNCPMU_NAMES_H
#define KNCPMU_NAMES_H

#include "kncpmu.h"

/* Bits of @tools of struct kncpmu_alias: the tools that use the name */
#define KNCPMU_TOOL_COLLECT	0x1
#define KNCPMU_TOOL_PERF	0x2
#define KNCPMU_TOOL_PAPI	0x4

/**
 * struct kncpmu_alias - another name of an event
 * @name: the name
 * @event: the event's name
 * @tools: KNCPMU_TOOL_*: the tools that have it
 * @title: what Solaris Studio's collect calls it; NULL: nothing
 */
struct kncpmu_alias {
	const char *name;
	const char *event;
	unsigned int tools;
	const char *title;
};

/**
 * kncpmu_aliases() - the table of other names of events of a PMU
 * @pmu: the PMU
 * @nr: number of its entries, out
 *
 * Return: the table, constant.
 */
const struct kncpmu_alias *kncpmu_aliases(const struct kncpmu_pmu *pmu, unsigned int *nr);

/**
 * kncpmu_tool_name() - name of a tool that has names for events
 * @bit: bit number of a KNCPMU_TOOL_*
 *
 * Return: "collect", "perf" or "PAPI"; NULL after the last one.
 */
const char *kncpmu_tool_name(unsigned int bit);

/**
 * kncpmu_event_by_alias() - look an event up by another name of it
 * @pmu: its PMU
 * @name: the name that another tool has for it, in capitals or small letters
 *
 * Return: the event, or NULL.
 */
const struct kncpmu_event_desc *kncpmu_event_by_alias(const struct kncpmu_pmu *pmu,
						      const char *name);

/**
 * kncpmu_event_named() - look an event up by its own name or another
 * @pmu: its PMU
 * @name: the name, as a user writes it: kncpmu_event_find() and kncpmu_event_by_alias()
 *
 * Return: the event, or NULL.
 */
const struct kncpmu_event_desc *kncpmu_event_named(const struct kncpmu_pmu *pmu, const char *name);

/**
 * kncpmu_event_by_code() - look an event up by its code
 * @pmu: its PMU
 * @event: event select
 * @umask: unit mask
 *
 * Return: the event, or NULL: no source documents that code.
 */
const struct kncpmu_event_desc *kncpmu_event_by_code(const struct kncpmu_pmu *pmu,
						     unsigned int event, unsigned int umask);

/* Number of names that kncpmu_near_add() keeps */
#define KNCPMU_MAX_NEAR	8

/**
 * struct kncpmu_near - names similar to a misspelt one
 * @word: the misspelt name
 * @loose: accept less similar names too, after all others
 * @nr: number of names
 * @name: the names, the most similar one first
 * @rank: of each: smaller is more similar
 */
struct kncpmu_near {
	const char *word;
	int loose;
	unsigned int nr;
	const char *name[KNCPMU_MAX_NEAR];
	unsigned int rank[KNCPMU_MAX_NEAR];
};

/**
 * kncpmu_near_add() - keep a name if it is one of the most similar
 * @near: the names so far; at first only @word and @loose are set, the rest is 0
 * @name: the name; only its address is kept
 *
 * Capitals and small letters are the same; @word may also be a part of @name.
 */
void kncpmu_near_add(struct kncpmu_near *near, const char *name);

/**
 * kncpmu_event_nearest() - find the events whose names are similar to a misspelt one
 * @pmu: their PMU
 * @name: the misspelt or shortened name
 * @near: room for @max events, the nearest first, out
 * @max: number of events wanted
 *
 * Names that other tools have for events are looked at as well.
 *
 * Return: the number of events; 0: no name is similar.
 */
unsigned int kncpmu_event_nearest(const struct kncpmu_pmu *pmu, const char *name,
				  const struct kncpmu_event_desc **near, unsigned int max);

/**
 * kncpmu_unit_name() - name of a unit
 * @unit: the unit
 *
 * Return: "P54C", "CRI", "VPU", "core" or "unc".
 */
const char *kncpmu_unit_name(enum kncpmu_unit unit);

/**
 * kncpmu_scope_name() - name of a scope
 * @scope: the scope
 *
 * Return: "unknown", "thread" or "core".
 */
const char *kncpmu_scope_name(enum kncpmu_scope scope);

/**
 * kncpmu_emulated_name() - name of a way to count on the emulated card
 * @emulated: the way
 *
 * Return: "exact", "modelled" or "no", constant.
 */
const char *kncpmu_emulated_name(enum kncpmu_emulated emulated);

/**
 * kncpmu_source_name() - name of a source of event codes
 * @bit: bit number of a KNCPMU_SRC_*
 *
 * Return: for instance "libpfm4"; NULL after the last one.
 */
const char *kncpmu_source_name(unsigned int bit);

/**
 * kncpmu_event_of() - look up the description of a session's event
 * @pmu: the PMU of @event
 * @event: the event
 *
 * Return: its description, or NULL: its code is not in the table.
 */
const struct kncpmu_event_desc *kncpmu_event_of(const struct kncpmu_pmu *pmu,
						const struct knc_pmu_event *event);

/**
 * kncpmu_event_core_wide() - do all threads of a core count the same?
 * @pmu: the PMU of @event
 * @event: the event with its flags
 *
 * A sum over threads must include such a count once for each core.
 *
 * Return: 1 for core-wide events and for events in thread mode, else 0.
 */
int kncpmu_event_core_wide(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event);

/**
 * kncpmu_event_cycles() - does an event count cycles, not what happens in them?
 * @pmu: the PMU of @event
 * @event: the event with its flags
 *
 * Return: 1 for events that count cycles and for any event with a counter mask; 0 with EDGE.
 */
int kncpmu_event_cycles(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event);

/**
 * kncpmu_event_timed() - does an event count cycles that all take the same time?
 * @pmu: the PMU of @event
 * @event: the event with its flags
 *
 * A card's cores have one clock, at the rate of the time stamp counter. A host's cores change their
 * rate (turbo): only the reference cycles of fixed counter 2 tick at the rate of the TSC.
 *
 * Return: 1 if its cycles can be shown as seconds, else 0.
 */
int kncpmu_event_timed(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event);

/**
 * kncpmu_event_by_others() - do other cores cause an event, whatever the program does?
 * @pmu: the PMU of @event
 * @event: the event
 *
 * The program's place at such an event has nothing to do with it.
 *
 * Return: 1 if they do (KNCPMU_CAUSE_OTHERS), else 0.
 */
int kncpmu_event_by_others(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event);

/**
 * kncpmu_event_tries_counter() - is an event asked for on a counter not known to count it?
 * @pmu: the PMU of @event
 * @event: the event
 *
 * A module that was loaded with any_counter=1 allows it (KNC_PMU_FEATURE_ANY_COUNTER): the count is
 * a trial.
 *
 * Return: 1 if no counter in @counters of @event is known to count it, else 0.
 */
int kncpmu_event_tries_counter(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event);

/**
 * kncpmu_event_kind() - the kind of an event, in the words of collect -h
 * @pmu: the PMU of @event
 * @event: the event with its flags
 *
 * Return: "CPU-cycles", "events", "load events", "store events", "load-store events" or
 *	"not-program-related events", constant.
 */
const char *kncpmu_event_kind(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event);

#endif /* KNCPMU_NAMES_H */
