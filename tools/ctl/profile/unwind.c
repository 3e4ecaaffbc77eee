// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinds call chains without frame pointers, by a copy of the stack and DWARF unwinding tables
 *
 * From .eh_frame or .debug_frame libdw reads how to compute the caller's registers for an address.
 * This recipe is kept, because addresses recur in samples. A signal trampoline is known by its code
 * where no table tells (trampoline.c). Where the tables end, the frame pointer is followed if it
 * points to a plausible frame: in JIT code, for example, or above the copy of the stack, where the
 * kernel has followed the frame pointers.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "profile/expression.h"
#include "profile/trampoline.h"
#include "profile/unwind.h"

#define BP64	6
#define SP64	7
#define IP64	16
#define BP32	5
#define SP32	4
#define IP32	8

/**
 * struct recipe - how to find the caller of the code at an address
 * @key: the address, by the file's headers
 * @frame: its entry in the tables; NULL: it has none
 * @ra: DWARF's number of the return address
 * @signal: it is a signal trampoline
 * @untabled: and the tables don't say so
 * @called: the previous instruction is a call; false if the file lacks these bytes
 * @hh: in a hash, by @key
 */
struct recipe {
	struct {
		struct elf_file *file;
		unsigned long long addr;
	} key;
	Dwarf_Frame *frame;
	unsigned int ra;
	int signal;
	int untabled;
	int called;
	UT_hash_handle hh;
};

/* Why unwinding by tables ended */
enum ending {
	END_WHOLE,	/* at the outermost function: the chain is complete */
	END_STACK,	/* at the end of the copy: the stack was larger */
	END_NO_COPY,	/* the sample has no copy of the stack */
	END_TABLES,	/* at a function without tables */
	ENDINGS
};

/**
 * struct unwinder - finds the callers of the samples of a recording
 * @symbols: its files
 * @max: most addresses of a chain
 * @recipes: the recipes that are known
 * @ended: chains that end where the tables do, by the reason; [END_WHOLE]: by tables alone
 * @continued: chains that go on by frame pointers there
 */
struct unwinder {
	struct symbols *symbols;
	unsigned int max;
	struct recipe *recipes;
	unsigned long long ended[ENDINGS];
	unsigned long long continued[ENDINGS];
};

/**
 * struct walk - a sample while it is unwound
 * @u: the unwinder
 * @space: mappings of the process
 * @chain: the call chain by frame pointers, as the kernel has followed them
 * @nr_chain: number of addresses of @chain; the first is no return address
 * @frame: the frame pointer with which @chain begins
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
 * @left: why the tables were left last; END_WHOLE: never
 * @by_frame: the last step was by a frame pointer
 * @unmapped: the sample's own address is in no mapping: not all of them are known
 */
struct walk {
	struct unwinder *u;
	const struct space *space;
	const __u64 *chain;
	unsigned int nr_chain;
	unsigned long long frame;
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
	enum ending left;
	int by_frame;
	int unmapped;
};

struct unwinder *unwinder_new(struct symbols *symbols, unsigned int max)
{
	struct unwinder *u = xalloc(1, sizeof(*u));

	u->symbols = symbols;
	u->max = max && max < KNC_PMU_MAX_FRAMES ? max : KNC_PMU_MAX_FRAMES;
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

/*
 * Is the instruction that ends at @addr a call? CALL rel32 has 5 bytes. CALL r/m64, FF /2, has 2 to
 * 7: FF is followed by ModRM, which may have a SIB byte and a displacement.
 */
static int follows_call(const struct elf_file *file, unsigned long long addr)
{
	static const struct {
		unsigned char bytes;
		unsigned char modrm;
		unsigned char mask;
	} forms[] = {
		{ 2, 0xd0, 0xf8 }, { 2, 0x10, 0xf8 }, { 3, 0x50, 0xf8 }, { 3, 0x14, 0xff },
		{ 4, 0x54, 0xff }, { 6, 0x90, 0xf8 }, { 6, 0x15, 0xff }, { 7, 0x94, 0xff },
	};
	const unsigned char *code;
	size_t size = 7;
	unsigned int i;

	code = addr < size ? NULL : elf_file_bytes(file, addr - size, &size);
	if (!code || size < 7)
		return 0;
	if (code[2] == 0xe8)
		return 1;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		const unsigned char *at = code + 7 - forms[i].bytes;

		if (at[0] == 0xff && (at[1] & forms[i].mask) == forms[i].modrm)
			return 1;
	}
	return 0;
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
	recipe->untabled = !signal && is_trampoline(file, addr);
	recipe->signal = signal || recipe->untabled;
	recipe->called = follows_call(file, addr);
	HASH_ADD(hh, u->recipes, key, sizeof(recipe->key), recipe);
	return recipe;
}

