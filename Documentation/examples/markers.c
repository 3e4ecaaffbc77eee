// SPDX-License-Identifier: GPL-2.0
/* A triad with LIKWID's markers, in the shape that LIKWID's own pages show; see ring3.rst */
#include <stdio.h>
#include <likwid-marker.h>

#define N	20000
#define ROUNDS	5

static double a[N], b[N], c[N];

int main(void)
{
	int i, round;

	LIKWID_MARKER_INIT;
#pragma omp parallel
	{
		LIKWID_MARKER_THREADINIT;
		LIKWID_MARKER_REGISTER("triad");
	}
#pragma omp parallel private(round)
	{
		LIKWID_MARKER_START("fill");
#pragma omp for
		for (i = 0; i < N; i++) {
			b[i] = i;
			c[i] = 2 * i;
		}
		LIKWID_MARKER_STOP("fill");
		for (round = 0; round < ROUNDS; round++) {
			LIKWID_MARKER_START("triad");
#pragma omp for
			for (i = 0; i < N; i++)
				a[i] = b[i] + 0.5 * c[i];
			LIKWID_MARKER_STOP("triad");
		}
	}
	printf("%g\n", a[N - 1]);
	LIKWID_MARKER_CLOSE;
	return 0;
}
