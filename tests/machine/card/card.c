// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card's PMU
 *
 * Prints "ok NAME" or "not ok NAME: got X expected Y" for every check and a
 * plan "1..N".  Sections in comments are those of Intel 327357; the rules they
 * leave open are those of Documentation/emulated-card.rst.
 */
#include "machine.h"
#include "tests.h"

/*
 * On the first run: set all registers, then reset the machine, which keeps the memory and starts
 * this program again.
 */
static void warm_reset(void)
{
	volatile u64 *const mark = (u64 *)0x3000000;

	if (*mark == 0x6b6e63)
		return;
	*mark = 0x6b6e63;
	pmu_set(INSTRUCTIONS | ALL | EN, CYCLES | ALL | EN);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK);
	wrmsr(KNC_PERF_SPFLT_CONTROL, 1ULL << 63 | 3);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	outb(0xcf9, 6);
	for (;;)
		asm volatile("hlt");
}

static bool option(const char *word)
{
	const char *line = (const char *)(u64)multiboot_info[4];
	int i;

	if (!(multiboot_info[0] & 4))
		return false;
	for (; *line; line++) {
		for (i = 0; word[i] && line[i] == word[i]; i++)
			;
		if (!word[i])
			return true;
	}
	return false;
}

/* To measure the host's time: 1e8 times dec, jnz, counted or not */
static void bench(u64 sel)
{
	pmu_set(sel, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, sel ? 1 : 0);
	asm volatile("mov $100000000, %%ebx; 1: dec %%ebx; jnz 1b"
		     : : : "ebx", "cc");
	outb(0xf4, 0);
}

/* End the tests; run @last as the last one */
static _Noreturn void end(void (*last)(void))
{
	if (last)
		last();
	puts("1..");
	putdec(checks);
	put('\n');
	outb(0xf4, failures ? 1 : 0);
	for (;;)
		asm volatile("hlt");
}

static void benchmarks(void)
{
	if (option("bench-plain"))
		bench(0);
	if (option("bench-instructions"))
		bench(INSTRUCTIONS | OS | EN);
	if (option("bench-cmask"))
		bench(INSTRUCTIONS | OS | EN | CMASK(1));
	if (option("bench-cycles"))
		bench(CYCLES | OS | EN);
	if (option("bench-units"))
		bench(EV_CODE_READ | OS | EN);
}

/* Cards with options of the CPU model have tests of their own */
static void options(void)
{
	if (option("vectors"))
		end(test_vectors);
	if (option("vpu"))
		end(test_vpu);
	if (option("timing"))
		end(option("smp") ? test_competition : test_timing);
	if (option("silicon"))
		end(option("smp") ? test_silicon_of_threads : test_silicon);
	if (option("prefetcher"))
		end(test_prefetcher);
	if (option("lacking")) {
		test_lacking(!option("debian"), option("cores"));
		end(0);
	}
	if (option("clock") && option("cores"))
		end(test_clock_of_cores);
}

static void one_thread(void)
{
	test_reset();
	test_cpuid();
	test_registers();
	test_flags();
	test_counts();
	test_enables();
	test_conditions();
	test_cycles_of_pairs();
	test_unknown_events();
	test_wrap();
	test_units();
	test_pipes();
	test_prefetch();
	test_textbook();
	test_privilege();
	test_faults();
	test_spflt();
	test_rdpmc();
	test_pmi();
	test_skid();
	test_blocking();
	test_fixed();
	test_sampling();
	/* one run tries every distance */
	test_places(option("smp") || option("icount") || option("warm") ? 7 : 1);
	test_middle();
}

static void begin(void)
{
	int i;

	for (i = 0; i < 256; i++)
		set_gate(i, stubs + 16 * i, 0x8e);
	set_gate(0x80, user_back, 0xee);
	asm volatile("lidt %0" : : "m"(*(u8 (*)[10])idt_ptr));
	/* the BIOS's timer would interrupt at the vectors of exceptions */
	outb(0x21, 0xff);
	outb(0xa1, 0xff);
}

int main(void);
int main(void)
{
	begin();
	benchmarks();
	options();
	if (option("warm"))
		warm_reset();
	one_thread();
	if (option("smp"))
		test_threads(!option("owner"), option("causing"));
	if (option("cores"))
		test_units_of_cores(option("smp"));
	if (option("clock"))
		test_clock();
	if (option("icount"))
		test_icount();
	end(0);
}
