/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For programs to be recorded: a step spends 60, 30 and 10 percent of its
 * instructions in three functions
 */
#ifndef KNC_TEST_PHASES_H
#define KNC_TEST_PHASES_H

#define NOINLINE	__attribute__((noinline))

/*
 * n iterations of {dec, jnz}. gcc makes a frame for a leaf function only on request; without a
 * frame the function's caller is missing in call chains.
 */
static inline void spin(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (n)
			 : "r" (__builtin_frame_address(0)));
}

static NOINLINE void solve(void)
{
	spin(30000);
}

static NOINLINE void assemble(void)
{
	spin(15000);
}

static NOINLINE void exchange(void)
{
	spin(5000);
}

static NOINLINE void step(void)
{
	assemble();
	solve();
	exchange();
	__asm__ volatile(""); /* no tail call */
}

#endif /* KNC_TEST_PHASES_H */
