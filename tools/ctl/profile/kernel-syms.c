// SPDX-License-Identifier: GPL-2.0
/* Symbols of the kernel: the recorded ones, or those of the running kernel if it is the same */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "cli/text.h"
#include "profile/kernel-syms.h"

/* "ffffffff81000000 T _stext\t[module]"; the line is changed */
static void take_line(struct symtab *table, char *line)
{
	char *type, *name, *module, *end;
	unsigned long long addr;

	addr = strtoull(line, &end, 16);
	/* with kptr_restrict all addresses are 0 */
	if (!addr || end == line || *end != ' ')
		return;
	type = end + 1;
	if (!strchr("tTwW", *type) || !*type || type[1] != ' ')
		return;
	name = type + 2;
	module = name + strcspn(name, " \t\r");
	end = module + strspn(module, " \t");
	*module = '\0';
	if (!*name)
		return;
	symtab_add(table, intern_text(name), addr, 0)->module =
		*end == '[' ? intern(end, strcspn(end, " \t\r")) : NULL;
}

static void recorded(const struct data_file *f, struct symtab *table)
{
	size_t at = 0, length;
	char *line, *end;

	while (at < f->ksyms_size) {
		end = memchr(f->ksyms + at, '\n', f->ksyms_size - at);
		length = end ? (size_t)(end - f->ksyms) - at : f->ksyms_size - at;
		line = strndup(f->ksyms + at, length);
		if (!line)
			out_of_memory();
		take_line(table, line);
		free(line);
		at += length + 1;
	}
}

static void running(struct symtab *table)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return;
	while (getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		take_line(table, line);
	}
	free(line);
	fclose(file);
}

void kernel_syms(const struct data_file *f, struct symtab *table)
{
	recorded(f, table);
	if (!table->nr && data_same_boot(f))
		running(table);
	symtab_sort(table, ~0ULL);
}
