// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of the kernel: the lines of /proc/kallsyms for functions with samples
 *
 * They are written to the data file because the addresses of functions differ in another
 * kernel, and in this one after the next boot (KASLR).
 */
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
 * struct ksym - a function of the kernel
 * @address: its first address
 * @line: its line in the text
 * @global: its name is global, which is preferred among several names
 * @used: there is a sample in it
 */
struct ksym {
	__u64 address;
	char *line;
	int global;
	int used;
};

static int compare(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->global != y->global)
		return y->global - x->global;
	return x->line < y->line ? -1 : 1;
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

/* A line "ADDRESS TYPE NAME [MODULE]" of a function */
static int parse_line(char *line, struct ksym *sym)
{
	char *end;

	sym->address = strtoull(line, &end, 16);
	sym->line = line;
	sym->used = 0;
	if (*end != ' ' || !strchr("tTwW", end[1]))
		return 0;
	sym->global = end[1] == 'T';
	return 1;
}

/* The functions of @text, sorted; newlines of @text become zeros */
static struct ksym *parse_all(char *text, size_t *nr)
{
	struct ksym *syms = NULL, *more;
	size_t room = 0;
	char *line;

	*nr = 0;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (*nr == room) {
			room = room ? 2 * room : FIRST_ROOM;
			more = realloc(syms, room * sizeof(*syms));
			if (!more)
				break;
			syms = more;
		}
		*nr += parse_line(line, &syms[*nr]);
	}
	if (*nr)
		qsort(syms, *nr, sizeof(*syms), compare);
	return syms;
}

/* Mark the function with @address as used: the first name of the last one at or before it */
static void use(struct ksym *syms, size_t nr, __u64 address)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (syms[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return;
	for (low--; low && syms[low - 1].address == syms[low].address; low--)
		;
	syms[low].used = 1;
}

static int write_used(struct data_writer *file, const struct ksym *syms, size_t nr)
{
	size_t size, i;
	char *text;
	FILE *f;
	int ret;

	f = open_memstream(&text, &size);
	if (!f)
		return -1;
	for (i = 0; i < nr; i++) {
		if (syms[i].used)
			fprintf(f, "%s\n", syms[i].line);
	}
	ret = fclose(f);
	if (!ret && size)
		ret = writer_put(file, DATA_KSYMS, NULL, 0, text, size);
	free(text);
	return ret;
}

int ksyms_write(struct data_writer *file, const struct addresses *set)
{
	struct ksym *syms = NULL;
	size_t nr = 0, i;
	char *text;
	int ret = 0;

	if (!set->nr)
		return 0;
	text = read_all(KALLSYMS);
	if (text)
		syms = parse_all(text, &nr);
	/* without permission the kernel shows zeros as addresses */
	if (!nr || !syms[nr - 1].address) {
		complain("warning: the kernel hides its symbols, and samples in it will have "
			 "no names; run as root with kernel.kptr_restrict below 2");
	} else {
		for (i = 0; i < set->room; i++) {
			if (set->table[i])
				use(syms, nr, set->table[i]);
		}
		ret = write_used(file, syms, nr);
	}
	free(syms);
	free(text);
	return ret;
}
