// SPDX-License-Identifier: GPL-2.0
/*
 * Each row of vector.def, as the emulated card executes it, against reference.c
 *
 *	compare [LANES [SEED]]	LANES: elements for each form of an instruction
 *
 * Registers, masks, swizzles, broadcasts and conversions are chosen at random, and the prefix is
 * put together here. Floats are compared bit for bit, but for the payload of a NaN.
 */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "compare.h"

#define MEMORY		512
#define FLAGS		0x3dU	/* exception flags of MXCSR, without that of denormals */
#define NEAREST		0x1f80U

static unsigned long lanes = 2000, checked;

/* An instruction and its operands */
struct test {
	const struct knc_vector *row;
	const struct reference *reference;
	struct knc_vector_run run;
	struct knc_vector_run before;
	unsigned char code[16];
	unsigned int size;
	unsigned int reg, vvvv, rm, index, mask, sss, eh, imm, scale;
	int memory;
	int wide;
	unsigned int nr;
	uint32_t active;
	unsigned int at;	/* offset in memory */
};

static unsigned char memory[MEMORY] __attribute__((aligned(64)));
static unsigned char kept[MEMORY];

static int is_store(const struct test *t)
{
	return t->row->operands == KNC_OPERANDS_M_Z || t->row->operands == KNC_OPERANDS_V_Z;
}

static int is_compare(const struct test *t)
{
	return t->row->operands == KNC_OPERANDS_K_Z_S || t->row->operands == KNC_OPERANDS_K_Z_S_IMM;
}

static int has(const struct test *t, const char *part)
{
	return strstr(t->row->name, part) != NULL;
}

static void encode(struct test *t)
{
	static const unsigned char prefixes[] = { 0, 1, 2, 3 };
	const struct knc_vector *row = t->row;
	unsigned int reg = row->digit == KNC_DIGIT_R ? t->reg : row->digit, n = 0;
	int gathers = knc_vector_gathers(row);
	unsigned int x = t->memory ? gathers ? t->index >> 3 & 1 : 0 : t->rm >> 4;
	unsigned int v = gathers ? t->index >> 4 : t->vvvv >> 4;

	t->code[n++] = 0x62;
	t->code[n++] = (~reg >> 3 & 1) << 7 | (~x & 1) << 6 |
		       (~(t->memory ? 0 : t->rm >> 3) & 1) << 5 | (~reg >> 4 & 1) << 4 | row->map;
	t->code[n++] = (row->w == KNC_W_W1) << 7 | (~t->vvvv & 15) << 3 | prefixes[row->prefix];
	t->code[n++] = t->eh << 7 | t->sss << 4 | (~v & 1) << 3 | t->mask;
	t->code[n++] = row->opcode;
	t->code[n++] = (t->memory ? 0 : 0xc0) | (reg & 7) << 3 |
		       (gathers ? 4 : t->memory ? 0 : t->rm & 7);
	if (gathers)
		t->code[n++] = t->scale << 6 | (t->index & 7) << 3;
	if (knc_vector_has_immediate(row))
		t->code[n++] = t->imm;
	t->size = n;
}

static void choose_form(struct test *t)
{
	const struct knc_vector *row = t->row;

	do {
		t->memory = row->operands >= KNC_OPERANDS_Z_M || below(2);
		t->sss = below(8);
		t->eh = row->eh == KNC_EH_EH1 || (row->eh != KNC_EH_EH0 && below(2));
		if (t->memory && !knc_vector_unit(row, t->sss))
			continue;
		if (!t->memory && !t->eh && row->convert == KNC_CONVERT_NONE && t->sss)
			continue;
		if (!t->memory && t->eh &&
		    (row->eh == KNC_EH_UD || (row->eh == KNC_EH_ZERO && t->sss)))
			continue;
		return;
	} while (1);
}

