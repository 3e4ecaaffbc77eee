// SPDX-License-Identifier: GPL-2.0
/* Integer operations of Knights Corner's vectors, and the operation of each instruction */
#include "qemu/osdep.h"
#include "cpu.h"
#include "fpu/softfloat.h"
#include "knc_vector.h"

typedef struct KncNamed {
	const char *name;
	uint8_t op;
} KncNamed;

/* Operations by name, without FMAs (fma_op()); an instruction in neither has KNC_OP_NONE */
static const KncNamed named[] = {
	{ "vmovaps", KNC_OP_MOVE }, { "vmovapd", KNC_OP_MOVE }, { "vmovdqa32", KNC_OP_MOVE },
	{ "vmovdqa64", KNC_OP_MOVE }, { "vmovnraps", KNC_OP_MOVE }, { "vmovnrapd", KNC_OP_MOVE },
	{ "vmovnrngoaps", KNC_OP_MOVE }, { "vmovnrngoapd", KNC_OP_MOVE },
	{ "vbroadcastss", KNC_OP_BROADCAST }, { "vbroadcastsd", KNC_OP_BROADCAST },
	{ "vbroadcastf32x4", KNC_OP_BROADCAST }, { "vbroadcastf64x4", KNC_OP_BROADCAST },
	{ "vpbroadcastd", KNC_OP_BROADCAST }, { "vpbroadcastq", KNC_OP_BROADCAST },
	{ "vbroadcasti32x4", KNC_OP_BROADCAST }, { "vbroadcasti64x4", KNC_OP_BROADCAST },
	{ "vloadunpackld", KNC_OP_UNPACK_LOW }, { "vloadunpacklq", KNC_OP_UNPACK_LOW },
	{ "vloadunpacklps", KNC_OP_UNPACK_LOW }, { "vloadunpacklpd", KNC_OP_UNPACK_LOW },
	{ "vloadunpackhd", KNC_OP_UNPACK_HIGH }, { "vloadunpackhq", KNC_OP_UNPACK_HIGH },
	{ "vloadunpackhps", KNC_OP_UNPACK_HIGH }, { "vloadunpackhpd", KNC_OP_UNPACK_HIGH },
	{ "vpackstoreld", KNC_OP_PACK_LOW }, { "vpackstorelq", KNC_OP_PACK_LOW },
	{ "vpackstorelps", KNC_OP_PACK_LOW }, { "vpackstorelpd", KNC_OP_PACK_LOW },
	{ "vpackstorehd", KNC_OP_PACK_HIGH }, { "vpackstorehq", KNC_OP_PACK_HIGH },
	{ "vpackstorehps", KNC_OP_PACK_HIGH }, { "vpackstorehpd", KNC_OP_PACK_HIGH },
	{ "vpgatherdd", KNC_OP_GATHER }, { "vpgatherdq", KNC_OP_GATHER },
	{ "vgatherdps", KNC_OP_GATHER }, { "vgatherdpd", KNC_OP_GATHER },
	{ "vpscatterdd", KNC_OP_SCATTER }, { "vpscatterdq", KNC_OP_SCATTER },
	{ "vscatterdps", KNC_OP_SCATTER }, { "vscatterdpd", KNC_OP_SCATTER },
	{ "vpaddd", KNC_OP_ADD }, { "vpsubd", KNC_OP_SUB }, { "vpsubrd", KNC_OP_SUBR },
	{ "vpminsd", KNC_OP_MIN }, { "vpminud", KNC_OP_MINU }, { "vpmaxsd", KNC_OP_MAX },
	{ "vpmaxud", KNC_OP_MAXU }, { "vpmulld", KNC_OP_MUL }, { "vpmulhd", KNC_OP_MULH },
	{ "vpmulhud", KNC_OP_MULHU }, { "vpmadd231d", KNC_OP_MADD231 },
	{ "vpsrld", KNC_OP_SRL }, { "vpsrad", KNC_OP_SRA }, { "vpslld", KNC_OP_SLL },
	{ "vpsrlvd", KNC_OP_SRL }, { "vpsravd", KNC_OP_SRA }, { "vpsllvd", KNC_OP_SLL },
	{ "vpermd", KNC_OP_PERM }, { "vpadcd", KNC_OP_ADC }, { "vpaddsetcd", KNC_OP_ADDSETC },
	{ "vpsbbd", KNC_OP_SBB }, { "vpsubsetbd", KNC_OP_SUBSETB }, { "vpsbbrd", KNC_OP_SBBR },
	{ "vpsubrsetbd", KNC_OP_SUBRSETB },
	{ "vpandd", KNC_OP_AND }, { "vpandq", KNC_OP_AND }, { "vpandnd", KNC_OP_ANDN },
	{ "vpandnq", KNC_OP_ANDN }, { "vpord", KNC_OP_OR }, { "vporq", KNC_OP_OR },
	{ "vpxord", KNC_OP_XOR }, { "vpxorq", KNC_OP_XOR },
	{ "vpblendmd", KNC_OP_BLEND }, { "vpblendmq", KNC_OP_BLEND },
	{ "vblendmps", KNC_OP_BLEND }, { "vblendmpd", KNC_OP_BLEND },
	{ "vpcmpd", KNC_OP_CMP }, { "vpcmpud", KNC_OP_CMPU }, { "vpcmpeqd", KNC_OP_CMPEQ },
	{ "vpcmpgtd", KNC_OP_CMPGT }, { "vpcmpltd", KNC_OP_CMPLT }, { "vptestmd", KNC_OP_TEST },
	{ "vcmpps", KNC_OP_FCMP }, { "vcmppd", KNC_OP_FCMP },
	{ "vpshufd", KNC_OP_SHUFFLE }, { "vpermf32x4", KNC_OP_SHUFFLE_LANES },
	{ "valignd", KNC_OP_ALIGN },
	{ "vaddps", KNC_OP_FADD }, { "vaddpd", KNC_OP_FADD }, { "vsubps", KNC_OP_FSUB },
	{ "vsubpd", KNC_OP_FSUB }, { "vsubrps", KNC_OP_FSUBR }, { "vsubrpd", KNC_OP_FSUBR },
	{ "vmulps", KNC_OP_FMUL }, { "vmulpd", KNC_OP_FMUL },
	{ "vpmadd233d", KNC_OP_MADD233 }, { "vpaddsetsd", KNC_OP_ADDSETS },
	{ "vaddnps", KNC_OP_FADDN }, { "vaddnpd", KNC_OP_FADDN },
	{ "vaddsetsps", KNC_OP_FADDSETS }, { "vfmadd233ps", KNC_OP_FMA233 },
	{ "vscaleps", KNC_OP_SCALE },
	{ "vcvtps2pd", KNC_OP_WIDEN }, { "vcvtpd2ps", KNC_OP_NARROW },
	{ "vcvtdq2pd", KNC_OP_INT_TO_F64 }, { "vcvtudq2pd", KNC_OP_UINT_TO_F64 },
	{ "vgmaxps", KNC_OP_FMAX }, { "vgmaxpd", KNC_OP_FMAX }, { "vgmaxabsps", KNC_OP_FMAX_ABS },
	{ "vgminps", KNC_OP_FMIN }, { "vgminpd", KNC_OP_FMIN },
	{ "vfixupnanps", KNC_OP_FIXUP }, { "vfixupnanpd", KNC_OP_FIXUP },
	{ "vgetexpps", KNC_OP_EXPONENT }, { "vgetexppd", KNC_OP_EXPONENT },
	{ "vgetmantps", KNC_OP_MANTISSA }, { "vgetmantpd", KNC_OP_MANTISSA },
	{ "vrndfxpntps", KNC_OP_ROUND }, { "vrndfxpntpd", KNC_OP_ROUND },
	{ "vcvtfxpntdq2ps", KNC_OP_FROM_FIXED }, { "vcvtfxpntudq2ps", KNC_OP_FROM_UFIXED },
	{ "vcvtfxpntps2dq", KNC_OP_TO_FIXED }, { "vcvtfxpntpd2dq", KNC_OP_TO_FIXED },
	{ "vcvtfxpntps2udq", KNC_OP_TO_UFIXED }, { "vcvtfxpntpd2udq", KNC_OP_TO_UFIXED },
	{ "vexp223ps", KNC_OP_EXP2 }, { "vlog2ps", KNC_OP_LOG2 }, { "vrcp23ps", KNC_OP_RCP },
	{ "vrsqrt23ps", KNC_OP_RSQRT },
	{ "vgatherpf0dps", KNC_OP_PREFETCH }, { "vgatherpf1dps", KNC_OP_PREFETCH },
	{ "vscatterpf0dps", KNC_OP_PREFETCH }, { "vscatterpf1dps", KNC_OP_PREFETCH },
	{ "vgatherpf0hintdps", KNC_OP_HINT }, { "vgatherpf0hintdpd", KNC_OP_HINT },
	{ "vscatterpf0hintdps", KNC_OP_HINT }, { "vscatterpf0hintdpd", KNC_OP_HINT },
	{ "kand", KNC_OP_KAND }, { "kandn", KNC_OP_KANDN }, { "kandnr", KNC_OP_KANDNR },
	{ "knot", KNC_OP_KNOT }, { "kor", KNC_OP_KOR }, { "kxnor", KNC_OP_KXNOR },
	{ "kxor", KNC_OP_KXOR }, { "kmerge2l1h", KNC_OP_KMERGE_H },
	{ "kmerge2l1l", KNC_OP_KMERGE_L }, { "kmov", KNC_OP_KMOV },
	{ "kortest", KNC_OP_KORTEST },
};

