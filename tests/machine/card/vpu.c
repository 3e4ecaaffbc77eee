// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: the vector unit's own instructions
 *
 * Encodings are those of Lasimeri/Intel-Phi-3120A (card/examples), which ran on a 3120A with the
 * results that scalar C has here, or of tests/host/vector.published.
 */
#include "knc/vector_decode.h"

#include "units.h"

#define LANES	16

static _Alignas(64) u32 a[LANES], b[LANES], out[LANES], memory[64];

static u32 next(void)
{
	static u32 x = 37;

	x = x * 1664525 + 1013904223;
	return x >> 3 ^ x << 29;
}

static void fill(void)
{
	int i;

	for (i = 0; i < LANES; i++) {
		a[i] = next();
		b[i] = next();
		out[i] = 0x5a5a5a5a;
	}
	for (i = 0; i < 64; i++)
		memory[i] = next();
}

#define LOAD_A		".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x01;"	/* vmovaps (%rcx), %zmm0 */
#define LOAD_B		".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x0e;"	/* vmovaps (%rsi), %zmm1 */
#define LOAD_OUT	".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x12;"	/* vmovaps (%rdx), %zmm2 */
#define STORE_OUT	".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x12;"	/* vmovaps %zmm2, (%rdx) */
#define K1_EAX		".byte 0xc5, 0xf8, 0x92, 0xc8;"			/* kmov %eax, %k1 */
#define K2_EAX		".byte 0xc5, 0xf8, 0x92, 0xd0;"			/* kmov %eax, %k2 */
#define EAX_K2		".byte 0xc5, 0xf8, 0x93, 0xc2;"			/* kmov %k2, %eax */

/* Execute @bytes with zmm0 = a, zmm1 = b, zmm2 = out, k1 = @mask, rdi: memory; returns k2 */
#define VECTOR(mask, bytes) ({						\
	u32 k_ = (mask);						\
									\
	asm volatile(LOAD_A LOAD_B LOAD_OUT K1_EAX			\
		     ".byte " bytes ";" STORE_OUT EAX_K2		\
		     : "+a"(k_)						\
		     : "c"(a), "S"(b), "d"(out), "D"(memory) : "memory"); \
	k_; })

/* Count elements of @out that differ from C's result */
#define WRONG(mask, bytes, expression) ({				\
	unsigned int wrong_ = 0, i;					\
									\
	fill();								\
	VECTOR(mask, bytes);						\
	for (i = 0; i < LANES; i++)					\
		wrong_ += out[i] != ((mask) >> i & 1 ? (u32)(expression) : 0x5a5a5a5a); \
	wrong_; })

#define IS(name, mask, bytes, expression)				\
	do {								\
		u64 wrong = 0;						\
		int n;							\
									\
		for (n = 0; n < 200; n++)				\
			wrong += WRONG(mask, bytes, expression);	\
		check(name, wrong, 0);					\
	} while (0)

