// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card's units: caches, TLBs, branch predictor
 *
 * Each count is derived from the geometry of Documentation/emulated-card.rst, in the comment
 * above it.  No code here accesses data but the payloads.
 */
#include "units.h"

/*
 * 16 KB are 256 lines and fit into all caches: each misses once. 256 KB are 4,096 lines, eight
 * times the L1, which has evicted a line before it is read again: each misses each time, but the
 * L2 has it the second time. 8 MB are 131,072 lines, which never are in a cache again.
 */
static void test_reads(void)
{
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_READ_MISS_OR_WRITE_MISS | OS,
	     READS(0x1000000, 8, 2048) READS(0x1000000, 8, 2048));
	CHECK_BOTH("16 KB twice, each 8 bytes", "reads that miss", 256, "accesses that miss", 256);
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, EV_DATA_WRITE_MISS | OS,
	     READS(0x1000000, 8, 2048) READS(0x1000000, 8, 2048));
	CHECK_BOTH("16 KB twice", "filled from memory", 256, "writes that miss", 0);
	/* code misses as well */
	COLD(EV_L2_READ_MISS | OS, EV_L2_CODE_READ_MISS_MEM_FILL | OS,
	     READS(0x1000000, 64, 256));
	check("16 KB: read misses of the L2 but for code", c0 - c1, 256);
	check("16 KB: read misses of the L2, code", c1, 1);

	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, EV_DATA_READ_MISS | OS,
	     READS(0x1000000, 64, 4096) READS(0x1000000, 64, 4096));
	CHECK_BOTH("256 KB twice", "filled from memory", 4096, "reads that miss the L1", 8192);
	COLD(EV_L2_READ_HIT_E | OS, EV_DATA_CACHE_LINES_WRITTEN_BACK | OS,
	     READS(0x1000000, 64, 4096) READS(0x1000000, 64, 4096));
	CHECK_BOTH("256 KB twice", "hits in the L2", 4096, "written back", 0);

	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, EV_DATA_READ_MISS | OS,
	     READS(0x1000000, 64, 131072) READS(0x1000000, 64, 131072));
	CHECK_BOTH("8 MB twice", "filled from memory", 262144, "reads that miss the L1", 262144);
	/* every sixteenth line: none is read twice */
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, EV_DATA_READ_MISS | OS,
	     READS(0x1000000, 1024, 8192));
	check("8 MB, each 1024 bytes: filled from memory", c0, 8192);
	check("8 MB, each 1024 bytes: reads that miss the L1", c1, 8192);
}

/* Eight lines of a set stay in the L1; if nine take turns none stays */
static void test_ways(void)
{
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_READ_MISS | OS,
	     "mov $100, %%r8d; 2:" READS(0x1000000, 4096, 8) "dec %%r8d; jnz 2b");
	check("8 lines of a set, 100 times", c0, 8);
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_READ_MISS | OS,
	     "mov $100, %%r8d; 2:" READS(0x1000000, 4096, 9) "dec %%r8d; jnz 2b");
	check("9 lines of a set, 100 times", c0, 900);
}

/*
 * Chains of lines, each with the address of the next: of 256, all in the L1 after the first round,
 * and of 1,024, in an order in which every one has gone before it comes again.
 */
static void chain(u64 base, unsigned int n, unsigned int step)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		*(volatile u64 *)(base + i * 64) = base + (i + step) % n * 64;
}

#define CHASE(base, n)							\
	"mov $" #base ", %%esi; mov $" #n ", %%ebx;"			\
	"1: mov (%%rsi), %%rsi; dec %%ebx; jnz 1b;"

static void test_chase(void)
{
	chain(0x1000000, 256, 77);
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_READ_MISS | OS, CHASE(0x1000000, 2048));
	check("a chain of 16 KB, 8 rounds", c0, 256);
	chain(0x1000000, 1024, 333);
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, EV_DATA_READ_MISS | OS,
	     CHASE(0x1000000, 2048));
	check("a chain of 64 KB, 2 rounds: the L1", c1, 2048);
	check("a chain of 64 KB, 2 rounds: the L2", c0, 1024);
}

