// SPDX-License-Identifier: GPL-2.0
/* Reading and writing JSON whose texts are clean */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <names.h>

#include "cli/json.h"
#include "cli/memory.h"
#include "json/text.h"

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
		json_object_foreach(value, i, key, item)
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

const char *member_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key)) ? : "";
}

void put_json_text(FILE *f, const char *text)
{
	json_t *string = text_json(text);

	json_dumpf(string, f, 0);
	json_decref(string);
}

int print_json(FILE *f, json_t *value, size_t flags)
{
	int ret;

	if (!value)
		return complain("out of memory");
	ret = json_dumpf(value, f, flags | JSON_REAL_PRECISION(12));
	json_decref(value);
	if (ret)
		return complain("can't write JSON: no space left, or the output was closed");
	fputc('\n', f);
	return 0;
}

json_t *sources_json(unsigned int sources)
{
	json_t *array = json_array();
	unsigned int bit;

	for (bit = 0; kncpmu_source_name(bit); bit++) {
		if (sources & 1U << bit)
			json_array_append_new(array, json_string(kncpmu_source_name(bit)));
	}
	return array;
}