static void choose(struct test *t)
{
	static const uint32_t modes[] = { 0, 0x2000, 0x4000, 0x6000 };
	unsigned int i;

	t->wide = t->row->element == KNC_ELEMENT_F64 || t->row->element == KNC_ELEMENT_I64;
	t->nr = knc_vector_elements(t->row);
	choose_form(t);
	t->reg = is_compare(t) ? below(8) : below(32);
	t->rm = below(32);
	t->vvvv = !knc_vector_uses_vvvv(t->row) ? 0 :
		  t->row->operands == KNC_OPERANDS_Z_K_S ? below(8) : below(32);
	do
		t->index = below(32);
	while (t->index == t->reg);
	t->scale = below(4);
	t->mask = knc_vector_gathers(t->row) ? 1 + below(7) : below(3) ? below(8) : 0;
	t->imm = random_bits() & 0x7f;
	memset(&t->run, 0, sizeof(t->run));
	for (i = 0; i < 32; i++)
		fill(&t->run.zmm[i], t->wide);
	for (i = 0; i < 8; i++)
		t->run.k[i] = below(4) ? random_bits() : below(2) ? 0xffff : 0;
	/* use DAZ and FTZ now and then, for arithmetic */
	t->run.mxcsr = NEAREST | modes[below(4)];
	if (t->reference && t->reference->flags && !below(4))
		t->run.mxcsr |= 0x8040;
	t->active = (1U << t->nr) - 1;
	if (t->mask)
		t->active &= t->run.k[t->mask];
	for (i = 0; i < MEMORY; i++)
		memory[i] = random_bits() >> 3;
	for (i = 0; i + 4 <= MEMORY; i += 4)
		if (!below(2))
			memcpy(memory + i, &(uint32_t){ special32() }, 4);
	memcpy(kept, memory, MEMORY);
	encode(t);
}

static unsigned int order(unsigned int sss, unsigned int i)
{
	static const char *const swizzles[8] = {
		"dcba", "cdab", "badc", "dacb", "aaaa", "bbbb", "cccc", "dddd"
	};

	return i / 4 * 4 + swizzles[sss][3 - i % 4] - 'a';
}

/* Give the host the instruction's own rounding, or MXCSR's: SSE, and the x87 of long doubles */
static void set_host(const struct test *t)
{
	static const int modes[4] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
	uint32_t mxcsr = t->before.mxcsr & ~FLAGS;

	if (!t->memory && t->eh && t->row->eh == KNC_EH_ROUND)
		mxcsr = (mxcsr & ~0x6000) | (t->sss & 3) << 13;
	fesetround(modes[mxcsr >> 13 & 3]);
	_mm_setcsr(mxcsr);
}

/* Restore the host's MXCSR; returns the flags that were set since set_host() */
static uint32_t reset_host(void)
{
	uint32_t flags = _mm_getcsr() & FLAGS;

	fesetround(FE_TONEAREST);
	_mm_setcsr(NEAREST);
	return flags;
}

static void get_element(const struct test *t, vector *v, unsigned int i, const unsigned char *from)
{
	unsigned int size = knc_vector_size(t->row, t->sss);
	int is_float = t->row->element == KNC_ELEMENT_F32;

	/* values 1 and 2 of SSS are broadcasts */
	if (size == 8)
		memcpy(&v->q[i], from, 8);
	else if (t->sss < 3)
		memcpy(&v->d[i], from, 4);
	else
		v->d[i] = reference_load(from, is_float, t->sss);
}

static void put_element(const struct test *t, const vector *v, unsigned int i, unsigned char *to)
{
	unsigned int size = knc_vector_size(t->row, t->sss), value;

	if (t->sss < 3 || size == 8) {
		memcpy(to, t->wide ? (void *)&v->q[i] : (void *)&v->d[i], size);
		return;
	}
	set_host(t);
	value = reference_store(v->d[i], t->row->element == KNC_ELEMENT_F32, t->sss);
	reset_host();
	memcpy(to, &value, size);
}

