// SPDX-License-Identifier: GPL-2.0
/* Chooses the events that list shows, and describes an event for list and help */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <knc/regs.h>

#include "cli/options.h"
#include "cli/pmu.h"
#include "cmd/events.h"

const struct kncpmu_alias *next_alias(const struct kncpmu_pmu *pmu,
				      const struct kncpmu_event_desc *desc, unsigned int *at)
{
	const struct kncpmu_alias *aliases;
	unsigned int nr;

	aliases = kncpmu_aliases(pmu, &nr);
	while (*at < nr) {
		if (!strcmp(aliases[(*at)++].event, desc->name))
			return &aliases[*at - 1];
	}
	return NULL;
}

/* Does a name that another tool has for the event begin with @prefix? */
static int alias_begins(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *desc,
			const char *prefix)
{
	const struct kncpmu_alias *alias;
	unsigned int at = 0;

	while ((alias = next_alias(pmu, desc, &at))) {
		if (!strncasecmp(alias->name, prefix, strlen(prefix)))
			return 1;
	}
	return 0;
}

void raw_text(const struct kncpmu_event_desc *desc, char *text, size_t size)
{
	size_t len = snprintf(text, size, "r%04lx", KNC_EVTSEL_CODE(desc->event, desc->umask));

	len += snprintf(text + len, size - len, "%s%s%s%s", desc->flags ? ":" : "",
			desc->flags & KNC_PMU_EVENT_EDGE ? "e" : "",
			desc->flags & KNC_PMU_EVENT_INV ? "i" : "",
			desc->flags & KNC_PMU_EVENT_THREAD_MODE ? "t" : "");
	if (desc->cmask)
		len += snprintf(text + len, size - len, ":c=%u", desc->cmask);
	if (desc->extra)
		snprintf(text + len, size - len, ":x=%#llx", (unsigned long long)desc->extra);
}

int event_passes(const struct event_filter *filter, const struct kncpmu_event_desc *desc)
{
	char raw[RAW_TEXT];

	if (filter->unit && strcasecmp(filter->unit, kncpmu_unit_name(desc->unit)))
		return 0;
	if (!filter->pattern)
		return 1;
	raw_text(desc, raw, sizeof(raw));
	return strcasestr(desc->name, filter->pattern) ||
	       strcasestr(desc->desc, filter->pattern) || !strcasecmp(raw, filter->pattern) ||
	       alias_begins(&filter->pmu, desc, filter->pattern);
}

int take_pmu(const struct command *cmd, const struct opt *o, const char *name)
{
	if (!named_pmu(name, o->to))
		return 0;
	if (!strcmp(name, "cmt"))
		return usage_error(cmd,
				   "PMU cmt has levels, and no events or metrics: 'knc-pmuctl list --pmu cmt' shows them");
	return usage_error(cmd, "unknown PMU '%s': there are knc, arch, westmere, uncore and cmt",
			   name);
}

void event_of_desc(const struct kncpmu_event_desc *desc, struct knc_pmu_event *event)
{
	memset(event, 0, sizeof(*event));
	event->event = KNC_PMU_EVENT_CODE(desc->event, desc->umask);
	event->extra = desc->extra;
	event->cmask = desc->cmask;
	event->flags = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS | desc->flags;
}

void aliases_text(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *desc,
		  unsigned int tools, char *text, size_t size)
{
	const struct kncpmu_alias *alias;
	unsigned int at = 0;
	size_t len = 0;

	text[0] = '\0';
	while (len < size && (alias = next_alias(pmu, desc, &at))) {
		if (!(alias->tools & tools) || !strcasecmp(alias->name, desc->name))
			continue;
		len += snprintf(text + len, size - len, "%s%s", len ? ", " : "", alias->name);
	}
}

__u64 named_interval(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *desc,
		     const char *name)
{
	struct knc_pmu_event event;
	struct kncpmu_error err;

	event_of_desc(desc, &event);
	return kncpmu_interval_parse(pmu, name, &event, &err) ?
	       0 : KNC_PMU_LIMITED_PERIOD(event.sample_period);
}

void intervals_text(const struct kncpmu_pmu *pmu, const struct kncpmu_event_desc *desc, char *text,
		    size_t size)
{
	snprintf(text, size, "on=%llu hi=%llu lo=%llu",
		 (unsigned long long)named_interval(pmu, desc, "on"),
		 (unsigned long long)named_interval(pmu, desc, "hi"),
		 (unsigned long long)named_interval(pmu, desc, "lo"));
}
