// SPDX-License-Identifier: GPL-2.0
/*
 * The words of preprocessed source: of the module's own lines, and of functions in kernel headers
 * that its objects contain
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "structs.h"

/**
 * struct reader - where we are in the text
 * @file: the source file of this line
 * @line: its number
 * @own: is that file one of the module's?
 * @braces: how many are open in the function of a header that is read; -1: in none
 * @member: do words that follow name members? After ->, . and in offsetof
 * @offsetof: parentheses that are open in an offsetof, and one; 0: in none
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

/* Does a function begin here that the module contains? gcc reports the line of its name */
static bool begins(const struct inlined *inlined, const struct reader *r)
{
	for (; inlined; inlined = inlined->next)
		if (inlined->line == r->line && !strcmp(base(inlined->file), base(r->file)))
			return true;
	return false;
}

/* Parse # LINE "FILE" FLAGS */
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
 * @members: the names that follow ->, . and offsetof
 * @all: all of them
 * @inlined: functions of headers that are read
 * @own: the folder of the module, whose lines are read
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
		/* read a header's function up to its closing brace */
		if (!r.own && r.braces < 0 && begins(inlined, &r))
			r.braces = 0;
		if (r.own || r.braces >= 0)
			read_line(&r, members, all, text);
		r.line++;
	}
	free(text);
	fclose(in);
}