static void test_integers(void)
{
	IS("vpaddd", 0xffff, "0x62, 0xf1, 0x79, 0x08, 0xfe, 0xd1", a[i] + b[i]);
	IS("vpaddd, masked", 0x0f35, "0x62, 0xf1, 0x79, 0x09, 0xfe, 0xd1", a[i] + b[i]);
	IS("vpsubd", 0xffff, "0x62, 0xf1, 0x79, 0x08, 0xfa, 0xd1", a[i] - b[i]);
	IS("vpandnd", 0xffff, "0x62, 0xf1, 0x79, 0x08, 0xdf, 0xd1", ~a[i] & b[i]);
	IS("vpord", 0xffff, "0x62, 0xf1, 0x79, 0x08, 0xeb, 0xd1", a[i] | b[i]);
	IS("vpxord", 0xffff, "0x62, 0xf1, 0x79, 0x08, 0xef, 0xd1", a[i] ^ b[i]);
	IS("vpslld", 0xffff, "0x62, 0xf1, 0x69, 0x08, 0x72, 0xf0, 0x0b", a[i] << 11);
	IS("vpsrld", 0xffff, "0x62, 0xf1, 0x69, 0x08, 0x72, 0xd0, 0x0b", a[i] >> 11);
	IS("vpsrad", 0xffff, "0x62, 0xf1, 0x69, 0x08, 0x72, 0xe0, 0x1f", (int)a[i] >> 31);
	IS("vpsllvd", 0xffff, "0x62, 0xf2, 0x79, 0x08, 0x47, 0xd1", b[i] > 31 ? 0 : a[i] << b[i]);
	IS("vpmulld", 0xffff, "0x62, 0xf2, 0x79, 0x08, 0x40, 0xd1", a[i] * b[i]);
	IS("swizzle", 0xffff, "0x62, 0xf1, 0x79, 0x18, 0xfe, 0xd1", a[i] + b[i ^ 1]);
	/* vpaddd 4(%rdi){1to16}, %zmm0, %zmm2; vmovdqa32 0x10(%rdi){sint8}, %zmm2 */
	IS("broadcast", 0xffff, "0x62, 0xf1, 0x79, 0x18, 0xfe, 0x57, 0x01", a[i] + memory[1]);
	IS("conversion", 0x1234, "0x62, 0xf1, 0x79, 0x59, 0x6f, 0x57, 0x01",
	   (signed char)(memory[4 + i / 4] >> 8 * (i % 4)));
	/* the unaligned pair: vloadunpackld 12(%rdi), %zmm2; vloadunpackhd 76(%rdi), %zmm2 */
	IS("unaligned", 0xffff, "0x62, 0xf2, 0x78, 0x08, 0xd0, 0x97, 12, 0, 0, 0,"
	   "0x62, 0xf2, 0x78, 0x08, 0xd4, 0x97, 76, 0, 0, 0", memory[3 + i]);
}

/* Use whole numbers, whose sums and products are exact in any order */
static void test_floats(void)
{
	static const float x[2] = { 3, -2.5f };
	u32 want = 0xc0900000;	/* -4.5 */
	int i;

	for (i = 0; i < LANES; i++) {
		__builtin_memcpy(&a[i], &x[0], 4);
		__builtin_memcpy(&b[i], &x[1], 4);
		__builtin_memcpy(&out[i], &x[0], 4);
	}
	/* vfmadd231ps %zmm1, %zmm0, %zmm2: 3 * -2.5 + 3 */
	VECTOR(0xffff, "0x62, 0xf2, 0x79, 0x08, 0xb8, 0xd1");
	check("vfmadd231ps", out[0] == want && out[15] == want, true);
	/* vcmpps $1, %zmm1, %zmm0, %k2 and back: 3 < -2.5 */
	check("vcmpps less", VECTOR(0xffff, "0x62, 0xf1, 0x78, 0x08, 0xc2, 0xd1, 0x01"), 0);
	check("vcmpps not less, masked",
	      VECTOR(0x00f3, "0x62, 0xf1, 0x78, 0x09, 0xc2, 0xd1, 0x05"), 0xf3);
}

/* A gather is repeated until its mask is empty: lines of four elements with indices 0, 16, 1, 48 */
static void test_gather(void)
{
	u32 left = 0xf, rounds, i, wrong = 0;

	fill();
	for (i = 0; i < LANES; i++)
		b[i] = i == 1 ? 16 : i == 2 ? 1 : i == 3 ? 48 : 0;
	asm volatile(LOAD_B LOAD_OUT K2_EAX "xor %%ecx, %%ecx;"
		     /* vpgatherdd (%rdi,%zmm1,4), %zmm2{%k2}; jknzd 1b, %k2 */
		     "1: .byte 0x62, 0xf2, 0x79, 0x0a, 0x90, 0x14, 0x8f; inc %%ecx;"
		     ".byte 0xc4, 0xe0, 0x68, 0x75, 1b - 2f; 2:" STORE_OUT
		     : "+a"(left), "=&c"(rounds)
		     : "S"(b), "d"(out), "D"(memory) : "memory", "cc");
	for (i = 0; i < LANES; i++)
		wrong += out[i] != (i < 4 ? memory[b[i]] : 0x5a5a5a5a);
	check("gather", wrong, 0);
	check("gather: a line each time", rounds, 3);
}

