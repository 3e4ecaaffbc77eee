// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: small kernels of vector instructions, whose counts and
 * results are derived by hand
 */
#include "units.h"

#define A	0x1000000
#define B	0x1100040	/* the three are in different sets of the L1 */
#define C	0x1200080
#define LANES	16
#define LINES	64

static u32 *const a = (u32 *)A, *const b = (u32 *)B, *const c = (u32 *)C;

#define POINTERS "mov $0x1000000, %%edi; mov $0x1100040, %%esi; mov $0x1200080, %%edx;"
#define ADVANCE "add $64, %%rdi; add $64, %%rsi; add $64, %%rdx;"
/* %zmm1: (%rdx), in each element: vbroadcastss; %zmm2: (%rsi); %zmm2 to (%rdi) */
#define SCALE		".byte 0x62, 0xf2, 0x79, 0x08, 0x18, 0x0a;"
#define LOAD_B		".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x16;"
#define STORE_A		".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x17;"
/* vfmadd231ps (%rdx), %zmm1, %zmm2: b + scale * c */
#define MULTIPLY_ADD	".byte 0x62, 0xf2, 0x71, 0x08, 0xb8, 0x12;"
#define TRIAD "mov $64, %%ebx; 1: " LOAD_B MULTIPLY_ADD STORE_A ADVANCE "dec %%ebx; jnz 1b;"
/* At first all caches are empty, at the second pass nothing misses */
#define TWO_TRIADS POINTERS SCALE TRIAD POINTERS TRIAD

/* a = b + s * c of 1,024 floats: b is 1, s and c are 2 */
static void test_triad(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < LINES * LANES; i++) {
		a[i] = 0;
		b[i] = 0x3f800000;
		c[i] = 0x40000000;
	}
	COLD(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS, TWO_TRIADS);
	check("triad: instructions", c0, 1 + 2 * 3 * LINES);
	check("triad: elements", c1, 16 * (1 + 2 * 3 * LINES));
	COLD(EV_VPU_DATA_READ | OS, EV_VPU_DATA_WRITE | OS, TWO_TRIADS);
	CHECK_BOTH("triad", "reads", 1 + 2 * 2 * LINES, "writes", 2 * LINES);
	COLD(EV_VPU_DATA_READ_MISS | OS, EV_VPU_DATA_WRITE_MISS | OS, TWO_TRIADS);
	CHECK_BOTH("triad", "read misses", 2 * LINES, "write misses", LINES);
	/*
	 * In the second pass each sum and each store waits for a register. In the first pass misses
	 * take longer than that, except at the first sum, whose line the broadcast has read.
	 */
	COLD(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED_V_PIPE | OS, TWO_TRIADS);
	CHECK_BOTH("triad", "stalls", 2 * LINES + 1, "none pairs with what it depends on", 0);
	for (i = 0; i < LINES * LANES; i++)
		wrong += a[i] != 0x40a00000;	/* 5 */
	check("triad: sums", wrong, 0);
}

/* vpxord of %zmm3; vfmadd231ps (%rdx), %zmm2, %zmm3; of both with {%k1}; %zmm3 to (%rdi) */
#define ZERO_3		".byte 0x62, 0xf1, 0x61, 0x08, 0xef, 0xdb;"
#define DOT		".byte 0x62, 0xf2, 0x69, 0x08, 0xb8, 0x1a;"
#define LOAD_B_K1	".byte 0x62, 0xf1, 0x78, 0x09, 0x28, 0x16;"
#define DOT_K1		".byte 0x62, 0xf2, 0x69, 0x09, 0xb8, 0x1a;"
#define STORE_3		".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x1f;"
#define MASK_8		"mov $0xff, %%eax; .byte 0xc5, 0xf8, 0x92, 0xc8;"	/* kmov %eax, %k1 */
#define DOT_PRODUCT MASK_8 POINTERS ZERO_3 "mov $62, %%ebx; 1: " LOAD_B DOT			\
	"add $64, %%rsi; add $64, %%rdx; dec %%ebx; jnz 1b;" LOAD_B_K1 DOT_K1 STORE_3

/* Dot product of 1,000 floats: 62 vectors, and 8 elements under a mask. b is 1, c is 2 */
static void test_dot_product(void)
{
	COLD(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS, DOT_PRODUCT);
	CHECK_BOTH("dot product", "instructions", 1 + 2 * 63 + 1, "elements", 16 + 2 * 1000 + 16);
	COLD(EV_VPU_DATA_READ | OS, EV_VPU_DATA_READ_MISS | OS, DOT_PRODUCT);
	CHECK_BOTH("dot product", "reads", 2 * 63, "read misses", 2 * 63);
	check("dot product: with the rest", a[0] == 0x42fc0000 && a[7] == 0x42fc0000, true);
	check("dot product: without", a[8] == 0x42f80000 && a[15] == 0x42f80000, true);
}