/* The operation of VFMADD132PS to VFNMSUB231PD, and what it negates */
static enum knc_vector_op fma_op(const char *name, int *negates)
{
	bool negated = name[2] == 'n';

	if (name[0] != 'v' || name[1] != 'f' || !strchr("mn", name[2]))
		return KNC_OP_NONE;
	name += negated ? 3 : 2;
	if (strncmp(name, "madd", 4) && strncmp(name, "msub", 4))
		return KNC_OP_NONE;
	*negates = (negated ? float_muladd_negate_product : 0) |
		   (name[1] == 's' ? float_muladd_negate_c : 0);
	name += 4;
	return !strncmp(name, "132", 3) ? KNC_OP_FMA132 : !strncmp(name, "213", 3) ? KNC_OP_FMA213 :
	       !strncmp(name, "231", 3) ? KNC_OP_FMA231 : KNC_OP_NONE;
}

static enum knc_vector_op find_op(const struct knc_vector *v, int *negates)
{
	enum knc_vector_op op;
	unsigned int i;

	*negates = 0;
	for (i = 0; i < ARRAY_SIZE(named); i++) {
		if (strcmp(named[i].name, v->name))
			continue;
		op = named[i].op;
		return op == KNC_OP_MOVE && v->operands == KNC_OPERANDS_M_Z ? KNC_OP_STORE : op;
	}
	return fma_op(v->name, negates);
}

