// SPDX-License-Identifier: GPL-2.0
/* Finds names similar to a misspelt one */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "private.h"
#include "names.h"

#define MAX_NAME	64	/* longer ones are not compared */
#define MIN_PART	3	/* shorter parts match too many names */

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/* Levenshtein distance of two names, ignoring case; keeps one row of the matrix */
static unsigned int edit_distance(const char *a, const char *b)
{
	unsigned int row[MAX_NAME + 1];
	unsigned int i, j, diagonal, above;
	unsigned int len = strlen(b);

	for (j = 0; j <= len; j++)
		row[j] = j;
	for (i = 1; a[i - 1]; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= len; j++) {
			above = row[j];
			row[j] = min3(above + 1, row[j - 1] + 1,
				      diagonal + (tolower((unsigned char)a[i - 1]) !=
						  tolower((unsigned char)b[j - 1])));
			diagonal = above;
		}
	}
	return row[len];
}

/* The rank of @name: smaller is more similar; UINT_MAX: not similar */
static unsigned int unlikeness(const struct kncpmu_near *near, const char *name)
{
	unsigned int distance, len = strlen(near->word);

	if (len > MAX_NAME || strlen(name) > MAX_NAME)
		return UINT_MAX;
	distance = edit_distance(near->word, name);
	if (distance <= 1 + len / 4)
		return distance;
	/* rank parts of a name after all typing errors; the longer the part the better */
	if (len >= MIN_PART && strcasestr(name, near->word))
		return MAX_NAME + distance;
	if (near->loose && distance <= 1 + len / 3)
		return 2 * MAX_NAME + distance;
	return UINT_MAX;
}

void kncpmu_near_add(struct kncpmu_near *near, const char *name)
{
	unsigned int i, rank = unlikeness(near, name);

	if (rank == UINT_MAX ||
	    (near->nr == KNCPMU_MAX_NEAR && rank >= near->rank[near->nr - 1]))
		return;
	if (near->nr < KNCPMU_MAX_NEAR)
		near->nr++;
	for (i = near->nr - 1; i && near->rank[i - 1] > rank; i--) {
		near->rank[i] = near->rank[i - 1];
		near->name[i] = near->name[i - 1];
	}
	near->rank[i] = rank;
	near->name[i] = name;
}

unsigned int kncpmu_event_nearest(const struct kncpmu_pmu *pmu, const char *name,
				  const struct kncpmu_event_desc **near, unsigned int max)
{
	struct kncpmu_near found = { .word = name, .loose = 1 };
	const struct kncpmu_event_desc *desc;
	const struct kncpmu_alias *aliases;
	unsigned int i, n, nr_aliases, nr = 0;

	for (i = 0; i < pmu->nr_events; i++)
		kncpmu_near_add(&found, pmu->events[i].name);
	aliases = kncpmu_aliases(pmu, &nr_aliases);
	for (i = 0; i < nr_aliases; i++)
		kncpmu_near_add(&found, aliases[i].name);
	for (i = 0; i < found.nr && nr < max; i++) {
		desc = kncpmu_event_named(pmu, found.name[i]);
		for (n = 0; n < nr && near[n] != desc; n++)
			;
		if (n == nr)
			near[nr++] = desc;
	}
	return nr;
}
