// SPDX-License-Identifier: GPL-2.0
/* Names that are like a misspelt one */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "private.h"

#define NAME_MAX_LEN	64
#define MIN_PART	3	/* shorter parts of names say nothing */

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/* Insertions, deletions and replacements between two names, in one row */
static unsigned int edit_distance(const char *a, const char *b)
{
	unsigned int row[NAME_MAX_LEN + 1];
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
				      diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[len];
}

/* Smaller is nearer; UINT_MAX: not like it */
static unsigned int distance(const char *word, const char *name)
{
	unsigned int len = strlen(word);
	unsigned int d = edit_distance(word, name);

	if (d <= 1 + len / 4)
		return d;
	/* a part of the name: the less is missing the nearer, but behind typing errors */
	if (len >= MIN_PART && strstr(name, word))
		return NAME_MAX_LEN + strlen(name) - len;
	if (d <= 1 + len / 3)
		return 2 * NAME_MAX_LEN + d;
	return UINT_MAX;
}

unsigned int kncpmu_event_nearest(const char *name,
				  const struct kncpmu_event_desc **near,
				  unsigned int max)
{
	unsigned int dist[8], nr_events, nr = 0, i, j, d;
	const struct kncpmu_event_desc *table = kncpmu_events(&nr_events);
	char word[NAME_MAX_LEN];

	if (max > ARRAY_SIZE(dist))
		max = ARRAY_SIZE(dist);
	if (strlen(name) >= sizeof(word) || !max)
		return 0;
	for (i = 0; name[i]; i++)
		word[i] = toupper((unsigned char)name[i]);
	word[i] = '\0';

	for (i = 0; i < nr_events; i++) {
		d = distance(word, table[i].name);
		if (d == UINT_MAX || (nr == max && d >= dist[nr - 1]))
			continue;
		if (nr < max)
			nr++;
		for (j = nr - 1; j && dist[j - 1] > d; j--) {
			dist[j] = dist[j - 1];
			near[j] = near[j - 1];
		}
		dist[j] = d;
		near[j] = &table[i];
	}
	return nr;
}
