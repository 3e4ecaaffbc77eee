// SPDX-License-Identifier: GPL-2.0
/*
 * Event specifications: NAME[/COUNTER][:MODIFIERS], rUUEE[/COUNTER][:MODIFIERS], lists and {groups}
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <knc/regs.h>

#include "interval-name.h"
#include "names.h"
#include "pmus.h"

#define MAX_NEAR	3
#define PAPI		"PAPI_"
#define CMASK		"cmask"	/* perf's word for c */
#define CMASK_MAX	(KNC_EVTSEL_CMASK >> KNC_EVTSEL_CMASK_SHIFT)

#define RINGS		(KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS)

/* c and x have a value instead of a flag */
static const struct {
	char letter;
	__u32 flag;
} modifiers[] = {
	{ 'u', KNC_PMU_EVENT_USR },
	{ 'k', KNC_PMU_EVENT_OS },
	{ 'e', KNC_PMU_EVENT_EDGE },
	{ 'i', KNC_PMU_EVENT_INV },
	{ 't', KNC_PMU_EVENT_THREAD_MODE },
	{ 's', KNC_PMU_EVENT_SPFLT },
	{ 'c', 0 },
	{ 'D', KNC_PMU_EVENT_PINNED },
	/* only Westmere: its offcore events have a second word */
	{ 'x', 0 },
};

/**
 * struct spec - a specification while it is parsed
 * @pmu: the event's PMU
 * @text: the whole specification
 * @at: the next character
 * @on: flags that are set, as by u or u=1
 * @off: flags that are cleared, as by u=0
 * @event: the event, out
 * @err: the error, out
 */
struct spec {
	const struct kncpmu_pmu *pmu;
	const char *text;
	const char *at;
	__u32 on;
	__u32 off;
	struct knc_pmu_event *event;
	struct kncpmu_error *err;
};

static unsigned int column(const struct spec *spec)
{
	return spec->at - spec->text + 1;
}

static int has_extra(const struct spec *spec)
{
	return spec->pmu->kind == KNCPMU_PMU_WESTMERE;
}

static __u32 modifier_flag(char letter)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modifiers); i++) {
		if (modifiers[i].letter == letter)
			return modifiers[i].flag;
	}
	return 0;
}

/* "/N", which picks the counter */
static int parse_counter(struct spec *spec, const struct kncpmu_event_desc *desc)
{
	unsigned int n, nr = spec->pmu->nr_general;

	if (*spec->at != '/')
		return 0;
	n = spec->at[1] - '0';
	if (n >= nr || (spec->at[2] && spec->at[2] != ':'))
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': '%s' at character %u is no counter: there are /0 to /%u, which modifiers may follow",
				   spec->text, spec->at, column(spec), nr - 1);
	if (desc && !(desc->counters & 1ULL << n) && !spec->pmu->any_counter)
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': counter %u can't count it, another one can: leave /%u out",
				   spec->text, n, n);
	spec->event->counters = 1U << n;
	spec->at += 2;
	return 0;
}

/* "N" or "0xN"; leading zeros do not make it octal */
static unsigned long parse_number(const char *text, char **end)
{
	int is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	return strtoul(text, end, is_hex ? 16 : 10);
}

/* "c=N" or "cmask=N", from the character after the word */
static int parse_cmask(struct spec *spec)
{
	unsigned long value;
	char *end;

	if (*spec->at != '=')
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': modifier c at character %u needs a value: c=1 to c=%lu",
				   spec->text, column(spec) - 1, CMASK_MAX);
	spec->at++;
	value = isdigit((unsigned char)*spec->at) ? parse_number(spec->at, &end) : 0;
	if (!value || value > CMASK_MAX)
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': the value of c at character %u is not 1 to %lu (decimal or 0x)",
				   spec->text, column(spec), CMASK_MAX);
	spec->at = end;
	spec->event->cmask = value;
	return 0;
}

/* "x=N", the second word of the event, from the character after the "x" */
static int parse_extra(struct spec *spec)
{
	char *end;

	if (*spec->at != '=' || !isdigit((unsigned char)spec->at[1]))
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': modifier x at character %u needs the event's second word, for example x=0xff11",
				   spec->text, column(spec) - 1);
	spec->event->extra = parse_number(spec->at + 1, &end);
	spec->at = end;
	return 0;
}

