// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of the kernel: the lines of /proc/kallsyms for functions with samples
 *
 * They are in the data file because functions have other addresses in another kernel, and in this
 * one after the next boot (KASLR). /proc/kallsyms does not say where functions end, nor what code
 * was removed: a line without a name marks where nothing is known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "record/kernel.h"

#define FIRST_ROOM	1024
#define HASH		0x9e3779b97f4a7c15ULL	/* 2^64 divided by the golden ratio */

/* The place of @address in the table, or the free place for it; the table is never full */
static __u64 *place(__u64 *table, size_t room, __u64 address)
{
	size_t i = (address * HASH >> 32) & (room - 1);

	while (table[i] && table[i] != address)
		i = (i + 1) & (room - 1);
	return &table[i];
}

static int grow(struct addresses *set)
{
	size_t room = set->room ? 2 * set->room : FIRST_ROOM, i;
	__u64 *table = calloc(room, sizeof(*table));

	if (!table)
		return -1;
	for (i = 0; i < set->room; i++) {
		if (set->table[i])
			*place(table, room, set->table[i]) = set->table[i];
	}
	free(set->table);
	set->table = table;
	set->room = room;
	return 0;
}

/* Without memory the address is left out; it then has no name in the report */
void addresses_add(struct addresses *set, __u64 address)
{
	__u64 *at;

	if (!address || (2 * set->nr >= set->room && grow(set)))
		return;
	at = place(set->table, set->room, address);
	set->nr += !*at;
	*at = address;
}

int addresses_has(const struct addresses *set, __u64 address)
{
	return set->room && *place(set->table, set->room, address);
}

void addresses_free(struct addresses *set)
{
	free(set->table);
	memset(set, 0, sizeof(*set));
}

/**
 * struct wanted - an address with samples, and the function that it is in
 * @address: the address
 * @start: the function's first address
 * @line: its line in the text; NULL: none yet
 * @global: its name is global, which is preferred among several names
 * @end: where the kernel's own code ends, or the module's; ~0: not known
 */
struct wanted {
	__u64 address;
	__u64 start;
	const char *line;
	int global;
	unsigned long long end;
};

