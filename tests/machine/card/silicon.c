// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: what real cards were measured to take, with the CPU model's
 * option timing
 *
 * Each row is a name and a hundredth of a cycle, or of a ratio. tests/machine/card/silicon compares
 * them with what was measured on cards, and makes the table of Documentation/emulated-card.rst.
 */
#include "units.h"

u64 cycles, stage;

/* 16,384 lines are 1 MB, twice the L2 */
#define LINES 16384

/* Cycles for a line: @n iterations of four lines each */
#define STREAM(n, access)						\
	"mov $0x1000000, %%esi; mov $0x2000000, %%edi; mov $" #n ", %%ebx;" \
	"1:" access "dec %%ebx; jnz 1b;"

/* vmovaps of the lines at rsi to zmm0 to zmm3, and of these to the lines at rdi */
#define LOADS	".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x06;"		\
		".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x4e, 1;"		\
		".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x56, 2;"		\
		".byte 0x62, 0xf1, 0x78, 0x08, 0x28, 0x5e, 3;"
#define STORES	".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x07;"		\
		".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x4f, 1;"		\
		".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x57, 2;"		\
		".byte 0x62, 0xf1, 0x78, 0x08, 0x29, 0x5f, 3;"
#define COPY	STREAM(4096, LOADS STORES "add $256, %%rsi; add $256, %%rdi;")

static void rows_of_streams(void)
{
	/* eight bytes at a time into four registers, as in the program that was measured */
	CYCLES_OF(STREAM(32768, "add (%%rsi), %%rax; add 8(%%rsi), %%rcx; add 16(%%rsi), %%rdx;"
			 "add 24(%%rsi), %%r8; add $32, %%rsi; cmp %%rdi, %%rsi;"));
	row("scalar-read", cycles * 100 / LINES);
	CYCLES_OF(STREAM(4096, LOADS "add $256, %%rsi;"));
	row("line-read", cycles * 100 / LINES);
	CYCLES_OF(STREAM(16384, "mov (%%rsi), %%rax; prefetcht0 256(%%rsi); add $64, %%rsi;"));
	row("line-read-prefetch0", cycles * 100 / LINES);
	CYCLES_OF(STREAM(16384, "mov (%%rsi), %%rax; prefetcht1 1024(%%rsi); prefetcht0 256(%%rsi);"
			 "add $64, %%rsi;"));
	row("line-read-prefetch1", cycles * 100 / LINES);
	CYCLES_OF(COPY);
	row("line-copy", cycles * 100 / LINES);
	CYCLES_OF("mov $0x1000000, %%esi; mov $0x2000000, %%edi; mov $131072, %%ecx; rep movsq");
	row("rep-movsq", cycles * 100 / LINES);
}

/* A chain of the 4,096 lines of 256 KB, in an order that no prefetcher follows */
static void chain(void)
{
	unsigned int i;

	for (i = 0; i < 4096; i++)
		*(volatile u64 *)(0x1000000UL + i * 64) = 0x1000000 + (i + 1237) % 4096 * 64;
}

#define CHASE(n) "mov $0x1000000, %%esi; mov $" #n ", %%ebx;" \
	"1: mov (%%rsi), %%rsi; dec %%ebx; jnz 1b"

static void rows_of_l2(void)
{
	u64 once;

	chain();
	CYCLES_OF(CHASE(4096));
	once = cycles;
	CYCLES_OF(CHASE(8192));
	row("l2-load", (cycles - once) * 100 / 4096);
	/* 256 KB, twice: prefetches pair; in the second pass they wait only for the L2 */
	CYCLES_OF(STREAM(1024, LOADS "add $256, %%rsi;"));
	once = cycles;
	CYCLES_OF(STREAM(1024, LOADS "add $256, %%rsi;")
		  STREAM(1024, "prefetcht0 (%%rsi); prefetcht0 64(%%rsi);"
			 "prefetcht0 128(%%rsi);"
			 "prefetcht0 192(%%rsi); add $256, %%rsi;"));
	row("l2-line", (cycles - once) * 100 / 4096);
}

/* The events of LIKWID's issue 3, for lines that are copied */
static void rows_of_counts(void)
{
	u64 reads, writes;

	COLD(DATA_READ | OS, DATA_WRITE | OS, COPY);
	reads = c0;
	writes = c1;
	row("copy-reads", reads * 100 / LINES);
	row("copy-writes", writes * 100 / LINES);
	COLD(READ_OR_WRITE | OS, EV_DATA_READ_MISS_OR_WRITE_MISS | OS, COPY);
	row("copy-accesses", c0 * 100 / (reads + writes));
	row("copy-misses", c1 * 100 / (2 * LINES));
	COLD(EV_L2_DATA_WRITE_MISS_CACHE_FILL | OS, DATA_WRITE | OS, COPY);
	row("copy-cache-fills", c0 * 100 / LINES);
	COLD(EV_L2_DATA_WRITE_MISS_MEM_FILL | OS, DATA_WRITE | OS, COPY);
	row("copy-memory-fills", c0 * 100 / LINES);
}

