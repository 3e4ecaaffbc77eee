// SPDX-License-Identifier: GPL-2.0
/* A JSON value from a format, see json_pack() */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json/value.h"

/* The unread part of json_pack()'s format, and its arguments */
struct format {
	const char *next;
	va_list args;
};

static json_t *pack_value(struct format *f);

/* The format's next character that is not a separator */
static char next(struct format *f)
{
	f->next += strspn(f->next, " ,:");
	return *f->next ? *f->next++ : 0;
}

/* If @c follows immediately, consume it and return 1 */
static int followed_by(struct format *f, char c)
{
	if (*f->next != c)
		return 0;
	f->next++;
	return 1;
}

static json_t *pack_text(struct format *f)
{
	const char *text = va_arg(f->args, const char *), *more;
	json_t *value;
	char *both;

	if (followed_by(f, '?') && !text)
		return json_null();
	if (!followed_by(f, '+'))
		return json_string(text);
	more = va_arg(f->args, const char *);
	both = malloc(strlen(text) + strlen(more) + 1);
	if (!both)
		return NULL;
	value = json_string(strcat(strcpy(both, text), more));
	free(both);
	return value;
}

/* Read all arguments even after a failure, because values among them must be freed */
static json_t *pack_items(struct format *f, json_t *items, char end)
{
	const char *key = NULL;
	int failed = !items;
	json_t *value;

	for (;;) {
		f->next += strspn(f->next, " ,:");
		if (!*f->next || followed_by(f, end))
			break;
		if (end == '}' && next(f))
			key = va_arg(f->args, const char *);
		value = pack_value(f);
		failed |= end == '}' ? json_object_set_new(items, key, value) :
			  json_array_append_new(items, value);
	}
	if (!failed)
		return items;
	json_decref(items);
	return NULL;
}

static json_t *pack_value(struct format *f)
{
	switch (next(f)) {
	case '{':
		return pack_items(f, json_object(), '}');
	case '[':
		return pack_items(f, json_array(), ']');
	case 's':
		return pack_text(f);
	case 'i':
		return json_integer(va_arg(f->args, int));
	case 'I':
		return json_integer(va_arg(f->args, json_int_t));
	case 'f':
		return json_real(va_arg(f->args, double));
	case 'b':
		return json_boolean(va_arg(f->args, int));
	case 'o':
		return va_arg(f->args, json_t *);
	}
	return NULL;
}

json_t *json_pack(const char *format, ...)
{
	struct format f = { .next = format };
	json_t *value;

	va_start(f.args, format);
	value = pack_value(&f);
	va_end(f.args);
	return value;
}
