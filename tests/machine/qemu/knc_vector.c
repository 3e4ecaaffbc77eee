// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of Knights Corner's vector instructions (include/knc/vector.def)
 *
 * zmm0 to zmm31 are QEMU's. The low 128 bits of the first 16 are the registers of SSE, which
 * FXSAVE and FXRSTOR save. No kernel saves the other bits: they belong to the hardware thread.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "fpu/softfloat.h"
#include "tcg/helper-tcg.h"
#include "knc_vector.h"

/* An instruction while it is executed */
typedef struct KncRun {
	CPUX86State *env;
	const struct knc_vector *row;
	KncVectorCode code;
	enum knc_vector_op op;
	bool wide;		/* elements of 64 bits */
	unsigned int nr;	/* elements */
	uint32_t active;	/* elements that are not masked off */
	KncFloat f;
	target_ulong addr;
	target_ulong first;	/* addresses of the first and last byte that it has accessed */
	target_ulong last;
	bool accesses;		/* it has accessed an element */
	uintptr_t ra;
} KncRun;

static KncVector *reg(KncRun *r, unsigned int number)
{
	_Static_assert(sizeof(KncVector) == sizeof(ZMMReg), "a zmm");
	return (KncVector *)&r->env->xmm_regs[number];
}

/* Note that the element at @addr is read, written or prefetched */
static void note_element(KncRun *r, target_ulong addr)
{
	target_ulong last = addr + knc_vector_size(r->row, r->code.sss) - 1;

	r->first = r->accesses ? MIN(r->first, addr) : addr;
	r->last = r->accesses ? MAX(r->last, last) : last;
	r->accesses = true;
}

/* Load an element of 8 or 16 bits: a signed or unsigned integer, or the bits of a float16 */
static uint32_t load_small(KncRun *r, target_ulong addr)
{
	switch (r->code.sss) {
	case 4:
		return cpu_ldub_data_ra(r->env, addr, r->ra);
	case 5:
		return cpu_ldsb_data_ra(r->env, addr, r->ra);
	case 7:
		return cpu_ldsw_data_ra(r->env, addr, r->ra);
	default:
		return cpu_lduw_data_ra(r->env, addr, r->ra);
	}
}

/* Load an element, with the conversion of the instruction */
static uint64_t load_element(KncRun *r, target_ulong addr)
{
	uint32_t small;

	note_element(r, addr);
	if (knc_vector_size(r->row, r->code.sss) == 8)
		return cpu_ldq_data_ra(r->env, addr, r->ra);
	if (r->code.sss < 3)
		return cpu_ldl_data_ra(r->env, addr, r->ra);
	small = load_small(r, addr);
	if (r->code.sss == 3)
		return knc_vector_from_half(&r->f.fp, small);
	return r->row->element == KNC_ELEMENT_F32 ? int32_to_float32(small, &r->f.fp) : small;
}

static void store_element(KncRun *r, target_ulong addr, const KncVector *v, unsigned int i)
{
	bool is_float = r->row->element == KNC_ELEMENT_F32;
	int32_t integer;

	note_element(r, addr);
	switch (r->wide ? 0 : r->code.sss) {
	case 3:
		cpu_stw_data_ra(r->env, addr, knc_vector_to_half(&r->f.fp, v->d[i]), r->ra);
		break;
	case 4 ... 7:
		integer = knc_vector_to_small(&r->f.fp, v->d[i], is_float, r->code.sss - 4);
		if (r->code.sss < 6)
			cpu_stb_data_ra(r->env, addr, integer, r->ra);
		else
			cpu_stw_data_ra(r->env, addr, integer, r->ra);
		break;
	default:
		if (r->wide)
			cpu_stq_data_ra(r->env, addr, v->q[i], r->ra);
		else
			cpu_stl_data_ra(r->env, addr, v->d[i], r->ra);
	}
}

static void set_element(KncRun *r, KncVector *v, unsigned int i, uint64_t value)
{
	if (knc_vector_size(r->row, r->code.sss) == 8)
		v->q[i] = value;
	else
		v->d[i] = value;
}

/* Operands in memory must be aligned to their size */
static void check_aligned(KncRun *r, unsigned int size)
{
	if (r->addr & (size - 1))
		raise_exception_err_ra(r->env, EXCP0D_GPF, 0, r->ra);
}