/* The last source. Elements that the mask excludes don't matter */
static void last_source(const struct test *t, vector *b)
{
	const vector *from = &t->before.zmm[t->rm];
	unsigned int words = knc_vector_size(t->row, 0) == 8 ? 8 : 16, i, size, period = 16;
	int broadcasts = t->row->convert <= KNC_CONVERT_SI32_HALF;

	if (!t->memory) {
		for (i = 0; i < words; i++) {
			unsigned int j = t->eh ? i : order(t->sss, i);

			if (words == 8)
				b->q[i] = from->q[j];
			else
				b->d[i] = from->d[j];
		}
		return;
	}
	size = knc_vector_size(t->row, t->sss);
	if (t->row->memory == KNC_MEMORY_ONE || (broadcasts && t->sss == 1))
		period = 1;
	else if (t->row->memory == KNC_MEMORY_FOUR || (broadcasts && t->sss == 2))
		period = 4;
	for (i = 0; i < (size == 8 ? 8U : 16U) && i * size < 64; i++)
		get_element(t, b, i, memory + t->at + i % period * size);
}

static int is_nan(const struct test *t, uint64_t bits, int wide)
{
	if (t->row->element != KNC_ELEMENT_F32 && t->row->element != KNC_ELEMENT_F64)
		return 0;
	return wide ? (bits & ~(1ULL << 63)) > 0x7ff0000000000000 :
		      (bits & 0x7fffffff) > 0x7f800000;
}

/*
 * With FTZ QEMU flushes results that are tiny before rounding, the host those that are tiny after
 * it
 */
static int is_flushed(const struct test *t, uint64_t got, uint64_t want, int wide)
{
	uint64_t sign = wide ? 1ULL << 63 : 0x80000000, least = wide ? 1ULL << 52 : 1ULL << 23;

	return t->before.mxcsr & 0x8000 && !(got & ~sign) && (want & ~sign) == least;
}

static int is_near(const struct test *t, uint32_t got, uint64_t source)
{
	long double want = t->reference->exact(source), error;
	float value;
	int e;

	memcpy(&value, &got, 4);
	if (isnan(want) || isnan(value))
		return isnan(want) && isnan(value);
	if (isinf(want) || want == 0 || isinf(value))
		return want == value && !signbit(want) == !signbit(value);
	frexpl(want, &e);
	error = fabsl(value - want);
	/* results just above the denormals may be rounded to one, which is flushed to zero */
	return error <= t->reference->ulps * ldexpl(1, e - 24) || error < 0x1p-23L * has(t, "log2");
}

static int fail(const struct test *t, const char *what, unsigned int i, uint64_t got,
		uint64_t want)
{
	unsigned int n;

	printf("# %s: element %u is %llx, not %llx; imm %02x mxcsr %x eh %u sss %u active %x bytes",
	       what, i, (unsigned long long)got, (unsigned long long)want, t->imm, t->before.mxcsr,
	       t->eh, t->sss, t->active);
	for (n = 0; n < t->size; n++)
		printf(" %02x", t->code[n]);
	printf("\n");
	return 0;
}

static int suppresses(const struct test *t)
{
	return !t->memory && t->eh && t->sss & 4 &&
	       (t->row->eh == KNC_EH_ROUND || t->row->eh == KNC_EH_SAE);
}

/* Accumulated over the elements: exception flags, a mask of comparisons, carries or signs */
struct sums {
	uint32_t flags;
	uint32_t result;
	uint32_t carries;
	int flushed;
};

/* Check element @l, whose result is @got */
static int check_element(struct test *t, struct lane *l, uint64_t got, int wide, struct sums *sums)
{
	uint64_t want;

	if (!(t->active >> l->i & 1)) {
		want = has(t, "blendm") ? l->x : l->z;
		return got == want || is_compare(t) || fail(t, "masked off", l->i, got, want);
	}
	checked++;
	if (t->reference->ulps != 0)
		return is_near(t, got, l->y) || fail(t, "not near", l->i, got, l->y);
	set_host(t);
	want = t->reference->value(l);
	sums->flags |= reset_host();
	/* 327364 does not say which of two NaNs a sum returns, and signs differ */
	if (has(t, "ps") && is_nan(t, want, 0))
		l->carries = got >> 31;
	sums->carries = (sums->carries & ~(1U << l->i)) | l->carries << l->i;
	sums->result |= (want & 1) << l->i;
	sums->flushed |= is_flushed(t, got, want, wide);
	return is_compare(t) || got == want || is_flushed(t, got, want, wide) ||
	       (is_nan(t, got, wide) && is_nan(t, want, wide)) ||
	       fail(t, "differs", l->i, got, want);
}

