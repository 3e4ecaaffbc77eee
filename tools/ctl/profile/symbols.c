// SPDX-License-Identifier: GPL-2.0
/* Names of addresses */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file-id.h"
#include "cli/text.h"
#include "profile/code.h"
#include "profile/kernel-syms.h"
#include "profile/properties.h"
#include "profile/ranks.h"
#include "profile/symbols.h"

#define KERNEL	"[kernel.kallsyms]"	/* as perf has it */
#define UNKNOWN	"[unknown]"
#define BY_OTHERS	"[not-program-related]"
#define VDSO	"[vdso]"
#define DELETED	" (deleted)"

/* @map: NULL: no mapping has the address */
struct seen_key {
	const struct map *map;
	unsigned long long addr;
};

/* An address of a sample, and its place */
struct seen {
	struct seen_key key;
	struct place *place;
	UT_hash_handle hh;
};

/**
 * struct known_kernel - the kernel of a recording
 * @map: stands for the mapping of its addresses, which no process has
 * @functions: its functions, if they are
 * @loaded: already
 */
struct known_kernel {
	struct map map;
	struct kernel_functions functions;
	int loaded;
};

struct place_key {
	struct dso *dso;
	unsigned long long addr;
	const struct symbol *symbol;
};

/* The most files without names that get a message of their own */
#define MAX_UNNAMED	10

struct symbols {
	const struct data_file *file;
	const char *sysroot;
	char *debug;
	struct known_kernel *kernels;
	struct known_kernel *kernel;
	size_t nr_kernels;
	struct codes codes;
	struct dso *dsos;
	struct place *places;
	struct seen *seen;
	struct label *labels;
	const struct label **by_id;
	size_t room_ids;
	struct srclines srclines;
	int same_system;
	unsigned int nr_unnamed;
};

struct symbols *symbols_new(const struct data_file *f, const char *sysroot)
{
	struct symbols *s = xalloc(1, sizeof(*s));

	s->file = f;
	s->sysroot = sysroot;
	s->nr_kernels = f->nr_ranks ? : 1;
	s->kernels = xalloc(s->nr_kernels, sizeof(*s->kernels));
	s->kernel = s->kernels;
	codes_read(&s->codes, f);
	s->same_system = !sysroot && data_same_boot(f);
	/* the default search path of elfutils, within the recorded machine's files */
	if (sysroot && asprintf(&s->debug, ":.debug:%s/usr/lib/debug", sysroot) < 0)
		out_of_memory();
	return s;
}

static void free_dsos(struct symbols *s)
{
	struct dso *dso, *next;

	HASH_ITER(hh, s->dsos, dso, next) {
		HASH_DEL(s->dsos, dso);
		symtab_free(&dso->table);
		elf_file_close(dso->elf);
		elf_file_close(dso->image);
		free(dso->key);
		free(dso);
	}
}

void symbols_choose(struct symbols *s, unsigned int rank_index)
{
	s->kernel = &s->kernels[rank_index];
}

void symbols_free(struct symbols *s)
{
	size_t i;

	if (!s)
		return;
	if (s->nr_unnamed > MAX_UNNAMED)
		complain("warning: the functions of %u more files are not named",
			 s->nr_unnamed - MAX_UNNAMED);
	free_entries(s->seen);
	free_entries(s->places);
	free_entries(s->labels);
	srclines_free(&s->srclines);
	free(s->by_id);
	free_dsos(s);
	for (i = 0; i < s->nr_kernels; i++)
		kernel_functions_free(&s->kernels[i].functions);
	free(s->kernels);
	codes_free(&s->codes);
	free(s->debug);
	free(s);
}

static void set_id(const struct symbols *s, struct dso *dso, const struct file_key *file)
{
	dso->build_id_size = file->build_id_size;
	if (file->build_id_size)
		memcpy(dso->build_id, file->build_id, file->build_id_size);
	dso->has_identity = !!file->identity;
	if (file->identity)
		dso->identity = *file->identity;
	dso->same_system = s->same_system;
	dso->of_card = s->file->pmu.kind == KNCPMU_PMU_KNC;
}

