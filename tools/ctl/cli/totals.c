// SPDX-License-Identifier: GPL-2.0
/* Reads the totals of stat --json line by line, because the file may come from anywhere */
#include <stdlib.h>
#include <string.h>

#include "cli/array.h"
#include "cli/memory.h"
#include "cli/totals.h"

void totals_open(struct totals *t, FILE *f)
{
	memset(t, 0, sizeof(*t));
	t->f = f;
}

void totals_close(struct totals *t)
{
	fclose(t->f);
	json_decref(t->begin);
	free(t->line);
}

/*
 * Read a line without its newline; returns its length; -1: end of file; MAX_TOTAL: it is too long
 */
static long read_line(struct totals *t)
{
	size_t size = 0;
	int c;

	while ((c = getc_unlocked(t->f)) != EOF && c != '\n') {
		if (size == MAX_TOTAL)
			return size;
		t->line = xgrow(t->line, size + 1, &t->room, 1);
		t->line[size++] = c;
	}
	if (c == EOF && !size)
		return -1;
	t->line = xgrow(t->line, size, &t->room, 1);
	t->line[size] = 0;
	t->number++;
	return size;
}

static enum totals_line damaged(struct totals *t, const char *why)
{
	snprintf(t->why, sizeof(t->why), "line %u: %s", t->number, why);
	return TOTALS_DAMAGED;
}

/* Take a line of our schema; @type names its kind. Intervals are skipped */
static void take_line(struct totals *t, json_t *value, const char *type, json_t **total)
{
	int begin = type && !strcmp(type, "begin");

	if (begin || (type && !strcmp(type, "total"))) {
		json_decref(t->begin);
		t->begin = begin ? json_incref(value) : NULL;
	}
	if (type && !strcmp(type, "total"))
		*total = json_incref(value);
}

/* Sort a line of JSON: a total, an interval (then @total is NULL), or something else */
static enum totals_line sort_line(struct totals *t, size_t size, json_t **total)
{
	json_t *value;
	const char *schema, *type;
	json_error_t error;

	value = load_json(t->line, size, 0, 0, &error);
	if (!value)
		return damaged(t, error.text);
	schema = json_string_value(json_object_get(value, "schema"));
	type = json_string_value(json_object_get(value, "type"));
	if (schema && !strcmp(schema, STAT_SCHEMA)) {
		take_line(t, value, type, total);
		json_decref(value);
		return TOTALS_TOTAL;
	}
	/* interned, because it must outlive the line */
	t->schema = schema ? intern_text(schema) : NULL;
	json_decref(value);
	if (!schema)
		return damaged(t, "it has no schema");
	return TOTALS_OTHER;
}

enum totals_line totals_next(struct totals *t, json_t **total)
{
	enum totals_line kind;
	long size;

	*total = NULL;
	while ((size = read_line(t)) >= 0) {
		if (size == MAX_TOTAL) {
			t->number++;
			return damaged(t, "it is longer than that of any total");
		}
		if (!size)
			continue;
		/* do not parse intervals: there may be thousands */
		if (strstr(t->line, "\"interval\"") && !strstr(t->line, "\"total\"") &&
		    !strstr(t->line, "\"begin\"")) {
			t->open = 1;
			continue;
		}
		kind = sort_line(t, size, total);
		if (kind != TOTALS_TOTAL)
			return kind;
		t->open = !*total;
		if (*total)
			return kind;
	}
	return TOTALS_END;
}

static const struct {
	unsigned int flag;
	const char *name;
} words[] = {
	{ KNC_PMU_THREAD_OFFLINE, "offline" },
	{ KNC_PMU_THREAD_GAP, "gap" },
	{ KNC_PMU_THREAD_ENDED, "ended" },
	{ KNC_PMU_THREAD_PARTIAL, "partial" },
	{ KNC_PMU_THREAD_EVICTED, "evicted" },
};

const char *totals_flag(unsigned int *flags)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (*flags & words[i].flag) {
			*flags &= ~words[i].flag;
			return words[i].name;
		}
	}
	return NULL;
}

json_t *totals_flags_json(unsigned int flags)
{
	json_t *array = json_array();
	const char *name;

	while ((name = totals_flag(&flags)))
		json_array_append_new(array, json_string(name));
	return array;
}

unsigned int totals_flags(const json_t *event)
{
	const json_t *names = json_object_get(event, "flags"), *name;
	unsigned int flags = 0, n;
	const char *text;
	size_t i;

	json_array_foreach(names, i, name) {
		text = json_string_value(name);
		for (n = 0; text && n < ARRAY_SIZE(words); n++)
			flags |= strcmp(text, words[n].name) ? 0 : words[n].flag;
	}
	return flags;
}