static int sets_signs(const struct test *t)
{
	return has(t, "addsets") && !has(t, "setc");
}

static int check_sums(const struct test *t, const struct sums *sums)
{
	uint32_t flags = suppresses(t) ? 0 : sums->flags, carries = sums->carries & 0xffff;

	if (is_compare(t) && t->run.k[t->reg] != sums->result)
		return fail(t, "mask", t->reg, t->run.k[t->reg], sums->result);
	if (t->row->operands == KNC_OPERANDS_Z_K_S && t->run.k[t->vvvv] != carries)
		return fail(t, "carries", t->vvvv, t->run.k[t->vvvv], carries);
	if (sets_signs(t) && t->run.k[t->mask] != carries)
		return fail(t, "signs", t->mask, t->run.k[t->mask], carries);
	/* conversions of the memory operand set flags too */
	if (t->reference->flags && !sums->flushed && !(t->memory && t->sss > 2) &&
	    (t->run.mxcsr & FLAGS) != flags)
		return fail(t, "flags", 0, t->run.mxcsr & FLAGS, flags);
	return 1;
}

/* Check the elements of the result, in vectors and masks */
static int check_elements(struct test *t)
{
	int narrow = has(t, "pd2ps") || has(t, "pd2dq") || has(t, "pd2udq");
	unsigned int to = t->row->operands == KNC_OPERANDS_N_S_IMM ? t->vvvv : t->reg, i;
	const vector *old = &t->before.zmm[to], *now = &t->run.zmm[to];
	struct lane l = { .a = &t->before.zmm[t->vvvv], .d = old, .imm = t->imm };
	struct sums sums = { .carries = t->before.k[sets_signs(t) ? t->mask : t->vvvv & 7] };
	int wide = t->wide && !narrow;
	vector b = { { 0 } };

	last_source(t, &b);
	l.b = &b;
	for (i = 0; i < t->nr; i++) {
		l.i = i;
		l.x = t->wide ? l.a->q[i] : l.a->d[i];
		l.y = t->wide ? b.q[i] : b.d[i];
		l.z = wide ? old->q[i] : old->d[i];
		l.carry = sums.carries >> i & 1;
		if (!check_element(t, &l, wide ? now->q[i] : now->d[i], wide, &sums))
			return 0;
	}
	for (i = t->nr; narrow && i < 16; i++)
		if (now->d[i])
			return fail(t, "high half", i, now->d[i], 0);
	return check_sums(t, &sums);
}

/* Check consecutive elements, up to the end of a line or from there on */
static int check_packed(struct test *t)
{
	unsigned int size = knc_vector_size(t->row, t->sss), i, at = 64 + t->at % 64, place;
	int high = has(t, "h") && strchr("hl", t->row->name[is_store(t) ? 10 : 11])[0] == 'h';
	vector want = t->before.zmm[t->reg];

	for (i = 0; i < t->nr; i++) {
		if (!(t->active >> i & 1))
			continue;
		if ((at >= 128) == high) {
			checked++;
			place = t->at - t->at % 64 - 64 * high + at - 64;
			if (is_store(t))
				put_element(t, &want, i, kept + place);
			else
				get_element(t, &want, i, memory + place);
		}
		at += size;
	}
	if (!is_store(t) && memcmp(&want, &t->run.zmm[t->reg], sizeof(want)))
		return fail(t, "packed", 0, t->at, high);
	return 1;
}