/* Does an element of the result depend on other elements of the last source? */
static bool crosses(const KncRun *r)
{
	return r->op == KNC_OP_PERM || r->op == KNC_OP_MADD233 || r->op == KNC_OP_FMA233 ||
	       (r->op >= KNC_OP_SHUFFLE && r->op <= KNC_OP_ALIGN);
}

/* Load what active elements of a vector need; memory has @period elements, which are repeated */
static void load(KncRun *r, KncVector *v, unsigned int period)
{
	unsigned int size = knc_vector_size(r->row, r->code.sss), i;
	uint32_t needed = crosses(r) ? (1U << r->nr) - 1 : r->active;

	check_aligned(r, knc_vector_unit(r->row, r->code.sss));
	for (i = 0; i < r->nr; i++)
		if (needed & 1U << i)
			set_element(r, v, i, load_element(r, r->addr + i % period * size));
}

/* Reorder the elements within each group of four */
static void swizzle(KncRun *r, KncVector *v, const KncVector *from)
{
	static const uint8_t order[8][4] = {
		{ 0, 1, 2, 3 }, { 1, 0, 3, 2 }, { 2, 3, 0, 1 }, { 1, 2, 0, 3 },
		{ 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 2, 2, 2, 2 }, { 3, 3, 3, 3 },
	};
	unsigned int how = r->code.eh ? 0 : r->code.sss, i;

	if (knc_vector_size(r->row, 0) == 8) {
		for (i = 0; i < KNC_LANES / 2; i++)
			v->q[i] = from->q[(i & ~3U) | order[how][i & 3]];
		return;
	}
	for (i = 0; i < KNC_LANES; i++)
		v->d[i] = from->d[(i & ~3U) | order[how][i & 3]];
}

/* Read the last source: a register, swizzled; or memory, broadcast or converted */
static void source(KncRun *r, KncVector *v)
{
	unsigned int sss = r->code.sss;

	memset(v, 0, sizeof(*v));
	if (!r->code.memory)
		swizzle(r, v, reg(r, r->code.rm));
	else if (r->row->convert >= KNC_CONVERT_UF32 || sss > 2)
		load(r, v, KNC_LANES);
	else
		load(r, v, sss == 1 ? 1 : sss == 2 ? 4 : KNC_LANES);
}

/* Write the active elements of @result to the register */
static void write_active(KncRun *r, unsigned int number, const KncVector *result)
{
	KncVector *to = reg(r, number);
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		if (!(r->active & 1U << i))
			continue;
		if (r->wide)
			to->q[i] = result->q[i];
		else
			to->d[i] = result->d[i];
	}
}

static void set_mask(KncRun *r, unsigned int number, uint32_t value)
{
	r->env->opmask_regs[number] = value;
}

static void do_store(KncRun *r)
{
	const KncVector *v = reg(r, r->code.reg);
	unsigned int size = knc_vector_size(r->row, r->code.sss), i;

	check_aligned(r, knc_vector_unit(r->row, r->code.sss));
	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i)
			store_element(r, r->addr + i * size, v, i);
}

/*
 * Loads that unpack, stores that pack: the active elements follow each other in memory, without
 * gaps. The instruction of the low half accesses those up to the end of the line of its address,
 * that of the high half the rest; its address is 64 higher than that of the low half.
 */
static void do_packed(KncRun *r)
{
	bool loads = r->op == KNC_OP_UNPACK_LOW || r->op == KNC_OP_UNPACK_HIGH;
	bool high = r->op == KNC_OP_UNPACK_HIGH || r->op == KNC_OP_PACK_HIGH;
	unsigned int size = knc_vector_size(r->row, r->code.sss), i;
	KncVector v = *reg(r, r->code.reg);
	/* high half: the vector begins at addr - 64, and its rest in the line of addr */
	target_ulong line = r->addr & ~63UL, at = high ? r->addr - 64 : r->addr;

	check_aligned(r, size);
	for (i = 0; i < r->nr; i++) {
		if (!(r->active & 1U << i))
			continue;
		if (high ? at >= line : (at & ~63UL) == line) {
			if (loads)
				set_element(r, &v, i, load_element(r, at));
			else
				store_element(r, at, &v, i);
		}
		at += size;
	}
	if (loads)
		*reg(r, r->code.reg) = v;
}