struct dso *symbols_dso(struct symbols *s, const struct file_key *file)
{
	size_t length = strlen(file->path) + 1, id = file->build_id_size;
	size_t size = length + id + (file->identity ? sizeof(*file->identity) : 0);
	struct dso *dso;
	char *key;

	key = xalloc(1, size);
	memcpy(key, file->path, length);
	if (id)
		memcpy(key + length, file->build_id, id);
	if (file->identity)
		memcpy(key + length + id, file->identity, sizeof(*file->identity));
	HASH_FIND(hh, s->dsos, key, size, dso);
	if (dso) {
		free(key);
		return dso;
	}
	dso = xalloc(1, sizeof(*dso));
	dso->key = key;
	dso->name = intern_text(file->path);
	/* "//anon" is perf's name of anonymous memory, not a path */
	dso->short_name = strncmp(file->path, "//", 2) ? intern_text(base_name(file->path)) :
							 dso->name;
	set_id(s, dso, file);
	HASH_ADD_KEYPTR(hh, s->dsos, dso->key, size, dso);
	return dso;
}

static struct dso *pseudo_dso(struct symbols *s, const char *name)
{
	struct file_key file = { .path = name };

	return symbols_dso(s, &file);
}

/* Count a file without function names; returns whether its reason is to be printed */
static int tells_unnamed(struct symbols *s)
{
	return s->nr_unnamed++ < MAX_UNNAMED;
}

/* Give up on a file that is not the recorded one, because wrong names are worse than none */
static void not_recorded(struct symbols *s, struct dso *dso)
{
	const char *why = dso->build_id_size ? "its build id is another one" :
			  "it has no build id, and its size or its time is another one";

	if (tells_unnamed(s))
		complain("warning: %s is not the file that was recorded (%s): its functions "
			 "are not named", dso->name, why);
	dso->name = intern_format("%s [file changed]", dso->name);
	dso->short_name = intern_format("%s [file changed]", dso->short_name);
}

size_t file_name_length(const char *name)
{
	size_t length = strlen(name), mark = strlen(DELETED);

	return length > mark && !strcmp(name + length - mark, DELETED) ? length - mark : length;
}

/* The file's path on this machine, to be freed; NULL: it is no file */
static char *path_here(const struct symbols *s, const struct dso *dso)
{
	char *path;

	if (dso->key[0] != '/' || dso->key[1] == '/')
		return NULL;
	if (asprintf(&path, "%s%s", s->sysroot ? : "", dso->key) < 0)
		out_of_memory();
	return path;
}

const struct dso *symbols_other_id(struct symbols *s, const struct file_key *file)
{
	struct dso *dso = symbols_dso(s, file);
	char *path;

	if (dso->other_id_known)
		return dso;
	path = path_here(s, dso);
	elf_file_other_id(dso, path ? : "");
	free(path);
	return dso;
}

static void load(struct symbols *s, struct dso *dso)
{
	enum elf_result result;
	char *path;

	dso->loaded = 1;
	if (!strcmp(dso->key, VDSO)) {
		elf_vdso(dso);
		return;
	}
	path = path_here(s, dso);
	if (!path)
		return;
	result = elf_file_open(dso, path, s->debug ? &s->debug : NULL);
	free(path);
	if (result == ELF_CHANGED)
		not_recorded(s, dso);
	if (result == ELF_NONE && file_name_length(dso->name) == strlen(dso->name) &&
	    tells_unnamed(s))
		complain("warning: %s%s can't be read here: its functions are not named; "
			 "--sysroot DIR: DIR has the files of the recorded machine",
			 s->sysroot ? : "", dso->name);
}

static const char *demangle(struct symbol *sym)
{
	char *text;

	if (sym->demangled)
		return sym->name;
	sym->demangled = 1;
	text = demangle_name(sym->name);
	sym->name = intern_text(text ? : sym->name);
	free(text);
	return sym->name;
}

