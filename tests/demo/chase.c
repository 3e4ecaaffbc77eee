// SPDX-License-Identifier: GPL-2.0
/*
 * Follows a chain of pointers through 4 MiB in an order that no prefetcher guesses, which is mainly
 * loads
 */
#include <stdio.h>

#define CELLS	(1UL << 19)
#define STEPS	2000000UL

static void *cell[CELLS];

int main(void)
{
	unsigned long i, next;
	void **p = cell;

	/* an odd multiplier and an odd step visit every cell of a power of two */
	for (i = 0; i < CELLS; i++) {
		next = (i * 1664525 + 1013904223) & (CELLS - 1);
		cell[i] = &cell[next];
	}
	for (i = 0; i < STEPS; i++)
		p = *p;
	printf("ended at cell %lu\n", (unsigned long)(p - cell));
	return 0;
}