/*
 * A gather or scatter executes one line: the first active element, and the others in its line. It
 * clears their bits of the mask; the program repeats the instruction until no bit is left.
 */
static void do_line(KncRun *r)
{
	unsigned int i, first = r->active ? ctz32(r->active) : 0;
	KncVector *v = reg(r, r->code.reg), index = *reg(r, r->code.index);
	target_ulong at, line = 0;

	for (i = first; i < r->nr; i++) {
		if (!(r->active & 1U << i))
			continue;
		at = r->addr + ((target_long)(int32_t)index.d[i] << r->code.scale);
		if (i == first)
			line = at & ~63UL;
		if ((at & ~63UL) != line)
			continue;
		if (r->op == KNC_OP_PREFETCH) {
			note_element(r, at);
			r->env->opmask_regs[r->code.mask] &= ~(1ULL << i);
			continue;
		}
		if (at & (knc_vector_size(r->row, r->code.sss) - 1))
			raise_exception_err_ra(r->env, EXCP0D_GPF, 0, r->ra);
		if (r->op == KNC_OP_GATHER)
			set_element(r, v, i, load_element(r, at));
		else
			store_element(r, at, v, i);
		r->env->opmask_regs[r->code.mask] &= ~(1ULL << i);
	}
}

/* Carry or borrow of each element is in mask vvvv. The destination is also the first source. */
static void do_carry(KncRun *r, const KncVector *b)
{
	uint32_t carries = r->env->opmask_regs[r->code.vvvv], x, y, in;
	bool uses = r->op == KNC_OP_ADC || r->op == KNC_OP_SBB || r->op == KNC_OP_SBBR;
	bool swaps = r->op == KNC_OP_SBBR || r->op == KNC_OP_SUBRSETB;
	KncVector *a = reg(r, r->code.reg);
	uint64_t sum;
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		if (!(r->active & 1U << i))
			continue;
		x = swaps ? b->d[i] : a->d[i];
		y = swaps ? a->d[i] : b->d[i];
		in = uses && carries & 1U << i;
		if (r->op == KNC_OP_ADC || r->op == KNC_OP_ADDSETC)
			sum = (uint64_t)x + y + in;
		else
			sum = (uint64_t)x - y - in;
		a->d[i] = sum;
		carries = deposit32(carries, i, 1, sum >> 32 & 1);
	}
	set_mask(r, r->code.vvvv, carries);
}

static bool float_compare(KncRun *r, const KncVector *a, const KncVector *b, unsigned int i)
{
	unsigned int how = r->code.imm & 3;
	bool quiet = how == 0 || how == 3, holds;
	FloatRelation is;

	if (r->wide)
		is = quiet ? float64_compare_quiet(a->q[i], b->q[i], &r->f.fp) :
			     float64_compare(a->q[i], b->q[i], &r->f.fp);
	else
		is = quiet ? float32_compare_quiet(a->d[i], b->d[i], &r->f.fp) :
			     float32_compare(a->d[i], b->d[i], &r->f.fp);
	/* 0 to 3: equal, less, less or equal, unordered; 4 to 7: their opposites */
	holds = how == 0 ? is == float_relation_equal : how == 1 ? is == float_relation_less :
		how == 2 ? is == float_relation_less || is == float_relation_equal :
			   is == float_relation_unordered;
	return r->code.imm & 4 ? !holds : holds;
}

/* Are the elements of the result half as wide? */
static bool narrows(const KncRun *r)
{
	return r->wide && (r->op == KNC_OP_NARROW || r->op == KNC_OP_TO_FIXED ||
			   r->op == KNC_OP_TO_UFIXED);
}

/* Elements of 64 bits become 32 bits in the low half of the register; its high half is cleared */
static void do_narrow(KncRun *r, const KncVector *b)
{
	KncVector *to = reg(r, r->code.reg);
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i)
			to->d[i] = knc_vector_float(&r->f, 0, b->q[i], 0);
	memset(&to->d[r->nr], 0, sizeof(*to) / 2);
}

