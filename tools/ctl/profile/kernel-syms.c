// SPDX-License-Identifier: GPL-2.0
/* Symbols of the kernel: the recorded ones, or those of the running kernel if it is the same */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <kernel-file.h>

#include "cli/memory.h"
#include "cli/modules.h"
#include "cli/text.h"
#include "profile/kernel-syms.h"
#include "profile/properties.h"
#include "profile/ranks.h"

/* The most modules searched below an address; more overlap only in a hostile file */
#define MAX_BEFORE	256

/* End the function before @addr, because no symbol is known from @addr to the next function */
static void add_end(struct symtab *table, unsigned long long addr)
{
	symtab_add(table, "", addr, 0);
}

/* Parse "ffffffff81000000 T _stext	[module]", or "ffffffff81000000 t"; changes the line */
static void take_line(struct symtab *table, char *line)
{
	char *type, *name, *module, *end;
	struct symbol *symbol;
	unsigned long long addr;

	addr = strtoull(line, &end, 16);
	/* with kptr_restrict all addresses are shown as 0 */
	if (!addr || end == line || *end != ' ')
		return;
	type = end + 1;
	if (!*type || !strchr("tTwW", *type))
		return;
	if (!type[1])
		add_end(table, addr);
	if (type[1] != ' ')
		return;
	name = type + 2;
	module = name + strcspn(name, " \t\r");
	end = module + strspn(module, " \t");
	*module = '\0';
	if (!*name)
		return;
	symbol = symtab_add(table, intern_text(name), addr, 0);
	symbol->module = *end == '[' ? intern(end, strcspn(end, " \t\r")) : NULL;
	/* at the same address prefer a function to a nameless end (add_end()) */
	symbol->rank = 1;
}

/* Parse "START END FROM TO NAME", where the times are the rank's */
static void take_module(struct kernel_functions *k, const char *line, long long shift)
{
	struct kernel_module module = { .name = NULL };
	int at = 0;

	if (sscanf(line, "%llx %llx %llu %llu %n", &module.start, &module.end, &module.from,
		   &module.to, &at) < 4 || !at || module.start >= module.end)
		return;
	module.name = intern_format("[%s]", line + at);
	module.from = data_shifted(module.from, shift);
	module.to = module.to == ~0ULL ? module.to : data_shifted(module.to, shift);
	k->modules = xgrow(k->modules, k->nr, &k->room, sizeof(*k->modules));
	k->modules[k->nr++] = module;
}

void kernel_functions_add(struct kernel_functions *k, const struct data_file *f,
			  size_t rank_index)
{
	const struct data_rank *rank = &f->ranks[rank_index];
	size_t at = 0, length;
	char *line, *end;

	while (at < rank->ksyms_size) {
		end = memchr(rank->ksyms + at, '\n', rank->ksyms_size - at);
		length = end ? (size_t)(end - rank->ksyms) - at : rank->ksyms_size - at;
		line = strndup(rank->ksyms + at, length);
		if (!line)
			out_of_memory();
		if (*line != '@')
			take_line(&k->always, line);
		else if (line[1] == ' ')
			take_module(k, line + 2, rank->shift);
		else if (k->nr)
			take_line(&k->modules[k->nr - 1].table, line + 1);
		free(line);
		at += length + 1;
	}
}

/* The modules that are loaded when report runs */
struct places {
	struct module_place *all;
	size_t nr;
	size_t room;
};

static void take_place(void *ctx, const struct module_place *place)
{
	struct places *places = ctx;

	places->all = xgrow(places->all, places->nr, &places->room, sizeof(*places->all));
	places->all[places->nr++] = *place;
}

/* End each module's last function at the module's end, or where another module begins */
static void running_ends(struct symtab *table)
{
	struct places places = { .nr = 0 };
	unsigned long long end;
	size_t i, k;

	each_module(take_place, &places);
	for (i = 0; i < places.nr; i++) {
		end = places.all[i].end;
		for (k = 0; k < places.nr; k++) {
			if (places.all[k].start > places.all[i].start && places.all[k].start < end)
				end = places.all[k].start;
		}
		add_end(table, end);
	}
	free(places.all);
}

