/* SPDX-License-Identifier: GPL-2.0 */
/* Chooses the events that list shows, and describes an event for list and help */
#ifndef KNC_CTL_EVENTS_H
#define KNC_CTL_EVENTS_H

#include <kncpmu.h>
#include <names.h>

#include "cli/command.h"

/**
 * struct event_filter - the events that are listed
 * @pmu: their PMU
 * @pattern: part of a name or of a description; NULL: any
 * @unit: name of a unit; NULL: any
 */
struct event_filter {
	struct kncpmu_pmu pmu;
	const char *pattern;
	const char *unit;
};

int event_passes(const struct event_filter *filter, const struct kncpmu_event_desc *desc);

/* Option --pmu: the PMU whose events and metrics are shown, a struct kncpmu_pmu */
take_fn take_pmu;
/* Fill in the session's event for a description, with all rings */
void event_of_desc(const struct kncpmu_event_desc *desc, struct knc_pmu_event *event);
/* The raw code that stat -e accepts, with the modifiers that belong to the event */
#define RAW_TEXT	32
void raw_text(const struct kncpmu_event_desc *desc, char *text, size_t size);
/* Iterate over other tools' names of an event; *@at is 0 at first. NULL: no more names */
const struct kncpmu_alias *next_alias(const struct kncpmu_pmu *pmu,
				      const struct kncpmu_event_desc *desc, unsigned int *at);
/* Names that @tools (KNCPMU_TOOL_*) have for an event, separated by commas; "": none */
void aliases_text(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *desc,
		  unsigned int tools, char *text, size_t size);
/* The periods that "on", "hi" and "lo" stand for */
__u64 named_interval(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *desc,
		     const char *name);
void intervals_text(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *desc, char *text,
		    size_t size);

#endif /* KNC_CTL_EVENTS_H */
