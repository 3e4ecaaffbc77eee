// SPDX-License-Identifier: GPL-2.0
/* The functions of the kernel and its modules: lines of /proc/kallsyms */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kncpmu.h>
#include <kernel-file.h>

#include "record/kernel.h"

#define FIRST_ROOM	1024
#define ETEXT		"T _etext\n"
#define TYPE		17	/* position of the type in a line, after 16 digits and a blank */

/* strtoull() would take most of the time at the end of a recording */
static __u64 parse_hex(const char *at)
{
	__u64 value = 0;
	unsigned int digit;

	for (;; at++) {
		digit = (unsigned char)*at - '0';
		if (digit > 9)
			digit = (*at | 0x20) - 'a' + 10;
		if (digit > 15)
			return value;
		value = value << 4 | digit;
	}
}

static char *read_all(const char *path)
{
	size_t room = 1 << 20, size = 0, n = 0;
	int error;
	FILE *f = kncpmu_kernel_open(path, &error);
	char *text = NULL, *more;

	while (f) {
		more = realloc(text, room);
		if (!more)
			break;
		text = more;
		n = fread(text + size, 1, room - size - 1, f);
		size += n;
		text[size] = '\0';
		if (!n)
			break;
		room *= 2;
	}
	if (f)
		fclose(f);
	return text;
}

/* Make room for one more function; returns 0 without memory */
static int grow(struct kallsyms *k)
{
	struct kernel_function *more;

	/* grow at powers of two, from 1024 on */
	if (k->nr & (k->nr - 1) || (k->nr && k->nr < FIRST_ROOM))
		return 1;
	more = realloc(k->all, (k->nr ? 2 * k->nr : FIRST_ROOM) * sizeof(*more));
	if (more)
		k->all = more;
	return !!more;
}

/* Add a function; returns 0 if memory is exhausted: later functions are then left out */
static int take(struct kallsyms *k, const char *line, size_t length, __u64 start)
{
	if (!grow(k))
		return 0;
	k->all[k->nr].start = start;
	k->all[k->nr++].line = line;
	if (length == TYPE + strlen(ETEXT) && !memcmp(line + TYPE, ETEXT, strlen(ETEXT)))
		k->etext = start;
	return 1;
}

/* The address of a function; 0: the line has no function, or its address is hidden */
static __u64 start_of(const char *line, size_t length)
{
	if (length <= TYPE || line[TYPE - 1] != ' ')
		return 0;
	switch (line[TYPE]) {
	case 't':
	case 'T':
	case 'w':
	case 'W':
		return parse_hex(line);
	}
	return 0;
}

/* Move the lines of functions to the beginning of the text, over the other lines */
static void take_lines(struct kallsyms *k)
{
	const char *line = k->text, *next;
	char *to = k->text;
	__u64 start;

	for (; (next = strchr(line, '\n')); line = next) {
		start = start_of(line, next - line);
		next++;
		if (!start)
			continue;
		memmove(to, line, next - line);
		if (!take(k, to, next - line, start))
			break;
		to += next - line;
	}
	*to = '\0';
}

void kallsyms_read(struct kallsyms *k)
{
	memset(k, 0, sizeof(*k));
	k->etext = ~0ULL;
	k->text = read_all(KALLSYMS);
	if (k->text)
		take_lines(k);
	if (!k->nr)
		kallsyms_free(k);
}

void kallsyms_free(struct kallsyms *k)
{
	free(k->text);
	free(k->all);
	memset(k, 0, sizeof(*k));
}

char kallsyms_type(const char *line)
{
	return line[TYPE];
}

const char *kallsyms_module(const char *line)
{
	const char *tab = line + strcspn(line, "\t\n");

	return *tab == '\t' && tab[1] == '[' ? tab + 1 : NULL;
}

int kallsyms_is_of(const char *line, const struct module_place *place)
{
	const char *name = kallsyms_module(line);
	size_t length = strlen(place->name);

	return name && !strncmp(name + 1, place->name, length) && name[1 + length] == ']';
}

void kallsyms_of_module(struct kallsyms *k, const struct kallsyms *all,
			const struct module *module)
{
	const struct kernel_function *f;
	size_t size = 0;
	FILE *out = open_memstream(&k->text, &size);

	for (f = all->all; out && f < all->all + all->nr; f++) {
		if (f->start >= module->place.start && f->start < module->end &&
		    kallsyms_is_of(f->line, &module->place))
			fwrite(f->line, 1, strcspn(f->line, "\n") + 1, out);
	}
	if (!out || fclose(out))
		return;
	k->etext = ~0ULL;
	take_lines(k);
}
