// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: rings, faults, RDPMC
 */
#include "machine.h"
#include "tests.h"

USER_FUNCTION(user_ud, "nop; ud2; push %rax; ud2; nop");
USER_FUNCTION(user_rdpmc, "xor %ecx, %ecx; rdpmc; mov %eax, buffer; mov %edx, buffer+4");
USER_FUNCTION(user_rdpmc2, "mov $2, %ecx; rdpmc");
USER_FUNCTION(user_page2, "mov 0x40201000, %rax; push 0x40201000; pop %rax");

void test_privilege(void)
{
	u64 kernel;

	COUNT_USER(INSTRUCTIONS | USR, BRANCHES | USR, user_loop);
	CHECK_BOTH("USR", "instructions", 2002, "branches", 1000);
	COUNT_USER(INSTRUCTIONS | OS, BRANCHES | OS, user_nothing);
	kernel = c0;
	COUNT_USER(INSTRUCTIONS | OS, INSTRUCTIONS | ALL, user_loop);
	check("OS: the loop is not in it", c0, kernel);
	check("USR and OS: the sum", c1, kernel + 2002);
	skip_on_ud = 2;
	COUNT_USER(INSTRUCTIONS | USR | KNC_EVTSEL_EDGE,
		   INSTRUCTIONS | ALL | KNC_EVTSEL_EDGE, user_ud);
	skip_on_ud = 0;
	CHECK_BOTH("edge", "ring 0 in between deasserts", 3, "never deasserted", 1);
}

/* An instruction that faults is not counted */
static void test_exceptions(void)
{
	skip_on_ud = 2;
	/* the second time all branches of the handler are predicted */
	COUNT(EV_PIPELINE_FLUSHES | OS, INSTRUCTIONS | OS, "ud2");
	COUNT(EV_PIPELINE_FLUSHES | OS, INSTRUCTIONS | OS, "ud2");
	check("an exception flushes, and the IRET of its handler", c0, 2);
	COUNT_USER(INSTRUCTIONS | USR, DATA_WRITE | USR, user_ud);
	skip_on_ud = 0;
	check("a faulting instruction is not counted", c0, 4);
	check("nor more than the others' writes", c1, 1);
}

/* The page at 0x40201000 faults once */
static void absent_page(void)
{
	pt[1] = 0x601006;
	asm volatile("invlpg 0x40201000" : : : "memory");
}

static void test_page_faults(void)
{
	/* 16 bytes to a mapped page, 16 to an absent one */
	absent_page();
	COUNT_USER(INSTRUCTIONS | USR, DATA_WRITE | USR, user_page);
	check("rep stosb faulted", fault, PF);
	CHECK_BOTH("rep stosb with a page fault", "instructions", 5, "writes", 32);
	absent_page();
	COUNT_USER(CYCLES | USR, DATA_READ | USR, user_page2);
	CHECK_BOTH("loads with a page fault", "cycles", 4 + 4, "reads", 3);
	absent_page();
	asm volatile("wbinvd" : : : "memory");
	COUNT_USER(EV_DATA_READ_MISS | USR, EV_DATA_PAGE_WALK | USR, user_page2);
	CHECK_BOTH("loads with a page fault", "misses, once", 1, "walks, once", 1);
}

/* A jump to an absent page itself completes */
static void test_absent_code(void)
{
	u64 i, b;

	absent_page();
	*(volatile u32 *)0x601000 = 0xccccc3c3;
	fault = NONE;
	COUNT(INSTRUCTIONS | OS, BRANCHES | OS, "mov $0x40201000, %%eax; call *%%rax");
	check("call to an absent page faulted", fault, PF);
	/* with the page-fault handler's; its share is that of the load below, which faults too */
	i = c0;
	b = c1;
	EXPECT(INSTRUCTIONS | OS, "call, ret, tail", 3 + TAIL, BRANCHES | OS, "call and ret", 2,
	       "mov $0x40201000, %%eax; call *%%rax");
	absent_page();
	COUNT(INSTRUCTIONS | OS, BRANCHES | OS, "mov $0x40201000, %%eax; mov (%%rax), %%ebx");
	check("call to an absent page: instructions", i, c0 + 1);
	check("call to an absent page: branches", b, c1 + 2);
}

void test_faults(void)
{
	test_exceptions();
	memset(pt, 0, 4096);
	pt[0] = 0x600007;
	pd[512 + 1] = (u64)pt | 7;
	asm volatile("invlpg 0x40200000" : : : "memory");
	map_on_fault = true;
	test_page_faults();
	test_absent_code();
	map_on_fault = false;
	pt[1] = 0x601007;
}

void test_rdpmc(void)
{
	u64 cr4;
	u32 lo, hi;

	pmu_off();
	wrmsr(KNC_IA32_PERFCNTR0, 0xf123456789);
	wrmsr(KNC_IA32_PERFCNTR1, 0x8000000001);
	asm volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(0));
	check("RDPMC 0", (u64)hi << 32 | lo, 0xf123456789);
	asm volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(1));
	check("RDPMC 1: zero-extended", (u64)hi << 32 | lo, 0x8000000001);
	check("RDPMC 2", try_rdpmc(2), GP);
	check("RDPMC 0x40000000", try_rdpmc(0x40000000), GP);
	check("RDPMC 0xffffffff", try_rdpmc(-1), GP);
	buffer[0] = 0;
	fault = NONE;
	recover = (u64)user_nothing;
	user(user_rdpmc);
	check("RDPMC in ring 3 without PCE", fault, GP);
	recover = 0;
	asm volatile("mov %%cr4, %0" : "=r"(cr4));
	asm volatile("mov %0, %%cr4" : : "r"(cr4 | KNC_CR4_PCE));
	fault = NONE;
	user(user_rdpmc);
	check("RDPMC in ring 3 with PCE", buffer[0], 0xf123456789);
	recover = (u64)user_nothing;
	fault = NONE;
	user(user_rdpmc2);
	check("RDPMC 2 in ring 3 with PCE", fault, GP);
	recover = 0;
	asm volatile("mov %0, %%cr4" : : "r"(cr4));
}