/* Parse "u", "u=1" or "u=0" from the character after the letter */
static int parse_switch(struct spec *spec, __u32 flag)
{
	if (*spec->at != '=') {
		spec->on |= flag;
		return 0;
	}
	spec->at++;
	if (*spec->at != '0' && *spec->at != '1')
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': the value of %c at character %u is not 0 or 1",
				   spec->text, spec->at[-2], column(spec));
	if (*spec->at == '1')
		spec->on |= flag;
	else
		spec->off |= flag;
	spec->at++;
	return 0;
}

/* Report an invalid modifier at @spec->at, with a list of the valid ones */
static int bad_modifier(const struct spec *spec)
{
	unsigned int i, len = 0;
	char all[64] = "";

	for (i = 0; i < ARRAY_SIZE(modifiers) - !has_extra(spec); i++)
		len += snprintf(all + len, sizeof(all) - len, "%s%c%s", i ? " " : "",
				modifiers[i].letter, modifiers[i].flag ? "" : "=N");
	if (*spec->at == ':' || !*spec->at)
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': empty modifier at character %u; allowed are %s (or the word pinned)",
				   spec->text, column(spec), all);
	return kncpmu_fail(spec->err, -EINVAL,
			   "event '%s': '%c' at character %u is not a modifier; allowed are %s (or the word pinned)",
			   spec->text, *spec->at, column(spec), all);
}

/* Parse one modifier; only ':' or the end may follow a value */
static int parse_modifier(struct spec *spec)
{
	char letter = *spec->at;
	__u32 flag = modifier_flag(letter);
	int ret, valued, is_extra = letter == 'x' && has_extra(spec);

	if (letter != 'c' && !flag && !is_extra)
		return bad_modifier(spec);
	spec->at += letter == 'c' && !strncmp(spec->at, CMASK "=", strlen(CMASK "=")) ?
		    strlen(CMASK) : 1;
	valued = *spec->at == '=';
	if (is_extra)
		ret = parse_extra(spec);
	else
		ret = flag ? parse_switch(spec, flag) : parse_cmask(spec);
	if (ret)
		return ret;
	if (valued && *spec->at && *spec->at != ':')
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': '%c' at character %u: after a value only ':' and more modifiers may follow",
				   spec->text, *spec->at, column(spec));
	return 0;
}

/* Parse "pinned", the only modifier that is a word */
static int parse_pinned(struct spec *spec)
{
	static const char word[] = "pinned";
	size_t len = strlen(word);

	if (strncmp(spec->at, word, len) || (spec->at[len] && spec->at[len] != ':'))
		return 0;
	spec->on |= KNC_PMU_EVENT_PINNED;
	spec->at += len;
	return 1;
}

static int parse_modifiers(struct spec *spec)
{
	__u32 rings;
	int ret;

	while (*spec->at == ':') {
		spec->at++;
		if (parse_pinned(spec))
			continue;
		do {
			ret = parse_modifier(spec);
			if (ret)
				return ret;
		} while (*spec->at && *spec->at != ':');
	}
	if (spec->on & spec->off)
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': a modifier is both set and cleared (=0); write it once",
				   spec->text);
	rings = spec->on & RINGS;
	if (!rings)
		rings = RINGS & ~spec->off;
	if (!rings)
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': it counts in no ring with u=0 and k=0; leave one of them out",
				   spec->text);
	spec->event->flags = (spec->on & ~RINGS) | rings;
	return 0;
}

static int unknown_name(const struct spec *spec, const char *name)
{
	const struct kncpmu_event_desc *near[MAX_NEAR];
	unsigned int nr = kncpmu_event_nearest(spec->pmu, name, near, MAX_NEAR);
	char names[256] = "";
	unsigned int i, len = 0;

	if (!strcmp(name, "uncore"))
		return kncpmu_fail(spec->err, -ENOENT,
				   "event '%s': the uncore has no overflow interrupts and counts for whole packages: only stat counts its events, and their list begins with uncore/EVENT/",
				   spec->text);
	if (kncpmu_is_interval(name, strlen(name)))
		return kncpmu_fail(spec->err, -ENOENT,
				   "unknown event '%s': it is an interval, which only record takes, after its event",
				   name);
	if (!strncasecmp(name, PAPI, strlen(PAPI)))
		return kncpmu_fail(spec->err, -ENOENT,
				   "unknown event '%s': PAPI has no such preset that is one event of PMU %s; knc-pmuctl list papi shows those it has",
				   name, spec->pmu->name);
	if (!nr)
		return kncpmu_fail(spec->err, -ENOENT,
				   "unknown event '%s': no name is like it; knc-pmuctl list shows all names; a raw code is rUUEE (umask and event select in hex)",
				   name);
	for (i = 0; i < nr; i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s",
				i ? ", " : "", near[i]->name);
	return kncpmu_fail(spec->err, -ENOENT,
			   "unknown event '%s': did you mean %s? (knc-pmuctl list shows all)",
			   name, names);
}