static int check_store(struct test *t)
{
	unsigned int size = knc_vector_size(t->row, t->sss), i;

	for (i = 0; i < t->nr; i++) {
		if (!(t->active >> i & 1))
			continue;
		checked++;
		put_element(t, &t->before.zmm[t->reg], i, kept + t->at + i * size);
	}
	return 1;
}

/* Check a whole gather or scatter, which is repeated until its mask is empty */
static int check_gather(struct test *t)
{
	vector want = t->before.zmm[t->reg];
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		unsigned char *at = is_store(t) ? kept : memory;

		if (!(t->active >> i & 1))
			continue;
		checked++;
		at += t->before.zmm[t->index].d[i] << t->scale;
		if (is_store(t))
			put_element(t, &want, i, at);
		else
			get_element(t, &want, i, at);
	}
	if (!is_store(t) && memcmp(&want, &t->run.zmm[t->reg], sizeof(want)))
		return fail(t, "gathered", 0, 0, 0);
	return !t->run.k[t->mask] || fail(t, "mask", t->mask, t->run.k[t->mask], 0);
}

static int execute_gather(struct test *t)
{
	unsigned int size = knc_vector_size(t->row, t->sss), i, rounds = 0, first;
	unsigned int step = size >> t->scale ? size >> t->scale : 1;
	vector *index = &t->run.zmm[t->index];
	uint32_t left;

	/* whole elements: scatters that overlap are in order */
	for (i = 0; i < 16; i++)
		index->d[i] = below(MEMORY >> t->scale) & -step;
	t->run.address = (uintptr_t)memory;
	t->before = t->run;
	while (t->run.k[t->mask] & ((1U << t->nr) - 1)) {
		left = t->run.k[t->mask] & ((1U << t->nr) - 1);
		first = index->d[__builtin_ctz(left)] << t->scale;
		if (knc_vector_run(&t->run, t->code, t->size) != KNC_VECTOR_DONE)
			return fail(t, "is not executed", 0, 0, 0);
		if ((t->run.first - (uintptr_t)memory) / 64 != first / 64 || t->run.bytes > 64)
			return fail(t, "line", rounds, t->run.first - (uintptr_t)memory, first);
		if (++rounds > t->nr)
			return fail(t, "rounds", rounds, t->nr, 0);
	}
	t->run.k[t->mask] = 0;
	return check_gather(t);
}

static int execute(struct test *t)
{
	unsigned int unit = t->memory ? knc_vector_unit(t->row, t->sss) : 64;

	if (knc_vector_gathers(t->row))
		return execute_gather(t);
	t->at = 128 + unit * below(128 / unit);
	if (has(t, "unpackh") || has(t, "storeh"))
		t->at += 64;
	t->run.address = (uintptr_t)memory + t->at;
	t->before = t->run;
	if (knc_vector_run(&t->run, t->code, t->size) != KNC_VECTOR_DONE)
		return fail(t, "is not executed", 0, 0, 0);
	if (has(t, "unpack") || has(t, "packstore"))
		return check_packed(t);
	return is_store(t) ? check_store(t) : check_elements(t);
}

static unsigned int reg_field(const struct knc_vector *row)
{
	return row->digit == KNC_DIGIT_R ? 3 : row->digit;
}

/* Encode any form of the row, with registers if there is such a form */
static unsigned int encode_any(const struct knc_vector *row, unsigned char *code)
{
	unsigned int n = 0, i;

	if (row->space == KNC_SPACE_MVEX) {
		code[n++] = 0x62;
		code[n++] = 0xf0 | row->map;
		code[n++] = (row->w == KNC_W_W1) << 7 | 0x78 | row->prefix;
		code[n++] = (row->eh == KNC_EH_EH1) << 7 | 8 | knc_vector_gathers(row);
	} else {
		code[n++] = 0xc4;
		code[n++] = 0xe0 | row->map;
		code[n++] = (row->w == KNC_W_W1) << 7 | 0x78 | row->prefix;
	}
	code[n++] = row->opcode;
	if (!knc_vector_jumps(row))
		code[n++] = (knc_vector_form(row, 0xc0) ? 0xc0 : 0) | reg_field(row) << 3 |
			    (knc_vector_gathers(row) ? 4 : 0);
	for (i = knc_vector_jumps(row) ? row->operands == KNC_OPERANDS_K_REL8 ? 1 : 4 :
		 knc_vector_gathers(row) + knc_vector_has_immediate(row); i; i--)
		code[n++] = 0;
	return n;
}

