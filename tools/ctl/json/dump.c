// SPDX-License-Identifier: GPL-2.0
/* Writing JSON */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/text.h"

static void put_text(FILE *f, const char *text)
{
	static const char short_form[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *found;

	fputc('"', f);
	for (; *text; text++) {
		found = strchr(short_form, *text);
		if (found)
			fprintf(f, "\\%c", letters[found - short_form]);
		else if ((unsigned char)*text < ' ')
			fprintf(f, "\\u%04X", *text);
		else
			fputc(*text, f);
	}
	fputc('"', f);
}

/* Print a point or an exponent, so that the number stays real; never the locale's comma */
static void put_real(FILE *f, double value, size_t flags)
{
	int digits = flags >> 11 & 0x1f;
	char text[64], *point;

	snprintf(text, sizeof(text), "%.*g", digits ? digits : 17, value);
	point = strpbrk(text, ",");
	if (point)
		*point = '.';
	fprintf(f, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void new_line(FILE *f, size_t flags, int depth)
{
	int width = flags & 0x1f;

	if (width)
		fprintf(f, "\n%*s", width * depth, "");
}

static void put_value(FILE *f, const json_t *value, size_t flags, int depth);

static void put_items(FILE *f, const json_t *value, size_t flags, int depth)
{
	size_t i;

	for (i = 0; i < value->nr; i++) {
		if (i)
			fputs(flags & (JSON_INDENT(31) | JSON_COMPACT) ? "," : ", ", f);
		new_line(f, flags, depth + 1);
		if (value->type == JSON_OBJECT) {
			put_text(f, value->keys[i]);
			fputs(flags & JSON_COMPACT ? ":" : ": ", f);
		}
		put_value(f, value->items[i], flags, depth + 1);
	}
	if (value->nr)
		new_line(f, flags, depth);
}

static void put_value(FILE *f, const json_t *value, size_t flags, int depth)
{
	static const char * const words[] = {
		[JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null",
	};

	switch (value->type) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		fputc(value->type == JSON_OBJECT ? '{' : '[', f);
		put_items(f, value, flags, depth);
		fputc(value->type == JSON_OBJECT ? '}' : ']', f);
		break;
	case JSON_STRING:
		put_text(f, value->text);
		break;
	case JSON_INTEGER:
		fprintf(f, "%lld", value->integer);
		break;
	case JSON_REAL:
		put_real(f, value->real, flags);
		break;
	default:
		fputs(words[value->type], f);
	}
}

int json_dumpf(const json_t *value, FILE *f, size_t flags)
{
	put_value(f, value, flags, 0);
	return ferror(f) ? -1 : 0;
}

char *json_dumps(const json_t *value, size_t flags)
{
	size_t size;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);
	int failed;

	if (!f)
		return NULL;
	failed = json_dumpf(value, f, flags);
	if (!fclose(f) && !failed)
		return text;
	free(text);
	return NULL;
}
