// SPDX-License-Identifier: GPL-2.0
/* Each string once, and fit to be shown */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

struct string {
	UT_hash_handle hh;
	char text[];
};

static struct string *strings;

void __noreturn out_of_memory(void)
{
	exit(complain("out of memory"));
}

void *must_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? : 1, size);

	if (!p)
		out_of_memory();
	return p;
}

void *must_grow(void *array, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 16;
	array = reallocarray(array, *room, size);
	if (!array)
		out_of_memory();
	return array;
}

const char *intern(const char *text, size_t size)
{
	size_t len = kncpmu_clean(text, size, NULL, 0);
	struct string *s, *found;

	s = must_alloc(1, sizeof(*s) + len + 1);
	kncpmu_clean(text, size, s->text, len + 1);
	HASH_FIND(hh, strings, s->text, len, found);
	if (found) {
		free(s);
		return found->text;
	}
	HASH_ADD_KEYPTR(hh, strings, s->text, len, s);
	return s->text;
}

const char *intern_text(const char *text)
{
	return intern(text, strlen(text));
}

const char *intern_format(const char *fmt, ...)
{
	const char *text;
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		out_of_memory();
	va_end(ap);
	text = intern_text(s);
	free(s);
	return text;
}

void intern_free(void)
{
	free_entries(strings);
}

unsigned int text_width(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

size_t text_prefix(const char *text, size_t n)
{
	size_t i;

	for (i = 0; text[i]; i++) {
		if ((text[i] & 0xc0) != 0x80 && !n--)
			break;
	}
	return i;
}

json_t *text_json(const char *text)
{
	return json_string(intern_text(text));
}

static json_t *clean_text(const char *text, int blanks)
{
	char *copy = strdup(text), *c;
	json_t *value;

	if (!copy)
		out_of_memory();
	for (c = copy; *c && blanks; c++) {
		if (strchr("\t\n\r", *c))
			*c = ' ';
	}
	value = text_json(copy);
	free(copy);
	return value;
}

static json_t *clean_json(json_t *value, int blanks)
{
	json_t *copy, *item;
	const char *key;
	size_t i;

	switch (json_typeof(value)) {
	case JSON_STRING:
		return clean_text(json_string_value(value), blanks);
	case JSON_ARRAY:
		copy = json_array();
		json_array_foreach(value, i, item)
			json_array_append_new(copy, clean_json(item, blanks));
		return copy;
	case JSON_OBJECT:
		copy = json_object();
		json_object_foreach(value, key, item)
			json_object_set_new(copy, intern_text(key), clean_json(item, blanks));
		return copy;
	default:
		return json_incref(value);
	}
}

json_t *load_json(const char *text, size_t size, size_t flags, int blanks, json_error_t *err)
{
	json_t *value = json_loadb(text, size, flags, err), *clean;

	if (!value)
		return NULL;
	clean = clean_json(value, blanks);
	json_decref(value);
	return clean;
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void print_xml(FILE *f, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fputc(*text, f);
		}
	}
}
