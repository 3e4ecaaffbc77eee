// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of source files, with as much of each path as makes it unique
 *
 * Two files of one name, such as a/step.c and b/step.c, must not share a row. Which files there are
 * is known only after all samples have been read.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "profile/srclines.h"

static struct same_name *find_name(const struct srclines *s, const char *name)
{
	struct same_name *found;

	HASH_FIND_PTR(s->names, &name, found);
	return found;
}

static void add_path(struct srclines *s, const char *path)
{
	const char *name = intern_text(base_name(path));
	struct same_name *n = find_name(s, name);
	size_t i;

	if (!n) {
		n = xalloc(1, sizeof(*n));
		n->name = name;
		HASH_ADD_PTR(s->names, name, n);
	}
	for (i = 0; i < n->nr; i++) {
		if (n->paths[i] == path)
			return;
	}
	n->paths = xgrow(n->paths, n->nr, &n->room, sizeof(*n->paths));
	n->paths[n->nr++] = path;
	n->parts = 0;
}

const struct srcline *srclines_get(struct srclines *s, const char *path, int line, const char *text)
{
	struct srcline key, *found;

	memset(&key, 0, sizeof(key));
	key.key.path = path ? : text;
	key.key.line = path ? line : 0;
	HASH_FIND(hh, s->lines, &key.key, sizeof(key.key), found);
	if (found)
		return found;
	if (path)
		add_path(s, path);
	found = xalloc(1, sizeof(*found));
	*found = key;
	found->text = path ? NULL : text;
	HASH_ADD(hh, s->lines, key, sizeof(found->key), found);
	return found;
}

/* The last @parts parts of a path */
static const char *last_parts(const char *path, unsigned int parts)
{
	const char *at = path + strlen(path);

	while (at > path && (at[-1] != '/' || --parts))
		at--;
	return at;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char * const *)a, *(const char * const *)b);
}

/* Are the last @parts parts of all paths different? */
static int are_different(const struct same_name *n, unsigned int parts)
{
	const char **ends = xalloc(n->nr, sizeof(*ends));
	size_t i;

	for (i = 0; i < n->nr; i++)
		ends[i] = last_parts(n->paths[i], parts);
	qsort(ends, n->nr, sizeof(*ends), compare_texts);
	for (i = 1; i < n->nr && strcmp(ends[i - 1], ends[i]); i++)
		;
	free(ends);
	return i >= n->nr;
}

/* Find the number of parts. The loop ends, because the whole paths differ */
static unsigned int parts_of(struct same_name *n)
{
	if (!n->parts) {
		for (n->parts = 1; !are_different(n, n->parts);)
			n->parts++;
	}
	return n->parts;
}

const char *srclines_text(const struct srclines *s, const struct srcline *line)
{
	struct same_name *n;

	if (line->text)
		return line->text;
	n = find_name(s, intern_text(base_name(line->key.path)));
	return intern_format("%s:%llu", last_parts(line->key.path, parts_of(n)), line->key.line);
}

void srclines_agree(struct srclines *a, struct srclines *b)
{
	struct same_name *n, *other;

	for (n = a->names; n; n = n->hh.next) {
		other = find_name(b, n->name);
		if (!other)
			continue;
		if (parts_of(n) < parts_of(other))
			n->parts = other->parts;
		other->parts = n->parts;
	}
}

void srclines_free(struct srclines *s)
{
	struct same_name *n;

	for (n = s->names; n; n = n->hh.next)
		free(n->paths);
	free_entries(s->names);
	free_entries(s->lines);
}