/* Read memory that is not in the copy from a mapped file, if it is never written */
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

static int read_copy(const struct walk *w, unsigned long long addr, unsigned int size,
		     unsigned long long *value)
{
	if (addr < w->base || addr - w->base > w->size || w->size - (addr - w->base) < size)
		return 0;
	*value = 0;
	memcpy(value, w->copy + (addr - w->base), size);
	return 1;
}

static int read_memory(void *ctx, unsigned long long addr, unsigned int size,
		       unsigned long long *value)
{
	struct walk *w = ctx;

	if (read_copy(w, addr, size, value) || read_file(w, addr, size, value))
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
	/* no rule: if @ops is NULL the value is unchanged in the caller, else it is lost */
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
	/*
	 * unread memory is unknown: only the outermost function's table says that there is no
	 * return address
	 */
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

/* Step from a trampoline without a table to the interrupted code; returns 0 if it is not copied */
static int step_by_sigcontext(struct walk *w)
{
	unsigned long long at = w->regs[w->sp] + TRAMPOLINE_REGS, regs[KNC_PMU_STACK_REGS];
	unsigned int i;

	if (w->nr != ARRAY_SIZE(trampoline_regs))
		return 0;
	for (i = 0; i < w->nr; i++, at += 8) {
		if (!read_copy(w, at, 8, &regs[trampoline_regs[i]])) {
			w->beyond = at >= w->base;
			return 0;
		}
	}
	memcpy(w->regs, regs, sizeof(regs));
	w->known = (1U << w->nr) - 1;
	return 1;
}

/* The recipe for an address; NULL: no readable file is mapped there */
static const struct recipe *recipe_at(struct walk *w, unsigned long long ip)
{
	unsigned long long addr;
	struct elf_file *file = symbols_file(w->u->symbols, w->space, ip, &addr);

	return file ? find_recipe(w->u, file, addr) : NULL;
}

/*
 * Can it be a return address? A register that is no frame pointer may point to anything. A signal
 * handler returns to a trampoline, which contains no call.
 */
static int is_return(struct walk *w, unsigned long long addr)
{
	const struct recipe *recipe;

	if (!space_find(w->space, addr))
		return w->unmapped;
	recipe = recipe_at(w, addr);
	return !recipe || recipe->called || recipe->signal;
}

/* Step to the caller by a frame pointer, if it is above SP and points to a plausible frame */
static int step_by_frame(struct walk *w)
{
	unsigned long long fp = w->regs[w->bp], next, ret;

	if (!(w->known >> w->bp & 1) || fp < w->regs[w->sp] ||
	    !read_memory(w, fp, w->word, &next) || !read_memory(w, fp + w->word, w->word, &ret) ||
	    !is_return(w, ret))
		return 0;
	w->regs[w->ip] = ret;
	w->regs[w->sp] = fp + 2 * w->word;
	w->regs[w->bp] = next;
	w->known = 1U << w->ip | 1U << w->sp | 1U << w->bp;
	return 1;
}

/*
 * Append the rest of the kernel's chain from the frame pointer's frame on, which is above the copy.
 * The frames of the copy lead there, unless the program used the register otherwise.
 */
static void add_chain(struct walk *w, struct callers *to)
{
	unsigned long long at = w->frame, fp = w->regs[w->bp];
	unsigned int i = 1;

	if (!(w->known >> w->bp & 1) || fp < w->regs[w->sp])
		return;
	while (at < fp && i < w->nr_chain && read_memory(w, at, w->word, &at))
		i++;
	if (at != fp)
		return;
	for (; i < w->nr_chain && to->nr < w->u->max && is_return(w, w->chain[i]); i++) {
		to->ips[to->nr] = w->chain[i];
		to->exact[to->nr++] = 0;
		w->by_frame = 1;
	}
}

static int leads_on(const struct recipe *recipe)
{
	return recipe && (recipe->frame || recipe->untabled);
}

/*
 * The recipe for the instruction pointer. *@exact: it is no return address. After a system call
 * that is the last instruction of its function, it is outside of the function: then look one byte
 * before. Look at a return address itself only for a trampoline, whose table would begin earlier.
 */
static const struct recipe *next_recipe(struct walk *w, int *exact)
{
	unsigned long long ip = w->regs[w->ip];
	const struct recipe *recipe = recipe_at(w, *exact ? ip : ip - 1), *other;

	if (leads_on(recipe))
		return recipe;
	other = recipe_at(w, *exact ? ip - 1 : ip);
	if (!leads_on(other) || (!*exact && !other->untabled))
		return recipe;
	*exact = 0;
	return other;
}

/* Step to the caller. Returns 1, 0 at the end of the chain, -1 if nothing leads to the caller */
static int step(struct walk *w, const struct recipe *recipe)
{
	w->unread = 0;
	w->beyond = 0;
	if (leads_on(recipe) &&
	    (recipe->untabled ? step_by_sigcontext(w) : step_by_table(w, recipe))) {
		w->by_frame = 0;
		return w->regs[w->ip] != 0;
	}
	/* the dynamic linker's entry has no tables, and its chain is complete */
	if (recipe && elf_file_is_entry(recipe->key.file, recipe->key.addr))
		return 0;
	if (!w->by_frame)
		w->left = w->beyond ? END_STACK : END_TABLES;
	if (!step_by_frame(w))
		return -1;
	w->by_frame = 1;
	return 1;
}

/* Take the registers of a 32-bit program, which DWARF numbers differently */
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
	w->frame = w->regs[w->bp];
	w->unmapped = !space_find(w->space, w->regs[w->ip]);
}

