// SPDX-License-Identifier: GPL-2.0
/* The events by name, made from include/knc/events.def */
#include <string.h>
#include <strings.h>

#include <knc/arch_regs.h>

#include "names.h"
#include "tables.h"

/* Meanings of the columns of events.def that kncpmu.h does not define */
#define KNC_CNTR_0		1U
#define KNC_CNTR_ANY		3U
#define KNC_EMULATED_NONE	KNCPMU_EMULATED_NONE
#define KNC_EMULATED_EXACT(what)	KNCPMU_EMULATED_EXACT
#define KNC_EMULATED_CLOCK(what)	KNCPMU_EMULATED_MODELLED
#define KNC_EMULATED_UNITS(what)	KNCPMU_EMULATED_MODELLED
#define KNC_EMULATED_VECTOR(what)	KNCPMU_EMULATED_VECTOR

#define KNC_SRC_327357		KNCPMU_SRC_327357
#define KNC_SRC_LIBPFM4		KNCPMU_SRC_LIBPFM4
#define KNC_SRC_LIKWID		KNCPMU_SRC_LIKWID
#define KNC_SRC_LINUX		KNCPMU_SRC_LINUX

static const struct kncpmu_event_desc knc_events[] = {
#define KNC_EVENT(_name, _event, _umask, _unit, _counters, _scope, _rate, _emulated, \
		  _cause, _sources, _desc)				\
	{								\
		.name = #_name,						\
		.desc = _desc,						\
		.event = _event,					\
		.umask = _umask,					\
		.unit = KNCPMU_UNIT_##_unit,				\
		.scope = KNCPMU_SCOPE_##_scope,				\
		.rate = KNCPMU_RATE_##_rate,				\
		.emulated = KNC_EMULATED_##_emulated,			\
		.counters = KNC_CNTR_##_counters,			\
		.sources = _sources,					\
		.cause = KNCPMU_CAUSE_##_cause,				\
	},
#include <knc/events.def>
};

/* Fixed counters have the numbers 32 and up */
#define ARCH_GENERAL_MASK	((1ULL << ARCH_MAX_GENERAL) - 1)
#define ARCH_COUNTERS_NONE	ARCH_GENERAL_MASK
#define ARCH_COUNTERS_0		(ARCH_GENERAL_MASK | 1ULL << ARCH_FIXED)
#define ARCH_COUNTERS_1		(ARCH_GENERAL_MASK | 2ULL << ARCH_FIXED)
#define ARCH_COUNTERS_FIXED_2	(4ULL << ARCH_FIXED)

static const struct kncpmu_event_desc arch_events[] = {
#define ARCH_EVENT(_name, _event, _umask, _fixed, _rate, _desc)		\
	{								\
		.name = #_name,						\
		.desc = _desc,						\
		.event = _event,					\
		.umask = _umask,					\
		.unit = KNCPMU_UNIT_CORE,				\
		.scope = KNCPMU_SCOPE_THREAD,				\
		.rate = KNCPMU_RATE_##_rate,				\
		.emulated = ARCH_EMULATED_##_name,			\
		.counters = ARCH_COUNTERS_##_fixed,			\
		.sources = KNCPMU_SRC_SDM,				\
	},
#define ARCH_EMULATED_UNHALTED_CORE_CYCLES		KNCPMU_EMULATED_MODELLED
#define ARCH_EMULATED_INSTRUCTION_RETIRED		KNCPMU_EMULATED_EXACT
#define ARCH_EMULATED_UNHALTED_REFERENCE_CYCLES		KNCPMU_EMULATED_MODELLED
#define ARCH_EMULATED_FIXED_REFERENCE_CYCLES		KNCPMU_EMULATED_MODELLED
#define ARCH_EMULATED_LLC_REFERENCES			KNCPMU_EMULATED_NONE
#define ARCH_EMULATED_LLC_MISSES			KNCPMU_EMULATED_NONE
#define ARCH_EMULATED_BRANCH_INSTRUCTIONS_RETIRED	KNCPMU_EMULATED_EXACT
#define ARCH_EMULATED_MISPREDICTED_BRANCH_RETIRED	KNCPMU_EMULATED_MODELLED
#define ARCH_EVENT_FIXED	ARCH_EVENT
#include <knc/arch_events.def>
};

static const char * const unit_names[] = {
	[KNCPMU_UNIT_CORE] = "core",
	[KNCPMU_UNIT_UNCORE] = "unc",
	[KNCPMU_UNIT_P54C] = "P54C",
	[KNCPMU_UNIT_CRI] = "CRI",
	[KNCPMU_UNIT_VPU] = "VPU",
};

static const char * const scope_names[] = {
	[KNCPMU_SCOPE_UNKNOWN] = "unknown",
	[KNCPMU_SCOPE_THREAD] = "thread",
	[KNCPMU_SCOPE_CORE] = "core",
	[KNCPMU_SCOPE_PACKAGE] = "package",
};