/*
 * 64 KB are 1,024 lines: the L1 keeps 512 of them modified and has written back the others. The
 * second time each write misses and evicts a modified line, and the L2 has it.
 */
static void test_writes(void)
{
	COLD(EV_L2_DATA_WRITE_MISS_MEM_FILL | OS, EV_DATA_WRITE_MISS | OS,
	     WRITES(0x1000000, 64, 1024));
	CHECK_BOTH("64 KB written", "filled from memory", 1024, "writes that miss", 1024);
	COLD(EV_L2_WRITE_HIT | OS, EV_DATA_CACHE_LINES_WRITTEN_BACK | OS,
	     WRITES(0x1000000, 64, 1024));
	CHECK_BOTH("64 KB written", "hits in the L2", 0, "written back", 512);
	COLD(EV_L2_WRITE_HIT | OS, EV_DATA_CACHE_LINES_WRITTEN_BACK | OS,
	     WRITES(0x1000000, 64, 1024) WRITES(0x1000000, 64, 1024));
	CHECK_BOTH("64 KB written twice", "hits in the L2", 1024, "written back", 1536);
	COLD(EV_L2_READ_HIT_M | OS, EV_DATA_READ_MISS | OS,
	     WRITES(0x1000000, 64, 1024) READS(0x1000000, 64, 1024));
	check("64 KB written and read: hits of modified lines", c0, 1024);
	check("64 KB written and read: reads that miss", c1, 1024);
	/*
	 * the read brings the line as exclusive, therefore the write of the same instruction hits
	 */
	COLD(EV_L2_WRITE_HIT | OS, EV_DATA_READ_MISS_OR_WRITE_MISS | OS,
	     WALK(0x1000000, 64, 256, "incl (%%rsi)"));
	CHECK_BOTH("read-modify-write", "writes to the L2", 0, "misses", 256);

	/*
	 * 1 MB are 16,384 lines: the L2 keeps the last 8,192, less one for the loop's own line. It
	 * was evicted twice in its set's 16 writes, and read again each time.
	 */
	COLD(EV_L2_VICTIM_REQ_WITH_DATA | OS, EV_L2_CODE_READ_MISS_MEM_FILL | OS,
	     WRITES(0x1000000, 64, 16384));
	CHECK_BOTH("1 MB written", "victims of the L2", 8193, "code read again", 3);
}

static void test_operands(void)
{
	/* one access across two lines is one miss */
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, EV_DATA_READ_MISS | OS,
	     "mov $0x100003c, %%esi; mov (%%rsi), %%rax; mov (%%rsi), %%rax");
	check("an operand in two lines: misses", c1, 1);
	check("an operand in two lines: lines", c0, 2);
	/* the second line alone missing is a miss too */
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, EV_DATA_READ_MISS | OS,
	     "mov $0x1000038, %%esi; mov (%%rsi), %%rax; mov 4(%%rsi), %%rax");
	check("an operand's second line: misses", c1, 2);
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_WRITE_MISS | OS,
	     "mov $0x1000000, %%esi; mov $0x1100000, %%edi; mov $4096, %%ecx; rep movsb");
	CHECK_BOTH("rep movsb of 4 KB", "reads that miss", 64, "writes that miss", 64);
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_WRITE_MISS | OS,
	     "mov $0x1000000, %%esi; mov $1, %%eax; lock xadd %%rax, (%%rsi);"
	     "lock negl 64(%%rsi); xchg %%rax, 128(%%rsi); lock cmpxchg8b 192(%%rsi)");
	CHECK_BOTH("locked instructions", "reads that miss", 4, "writes that miss", 0);
	/* the local APIC is not cacheable: each read misses, no write does */
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_WRITE_MISS | OS,
	     "mov $0xfee00080, %%esi; mov (%%rsi), %%eax; mov (%%rsi), %%eax; mov %%eax, (%%rsi)");
	CHECK_BOTH("uncacheable", "reads that miss", 2, "writes that miss", 0);
	COLD(EV_L2_READ_MISS | OS, EV_DATA_READ_MISS_OR_WRITE_MISS | OS,
	     "mov $0xfee00080, %%esi; mov (%%rsi), %%eax; mov (%%rsi), %%eax; mov %%eax, (%%rsi)");
	check("uncacheable: accesses that miss", c1, 3);
	check("uncacheable: not in the L2, but its code", c0, 1);
}

