// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions on floats in Knights Corner's vectors that have rules of their own
 *
 * Documentation/emulated-card.rst says which rules we chose.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "fpu/softfloat.h"
#include "knc_vector.h"

/* A type of floats: bits of the fraction, and the largest exponent with its bias */
typedef struct KncType {
	unsigned int fraction;
	unsigned int exponents;
} KncType;

static const KncType types[2] = { { 23, 0xff }, { 52, 0x7ff } };

static const KncType *type_of(const KncFloat *f)
{
	return &types[f->wide];
}

static uint64_t sign_bit(const KncType *t)
{
	return ((uint64_t)t->exponents + 1) << t->fraction;
}

static uint64_t fraction_mask(const KncType *t)
{
	return (1ULL << t->fraction) - 1;
}

static unsigned int exponent(const KncType *t, uint64_t x)
{
	return x >> t->fraction & t->exponents;
}

static uint64_t infinity(const KncType *t)
{
	return (uint64_t)t->exponents << t->fraction;
}

/* The NaN that an invalid operation returns */
static uint64_t indefinite(const KncType *t)
{
	return sign_bit(t) | infinity(t) | 1ULL << (t->fraction - 1);
}

static bool is_nan(const KncType *t, uint64_t x)
{
	return (x & ~sign_bit(t)) > infinity(t);
}

static bool is_signalling(const KncType *t, uint64_t x)
{
	return is_nan(t, x) && !(x & 1ULL << (t->fraction - 1));
}

static uint64_t quiet(KncFloat *f, uint64_t x)
{
	if (is_signalling(type_of(f), x))
		float_raise(float_flag_invalid, &f->fp);
	return x | 1ULL << (type_of(f)->fraction - 1);
}

/* With MXCSR.DAZ a denormal is a zero */
static uint64_t denormal_as_zero(KncFloat *f, uint64_t x)
{
	const KncType *t = type_of(f);

	return f->fp.flush_inputs_to_zero && !exponent(t, x) ? x & sign_bit(t) : x;
}

/* An integer with the order of the float; -0 is less than +0 */
static uint64_t order(const KncType *t, uint64_t x)
{
	return x & sign_bit(t) ? ~x & (2 * sign_bit(t) - 1) : x | sign_bit(t);
}

/* VGMIN, VGMAX and VGMAXABS: of a number and a NaN the result is the number */
static uint64_t minimum(KncFloat *f, uint64_t x, uint64_t y)
{
	const KncType *t = type_of(f);

	if (f->op == KNC_OP_FMAX_ABS) {
		x &= ~sign_bit(t);
		y &= ~sign_bit(t);
	}
	x = denormal_as_zero(f, x);
	y = denormal_as_zero(f, y);
	if (is_signalling(t, x) || is_signalling(t, y))
		float_raise(float_flag_invalid, &f->fp);
	if (is_nan(t, x))
		return is_nan(t, y) ? quiet(f, x) : y;
	if (is_nan(t, y))
		return x;
	return (order(t, x) < order(t, y)) == (f->op == KNC_OP_FMIN) ? x : y;
}

/* Return the exponent without its bias; a denormal @x is shifted to have a leading one */
static int normalize(const KncType *t, uint64_t *x)
{
	uint64_t fraction = *x & fraction_mask(t);
	unsigned int by;

	if (exponent(t, *x))
		return exponent(t, *x) - (t->exponents >> 1);
	by = clz64(fraction) - (63 - t->fraction);
	*x = (*x & sign_bit(t)) | (fraction << by & fraction_mask(t));
	return 1 - (int)by - (t->exponents >> 1);
}

static uint64_t get_exponent(KncFloat *f, uint64_t x)
{
	const KncType *t = type_of(f);
	int value;

	x = denormal_as_zero(f, x);
	if (is_nan(t, x))
		return quiet(f, x);
	x &= ~sign_bit(t);
	if (!x)
		return sign_bit(t) | infinity(t);
	if (x == infinity(t))
		return x;
	value = normalize(t, &x);
	return f->wide ? int32_to_float64(value, &f->fp) : int32_to_float32(value, &f->fp);
}

