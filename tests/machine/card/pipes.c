// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card's pipes
 *
 * Pairs are those of the Pentium processor user's manual, volume 1, section 3.1.2; the other rules
 * are those of Documentation/emulated-card.rst.
 */
#include "units.h"

/*
 * How many instructions of the payload are the second of a pair? The second of the three following
 * instructions is one.
 */
static void pairs(const char *name, u64 expected)
{
	check(name, c0, expected + 1);
}

#define PAIRS(name, expected, payload)					\
	do {								\
		COUNT(EV_INSTRUCTIONS_EXECUTED_V_PIPE | OS, INSTRUCTIONS | OS,	\
		      payload ALONE);					\
		pairs("pairs: " name, expected);			\
	} while (0)

static void test_pairs(void)
{
	PAIRS("two moves", 1, "mov $1, %%eax; mov $2, %%ebx;");
	PAIRS("four of them", 2, "mov $1, %%eax; mov $2, %%ebx; mov $1, %%esi; mov $2, %%r9d;");
	PAIRS("read after write: none", 0, "mov $1, %%eax; mov %%eax, %%ebx;");
	PAIRS("write after write: none", 0, "mov $1, %%eax; mov $2, %%eax;");
	PAIRS("write after read", 1, "mov %%eax, %%ebx; mov $1, %%eax;");
	PAIRS("a part of a register is all of it", 0, "mov $1, %%al; mov %%ah, %%bl;");
	PAIRS("compare, branch", 1, "cmp %%eax, %%ebx; jne 1f; 1:");
	PAIRS("a branch is not the first", 0, "jmp 1f; 1: nop;");
	PAIRS("a loop of dec, jnz", 100, "mov $100, %%ebx; 1: dec %%ebx; jnz 1b;");
	PAIRS("a shift is the first only", 1, "nop; shl $3, %%eax; nop;");
	PAIRS("adc is the first only", 1, "nop; adc $1, %%eax; nop;");
	PAIRS("a rotation by more than one: none", 0, "nop; rol $3, %%eax; nop;");
	PAIRS("pushes, pops", 2, "push %%rax; push %%rbx; pop %%rbx; pop %%rax;");
	PAIRS("the stack pointer that a push has changed", 1,
	      "push %%rax; mov (%%rsp), %%rbx; pop %%rax;");
	PAIRS("a displacement and an immediate: none", 0,
	      "mov $0x1000000, %%esi;" ALONE "nop; movl $1, 4(%%rsi); nop;");
	PAIRS("a prefix: the first only", 1, "nop; mov %%ax, %%bx; nop;");
	PAIRS("imul: none", 0, "nop; imul %%eax, %%ebx; nop;");
	/* the second must follow the first in memory */
	PAIRS("a jump is the second, its target is not", 1,
	      "mov $1, %%eax; jmp 1f; nop; 1: mov $1, %%ebx;");
}

static void test_accesses(void)
{
	/* eight banks of four bytes: 0 and 1, then 0 and 0 */
	COUNT(EV_MEMORY_ACCESSES_IN_BOTH_PIPES | OS, EV_BANK_CONFLICTS | OS,
	      "mov $0x1000000, %%esi;" ALONE
	      "mov (%%rsi), %%eax; mov 4(%%rsi), %%ebx; mov (%%rsi), %%eax; mov 32(%%rsi), %%ebx;"
	      "mov (%%rsi), %%eax; nop;" ALONE);
	check("both pipes access data", c0, 2);
	check("and the same bank", c1, 1);
}

