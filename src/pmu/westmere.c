// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU of Westmere: its additions to the architectural PMU
 */
#include <linux/kernel.h>

#include <knc/westmere_regs.h>

#include "pmu/arch.h"
#include "pmu/westmere.h"

/* The columns of westmere_events.def that the module needs */
#define WSM_COUNTERS_ANY	(~0ULL)
#define WSM_COUNTERS_01		3
#define WSM_COUNTERS_0		1
#define WSM_OWN_ANY		true
#define WSM_OWN_LOAD		true
#define WSM_OWN_STORE		true
#define WSM_OWN_LOAD_STORE	true
#define WSM_OWN_OTHERS		false

static const struct pmu_event pmu_westmere_events[PMU_WESTMERE_EVENTS] = {
#define WSM_EVENT(name, event, umask, cmask, flags, counters, rate, cause, ...)	\
	{ KNC_EVTSEL_CODE(event, umask), WSM_COUNTERS_##counters, false,	\
	  WSM_OWN_##cause },
#include <knc/westmere_events.def>
};

static const struct pmu_extra pmu_westmere_extras[] = {
	{ WSM_OFFCORE_RSP_0, WSM_MSR_OFFCORE_RSP_0 },
	{ WSM_OFFCORE_RSP_1, WSM_MSR_OFFCORE_RSP_1 },
};

static const u64 pmu_westmere_settle[WSM_SETTLE_COUNTERS] = WSM_SETTLE_SELECTS;

/* The check of the architectural PMU */
static u32 (*pmu_westmere_check_arch)(const struct pmu_select *s);

/**
 * pmu_westmere_is() - does the CPU have this PMU?
 * @family: its family, CPUID leaf 1
 * @model: its model, with the extended bits
 */
bool pmu_westmere_is(unsigned int family, unsigned int model)
{
	return family == WSM_FAMILY &&
	       (model == WSM_MODEL_CLARKDALE || model == WSM_MODEL_EP ||
		model == WSM_MODEL_EX);
}

static bool pmu_westmere_has_extra(u64 code)
{
	return code == WSM_OFFCORE_RSP_0 || code == WSM_OFFCORE_RSP_1;
}

/* A second word needs a request and a response: otherwise the event never occurs. */
static u32 pmu_westmere_check(const struct pmu_select *s)
{
	struct pmu_select plain = *s;

	plain.extra = 0;
	if (pmu_westmere_has_extra(s->code) &&
	    (s->extra & WSM_OFFCORE_RESERVED || !(s->extra & WSM_OFFCORE_REQUESTS) ||
	     !(s->extra & WSM_OFFCORE_RESPONSES)))
		return KNC_PMU_REASON_EVENT_EXTRA;
	if (s->extra && !pmu_westmere_has_extra(s->code))
		return KNC_PMU_REASON_EVENT_EXTRA;
	return pmu_westmere_check_arch(&plain);
}

/* Append Westmere's events; a code in both lists is found among the architectural ones first. */
static void pmu_westmere_fill_events(struct pmu_arch *pmu)
{
	struct pmu_event *event = pmu->events;
	unsigned int i;

	while (event->counters)
		event++;
	for (i = 0; i < ARRAY_SIZE(pmu_westmere_events); i++) {
		*event = pmu_westmere_events[i];
		event->counters &= pmu->desc.any;
		event++;
	}
}

/**
 * pmu_westmere_fill() - add what Westmere has to the descriptor of an architectural PMU
 * @pmu: the PMU, filled in by pmu_arch_fill()
 *
 * If there are fewer counters than the erratum's workaround needs, a hypervisor has kept some of
 * them: then the workaround is the hypervisor's task.
 */
void pmu_westmere_fill(struct pmu_arch *pmu)
{
	unsigned int i;

	pmu->desc.name = "westmere";
	pmu_westmere_check_arch = pmu->desc.check;
	pmu->desc.check = pmu_westmere_check;
	pmu->desc.extras = pmu_westmere_extras;
	pmu->desc.nr_extras = ARRAY_SIZE(pmu_westmere_extras);
	if (pmu->desc.bank[0].nr >= WSM_SETTLE_COUNTERS) {
		pmu->desc.settle = pmu_westmere_settle;
		pmu->desc.nr_settle = WSM_SETTLE_COUNTERS;
	}
	pmu_westmere_fill_events(pmu);
	for (i = 0; i < ARRAY_SIZE(pmu_westmere_extras); i++)
		pmu_arch_add_register(pmu, KNC_PMU_SPACE_MSR,
				      pmu_westmere_extras[i].msr);
}