/* Unwind. A signal trampoline's address is exact: the byte before it belongs to another function */
static void follow(struct walk *w, struct callers *to)
{
	const struct recipe *recipe;
	int exact = 1, returned, signal, more;

	do {
		returned = !exact;
		recipe = next_recipe(w, &exact);
		signal = recipe && recipe->signal;
		to->ips[to->nr] = w->regs[w->ip];
		to->exact[to->nr++] = returned ? signal : exact;
		more = step(w, recipe);
		exact = signal;
	} while (more > 0 && to->nr < w->u->max);
	if (more < 0)
		add_chain(w, to);
	/* count as continued: frame pointers don't tell whether the chain is complete */
	if (more < 0 && !w->by_frame)
		w->u->ended[w->left]++;
	else if (w->left != END_WHOLE)
		w->u->continued[w->left]++;
	else
		w->u->ended[END_WHOLE]++;
}

/* Take only the chain by frame pointers, because there is no copy */
static void take_chain(struct unwinder *u, const __u64 *chain, unsigned int nr,
		       struct callers *to)
{
	for (; to->nr < nr; to->nr++) {
		to->ips[to->nr] = chain[to->nr];
		to->exact[to->nr] = !to->nr;
	}
	if (nr > 1)
		u->continued[END_NO_COPY]++;
	else
		u->ended[END_NO_COPY]++;
}

void unwind(struct unwinder *u, const struct space *space, const struct knc_pmu_stack *stack,
	    const __u64 *chain, unsigned int nr, struct callers *to)
{
	struct walk w = { .u = u, .space = space, .chain = chain, .nr_chain = nr };

	to->nr = 0;
	if (!stack->size) {
		take_chain(u, chain, nr, to);
		return;
	}
	take_regs(&w, stack);
	follow(&w, to);
}

static unsigned long long sum_of(const unsigned long long *numbers)
{
	unsigned long long sum = 0;
	unsigned int i;

	for (i = END_WHOLE + 1; i < ENDINGS; i++)
		sum += numbers[i];
	return sum;
}

void unwinder_describe(const struct unwinder *u, char *text, size_t size)
{
	unsigned long long ended = sum_of(u->ended), continued = sum_of(u->continued);
	size_t len;

	if (!u->ended[END_WHOLE] && !ended && !continued) {
		snprintf(text, size, "by unwinding tables; where these end, by frame pointers");
		return;
	}
	len = snprintf(text, size, "%llu by unwinding tables", u->ended[END_WHOLE]);
	if (continued)
		len += snprintf(text + len, size - len,
				", %llu by frame pointers from some function on", continued);
	if (ended)
		snprintf(text + len, size - len, ", %llu end early", ended);
}

/* Are these too few for a warning? Some samples always come at the entry of the kernel */
static int is_seldom(unsigned long long nr, unsigned long long all)
{
	return nr * 1000 <= all;
}

static void tell(const unsigned long long *numbers, unsigned long long all, const char *how)
{
	static const char * const why[] = {
		[END_STACK] = "the stack is larger than its copy; record --call-graph dwarf,SIZE: "
			      "at most 61440",
		[END_NO_COPY] = "their stack was not copied, because the ring was full or the "
				"kernel was just entered; a larger --ring-size, or fewer samples, "
				"help",
		[END_TABLES] = "a function has no unwinding tables, or its file is not here",
	};
	unsigned int i;

	for (i = END_WHOLE + 1; i < ENDINGS; i++)
		if (!is_seldom(numbers[i], all))
			complain("warning: %llu of %llu call chains %s: %s", numbers[i], all, how,
				 why[i]);
}

void unwinder_tell(const struct unwinder *u)
{
	unsigned long long all = u->ended[END_WHOLE] + sum_of(u->ended) + sum_of(u->continued);

	tell(u->ended, all, "end early");
	tell(u->continued, all,
	     "follow frame pointers from some function on, and may lack callers");
}
