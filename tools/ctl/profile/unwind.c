// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinds call chains without frame pointers, by a copy of the stack and DWARF unwinding tables
 *
 * For an address libdw reads from .eh_frame or .debug_frame how to compute the caller's registers.
 * This recipe is kept, because samples have the same addresses again and again. A function without
 * tables, such as JIT code, is unwound by its frame pointer if that points to a plausible frame.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "profile/expression.h"
#include "profile/unwind.h"

#define BP64	6
#define SP64	7
#define IP64	16
#define BP32	5
#define SP32	4
#define IP32	8

/* How to find the caller of the code at an address; @frame is NULL without tables */
struct recipe {
	struct {
		struct elf_file *file;
		unsigned long long addr;
	} key;
	Dwarf_Frame *frame;
	unsigned int ra;
	int signal;
	UT_hash_handle hh;
};

/* Where a call chain ended */
enum ending {
	END_WHOLE,	/* at the outermost function: the chain is complete */
	END_STACK,	/* at the end of the copy: the stack was larger */
	END_NO_COPY,	/* the sample has no copy of the stack */
	END_TABLES,	/* at a function without tables and frame pointer */
	ENDINGS
};

struct unwinder {
	struct symbols *symbols;
	struct recipe *recipes;
	unsigned long long ended[ENDINGS];
};

/**
 * struct walk - a sample while it is unwound
 * @u: the unwinder
 * @space: mappings of the process
 * @copy: the copy of the stack
 * @base: first address of the copied stack
 * @size: bytes of @copy
 * @regs: registers, by their DWARF numbers
 * @known: bit n: the value of @regs[n] is known
 * @nr: number of registers
 * @word: bytes of an address
 * @bp: number of the frame pointer
 * @sp: number of the stack pointer
 * @ip: number of the instruction pointer
 * @unread: this step needed memory of which the contents are not known
 * @beyond: this memory was above the copied stack
 */
struct walk {
	struct unwinder *u;
	const struct space *space;
	const char *copy;
	unsigned long long base;
	unsigned int size;
	unsigned long long regs[KNC_PMU_STACK_REGS];
	unsigned int known;
	unsigned int nr;
	unsigned int word;
	unsigned int bp;
	unsigned int sp;
	unsigned int ip;
	int unread;
	int beyond;
};

struct unwinder *unwinder_new(struct symbols *symbols)
{
	struct unwinder *u = xalloc(1, sizeof(*u));

	u->symbols = symbols;
	return u;
}

void unwinder_free(struct unwinder *u)
{
	struct recipe *recipe, *next;

	if (!u)
		return;
	HASH_ITER(hh, u->recipes, recipe, next) {
		HASH_DEL(u->recipes, recipe);
		free(recipe->frame);
		free(recipe);
	}
	free(u);
}

static const struct recipe *find_recipe(struct unwinder *u, struct elf_file *file,
					unsigned long long addr)
{
	struct recipe key, *recipe;
	bool signal = false;
	int ra;

	memset(&key, 0, sizeof(key));
	key.key.file = file;
	key.key.addr = addr;
	HASH_FIND(hh, u->recipes, &key.key, sizeof(key.key), recipe);
	if (recipe)
		return recipe;
	recipe = xalloc(1, sizeof(*recipe));
	*recipe = key;
	recipe->frame = elf_file_frame(file, addr);
	ra = recipe->frame ? dwarf_frame_info(recipe->frame, NULL, NULL, &signal) : -1;
	if (ra < 0) {
		free(recipe->frame);
		recipe->frame = NULL;
	}
	recipe->ra = ra;
	recipe->signal = signal;
	HASH_ADD(hh, u->recipes, key, sizeof(recipe->key), recipe);
	return recipe;
}

/* Read from a mapped file the memory that is not in the copy: parts that are never written */
static int read_file(struct walk *w, unsigned long long addr, unsigned int size,
		     unsigned long long *value)
{
	const unsigned char *bytes;
	unsigned long long at;
	struct elf_file *file = symbols_file(w->u->symbols, w->space, addr, &at);
	size_t there = size;

	bytes = file ? elf_file_bytes(file, at, &there) : NULL;
	if (!bytes || there < size)
		return 0;
	*value = 0;
	memcpy(value, bytes, size);
	return 1;
}