static void test_agi(void)
{
	COUNT(EV_PIPELINE_AGI_STALLS | OS, INSTRUCTIONS | OS,
	      "mov $0x1000000, %%esi; mov (%%rsi), %%eax;");
	check("an address just computed", c0, 1);
	COUNT(EV_PIPELINE_AGI_STALLS | OS, INSTRUCTIONS | OS,
	      "mov $0x1000000, %%esi;" ALONE "mov (%%rsi), %%eax;");
	check("an address computed one issue earlier", c0, 0);
	COUNT(EV_PIPELINE_AGI_STALLS | OS, INSTRUCTIONS | OS,
	      "mov $0x1000000, %%esi; mov $0x1000004, %%ebx;"
	      "mov (%%rsi), %%eax; mov (%%rbx), %%ecx;");
	check("addresses of both pipes", c0, 2);
	COUNT(EV_PIPELINE_AGI_STALLS | OS, INSTRUCTIONS | OS,
	      "sub $8, %%rsp; push %%rax;" ALONE "pop %%rax;" ALONE "add $8, %%rsp;");
	check("a push after the stack pointer was changed", c0, 1);
	COUNT(EV_PIPELINE_AGI_STALLS | OS, INSTRUCTIONS | OS,
	      "push %%rax;" ALONE "push %%rax; pop %%rax;" ALONE "pop %%rax;");
	check("pushes and pops", c0, 0);
	COUNT(EV_PIPELINE_AGI_STALLS | OS, INSTRUCTIONS | OS,
	      "mov $0x1000000, %%esi; mov $100, %%ebx; 1: mov (%%rsi), %%rsi;"
	      "mov $0x1000000, %%esi; dec %%ebx; jnz 1b");
	check("an address loaded, but for the first: not used", c0, 1);
}

/* A taken branch that the BTB does not know flushes, as a wrong prediction does */
static void test_flushes(void)
{
	COUNT(EV_PIPELINE_FLUSHES | OS, EV_BRANCHES_MISPREDICTED | OS,
	      "mov $1000, %%ebx; 1: dec %%ebx; jnz 1b");
	CHECK_BOTH("a loop", "flushes at its first branch and its end", 2, "mispredicted", 1);
	COUNT(EV_PIPELINE_FLUSHES | OS, EV_BRANCHES_MISPREDICTED | OS,
	      "xor %%eax, %%eax; mov $1000, %%ebx; 1: test %%eax, %%eax; jnz 2f;"
	      "dec %%ebx; jnz 1b; 2:");
	check("a branch that is never taken: no more flushes", c0, 2);
	COUNT(EV_PIPELINE_FLUSHES | OS, EV_BRANCHES_MISPREDICTED | OS,
	      "mov %%ds, %%eax; mov %%eax, %%ds");
	check("a segment register", c0, 1);
	COUNT(EV_PIPELINE_FLUSHES | OS, EV_BRANCHES_MISPREDICTED | OS,
	      "mov %%rsp, %%rbx; push $0x10; push %%rbx; pushf; push $8; push $1f; iretq; 1:");
	check("iret", c0, 1);
}

/* Cycles by the table of emulated-card.rst */
static void test_cycles(void)
{
	COUNT(EV_MICROCODE_CYCLES | OS, INSTRUCTIONS | OS, "rdtsc; rdtsc; imul %%eax, %%ebx");
	check("microcode: rdtsc twice", c0, 2 * 5);
	COUNT(EV_MICROCODE_CYCLES | OS, INSTRUCTIONS | OS,
	      "mov $0x1000000, %%edi; mov $100, %%ecx; rep stosb");
	check("microcode: rep stosb of 100", c0, 9 + 100);
	COUNT(EV_MICROCODE_CYCLES | OS, INSTRUCTIONS | OS,
	      "mov $0x1000000, %%edi; mov $0x1000100, %%esi; mov $10, %%ecx; rep movsb; movsb");
	check("microcode: rep movsb of 10, movsb", c0, 13 + 10 + 4);
	/*
	 * waits for the payload's line and page: 500 and 100; and the instructions' cycles after
	 * their first
	 */
	COLD(EV_FE_STALLED | OS, EV_EXEC_STAGE_CYCLES | OS,
	     "rdtsc; imul %%eax, %%ebx; mov $0x1000000, %%esi; add %%eax, (%%rsi);"
	     ALONE "add (%%rsi), %%eax");
	check("the front end stalled", c0, 600 + 4 + 9 + 2 + 1);
	COUNT(EV_EXEC_STAGE_CYCLES | OS, INSTRUCTIONS | OS, "rdtsc; nop; nop");
	check("cycles of the E stage: instructions, if there is no timing", c0, c1);
}

void test_pipes(void)
{
	test_pairs();
	test_accesses();
	test_agi();
	test_flushes();
	test_cycles();
	pmu_off();
}