/* vpxord of %zmm0; vpmadd231d (%rdx){1to16}, %zmm2, %zmm0; %zmm0 to (%rdi) */
#define ZERO_0		".byte 0x62, 0xf1, 0x79, 0x08, 0xef, 0xc0;"
#define MULTIPLY_ONE	".byte 0x62, 0xf2, 0x69, 0x18, 0xb5, 0x02;"
#define STORE_0		".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x07;"
#define MULTIPLY POINTERS "mov $16, %%ecx; 2: " ZERO_0						\
	"mov $0x1100040, %%esi; mov $16, %%ebx; 1: " LOAD_B MULTIPLY_ONE			\
	"add $64, %%rsi; add $4, %%rdx; dec %%ebx; jnz 1b;"					\
	STORE_0 "add $64, %%rdi; dec %%ecx; jnz 2b;"

/* Matrices of 16 * 16 integers: a = c * b; a row of b is a vector */
static void test_multiply(void)
{
	unsigned int i, j, k, wrong = 0;
	u32 sum;

	for (i = 0; i < 256; i++) {
		b[i] = i * 2654435761U;
		c[i] = i * 40503;
	}
	COLD(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS, MULTIPLY);
	check("multiply: instructions", c0, 16 * (1 + 16 * 2 + 1));
	check("multiply: elements", c1, 16 * 16 * (1 + 16 * 2 + 1));
	COLD(EV_VPU_DATA_READ | OS, EV_VPU_DATA_READ_MISS | OS, MULTIPLY);
	CHECK_BOTH("multiply", "reads", 16 * 16 * 2, "read misses", 16 + 16);
	COLD(EV_VPU_DATA_WRITE | OS, EV_DATA_READ | OS, MULTIPLY);
	check("multiply: writes", c0, 16);
	for (i = 0; i < 16; i++) {
		for (j = 0; j < 16; j++) {
			for (sum = k = 0; k < 16; k++)
				sum += c[16 * i + k] * b[16 * k + j];
			wrong += a[16 * i + j] != sum;
		}
	}
	check("multiply: sums", wrong, 0);
}

/* %zmm1: indices from (%rdx); %k2: all; vpgatherdd (%rsi,%zmm1,4), %zmm3{%k2}; jknzd 1b, %k2 */
#define INDICES		".byte 0x62, 0xf1, 0x79, 0x08, 0x6f, 0x0a;"
#define ALL_K2		"mov $0xffff, %%eax; .byte 0xc5, 0xf8, 0x92, 0xd0;"
#define GATHER		".byte 0x62, 0xf2, 0x79, 0x0a, 0x90, 0x1c, 0x8e;"
#define WHILE_K2	".byte 0xc4, 0xe0, 0x68, 0x75, 1b - 2f; 2: "
#define GATHERED POINTERS INDICES ALL_K2 "1: " GATHER WHILE_K2 STORE_3

/*
 * @per_line elements in each line: a gather is executed once a line, each time with fewer elements
 */
static void test_gather(unsigned int per_line)
{
	unsigned int i, lines = LANES / per_line, wrong = 0;

	for (i = 0; i < LANES; i++)
		c[i] = i / per_line * 16 + i % per_line;
	for (i = 0; i < LANES * LANES; i++)
		b[i] = i * 2654435761U;
	COLD(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS, GATHERED);
	check("gather: instructions", c0, 1 + lines + 1);
	check("gather: elements", c1, 16 + per_line * lines * (lines + 1) / 2 + 16);
	COLD(EV_VPU_DATA_READ | OS, EV_VPU_DATA_READ_MISS | OS, GATHERED);
	CHECK_BOTH("gather", "reads", 1 + lines, "read misses", 1 + lines);
	COLD(EV_BRANCHES | OS, EV_DATA_READ | OS, GATHERED);
	check("gather: branches", c0, lines);
	for (i = 0; i < LANES; i++)
		wrong += a[i] != b[c[i]];
	check("gather: elements that are wrong", wrong, 0);
}

#define MANDELBROT "mov $0x1000000, %%edi; mov $0x1100040, %%esi; call mandelbrot"
#define ITERATIONS	20
#define OUTSIDE		0x41000000	/* 8 */

/* Points, and their iterations: -1, 0, i and 1/4 never leave */
static const struct {
	u32 real, imaginary, times;
} points[LANES] = {
	{ 0, 0, ITERATIONS }, { 0xbf800000, 0, ITERATIONS }, { 0, 0x3f800000, ITERATIONS },
	{ 0x3e800000, 0, ITERATIONS },
	/* 1/2, 1 + i, 1: 1/2 is 3/4, 1.06, 1.63 and 3.15 */
	{ 0x3f000000, 0, 5 }, { 0x3f800000, 0x3f800000, 2 }, { 0x3f800000, 0, 2 },
	/* 2, 4, -2 */
	{ 0x40000000, 0, 1 }, { 0x40800000, 0, 1 }, { 0xc0000000, 0, 1 },
	{ OUTSIDE, 0, 1 }, { OUTSIDE, 0, 1 }, { OUTSIDE, 0, 1 }, { OUTSIDE, 0, 1 },
	{ OUTSIDE, 0, 1 }, { OUTSIDE, 0, 1 },
};

