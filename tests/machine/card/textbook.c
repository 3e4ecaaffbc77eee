// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: programs of textbooks
 *
 * Matrices of 64 x 64 elements of 8 bytes. A row has 8 lines, and rows are 4 KB apart: line l of
 * each row is in set l of the L1, which has room for 8 of the 64. The matrices begin 8 lines after
 * each other, and have sets of their own. In the L2 a set gets 4 lines of a matrix: it keeps all.
 */
#include "units.h"

#define A "0x1000400"
#define B "0x1100000"
#define C "0x1200200"

/*
 * C[i][j] is the sum of A[i][k] * B[k][j]. Each read of B is a line of its own, and a column has 64
 * lines of one set: all miss, each time. The 8 lines of a row of A miss once, and so do those
 * of a row of C that are written.
 */
#define NAIVE								\
	"mov $" A ", %%r8d; mov $" C ", %%r10d; mov $64, %%r11d;"	\
	"1: mov $" B ", %%r9d; mov $64, %%r12d; mov %%r10, %%rdi;"	\
	"2: xor %%eax, %%eax; mov %%r8, %%rsi; mov %%r9, %%rbx; mov $64, %%ecx;" \
	"3: mov (%%rsi), %%rdx; imul (%%rbx), %%rdx; add %%rdx, %%rax;"	\
	"add $8, %%rsi; add $4096, %%rbx; dec %%ecx; jnz 3b;"		\
	"mov %%rax, (%%rdi); add $8, %%rdi; add $8, %%r9; dec %%r12d; jnz 2b;" \
	"add $4096, %%r8; add $4096, %%r10; dec %%r11d; jnz 1b;"

/*
 * The same by rows: C[i] gets A[i][k] * B[k], for blocks of @size rows of B. Each row of C and
 * of A is gone through once for each block: 8 lines of C miss, and of A those of the block.
 */
#define BY_ROWS(blocks, size)						\
	"mov $" B ", %%r9d; mov $" A ", %%r8d; mov $" #blocks ", %%r11d;" \
	"1: mov %%r8, %%rsi; mov $" C ", %%r10d; mov $64, %%r12d;"	\
	"2: mov %%r9, %%rdx; mov $" #size ", %%ebx;"			\
	"3: mov (%%rsi), %%rax; mov $63, %%ecx;"			\
	"4: mov (%%rdx,%%rcx,8), %%rdi; imul %%rax, %%rdi;"		\
	"add %%rdi, (%%r10,%%rcx,8); dec %%ecx; jns 4b;"		\
	"add $8, %%rsi; add $4096, %%rdx; dec %%ebx; jnz 3b;"		\
	"add $(4096 - 8 * " #size "), %%rsi; add $4096, %%r10; dec %%r12d; jnz 2b;" \
	"add $(8 * " #size "), %%r8; add $(4096 * " #size "), %%r9; dec %%r11d; jnz 1b;"

static void test_matrices(void)
{
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_WRITE_MISS | OS, NAIVE);
	check("matrices, naive: reads that miss", c0, 64 * 64 * 64 + 64 * 8);
	check("matrices, naive: writes that miss", c1, 64 * 8);
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, DATA_READ | OS, NAIVE);
	check("matrices, naive: reads filled from memory", c0, 2 * 64 * 8);
	check("matrices, naive: reads", c1, 2 * 64 * 64 * 64);
	/* all of B goes through the L1 for each row of A and C */
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_WRITE_MISS | OS, BY_ROWS(1, 64));
	check("matrices, by rows: reads that miss", c0, 64 * 64 * 8 + 64 * 8 + 64 * 8);
	check("matrices, by rows: writes that miss", c1, 0);
	/* 8 rows of B stay: they miss once, and a block of A's row is one line */
	COLD(EV_DATA_READ_MISS | OS, EV_DATA_WRITE_MISS | OS, BY_ROWS(8, 8));
	check("matrices, blocked: reads that miss", c0, 64 * 8 + 8 * 64 * 8 + 8 * 64);
	COLD(EV_L2_DATA_READ_MISS_MEM_FILL | OS, DATA_READ | OS, BY_ROWS(8, 8));
	check("matrices, blocked: reads filled from memory", c0, 3 * 64 * 8);
	check("matrices, blocked: reads", c1, 2 * 64 * 64 * 64 + 64 * 64);
}

#define BYTES	1000

