// SPDX-License-Identifier: GPL-2.0
/* Reads JSON (RFC 8259). The text may come from an untrusted source. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "json/text.h"

/* Deeper texts are refused, because the parser is recursive */
#define MAX_DEPTH	256
#define MAX_NUMBER	512

/**
 * struct text - a text while it is parsed
 * @at: the next byte
 * @end: end of the text
 * @line: beginning of the present line
 * @nr_lines: number of lines before @line
 * @flags: flags of json_loadb()
 * @depth: number of arrays and objects around @at
 * @error: why the text is no JSON; NULL: the caller does not ask
 * @failed: parsing failed: the first reason is in @error
 */
struct text {
	const char *at;
	const char *end;
	const char *line;
	int nr_lines;
	size_t flags;
	int depth;
	json_error_t *error;
	int failed;
};

static json_t *load_value(struct text *t);

static json_t *fail(struct text *t, const char *why)
{
	if (t->error && !t->failed) {
		t->error->line = t->nr_lines + 1;
		t->error->column = t->at - t->line + 1;
		snprintf(t->error->text, sizeof(t->error->text), "%s", why);
	}
	t->failed = 1;
	return NULL;
}

/* Skip blanks and return the next byte without consuming it; 0: the end */
static char peek(struct text *t)
{
	for (; t->at < t->end && memchr(" \t\n\r", *t->at, 4); t->at++) {
		if (*t->at == '\n') {
			t->nr_lines++;
			t->line = t->at + 1;
		}
	}
	return t->at < t->end ? *t->at : 0;
}

/* Consume the next byte if it is @c; returns 0 if it is not */
static int take(struct text *t, char c)
{
	if (!c || peek(t) != c)
		return 0;
	t->at++;
	return 1;
}

static json_t *load_word(struct text *t, const char *word, json_t *value)
{
	size_t len = strlen(word);

	if ((size_t)(t->end - t->at) < len || memcmp(t->at, word, len))
		return fail(t, "a value was expected");
	t->at += len;
	return value;
}

static int skip_digits(struct text *t)
{
	const char *from = t->at;

	while (t->at < t->end && *t->at >= '0' && *t->at <= '9')
		t->at++;
	return t->at > from;
}

/* Skip a number; returns 1 if it is real, 0 if it is an integer, -1 if it is no number */
static int skip_number(struct text *t)
{
	int real = 0;

	if (*t->at == '-')
		t->at++;
	if (t->at < t->end && *t->at == '0')
		t->at++;
	else if (!skip_digits(t))
		return -1;
	if (t->at < t->end && *t->at == '.') {
		real = 1;
		t->at++;
		if (!skip_digits(t))
			return -1;
	}
	if (t->at < t->end && (*t->at == 'e' || *t->at == 'E')) {
		real = 1;
		t->at++;
		if (t->at < t->end && (*t->at == '+' || *t->at == '-'))
			t->at++;
		if (!skip_digits(t))
			return -1;
	}
	return real;
}

/* strtod() with a decimal point in any locale */
static double to_real(const char *text)
{
	static locale_t c_locale;

	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", NULL);
	return c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
}

static json_t *load_number(struct text *t)
{
	const char *from = t->at;
	int real = skip_number(t);
	char number[MAX_NUMBER];
	json_t *value;
	double big;

	if (real < 0)
		return fail(t, "a number ends without a digit");
	if (t->at - from >= MAX_NUMBER)
		return fail(t, "a number is too long");
	memcpy(number, from, t->at - from);
	number[t->at - from] = 0;
	errno = 0;
	if (!real) {
		value = json_integer(strtoll(number, NULL, 10));
		if (!errno)
			return value;
		json_decref(value);
		return fail(t, "an integer is too large");
	}
	big = to_real(number);
	if (big - big != 0)
		return fail(t, "a number is too large");
	value = json_real(big);
	return value ? value : fail(t, "out of memory");
}

