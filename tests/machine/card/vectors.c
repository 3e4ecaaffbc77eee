// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: packed operations that stand in for the vector unit's, and
 * the clock of the pipes
 *
 * The card has the CPU model's options vpu-stand-in and timing.
 */
#include "units.h"

static void test_vector_counts(void)
{
	/* elements: 2, 4, 16, none, 2, 4 */
	COUNT(EV_VPU_INSTRUCTIONS_EXECUTED | OS, EV_VPU_ELEMENTS_ACTIVE | OS,
	      "mov $0x1000000, %%esi; addpd %%xmm1, %%xmm0; addps %%xmm3, %%xmm2;"
	      "paddb %%xmm1, %%xmm4; addsd %%xmm1, %%xmm5; movapd (%%rsi), %%xmm6;"
	      "movaps %%xmm7, (%%rsi)");
	check("packed operations", c0, 5);
	check("their elements", c1, 2 + 4 + 16 + 2 + 4);
	/* a load can be the second of a pair, a computation can't */
	COUNT(EV_VPU_INSTRUCTIONS_EXECUTED_V_PIPE | OS, EV_VPU_ELEMENTS_ACTIVE | OS,
	      "mov $0x1000000, %%esi;" ALONE "addpd %%xmm1, %%xmm0; movapd (%%rsi), %%xmm2;"
	      "addpd %%xmm1, %%xmm3; addpd %%xmm1, %%xmm4; movapd (%%rsi), %%xmm4");
	check("packed operations in the V pipe", c0, 1);
	/* the next one is issued after two cycles, or after four, when the first has its result */
	COUNT(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED | OS,
	      "addpd %%xmm1, %%xmm0; addpd %%xmm2, %%xmm0");
	check("a register of the operation before: stalls", c0, 1);
	COUNT(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED | OS,
	      "addpd %%xmm1, %%xmm0; addpd %%xmm1, %%xmm2; addpd %%xmm3, %%xmm0");
	check("a register of the one before that: none", c0, 0);
	COUNT(EV_VPU_STALL_REG | OS, EV_VPU_INSTRUCTIONS_EXECUTED | OS,
	      "addpd %%xmm1, %%xmm0; addpd %%xmm2, %%xmm1");
	check("a register that the operation before has read: none", c0, 0);
}

static void test_vector_accesses(void)
{
	COLD(EV_VPU_DATA_READ | OS, EV_VPU_DATA_READ_MISS | OS,
	     "mov $0x1000000, %%esi; movapd (%%rsi), %%xmm0; movapd 16(%%rsi), %%xmm1;"
	     "movupd 56(%%rsi), %%xmm2; mov (%%rsi), %%rax; movsd (%%rsi), %%xmm3");
	CHECK_BOTH("packed reads", "lines", 4, "lines that miss", 2);
	COLD(EV_VPU_DATA_WRITE | OS, EV_VPU_DATA_WRITE_MISS | OS,
	     WALK(0x1000000, 16, 256, "movapd %%xmm0, (%%rsi)"));
	check("packed writes", c0, 256);
	check("packed writes that miss", c1, 64);
	COLD(EV_L2_WEAKLY_ORDERED_STREAMING_VSTORE_MISS | OS, EV_DATA_WRITE_MISS | OS,
	     WALK(0x1000000, 16, 256, "movntpd %%xmm0, (%%rsi)"));
	check("streaming stores of 64 lines: misses of the L2", c0, 64);
	/* these are among the read misses, with the code's */
	COLD(EV_L2_READ_MISS | OS, EV_L2_CODE_READ_MISS_MEM_FILL | OS,
	     WALK(0x1000000, 16, 256, "movntpd %%xmm0, (%%rsi)"));
	check("streaming stores of 64 lines: read misses", c0 - c1, 64);
}

void test_vectors(void)
{
	use_sse();
	test_vector_counts();
	test_vector_accesses();
	pmu_off();
}

/* A flush takes 4 cycles: two in each loop, at its first branch and its end */
static void test_issue(void)
{
	CYCLES_OF("nop; nop;");
	check("a pair: cycles of one thread", cycles, 2);
	check("a pair: of the E stage", stage, 1);
	CYCLES_OF("mov $1, %%eax; mov %%eax, %%ebx;");
	check("two that do not pair: cycles", cycles, 4);
	check("two that do not pair: of the E stage", stage, 2);
	CYCLES_OF("mov $1000, %%ebx; 1: dec %%ebx; jnz 1b;");
	check("a loop: cycles", cycles, 2 + 2 * 1000 + 8);
	check("a loop: of the E stage", stage, 1 + 1000);
	CYCLES_OF("imul %%eax, %%ebx; rdtsc;");
	check("imul, rdtsc: cycles", cycles, 10 + 5);
	check("imul, rdtsc: of the E stage", stage, 10 + 5);
}

/*
 * A read of a line waits 500 cycles for memory, 24 for the L2. Each time round the loop there are
 * two pairs. The first read waits one cycle for its address, and 100 for its page.
 */
static void test_waits(void)
{
	CYCLES_OF(READS(0x1000000, 64, 256));
	check("16 KB: cycles", cycles, 2 + 1 + 256 * (4 + 500) + 100 + 8);
	check("16 KB: of the E stage", stage, 1 + 256 * 2);
	/*
	 * 64 KB twice. The second loop is like the first, but finds its page, and its lines in the
	 * L2.
	 */
	CYCLES_OF(READS(0x1000000, 64, 1024) READS(0x1000000, 64, 1024));
	check("64 KB twice: cycles", cycles,
	      2 + 1 + 1024 * (4 + 500) + 100 + 8 + 2 + 1 + 1024 * (4 + 24) + 8);
	/* writes wait for no line */
	CYCLES_OF(WRITES(0x1000000, 64, 256));
	check("16 KB written: cycles", cycles, 2 + 1 + 256 * 4 + 100 + 8);
	/* prefetched 256 lines ahead, all lines have arrived */
	CYCLES_OF(WALK(0x1000000, 64, 256, "prefetcht0 (%%rsi)") READS(0x1000000, 64, 128));
	check("16 KB prefetched, 8 KB read: cycles", cycles,
	      2 + 1 + 256 * 4 + 8 + 2 + 1 + 128 * 4 + 8);
}

void test_timing(void)
{
	test_issue();
	test_waits();
	pmu_off();
}
