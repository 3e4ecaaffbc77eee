// SPDX-License-Identifier: GPL-2.0
/* Each string once, and fit to be shown */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

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

/* Bytes of the character at @p if it may be shown, else 0 */
static size_t good_char(const unsigned char *p, size_t room)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2, i;
	unsigned int c;

	if (len == 1)
		return *p >= ' ' && *p != 0x7f;
	if (*p < 0xc2 || *p > 0xf4 || len > room)
		return 0;
	c = *p & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	/* C1 controls, surrogates and what XML does not allow */
	if (c < least[len] || c < 0xa0 || c > 0x10ffff ||
	    (c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe)
		return 0;
	return len;
}

static void clean(char *text, size_t size)
{
	size_t i = 0, len;

	while (i < size) {
		len = good_char((unsigned char *)text + i, size - i);
		if (!len)
			text[i] = '?';
		i += len ? : 1;
	}
}

const char *intern(const char *text, size_t size)
{
	struct string *s, *found;

	s = must_alloc(1, sizeof(*s) + size + 1);
	memcpy(s->text, text, size);
	clean(s->text, size);
	HASH_FIND(hh, strings, s->text, size, found);
	if (found) {
		free(s);
		return found->text;
	}
	HASH_ADD_KEYPTR(hh, strings, s->text, size, s);
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