static void do_floats(KncRun *r, const KncVector *a, const KncVector *b)
{
	bool from_half = r->op == KNC_OP_WIDEN || r->op == KNC_OP_INT_TO_F64 ||
			 r->op == KNC_OP_UINT_TO_F64;
	KncVector v = *reg(r, r->code.reg);
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		if (!(r->active & 1U << i))
			continue;
		if (r->op == KNC_OP_FMA233)
			v.d[i] = knc_vector_float(&r->f, a->d[i], b->d[(i & ~3U) + 1],
						  b->d[i & ~3U]);
		else if (r->wide)
			v.q[i] = knc_vector_float(&r->f, a->q[i], from_half ? b->d[i] : b->q[i],
						  v.q[i]);
		else
			v.d[i] = knc_vector_float(&r->f, a->d[i], b->d[i], v.d[i]);
	}
	write_active(r, r->code.reg, &v);
}

/* Write the signs of the sums to the write mask; to k0 if the instruction has none */
static void set_signs(KncRun *r)
{
	const KncVector *v = reg(r, r->code.reg);
	uint32_t mask = r->env->opmask_regs[r->code.mask];
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i)
			mask = deposit32(mask, i, 1, v->d[i] >> 31);
	set_mask(r, r->code.mask, mask);
}

/* Set the bits of the active elements for which the comparison holds */
static void do_compare(KncRun *r, const KncVector *a, const KncVector *b)
{
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i &&
		    (r->op == KNC_OP_FCMP ? float_compare(r, a, b, i) :
		     knc_vector_test(r->op, a->d[i], b->d[i], r->code.imm)))
			mask |= 1U << i;
	set_mask(r, r->code.reg, mask);
}

static void do_bits(KncRun *r, const KncVector *a, const KncVector *b)
{
	KncVector v;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(v.q); i++)
		v.q[i] = r->op == KNC_OP_AND ? a->q[i] & b->q[i] :
			 r->op == KNC_OP_ANDN ? ~a->q[i] & b->q[i] :
			 r->op == KNC_OP_OR ? a->q[i] | b->q[i] : a->q[i] ^ b->q[i];
	write_active(r, r->code.reg, &v);
}

/* Active elements come from @b, the others from @a */
static void do_blend(KncRun *r, const KncVector *a, const KncVector *b)
{
	*reg(r, r->code.reg) = *a;
	write_active(r, r->code.reg, b);
}

static void do_shuffle(KncRun *r, const KncVector *a, const KncVector *b)
{
	unsigned int imm = r->code.imm, i, from;
	KncVector v;

	for (i = 0; i < KNC_LANES; i++) {
		if (r->op == KNC_OP_ALIGN) {
			from = i + imm % KNC_LANES;
			v.d[i] = from < KNC_LANES ? b->d[from] : a->d[from - KNC_LANES];
		} else if (r->op == KNC_OP_SHUFFLE) {
			v.d[i] = b->d[(i & ~3U) | (imm >> 2 * (i & 3) & 3)];
		} else {
			v.d[i] = b->d[(imm >> 2 * (i >> 2) & 3) << 2 | (i & 3)];
		}
	}
	write_active(r, r->code.reg, &v);
}

/* Operations on integers of 32 bits. A shift by a constant has its destination in vvvv. */
static void do_lanes(KncRun *r, const KncVector *a, const KncVector *b)
{
	bool by_constant = r->row->operands == KNC_OPERANDS_N_S_IMM;
	unsigned int to = by_constant ? r->code.vvvv : r->code.reg, i;
	KncVector v = *reg(r, to), count;

	for (i = 0; i < KNC_LANES; i++)
		count.d[i] = r->code.imm;
	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i)
			v.d[i] = knc_vector_lane(r->op, by_constant ? b : a,
						 by_constant ? &count : b, v.d[i], i);
	write_active(r, to, &v);
}

static void do_masks(KncRun *r)
{
	uint64_t *masks = r->env->opmask_regs;

	masks[r->code.reg] = 0xffff & knc_vector_masks(r->op, masks[r->code.reg],
							masks[r->code.rm]);
}

