// SPDX-License-Identifier: GPL-2.0
/*
 * For perf: where the kernel and its modules were, and a separate file with their functions
 *
 * perf.data has no function names. For the kernel perf reads them from /proc/kallsyms, or from a
 * file of that format.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/file-id.h"
#include "cli/json.h"
#include "export/perf.h"
#include "profile/kernel-syms.h"

#define KERNEL		"[kernel.kallsyms]"
#define KERNEL_START	0xffffffff80000000ULL	/* __START_KERNEL_map */
#define NOTES		"/sys/kernel/notes"
#define START		"_text"
#define UNKNOWN		"unknown"		/* perf takes a name in brackets for a module */

/**
 * struct area - the addresses of a module
 * @start: first address
 * @end: last address + 1
 * @name: its name in brackets
 * @part: it was loaded for only a part of the recording
 * @shared: another module used the addresses at another time, but perf allows one module there
 */
struct area {
	unsigned long long start;
	unsigned long long end;
	const char *name;
	int part;
	int shared;
};

/**
 * struct kernel - the recorded kernel
 * @functions: its functions
 * @one: all ranks that are shown had this kernel
 * @rank: the index of the first of them
 * @areas: its modules, by ascending address
 * @nr: number of @areas
 * @room: elements of @areas
 */
struct kernel {
	struct kernel_functions functions;
	int one;
	size_t rank;
	struct area *areas;
	size_t nr;
	size_t room;
};

static void add_area(struct kernel *k, unsigned long long start, unsigned long long end,
		     const char *name, int part)
{
	const struct area area = { .start = start, .end = end, .name = name, .part = part };

	k->areas = xgrow(k->areas, k->nr, &k->room, sizeof(*k->areas));
	k->areas[k->nr++] = area;
}

/* Add modules that were loaded all the time; an area is from the first to the last function */
static void add_modules(struct kernel *k)
{
	const struct symtab *table = &k->functions.always;
	const struct symbol *s;
	const char *last = NULL;

	for (s = table->symbols; s < table->symbols + table->nr; s++) {
		if (s->module && last && !strcmp(last, s->module))
			k->areas[k->nr - 1].end = s->end;
		else if (s->module)
			add_area(k, s->start, s->end, s->module, 0);
		/* a symbol without a name may lie inside a module: the module's area continues */
		if (*s->name)
			last = s->module;
	}
}

static int compare(const void *a, const void *b)
{
	const struct area *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : 0;
}

static void find_shared(struct kernel *k)
{
	unsigned long long reach = 0;
	struct area *last = NULL;
	size_t i, n;

	for (i = 0; i < k->nr; i++) {
		if (i && k->areas[i].start < reach) {
			last->shared = 1;
			k->areas[i].shared = 1;
		}
		/*
		 * mark a second area of this name: perf has only one place for a module's functions
		 */
		for (n = 0; n < i; n++)
			k->areas[i].shared |= !strcmp(k->areas[n].name, k->areas[i].name);
		if (k->areas[i].end > reach) {
			reach = k->areas[i].end;
			last = &k->areas[i];
		}
	}
}

static const char *boot_of(const struct data_file *f, size_t rank)
{
	return member_text(f->ranks[rank].info, "boot_id");
}

/* Do all ranks that are shown have the same kernel? *@first: the index of the first rank */
static int is_one_kernel(const struct profile *p, size_t *first)
{
	const struct data_file *f = &p->file;
	size_t i, nr = 0;

	for (i = 0; i < f->nr_ranks; i++) {
		if (!profile_passes_rank(p, f->ranks[i].rank))
			continue;
		if (nr++ && (!*boot_of(f, i) || strcmp(boot_of(f, i), boot_of(f, *first))))
			return 0;
		*first = nr == 1 ? i : *first;
	}
	return 1;
}

/* Take the first rank's functions if all ranks have its kernel: perf.data can have one kernel */
static void read_functions(struct kernel *k, const struct profile *p, const char *path)
{
	const struct data_file *f = &p->file;
	size_t i;

	k->one = is_one_kernel(p, &k->rank);
	if (!k->one && data_has_ksyms(f))
		complain("warning: %s: no functions of the kernel are named: the ranks ran on "
			 "several kernels, and perf has one; export the ranks of one host (--rank)",
			 path);
	if (!f->merged)
		kernel_functions_read(&k->functions, f, 0);
	if (!k->one || !f->merged)
		return;
	for (i = 0; i < f->nr_ranks; i++) {
		if (profile_passes_rank(p, f->ranks[i].rank))
			kernel_functions_add(&k->functions, f, i);
	}
	kernel_functions_join(&k->functions);
}

static void read_kernel(struct kernel *k, const struct profile *p, const char *path)
{
	size_t i;

	memset(k, 0, sizeof(*k));
	read_functions(k, p, path);
	add_modules(k);
	for (i = 0; i < k->functions.nr; i++)
		add_area(k, k->functions.modules[i].start, k->functions.modules[i].end,
			 k->functions.modules[i].name, 1);
	if (k->nr)
		qsort(k->areas, k->nr, sizeof(*k->areas), compare);
	find_shared(k);
}

static void free_kernel(struct kernel *k)
{
	kernel_functions_free(&k->functions);
	free(k->areas);
}

