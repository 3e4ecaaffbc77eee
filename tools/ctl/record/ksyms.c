// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of the kernel: the lines of /proc/kallsyms for functions with samples
 *
 * They are written to the data file because the addresses of functions differ in another
 * kernel, and in this one after the next boot (KASLR).
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

#define KALLSYMS	"/proc/kallsyms"
#define FIRST_ROOM	1024
#define HASH		0x9e3779b97f4a7c15ULL	/* 2^64 by the golden ratio */

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

/* Without memory the address is left out, and has no name in the report */
void addresses_add(struct addresses *set, __u64 address)
{
	__u64 *at;

	if (!address || (2 * set->nr >= set->room && grow(set)))
		return;
	at = place(set->table, set->room, address);
	set->nr += !*at;
	*at = address;
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
 */
struct wanted {
	__u64 address;
	__u64 start;
	const char *line;
	int global;
};

static int compare(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static char *read_all(const char *path)
{
	size_t room = 1 << 20, size = 0, n = 0;
	FILE *f = fopen(path, "re");
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

/* Those of @set, sorted */
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

/* The index of the first address at or after @start; @nr if there is none */
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

/* A line "ADDRESS TYPE NAME [MODULE]"; returns the address of a function, or 0 */
static __u64 take_line(const char *line, struct wanted *all, size_t nr)
{
	const char *end = line;
	__u64 start = parse_hex(&end);
	struct wanted *w;
	size_t i;

	if (*end != ' ' || !strchr("tTwW", end[1]))
		return 0;
	i = find(all, nr, start);
	if (i == nr)
		return start;
	w = &all[i];
	if (!w->line || start > w->start || (start == w->start && end[1] == 'T' && !w->global)) {
		w->start = start;
		w->line = line;
		w->global = end[1] == 'T';
	}
	return start;
}

/*
 * Find the last function at or before each address. The addresses are sorted, because they are
 * fewer than the functions. Returns whether a function has an address: without permission the
 * kernel shows zeros. Newlines of @text become zeros.
 */
static int find_all(char *text, struct wanted *all, size_t nr)
{
	char *line, *end;
	__u64 seen = 0;
	size_t i;

	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		seen |= take_line(line, all, nr);
	}
	for (i = 1; i < nr; i++) {
		/* no function begins between the two */
		if (!all[i].line) {
			all[i].line = all[i - 1].line;
			all[i].start = all[i - 1].start;
		}
	}
	return seen != 0;
}

static int write_lines(struct data_writer *file, const struct wanted *all, size_t nr)
{
	const char *last = NULL;
	size_t size, i;
	char *text;
	FILE *f;
	int ret;

	f = open_memstream(&text, &size);
	if (!f)
		return -1;
	for (i = 0; i < nr; i++) {
		if (all[i].line && all[i].line != last)
			fprintf(f, "%s\n", all[i].line);
		last = all[i].line;
	}
	ret = fclose(f);
	if (!ret && size)
		ret = writer_put(file, DATA_KSYMS, NULL, 0, text, size);
	free(text);
	return ret;
}

int ksyms_write(struct data_writer *file, const struct addresses *set)
{
	struct wanted *all;
	char *text;
	int ret = 0;

	if (!set->nr)
		return 0;
	text = read_all(KALLSYMS);
	all = want(set);
	if (!text || !all || !find_all(text, all, set->nr))
		complain("warning: the kernel hides its symbols, and samples in it will have "
			 "no names; run as root with kernel.kptr_restrict below 2");
	else
		ret = write_lines(file, all, set->nr);
	free(all);
	free(text);
	return ret;
}
