// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of Knights Corner's vectors (include/knc/vector.def)
 *
 * zmm0 to zmm31 are QEMU's: the low 128 bits of the first 16 are SSE's, as on a card those that
 * FXSAVE and FXRSTOR know. What is above belongs to the hardware thread: no kernel saves it.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "fpu/softfloat.h"
#include "tcg/helper-tcg.h"
#include "knc/vector.h"
#include "knc_vector.h"

/* An instruction while it is executed */
typedef struct KncRun {
	CPUX86State *env;
	const struct knc_vector *row;
	KncVectorCode code;
	enum knc_vector_op op;
	int negates;
	bool wide;		/* elements of 64 bits */
	unsigned int nr;	/* elements */
	uint32_t active;	/* elements that are not masked off */
	float_status fp;
	target_ulong addr;
	uintptr_t ra;
} KncRun;

static KncVector *reg(KncRun *r, unsigned int number)
{
	QEMU_BUILD_BUG_ON(sizeof(KncVector) != sizeof(ZMMReg));
	return (KncVector *)&r->env->xmm_regs[number];
}

/* An element in memory, converted */
static uint64_t load_element(KncRun *r, target_ulong addr)
{
	bool is_float = r->row->element == KNC_ELEMENT_F32;

	if (knc_vector_size(r->row, r->code.sss) == 8)
		return cpu_ldq_data_ra(r->env, addr, r->ra);
	switch (r->code.sss) {
	case 3:
		return float16_to_float32(cpu_lduw_data_ra(r->env, addr, r->ra), true, &r->fp);
	case 4:
		return is_float ? uint32_to_float32(cpu_ldub_data_ra(r->env, addr, r->ra), &r->fp) :
				  cpu_ldub_data_ra(r->env, addr, r->ra);
	case 5:
		return is_float ? int32_to_float32(cpu_ldsb_data_ra(r->env, addr, r->ra), &r->fp) :
				  (uint32_t)cpu_ldsb_data_ra(r->env, addr, r->ra);
	case 6:
		return is_float ? uint32_to_float32(cpu_lduw_data_ra(r->env, addr, r->ra), &r->fp) :
				  cpu_lduw_data_ra(r->env, addr, r->ra);
	case 7:
		return is_float ? int32_to_float32(cpu_ldsw_data_ra(r->env, addr, r->ra), &r->fp) :
				  (uint32_t)cpu_ldsw_data_ra(r->env, addr, r->ra);
	}
	return cpu_ldl_data_ra(r->env, addr, r->ra);
}

static void store_element(KncRun *r, target_ulong addr, const KncVector *v, unsigned int i)
{
	if (r->wide)
		cpu_stq_data_ra(r->env, addr, v->q[i], r->ra);
	else
		cpu_stl_data_ra(r->env, addr, v->d[i], r->ra);
}

static void set_element(KncRun *r, KncVector *v, unsigned int i, uint64_t value)
{
	if (knc_vector_size(r->row, r->code.sss) == 8)
		v->q[i] = value;
	else
		v->d[i] = value;
}

/* Memory is aligned to what is read or written of it */
static void check_aligned(KncRun *r, unsigned int size)
{
	if (r->addr & (size - 1))
		raise_exception_err_ra(r->env, EXCP0D_GPF, 0, r->ra);
}

/* Read a vector, only the elements that are active; @period: after how many it repeats itself */
static void load(KncRun *r, KncVector *v, unsigned int period)
{
	unsigned int size = knc_vector_size(r->row, r->code.sss), i;

	check_aligned(r, knc_vector_unit(r->row, r->code.sss));
	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i)
			set_element(r, v, i, load_element(r, r->addr + i % period * size));
}

/* Elements 0 to 3 of each four, by the swizzle */
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

/* The last source, swizzled, broadcast or converted */
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

/* Elements of @result that are active go to the register */
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
	unsigned int size = r->wide ? 8 : 4, i;

	check_aligned(r, 64);
	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i)
			store_element(r, r->addr + i * size, v, i);
}

