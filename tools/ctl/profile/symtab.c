// SPDX-License-Identifier: GPL-2.0
/* Tables of functions by address */
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "profile/symtab.h"

/* Number of earlier functions that are searched for one that encloses the address */
#define MAX_NESTED	32

struct symbol *symtab_add(struct symtab *table, const char *name,
			  unsigned long long start, unsigned long long size)
{
	struct symbol *sym;

	table->symbols = xgrow(table->symbols, table->nr, &table->room,
			       sizeof(*table->symbols));
	sym = &table->symbols[table->nr++];
	memset(sym, 0, sizeof(*sym));
	sym->name = name;
	sym->start = start;
	sym->end = start + size;
	return sym;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

void symtab_sort(struct symtab *table, unsigned long long end)
{
	struct symbol *s = table->symbols;
	size_t i, nr = 0;

	if (!table->nr)
		return;
	qsort(s, table->nr, sizeof(*s), compare_symbols);
	for (i = 0; i < table->nr; i++) {
		if (!nr || s[nr - 1].start != s[i].start)
			s[nr++] = s[i];
	}
	table->nr = nr;
	for (i = 0; i < nr; i++) {
		if (s[i].end > s[i].start)
			continue;
		s[i].end = i + 1 < nr ? s[i + 1].start : end;
		if (s[i].limit && s[i].end > s[i].limit)
			s[i].end = s[i].limit;
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct symbol *x = *(struct symbol * const *)a;
	const struct symbol *y = *(struct symbol * const *)b;

	return strcmp(x->name, y->name);
}

void symtab_find_twins(struct symtab *table)
{
	struct symbol **sorted;
	size_t i;

	if (!table->nr)
		return;
	sorted = xalloc(table->nr, sizeof(*sorted));
	for (i = 0; i < table->nr; i++)
		sorted[i] = &table->symbols[i];
	qsort(sorted, table->nr, sizeof(*sorted), compare_names);
	for (i = 1; i < table->nr; i++) {
		if (compare_names(&sorted[i - 1], &sorted[i]))
			continue;
		sorted[i - 1]->twin = 1;
		sorted[i]->twin = 1;
	}
	free(sorted);
}

void symtab_join(struct symtab *to, struct symtab *from)
{
	size_t i;

	for (i = 0; i < from->nr; i++)
		*symtab_add(to, NULL, 0, 0) = from->symbols[i];
	symtab_free(from);
}

struct symbol *symtab_find(const struct symtab *table, unsigned long long addr)
{
	size_t low = 0, high = table->nr, mid, tries;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (table->symbols[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (tries = 0; low > 0 && tries < MAX_NESTED; low--, tries++) {
		if (addr < table->symbols[low - 1].end)
			return &table->symbols[low - 1];
	}
	return NULL;
}

void symtab_free(struct symtab *table)
{
	free(table->symbols);
	memset(table, 0, sizeof(*table));
}