/* Is the text the name of a level, or nearly one? */
static int is_level(const struct spec *spec)
{
	if (kncpmu_level_named(spec->text))
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': it is a level, which nothing can count or sample; stat and top show it alone: stat -e %s",
				   spec->text, spec->text);
	return kncpmu_fail(spec->err, -ENOENT,
			   "unknown level '%s': knc-pmuctl list --pmu cmt shows all", spec->text);
}

static int is_raw(const char *name)
{
	return (name[0] == 'r' || name[0] == 'R') && name[1] &&
	       strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1);
}

static int parse_name(struct spec *spec)
{
	const struct kncpmu_event_desc *desc;
	size_t len = strcspn(spec->text, ":/");
	char name[KNCPMU_SPEC_LEN];
	unsigned long code;

	if (strlen(spec->text) >= KNCPMU_SPEC_LEN)
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%.20s...': it is longer than %d characters",
				   spec->text, KNCPMU_SPEC_LEN - 1);
	if (!len)
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': no name at character 1; knc-pmuctl list shows all names",
				   spec->text);
	memcpy(name, spec->text, len);
	name[len] = '\0';
	spec->at = spec->text + len;

	desc = kncpmu_event_named(spec->pmu, name);
	if (desc) {
		spec->event->event = KNC_PMU_EVENT_CODE(desc->event, desc->umask);
		spec->event->extra = desc->extra;
		spec->event->cmask = desc->cmask;
		spec->on |= desc->flags;
		return parse_counter(spec, desc);
	}
	if (*spec->at == '/' && !strcmp(name, "cmt"))
		return is_level(spec);
	if (!is_raw(name))
		return unknown_name(spec, name);
	if (len > 5)
		return kncpmu_fail(spec->err, -EINVAL,
				   "event '%s': a raw code has at most four hex digits, rUUEE (umask and event select); write modifiers for the other bits",
				   spec->text);
	code = strtoul(name + 1, NULL, 16);
	spec->event->event = code;
	return parse_counter(spec, kncpmu_event_of(spec->pmu, spec->event));
}

int kncpmu_spec_parse(const struct kncpmu_pmu *pmu, const char *text, struct knc_pmu_event *event,
		      struct kncpmu_error *err)
{
	struct spec spec = { .pmu = pmu, .text = text, .event = event, .err = err };
	int ret;

	memset(event, 0, sizeof(*event));
	ret = parse_name(&spec);
	return ret ? ret : parse_modifiers(&spec);
}

void kncpmu_spec_format(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event,
			char *text, size_t size)
{
	const struct kncpmu_event_desc *desc;
	__u32 flags = event->flags, own;
	char letters[16];
	unsigned int i, n = 0;
	int len;

	desc = pmu ? kncpmu_event_of(pmu, event) : NULL;
	own = desc ? desc->flags : 0;
	flags &= ~own;
	if ((flags & RINGS) == RINGS)
		flags &= ~RINGS;
	for (i = 0; i < ARRAY_SIZE(modifiers); i++) {
		if (flags & modifiers[i].flag)
			letters[n++] = modifiers[i].letter;
	}
	letters[n] = '\0';

	if (desc)
		len = snprintf(text, size, "%s", desc->name);
	else
		len = snprintf(text, size, "r%04llx", (unsigned long long)event->event);
	for (i = 0; pmu && i < pmu->nr_general && (size_t)len < size; i++) {
		if (event->counters == 1ULL << i)
			len += snprintf(text + len, size - len, "/%u", i);
	}
	if (n && (size_t)len < size)
		len += snprintf(text + len, size - len, ":%s", letters);
	if (event->cmask && !(desc && desc->cmask) && (size_t)len < size)
		len += snprintf(text + len, size - len, ":c=%u", event->cmask);
	if (event->extra && !desc && (size_t)len < size)
		snprintf(text + len, size - len, ":x=%#llx", (unsigned long long)event->extra);
}

