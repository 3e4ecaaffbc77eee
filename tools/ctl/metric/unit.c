// SPDX-License-Identifier: GPL-2.0
/*
 * Units of metrics: their dimensions, and their values in base units
 *
 * Different words for events ("instruction", "miss") are the same unit: they only make
 * outputs readable.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <names.h>

#include "cli/array.h"
#include "metric/unit.h"

#define NO_BASE	NR_BASES	/* a dimensionless number */
#define MAX_POWER	4	/* of a base in a unit */

static const struct unit_word {
	const char *name;
	enum metric_base base;
	double scale;
} words[] = {
	{ "1", NO_BASE, 1 },
	{ "ratio", NO_BASE, 1 },
	{ "%", NO_BASE, 0.01 },
	{ "core", NO_BASE, 1 },
	{ "cores", NO_BASE, 1 },
	{ "thread", NO_BASE, 1 },
	{ "threads", NO_BASE, 1 },
	{ "event", BASE_EVENT, 1 },
	{ "events", BASE_EVENT, 1 },
	{ "access", BASE_EVENT, 1 },
	{ "accesses", BASE_EVENT, 1 },
	{ "branch", BASE_EVENT, 1 },
	{ "branches", BASE_EVENT, 1 },
	{ "element", BASE_EVENT, 1 },
	{ "elements", BASE_EVENT, 1 },
	{ "instruction", BASE_EVENT, 1 },
	{ "instructions", BASE_EVENT, 1 },
	{ "line", BASE_EVENT, 1 },
	{ "lines", BASE_EVENT, 1 },
	{ "miss", BASE_EVENT, 1 },
	{ "misses", BASE_EVENT, 1 },
	{ "stall", BASE_EVENT, 1 },
	{ "stalls", BASE_EVENT, 1 },
	{ "cycle", BASE_CYCLE, 1 },
	{ "cycles", BASE_CYCLE, 1 },
	{ "byte", BASE_BYTE, 1 },
	{ "bytes", BASE_BYTE, 1 },
	{ "B", BASE_BYTE, 1 },
	{ "kB", BASE_BYTE, 1e3 },
	{ "MB", BASE_BYTE, 1e6 },
	{ "GB", BASE_BYTE, 1e9 },
	{ "second", BASE_SECOND, 1 },
	{ "seconds", BASE_SECOND, 1 },
	{ "s", BASE_SECOND, 1 },
	{ "ms", BASE_SECOND, 0.001 },
	{ "us", BASE_SECOND, 0.000001 },
	{ "ns", BASE_SECOND, 0.000000001 },
};

static const char * const base_names[NR_BASES] = {
	[BASE_EVENT] = "event",
	[BASE_CYCLE] = "cycle",
	[BASE_BYTE] = "byte",
	[BASE_SECOND] = "second",
};

static const struct unit_word *find_word(const char *text, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].name) == len && !strncmp(words[i].name, text, len))
			return &words[i];
	}
	return NULL;
}

static int fail(struct kncpmu_error *err, const char *text, size_t len)
{
	snprintf(err->text, sizeof(err->text),
		 "'%.*s' is no unit: there are %%, ratio, event, cycle, byte (kB, MB, GB) and second, with * and /",
		 (int)len, text);
	return -EINVAL;
}

static int take_power(struct metric_unit *unit, enum metric_base base, int power)
{
	unit->dim.exp[base] += power;
	return unit->dim.exp[base] <= MAX_POWER && unit->dim.exp[base] >= -MAX_POWER;
}

int metric_unit_parse(const char *text, size_t len, struct metric_unit *unit,
		      struct kncpmu_error *err)
{
	const struct unit_word *word;
	size_t at = 0, n;
	int power = 1;

	memset(unit, 0, sizeof(*unit));
	unit->scale = 1;
	while (1) {
		for (n = 0; at + n < len && !strchr("*/", text[at + n]); n++)
			;
		word = find_word(text + at, n);
		if (!word)
			return fail(err, text, len);
		if (word->base != NO_BASE && !take_power(unit, word->base, power))
			return fail(err, text, len);
		unit->scale *= power > 0 ? word->scale : 1 / word->scale;
		at += n;
		if (at == len)
			return 0;
		/* a/b/c and a/b*c: from left to right */
		power = text[at++] == '/' ? -1 : 1;
	}
}

/* Write one side of the fraction; returns the number of characters */
static size_t format_side(const struct metric_dim *dim, int sign, char *text,
			  size_t size)
{
	unsigned int base;
	size_t len = 0;
	int n;

	text[0] = '\0';
	for (base = 0; base < NR_BASES; base++) {
		for (n = dim->exp[base] * sign; n > 0 && len < size; n--)
			len += snprintf(text + len, size - len, "%s%s",
					!len ? "" : sign > 0 ? "*" : "/",
					base_names[base]);
	}
	return len;
}

void metric_dim_format(const struct metric_dim *dim, char *text, size_t size)
{
	char above[64], below[64];

	if (!format_side(dim, 1, above, sizeof(above)))
		strcpy(above, "1");
	if (format_side(dim, -1, below, sizeof(below)))
		snprintf(text, size, "%s/%s", above, below);
	else
		snprintf(text, size, "%s", strcmp(above, "1") ? above : "ratio");
}

int metric_dim_equal(const struct metric_dim *a, const struct metric_dim *b)
{
	return !memcmp(a->exp, b->exp, sizeof(a->exp));
}

void metric_dim_multiply(struct metric_dim *a, const struct metric_dim *b, int power)
{
	unsigned int base;

	for (base = 0; base < NR_BASES; base++)
		a->exp[base] += power * b->exp[base];
}

void metric_dim_of_event(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event,
			 struct metric_dim *dim)
{
	memset(dim, 0, sizeof(*dim));
	dim->exp[kncpmu_event_cycles(pmu, event) ? BASE_CYCLE : BASE_EVENT] = 1;
}
