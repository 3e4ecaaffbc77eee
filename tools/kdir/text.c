// SPDX-License-Identifier: GPL-2.0
/*
 * The words of preprocessed source: of the module's own lines, and of those functions of the
 * kernel's headers that the module's objects contain
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "structs.h"

/**
 * struct reader - the state at a place in the text
 * @file: the source file of this line
 * @line: its number
 * @own: is this line of the module's own source?
 * @braces: braces open in the header's function that is being read; -1: in no such function
 * @member: the next word names a member, because it follows -> or .
 * @offsetof: 1 and the number of parentheses open since __builtin_offsetof; 0: not within one
 * @last: the character before this one
 */
struct reader {
	char file[1024];
	unsigned int line;
	bool own;
	int braces;
	bool member;
	int offsetof;
	char last;
};

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Does a function in @inlined begin here? The line in debug information is that of its name. */
static bool begins(const struct inlined *inlined, const struct reader *r)
{
	for (; inlined; inlined = inlined->next)
		if (inlined->line == r->line && !strcmp(base(inlined->file), base(r->file)))
			return true;
	return false;
}

/* A line of the preprocessor says where the next one is from: # LINE "FILE" FLAGS */
static bool is_marker(struct reader *r, const char *own, const char *text)
{
	size_t len = strlen(own);
	char file[1024];
	unsigned int line;

	if (sscanf(text, "# %u \"%1023[^\"]\"", &line, file) != 2)
		return false;
	if (strcmp(file, r->file)) {
		strcpy(r->file, file);
		r->own = !strncmp(file, "src/", 4) ||
			 (!strncmp(file, own, len) && file[len] == '/');
	}
	r->line = line;
	return true;
}

static void punctuation(struct reader *r, const char *at)
{
	if (*at == '{' && r->braces >= 0)
		r->braces++;
	else if (*at == '}' && r->braces > 0 && !--r->braces)
		r->braces = -1;
	else if (*at == '(' && r->offsetof)
		r->offsetof++;
	else if (*at == ')' && r->offsetof && --r->offsetof == 1)
		r->offsetof = 0;
	if (!isspace((unsigned char)*at))
		r->member = *at == '.' || (*at == '>' && r->last == '-');
	r->last = *at;
}

static void read_line(struct reader *r, struct words *members, struct words *all, const char *text)
{
	const char *at = text, *end;

	while (*at) {
		if (!isalpha((unsigned char)*at) && *at != '_') {
			if (isdigit((unsigned char)*at))
				at += strspn(at, "0123456789abcdefABCDEFxXuUlL.") - 1;
			else
				punctuation(r, at);
			at++;
			continue;
		}
		for (end = at; isalnum((unsigned char)*end) || *end == '_'; end++)
			;
		has_word(all, at, end - at, true);
		if (r->member || r->offsetof)
			has_word(members, at, end - at, true);
		r->member = false;
		if (end - at == 18 && !memcmp(at, "__builtin_offsetof", 18))
			r->offsetof = 1;
		at = end;
	}
}

/**
 * read_text() - add the words of a preprocessed file
 * @members: gets the words that follow -> or ., or are in offsetof
 * @all: gets all words
 * @inlined: functions that are read, too, if a header has them
 * @own: the folder of the module's source
 * @path: the file
 */
void read_text(struct words *members, struct words *all, const struct inlined *inlined,
	       const char *own, const char *path)
{
	struct reader r = { .braces = -1 };
	FILE *in = fopen(path, "r");
	size_t room = 0;
	char *text = NULL;

	if (!in)
		die("%s: %s", path, strerror(errno));
	while (getline(&text, &room, in) > 0) {
		if (is_marker(&r, own, text))
			continue;
		/* of a header only such a function is read, to its closing brace */
		if (!r.own && r.braces < 0 && begins(inlined, &r))
			r.braces = 0;
		if (r.own || r.braces >= 0)
			read_line(&r, members, all, text);
		r.line++;
	}
	free(text);
	fclose(in);
}