/*
 * VGETMANT. Interval 0 to 3: [1, 2), [1/2, 2), [1/2, 1), [3/4, 3/2). Signs: bit 0 drops the sign,
 * with bit 1 a negative number is invalid.
 */
static uint64_t get_mantissa(KncFloat *f, uint64_t x)
{
	const KncType *t = type_of(f);
	unsigned int interval = f->imm & 3, signs = f->imm >> 2 & 3, bias = t->exponents >> 1;
	uint64_t sign = signs & 1 ? 0 : x & sign_bit(t), fraction;
	int value;

	x = denormal_as_zero(f, x);
	if (is_nan(t, x))
		return quiet(f, x);
	if (!(x & ~sign_bit(t)))
		return sign | (uint64_t)bias << t->fraction;
	if (signs & 2 && x & sign_bit(t)) {
		float_raise(float_flag_invalid, &f->fp);
		return indefinite(t);
	}
	if ((x & ~sign_bit(t)) == infinity(t))
		return sign | (uint64_t)bias << t->fraction;
	value = normalize(t, &x);
	fraction = x & fraction_mask(t);
	if ((interval == 1 && value & 1) || interval == 2 ||
	    (interval == 3 && fraction >> (t->fraction - 1)))
		bias--;
	return sign | (uint64_t)bias << t->fraction | fraction;
}

/*
 * VFIXUPNAN: the table @y has three bits for each kind of number, from -infinity to +infinity,
 * which choose the result. @z, the destination's element, is one choice.
 */
static uint64_t fix_up(KncFloat *f, uint64_t x, uint64_t y, uint64_t z)
{
	const KncType *t = type_of(f);
	bool negative = x & sign_bit(t);
	uint64_t value;
	unsigned int kind;

	x = denormal_as_zero(f, x);
	if (is_nan(t, x))
		return quiet(f, x);
	value = x & ~sign_bit(t);
	kind = value == infinity(t) ? 0 : value ? 1 : 2;
	switch (y >> 3 * (negative ? kind : 5 - kind) & 7) {
	case 1:		return sign_bit(t) | infinity(t);
	case 2:		return sign_bit(t);
	case 3:		return 0;
	case 4:		return infinity(t);
	case 5:		return indefinite(t);
	case 6:		return infinity(t) - 1;
	case 7:		return sign_bit(t) | (infinity(t) - 1);
	default:	return z;
	}
}

/* The number of bits after the fixed point, by the immediate */
static int point(const KncFloat *f)
{
	static const uint8_t bits[8] = { 0, 4, 5, 8, 16, 24, 31, 32 };

	/* conversions of float64 to integers have none */
	return f->wide && f->op != KNC_OP_ROUND ? 0 : bits[f->imm >> 4 & 7];
}

/* Is this immediate reserved? The instruction is then an invalid opcode. */
bool knc_vector_reserved(enum knc_vector_op op, uint8_t imm)
{
	return op >= KNC_OP_ROUND && op <= KNC_OP_TO_UFIXED && imm & 0x80;
}

/* Bits 0 and 1 of the immediate choose the rounding; with bit 2 it is MXCSR's */
static void set_rounding(KncFloat *f)
{
	static const uint8_t modes[] = {
		float_round_nearest_even, float_round_down, float_round_up, float_round_to_zero
	};

	if (!(f->imm & 4))
		set_float_rounding_mode(modes[f->imm & 3], &f->fp);
}

static uint64_t round_fixed(KncFloat *f, uint64_t x)
{
	const KncType *t = type_of(f);
	uint64_t value;

	if (is_nan(t, x))
		return quiet(f, x);
	set_rounding(f);
	/* has no fraction to round, and scaling might overflow */
	if (exponent(t, x) >= (t->exponents >> 1) + t->fraction)
		return x;
	if (f->wide) {
		value = float64_round_to_int(float64_scalbn(x, point(f), &f->fp), &f->fp);
		return float64_scalbn(value, -point(f), &f->fp);
	}
	value = float32_round_to_int(float32_scalbn(x, point(f), &f->fp), &f->fp);
	return float32_scalbn(value, -point(f), &f->fp);
}

