// SPDX-License-Identifier: GPL-2.0
/*
 * Compare the layouts of the kernel's structs: those with which the module was compiled, and those
 * in the kernel's vmlinux
 *
 *   structs DIR VMLINUX OBJECT... [--text FILE...]
 *
 * The debug information of each OBJECT of the module has the structs to compare. Without --text all
 * their members must agree. With it, only those that the module uses: FILE is preprocessed source,
 * and a member is used if
 *   - the module has a variable of the struct, or reaches it from one through its members, and
 *   - source of DIR, or a header's function that an OBJECT contains, has the member's name.
 * Exit status: 0: they agree; 3: they differ, the output says where; 1: an error.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "structs.h"

/* Names of members, and all words, in the source; NULL without --text: all members count */
static struct words *members, *words;

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *allocate(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		die("out of memory");
	return p;
}

char *copy(const char *text, size_t len)
{
	return memcpy(allocate(len + 1), text, len);
}

static unsigned int hash(const char *text, size_t len)
{
	unsigned int sum = 2166136261u;

	while (len--)
		sum = (sum ^ (unsigned char)*text++) * 16777619u;
	return sum % BUCKETS;
}

struct layout *find(struct layouts *all, const char *key, bool add)
{
	struct layout **at = &all->bucket[hash(key, strlen(key))], *l;

	for (l = *at; l; l = l->next)
		if (!strcmp(l->key, key))
			return l;
	if (!add)
		return NULL;
	l = allocate(sizeof(*l));
	l->key = copy(key, strlen(key));
	l->next = *at;
	*at = l;
	return l;
}

bool has_word(struct words *all, const char *text, size_t len, bool add)
{
	struct word **at = &all->bucket[hash(text, len)], *w;

	for (w = *at; w; w = w->next)
		if (!strncmp(w->text, text, len) && !w->text[len])
			return true;
	if (add) {
		w = allocate(sizeof(*w));
		w->text = copy(text, len);
		w->next = *at;
		*at = w;
	}
	return false;
}

static bool is_enum(const struct layout *l)
{
	return !strncmp(l->key, "enum ", 5);
}

/* Does the module use this member? Of "a.b" the source must have b, of an enum any word. */
static bool is_member_used(const struct layout *l, const struct member *m)
{
	const char *last = strrchr(m->name, '.');
	const char *name = last ? last + 1 : m->name;

	if (!members || l->whole)
		return true;
	if (is_enum(l))
		return has_word(words, name, strlen(name), false);
	return l->used && has_word(members, name, strlen(name), false);
}

/* Mark the types of the members of @l as @used or @whole; true: one was not marked before */
static bool spread(struct layouts *all, struct layout *l)
{
	bool own = !l->vmlinux, new = false;
	struct layout *to;
	size_t i;

	for (i = 0; i < l->nr; i++) {
		to = l->members[i].type ? find(all, l->members[i].type, false) : NULL;
		if (!to)
			continue;
		/* a struct within one of the module's own, or within a whole one, is whole, too */
		if ((own || l->whole) && !l->members[i].pointer && !to->whole) {
			to->whole = true;
			new = true;
		}
		if ((own || is_member_used(l, &l->members[i])) && !to->used) {
			to->used = true;
			new = true;
		}
	}
	return new;
}

static void spread_all(struct layouts *all)
{
	struct layout *l;
	bool new;
	size_t i;

	do {
		new = false;
		for (i = 0; i < BUCKETS; i++)
			for (l = all->bucket[i]; l; l = l->next)
				if (l->used || l->whole)
					new |= spread(all, l);
	} while (new);
}

static const struct member *member_of(const struct layout *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->nr; i++)
		if (!strcmp(l->members[i].name, name))
			return &l->members[i];
	return NULL;
}

/* The first member of @l that @than lacks: an option of the kernel's configuration may add it */
static const struct member *more(const struct layout *than, const struct layout *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++)
		if (!member_of(than, l->members[i].name))
			return &l->members[i];
	return NULL;
}

