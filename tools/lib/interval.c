// SPDX-License-Identifier: GPL-2.0
/*
 * How often an event is sampled: a period, a frequency or the name of a period
 *
 * The named periods are primes: with a period that divides the number of events of
 * a loop's iteration, all samples would be at the same place of the loop.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interval-name.h"
#include "names.h"

/* Columns: on, hi, lo (enum kncpmu_interval) */
static const __u64 periods[][KNCPMU_NR_INTERVALS] = {
	[KNCPMU_RATE_ELEMENTS] = { 10000019, 1000003, 100000007 },
	[KNCPMU_RATE_CYCLES] = { 1000003, 100003, 10000019 },
	[KNCPMU_RATE_FREQUENT] = { 1000003, 100003, 10000019 },
	[KNCPMU_RATE_COMMON] = { 100003, 10007, 1000003 },
	[KNCPMU_RATE_RARE] = { 10007, 1009, 100003 },
};

/*
 * Limits in samples a second. The periods give half as many - about 1000, 10000 and 100 - in a
 * thread at 1 GHz that does little else than the event.
 */
static const __u32 limits[KNCPMU_NR_INTERVALS] = { 2000, 20000, 200 };

/* Set the event's period and limit by a name; returns 0 if there is no such name */
static int take_name(const struct kncpmu_pmu *pmu, const char *text, struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_of(pmu, event);
	int column = kncpmu_interval_name(text, strlen(text));

	if (column < 0)
		return 0;
	event->sample_period =
		KNC_PMU_LIMITED(periods[desc ? desc->rate : KNCPMU_RATE_COMMON][column],
				limits[column]);
	event->flags |= KNC_PMU_EVENT_SAMPLE | KNC_PMU_EVENT_LIMIT;
	return 1;
}

static int parse_number(const char *text, __u64 *number, const char **end,
			struct kncpmu_error *err)
{
	char *stop;

	if (*text < '0' || *text > '9')
		return kncpmu_fail(err, -EINVAL,
				   "interval '%s': neither a number of events, nor N/s (samples a second), nor on, hi or lo",
				   text);
	errno = 0;
	*number = strtoull(text, &stop, 10);
	if (errno)
		*number = ~0ULL;
	*end = stop;
	return 0;
}

int kncpmu_interval_parse(const struct kncpmu_pmu *pmu, const char *text,
			  struct knc_pmu_event *event, struct kncpmu_error *err)
{
	__u32 flags = KNC_PMU_EVENT_SAMPLE;
	const char *end = "";
	__u64 number = 0;
	int ret;

	if (take_name(pmu, text, event))
		return 0;
	ret = parse_number(text, &number, &end, err);
	if (ret)
		return ret;
	if (!strcmp(end, "/s"))
		flags |= KNC_PMU_EVENT_FREQ;
	else if (*end)
		return kncpmu_fail(err, -EINVAL,
				   "interval '%s': '%s' after the number; a frequency is N/s, as in 1000/s",
				   text, end);
	if (flags & KNC_PMU_EVENT_FREQ && (!number || number > KNC_PMU_MAX_FREQ))
		return kncpmu_fail(err, -ERANGE,
				   "interval '%s': a frequency is 1/s to %d/s", text,
				   KNC_PMU_MAX_FREQ);
	if (!number || number > KNC_PMU_MAX_PERIOD)
		return kncpmu_fail(err, -ERANGE,
				   "interval '%s': a period is 1 to %llu events (2^39)",
				   text, KNC_PMU_MAX_PERIOD);
	event->flags |= flags;
	event->sample_period = number;
	return 0;
}

/* An interval in a word of its own, after its event, as in Solaris Studio's collect: cycles,hi */
static int parse_own_word(const struct kncpmu_pmu *pmu, const char *text, size_t len,
			  struct knc_pmu_event *event, struct kncpmu_error *err)
{
	char word[KNCPMU_SPEC_LEN];

	if (event->flags & KNC_PMU_EVENT_SAMPLE)
		return kncpmu_fail(err, -EINVAL,
				   "interval '%.*s': the event before it has one: leave one of them out",
				   (int)len, text);
	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	return kncpmu_interval_parse(pmu, word, event, err);
}

/* Cut perf's term ":period=INTERVAL" out of @spec; returns the interval, or NULL */
static char *cut_period(char *spec, char *interval)
{
	static const char word[] = ":period=";
	char *at = strstr(spec, word);
	size_t len;

	if (!at)
		return NULL;
	len = strcspn(at + strlen(word), ":");
	memcpy(interval, at + strlen(word), len);
	interval[len] = '\0';
	memmove(at, at + strlen(word) + len, strlen(at + strlen(word) + len) + 1);
	return interval;
}

/* Parse EVENT[@INTERVAL] or EVENT:period=INTERVAL, @len characters at @text */
static int parse_sample(const struct kncpmu_pmu *pmu, const char *text, size_t len,
			struct kncpmu_item *item, struct kncpmu_error *err)
{
	char *interval, *period, word[KNCPMU_SPEC_LEN];
	int ret;

	if (len >= sizeof(item->name))
		return kncpmu_fail(err, -EINVAL,
				   "event '%.20s...': it is longer than %d characters", text,
				   KNCPMU_SPEC_LEN - 1);
	memset(item, 0, sizeof(*item));
	memcpy(item->name, text, len);
	interval = strchr(item->name, '@');
	if (interval)
		*interval++ = '\0';
	period = cut_period(item->name, word);
	ret = kncpmu_spec_parse(pmu, item->name, &item->event, err);
	if (!ret && interval)
		ret = kncpmu_interval_parse(pmu, interval, &item->event, err);
	if (ret || !period)
		return ret;
	return parse_own_word(pmu, period, strlen(period), &item->event, err);
}

int kncpmu_samples_parse(const struct kncpmu_pmu *pmu, const char *text,
			 struct kncpmu_item *items, unsigned int *nr, unsigned int max,
			 struct kncpmu_error *err)
{
	size_t len;
	int ret;

	while (1) {
		len = strcspn(text, ",");
		if (*nr && kncpmu_is_interval(text, len)) {
			ret = parse_own_word(pmu, text, len, &items[*nr - 1].event, err);
		} else if (*nr == max) {
			return kncpmu_fail(err, -E2BIG,
					   "event list: more than %u events can't be sampled at the same time; record the others in another run",
					   max);
		} else {
			ret = parse_sample(pmu, text, len, &items[*nr], err);
			*nr += !ret;
		}
		if (ret)
			return ret;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}