static int read_memory(void *ctx, unsigned long long addr, unsigned int size,
		       unsigned long long *value)
{
	struct walk *w = ctx;

	if (addr >= w->base && addr - w->base <= w->size && w->size - (addr - w->base) >= size) {
		*value = 0;
		memcpy(value, w->copy + (addr - w->base), size);
		return 1;
	}
	if (read_file(w, addr, size, value))
		return 1;
	w->unread = 1;
	w->beyond = addr >= w->base;
	return 0;
}

/* Compute the caller's register @reg from the table; returns 0 if its value is not known */
static int caller_register(struct walk *w, const struct machine *m, Dwarf_Frame *frame,
			   unsigned int reg, unsigned long long *value)
{
	Dwarf_Op room[3], *ops = NULL;
	size_t nr = 0;

	if (dwarf_frame_register(frame, reg, room, &ops, &nr))
		return 0;
	if (nr)
		return expression_value(m, ops, nr, 1, value);
	/* no rule: with @ops NULL the caller has the same value, otherwise its value is lost */
	*value = w->regs[reg];
	return !ops && w->known >> reg & 1;
}

/* Step to the caller by the unwinding tables; returns 0 if they don't lead to it */
static int step_by_table(struct walk *w, const struct recipe *recipe)
{
	struct machine m = {
		.regs = w->regs, .known = w->known, .nr = w->nr, .word = w->word,
		.read = read_memory, .ctx = w,
	};
	unsigned long long regs[KNC_PMU_STACK_REGS] = { 0 }, mask = w->word == 4 ? ~0U : ~0ULL;
	unsigned int reg, known = 0;
	Dwarf_Op *ops;
	size_t nr = 0;

	if (recipe->ra >= w->nr || dwarf_frame_cfa(recipe->frame, &ops, &nr) || !nr ||
	    !expression_value(&m, ops, nr, 0, &m.cfa))
		return 0;
	m.cfa &= mask;
	for (reg = 0; reg < w->nr; reg++)
		if (caller_register(w, &m, recipe->frame, reg, &regs[reg])) {
			regs[reg] &= mask;
			known |= 1U << reg;
		}
	/* only the outermost function has no return address by its table: unread memory is none */
	if (!(known >> recipe->ra & 1) && w->unread)
		return 0;
	/* a caller's stack pointer is higher, unless a signal handler has a stack of its own */
	if (!(known >> w->sp & 1) || (!recipe->signal && regs[w->sp] <= w->regs[w->sp]))
		return 0;
	regs[w->ip] = known >> recipe->ra & 1 ? regs[recipe->ra] : 0;
	memcpy(w->regs, regs, sizeof(regs));
	w->known = known | 1U << w->ip;
	return 1;
}

/* Step to the caller by a frame pointer, if it is above SP and its return address is mapped */
static int step_by_frame(struct walk *w)
{
	unsigned long long fp = w->regs[w->bp], next, ret;

	if (!(w->known >> w->bp & 1) || fp < w->regs[w->sp] ||
	    !read_memory(w, fp, w->word, &next) || !read_memory(w, fp + w->word, w->word, &ret) ||
	    !space_find(w->space, ret))
		return 0;
	w->regs[w->ip] = ret;
	w->regs[w->sp] = fp + 2 * w->word;
	w->regs[w->bp] = next;
	w->known = 1U << w->ip | 1U << w->sp | 1U << w->bp;
	return 1;
}

/* The recipe for an address; NULL: no file that can be read is mapped there */
static const struct recipe *recipe_at(struct walk *w, unsigned long long ip)
{
	unsigned long long addr;
	struct elf_file *file = symbols_file(w->u->symbols, w->space, ip, &addr);

	return file ? find_recipe(w->u, file, addr) : NULL;
}

static int has_tables(const struct recipe *recipe)
{
	return recipe && recipe->frame;
}

/*
 * The recipe for the instruction pointer. *@exact says that it is no return address. After a system
 * call that is the last instruction of its function, it is outside: then look one byte before.
 */
