// SPDX-License-Identifier: GPL-2.0
/*
 * Floats in Knights Corner's vectors: arithmetic and conversions
 *
 * Documentation/emulated-card.rst says which rules we chose.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "fpu/softfloat.h"
#include "knc_vector.h"

static uint64_t float64_op(KncFloat *f, uint64_t x, uint64_t y, uint64_t z)
{
	switch (f->op) {
	case KNC_OP_FADD:
	case KNC_OP_FADDN:	return float64_add(x, y, &f->fp);
	case KNC_OP_FSUB:	return float64_sub(x, y, &f->fp);
	case KNC_OP_FSUBR:	return float64_sub(y, x, &f->fp);
	case KNC_OP_FMUL:	return float64_mul(x, y, &f->fp);
	case KNC_OP_FMA132:	return float64_muladd(z, y, x, f->negates, &f->fp);
	case KNC_OP_FMA213:	return float64_muladd(x, z, y, f->negates, &f->fp);
	default:		return float64_muladd(x, y, z, f->negates, &f->fp);
	}
}

static uint32_t float32_op(KncFloat *f, uint32_t x, uint32_t y, uint32_t z)
{
	switch (f->op) {
	case KNC_OP_FADD:
	case KNC_OP_FADDN:
	case KNC_OP_FADDSETS:	return float32_add(x, y, &f->fp);
	case KNC_OP_FSUB:	return float32_sub(x, y, &f->fp);
	case KNC_OP_FSUBR:	return float32_sub(y, x, &f->fp);
	case KNC_OP_FMUL:	return float32_mul(x, y, &f->fp);
	case KNC_OP_SCALE:	return float32_scalbn(x, y, &f->fp);
	case KNC_OP_FMA132:	return float32_muladd(z, y, x, f->negates, &f->fp);
	case KNC_OP_FMA213:	return float32_muladd(x, z, y, f->negates, &f->fp);
	default:		return float32_muladd(x, y, z, f->negates, &f->fp);
	}
}

/* VADDN negates the rounded sum, but not a NaN */
static uint64_t negate(const KncFloat *f, uint64_t x)
{
	if (f->wide)
		return float64_is_any_nan(x) ? x : float64_chs(x);
	return float32_is_any_nan(x) ? x : float32_chs(x);
}

uint64_t knc_vector_float(KncFloat *f, uint64_t x, uint64_t y, uint64_t z)
{
	switch (f->op) {
	case KNC_OP_WIDEN:
		return float32_to_float64(y, &f->fp);
	case KNC_OP_NARROW:
		return float64_to_float32(y, &f->fp);
	case KNC_OP_INT_TO_F64:
		return int32_to_float64(y, &f->fp);
	case KNC_OP_UINT_TO_F64:
		return uint32_to_float64(y, &f->fp);
	case KNC_OP_FMAX ... KNC_OP_RSQRT:
		return knc_vector_special(f, x, y, z);
	default:
		x = f->wide ? float64_op(f, x, y, z) : float32_op(f, x, y, z);
		return f->op == KNC_OP_FADDN ? negate(f, x) : x;
	}
}

/* Denormals of float16 are numbers, whatever DAZ and FTZ say, as with F16C */
float32 knc_vector_from_half(float_status *status, float16 half)
{
	float_status fp = { .float_rounding_mode = float_round_nearest_even };
	float32 value = float16_to_float32(half, true, &fp);

	float_raise(get_float_exception_flags(&fp) & float_flag_invalid, status);
	return value;
}

float16 knc_vector_to_half(float_status *status, float32 value)
{
	float_status fp = *status;
	float16 half;

	fp.flush_to_zero = false;
	half = float32_to_float16(value, true, &fp);
	float_raise(get_float_exception_flags(&fp), status);
	return half;
}

/*
 * Convert to uint8, sint8, uint16 or sint16: @to is 0 to 3. A float is rounded as MXCSR says, and
 * saturates; a NaN becomes 0.
 */
int32_t knc_vector_to_small(float_status *fp, uint32_t value, bool is_float, unsigned int to)
{
	static const struct {
		int32_t least, most;
	} ranges[4] = { { 0, 0xff }, { -0x80, 0x7f }, { 0, 0xffff }, { -0x8000, 0x7fff } };
	int32_t integer = value;

	/* of integers, a signed result saturates, an unsigned one keeps the low bits */
	if (!is_float && !ranges[to].least)
		return integer & ranges[to].most;
	if (is_float && float32_is_any_nan(value)) {
		float_raise(float_flag_invalid, fp);
		return 0;
	}
	if (is_float)
		integer = float32_to_int32(value, fp);
	return MIN(MAX(integer, ranges[to].least), ranges[to].most);
}
