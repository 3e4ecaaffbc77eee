// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card's prefetches and streaming stores
 *
 * A prefetched line arrives after 24 cycles if the L2 has it, else after 500. A thread's
 * instruction or pair takes two cycles.
 */
#include "units.h"

/* 600 cycles: nothing is in flight any more */
#define LATER	"mov $300, %%ebx; 1: dec %%ebx; jnz 1b;"

#define PREFETCHES(which, base, n) WALK(base, 64, n, which " (%%rsi)")

static void test_prefetch0(void)
{
	COLD(EV_L1_DATA_PF1 | OS, EV_L1_DATA_PF1_MISS | OS,
	     PREFETCHES("prefetcht0", 0x1000000, 64) PREFETCHES("prefetcht0", 0x1000000, 64));
	check("vprefetch0 of 64 lines, twice", c0, 128);
	check("vprefetch0 of 64 lines, twice: misses", c1, 64);
	COLD(EV_L2_DATA_PF1_MISS | OS, EV_DATA_READ_MISS | OS,
	     PREFETCHES("prefetcht0", 0x1000000, 64) READS(0x1000000, 64, 64));
	check("vprefetch0 of 64 lines: misses of the L2", c0, 64);
	check("lines prefetched into the L1: reads that miss are those of the prefetches", c1, 64);
	/* reads of 64 other lines, then of the 64, are no misses; they are of the L2's */
	COLD(EV_L2_DATA_PF1_MISS | OS, EV_L1_DATA_PF1_MISS | OS,
	     READS(0x1000000, 64, 1024) PREFETCHES("prefetcht0", 0x1000000, 64));
	CHECK_BOTH("vprefetch0 of lines of the L2", "misses of that", 0, "misses of the L1", 64);
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, DATA_READ | OS,
	     PREFETCHES("prefetchnta", 0x1000000, 64));
	check("vprefetch0: filled from memory", c0, 64);
	check("vprefetch0 is a read", c1, 64);
	COLD(READ_OR_WRITE | OS, EV_DATA_READ_MISS_OR_WRITE_MISS | OS,
	     PREFETCHES("prefetcht0", 0x1000000, 64) READS(0x1000000, 64, 64));
	CHECK_BOTH("lines prefetched and read", "accesses", 128, "misses of accesses", 0);
	COUNT(DATA_READ | OS, CYCLES | OS,
	      "mov $0x1000000, %%esi; prefetcht0 (%%rsi); prefetcht2 (%%rsi)");
	check("prefetches are reads where no unit is counted", c0, 2);
	check("prefetches are reads: the clock", c1, 3 + TAIL + 2);
}

static void test_in_flight(void)
{
	COLD(EV_L1_DATA_HIT_INFLIGHT_PF1 | OS, EV_DATA_READ_MISS | OS,
	     "mov $0x1000000, %%esi; prefetcht0 (%%rsi); mov (%%rsi), %%rax");
	CHECK_BOTH("a line in flight", "hit", 1, "only the prefetch has missed", 1);
	COLD(EV_DATA_READ_MISS_OR_WRITE_MISS | OS, EV_DATA_READ_MISS | OS,
	     "mov $0x1000000, %%esi; prefetcht1 (%%rsi); mov (%%rsi), %%rax;"
	     "prefetcht1 64(%%rsi);" LATER "mov 64(%%rsi), %%rax");
	check("a line in flight is no miss of 0x29, one that has come to the L2 is", c0, 1);
	check("both are misses of reads", c1, 2);
	COLD(EV_L1_DATA_HIT_INFLIGHT_PF1 | OS, EV_DATA_READ_MISS | OS,
	     "mov $0x1000000, %%esi; prefetcht0 (%%rsi);" LATER "mov (%%rsi), %%rax");
	check("a line that has come", c0, 0);
	/* dropped: the line is in flight; not cacheable; not mapped */
	COLD(EV_L1_DATA_PF1_DROP | OS, EV_L1_DATA_PF1 | OS,
	     "mov $0x1000000, %%esi; prefetcht0 (%%rsi); prefetcht0 8(%%rsi);" LATER
	     "prefetcht0 (%%rsi)");
	check("vprefetch0 of a line in flight: dropped", c0, 1);
	check("with those that were not", c1, 3);
	COLD(EV_L1_DATA_PF1_DROP | OS, EV_L1_DATA_PF1_MISS | OS,
	     "mov $0xfee00080, %%esi; prefetcht0 (%%rsi); movabs $0x123456789000, %%rsi;"
	     "prefetcht0 (%%rsi)");
	CHECK_BOTH("vprefetch0, not cacheable or not mapped", "dropped", 2, "no miss", 0);
	COLD(EV_L2_DATA_HIT_INFLIGHT_PF2 | OS, EV_DATA_READ_MISS | OS,
	     "mov $0x1000000, %%esi; prefetcht1 (%%rsi); mov (%%rsi), %%rax");
	CHECK_BOTH("a line in flight to the L2", "hit", 1, "a miss of the L1", 1);
	COLD(EV_L2_DATA_HIT_INFLIGHT_PF2 | OS, EV_DATA_READ_MISS | OS,
	     "mov $0x1000000, %%esi; prefetcht1 (%%rsi);" LATER "mov (%%rsi), %%rax");
	check("a line that has come to the L2", c0, 0);
}