/*
 * An iteration has ten instructions: six have 16 elements, the comparison has those that were
 * inside before it, and three have those that still are: 16, 7, 5, 5, 5, then 4. Eight more have
 * 16.
 */
static void test_mandelbrot(void)
{
	unsigned int i, inside = 16 + 7 + 3 * 5 + 15 * 4, before = 16 + inside - 4, wrong = 0;

	for (i = 0; i < LANES; i++) {
		a[i] = points[i].real;
		a[LANES + i] = points[i].imaginary;
	}
	a[2 * LANES] = 1;
	a[2 * LANES + 1] = 0x40800000;
	COLD(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS, MANDELBROT);
	check("mandelbrot: instructions", c0, 10 * ITERATIONS + 8);
	check("mandelbrot: elements", c1, 16 * (6 * ITERATIONS + 8) + before + 3 * inside);
	COLD(EV_VPU_DATA_READ | OS, EV_VPU_DATA_READ_MISS | OS, MANDELBROT);
	CHECK_BOTH("mandelbrot", "reads", 4, "read misses", 3);
	COLD(EV_VPU_DATA_WRITE | OS, EV_VPU_DATA_WRITE_MISS | OS, MANDELBROT);
	CHECK_BOTH("mandelbrot", "writes", 1, "write misses", 1);
	/*
	 * In an iteration five instructions use the previous one's result. In the first pass some
	 * wait for code instead.
	 */
	COUNT(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED_V_PIPE | OS, MANDELBROT);
	COUNT(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED_V_PIPE | OS, MANDELBROT);
	CHECK_BOTH("mandelbrot", "stalls", 5 * ITERATIONS, "pairs", 0);
	for (i = 0; i < LANES; i++)
		wrong += b[i] != points[i].times;
	check("mandelbrot: numbers", wrong, 0);
	/* all leave in the second iteration, at its fourth instruction */
	for (i = 0; i < LANES; i++) {
		a[i] = OUTSIDE;
		a[LANES + i] = 0;
	}
	COLD(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS, MANDELBROT);
	check("mandelbrot: instructions, all outside", c0, 10 + 4 + 8);
	check("mandelbrot: elements, all outside", c1, 16 * (10 + 4 + 8));
}

#define STENCIL "mov $0x1000580, %%edi; mov $0x1100040, %%esi; mov $0x1200080, %%edx; call stencil"
#define SIDE		6
#define ROW		48	/* the middle third is computed, if it is inside */
#define ROWS		16

static u32 seven(unsigned int i)
{
	return a[i] + a[i - 1] + a[i + 1] + a[i - ROW] + a[i + ROW] + a[i - SIDE * ROW] +
	       a[i + SIDE * ROW];
}

/*
 * A row has a line of its own. The gather to the left reads the previous line first, for one
 * element, then 15 elements; the gather to the right reads 15 first, then one.
 */
static void test_stencil(void)
{
	unsigned int i, x, y, z, wrong = 0;

	for (i = 0; i < SIDE * SIDE * ROW; i++)
		a[i] = i * 2654435761U;
	for (i = 0; i < LANES; i++) {
		c[i] = i - 1;
		c[LANES + i] = i + 1;
	}
	COLD(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS, STENCIL);
	check("stencil: instructions", c0, 2 + ROWS * (2 + 2 + 1 + 6 + 1));
	check("stencil: elements", c1, 32 + ROWS * (16 + 15 + 16 + 1 + 16 * (1 + 6 + 1)));
	COLD(EV_VPU_DATA_READ | OS, EV_VPU_DATA_READ_MISS | OS, STENCIL);
	check("stencil: reads", c0, 2 + ROWS * (2 + 2 + 1 + 4));
	/* three lines of each row, and the middle ones of four faces with four rows each */
	check("stencil: read misses", c1, 2 + 3 * ROWS + 4 * 4);
	COLD(EV_VPU_DATA_WRITE | OS, EV_VPU_DATA_WRITE_MISS | OS, STENCIL);
	CHECK_BOTH("stencil", "writes", ROWS, "write misses", ROWS);
	COLD(EV_PIPELINE_SG_AGI_STALLS | OS, EV_DATA_READ | OS, STENCIL);
	check("stencil: no gather waits for its address", c0, 0);
	for (i = 0; i < ROWS * LANES; i++) {
		x = i % LANES;
		y = i / LANES % 4;
		z = i / LANES / 4;
		wrong += b[i] != seven((z + 1) * SIDE * ROW + (y + 1) * ROW + LANES + x);
	}
	check("stencil: sums", wrong, 0);
}

void test_kernels(void)
{
	test_triad();
	test_dot_product();
	test_multiply();
	test_gather(1);
	test_gather(4);
	test_mandelbrot();
	test_stencil();
	pmu_off();
}