/* 8 MB at 2 GB, in pages of 4 KB */
static void map_small_pages(void)
{
	unsigned int i;

	for (i = 0; i < 2048; i++)
		small_pages[i] = (0x1000000 + i * 4096) | 7;
	for (i = 0; i < 4; i++)
		pd[1024 + i] = ((u64)small_pages + i * 4096) | 7;
	asm volatile("mov %%cr3, %%rax; mov %%rax, %%cr3" : : : "rax", "memory");
}

/*
 * The L1 TLB has 64 pages of 4 KB and 8 of 2 MB; with twice as many, none is left when it comes
 * again. The L2 TLB has 2 MB each: 8 MB are four long walks.
 */
static void test_tlb(void)
{
	map_small_pages();
	COLD(EV_DATA_PAGE_WALK | OS, EV_LONG_DATA_PAGE_WALK | OS,
	     READS(0x80000000, 4096, 64) READS(0x80000000, 4096, 64));
	CHECK_BOTH("64 pages of 4 KB twice", "walks", 64, "long walks", 1);
	COLD(EV_DATA_PAGE_WALK | OS, EV_LONG_DATA_PAGE_WALK | OS,
	     READS(0x80000000, 4096, 128) READS(0x80000000, 4096, 128));
	CHECK_BOTH("128 pages of 4 KB twice", "walks", 256, "long walks", 1);
	COLD(EV_DATA_PAGE_WALK | OS, EV_LONG_DATA_PAGE_WALK | OS,
	     READS(0x80000000, 64, 131072));
	CHECK_BOTH("8 MB in pages of 4 KB", "walks", 2048, "long walks", 4);
	COLD(EV_DATA_PAGE_WALK | OS, EV_LONG_DATA_PAGE_WALK | OS,
	     READS(0x1000000, 64, 131072));
	CHECK_BOTH("8 MB in pages of 2 MB", "walks", 4, "long walks", 4);
	COLD(EV_DATA_PAGE_WALK | OS, EV_LONG_DATA_PAGE_WALK | OS,
	     READS(0x1000000, 0x200000, 16) READS(0x1000000, 0x200000, 16));
	CHECK_BOTH("16 pages of 2 MB twice", "walks", 32, "long walks", 16);
	/* CR3 and INVLPG empty the TLB */
	COLD(EV_DATA_PAGE_WALK | OS, EV_LONG_DATA_PAGE_WALK | OS,
	     READS(0x80000000, 4096, 8) "mov %%cr3, %%rax; mov %%rax, %%cr3;"
	     READS(0x80000000, 4096, 8) "mov $0x80003000, %%esi; invlpg (%%rsi);"
	     READS(0x80000000, 4096, 8));
	CHECK_BOTH("CR3 loaded, a page invalidated", "walks", 8 + 8 + 1, "long walks", 1 + 1 + 1);
	/* the same lines by two addresses hit: caches are physical */
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_PAGE_WALK | OS,
	     READS(0x80000000, 64, 64) READS(0x1000000, 64, 64));
	CHECK_BOTH("one page, two addresses", "misses", 64, "walks", 2);
}

/*
 * Straight code of 16 KB at 0x700000: 256 lines, called twice. Reads of code: the payload's line,
 * for each call the code's lines, and the payload's line again after the return. Walks: the
 * payload's page, and four.
 */