/* The probable cause: the first member that differs, whether or not the module uses it */
static void print_cause(const struct layout *l)
{
	const struct member *extra = more(l, l->vmlinux), *theirs;
	size_t i;

	if (extra)
		printf("; the headers lack %s", extra->name);
	theirs = more(l->vmlinux, l);
	if (theirs)
		printf("; only the headers have %s", theirs->name);
	for (i = 0; !extra && !theirs && i < l->nr; i++) {
		extra = member_of(l->vmlinux, l->members[i].name);
		if (extra->size != l->members[i].size)
			printf("; the first of another size is %s", extra->name);
		else
			extra = NULL;
	}
}

static void print_place(const struct layout *l, const struct member *m)
{
	if (is_enum(l))
		printf("%lld", (long long)m->at);
	else if (m->at % 8)
		printf("bit %llu of byte %llu", (unsigned long long)m->at % 8,
		       (unsigned long long)m->at / 8);
	else
		printf("byte %llu", (unsigned long long)m->at / 8);
}

static void print_member(const struct layout *l, const struct member *ours,
			 const struct member *theirs)
{
	const char *is = is_enum(l) ? "is" : "is at";

	printf("%s: %s", l->key, ours->name);
	if (!theirs) {
		printf(" does not exist in vmlinux");
	} else if (theirs->at != ours->at) {
		printf(" %s ", is);
		print_place(l, theirs);
		printf(" in vmlinux, and ");
		print_place(l, ours);
		printf(" in the headers");
	} else {
		printf(" has %llu bits in vmlinux, and %llu in the headers",
		       (unsigned long long)theirs->size, (unsigned long long)ours->size);
	}
}

/* With --text the size of a nested struct may differ: its own layout is compared, too */
static bool is_same(const struct layout *l, const struct member *ours, const struct member *theirs)
{
	return theirs && theirs->at == ours->at &&
	       (theirs->size == ours->size || (members && ours->nested && !l->whole));
}

/* Print a line if the struct differs; false: no member that the module uses differs */
static bool print_difference(const struct layout *l)
{
	const struct member *ours, *theirs;
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < l->nr; i++) {
		ours = &l->members[i];
		theirs = member_of(l->vmlinux, ours->name);
		if (is_member_used(l, ours) && !is_same(l, ours, theirs) && !nr++)
			print_member(l, ours, theirs);
	}
	if (!nr && l->size != l->vmlinux->size && (!members || l->whole)) {
		printf("%s: it has %llu bytes in vmlinux, and %llu in the headers", l->key,
		       (unsigned long long)l->vmlinux->size, (unsigned long long)l->size);
		nr++;
	}
	if (!nr)
		return false;
	if (nr > 1)
		printf("; %u more differ", nr - 1);
	print_cause(l);
	putchar('\n');
	return true;
}

/* Print all differences; returns how many structs differ; @known: how many vmlinux has, too */
static unsigned int print_all(const struct layouts *all, unsigned int *known)
{
	unsigned int nr = 0;
	struct layout *l;
	size_t i;

	*known = 0;
	for (i = 0; i < BUCKETS; i++)
		for (l = all->bucket[i]; l; l = l->next) {
			if (!l->vmlinux || !l->nr)
				continue;
			(*known)++;
			if (!l->equal)
				nr += print_difference(l);
		}
	return nr;
}

int main(int argc, char **argv)
{
	static struct words member_words, all_words;
	struct inlined *inlined = NULL;
	static struct layouts all;
	unsigned int known, nr;
	int i;

	if (argc < 4)
		die("usage: structs DIR VMLINUX OBJECT... [--text FILE...]");
	for (i = 3; i < argc && strcmp(argv[i], "--text"); i++)
		if (!read_object(&all, &inlined, argv[i]))
			die("%s has no debug information", argv[i]);
	read_vmlinux(&all, argv[2]);
	if (i < argc) {
		members = &member_words;
		words = &all_words;
		for (i++; i < argc; i++)
			read_text(members, words, inlined, argv[1], argv[i]);
		spread_all(&all);
	}
	nr = print_all(&all, &known);
	if (!known)
		die("none of the structs are in the debug information of %s", argv[2]);
	return nr ? 3 : 0;
}