/* Execute an operation that has a first and a last source */
static void do_sources(KncRun *r)
{
	KncVector a = *reg(r, r->code.vvvv), b;

	source(r, &b);
	switch (r->op) {
	case KNC_OP_MOVE:
		write_active(r, r->code.reg, &b);
		break;
	case KNC_OP_ADC ... KNC_OP_SUBRSETB:
		do_carry(r, &b);
		break;
	case KNC_OP_AND ... KNC_OP_XOR:
		do_bits(r, &a, &b);
		break;
	case KNC_OP_BLEND:
		do_blend(r, &a, &b);
		break;
	case KNC_OP_CMP ... KNC_OP_FCMP:
		do_compare(r, &a, &b);
		break;
	case KNC_OP_SHUFFLE ... KNC_OP_ALIGN:
		do_shuffle(r, &a, &b);
		break;
	case KNC_OP_FADD ... KNC_OP_RSQRT:
		if (narrows(r))
			do_narrow(r, &b);
		else
			do_floats(r, &a, &b);
		break;
	default:
		do_lanes(r, &a, &b);
	}
	if (r->op == KNC_OP_ADDSETS || r->op == KNC_OP_FADDSETS)
		set_signs(r);
}

static void execute(KncRun *r)
{
	KncVector v;

	switch (r->op) {
	case KNC_OP_STORE:
		do_store(r);
		break;
	case KNC_OP_BROADCAST:
		load(r, &v, r->row->memory == KNC_MEMORY_ONE ? 1 : 4);
		write_active(r, r->code.reg, &v);
		break;
	case KNC_OP_UNPACK_LOW ... KNC_OP_PACK_HIGH:
		do_packed(r);
		break;
	case KNC_OP_GATHER:
	case KNC_OP_SCATTER:
	case KNC_OP_PREFETCH:
		do_line(r);
		break;
	case KNC_OP_HINT:
		break;
	default:
		do_sources(r);
	}
}

/* The instruction may have a rounding of its own; if not, MXCSR's holds */
static void set_rounding(KncRun *r)
{
	static const uint8_t modes[] = {
		float_round_nearest_even, float_round_down, float_round_up, float_round_to_zero
	};

	r->f.fp = r->env->sse_status;
	set_float_exception_flags(0, &r->f.fp);
	if (r->code.eh && !r->code.memory && r->row->eh == KNC_EH_ROUND)
		set_float_rounding_mode(modes[r->code.sss & 3], &r->f.fp);
}

/* Floats raise no exception. They set MXCSR's flags, unless the instruction suppresses that. */
static void note_exceptions(KncRun *r)
{
	bool suppressed = r->code.eh && !r->code.memory && r->code.sss & 4 &&
			  (r->row->eh == KNC_EH_ROUND || r->row->eh == KNC_EH_SAE);

	if (!suppressed)
		float_raise(get_float_exception_flags(&r->f.fp), &r->env->sse_status);
}

/* The units see the lines accessed; without active elements the access counts, but has no line */
static void note_access(KncRun *r)
{
	bool stores = knc_vector_stores(r->row);
	uint32_t flags = stores ? KNC_ACCESS_WRITE : KNC_ACCESS_READ;

	if (!r->env->knc.note.valid || !r->code.memory || r->op == KNC_OP_HINT)
		return;
	if (r->op == KNC_OP_PREFETCH)
		flags = KNC_ACCESS_PREFETCH;
	if (r->op == KNC_OP_STORE && r->active == (1U << r->nr) - 1)
		flags |= KNC_ACCESS_ALL;
	if (r->accesses)
		helper_knc_access(r->env, r->first, flags | (r->last - r->first + 1));
	else
		r->env->knc.pend_step += stores ? KNC_STEP_WRITE : KNC_STEP_READ;
}

void HELPER(knc_vector)(CPUX86State *env, uint64_t word, target_ulong addr)
{
	KncRun r = { .env = env, .code.word = word, .addr = addr, .ra = GETPC() };

	r.row = &knc_vectors[r.code.row];
	r.op = knc_vector_op(r.code.row, &r.f.negates);
	if (r.row->space == KNC_SPACE_VEX) {
		do_masks(&r);
		return;
	}
	r.nr = knc_vector_elements(r.row);
	r.wide = r.nr == KNC_LANES / 2;
	r.active = (1U << r.nr) - 1;
	if (r.code.mask)
		r.active &= env->opmask_regs[r.code.mask];
	if (env->knc.note.valid)
		env->knc.note.insn.elements = ctpop32(r.active);
	r.f.op = r.op;
	r.f.wide = r.wide;
	r.f.imm = r.code.imm;
	set_rounding(&r);
	execute(&r);
	note_access(&r);
	note_exceptions(&r);
}