/* Parse one specification of a list, @len characters at @text */
static int list_add(const struct kncpmu_pmu *pmu, const char *text, size_t len,
		    struct kncpmu_item *item, unsigned int group, struct kncpmu_error *err)
{
	if (len >= sizeof(item->name))
		return kncpmu_fail(err, -EINVAL,
				   "event '%.20s...': it is longer than %d characters",
				   text, KNCPMU_SPEC_LEN - 1);
	memset(item, 0, sizeof(*item));
	memcpy(item->name, text, len);
	item->group = group;
	return kncpmu_spec_parse(pmu, item->name, &item->event, err);
}

/* Take the brace before an event: { opens group @next */
static int list_open(const char **at, unsigned int *group, unsigned int next,
		     struct kncpmu_error *err)
{
	if (**at != '{')
		return 0;
	if (*group)
		return kncpmu_fail(err, -EINVAL,
				   "event list: '%s': a group inside a group; close the first "
				   "with '}'", *at);
	*group = next;
	(*at)++;
	return 0;
}

/* Apply ":MODIFIERS" after a group to its @members events, as perf does */
static int list_modify(const struct kncpmu_pmu *pmu, const char **at, struct kncpmu_item *items,
		       unsigned int members, struct kncpmu_error *err)
{
	size_t room, len = strcspn(*at, ",{}");
	unsigned int i;
	int ret = 0;

	for (i = 0; i < members && **at == ':' && !ret; i++) {
		room = sizeof(items[i].name) - strlen(items[i].name);
		if (len >= room)
			return kncpmu_fail(err, -EINVAL,
					   "event '%.20s...': it is longer than %d characters",
					   items[i].name, KNCPMU_SPEC_LEN - 1);
		strncat(items[i].name, *at, len);
		ret = kncpmu_spec_parse(pmu, items[i].name, &items[i].event, err);
	}
	if (**at == ':')
		*at += len;
	return ret;
}

/* After the last of the @members events take the } of the group, then a comma or the end */
static int list_close(const struct kncpmu_pmu *pmu, const char **at, struct kncpmu_item *items,
		      unsigned int *group, unsigned int members, struct kncpmu_error *err)
{
	unsigned int nr_counters = pmu->nr_counters;
	int ret;

	if (*group && members > nr_counters)
		return kncpmu_fail(err, -EINVAL,
				   "event list: a group has more than %u events, but a hardware thread has %u counters; leave out the braces to count the events in turns",
				   nr_counters, nr_counters);
	if (**at == '}') {
		if (!*group)
			return kncpmu_fail(err, -EINVAL,
					   "event list: '}' without '{': write a group as {A,B}");
		*group = 0;
		(*at)++;
		ret = list_modify(pmu, at, items, members, err);
		if (ret)
			return ret;
	}
	if (**at == ',') {
		(*at)++;
		return 0;
	}
	if (**at)
		return kncpmu_fail(err, -EINVAL,
				   "event list: '%c' where a comma or the end was expected",
				   **at);
	if (*group)
		return kncpmu_fail(err, -EINVAL,
				   "event list: '{' without '}': write a group as {A,B}");
	return 0;
}

int kncpmu_list_parse(const struct kncpmu_pmu *pmu, const char *text, struct kncpmu_item *items,
		      unsigned int *nr, unsigned int max, struct kncpmu_error *err)
{
	unsigned int group = 0, members = 0;
	const char *list = text;
	size_t len;
	int ret, more = 1;

	while (more) {
		if (!group)
			members = 0;
		ret = list_open(&text, &group, *nr + 1, err);
		if (ret)
			return ret;
		if (*nr == max)
			return kncpmu_fail(err, -E2BIG,
					   "event list: more than %u events; count the others "
					   "in another run", max);
		len = strcspn(text, ",{}");
		if (!len)
			return kncpmu_fail(err, -EINVAL,
					   "event list '%s': no name at character %u; knc-pmuctl list shows all",
					   list, (unsigned int)(text - list) + 1);
		ret = list_add(pmu, text, len, &items[*nr], group, err);
		if (ret)
			return ret;
		(*nr)++;
		members++;
		text += len;
		ret = list_close(pmu, &text, &items[*nr - members], &group, members, err);
		if (ret)
			return ret;
		more = text[-1] == ',';
	}
	return 0;
}