static void test_vector_counts(void)
{
	fill();
	/* three instructions with 16, 3 and 8 elements; kmov does not belong to the vector unit */
	COUNT(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS,
	      "mov $0x15, %%eax; .byte 0xc5, 0xf8, 0x92, 0xc8;"
	      ".byte 0x62, 0xf1, 0x79, 0x08, 0xfe, 0xd1;"
	      ".byte 0x62, 0xf1, 0x79, 0x09, 0xfe, 0xd1;"
	      ".byte 0x62, 0xf1, 0xf9, 0x08, 0x58, 0xd1;"
	      "addpd %%xmm1, %%xmm0");
	check("vector instructions", c0, 3);
	check("their active elements", c1, 16 + 3 + 8);
	COUNT(INSTRUCTIONS | OS, BRANCHES | OS,
	      "xor %%eax, %%eax; .byte 0xc5, 0xf8, 0x92, 0xc8;"
	      /* jkzd 1f, %k1 over two instructions, which is a branch */
	      ".byte 0xc4, 0xe0, 0x70, 0x74, 3f - 2f; 2: nop; nop; 3:");
	check("jkzd is a branch", c1, 1);
	pmu_off();
}

/* Call @insn with rax, rcx, k1 and k2; returns rax, and CF and ZF in @flags */
static u64 scalar(u64 flags[1], u64 a, u64 c, u32 k1, u32 k2, void (*insn)(void))
{
	u64 result = a;

	asm volatile("mov %%esi, %%eax;" K1_EAX "mov %%edi, %%eax;" K2_EAX
		     "mov %%rbx, %%rax; call *%%rdx; setc %%cl; setz %%dl;"
		     "movzx %%cl, %%ecx; movzx %%dl, %%edx; lea (%%rcx,%%rdx,2), %%rcx"
		     : "=a"(result), "+c"(c), "+d"(insn)
		     : "b"(a), "S"(k1), "D"(k2) : "memory", "cc");
	flags[0] = c;
	return result;
}

asm(".text; .p2align 4\n"
	"count_ones:   .byte 0xc4, 0xe1, 0xfa, 0xb8, 0xc1; ret\n"	/* popcnt %rcx, %rax */
	"count_ones32: .byte 0xc5, 0xfa, 0xb8, 0xc1; ret\n"	/* popcnt %ecx, %eax */
	"trailing:     .byte 0xc4, 0xe1, 0xfa, 0xbc, 0xc1; ret\n"	/* tzcnt %rcx, %rax */
	"trailing32:   .byte 0xc5, 0xfa, 0xbc, 0xc1; ret\n"	/* tzcnt %ecx, %eax */
	"next_one:     .byte 0xc4, 0xe1, 0xfb, 0xbc, 0xc1; ret\n"	/* tzcnti %rcx, %rax */
	"next_one32:   .byte 0xc5, 0xfb, 0xbc, 0xc1; ret\n"	/* tzcnti %ecx, %eax */
	"leading:      .byte 0xc4, 0xe1, 0xfa, 0xbd, 0xc1; ret\n"	/* lzcnt %rcx, %rax */
	"leading32:    .byte 0xc5, 0xfa, 0xbd, 0xc1; ret\n"	/* lzcnt %ecx, %eax */
	"low_masks:    .byte 0xc5, 0xf0, 0x97, 0xc2; ret\n"	/* kconcatl %k2, %k1, %rax */
	"high_masks:   .byte 0xc5, 0xf0, 0x95, 0xc2; ret\n"	/* kconcath %k2, %k1, %rax */
	"extracted:    .byte 0xc4, 0xe3, 0x79, 0x3e, 0xd8, 2\n" /* kextract $2, %rax, %k3 */
	"              .byte 0xc5, 0xf8, 0x93, 0xc3; ret\n"		/* kmov %k3, %eax */
	"or_masks:     .byte 0xc5, 0xf8, 0x98, 0xca; ret\n");	/* kortest %k2, %k1 */

