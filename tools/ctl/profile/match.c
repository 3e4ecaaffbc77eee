// SPDX-License-Identifier: GPL-2.0
/* Names of functions as people write them: without namespace, class, arguments */
#include <string.h>

#include "profile/match.h"

/* The index after the bracket that matches the one at @at */
static size_t after_bracket(const char *name, size_t at)
{
	char open = name[at], close = open == '<' ? '>' : ')';
	int depth = 0;

	for (; name[at]; at++) {
		depth += (name[at] == open) - (name[at] == close);
		if (!depth)
			return at + 1;
	}
	return at;
}

/* Find the last part of a name: it begins at *@start, ends at *@end, and before <...> at *@plain */
static void last_part(const char *name, size_t *start, size_t *plain, size_t *end)
{
	size_t i = 0;

	*start = 0;
	*plain = 0;
	*end = 0;
	while (name[i]) {
		if (!strncmp(name + i, "::", 2) || name[i] == ' ') {
			i += name[i] == ' ' ? 1 : 2;
			*start = i;
			*plain = 0;
		} else if (name[i] == '<') {
			*plain = i;
			i = after_bracket(name, i);
		} else if (name[i] == '(') {
			*end = i;
			i = after_bracket(name, i);
			if (strncmp(name + i, "::", 2))
				break;
			/* "(anonymous namespace)" is no argument list */
			*end = 0;
		} else {
			i++;
		}
	}
	if (!*end)
		*end = i;
	if (!*plain)
		*plain = *end;
}

static int is_part(const char *name, size_t start, size_t end, const char *word)
{
	size_t length = strlen(word);

	return end >= start && end - start == length && !strncmp(name + start, word, length);
}

const char *unqualified(const char *name, size_t *length)
{
	size_t start, plain, end;

	last_part(name, &start, &plain, &end);
	if (plain <= start) {
		start = 0;
		plain = strlen(name);
	}
	*length = plain - start;
	return name + start;
}

enum match match_name(const char *name, const char *word)
{
	size_t start, plain, end, length = strlen(word);

	if (!strncmp(name, word, length) && (!name[length] || name[length] == '('))
		return MATCH_WHOLE;
	last_part(name, &start, &plain, &end);
	if (is_part(name, start, end, word) || is_part(name, start, plain, word))
		return MATCH_UNQUALIFIED;
	return strstr(name, word) ? MATCH_PART : MATCH_NONE;
}
