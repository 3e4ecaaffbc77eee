// SPDX-License-Identifier: GPL-2.0
/*
 * y = a * x + y with Knights Corner's own instructions, in three ways:
 *
 *	gcc -O2 -D_GNU_SOURCE -o saxpy saxpy.c saxpy.S
 *	./saxpy naive|vector|masked [TIMES]
 *
 * It runs on a card, or on the emulated one. masked leaves out the elements whose x is not above 0,
 * three of four.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saxpy.h"

#define N	4096

static float x[N] __attribute__((aligned(64))), y[N] __attribute__((aligned(64)));

/* No kernel of Debian saves vectors: they stay behind if it moves the program to another thread */
static void stay_here(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		perror("saxpy: not pinned, the sum may be wrong");
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "vector";
	long times = argc > 2 ? atol(argv[2]) : 100, i;
	const float a = 2;
	double sum = 0;

	stay_here();
	for (i = 0; i < N; i++)
		x[i] = i % 4 ? -1 : 1;
	while (times--) {
		if (!strcmp(way, "naive"))
			saxpy_naive(y, x, &a, N);
		else if (!strcmp(way, "masked"))
			saxpy_masked(y, x, &a, N);
		else
			saxpy_vector(y, x, &a, N);
	}
	for (i = 0; i < N; i++)
		sum += y[i];
	printf("%g\n", sum);
	return 0;
}