/* The function's name; if the file has several of that name, also its address */
static const char *function_name(const struct dso *dso, struct symbol *sym)
{
	const char *name = demangle(sym);
	struct source source;

	if (!sym->twin)
		return name;
	if (!dso->elf || !elf_file_line(dso->elf, sym->start, &source))
		return intern_format("%s [0x%llx]", name, sym->start);
	name = intern_format("%s [%s:%d]", name, source.given, source.line);
	free(source.path);
	return name;
}

const struct label *symbols_label(struct symbols *s, const char *text,
				  int kernel, int thread)
{
	struct label key, *label;

	memset(&key, 0, sizeof(key));
	key.key.text = text;
	key.key.kernel = kernel;
	key.key.thread = thread;
	HASH_FIND(hh, s->labels, &key.key, sizeof(key.key), label);
	if (label)
		return label;
	label = xalloc(1, sizeof(*label));
	*label = key;
	label->id = HASH_COUNT(s->labels);
	s->by_id = xgrow(s->by_id, label->id, &s->room_ids, sizeof(*s->by_id));
	s->by_id[label->id] = label;
	HASH_ADD(hh, s->labels, key, sizeof(label->key), label);
	return label;
}

unsigned int symbols_nr_labels(const struct symbols *s)
{
	return HASH_COUNT(s->labels);
}

const struct label *symbols_label_at(const struct symbols *s, unsigned int id)
{
	return s->by_id[id];
}

/* The common label of all functions of a file without symbols */
static const char *file_label(const struct dso *dso)
{
	const char *name = base_name(dso->short_name);

	return *name == '[' ? name : intern_format("[%.*s]", (int)file_name_length(name), name);
}

static struct place *make_place(struct symbols *s, struct place_key *key, struct symbol *sym)
{
	struct dso *dso = key->dso;
	struct place *place;

	key->symbol = sym;
	HASH_FIND(hh, s->places, key, sizeof(*key), place);
	if (place)
		return place;
	place = xalloc(1, sizeof(*place));
	place->dso = dso;
	place->addr = key->addr;
	place->symbol = sym;
	place->name = sym ? function_name(dso, sym) : intern_format("0x%llx", key->addr);
	place->row = symbols_label(s, place->name, dso->kernel, 0);
	place->label = symbols_label(s, sym ? place->name : file_label(dso), dso->kernel, 0);
	HASH_ADD(hh, s->places, dso, sizeof(*key), place);
	return place;
}

static struct place *kernel_place(struct symbols *s, unsigned long long addr,
				  unsigned long long time, int *for_good)
{
	struct place_key key = { .addr = addr };
	const char *module;
	struct symbol *sym;

	if (!s->kernel->loaded) {
		s->kernel->loaded = 1;
		kernel_functions_read(&s->kernel->functions, s->file, s->kernel - s->kernels);
	}
	sym = kernel_functions_find(&s->kernel->functions, addr, time, &module, for_good);
	key.dso = pseudo_dso(s, module ? : KERNEL);
	key.dso->kernel = 1;
	return make_place(s, &key, sym);
}

/*
 * Name JIT code as perf does. For a rank add the number on its host, which other hosts may have too
 */
static const char *jit_name(const struct data_file *f, unsigned int pid)
{
	if (!f->merged)
		return intern_format("[JIT] tid %u", pid);
	return intern_format("[JIT] rank %lld tid %u", data_task_rank(f, pid),
			     data_task_number(f, pid));
}

/* The place of JIT code, named as perf names it */
static struct place *made_place(struct symbols *s, unsigned int pid, unsigned long long addr,
				unsigned long long time, int *for_good)
{
	struct place_key key = { .addr = addr };

	key.dso = pseudo_dso(s, intern_format("/tmp/perf-%u.map", pid));
	key.dso->short_name = jit_name(s->file, pid);
	key.dso->loaded = 1;
	return make_place(s, &key, codes_find(&s->codes, pid, addr, time, for_good));
}