static int compare(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* A sorted array of the addresses in @set */
static struct wanted *want(const struct addresses *set)
{
	struct wanted *all = calloc(set->nr, sizeof(*all));
	size_t i, nr = 0;

	for (i = 0; all && i < set->room; i++) {
		if (set->table[i])
			all[nr++].address = set->table[i];
	}
	if (all)
		qsort(all, nr, sizeof(*all), compare);
	return all;
}

/* The index of the first address at or after @start; @nr: there is none */
static size_t find(const struct wanted *all, size_t nr, __u64 start)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (all[middle].address < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int modules_stayed(const struct modules *modules)
{
	const struct module *m;

	for (m = modules->all; m && module_stayed(m); m = m->next)
		;
	return !m;
}

/* Was this line's module loaded during only a part of the recording? */
static int comes_or_goes(const char *line, const struct modules *modules)
{
	const struct module *m;

	if (!kallsyms_module(line))
		return 0;
	for (m = modules->all; m; m = m->next) {
		if (!module_stayed(m) && kallsyms_is_of(line, &m->place))
			return 1;
	}
	return 0;
}

/* Note @f as the function of the wanted address @w, unless a later function below @w is known */
static void take_function(const struct kernel_function *f, struct wanted *w)
{
	const int global = kallsyms_type(f->line) == 'T';

	if (!w->line || f->start > w->start || (f->start == w->start && global && !w->global)) {
		w->start = f->start;
		w->line = f->line;
		w->global = global;
	}
}

/* Where the memory of the line's module ends */
static __u64 module_end(const char *line, const struct modules *modules)
{
	const struct module *m;

	for (m = modules->all; m; m = m->next) {
		if (module_stayed(m) && kallsyms_is_of(line, &m->place))
			return m->end;
	}
	/* not a module: [bpf], [__builtin__kprobes] */
	return ~0ULL;
}

/* Find the end of each function: two addresses without a function between have the same one */
static void end_all(struct wanted *all, size_t nr, __u64 etext, const struct modules *modules)
{
	struct wanted *w, *last = NULL;

	for (w = all; w < all + nr; last = w++) {
		if (!w->line && last) {
			w->line = last->line;
			w->start = last->start;
		}
		if (last && w->line == last->line)
			w->end = last->end;
		else if (w->line && kallsyms_module(w->line))
			w->end = module_end(w->line, modules);
		else
			w->end = etext;
	}
}

/*
 * Find the last function at or before each address, except functions of modules that came or went.
 * Sorts only the addresses, because there are many more functions.
 */
static void find_all(const struct kallsyms *k, struct wanted *all, size_t nr,
		     const struct modules *modules)
{
	const int all_stayed = modules_stayed(modules);
	const struct kernel_function *f;
	size_t i = nr;

	for (f = k->all; f < k->all + k->nr; f++) {
		/* fast path: most functions begin between the same two addresses as the last one */
		if (i == nr || f->start > all[i].address || (i && f->start <= all[i - 1].address))
			i = find(all, nr, f->start);
		if (i < nr && f->start != k->etext &&
		    (all_stayed || !comes_or_goes(f->line, modules)))
			take_function(f, &all[i]);
	}
	end_all(all, nr, k->etext, modules);
}

static int has_function(const struct wanted *w)
{
	return w->line && w->address < w->end;
}

static void put_line(FILE *f, const char *prefix, const char *line)
{
	fprintf(f, "%s%.*s\n", prefix, (int)strcspn(line, "\n"), line);
}

/* Write the functions, and marks where an unknown function begins */
static void put_all(FILE *f, const struct wanted *all, size_t nr)
{
	const struct wanted *w, *last = NULL;

	for (w = all; w < all + nr; w++) {
		if (!has_function(w) || (last && w->line == last->line))
			continue;
		if (last && last->end != w->end && ~last->end)
			fprintf(f, "%llx t\n", last->end);
		put_line(f, "", w->line);
		last = w;
	}
	if (last && ~last->end)
		fprintf(f, "%llx t\n", last->end);
}

/* Write a module that was loaded during a part of the recording, and its functions */
static void put_module(FILE *f, const struct module *m, const struct addresses *set)
{
	const struct modules none = { .all = NULL };
	const char *last = NULL;
	struct wanted *all, *w;

	fprintf(f, "@ %llx %llx %llu %llu %s\n", m->place.start, m->end, m->from, m->to,
		m->place.name);
	all = m->functions.nr ? want(set) : NULL;
	if (!all)
		return;
	find_all(&m->functions, all, set->nr, &none);
	for (w = all; w < all + set->nr; w++) {
		if (w->line && w->line != last && w->address < m->end)
			put_line(f, "@", w->line);
		last = w->line;
	}
	free(all);
}

static int write_all(struct data_writer *file, const struct addresses *set,
		     const struct wanted *all, const struct modules *modules)
{
	const struct module *m;
	size_t size;
	char *text;
	FILE *f;
	int ret;

	f = open_memstream(&text, &size);
	if (!f)
		return -1;
	put_all(f, all, set->nr);
	for (m = modules->all; m; m = m->next) {
		if (!module_stayed(m))
			put_module(f, m, set);
	}
	ret = fclose(f);
	if (!ret && size)
		ret = writer_put(file, DATA_KSYMS, NULL, 0, text, size);
	free(text);
	return ret;
}

/* Is the address in a module that was loaded or removed meanwhile? */
static int is_passing(const struct modules *modules, __u64 address)
{
	const struct module *m;

	for (m = modules->all; m; m = m->next) {
		if (!module_stayed(m) && address >= m->place.start && address < m->end)
			return 1;
	}
	return 0;
}

/* Does the kernel have code that was added during the recording, such as a BPF program? */
static int has_new_code(const struct wanted *all, size_t nr, const struct modules *modules)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!has_function(&all[i]) && !is_passing(modules, all[i].address))
			return 1;
	}
	return 0;
}

/* The functions of all addresses; NULL: the kernel hides its symbols */
static struct wanted *find_functions(const struct addresses *set, struct modules *modules)
{
	struct wanted *all = want(set);

	if (all && modules->functions.nr)
		find_all(&modules->functions, all, set->nr, modules);
	if (!all || (modules->functions.nr && !has_new_code(all, set->nr, modules)))
		return all;
	free(all);
	kallsyms_free(&modules->functions);
	kallsyms_read(&modules->functions);
	all = modules->functions.nr ? want(set) : NULL;
	if (all) {
		modules_name(modules, &modules->functions);
		find_all(&modules->functions, all, set->nr, modules);
	}
	return all;
}

int ksyms_write(struct data_writer *file, const struct addresses *set, struct modules *modules)
{
	struct wanted *all;
	int ret = 0;

	if (!set->nr)
		return 0;
	all = find_functions(set, modules);
	if (all)
		ret = write_all(file, set, all, modules);
	else
		complain("warning: the kernel hides its symbols, and samples in it will have "
			 "no names; run as root with kernel.kptr_restrict below 2");
	free(all);
	return ret;
}