/* Drop names above _etext, which are boot code: modules may use that memory now */
static void running_etext(struct symtab *table)
{
	unsigned long long etext = ~0ULL;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (!strcmp(table->symbols[i].name, "_etext"))
			etext = table->symbols[i].start;
	}
	for (i = 0; i < table->nr; i++) {
		if (!table->symbols[i].module && table->symbols[i].start >= etext)
			table->symbols[i].name = "";
	}
}

static void running(struct symtab *table)
{
	int error;
	FILE *file = kncpmu_kernel_open("/proc/kallsyms", &error);
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
	running_etext(table);
	running_ends(table);
}

static int compare(const void *a, const void *b)
{
	const struct kernel_module *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->from != y->from ? (x->from < y->from ? -1 : 1) : 0;
}

/* Join a module of several ranks on one host: it was loaded whenever any rank may have seen it */
static void join_modules(struct kernel_functions *k)
{
	struct kernel_module *to = k->modules, *m;
	size_t i;

	if (k->nr)
		qsort(k->modules, k->nr, sizeof(*k->modules), compare);
	for (i = 1; i < k->nr; i++) {
		m = &k->modules[i];
		if (m->start != to->start || m->end != to->end || strcmp(m->name, to->name) ||
		    m->from > to->to) {
			*++to = *m;
			continue;
		}
		to->to = m->to > to->to ? m->to : to->to;
		symtab_join(&to->table, &m->table);
	}
	k->nr = k->nr ? to + 1 - k->modules : 0;
}

static void sort_modules(struct kernel_functions *k)
{
	struct kernel_module *m = k->modules;
	size_t i;

	if (k->nr)
		qsort(m, k->nr, sizeof(*m), compare);
	for (i = 0; i < k->nr; i++) {
		symtab_sort(&m[i].table, m[i].end);
		m[i].reach = i && m[i - 1].reach > m[i].end ? m[i - 1].reach : m[i].end;
	}
}

static void sort_all(struct kernel_functions *k)
{
	symtab_sort(&k->always, ~0ULL);
	sort_modules(k);
}

void kernel_functions_join(struct kernel_functions *k)
{
	join_modules(k);
	sort_all(k);
}

void kernel_functions_read(struct kernel_functions *k, const struct data_file *f,
			   size_t rank_index)
{
	/* nothing is known of a recording that could not be opened */
	if (rank_index < f->nr_ranks)
		kernel_functions_add(k, f, rank_index);
	if (!k->always.nr && data_same_boot(f))
		running(&k->always);
	sort_all(k);
}

void kernel_functions_free(struct kernel_functions *k)
{
	size_t i;

	for (i = 0; i < k->nr; i++)
		symtab_free(&k->modules[i].table);
	free(k->modules);
	symtab_free(&k->always);
}

/* The number of modules that begin at @addr or below */
static size_t before(const struct kernel_functions *k, unsigned long long addr)
{
	size_t low = 0, high = k->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (k->modules[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Find modules that may have been at the address at this time; times of loading and unloading are
 * known only roughly. Returns how many there are, and one of them in *@found.
 */
static unsigned int modules_at(const struct kernel_functions *k, unsigned long long addr,
			       unsigned long long time, const struct kernel_module **found,
			       int *for_good)
{
	const struct kernel_module *module;
	size_t i = before(k, addr), tries;
	unsigned int nr = 0;

	for (tries = 0; i && tries < MAX_BEFORE; i--, tries++) {
		module = &k->modules[i - 1];
		if (module->reach <= addr)
			break;
		if (module->end <= addr)
			continue;
		*for_good = 0;
		if (time < module->from || time > module->to)
			continue;
		*found = module;
		nr++;
	}
	return nr;
}

struct symbol *kernel_functions_find(const struct kernel_functions *k, unsigned long long addr,
				     unsigned long long time, const char **module,
				     int *for_good)
{
	const struct kernel_module *found = NULL;
	const struct symtab *table = &k->always;
	unsigned int nr = modules_at(k, addr, time, &found, for_good);
	struct symbol *symbol;

	*module = NULL;
	if (nr > 1)
		return NULL;
	if (nr) {
		table = &found->table;
		*module = found->name;
	}
	symbol = symtab_find(table, addr);
	if (!symbol || !*symbol->name)
		return NULL;
	*module = symbol->module;
	return symbol;
}