static const char * const emulated_names[] = {
	[KNCPMU_EMULATED_NONE] = "no",
	[KNCPMU_EMULATED_EXACT] = "exact",
	[KNCPMU_EMULATED_MODELLED] = "modelled",
	[KNCPMU_EMULATED_VECTOR] = "modelled",
};

static const char * const kinds[] = {
	[KNCPMU_CAUSE_ANY] = "events",
	[KNCPMU_CAUSE_LOAD] = "load events",
	[KNCPMU_CAUSE_STORE] = "store events",
	[KNCPMU_CAUSE_LOAD_STORE] = "load-store events",
	[KNCPMU_CAUSE_OTHERS] = "not-program-related events",
};

/* index: bit number of a KNCPMU_SRC_* */
static const char * const source_names[] = {
	"327357", "libpfm4", "LIKWID", "Linux", "SDM",
};

const struct kncpmu_event_desc *kncpmu_knc_events(unsigned int *nr)
{
	*nr = ARRAY_SIZE(knc_events);
	return knc_events;
}

const struct kncpmu_event_desc *kncpmu_arch_events(unsigned int *nr)
{
	*nr = ARRAY_SIZE(arch_events);
	return arch_events;
}

const struct kncpmu_event_desc *kncpmu_event_find(const struct kncpmu_pmu *pmu, const char *name)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_events; i++) {
		if (!strcasecmp(pmu->events[i].name, name))
			return &pmu->events[i];
	}
	return NULL;
}

const struct kncpmu_event_desc *kncpmu_event_by_code(const struct kncpmu_pmu *pmu,
						     unsigned int event, unsigned int umask)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_events; i++) {
		if (pmu->events[i].event == event && pmu->events[i].umask == umask)
			return &pmu->events[i];
	}
	return NULL;
}

/* Fields of an event select that may belong to a named event */
#define FIELDS	(KNC_PMU_EVENT_EDGE | KNC_PMU_EVENT_INV | KNC_PMU_EVENT_THREAD_MODE)

/* Find the event with exactly these fields, or else the event of this code without fields */
const struct kncpmu_event_desc *kncpmu_event_of(const struct kncpmu_pmu *pmu,
						const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *e, *plain = NULL;

	for (e = pmu->events; e < pmu->events + pmu->nr_events; e++) {
		if (KNC_PMU_EVENT_CODE(e->event, e->umask) != event->event ||
		    e->extra != event->extra)
			continue;
		if (e->cmask == event->cmask && e->flags == (event->flags & FIELDS))
			return e;
		if (!plain && !e->cmask && !e->flags)
			plain = e;
	}
	return plain;
}

const char *kncpmu_unit_name(enum kncpmu_unit unit)
{
	return unit_names[unit];
}

const char *kncpmu_scope_name(enum kncpmu_scope scope)
{
	return scope_names[scope];
}

const char *kncpmu_emulated_name(enum kncpmu_emulated emulated)
{
	return emulated_names[emulated];
}

const char *kncpmu_source_name(unsigned int bit)
{
	return bit < ARRAY_SIZE(source_names) ? source_names[bit] : NULL;
}

int kncpmu_event_core_wide(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc;

	if (event->flags & KNC_PMU_EVENT_THREAD_MODE)
		return 1;
	desc = kncpmu_event_of(pmu, event);
	return desc && desc->scope == KNCPMU_SCOPE_CORE;
}

int kncpmu_event_cycles(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_of(pmu, event);

	/* the uncore's cycles are those of another clock */
	if (event->flags & KNC_PMU_EVENT_EDGE || pmu->kind == KNCPMU_PMU_UNCORE)
		return 0;
	return event->cmask || (desc && desc->rate == KNCPMU_RATE_CYCLES);
}

int kncpmu_event_timed(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_of(pmu, event);

	/* a card's cores share one clock; each core of a host has its own */
	if (pmu->kind == KNCPMU_PMU_ARCH || pmu->kind == KNCPMU_PMU_WESTMERE)
		return desc && desc->counters == 1ULL << (ARCH_FIXED + 2);
	return kncpmu_event_cycles(pmu, event);
}

int kncpmu_event_by_others(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_of(pmu, event);

	return desc && desc->cause == KNCPMU_CAUSE_OTHERS;
}

int kncpmu_event_tries_counter(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_of(pmu, event);

	return desc && event->counters && !(event->counters & desc->counters);
}

const char *kncpmu_event_kind(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_of(pmu, event);

	if (kncpmu_event_cycles(pmu, event) && !kncpmu_event_by_others(pmu, event))
		return "CPU-cycles";
	return kinds[desc ? desc->cause : KNCPMU_CAUSE_ANY];
}