/*
 * Active elements are one after the other in memory. The low half of them is up to the end of the
 * line of the address, the high half from there, where @addr is that of the end plus what is left.
 */
static void do_packed(KncRun *r)
{
	bool loads = r->op == KNC_OP_UNPACK_LOW || r->op == KNC_OP_UNPACK_HIGH;
	bool high = r->op == KNC_OP_UNPACK_HIGH || r->op == KNC_OP_PACK_HIGH;
	unsigned int size = knc_vector_size(r->row, r->code.sss), i;
	KncVector v = *reg(r, r->code.reg);
	/* of the high half: the line that begins in or after the vector that ends at @addr */
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
 * One line of a gather or scatter: that of the first active element, with all others that are in
 * it. Their bits of the mask are cleared; the program repeats the instruction until none is left.
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
		if (at & (knc_vector_size(r->row, r->code.sss) - 1))
			raise_exception_err_ra(r->env, EXCP0D_GPF, 0, r->ra);
		if (r->op == KNC_OP_GATHER)
			set_element(r, v, i, load_element(r, at));
		else
			store_element(r, at, v, i);
		r->env->opmask_regs[r->code.mask] &= ~(1ULL << i);
	}
}

/* With a carry or borrow in the mask vvvv: the destination is the first source */
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
		is = quiet ? float64_compare_quiet(a->q[i], b->q[i], &r->fp) :
			     float64_compare(a->q[i], b->q[i], &r->fp);
	else
		is = quiet ? float32_compare_quiet(a->d[i], b->d[i], &r->fp) :
			     float32_compare(a->d[i], b->d[i], &r->fp);
	/* equal, less, less or equal, unordered; and their opposites */
	holds = how == 0 ? is == float_relation_equal : how == 1 ? is == float_relation_less :
		how == 2 ? is == float_relation_less || is == float_relation_equal :
			   is == float_relation_unordered;
	return r->code.imm & 4 ? !holds : holds;
}

static uint64_t float64_op(KncRun *r, uint64_t x, uint64_t y, uint64_t z)
{
	switch (r->op) {
	case KNC_OP_FADD:	return float64_add(x, y, &r->fp);
	case KNC_OP_FSUB:	return float64_sub(x, y, &r->fp);
	case KNC_OP_FSUBR:	return float64_sub(y, x, &r->fp);
	case KNC_OP_FMUL:	return float64_mul(x, y, &r->fp);
	case KNC_OP_FMA132:	return float64_muladd(z, y, x, r->negates, &r->fp);
	case KNC_OP_FMA213:	return float64_muladd(x, z, y, r->negates, &r->fp);
	default:		return float64_muladd(x, y, z, r->negates, &r->fp);
	}
}

static uint32_t float32_op(KncRun *r, uint32_t x, uint32_t y, uint32_t z)
{
	switch (r->op) {
	case KNC_OP_FADD:	return float32_add(x, y, &r->fp);
	case KNC_OP_FSUB:	return float32_sub(x, y, &r->fp);
	case KNC_OP_FSUBR:	return float32_sub(y, x, &r->fp);
	case KNC_OP_FMUL:	return float32_mul(x, y, &r->fp);
	case KNC_OP_FMA132:	return float32_muladd(z, y, x, r->negates, &r->fp);
	case KNC_OP_FMA213:	return float32_muladd(x, z, y, r->negates, &r->fp);
	default:		return float32_muladd(x, y, z, r->negates, &r->fp);
	}
}

static void do_floats(KncRun *r, const KncVector *a, const KncVector *b)
{
	KncVector v = *reg(r, r->code.reg);
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		if (!(r->active & 1U << i))
			continue;
		switch (r->op) {
		case KNC_OP_WIDEN:
			v.q[i] = float32_to_float64(b->d[i], &r->fp);
			break;
		case KNC_OP_INT_TO_F64:
			v.q[i] = int32_to_float64(b->d[i], &r->fp);
			break;
		case KNC_OP_UINT_TO_F64:
			v.q[i] = uint32_to_float64(b->d[i], &r->fp);
			break;
		default:
			if (r->wide)
				v.q[i] = float64_op(r, a->q[i], b->q[i], v.q[i]);
			else
				v.d[i] = float32_op(r, a->d[i], b->d[i], v.d[i]);
		}
	}
	write_active(r, r->code.reg, &v);
}

