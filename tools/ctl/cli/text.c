// SPDX-License-Identifier: GPL-2.0
/* Clean strings, each stored once */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "cli/text.h"

/* A large recording has about as many texts, which keeps the list of each bucket short */
#define BUCKETS	(1U << 14)

struct string {
	struct string *next;
	size_t len;
	char text[];
};

static struct string *strings[BUCKETS];

const char *intern(const char *text, size_t size)
{
	size_t len = kncpmu_clean(text, size, NULL, 0);
	struct string *s, *found, **bucket;

	s = xalloc(1, sizeof(*s) + len + 1);
	kncpmu_clean(text, size, s->text, len + 1);
	s->len = len;
	bucket = &strings[hash_key(s->text, len) % BUCKETS];
	for (found = *bucket; found; found = found->next) {
		if (found->len == len && !memcmp(found->text, s->text, len)) {
			free(s);
			return found->text;
		}
	}
	s->next = *bucket;
	*bucket = s;
	return s->text;
}

const char *intern_text(const char *text)
{
	return intern(text, strlen(text));
}

const char *intern_vformat(const char *fmt, va_list ap)
{
	const char *text;
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		out_of_memory();
	text = intern_text(s);
	free(s);
	return text;
}

const char *intern_format(const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = intern_vformat(fmt, ap);
	va_end(ap);
	return text;
}

const char *intern_list(const char * const *words, unsigned int nr)
{
	const char *list = "";
	unsigned int i;

	for (i = 0; i < nr; i++)
		list = intern_format("%s%s%s", list,
				     !i ? "" : i + 1 < nr ? ", " : " and ", words[i]);
	return list;
}

void intern_free(void)
{
	struct string *s;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		while ((s = strings[i])) {
			strings[i] = s->next;
			free(s);
		}
	}
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

void print_padded(FILE *f, const char *text, int columns)
{
	int left = columns - (int)text_width(text);

	fprintf(f, "%s%*s", text, left > 0 ? left : 0, "");
}
