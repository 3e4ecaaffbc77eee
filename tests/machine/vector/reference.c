// SPDX-License-Identifier: GPL-2.0
/*
 * Elements of vector instructions in the host's floats and integers
 *
 * The host's MXCSR has the rounding, DAZ and FTZ of the instruction while these are called.
 */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "compare.h"

#define INDEFINITE_32	0xffc00000U
#define INDEFINITE_64	0xfff8000000000000ULL

static float f32(uint64_t bits)
{
	uint32_t low = bits;
	float value;

	memcpy(&value, &low, 4);
	return value;
}

static double f64(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, 8);
	return value;
}

static uint64_t bits32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, 4);
	return bits;
}

static uint64_t bits64(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, 8);
	return bits;
}

/* volatile, because the compiler does not know that MXCSR matters */
#define PS(name, expression)							\
static uint64_t name##ps(struct lane *l)					\
{										\
	volatile float x = f32(l->x), y = f32(l->y), z = f32(l->z), value;	\
										\
	(void)x, (void)y, (void)z;						\
	value = (expression);							\
	return bits32(value);							\
}

#define PD(name, expression)							\
static uint64_t name##pd(struct lane *l)					\
{										\
	volatile double x = f64(l->x), y = f64(l->y), z = f64(l->z), value;	\
										\
	(void)x, (void)y, (void)z;						\
	value = (expression);							\
	return bits64(value);							\
}

#define INT(name, expression)							\
static uint64_t name(struct lane *l)						\
{										\
	uint32_t x = l->x, y = l->y, z = l->z;					\
	int32_t sx = x, sy = y;							\
										\
	(void)x, (void)y, (void)z, (void)sx, (void)sy;				\
	return (uint32_t)(expression);						\
}

PS(vadd, x + y) PS(vsub, x - y) PS(vsubr, y - x) PS(vmul, x * y)
PD(vadd, x + y) PD(vsub, x - y) PD(vsubr, y - x) PD(vmul, x * y)

