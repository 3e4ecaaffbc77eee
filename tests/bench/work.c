// SPDX-License-Identifier: GPL-2.0
/*
 * Work for whole tools to count and sample: "work N" executes N million instructions in user mode,
 * in functions of unequal weight
 */
#include <stdlib.h>

#define STEP	1000	/* instructions of the smallest part */

#define PART(name, weight)						\
static void __attribute((__noinline__)) name(void)			\
{									\
	unsigned long n = (weight) * STEP / 2;				\
									\
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (n));		\
}

PART(assemble, 50)
PART(solve, 25)
PART(exchange, 12)
PART(smooth, 6)
PART(restrict_grid, 4)
PART(prolong, 3)

static void step(void)
{
	assemble();
	solve();
	exchange();
	smooth();
	restrict_grid();
	prolong();
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? 10 * atol(argv[1]) : 10;

	while (n--)
		step();
	return 0;
}