/* Are addresses offsets in a file (or vdso)? In other memory they are run-time addresses */
static int is_file(const struct dso *dso)
{
	return dso->elf || dso->table.nr ||
	       ((dso->key[0] == '/' || !strcmp(dso->key, VDSO)) && !is_made_at_run_time(dso->key));
}

static struct place *user_place(struct symbols *s, const struct map *map,
				unsigned long long addr, unsigned long long time, int *for_good)
{
	struct place_key key = { .addr = addr };

	if (!map) {
		key.dso = pseudo_dso(s, UNKNOWN);
		return make_place(s, &key, NULL);
	}
	key.dso = map->dso;
	if (is_made_at_run_time(map->dso->key) && codes_of(&s->codes, map->pid))
		return made_place(s, map->pid, addr, time, for_good);
	if (!map->dso->loaded)
		load(s, map->dso);
	if (!is_file(map->dso))
		return make_place(s, &key, NULL);
	key.addr = addr - map->start + map->offset;
	if (map->dso->elf && !elf_file_addr(map->dso->elf, key.addr, &key.addr))
		return make_place(s, &key, NULL);
	return make_place(s, &key, symtab_find(&map->dso->table, key.addr));
}

struct place *symbols_place(struct symbols *s, const struct space *space,
			    unsigned long long addr, int kernel, unsigned long long time)
{
	struct seen_key key = { kernel ? &s->kernel->map : space_find(space, addr), addr };
	struct place *place;
	struct seen *seen;
	int for_good = 1;

	HASH_FIND(hh, s->seen, &key, sizeof(key), seen);
	if (seen)
		return seen->place;
	place = kernel ? kernel_place(s, addr, time, &for_good) :
			 user_place(s, key.map, addr, time, &for_good);
	if (!for_good)
		return place;
	seen = xalloc(1, sizeof(*seen));
	seen->key = key;
	seen->place = place;
	HASH_ADD(hh, s->seen, key, sizeof(seen->key), seen);
	return seen->place;
}

struct elf_file *symbols_file(struct symbols *s, const struct space *space,
			      unsigned long long addr, unsigned long long *at)
{
	const struct map *map = space_find(space, addr);
	struct elf_file *file;

	if (!map)
		return NULL;
	if (!map->dso->loaded)
		load(s, map->dso);
	file = map->dso->elf ? : map->dso->image;
	*at = addr - map->start + map->offset;
	return file && elf_file_addr(file, *at, at) ? file : NULL;
}

struct place *symbols_by_others(struct symbols *s)
{
	static struct symbol by_others = { .name = BY_OTHERS, .demangled = 1 };
	struct place_key key = { .dso = pseudo_dso(s, BY_OTHERS) };

	return make_place(s, &key, &by_others);
}

/* Format "file+0xOFFSET"; as in perf, run-time addresses are in brackets */
static const char *no_srcline(const struct place *place)
{
	const struct dso *dso = place->dso;

	return intern_format(is_file(dso) ? "%s+0x%llx" : "%s[0x%llx]", dso->short_name,
			     place->addr);
}

const struct srcline *symbols_srcline(struct symbols *s, struct place *place)
{
	struct source source;

	if (place->srcline)
		return place->srcline;
	if (!place->dso->elf || !elf_file_line(place->dso->elf, place->addr, &source)) {
		place->srcline = srclines_get(&s->srclines, NULL, 0, no_srcline(place));
		return place->srcline;
	}
	place->srcline = srclines_get(&s->srclines, intern_text(source.path), source.line, NULL);
	free(source.path);
	return place->srcline;
}

const char *symbols_srcline_text(const struct symbols *s, const struct srcline *line)
{
	return srclines_text(&s->srclines, line);
}

void symbols_agree(struct symbols *a, struct symbols *b)
{
	srclines_agree(&a->srclines, &b->srclines);
}
