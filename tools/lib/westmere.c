// SPDX-License-Identifier: GPL-2.0
/* The events of Westmere's core by name, made from include/knc/westmere_events.def */
#include <knc/arch_regs.h>
#include <knc/westmere_offcore.h>
#include <knc/westmere_regs.h>

#include "tables.h"

#define GENERAL		((1ULL << WSM_SETTLE_COUNTERS) - 1)
#define FIXED(n)	(1ULL << (ARCH_FIXED + (n)))

/* Meanings of the columns */
#define WSM_COUNTERS_ANY	GENERAL
#define WSM_COUNTERS_01		3
#define WSM_COUNTERS_0		1
#define WSM_COUNTERS_NONE	GENERAL
#define WSM_COUNTERS_FIXED_0	(GENERAL | FIXED(0))
#define WSM_COUNTERS_FIXED_1	(GENERAL | FIXED(1))
#define WSM_COUNTERS_FIXED_2	FIXED(2)

#define WSM_PLAIN		0
#define WSM_INV			KNC_PMU_EVENT_INV
#define WSM_ANYTHREAD		KNC_PMU_EVENT_THREAD_MODE
#define WSM_INV_EDGE		(KNC_PMU_EVENT_INV | KNC_PMU_EVENT_EDGE)
#define WSM_INV_ANYTHREAD	(KNC_PMU_EVENT_INV | KNC_PMU_EVENT_THREAD_MODE)
#define WSM_INV_EDGE_ANYTHREAD	(WSM_INV_EDGE | KNC_PMU_EVENT_THREAD_MODE)

#define WSM_NONE		KNCPMU_EMULATED_NONE
#define WSM_EXACT(what)		KNCPMU_EMULATED_EXACT
#define WSM_CLOCK(what)		KNCPMU_EMULATED_MODELLED
#define WSM_UNITS(what)		KNCPMU_EMULATED_MODELLED
#define WSM_SUM(...)		KNCPMU_EMULATED_MODELLED

#define ROW(_name, _event, _umask, _counters, _rate, _cause, _emulated, _sources, _desc, ...)	\
	{								\
		.name = _name,						\
		.desc = _desc,						\
		.event = _event,					\
		.umask = _umask,					\
		.unit = KNCPMU_UNIT_CORE,				\
		.scope = KNCPMU_SCOPE_THREAD,				\
		.rate = KNCPMU_RATE_##_rate,				\
		.emulated = _emulated,					\
		.counters = _counters,					\
		.sources = _sources,					\
		.cause = KNCPMU_CAUSE_##_cause,				\
		__VA_ARGS__						\
	},

#define PERF	(KNCPMU_SRC_LINUX | KNCPMU_SRC_LIBPFM4)

/* The architectural events first: a code that is also one of them gets their name */
static const struct kncpmu_event_desc events[] = {
#define FIXED_OF_0	WSM_COUNTERS_FIXED_0
#define FIXED_OF_1	WSM_COUNTERS_FIXED_1
#define FIXED_OF_NONE	WSM_COUNTERS_NONE
#define FIXED_OF_FIXED_2	WSM_COUNTERS_FIXED_2
#define EMULATED_OF_UNHALTED_CORE_CYCLES	KNCPMU_EMULATED_MODELLED
#define EMULATED_OF_INSTRUCTION_RETIRED		KNCPMU_EMULATED_EXACT
#define EMULATED_OF_UNHALTED_REFERENCE_CYCLES	KNCPMU_EMULATED_MODELLED
#define EMULATED_OF_FIXED_REFERENCE_CYCLES	KNCPMU_EMULATED_MODELLED
#define EMULATED_OF_LLC_REFERENCES		KNCPMU_EMULATED_MODELLED
#define EMULATED_OF_LLC_MISSES			KNCPMU_EMULATED_MODELLED
#define EMULATED_OF_BRANCH_INSTRUCTIONS_RETIRED	KNCPMU_EMULATED_EXACT
#define EMULATED_OF_MISPREDICTED_BRANCH_RETIRED	KNCPMU_EMULATED_MODELLED
#define ARCH_EVENT(name, event, umask, fixed, rate, desc)		\
	ROW(#name, event, umask, FIXED_OF_##fixed, rate, ANY, EMULATED_OF_##name,	\
	    KNCPMU_SRC_SDM, desc)
#define ARCH_EVENT_FIXED	ARCH_EVENT
#include <knc/arch_events.def>
#define WSM_EVENT(name, event, umask, _cmask, _flags, counters, rate, cause, emulated, desc)	\
	ROW(name, event, umask, WSM_COUNTERS_##counters, rate, cause, WSM_##emulated, PERF,	\
	    desc, .cmask = _cmask, .flags = WSM_##_flags)
#include <knc/westmere_events.def>
#define OFFCORE_ROW(request, bits, response, more)			\
	ROW("OFFCORE_RESPONSE." request "." response, WSM_OFFCORE_RSP_0 & 0xff,		\
	    WSM_OFFCORE_RSP_0 >> 8, GENERAL, RARE, ANY, KNCPMU_EMULATED_NONE, PERF,	\
	    "Offcore requests " request " that were answered by " response,		\
	    .extra = (bits) | (more))
	WSM_OFFCORE(OFFCORE_ROW)
};

const struct kncpmu_event_desc *kncpmu_westmere_events(unsigned int *nr)
{
	*nr = ARRAY_SIZE(events);
	return events;
}