/* assembled sixteen times */
#define SIXTEEN(insn) ".rept 16;" insn ".endr;"

static void rows_of_issue(void)
{
	CYCLES_OF("mov $1000, %%ebx; 1:" SIXTEEN(ALONE) "dec %%ebx; jnz 1b");
	row("issue", cycles * 100 / 16000);
	CYCLES_OF("mov $1000, %%ebx; 1:" SIXTEEN("addpd %%xmm1, %%xmm0;") "dec %%ebx; jnz 1b");
	row("vector-latency", cycles * 100 / 16000);
}

static void rows_of_instructions(void)
{
	CYCLES_OF("mov $1000, %%ecx; mov $7, %%ebx; 1: xor %%edx, %%edx; mov $1000000, %%eax;"
		  "div %%rbx; dec %%ecx; jnz 1b");
	row("division", cycles * 100 / 1000);
	CYCLES_OF("mov $3300, %%eax; .byte 0xc5, 0xfa, 0xae, 0xf0");
	row("delay", cycles * 100);
}

void test_silicon(void)
{
	use_sse();
	rows_of_streams();
	rows_of_l2();
	rows_of_issue();
	rows_of_instructions();
	rows_of_counts();
	pmu_off();
}

/* Loops of @n iterations that all threads of a core execute at once */
#define ROUNDS 20000

/* z z + c, whose |z| is compared with 4: 27 instructions, of which 9 are arithmetic */
static void work_x87(void)
{
	double zr = 0.1, zi = 0.1, zr2 = 0.01, zi2 = 0.01, cr = 0.1, ci = 0.1, four = 4, sum;

	asm volatile("fninit; mov $20000, %%ecx; xor %%edx, %%edx;"
		     "1: fldl %0; fadd %%st(0), %%st; fmull %1; faddl %4; fstl %1;"
		     "fldl %2; fsubl %3; faddl %5; fstl %0; fmul %%st(0), %%st; fstl %2;"
		     "fxch; fmul %%st(0), %%st; fstl %3; faddp; fstl %6; fcompl %7; fnstsw %%ax;"
		     "test $1, %%ah; jz 2f; 2: inc %%edx; mov %%edx, %%esi; lea (%%rsi), %%edi;"
		     "fld1; fstp %%st(0); dec %%ecx; jnz 1b"
		     : "+m"(zr), "+m"(zi), "+m"(zr2), "+m"(zi2)
		     : "m"(ci), "m"(cr), "m"(sum), "m"(four)
		     : "rax", "rcx", "rdx", "rsi", "rdi", "cc", "memory");
}

/* b * b % m by the divider, and by a multiplication with the reciprocal */
static void work_division(void)
{
	asm volatile("mov $20000, %%ecx; mov $1234567, %%ebx; mov $16, %%eax;"
		     "1: imul %%rax, %%rax; xor %%edx, %%edx; div %%rbx; mov %%rdx, %%rax;"
		     "test $1, %%cl; jz 2f; 2: dec %%ecx; jnz 1b"
		     : : : "rax", "rbx", "rcx", "rdx", "cc");
}

static void work_barrett(void)
{
	asm volatile("mov $20000, %%ecx; mov $1234567, %%ebx; mov $16, %%esi; mov $14941868, %%edi;"
		     "1: imul %%rsi, %%rsi; mov %%rsi, %%rax; mul %%rdi; imul %%rbx, %%rdx;"
		     "sub %%rdx, %%rsi; cmp %%rbx, %%rsi; jb 2f; sub %%rbx, %%rsi;"
		     "2: and $0xffffff, %%esi; dec %%ecx; jnz 1b"
		     : : : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "cc");
}

static void work_loop(void)
{
	asm volatile("mov $20000, %%ecx; 1:" ALONE ALONE ALONE ALONE "dec %%ecx; jnz 1b"
		     : : : "rcx", "rdi", "cc");
}

static void (*volatile silicon_does)(void);

void silicon_work(void)
{
	silicon_does();
}

/* Cycles of an iteration, in hundredths, while @threads threads do the same */
static u64 round_of(void (*work)(void), unsigned int threads)
{
	unsigned int i;

	silicon_does = work;
	pmu_set(EV_CPU_CLK_UNHALTED | OS | EN, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	for (i = 1; i < threads; i++)
		ap_begin(i, AP_SILICON);
	work();
	for (i = 1; i < threads; i++)
		ap_wait(i);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	return c0 * 100 / ROUNDS;
}

void test_silicon_of_threads(void)
{
	u64 alone = round_of(work_x87, 1), four, division = round_of(work_division, 1);
	u64 barrett = round_of(work_barrett, 1), loop = round_of(work_loop, 1);
	unsigned int i;

	for (i = 1; i < 4; i++)
		ap_boot(i);
	row("x87-alone", alone);
	four = round_of(work_x87, 4);
	row("x87-four", four / 4);
	row("division-four", division * 400 / round_of(work_division, 4));
	row("barrett-four", barrett * 400 / round_of(work_barrett, 4));
	row("beside-one", round_of(work_loop, 2) * 100 / loop);
	pmu_off();
}
