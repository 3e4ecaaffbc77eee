// SPDX-License-Identifier: GPL-2.0
/* Bare-metal test of the emulated card: its clock with -icount, where threads execute in turn */
#include "ap.h"
#include "machine.h"
#include "tests.h"

static u32 tsc(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	return low;
}

/* 5 cycles an iteration: three instructions, a read and a write, as in AP_LOOP */
static u32 ticks_of_loop(u32 times)
{
	u32 began = tsc(), word = 0;

	asm volatile("1: incl %1; dec %0; jnz 1b" : "+r"(times), "+m"(word) : : "cc");
	return tsc() - began;
}

/* Is @got close to @expected? Otherwise it is printed as it is */
static void check_about(const char *name, u32 got, u32 expected, u32 bound)
{
	check(name, got + bound >= expected && got <= expected + bound ? expected : got, expected);
}

void test_clock(void)
{
	u32 ticks;

	/* as many iterations as AP_LOOP */
	ticks = ticks_of_loop(50000);
	check_about("ticks of 250,000 cycles", ticks, 250000, 20);

	pmu_set(CYCLES | OS | EN, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	ticks = ticks_of_loop(50000);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	check_about("ticks and the clock counter", ticks, c0, 40);
}

/*
 * Thread 4 belongs to another core, thread 1 to this one. They may differ by a turn, 20,000 cycles.
 */
void test_clock_of_cores(void)
{
	u32 ticks;

	test_clock();
	ap_boot(4);
	check_about("ticks beside another core that waits", ticks_of_loop(50000), 250000, 20000);

	ap_begin(4, AP_LOOP);
	ticks = ticks_of_loop(50000);
	ap_wait(4);
	check_about("ticks beside another core that works", ticks, 250000, 20000);

	ap_boot(1);
	ap_begin(1, AP_LOOP);
	ticks = ticks_of_loop(50000);
	ap_wait(1);
	check_about("ticks beside another thread of the core", ticks, 500000, 40000);
}

/* A handler of 13 instructions, with a store to the APIC */
void nmi_short(void);
asm(".text; nmi_short: push %rax; push %rcx; push %rdx; xor %eax, %eax; xor %edx, %edx;"
	"mov $0x2f, %ecx; wrmsr; mov $0xfee00340, %edx; movl $0x400, (%rdx);"
	"pop %rdx; pop %rcx; pop %rax; iretq");

/* With tsc-instructions a TSC tick is an instruction, counting or not */
void test_icount(void)
{
	u64 a = 1, c = KNC_IA32_PERF_GLOBAL_CTRL, d = 0;
	int i;

	/* and so are the instructions of an interrupt handler */
	set_gate(NMI, nmi_short, 0x8e);
	pmi_prepare(LVT_NMI, 1000);
	asm volatile("wrmsr; rdtsc; mov %%eax, %%esi;" LOOP1000
		     "; rdtsc; sub %%esi, %%eax"
		     : "+a"(a), "+c"(c), "+d"(d)
		     : : "rbx", "rsi", "memory", "cc");
	check("TSC ticks of a loop with an interrupt", a, 2001 + 2 + 13);
	pmu_off();
	set_gate(NMI, stubs + 16 * NMI, 0x8e);

	for (i = 0; i < 2; i++) {
		u64 a = i ? 3 : 0, c = KNC_IA32_PERF_GLOBAL_CTRL, d = 0;

		pmu_set(INSTRUCTIONS | OS | EN, CYCLES | OS | EN);
		asm volatile("wrmsr; rdtsc; mov %%eax, %%esi;" LOOP1000
			     "; rdtsc; sub %%esi, %%eax"
			     : "+a"(a), "+c"(c), "+d"(d)
			     : : "rbx", "rsi", "memory", "cc");
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
		check(i ? "TSC ticks of a loop while counting" :
			  "TSC ticks of a loop", a, 2001 + 2);
	}
}
