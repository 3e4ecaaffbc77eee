// SPDX-License-Identifier: GPL-2.0
/* JSON values: create, inspect, free */
#include <stdlib.h>
#include <string.h>

#include "json/value.h"

static json_t constants[] = {
	{ .type = JSON_FALSE },
	{ .type = JSON_TRUE },
	{ .type = JSON_NULL },
};

size_t json_utf8_len(const char *text, size_t size)
{
	const unsigned char *c = (const unsigned char *)text;
	unsigned int code;
	size_t len, i;

	if (!size)
		return 0;
	if (c[0] < 0x80)
		return 1;
	len = c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
	if (!len || len > size)
		return 0;
	code = c[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (c[i] & 0x3f);
	}
	/* invalid: not the shortest form, a surrogate, or beyond Unicode */
	if (code < (len == 3 ? 0x800U : len == 4 ? 0x10000U : 0x80U) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return len;
}

static int is_utf8(const char *text, size_t size)
{
	size_t len;

	for (; size; text += len, size -= len) {
		len = json_utf8_len(text, size);
		if (!len)
			return 0;
	}
	return 1;
}

static json_t *new_value(json_type type)
{
	json_t *value = calloc(1, sizeof(*value));

	if (value) {
		value->type = type;
		value->refs = 1;
	}
	return value;
}

json_t *json_object(void)
{
	return new_value(JSON_OBJECT);
}

json_t *json_array(void)
{
	return new_value(JSON_ARRAY);
}

json_t *json_stringn(const char *text, size_t size)
{
	json_t *value = is_utf8(text, size) ? new_value(JSON_STRING) : NULL;

	if (!value)
		return NULL;
	value->nr = size;
	value->text = strndup(text, size);
	if (value->text)
		return value;
	free(value);
	return NULL;
}

json_t *json_string(const char *text)
{
	return text ? json_stringn(text, strlen(text)) : NULL;
}

json_t *json_integer(json_int_t number)
{
	json_t *value = new_value(JSON_INTEGER);

	if (value)
		value->integer = number;
	return value;
}

json_t *json_real(double number)
{
	json_t *value;

	if (number - number != 0)
		return json_null();
	value = new_value(JSON_REAL);
	if (value)
		value->real = number;
	return value;
}

json_t *json_boolean(int value)
{
	return &constants[!!value];
}

json_t *json_null(void)
{
	return &constants[2];
}

json_t *json_incref(json_t *value)
{
	if (value && value->refs)
		value->refs++;
	return value;
}

void json_decref(json_t *value)
{
	size_t i;

	if (!value || !value->refs || --value->refs)
		return;
	for (i = 0; value->items && i < value->nr; i++) {
		json_decref(value->items[i]);
		if (value->keys)
			free(value->keys[i]);
	}
	free(value->items);
	free(value->keys);
	free(value->text);
	free(value);
}

/* Make room for one more element */
static int grow(json_t *value)
{
	size_t room = value->room ? 2 * value->room : 8;
	void *more;

	if (value->nr < value->room)
		return 0;
	more = realloc(value->items, room * sizeof(*value->items));
	if (!more)
		return -1;
	value->items = more;
	if (value->type == JSON_OBJECT) {
		more = realloc(value->keys, room * sizeof(*value->keys));
		if (!more)
			return -1;
		value->keys = more;
	}
	value->room = room;
	return 0;
}

int json_array_append_new(json_t *array, json_t *value)
{
	if (!value || !json_is_array(array) || grow(array)) {
		json_decref(value);
		return -1;
	}
	array->items[array->nr++] = value;
	return 0;
}

int json_object_set_new(json_t *object, const char *key, json_t *value)
{
	char *copy = value && json_is_object(object) && is_utf8(key, strlen(key)) ?
		     strdup(key) : NULL;

	if (!copy || grow(object)) {
		free(copy);
		json_decref(value);
		return -1;
	}
	object->keys[object->nr] = copy;
	object->items[object->nr++] = value;
	return 0;
}

/* Searches from the end, because the last of equal keys is valid */
json_t *json_object_get(const json_t *object, const char *key)
{
	size_t i = json_is_object(object) ? object->nr : 0;

	while (i--) {
		if (!strcmp(object->keys[i], key))
			return object->items[i];
	}
	return NULL;
}

json_t *json_object_at(const json_t *object, size_t index, const char **key)
{
	if (!json_is_object(object) || index >= object->nr)
		return NULL;
	*key = object->keys[index];
	return object->items[index];
}

json_t *json_array_get(const json_t *array, size_t index)
{
	return index < json_array_size(array) ? array->items[index] : NULL;
}

size_t json_array_size(const json_t *array)
{
	return json_is_array(array) ? array->nr : 0;
}

const char *json_string_value(const json_t *string)
{
	return json_is_string(string) ? string->text : NULL;
}

size_t json_string_length(const json_t *string)
{
	return json_is_string(string) ? string->nr : 0;
}

json_int_t json_integer_value(const json_t *integer)
{
	return json_is_integer(integer) ? integer->integer : 0;
}

double json_number_value(const json_t *number)
{
	if (json_is_real(number))
		return number->real;
	return json_integer_value(number);
}