#define FMA(order, a, b, c)							\
	PS(vfmadd##order, fmaf(a, b, c)) PS(vfmsub##order, fmaf(a, b, -(c)))	\
	PS(vfnmadd##order, fmaf(-(a), b, c)) PS(vfnmsub##order, fmaf(-(a), b, -(c))) \
	PD(vfmadd##order, fma(a, b, c)) PD(vfmsub##order, fma(a, b, -(c)))	\
	PD(vfnmadd##order, fma(-(a), b, c)) PD(vfnmsub##order, fma(-(a), b, -(c)))
FMA(132, z, y, x)
FMA(213, x, z, y)
FMA(231, x, y, z)

static uint64_t vaddnps(struct lane *l)
{
	return vaddps(l) ^ 0x80000000;
}

static uint64_t vaddnpd(struct lane *l)
{
	return vaddpd(l) ^ 1ULL << 63;
}

static uint64_t vaddsetsps(struct lane *l)
{
	uint32_t sum = vaddps(l);

	l->carries = sum >> 31;
	return sum;
}

static uint64_t vfmadd233ps(struct lane *l)
{
	volatile float scale = f32(l->b->d[l->i / 4 * 4 + 1]), bias = f32(l->b->d[l->i / 4 * 4]);

	return bits32(fmaf(f32(l->x), scale, bias));
}

static uint64_t vscaleps(struct lane *l)
{
	int32_t by = l->y;

	return bits32(scalbnf(f32(l->x), by));
}

/* maxNum and minNum of IEEE 754, where -0 is less than +0 */
static int is_less(double x, double y)
{
	return x < y || (x == y && signbit(x) && !signbit(y));
}

#define PICK(name, type, bits, of, condition)					\
static uint64_t name(struct lane *l)						\
{										\
	type x = of(l->x), y = of(l->y);					\
										\
	if (isnan(x) || isnan(y))						\
		return bits(isnan(x) ? y : x);					\
	return bits((condition) ? y : x);					\
}

PICK(vgmaxps, float, bits32, f32, is_less(x, y))
PICK(vgminps, float, bits32, f32, is_less(y, x))
PICK(vgmaxpd, double, bits64, f64, is_less(x, y))
PICK(vgminpd, double, bits64, f64, is_less(y, x))

static uint64_t vgmaxabsps(struct lane *l)
{
	l->x &= 0x7fffffff;
	l->y &= 0x7fffffff;
	return vgmaxps(l);
}

/* The kinds of numbers in ascending order; the table has three bits for each */
static unsigned int kind(double x)
{
	if (isinf(x))
		return signbit(x) ? 0 : 5;
	if (x == 0)
		return signbit(x) ? 2 : 3;
	return signbit(x) ? 1 : 4;
}

static double response(unsigned int token, double largest)
{
	const double all[8] = { 0, -INFINITY, -0.0, 0, INFINITY, NAN, largest, -largest };

	return all[token];
}

static uint64_t vfixupnanps(struct lane *l)
{
	float x = f32(l->x);
	unsigned int token = isnan(x) ? 0 : l->y >> 3 * kind(x) & 7;

	if (isnan(x))
		return l->x | 0x400000;
	return token ? bits32(response(token, 0x1.fffffep127)) : l->z;
}

static uint64_t vfixupnanpd(struct lane *l)
{
	double x = f64(l->x);
	unsigned int token = isnan(x) ? 0 : l->y >> 3 * kind(x) & 7;

	if (isnan(x))
		return l->x | 1ULL << 51;
	return token ? bits64(response(token, 0x1.fffffffffffffp1023)) : l->z;
}

PS(vgetexp, logbf(y))
PD(vgetexp, logb(y))

static double mantissa(double x, unsigned int imm)
{
	double sign = imm & 4 ? 1 : copysign(1, x), m;
	int e;

	if (isnan(x))
		return x;
	if (imm & 8 && signbit(x) && x != 0)
		return NAN;
	if (x == 0 || isinf(x))
		return sign;
	m = frexp(fabs(x), &e);	/* [1/2, 1) */
	switch (imm & 3) {
	case 0:
		return sign * 2 * m;
	case 1:
		return sign * ((e - 1) & 1 ? m : 2 * m);
	case 2:
		return sign * m;
	default:
		return sign * (2 * m >= 1.5 ? m : 2 * m);
	}
}

PS(vgetmant, mantissa(y, l->imm))
PD(vgetmant, mantissa(y, l->imm))

static int point(unsigned int imm)
{
	static const int bits[8] = { 0, 4, 5, 8, 16, 24, 31, 32 };

	return bits[imm >> 4 & 7];
}

static void set_rounding(unsigned int imm)
{
	static const int modes[4] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };

	if (!(imm & 4))
		fesetround(modes[imm & 3]);
}

static long double round_fixed(long double x, unsigned int imm)
{
	volatile long double value;

	set_rounding(imm);
	value = rintl(ldexpl(x, point(imm)));
	return ldexpl(value, -point(imm));
}

PS(vrndfxpnt, round_fixed(y, l->imm))
PD(vrndfxpnt, round_fixed(y, l->imm))

static uint64_t vcvtfxpntdq2ps(struct lane *l)
{
	volatile double value = ldexp((int32_t)l->y, -point(l->imm));

	set_rounding(l->imm);
	return bits32(value);
}

static uint64_t vcvtfxpntudq2ps(struct lane *l)
{
	volatile double value = ldexp((uint32_t)l->y, -point(l->imm));

	set_rounding(l->imm);
	return bits32(value);
}

static int64_t clamp(double value, unsigned int imm, double least, double most)
{
	volatile double rounded;

	if (isnan(value))
		return 0;
	set_rounding(imm);
	rounded = rint(ldexp(value, point(imm)));
	return rounded < least ? least : rounded > most ? most : rounded;
}

static uint64_t vcvtfxpntps2dq(struct lane *l)
{
	return (uint32_t)clamp(f32(l->y), l->imm, INT32_MIN, INT32_MAX);
}

static uint64_t vcvtfxpntps2udq(struct lane *l)
{
	return clamp(f32(l->y), l->imm, 0, UINT32_MAX);
}

/* float64 to fixed point has no bits after the point */
static uint64_t vcvtfxpntpd2dq(struct lane *l)
{
	return (uint32_t)clamp(f64(l->y), l->imm & 15, INT32_MIN, INT32_MAX);
}

static uint64_t vcvtfxpntpd2udq(struct lane *l)
{
	return clamp(f64(l->y), l->imm & 15, 0, UINT32_MAX);
}

static uint64_t vcvtpd2ps(struct lane *l)
{
	volatile float value = f64(l->y);

	return bits32(value);
}

static uint64_t vcvtps2pd(struct lane *l)
{
	volatile double value = f32(l->b->d[l->i]);

	return bits64(value);
}

static uint64_t vcvtdq2pd(struct lane *l)
{
	return bits64((int32_t)l->b->d[l->i]);
}

static uint64_t vcvtudq2pd(struct lane *l)
{
	return bits64(l->b->d[l->i]);
}

/* Denormal operands and results are taken as zeros */
static long double normal(uint64_t y)
{
	float x = f32(y);

	return fpclassify(x) == FP_SUBNORMAL ? copysignl(0, x) : x;
}

static long double exp2_exact(uint64_t y)
{
	int32_t x = y;

	return x == INT32_MAX ? INFINITY : x < -126 * (1 << 24) ? 0 : exp2l(x / 0x1p24L);
}

static long double log2_exact(uint64_t y)
{
	return log2l(normal(y));
}

static long double rcp_exact(uint64_t y)
{
	long double value = 1 / normal(y);

	return fabsl(value) < 0x1p-126L ? copysignl(0, value) : value;
}

static long double rsqrt_exact(uint64_t y)
{
	long double x = normal(y);

	return x == 0 ? copysignl(INFINITY, x) : 1 / sqrtl(x);
}

INT(vpaddd, x + y) INT(vpsubd, x - y) INT(vpsubrd, y - x)
INT(vpminsd, sx < sy ? x : y) INT(vpminud, x < y ? x : y)
INT(vpmaxsd, sx > sy ? x : y) INT(vpmaxud, x > y ? x : y)
INT(vpmulld, x * y) INT(vpmulhd, (int64_t)sx * sy >> 32) INT(vpmulhud, (uint64_t)x * y >> 32)
INT(vpmadd231d, z + x * y)
INT(vpmadd233d, x * l->b->d[l->i / 4 * 4 + 1] + l->b->d[l->i / 4 * 4])
INT(vpsrlvd, y > 31 ? 0 : x >> y) INT(vpsravd, sx >> (y > 31 ? 31 : y))
INT(vpsllvd, y > 31 ? 0 : x << y)
INT(vpsrld, l->imm > 31 ? 0 : y >> l->imm) INT(vpsrad, sy >> (l->imm > 31 ? 31 : l->imm))
INT(vpslld, l->imm > 31 ? 0 : y << l->imm)
INT(vpermd, l->b->d[x & 15])
INT(vpshufd, l->b->d[l->i / 4 * 4 + (l->imm >> 2 * (l->i % 4) & 3)])
INT(vpermf32x4, l->b->d[(l->imm >> 2 * (l->i / 4) & 3) * 4 + l->i % 4])
INT(valignd, l->i + l->imm % 16 > 15 ? l->a->d[l->i + l->imm % 16 - 16] :
	     l->b->d[l->i + l->imm % 16])
INT(vpcmpeqd, x == y) INT(vpcmpgtd, sx > sy) INT(vpcmpltd, sx < sy) INT(vptestmd, !!(x & y))

static uint64_t vpaddsetsd(struct lane *l)
{
	uint32_t sum = l->x + l->y;

	l->carries = sum >> 31;
	return sum;
}

/* Instructions with a carry use the destination as a source */
#define CARRY(name, expression)							\
static uint64_t name(struct lane *l)						\
{										\
	uint64_t y = (uint32_t)l->y, z = (uint32_t)l->z, c = l->carry, value;	\
										\
	(void)c;								\
	value = (expression);							\
	l->carries = value >> 32 & 1;						\
	return (uint32_t)value;							\
}

CARRY(vpadcd, z + y + c) CARRY(vpaddsetcd, z + y) CARRY(vpsbbd, z - y - c) CARRY(vpsubsetbd, z - y)
CARRY(vpsbbrd, y - z - c) CARRY(vpsubrsetbd, y - z)

static uint64_t relation(unsigned int how, int less, int equal, int unordered)
{
	const int holds[4] = { equal, less, less || equal, unordered };

	return how & 4 ? !holds[how & 3] : holds[how & 3];
}

static uint64_t vcmpps(struct lane *l)
{
	volatile float x = f32(l->x), y = f32(l->y);

	return relation(l->imm, isless(x, y), x == y, isunordered(x, y));
}

static uint64_t vcmppd(struct lane *l)
{
	volatile double x = f64(l->x), y = f64(l->y);

	return relation(l->imm, isless(x, y), x == y, isunordered(x, y));
}

static uint64_t vpcmpd(struct lane *l)
{
	return relation(l->imm, (int32_t)l->x < (int32_t)l->y, l->x == l->y, 0);
}

static uint64_t vpcmpud(struct lane *l)
{
	return relation(l->imm, l->x < l->y, l->x == l->y, 0);
}

static uint64_t and_bits(struct lane *l)
{
	return l->x & l->y;
}

static uint64_t andn_bits(struct lane *l)
{
	return ~l->x & l->y;
}

static uint64_t or_bits(struct lane *l)
{
	return l->x | l->y;
}

static uint64_t xor_bits(struct lane *l)
{
	return l->x ^ l->y;
}

static uint64_t last(struct lane *l)
{
	return l->y;
}

#define SAME(f)		{ .name = #f, .value = f }
#define FLAGS(f)	{ .name = #f, .value = f, .flags = 1 }
#define BOTH(f)		FLAGS(f##ps), FLAGS(f##pd)
#define FMAS(order)	BOTH(vfmadd##order), BOTH(vfmsub##order), BOTH(vfnmadd##order),	\
			BOTH(vfnmsub##order)
#define NEAR(text, bound, f)	{ .name = text, .ulps = bound, .exact = f }
#define IS(text, f)	{ .name = text, .value = f }

static const struct reference references[] = {
	BOTH(vadd), BOTH(vsub), BOTH(vsubr), BOTH(vmul), BOTH(vaddn),
	FMAS(132), FMAS(213), FMAS(231),
	FLAGS(vaddsetsps), FLAGS(vfmadd233ps), SAME(vscaleps),
	SAME(vgmaxps), SAME(vgmaxpd), SAME(vgminps), SAME(vgminpd), SAME(vgmaxabsps),
	SAME(vfixupnanps), SAME(vfixupnanpd), SAME(vgetexpps), SAME(vgetexppd), SAME(vgetmantps),
	SAME(vgetmantpd), SAME(vrndfxpntps), SAME(vrndfxpntpd),
	SAME(vcvtfxpntdq2ps), SAME(vcvtfxpntudq2ps), SAME(vcvtfxpntps2dq), SAME(vcvtfxpntps2udq),
	SAME(vcvtfxpntpd2dq), SAME(vcvtfxpntpd2udq), FLAGS(vcvtpd2ps), SAME(vcvtps2pd),
	SAME(vcvtdq2pd), SAME(vcvtudq2pd),
	/* The bounds are 327364's, except VLOG2's, which is an absolute one of 2^-23 */
	NEAR("vexp223ps", .99, exp2_exact), NEAR("vlog2ps", 1, log2_exact),
	NEAR("vrcp23ps", .912, rcp_exact), NEAR("vrsqrt23ps", .775, rsqrt_exact),
	SAME(vpaddd), SAME(vpsubd), SAME(vpsubrd), SAME(vpminsd), SAME(vpminud), SAME(vpmaxsd),
	SAME(vpmaxud), SAME(vpmulld), SAME(vpmulhd), SAME(vpmulhud), SAME(vpmadd231d),
	SAME(vpmadd233d),
	SAME(vpsrlvd), SAME(vpsravd), SAME(vpsllvd), SAME(vpsrld), SAME(vpsrad), SAME(vpslld),
	SAME(vpermd), SAME(vpshufd), SAME(vpermf32x4), SAME(valignd), SAME(vpaddsetsd),
	SAME(vpcmpeqd), SAME(vpcmpgtd), SAME(vpcmpltd), SAME(vptestmd), SAME(vcmpps), SAME(vcmppd),
	SAME(vpcmpd), SAME(vpcmpud),
	SAME(vpadcd), SAME(vpaddsetcd), SAME(vpsbbd), SAME(vpsubsetbd), SAME(vpsbbrd),
	SAME(vpsubrsetbd),
	IS("vpandd", and_bits), IS("vpandq", and_bits),
	IS("vpandnd", andn_bits), IS("vpandnq", andn_bits),
	IS("vpord", or_bits), IS("vporq", or_bits),
	IS("vpxord", xor_bits), IS("vpxorq", xor_bits),
	IS("vpblendmd", last), IS("vpblendmq", last),
	IS("vblendmps", last), IS("vblendmpd", last),
	IS("vmovaps", last), IS("vmovapd", last), IS("vmovdqa32", last), IS("vmovdqa64", last),
	IS("vbroadcastss", last), IS("vbroadcastsd", last), IS("vbroadcastf32x4", last),
	IS("vbroadcastf64x4", last), IS("vpbroadcastd", last), IS("vpbroadcastq", last),
	IS("vbroadcasti32x4", last), IS("vbroadcasti64x4", last),
};

const struct reference *reference_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(references) / sizeof(*references); i++)
		if (!strcmp(references[i].name, name))
			return &references[i];
	return NULL;
}

uint64_t reference_load(const unsigned char *memory, int is_float, unsigned int sss)
{
	int16_t word = memory[0] | memory[1] << 8;
	_Float16 half;
	int32_t value;

	memcpy(&half, memory, sizeof(half));
	if (sss == 3)
		return bits32(half);
	value = sss == 4 ? *memory : sss == 5 ? (int8_t)*memory : sss == 6 ? (uint16_t)word : word;
	return is_float ? bits32(value) : (uint32_t)value;
}

unsigned int reference_store(uint32_t value, int is_float, unsigned int sss)
{
	static const double least[4] = { 0, -128, 0, -32768 }, most[4] = { 255, 127, 65535, 32767 };
	unsigned int to = sss & 3;
	volatile _Float16 half;
	uint16_t bits;

	if (sss == 3) {
		half = f32(value);
		memcpy(&bits, (void *)&half, sizeof(bits));
		return bits;
	}
	if (!is_float && !(to & 1))
		return value & (to ? 0xffff : 0xff);
	return (is_float ? clamp(f32(value), 4, least[to], most[to]) :
		(int32_t)value < least[to] ? (int)least[to] :
		(int32_t)value > most[to] ? (int)most[to] : (int32_t)value) &
	       (to & 2 ? 0xffff : 0xff);
}

uint16_t reference_mask(const char *name, unsigned int a, unsigned int b)
{
	const struct {
		const char *name;
		unsigned int value;
	} masks[] = {
		{ "kand", a & b }, { "kandn", ~a & b }, { "kandnr", a & ~b }, { "knot", ~b },
		{ "kor", a | b }, { "kxnor", ~(a ^ b) }, { "kxor", a ^ b }, { "kmov", b },
		{ "kmerge2l1h", (a & 255) << 8 | b >> 8 },
		{ "kmerge2l1l", (a & 255) << 8 | (b & 255) },
	};
	unsigned int i = 0;

	while (strcmp(masks[i].name, name))
		i++;
	return masks[i].value;
}