/*
 * The build id of the running kernel if it was recorded, else the boot id, which is no kernel's
 * build id. Without an id perf would look addresses up in the running kernel.
 */
static unsigned int kernel_id(const struct data_file *f, const struct kernel *k, unsigned char *id)
{
	const char *boot = k->one && *boot_of(f, k->rank) ? boot_of(f, k->rank) : "unknown";
	unsigned int size = strnlen(boot, FILE_ID_SIZE), found = 0;
	char notes[4096];
	ssize_t n;
	int fd;

	memcpy(id, boot, size);
	if (!data_same_boot(f))
		return size;
	fd = open(NOTES, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return size;
	n = read(fd, notes, sizeof(notes));
	if (n > 0)
		found = id_of_notes(notes, n, 4, id);
	close(fd);
	return found ? : size;
}

static void put_area(struct perf_data *d, unsigned long long start, unsigned long long end,
		     const char *name)
{
	const struct perf_mapping m = {
		.pid = PERF_NOBODY,
		.start = start,
		.length = end - start,
		.path = name,
	};

	perf_put_mapping(d, &m);
}

/* The kernel's own mapping, which perf needs before the modules' */
static void put_main(struct perf_data *d, const struct kernel *k)
{
	unsigned long long end = k->nr && k->areas[0].start > KERNEL_START ? k->areas[0].start :
									     PERF_OTHERS;
	unsigned char id[FILE_ID_SIZE];
	const struct perf_mapping m = {
		.pid = PERF_NOBODY,
		.start = KERNEL_START,
		.length = end - KERNEL_START,
		/* perf takes START's address in the list of functions as a load offset */
		.offset = data_same_boot(&d->p->file) ? 0 : KERNEL_START,
		.path = KERNEL START,
		.build_id = id,
		.build_id_size = kernel_id(&d->p->file, k, id),
	};

	perf_put_mapping(d, &m);
}

/*
 * perf reads its list of functions when it first needs a name of the kernel proper. A module whose
 * names it needs earlier never gets names. A record of a changed instruction makes perf read the
 * list; no function is at its address.
 */
static void put_change(struct perf_data *d)
{
	perf_begin(d, PERF_TEXT_POKE, PERF_KERNEL);
	put_u64(&d->record, KERNEL_START);
	/* old length 0, new length 1, the new byte, which is 0, and padding */
	put_u16(&d->record, 0);
	put_u16(&d->record, 1);
	put_u32(&d->record, 0);
	perf_end_other(d, PERF_NOBODY, 0, 0, 0);
}

static void warn_shared(const struct perf_data *d, const struct area *area)
{
	complain("warning: %s: no functions of module %s are named: perf has one module for an "
		 "address, and one place for a module", d->path, area->name);
}

static void warn_part(const struct perf_data *d, const struct area *area)
{
	complain("warning: %s: perf names functions of module %s where it was for a part of the "
		 "recording at any time", d->path, area->name);
}

void perf_put_kernel(struct perf_data *d)
{
	struct kernel k;
	size_t i;

	read_kernel(&k, d->p, d->path);
	put_main(d, &k);
	for (i = 0; i < k.nr; i++) {
		if (!k.areas[i].shared)
			put_area(d, k.areas[i].start, k.areas[i].end, k.areas[i].name);
		else
			warn_shared(d, &k.areas[i]);
		if (k.areas[i].part && !k.areas[i].shared)
			warn_part(d, &k.areas[i]);
	}
	if (k.nr)
		put_change(d);
	for (i = 0; i < d->p->file.nr_events; i++) {
		if (d->p->file.events[i].by_others)
			break;
	}
	if (i < d->p->file.nr_events)
		put_area(d, PERF_OTHERS, PERF_OTHERS + PERF_OTHERS_SIZE, "[not-program-related]");
	free_kernel(&k);
}

static void print_functions(FILE *f, const struct symtab *table, const char *module)
{
	const struct symbol *s;
	const char *last = module;

	for (s = table->symbols; s < table->symbols + table->nr; s++) {
		if (*s->name && !module)
			last = s->module;
		fprintf(f, "%016llx T %s%s%s\n", s->start, *s->name ? s->name : UNKNOWN,
			last ? "\t" : "", last ? : "");
	}
}

static void begin(struct target *t)
{
	struct kernel k;
	size_t i;

	read_kernel(&k, t->p, t->path);
	if (!k.functions.always.nr && !k.nr)
		complain("warning: %s is empty: the recording has no names of functions of the "
			 "kernel", t->path);
	fprintf(t->f, "%016llx T %s\n%016llx T %s\n", KERNEL_START, START, KERNEL_START + 1,
		UNKNOWN);
	print_functions(t->f, &k.functions.always, NULL);
	for (i = 0; i < k.functions.nr; i++)
		print_functions(t->f, &k.functions.modules[i].table, k.functions.modules[i].name);
	free_kernel(&k);
}

static void ignore_sample(struct target *t, const struct sample *sample)
{
}

static int finish(struct target *t)
{
	return 0;
}

static void end(struct target *t)
{
}

const struct format kallsyms_format = {
	.option = "--kallsyms",
	.begin = begin,
	.sample = ignore_sample,
	.finish = finish,
	.end = end,
};