static void test_code(void)
{
	u8 *code = (u8 *)0x700000;
	unsigned int i;

	for (i = 0; i < 0xffff; i++)
		code[i] = 0x90;
	code[0x3fff] = 0xc3;
	code[0xffff] = 0xc3;
	COLD(EV_CODE_READ | OS, EV_CODE_CACHE_MISS | OS,
	     "mov $0x700000, %%eax; call *%%rax; call *%%rax");
	CHECK_BOTH("16 KB of code twice", "reads", 1 + 2 * (256 + 1), "misses", 1 + 256);
	COLD(EV_CODE_PAGE_WALK | OS, EV_LONG_CODE_PAGE_WALK | OS,
	     "mov $0x700000, %%eax; call *%%rax; call *%%rax");
	CHECK_BOTH("16 KB of code twice", "walks", 1 + 4, "long walks", 2);
	/* from after the first RET on 48 KB, 768 lines: more than the cache holds */
	COLD(EV_CODE_READ | OS, EV_CODE_CACHE_MISS | OS,
	     "mov $0x704000, %%eax; call *%%rax; call *%%rax");
	CHECK_BOTH("48 KB of code twice", "reads", 1 + 2 * (768 + 1), "misses", 1 + 2 * (768 + 1));
}

/* A branch that is taken for the first time has no prediction, hence none that is wrong */
static void test_branches(void)
{
	COUNT(EV_BRANCHES_MISPREDICTED | OS, BRANCHES | OS,
	      "mov $1000, %%ebx; 1: dec %%ebx; jnz 1b");
	check("a loop: mispredicted at its end", c0, 1);
	/*
	 * taken and not taken in turn: predicted as strongly taken each time, as at its first
	 * execution
	 */
	COUNT(EV_BRANCHES_MISPREDICTED | OS, BRANCHES | OS,
	      "mov $1000, %%ebx; 1: test $1, %%bl; jz 2f; nop; 2: dec %%ebx; jnz 1b");
	check("taken every second time: mispredicted", c0, 500 + 1);
	/* never taken: never in the BTB */
	COUNT(EV_BRANCHES_MISPREDICTED | OS, BRANCHES | OS,
	      "mov $1000, %%ebx; 1: test %%ebx, %%ebx; jz 2f; dec %%ebx; jmp 1b; 2:");
	check("never taken, then once: mispredicted", c0, 0);
	/* another target each time, after the first */
	COUNT(EV_BRANCHES_MISPREDICTED | OS, BRANCHES | OS,
	      "lea 3f(%%rip), %%rsi; lea 4f(%%rip), %%rdi; mov $100, %%ebx;"
	      "1: xchg %%rsi, %%rdi; jmp *%%rsi; nop; 3: nop; 4: dec %%ebx; jnz 1b");
	check("two targets in turn: mispredicted", c0, 99 + 1);
	/* calls from two places: each RET goes to another one than before */
	COUNT(EV_BRANCHES_MISPREDICTED | OS, BRANCHES | OS,
	      "mov $100, %%ebx; jmp 1f; 2: ret; 1: call 2b; call 2b; dec %%ebx; jnz 1b");
	check("calls from two places: mispredicted", c0, 199 + 1);
}

/*
 * The units begin empty, stay as they are for a while after the counter has stopped, and are
 * empty again after 200,000 instructions
 */
static void test_begin(void)
{
	asm volatile("mov $150000, %%ebx; 1: dec %%ebx; jnz 1b" : : : "ebx", "cc");
	COUNT(EV_DATA_READ_MISS | OS, INSTRUCTIONS | OS, READS(0x1000000, 64, 256));
	check("the first time: misses", c0, 256);
	COUNT(EV_DATA_READ_MISS | OS, INSTRUCTIONS | OS, READS(0x1000000, 64, 256));
	check("soon again: misses", c0, 0);
	asm volatile("mov $150000, %%ebx; 1: dec %%ebx; jnz 1b" : : : "ebx", "cc");
	COUNT(EV_DATA_READ_MISS | OS, INSTRUCTIONS | OS, READS(0x1000000, 64, 256));
	check("long after: misses", c0, 256);
	/* also if nothing counted in between: the units see user and kernel mode */
	COUNT(EV_DATA_READ_MISS | USR, INSTRUCTIONS | OS, READS(0x1100000, 64, 256));
	check("another privilege: misses", c0, 0);
	COUNT(EV_DATA_READ_MISS | OS, INSTRUCTIONS | OS, READS(0x1100000, 64, 256));
	check("another privilege has been seen: misses", c0, 0);
	/* these counters can count the event */
	COUNT(EV_L2_READ_MISS | OS, EV_L2_READ_MISS | OS, READS(0x1200000, 64, 256));
	check("events of the L2: not on counter 1", c1, 0);
	check("events of the L2: on counter 0", c0 >= 256, 1);
}

