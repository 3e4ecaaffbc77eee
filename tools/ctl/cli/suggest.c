// SPDX-License-Identifier: GPL-2.0
/* "did you mean": names similar to a misspelt one */
#include <stdio.h>
#include <string.h>

#include "cli/suggest.h"

#define MAX_NEAR	3	/* more are no help */

static char text[1024];

static const char *make_text(const struct kncpmu_near *near, const char *prefix)
{
	unsigned int i, nr = near->nr < MAX_NEAR ? near->nr : MAX_NEAR;
	size_t len = snprintf(text, sizeof(text), "did you mean ");

	for (i = 0; i < nr && len < sizeof(text); i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s%s",
				!i ? "" : i + 1 < nr ? ", " : " or ", prefix, near->name[i]);
	if (len < sizeof(text))
		snprintf(text + len, sizeof(text) - len, "?");
	return text;
}

const char *suggest(const struct kncpmu_near *near, const char *otherwise)
{
	return near->nr ? make_text(near, "") : otherwise;
}

const char *suggest_option(const char *name, const struct option *longs)
{
	struct kncpmu_near near = { .word = name };
	const struct option *o;

	for (o = longs; o->name; o++)
		kncpmu_near_add(&near, o->name);
	return near.nr ? make_text(&near, "--") : NULL;
}