/* The operation of each row of knc_vectors[]: found once, because comparing names is slow */
static struct {
	uint8_t op;
	int negates;
} ops[KNC_NR_VECTORS];

static void __attribute__((constructor)) find_ops(void)
{
	unsigned int i;

	for (i = 0; i < KNC_NR_VECTORS; i++)
		ops[i].op = find_op(&knc_vectors[i], &ops[i].negates);
}

enum knc_vector_op knc_vector_op(unsigned int row, int *negates)
{
	*negates = ops[row].negates;
	return ops[row].op;
}

static bool compare(unsigned int how, bool less, bool equal)
{
	bool holds = (how & 3) == 0 ? equal : (how & 3) == 1 ? less :
		     (how & 3) == 2 && (less || equal);

	return how & 4 ? !holds : holds;
}

static uint32_t shift(enum knc_vector_op op, uint32_t value, uint32_t by)
{
	if (op == KNC_OP_SRA)
		return (int32_t)value >> MIN(by, 31U);
	if (by > 31)
		return 0;
	return op == KNC_OP_SRL ? value >> by : value << by;
}

/* An operation on integers of 32 bits, element @i; @z is that of the destination */
uint32_t knc_vector_lane(enum knc_vector_op op, const KncVector *a, const KncVector *b, uint32_t z,
			 unsigned int i)
{
	uint32_t x = a->d[i], y = b->d[i];
	int32_t sx = x, sy = y;

	switch (op) {
	case KNC_OP_ADD:
	case KNC_OP_ADDSETS:	return x + y;
	case KNC_OP_SUB:	return x - y;
	case KNC_OP_SUBR:	return y - x;
	case KNC_OP_MIN:	return MIN(sx, sy);
	case KNC_OP_MINU:	return MIN(x, y);
	case KNC_OP_MAX:	return MAX(sx, sy);
	case KNC_OP_MAXU:	return MAX(x, y);
	case KNC_OP_MUL:	return x * y;
	case KNC_OP_MULH:	return (int64_t)sx * sy >> 32;
	case KNC_OP_MULHU:	return (uint64_t)x * y >> 32;
	case KNC_OP_MADD231:	return z + x * y;
	case KNC_OP_MADD233:	return x * b->d[(i & ~3U) + 1] + b->d[i & ~3U];
	case KNC_OP_PERM:	return b->d[x % KNC_LANES];
	default:		return shift(op, x, y);
	}
}

/* A comparison of integers: returns the bit of the mask */
bool knc_vector_test(enum knc_vector_op op, uint32_t x, uint32_t y, unsigned int imm)
{
	int32_t sx = x, sy = y;

	switch (op) {
	case KNC_OP_CMP:	return compare(imm, sx < sy, x == y);
	case KNC_OP_CMPU:	return compare(imm, x < y, x == y);
	case KNC_OP_CMPEQ:	return x == y;
	case KNC_OP_CMPGT:	return sx > sy;
	case KNC_OP_CMPLT:	return sx < sy;
	default:		return x & y;
	}
}

/* An operation on masks; @b: the last source */
uint32_t knc_vector_masks(enum knc_vector_op op, uint32_t a, uint32_t b)
{
	switch (op) {
	case KNC_OP_KAND:	return a & b;
	case KNC_OP_KANDN:	return ~a & b;
	case KNC_OP_KANDNR:	return a & ~b;
	case KNC_OP_KNOT:	return ~b;
	case KNC_OP_KOR:	return a | b;
	case KNC_OP_KXNOR:	return ~(a ^ b);
	case KNC_OP_KXOR:	return a ^ b;
	case KNC_OP_KMERGE_H:	return a << 8 | (b >> 8 & 0xff);
	case KNC_OP_KMERGE_L:	return a << 8 | (b & 0xff);
	default:		return b;
	}
}