static uint64_t from_fixed(KncFloat *f, uint32_t y)
{
	float64 value = f->op == KNC_OP_FROM_FIXED ? int32_to_float64(y, &f->fp) :
						     uint32_to_float64(y, &f->fp);

	set_rounding(f);
	return float64_to_float32(float64_scalbn(value, -point(f), &f->fp), &f->fp);
}

/* Saturates; a NaN becomes 0 */
static uint64_t to_fixed(KncFloat *f, uint64_t x)
{
	float64 value = f->wide ? x : float32_to_float64(x, &f->fp);

	if (float64_is_any_nan(value)) {
		float_raise(float_flag_invalid, &f->fp);
		return 0;
	}
	set_rounding(f);
	value = float64_scalbn(value, point(f), &f->fp);
	if (f->op == KNC_OP_TO_FIXED)
		return (uint32_t)float64_to_int32(value, &f->fp);
	return float64_to_uint32(value, &f->fp);
}

/* VEXP223: 2 to the power of @y, a fixed-point number with 24 bits after the point */
static uint32_t power_of_two(int32_t y)
{
	static float64 roots[24];	/* 2^(1/2), 2^(1/4) ... */
	float_status fp = { .float_rounding_mode = float_round_nearest_even };
	float64 root = float64_two, value = float64_one;
	unsigned int i;

	if (y == INT32_MAX)
		return float32_infinity;
	/* a result that would be denormal is 0, also that of INT32_MIN */
	if (y >> 24 < -126)
		return 0;
	for (i = 0; !roots[ARRAY_SIZE(roots) - 1] && i < ARRAY_SIZE(roots); i++) {
		root = float64_sqrt(root, &fp);
		roots[i] = root;
	}
	for (i = 0; i < ARRAY_SIZE(roots); i++)
		if (y & 1U << (23 - i))
			value = float64_mul(value, roots[i], &fp);
	return float64_to_float32(float64_scalbn(value, y >> 24, &fp), &fp);
}

/*
 * VLOG2, VRCP23 and VRSQRT23 treat denormals as zero, in sources and results. Results are computed
 * in float64 and rounded to nearest, which is closer than Intel 327364 promises.
 */
static uint32_t approximate(KncFloat *f, uint32_t x)
{
	float_status fp = {
		.float_rounding_mode = float_round_nearest_even, .flush_to_zero = true
	};
	const KncType *t = type_of(f);
	float64 value;

	if (is_nan(t, x))
		return quiet(f, x);
	if (!exponent(t, x))
		x &= sign_bit(t);
	if (f->op != KNC_OP_RCP && x & sign_bit(t) && x != sign_bit(t)) {
		float_raise(float_flag_invalid, &f->fp);
		return indefinite(t);
	}
	value = float32_to_float64(x, &fp);
	if (!(x & ~sign_bit(t))) {
		float_raise(float_flag_divbyzero, &f->fp);
		return infinity(t) | (f->op == KNC_OP_LOG2 ? sign_bit(t) : x);
	}
	if (f->op == KNC_OP_LOG2)
		return x == infinity(t) ? x : float64_to_float32(float64_log2(value, &fp), &fp);
	if (f->op == KNC_OP_RSQRT)
		value = float64_sqrt(value, &fp);
	return float64_to_float32(float64_div(float64_one, value, &fp), &fp);
}

uint64_t knc_vector_special(KncFloat *f, uint64_t x, uint64_t y, uint64_t z)
{
	switch (f->op) {
	case KNC_OP_FMAX:
	case KNC_OP_FMIN:
	case KNC_OP_FMAX_ABS:	return minimum(f, x, y);
	case KNC_OP_FIXUP:	return fix_up(f, x, y, z);
	case KNC_OP_EXPONENT:	return get_exponent(f, y);
	case KNC_OP_MANTISSA:	return get_mantissa(f, y);
	case KNC_OP_ROUND:	return round_fixed(f, y);
	case KNC_OP_FROM_FIXED:
	case KNC_OP_FROM_UFIXED: return from_fixed(f, y);
	case KNC_OP_TO_FIXED:
	case KNC_OP_TO_UFIXED:	return to_fixed(f, y);
	case KNC_OP_EXP2:	return power_of_two(y);
	default:		return approximate(f, y);
	}
}
