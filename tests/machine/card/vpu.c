// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: the vector unit's own instructions
 *
 * Encodings are those of Lasimeri/Intel-Phi-3120A (card/examples), which ran on a 3120A with the
 * results that scalar C has here, or of tests/host/vector.published.
 */
#include "units.h"

#define LANES	16

static u32 a[LANES] __attribute__((aligned(64))), b[LANES] __attribute__((aligned(64)));
static u32 out[LANES] __attribute__((aligned(64)));
static u32 memory[64] __attribute__((aligned(64)));

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

/* Elements of @out that are not what C has */
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
	/* the pair of unaligned loads: vloadunpackld 12(%rdi), %zmm2; vloadunpackhd 76(%rdi), %zmm2 */
	IS("unaligned", 0xffff, "0x62, 0xf2, 0x78, 0x08, 0xd0, 0x97, 12, 0, 0, 0,"
	   "0x62, 0xf2, 0x78, 0x08, 0xd4, 0x97, 76, 0, 0, 0", memory[3 + i]);
}

/* Whole numbers: their sums and products are exact, whatever order they are computed in */
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

/* A gather is repeated until its mask is empty: lines of the four elements with indices 0, 16, 1, 48 */
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

static void test_counts(void)
{
	fill();
	/* three with 16, 3 and 8 elements; kmov is none of the vector unit's */
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

void test_vpu(void)
{
	use_sse();
	test_integers();
	test_floats();
	test_gather();
	test_counts();
}
