// SPDX-License-Identifier: GPL-2.0
/* The functions of the kernel and its modules: lines of /proc/kallsyms */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kncpmu.h>

#include "record/kernel.h"

/* strtoull() would take most of the time of a recording's end */
static __u64 parse_hex(const char **text)
{
	const char *at = *text;
	__u64 value = 0;

	for (; isxdigit((unsigned char)*at); at++)
		value = value << 4 | (*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
	*text = at;
	return value;
}

const char *kallsyms_line(const char *line, struct kernel_function *f)
{
	const char *at = line, *end;

	f->start = parse_hex(&at);
	f->type = at + 1;
	if (*at != ' ' || !at[1] || !strchr("tTwW", at[1]))
		f->start = 0;
	end = strchr(at, '\n');
	return end ? end + 1 : at + strlen(at);
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

char *kallsyms_read(void)
{
	char *text = read_all(KALLSYMS), *to = text;
	const char *line, *next;
	struct kernel_function f;

	for (line = text; line && *line; line = next) {
		next = kallsyms_line(line, &f);
		if (!f.start)
			continue;
		memmove(to, line, next - line);
		to += next - line;
	}
	if (to == text) {
		free(text);
		return NULL;
	}
	*to = '\0';
	return text;
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

char *kallsyms_of_module(const char *text, const struct module *module)
{
	const char *line, *next;
	char *found = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&found, &size);
	struct kernel_function f;

	for (line = text; out && line && *line; line = next) {
		next = kallsyms_line(line, &f);
		if (f.start >= module->place.start && f.start < module->end &&
		    kallsyms_is_of(line, &module->place))
			fwrite(line, 1, next - line, out);
	}
	if (out)
		fclose(out);
	return found;
}