void count_ones(void);
void count_ones32(void);
void trailing(void);
void trailing32(void);
void next_one(void);
void next_one32(void);
void leading(void);
void leading32(void);
void low_masks(void);
void high_masks(void);
void extracted(void);
void or_masks(void);

#define CF	1
#define ZF	2

/* Instructions with a VEX prefix that use general registers */
static void test_scalars(void)
{
	static const struct {
		const char *name;
		void (*insn)(void);
		u64 a, c, want;
		u32 k1, k2, flags;
	} tests[] = {
		{ "popcnt", count_ones, 7, 0xf00f000000000001, 9, 0, 0, 0 },
		{ "popcnt of 0", count_ones, 7, 0, 0, 0, 0, ZF },
		{ "popcnt, 32 bits", count_ones32, -1ULL, 0xf00f000000000003, 2, 0, 0, 0 },
		{ "tzcnt", trailing, 7, 1ULL << 40, 40, 0, 0, 0 },
		{ "tzcnt of 0", trailing, 7, 0, 64, 0, 0, CF },
		{ "tzcnt, 32 bits", trailing32, -1ULL, 1ULL << 40, 32, 0, 0, CF },
		{ "tzcnt of 1", trailing, 7, 1, 0, 0, 0, ZF },
		{ "tzcnti from the first", next_one, -1ULL, 0x11, 0, 0, 0, ZF },
		{ "tzcnti", next_one, 0, 0x11, 4, 0, 0, 0 },
		{ "tzcnti, none", next_one, 4, 0x11, 64, 0, 0, CF },
		{ "tzcnti from the last", next_one, 63, -1ULL, 64, 0, 0, CF },
		{ "tzcnti, 32 bits", next_one32, 0xffffffff, 0x80000000, 31, 0, 0, 0 },
		{ "lzcnt", leading, 7, 1ULL << 40, 23, 0, 0, 0 },
		{ "lzcnt, 32 bits", leading32, 7, 1ULL << 40 | 1, 31, 0, 0, 0 },
		{ "lzcnt of 0, 32 bits", leading32, 7, 1ULL << 40, 32, 0, 0, CF },
		{ "kconcatl", low_masks, -1ULL, 0, 0x12345678, 0x1234, 0x5678, 4 },
		{ "kconcath", high_masks, 0x9abcdef0, 0, 0x123456789abcdef0, 0x1234, 0x5678, 4 },
		{ "kextract", extracted, 0x111122223333, 0, 0x1111, 0, 0, 4 },
		{ "kortest of 0", or_masks, 5, 0, 5, 0, 0, ZF },
		{ "kortest of all", or_masks, 5, 0, 5, 0xff00, 0x00ff, CF },
		{ "kortest", or_masks, 5, 0, 5, 1, 2, 0 },
	};
	unsigned int i;
	u64 flags, got;

	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		got = scalar(&flags, tests[i].a, tests[i].c, tests[i].k1, tests[i].k2,
			     tests[i].insn);
		check(tests[i].name, got, tests[i].want);
		if (tests[i].flags < 4)
			check(tests[i].name, flags, tests[i].flags);
	}
}

#define LOAD		".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x06;"	/* vmovaps (%rsi), %zmm0 */
/* vmovaps (%rsi), %zmm0{%k1} */
#define LOAD_K1		".byte 0x62, 0xf1, 0x78, 0x09, 0x28, 0x06;"
#define STORE		".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x06;"	/* vmovaps %zmm0, (%rsi) */
/* vmovnraps %zmm0, (%rsi) */
#define STORE_NR	".byte 0x62, 0xf1, 0x7b, 0x08, 0x29, 0x06;"
/* vmovnrngoaps %zmm0, (%rsi) */
#define STORE_NRNGO	".byte 0x62, 0xf1, 0x7b, 0x88, 0x29, 0x06;"
/* vloadunpackld 12(%rsi), %zmm2; vloadunpackhd 76(%rsi), %zmm2 */
#define UNALIGNED	".byte 0x62, 0xf2, 0x78, 0x08, 0xd0, 0x96, 12, 0, 0, 0;" \
			".byte 0x62, 0xf2, 0x78, 0x08, 0xd4, 0x96, 76, 0, 0, 0;"

