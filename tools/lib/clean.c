// SPDX-License-Identifier: GPL-2.0
/* Makes foreign text harmless for a terminal and for a line of a file */
#include <stdio.h>
#include <string.h>

#include "private.h"

#define ESCAPE_LEN	16

/* Characters that a terminal obeys, that reorder text, or that are invisible */
static const struct {
	unsigned int first;
	unsigned int last;
} hidden[] = {
	{ 0x0000, 0x001f },	/* C0 */
	{ 0x007f, 0x009f },	/* DEL, C1 */
	{ 0x00ad, 0x00ad },	/* soft hyphen */
	{ 0x034f, 0x034f },	/* combining grapheme joiner */
	{ 0x061c, 0x061c },	/* Arabic letter mark */
	{ 0x115f, 0x1160 },	/* Hangul fillers */
	{ 0x17b4, 0x17b5 },	/* Khmer inherent vowels */
	{ 0x180b, 0x180f },	/* Mongolian selectors */
	{ 0x200b, 0x200f },	/* no width; left-to-right, right-to-left mark */
	{ 0x2028, 0x202e },	/* separators of lines, bidirectional controls */
	{ 0x2060, 0x206f },	/* no width, bidirectional isolates */
	{ 0x3164, 0x3164 },	/* Hangul filler */
	{ 0xd800, 0xdfff },	/* surrogates */
	{ 0xfdd0, 0xfdef },	/* noncharacters */
	{ 0xfe00, 0xfe0f },	/* variation selectors */
	{ 0xfeff, 0xfeff },	/* byte order mark */
	{ 0xffa0, 0xffa0 },	/* Hangul filler */
	{ 0xfff0, 0xfffb },	/* annotations */
	{ 0xe0000, 0xe0fff },	/* tags */
};

static int is_hidden(unsigned int c)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hidden); i++) {
		if (c >= hidden[i].first && c <= hidden[i].last)
			return 1;
	}
	return (c & 0xfffe) == 0xfffe;
}

/* Return the bytes of the UTF-8 character at @p, or 0 if it is not UTF-8 */
static size_t decode(const unsigned char *p, size_t room, unsigned int *c)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2, i;

	*c = *p;
	if (len == 1)
		return 1;
	if (*p < 0xc2 || *p > 0xf4 || len > room)
		return 0;
	*c = *p & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	return *c >= least[len] && *c <= 0x10ffff ? len : 0;
}

/* Write the character at @p, or its escape, to @shown; return its bytes at @p */
static size_t one_char(const unsigned char *p, size_t room, char *shown)
{
	unsigned int c;
	size_t len = decode(p, room, &c);

	if (len && !is_hidden(c)) {
		memcpy(shown, p, len);
		shown[len] = '\0';
		return len;
	}
	if (len <= 1)
		snprintf(shown, ESCAPE_LEN, "\\x%02x", *p);
	else
		snprintf(shown, ESCAPE_LEN, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
	return len ? : 1;
}

size_t kncpmu_clean(const char *text, size_t len, char *out, size_t size)
{
	size_t i = 0, whole = 0, part, at = 0;
	char shown[ESCAPE_LEN];

	while (i < len) {
		i += one_char((const unsigned char *)text + i, len - i, shown);
		part = strlen(shown);
		/* write only whole characters, and stop at the first that does not fit */
		if (whole == at && at + part < size) {
			memcpy(out + at, shown, part);
			at += part;
		}
		whole += part;
	}
	if (size)
		out[at] = '\0';
	return whole;
}