static int is_masks(const struct knc_vector *row)
{
	return row->operands == KNC_OPERANDS_K_K && strcmp(row->name, "kortest");
}

/* Compare all pairs of bits, in each element of two masks */
static int compare_masks(const struct knc_vector *row)
{
	struct knc_vector_run run = { .mxcsr = NEAREST };
	unsigned char code[16];
	unsigned int size = encode_any(row, code), i;
	uint16_t want;

	for (i = 0; i < lanes; i++) {
		run.k[3] = random_bits();
		run.k[0] = random_bits();
		want = reference_mask(row->name, run.k[3], run.k[0]);
		if (knc_vector_run(&run, code, size) != KNC_VECTOR_DONE || run.k[3] != want)
			return 0;
		checked++;
	}
	return 1;
}

static int compare_row(const struct knc_vector *row)
{
	struct test t = { .row = row, .reference = reference_find(row->name) };
	unsigned long done;

	for (done = 0; done < lanes; done += t.nr) {
		choose(&t);
		if (!execute(&t))
			return 0;
		if (memcmp(kept, memory, MEMORY))
			return fail(&t, "memory", 0, 0, 0);
	}
	return 1;
}

/* Why a row is not compared here: its effect is not in vectors, or it has no result */
static const char *elsewhere(const struct knc_vector *row)
{
	if (row->memory == KNC_MEMORY_LINE || row->operands == KNC_OPERANDS_V)
		return "prefetches and evictions have no result";
	if (row->space == KNC_SPACE_VEX && !is_masks(row))
		return "it uses general registers: card/vpu.c";
	return NULL;
}

/* Count the executed mnemonics, and list those that are not executed or not compared */
static int count_mnemonics(void)
{
	const struct knc_vector *row, *other;
	unsigned int all = 0, executed = 0;
	unsigned char code[16];

	for (row = knc_vectors; row < knc_vectors + KNC_NR_VECTORS; row++) {
		for (other = knc_vectors; other < row && strcmp(other->name, row->name); other++)
			;
		if (other < row)
			continue;
		all++;
		if (knc_vector_run_executes(code, encode_any(row, code)))
			executed++;
		else
			printf("# %s is not executed\n", row->name);
		if (elsewhere(row))
			printf("# %s: %s\n", row->name, elsewhere(row));
	}
	printf("# %u of %u mnemonics are executed\n", executed, all);
	return executed == all;
}

static int report(int passed, const char *name, const char *more)
{
	printf("%s %s%s\n", passed ? "ok" : "not ok", name, more);
	return !passed;
}

int main(int argc, char **argv)
{
	const struct knc_vector *row;
	unsigned int failed = 0;
	int stores;

	if (argc > 1)
		lanes = strtoul(argv[1], NULL, 0);
	if (argc > 2)
		inputs_begin(strtoull(argv[2], NULL, 0));
	printf("# KNC_TEST_SEED=%llu\n", inputs_first());
	failed = report(count_mnemonics(), "mnemonics", "");
	for (row = knc_vectors; row < knc_vectors + KNC_NR_VECTORS; row++) {
		if (elsewhere(row))
			continue;
		stores = row->operands == KNC_OPERANDS_M_Z && row->memory == KNC_MEMORY_VECTOR;
		failed += report(is_masks(row) ? compare_masks(row) : compare_row(row), row->name,
				 stores ? ".store" : "");
	}
	printf("# %lu elements compared\n", checked);
	return !!failed;
}
