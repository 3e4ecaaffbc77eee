// SPDX-License-Identifier: GPL-2.0
/* The events of Westmere's uncore by name, made from include/knc/uncore_events.def */
#include <knc/westmere_regs.h>

#include "tables.h"

#define UNC_EMULATED_NONE	KNCPMU_EMULATED_NONE
#define UNC_EMULATED_CLOCK(what)	KNCPMU_EMULATED_EXACT
#define UNC_EMULATED_UNITS(what)	KNCPMU_EMULATED_MODELLED
#define UNC_EMULATED_SUM(...)	KNCPMU_EMULATED_MODELLED

/* All events count for the package; only the clock has a counter of its own (UNC_EN_FC0) */
static const struct kncpmu_event_desc events[] = {
#define UNC_EVENT(_name, _event, _umask, kind, _rate, _emulated, _desc)	\
	{								\
		.name = _name,						\
		.desc = _desc,						\
		.event = _event,					\
		.umask = _umask,					\
		.unit = KNCPMU_UNIT_UNCORE,				\
		.scope = KNCPMU_SCOPE_PACKAGE,				\
		.rate = KNCPMU_RATE_##_rate,				\
		.emulated = UNC_EMULATED_##_emulated,			\
		.counters = (_event) == 0xff ? UNC_EN_FC0 : UNC_EN_PC_ALL,	\
		.sources = KNCPMU_SRC_LIBPFM4 | KNCPMU_SRC_LIKWID,	\
		.cause = KNCPMU_CAUSE_OTHERS,				\
	},
#include <knc/uncore_events.def>
};

const struct kncpmu_event_desc *kncpmu_uncore_events(unsigned int *nr)
{
	*nr = ARRAY_SIZE(events);
	return events;
}