static const struct recipe *next_recipe(struct walk *w, int *exact)
{
	unsigned long long ip = w->regs[w->ip];
	const struct recipe *recipe = recipe_at(w, *exact ? ip : ip - 1), *before;

	if (!*exact || has_tables(recipe))
		return recipe;
	before = recipe_at(w, ip - 1);
	if (!has_tables(before))
		return recipe;
	*exact = 0;
	return before;
}

/* Step to the caller. Returns 0 at the end of the chain; *@ending says why it ends early */
static int step(struct walk *w, const struct recipe *recipe, enum ending *ending)
{
	int done;

	w->unread = 0;
	w->beyond = 0;
	done = has_tables(recipe) ? step_by_table(w, recipe) : step_by_frame(w);
	if (done && w->regs[w->ip])
		return 1;
	/* the dynamic linker's entry has no tables, and its chain is complete */
	if (!done && !(recipe && elf_file_is_entry(recipe->key.file, recipe->key.addr)))
		*ending = w->beyond ? END_STACK : END_TABLES;
	return 0;
}

/* A 32-bit program numbers its registers differently in DWARF */
static void take_regs32(struct walk *w, const __u64 *regs)
{
	static const unsigned char from[] = { 0, 2, 1, 3, 7, 6, 4, 5, 16 };
	unsigned int i;

	w->nr = ARRAY_SIZE(from);
	for (i = 0; i < w->nr; i++)
		w->regs[i] = (__u32)regs[from[i]];
	w->word = 4;
	w->bp = BP32;
	w->sp = SP32;
	w->ip = IP32;
}

static void take_regs(struct walk *w, const struct knc_pmu_stack *stack)
{
	if (stack->flags & KNC_PMU_STACK_32BIT) {
		take_regs32(w, stack->regs);
	} else {
		w->nr = KNC_PMU_STACK_REGS;
		memcpy(w->regs, stack->regs, sizeof(w->regs));
		w->word = 8;
		w->bp = BP64;
		w->sp = SP64;
		w->ip = IP64;
	}
	w->known = (1U << w->nr) - 1;
	w->base = w->regs[w->sp];
	w->size = stack->size;
	w->copy = (const char *)(stack + 1);
}

/* A signal trampoline's address is exact: one byte before it is another function */
static enum ending follow(struct walk *w, struct callers *to)
{
	enum ending ending = END_WHOLE;
	const struct recipe *recipe;
	int exact = 1, signal, more;

	do {
		recipe = next_recipe(w, &exact);
		signal = recipe && recipe->signal;
		to->ips[to->nr] = w->regs[w->ip];
		to->exact[to->nr++] = exact || signal;
		more = step(w, recipe, &ending);
		exact = signal;
	} while (more && to->nr < KNC_PMU_MAX_FRAMES);
	return ending;
}

void unwind(struct unwinder *u, const struct space *space, const struct knc_pmu_stack *stack,
	    struct callers *to)
{
	struct walk w = { .u = u, .space = space };

	to->nr = 0;
	if (!stack->size) {
		u->ended[END_NO_COPY]++;
		return;
	}
	take_regs(&w, stack);
	u->ended[follow(&w, to)]++;
}

static void tell(unsigned long long nr, unsigned long long all, const char *why)
{
	if (nr)
		complain("warning: %llu of %llu call chains end early: %s", nr, all, why);
}

void unwinder_tell(struct unwinder *u)
{
	unsigned long long all = 0;
	unsigned int i;

	for (i = 0; i < ENDINGS; i++)
		all += u->ended[i];
	tell(u->ended[END_STACK], all,
	     "the stack is larger than its copy; record --call-graph dwarf,SIZE: at most 61440");
	tell(u->ended[END_NO_COPY], all,
	     "their stack was not copied, because the ring was full or the kernel was just entered; "
	     "a larger --ring-size, or fewer samples, help");
	tell(u->ended[END_TABLES], all,
	     "a function has no unwinding tables and no frame pointer, or its file is not here");
	memset(u->ended, 0, sizeof(u->ended));
}