/* Elements that a comparison holds for, of those that are active */
static void do_compare(KncRun *r, const KncVector *a, const KncVector *b)
{
	KncVector none;
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i &&
		    (r->op == KNC_OP_FCMP ? float_compare(r, a, b, i) :
		     knc_vector_lane(r->op, a, b, &none, r->code.imm, i)))
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

/* Elements that are active come from @b, the others from @a */
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

/* Integers of 32 bits. The shifts by a constant have their destination in vvvv */
static void do_lanes(KncRun *r, const KncVector *a, const KncVector *b)
{
	bool by_constant = r->row->operands == KNC_OPERANDS_N_S_IMM;
	unsigned int to = by_constant ? r->code.vvvv : r->code.reg, i;
	KncVector v = *reg(r, to), count;

	for (i = 0; i < KNC_LANES; i++)
		count.d[i] = r->code.imm;
	for (i = 0; i < r->nr; i++)
		if (r->active & 1U << i)
			knc_vector_lane(r->op, by_constant ? b : a, by_constant ? &count : b, &v, 0, i);
	write_active(r, to, &v);
}

static void do_masks(KncRun *r)
{
	uint32_t a = r->env->opmask_regs[r->code.reg], b = r->env->opmask_regs[r->code.rm], v;

	switch (r->op) {
	case KNC_OP_KAND:	v = a & b; break;
	case KNC_OP_KANDN:	v = ~a & b; break;
	case KNC_OP_KANDNR:	v = a & ~b; break;
	case KNC_OP_KNOT:	v = ~b; break;
	case KNC_OP_KOR:	v = a | b; break;
	case KNC_OP_KXNOR:	v = ~(a ^ b); break;
	case KNC_OP_KXOR:	v = a ^ b; break;
	case KNC_OP_KMERGE_H:	v = a << 8 | (b >> 8 & 0xff); break;
	case KNC_OP_KMERGE_L:	v = a << 8 | (b & 0xff); break;
	default:		v = b;
	}
	set_mask(r, r->code.reg, v & 0xffff);
}

/* What has a first and a last source */
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
	case KNC_OP_FADD ... KNC_OP_UINT_TO_F64:
		do_floats(r, &a, &b);
		break;
	default:
		do_lanes(r, &a, &b);
	}
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
		do_line(r);
		break;
	default:
		do_sources(r);
	}
}

/* The rounding of the instruction, instead of MXCSR's */
static void set_rounding(KncRun *r)
{
	static const uint8_t modes[] = {
		float_round_nearest_even, float_round_down, float_round_up, float_round_to_zero
	};

	r->fp = r->env->sse_status;
	set_float_exception_flags(0, &r->fp);
	if (r->code.eh && !r->code.memory && r->row->eh == KNC_EH_ROUND)
		set_float_rounding_mode(modes[r->code.sss & 3], &r->fp);
}

/* No exception of a float is raised: they are only noted in MXCSR, unless that is suppressed too */
static void note_exceptions(KncRun *r)
{
	bool suppressed = r->code.eh && !r->code.memory && r->code.sss & 4 &&
			  (r->row->eh == KNC_EH_ROUND || r->row->eh == KNC_EH_SAE);

	if (!suppressed)
		float_raise(get_float_exception_flags(&r->fp), &r->env->sse_status);
}

void HELPER(knc_vector)(CPUX86State *env, uint64_t word, target_ulong addr)
{
	KncRun r = { .env = env, .code.word = word, .addr = addr, .ra = GETPC() };

	r.row = &knc_vectors[r.code.row];
	r.op = knc_vector_op(r.code.row, &r.negates);
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
	set_rounding(&r);
	execute(&r);
	note_exceptions(&r);
}