/* CMASK and edge detection are of the cycle's number */
static void test_unit_conditions(void)
{
	COLD(EV_DATA_READ_MISS | OS | CMASK(1), EV_DATA_READ_MISS | OS | CMASK(2),
	     READS(0x1000000, 64, 100));
	check("CMASK 1 of misses", c0, 100);
	check("CMASK 2 of misses", c1, 0);
	COLD(EV_DATA_READ_MISS | OS | KNC_EVTSEL_EDGE, EV_DATA_READ_MISS | OS,
	     "mov $0x1000000, %%esi; mov (%%rsi), %%rax; mov 64(%%rsi), %%rax;" ALONE
	     "mov 128(%%rsi), %%rax; mov (%%rsi), %%rax");
	check("edge of misses", c0, 2);
	check("their number", c1, 3);
}

void test_units(void)
{
	test_begin();
	test_reads();
	test_ways();
	test_chase();
	test_writes();
	test_operands();
	test_tlb();
	test_code();
	test_branches();
	test_unit_conditions();
	pmu_off();
}

/* Two cores */

#define SHARED_LINES	100

/* Shared words, each in a line of its own */
static _Alignas(64) volatile u32 ready;
static _Alignas(64) volatile u32 go;
static _Alignas(64) volatile u32 other_event;
static volatile u64 other_count;