static int hex4(struct text *t)
{
	int i, code = 0;

	for (i = 0; i < 4; i++, t->at++) {
		if (t->at >= t->end)
			return -1;
		if (*t->at >= '0' && *t->at <= '9')
			code = code << 4 | (*t->at - '0');
		else if ((*t->at | 0x20) >= 'a' && (*t->at | 0x20) <= 'f')
			code = code << 4 | ((*t->at | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return code;
}

/* Parse \uXXXX after the u, or a surrogate pair of two; -1: invalid */
static long load_code(struct text *t)
{
	long high = hex4(t), low;

	/* refuse 0, which would end the string */
	if (high <= 0 || (high >= 0xdc00 && high < 0xe000))
		return -1;
	if (high < 0xd800 || high >= 0xe000)
		return high;
	if (t->end - t->at < 2 || t->at[0] != '\\' || t->at[1] != 'u')
		return -1;
	t->at += 2;
	low = hex4(t);
	if (low < 0xdc00 || low >= 0xe000)
		return -1;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static char *put_utf8(char *to, long code)
{
	if (code < 0x80) {
		*to++ = code;
		return to;
	}
	if (code < 0x800) {
		*to++ = 0xc0 | code >> 6;
	} else {
		if (code < 0x10000) {
			*to++ = 0xe0 | code >> 12;
		} else {
			*to++ = 0xf0 | code >> 18;
			*to++ = 0x80 | (code >> 12 & 0x3f);
		}
		*to++ = 0x80 | (code >> 6 & 0x3f);
	}
	*to++ = 0x80 | (code & 0x3f);
	return to;
}

/*
 * Decode an escape whose backslash was read, and write its character to @to; NULL: invalid escape
 */
static char *load_escape(struct text *t, char *to)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *found;
	long code;

	if (t->at >= t->end)
		return NULL;
	found = memchr(letters, *t->at, sizeof(letters) - 1);
	if (found) {
		*to = meanings[found - letters];
		t->at++;
		return to + 1;
	}
	if (*t->at++ != 'u')
		return NULL;
	code = load_code(t);
	return code < 0 ? NULL : put_utf8(to, code);
}

/* Parse a string after its first quote into malloc()ed memory; decoding never makes it longer */
static char *load_text(struct text *t, size_t *size)
{
	const char *end = t->at;
	char *text, *to;
	size_t len;

	while (end < t->end && *end != '"')
		end += *end == '\\' && end + 1 < t->end ? 2 : 1;
	text = malloc(end - t->at + 1);
	to = text;
	while (text && t->at < t->end && *t->at != '"') {
		if ((unsigned char)*t->at < ' ')
			break;
		if (*t->at == '\\') {
			t->at++;
			to = load_escape(t, to);
			if (!to)
				break;
			continue;
		}
		len = json_utf8_len(t->at, t->end - t->at);
		if (!len)
			break;
		memcpy(to, t->at, len);
		to += len;
		t->at += len;
	}
	if (!text || !to || t->at >= t->end || *t->at != '"') {
		free(text);
		fail(t, t->at >= t->end ? "a string has no end" :
		     "a string has a byte that JSON does not allow there");
		return NULL;
	}
	t->at++;
	*to = 0;
	*size = to - text;
	return text;
}

static json_t *load_string(struct text *t)
{
	json_t *value;
	size_t size;
	char *text;

	t->at++;
	text = load_text(t, &size);
	if (!text)
		return NULL;
	value = json_stringn(text, size);
	free(text);
	return value ? value : fail(t, "out of memory");
}

static json_t *load_array(struct text *t)
{
	json_t *array = json_array();

	t->at++;
	if (take(t, ']'))
		return array;
	do {
		if (json_array_append_new(array, load_value(t))) {
			json_decref(array);
			return fail(t, "out of memory");
		}
	} while (take(t, ','));
	if (take(t, ']'))
		return array;
	json_decref(array);
	return fail(t, "',' or ']' was expected");
}

/* A key, its colon, its value; -1: failed */
static int load_member(struct text *t, json_t *object)
{
	size_t size;
	char *key;
	int ret;

	if (!take(t, '"')) {
		fail(t, "a key in quotes was expected");
		return -1;
	}
	key = load_text(t, &size);
	if (!key)
		return -1;
	if (t->flags & JSON_REJECT_DUPLICATES && json_object_get(object, key)) {
		fail(t, "this key is there twice");
		ret = -1;
	} else if (!take(t, ':')) {
		fail(t, "':' was expected");
		ret = -1;
	} else {
		ret = json_object_set_new(object, key, load_value(t));
	}
	free(key);
	return ret;
}

static json_t *load_object(struct text *t)
{
	json_t *object = json_object();

	t->at++;
	if (take(t, '}'))
		return object;
	do {
		if (load_member(t, object)) {
			json_decref(object);
			return fail(t, "out of memory");
		}
	} while (take(t, ','));
	if (take(t, '}'))
		return object;
	json_decref(object);
	return fail(t, "',' or '}' was expected");
}

static json_t *load_nested(struct text *t, json_t *(*load)(struct text *t))
{
	json_t *value;

	if (t->depth == MAX_DEPTH)
		return fail(t, "too many brackets in each other");
	t->depth++;
	value = load(t);
	t->depth--;
	return value;
}

static json_t *load_value(struct text *t)
{
	char c = peek(t);

	switch (c) {
	case '{':
		return load_nested(t, load_object);
	case '[':
		return load_nested(t, load_array);
	case '"':
		return load_string(t);
	case 't':
		return load_word(t, "true", json_boolean(1));
	case 'f':
		return load_word(t, "false", json_boolean(0));
	case 'n':
		return load_word(t, "null", json_null());
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return load_number(t);
	return fail(t, "a value was expected");
}

json_t *json_loadb(const char *text, size_t size, size_t flags, json_error_t *error)
{
	struct text t = {
		.at = text, .end = text + size, .line = text, .flags = flags, .error = error,
	};
	char first = peek(&t);
	json_t *value;

	if (!(flags & JSON_DECODE_ANY) && first != '{' && first != '[')
		return fail(&t, "'[' or '{' was expected");
	value = load_value(&t);
	if (!value)
		return fail(&t, "out of memory");
	peek(&t);
	if (t.at == t.end)
		return value;
	json_decref(value);
	return fail(&t, "the end was expected");
}