static void test_accesses(void)
{
#define ACCESSES "mov $0x1000000, %%esi; xor %%eax, %%eax;" K1_EAX		\
	LOAD LOAD UNALIGNED "mov (%%rsi), %%rax; add $0x100, %%rsi;" LOAD_K1
	COLD(EV_VPU_DATA_READ | OS, EV_VPU_DATA_READ_MISS | OS, ACCESSES);
	CHECK_BOTH("vector reads", "lines", 4, "lines that miss", 2);
	COLD(EV_DATA_READ | OS, EV_VPU_INSTRUCTIONS_EXECUTED | OS, ACCESSES);
	check("their reads", c0, 6);
	check("their instructions", c1, 5);
	COUNT(EV_DATA_READ | OS, EV_DATA_WRITE | OS, ACCESSES STORE);
	check("their reads, without the units", c0, 6);
	check("a write, without the units", c1, 1);
#define ALIGNED_STORE "mov %%rsi, %%rdi; and $-64, %%rsi;" STORE "mov %%rdi, %%rsi"
	COLD(EV_VPU_DATA_WRITE | OS, EV_VPU_DATA_WRITE_MISS | OS,
	     WALK(0x1000000, 32, 16, ALIGNED_STORE));
	check("vector writes", c0, 16);
	check("vector writes that miss", c1, 8);
	COLD(EV_L2_STRONGLY_ORDERED_STREAMING_VSTORES_MISS | OS, EV_DATA_WRITE_MISS | OS,
	     WALK(0x1000000, 64, 16, STORE_NR) WALK(0x1001000, 64, 8, STORE_NRNGO));
	check("stores that read nothing: misses of the L2", c0, 16);
	COLD(EV_L2_WEAKLY_ORDERED_STREAMING_VSTORE_MISS | OS, EV_DATA_WRITE_MISS | OS,
	     WALK(0x1000000, 64, 16, STORE_NR) WALK(0x1001000, 64, 8, STORE_NRNGO));
	check("those that are not ordered", c0, 8);
}

/* vpaddd %zmm1, %zmm0, %zmm2 */
#define ADD_2_0_1	".byte 0x62, 0xf1, 0x79, 0x08, 0xfe, 0xd1;"
/* vpaddd %zmm1, %zmm2, %zmm3 */
#define ADD_3_2_1	".byte 0x62, 0xf1, 0x69, 0x08, 0xfe, 0xd9;"
/* vpaddd %zmm1, %zmm0, %zmm4 */
#define ADD_4_0_1	".byte 0x62, 0xf1, 0x79, 0x08, 0xfe, 0xe1;"
#define ADD_4_K2	".byte 0x62, 0xf1, 0x79, 0x0a, 0xfe, 0xe1;"	/* the same with {%k2} */
/* vpcmpeqd %zmm1, %zmm0, %k2 */
#define EQUAL_K2	".byte 0x62, 0xf1, 0x79, 0x08, 0x76, 0xd1;"
/* vpxord %zmm1, %zmm1, %zmm1 */
#define ZERO_1		".byte 0x62, 0xf1, 0x71, 0x08, 0xef, 0xc9;"
/* vpgatherdd (%rsi,%zmm1,4), %zmm5{%k2}, and vgatherpf0dps of the same */
#define GATHER		".byte 0x62, 0xf2, 0x79, 0x0a, 0x90, 0x2c, 0x8e;"
#define GATHER_PF0	".byte 0x62, 0xf2, 0x79, 0x0a, 0xc6, 0x0c, 0x8e;"
#define SOME_K2		"mov $0xf, %%eax;" K2_EAX

