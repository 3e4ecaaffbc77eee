// SPDX-License-Identifier: GPL-2.0
/* "did you mean": names similar to a misspelt one */
#include <stdio.h>
#include <string.h>

#include "cli/suggest.h"

#define MAX_NEAR	3	/* more would be no help */

static char text[1024];

const char *suggest_prefixed(const struct kncpmu_near *near, const char *prefix)
{
	unsigned int i, nr = near->nr < MAX_NEAR ? near->nr : MAX_NEAR;
	size_t len = snprintf(text, sizeof(text), "did you mean ");

	if (!nr)
		return NULL;
	for (i = 0; i < nr && len < sizeof(text); i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s%s",
				!i ? "" : i + 1 < nr ? ", " : " or ", prefix, near->name[i]);
	if (len < sizeof(text))
		snprintf(text + len, sizeof(text) - len, "?");
	return text;
}

const char *suggest(const struct kncpmu_near *near, const char *otherwise)
{
	return suggest_prefixed(near, "") ? : otherwise;
}