/* Thread 4: write lines, and count until thread 0 has read them */
static void write_lines(void)
{
	pmu_set(other_event | OS | EN, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	asm volatile(WRITES(0x1400000, 64, 100) : : : CLOBBERS);
	/* the line is in this core before the other one writes to it */
	while (go)
		;
	ready = 1;
	while (!go)
		asm volatile("pause");
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	other_count = rdmsr(KNC_IA32_PERFCNTR0);
	go = 0;
}

/* Read what thread 4 has written; returns how often thread 4 counted @event */
static u64 read_written(u32 event)
{
	/* give it new work only after it has finished the last */
	ap_wait(4);
	ready = 0;
	other_event = event;
	pmu_set(EV_L2_DATA_READ_MISS_CACHE_FILL | OS | EN, EV_DATA_READ_MISS | OS | EN);
	ap_begin(4, AP_UNITS);
	while (!ready)
		asm volatile("pause");
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	asm volatile(READS(0x1400000, 64, 100) : : : CLOBBERS);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	go = 1;
	while (go)
		asm volatile("pause");
	return other_count;
}

/* The words of the handshake that the other core counted as well */
static u64 words_beside(u64 count)
{
	return count - SHARED_LINES;
}

static bool evicting;

/*
 * Thread 4: write nine lines of one set of the L2, which evicts the first of them. No other line
 * comes in until @go: the code is one line, and the caches have the words.
 */
static void evict_line(void)
{
	pmu_set(EV_SNP_HITM_BUNIT | OS | EN, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	asm volatile("wbinvd; mov %[ready], %%eax; mov %[go], %%eax;"
		     ".p2align 6;" WRITES(0x1400840, 65536, 9)
		     "movl $1, %[ready]; 2: pause; cmpl $0, %[go]; je 2b"
		     : [ready] "+m"(ready) : [go] "m"(go) : "eax", "ebx", "esi", "memory", "cc");
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	other_count = rdmsr(KNC_IA32_PERFCNTR0);
	evicting = false;
}

/* The line that core 1 evicted last is on its way to memory when this core asks for it */
static void test_bus_unit(bool write)
{
	ap_wait(4);
	ready = 0;
	go = 0;
	evicting = true;
	pmu_set(EV_L2_DATA_READ_MISS_MEM_FILL | OS | EN, 0);
	ap_begin(4, AP_UNITS);
	while (!ready)
		asm volatile("pause");
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	/* the other eight are modified in its L2; the first line is in the bus unit once */
	if (write)
		asm volatile(WRITES(0x1400840, 65536, 9) WRITES(0x1400840, 65536, 9)
			     : : : CLOBBERS);
	else
		asm volatile(READS(0x1400840, 65536, 9) READS(0x1400840, 65536, 9) : : : CLOBBERS);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	go = 1;
	ap_wait(4);
	check(write ? "a line in another core's bus unit: written" :
	      "a line in another core's bus unit: read", other_count, 1);
}

#define TURNS	100

/* Two words that two threads write in turns, in one line or in two */
static _Alignas(64) volatile u32 words[2 * 16];
static unsigned int other_word;

/* Thread 4: write a word each time that thread 0 has written its own */
static void write_in_turns(void)
{
	u32 i;

	for (i = 1; i <= TURNS; i++) {
		while (go != i)
			asm volatile("pause");
		words[other_word] = i;
		ready = i;
	}
}

void units_of_other_core(void)
{
	if (evicting)
		evict_line();
	else if (other_word)
		write_in_turns();
	else
		write_lines();
}

/* Writes of this core that missed because the other core has written word @other of the line */
static u64 share_falsely(unsigned int other)
{
	u32 i;

	ap_wait(4);
	other_word = other;
	ready = 0;
	go = 0;
	words[0] = 0;
	pmu_set(EV_L2_DATA_WRITE_MISS_CACHE_FILL | OS | EN, 0);
	ap_begin(4, AP_UNITS);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	for (i = 1; i <= TURNS; i++) {
		words[0] = i;
		go = i;
		while (ready != i)
			asm volatile("pause");
	}
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	ap_wait(4);
	other_word = 0;
	return c0;
}

/*
 * In each turn the other core takes the line away, but for the last. The words by which the cores
 * tell each other about their turns are read, then written, hence no writes that miss.
 */
static void test_false_sharing(bool one_host_thread)
{
	u64 same = share_falsely(1), separate = share_falsely(16);

	/* otherwise this core may write before its units have lost the line */
	if (one_host_thread)
		check("two cores write a line in turns: writes that miss",
		      same >= TURNS - 2 && same <= TURNS, 1);
	check("two cores write a line in turns: no more misses than turns", same <= TURNS, 1);
	check("two cores write two lines in turns: none misses", separate <= 2, 1);
}

/*
 * The other core has the 100 lines and "ready" modified when this one reads them, and "go" shared
 * when this one writes it. This one then has the 100 lines shared, and asks the L2 to write them.
 *
 * A unit sees an access after it happened. Where each core has a host thread of its own, this one
 * may see "ready" before its unit has lost the line: then nobody is asked for that word.
 */
void test_units_of_cores(bool one_host_thread)
{
	ap_boot(4);
	check("lines of another core: it was asked for, modified",
	      words_beside(read_written(EV_SNP_HITM_L2)) <= 1, 1);
	check("lines of another core: filled from there", c0, SHARED_LINES);
	check("lines of another core: it was asked for",
	      words_beside(read_written(EV_SNP_HIT_L2)) <= 2, 1);
	COUNT(EV_L2_READ_HIT_S | OS, EV_DATA_READ_MISS | OS,
	      READS(0x1500000, 64, 1024) READS(0x1400000, 64, 100));
	check("lines of another core: then shared", c0, SHARED_LINES);
	COUNT(EV_L2_WRITE_HIT | OS, EV_DATA_WRITE_MISS | OS, WRITES(0x1400000, 64, 100));
	CHECK_BOTH("shared lines", "writes ask the L2", SHARED_LINES, "and do not miss", 0);
	COUNT(EV_L2_WRITE_HIT | OS, EV_DATA_WRITE_MISS | OS, WRITES(0x1400000, 64, 100));
	check("lines that were shared: writes don't ask again", c0, 0);
	test_bus_unit(false);
	test_bus_unit(true);
	test_false_sharing(one_host_thread);
	pmu_off();
}