/* COLD: the payload is one line of code, and is not waited for */
static void test_stalls(void)
{
	COLD(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED | OS, ADD_2_0_1 ADD_3_2_1);
	check("a vector of the instruction before: stalls", c0, 1);
	COLD(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED | OS,
	     ADD_2_0_1 ADD_4_0_1 ADD_3_2_1);
	check("of the one before that: none", c0, 0);
	COLD(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED | OS, EQUAL_K2 ADD_4_K2);
	check("a mask of the instruction before: stalls", c0, 1);
	COLD(EV_PIPELINE_SG_AGI_STALLS | OS, EV_VPU_STALL_REG | OS,
	     "mov $0x1000000, %%esi;" SOME_K2 ZERO_1 GATHER);
	check("indices of the instruction before: a stall of the gather", c0, 1);
	check("and none of its other registers", c1, 0);
	COLD(EV_PIPELINE_SG_AGI_STALLS | OS, EV_PIPELINE_AGI_STALLS | OS,
	     ZERO_1 SOME_K2 ALONE "mov $0x1000000, %%esi;" ALONE "add $0, %%rsi;" GATHER);
	check("its base register", c0, 1);
	COLD(EV_L1_DATA_PF1 | OS, EV_L1_DATA_PF2 | OS,
	     "mov $0x1000000, %%esi;" SOME_K2 ZERO_1 GATHER_PF0 GATHER_PF0
	     /* vprefetch0 (%rsi); vprefetch1 (%rsi) */
	     ".byte 0xc5, 0xf8, 0x18, 0x0e; .byte 0xc5, 0xf8, 0x18, 0x16");
	check("prefetches into the L1", c0, 2);
	check("and into the L2", c1, 1);
}

/*
 * Bytes that begin like these instructions, and are none, behave as without them: prefixes 62, C4
 * and C5 are invalid opcodes in 64-bit mode. Half of the bytes are real instructions with one bit
 * changed.
 */
static void test_invalid(void)
{
	static const u8 first[] = { 0x62, 0xc4, 0xc5 };
	static const u8 real[] = { 0x62, 0xf1, 0x79, 0x08, 0xfe, 0xd1 };
	unsigned int i, j, bit, none = 0, valid = 0;
	struct knc_vector_insn insn;
	u8 code[15];

	for (i = 0; i < 20000; i++) {
		for (j = 0; j < sizeof(code); j++)
			code[j] = next() >> 7;
		code[0] = first[next() % 3];
		if (next() & 1) {
			__builtin_memcpy(code, real, sizeof(real));
			bit = 8 + next() % 32;
			code[bit / 8] ^= 1 << bit % 8;
		}
		if (knc_vector_decode(&insn, code, sizeof(code)))
			continue;
		none++;
		valid += !is_invalid(code, sizeof(code));
	}
	check("instructions that are none", none > 5000, true);
	check("those that are executed", valid, 0);
}

/* vmovaps %zmm0, (%rsi) and with %k1, and vprefetch0 of 64 lines */
static void test_lines(void)
{
	COLD(EV_L2_DATA_WRITE_MISS_CACHE_FILL | OS, EV_L2_DATA_WRITE_MISS_MEM_FILL | OS,
	     WALK(0x1000000, 64, 64, ".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x06"));
	check("lines stored as a whole: filled as from another core", c0, 64);
	/* these events are counter 0's only */
	COLD(EV_L2_DATA_WRITE_MISS_MEM_FILL | OS, EV_DATA_WRITE | OS,
	     "mov $5, %%eax;" K1_EAX
	     WALK(0x1000000, 64, 64, ".byte 0x62, 0xf1, 0x78, 0x09, 0x29, 0x06"));
	CHECK_BOTH("lines stored with a mask", "filled from memory", 64, "writes", 64);
	COUNT(EV_DATA_READ | OS, EV_DATA_READ_OR_WRITE | OS,
	      WALK(0x1000000, 64, 64, ".byte 0xc5, 0xf8, 0x18, 0x0e"));
	check("vprefetch0 is a read", c0, 64);
	check("vprefetch0 is an access", c1, 64);
	pmu_off();
}

void test_vpu(void)
{
	use_sse();
	test_integers();
	test_floats();
	test_gather();
	test_scalars();
	test_invalid();
	test_vector_counts();
	test_accesses();
	test_stalls();
	test_kernels();
	test_lines();
}