static void test_prefetch1(void)
{
	COLD(EV_L2_DATA_PF2 | OS, EV_L1_DATA_PF2 | OS, PREFETCHES("prefetcht1", 0x1000000, 64));
	CHECK_BOTH("vprefetch1 of 64 lines", "seen by the L2", 64, "seen by the L1", 64);
	COLD(EV_L2_DATA_PF2_MISS | OS, EV_L1_DATA_PF1_DROP | OS,
	     PREFETCHES("prefetcht1", 0x1000000, 64) LATER PREFETCHES("prefetcht1", 0x1000000, 64));
	check("vprefetch1 of 64 lines, twice: misses", c0, 64);
	check("vprefetch1: among those that the L1 drops", c1, 128);
	COLD(EV_L2_READ_HIT_E | OS, EV_DATA_READ_MISS | OS,
	     PREFETCHES("prefetcht1", 0x1000000, 64) LATER READS(0x1000000, 64, 64));
	CHECK_BOTH("lines prefetched into the L2", "hits", 64, "misses of the L1", 64);
	COLD(EV_L2_DATA_PF2_DROP | OS, EV_L1_DATA_PF2 | OS,
	     "mov $0x1000000, %%esi; prefetcht1 (%%rsi); prefetcht1 8(%%rsi); prefetcht2 (%%rsi)");
	check("vprefetch1 of a line in flight, and vprefetch2: dropped", c0, 2);
	check("vprefetch2 is no vprefetch1", c1, 2);
	COLD(EV_L2_DATA_PF2 | OS, EV_L1_DATA_PF2 | OS,
	     "mov $0xfee00080, %%esi; prefetcht1 (%%rsi)");
	CHECK_BOTH("vprefetch1, not cacheable", "not seen by the L2", 0, "seen by the L1", 1);
}

/* Four stores a line; streaming stores don't read memory */
static void test_streaming(void)
{
	COLD(EV_L2_DATA_WRITE_MISS_MEM_FILL | OS, EV_DATA_WRITE_MISS | OS,
	     WALK(0x1000000, 16, 256, "movaps %%xmm0, (%%rsi)"));
	CHECK_BOTH("64 lines written", "filled from memory", 64, "misses", 64);
	COLD(EV_L2_DATA_WRITE_MISS_MEM_FILL | OS, EV_DATA_WRITE_MISS | OS,
	     WALK(0x1000000, 16, 256, "movntps %%xmm0, (%%rsi)"));
	check("64 lines of streaming stores: filled from memory", c0, 0);
	check("64 lines of streaming stores: each misses the L1", c1, 256);
	COLD(EV_L2_WRITE_HIT | OS, EV_DATA_READ_MISS | OS,
	     WALK(0x1000000, 16, 256, "movntps %%xmm0, (%%rsi)") READS(0x1000000, 64, 64));
	check("64 lines of streaming stores: three of four hit the L2", c0, 192);
	check("64 lines of streaming stores: read, the L1 has none", c1, 64);
	COLD(EV_L2_READ_HIT_M | OS, EV_DATA_READ_MISS | OS,
	     WALK(0x1000000, 16, 256, "movntps %%xmm0, (%%rsi)") READS(0x1000000, 64, 64));
	check("64 lines of streaming stores: modified in the L2", c0, 64);
}

void test_prefetch(void)
{
	use_sse();
	test_prefetch0();
	test_in_flight();
	test_prefetch1();
	test_streaming();
	COLD(EV_HWP_L2HIT | OS, EV_DATA_READ_MISS | OS, READS(0x1000000, 64, 64));
	check("the hardware's prefetcher is off: hits", c0, 0);
	COLD(EV_HWP_L2MISS | OS, EV_DATA_READ_MISS | OS, READS(0x1000000, 64, 64));
	check("the hardware's prefetcher is off: misses", c0, 0);
	pmu_off();
}

/* The payload's line of code is not the next line, because that would be a sequence */
#define FAR(event, payload)						\
	COLD_AFTER("jmp 7f; .p2align 6; .skip 128; 7:", (event) | OS,	\
		   EV_DATA_READ_MISS | OS, payload)

/*
 * On the card with its prefetcher on: the L2 misses two lines of a page, after which the prefetcher
 * is four lines ahead up to its end.
 */
void test_prefetcher(void)
{
	FAR(EV_HWP_L2MISS, READS(0x1000000, 64, 64));
	CHECK_BOTH("a page upwards", "prefetched", 62, "misses of the L1", 64);
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, EV_DATA_READ_MISS | OS, READS(0x1000000, 64, 64));
	check("a page upwards: misses of the L2", c0, 2);
	COLD(EV_L2_READ_HIT_E | OS, EV_DATA_READ_MISS | OS, READS(0x1000000, 64, 64));
	check("a page upwards: hits of the L2", c0, 62);
	FAR(EV_HWP_L2MISS, READS(0x1000fc0, -64, 64));
	check("a page downwards: prefetched", c0, 62);
	FAR(EV_HWP_L2MISS, READS(0x1000000, 128, 64));
	check("every second line: none", c0, 0);
	FAR(EV_HWP_L2MISS, READS(0x1000000, 64, 6400));
	check("100 pages: prefetched", c0, 6200);
	/* in the second pass the L2 has the 64 KB */
	COLD(EV_HWP_L2HIT | OS, EV_DATA_READ_MISS | OS,
	     READS(0x1000000, 64, 1024) READS(0x1000000, 64, 1024));
	check("16 pages again: prefetched, and there", c0, 16 * 62);
	FAR(EV_HWP_L2MISS, WRITES(0x1000000, 64, 64));
	check("writes: prefetched", c0, 62);
	COLD(EV_L2_DATA_HIT_INFLIGHT_PF2 | OS, EV_DATA_READ_MISS | OS, READS(0x1000000, 64, 64));
	check("in flight, but by no instruction", c0, 0);
	pmu_off();
}