/* Walk the bytes, and branch where one is 0; each iteration ends with the loop's own branch */
#define BRANCH								\
	"mov $0x1000000, %%esi; mov $1000, %%ebx;"			\
	"1: cmpb $0, (%%rsi); jz 2f; nop; 2: inc %%rsi; dec %%ebx; jnz 1b"

/*
 * How often the predictor is wrong for the branches at the bytes, each on its own: two bits, which
 * start as strongly taken when the branch is first taken.
 */
static unsigned int wrong_predictions(void)
{
	const volatile u8 *bytes = (u8 *)0x1000000;
	unsigned int i, state = 0, wrong = 0;

	for (i = 0; i < BYTES; i++) {
		bool taken = !bytes[i];

		if (!state) {
			state = taken ? 4 : 0;
			continue;
		}
		wrong += taken != (state >= 3);
		if (taken && state < 4)
			state++;
		else if (!taken && state > 1)
			state--;
	}
	return wrong;
}

static void test_sorted(void)
{
	volatile u8 *bytes = (u8 *)0x1000000;
	unsigned int i, random = 1;

	for (i = 0; i < BYTES; i++)
		bytes[i] = i < BYTES / 2;
	/*
	 * the first taken branch is unknown, all others are predicted: only the loop's last one is
	 * wrong
	 */
	COUNT(EV_BRANCHES_MISPREDICTED | OS, EV_PIPELINE_FLUSHES | OS, BRANCH);
	CHECK_BOTH("branches at sorted bytes", "mispredicted", 1, "flushes", 1 + 2);
	/*
	 * Taken twice, not taken twice. The bits become 4, 4, 3, 2, then repeatedly 3, 4, 3, 2: all
	 * predictions but the second of four are wrong, and the very first branch was unknown.
	 */
	for (i = 0; i < BYTES; i++)
		bytes[i] = i & 2;
	COUNT(EV_BRANCHES_MISPREDICTED | OS, EV_PIPELINE_FLUSHES | OS, BRANCH);
	check("taken twice, not taken twice: mispredicted", c0, 2 + 3 * (BYTES / 4 - 1) + 1);
	/* numbers of a linear congruential generator: nearly half of the predictions are wrong */
	for (i = 0; i < BYTES; i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = random >> 31;
	}
	COUNT(EV_BRANCHES_MISPREDICTED | OS, EV_PIPELINE_FLUSHES | OS, BRANCH);
	check("branches at random bytes: mispredicted", c0, wrong_predictions() + 1);
	check("branches at random bytes: nearly half", c0 > 400 && c0 < 600, 1);
	/* plus the first execution of each branch, which the predictor does not know */
	check("branches at random bytes: flushes", c1, c0 + 2);
}

void test_textbook(void)
{
	test_matrices();
	test_sorted();
	pmu_off();
}

/* Three instructions that never pair, and a pair */
#define BUSY	"mov $100000, %%ebx; 1: " ALONE ALONE ALONE "dec %%ebx; jnz 1b;"

/*
 * The clock of the pipes. One thread uses half of the E stage: 4 cycles in 8, each time round its
 * loop. The others' loops use 4 in 5, of which there are 50,000 each. All of them together need
 * more cycles of the E stage than the longest of them takes alone. Therefore it is always busy, but
 * for what is lost because QEMU executes the threads in turns.
 */
void test_competition(void)
{
	unsigned int i;

	COUNT(EV_CPU_CLK_UNHALTED | OS, EV_EXEC_STAGE_CYCLES | OS | KNC_EVTSEL_THREAD_MODE, BUSY);
	check("one thread: half of the E stage's cycles", c0 >= 2 * c1 && c0 <= 2 * c1 + 3000, 1);
	for (i = 1; i < 4; i++)
		ap_boot(i);
	/* long enough for the units to begin again, with all threads at the same time */
	asm volatile("mov $150000, %%ebx; 1: dec %%ebx; jnz 1b" : : : "ebx", "cc");
	pmu_set(EV_CPU_CLK_UNHALTED | OS | EN,
		EV_EXEC_STAGE_CYCLES | OS | KNC_EVTSEL_THREAD_MODE | EN);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	for (i = 1; i < 4; i++)
		ap_begin(i, AP_LOOP);
	asm volatile(BUSY : : : CLOBBERS);
	for (i = 1; i < 4; i++)
		ap_wait(i);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	check("four threads: cycles of the E stage", c1 >= 4 * 100000 + 3 * 4 * 50000, 1);
	check("four threads: the clock has as many", c0 >= c1, 1);
	check("four threads: and few more", c0 - c1 < c1 / 20, 1);
	pmu_off();
}
