// SPDX-License-Identifier: GPL-2.0
/* A stencil, measured with regions */
#include <stdio.h>
#include <knc/ring3.h>

#define N	256
#define STEPS	8

static float old[N][N], new[N][N];

static void sweep(void)
{
	int i, j;

	for (i = 1; i < N - 1; i++)
		for (j = 1; j < N - 1; j++)
			new[i][j] = (old[i - 1][j] + old[i + 1][j] +
				     old[i][j - 1] + old[i][j + 1]) / 4;
}

static void copy(void)
{
	int i, j;

	for (i = 1; i < N - 1; i++)
		for (j = 1; j < N - 1; j++)
			old[i][j] = new[i][j];
}

int main(void)
{
	int step;

	if (knc_ring3_init() != KNC_RING3_OK)
		fprintf(stderr, "stencil: counters can't be read here, nothing is measured\n");
	old[N / 2][N / 2] = 1000;
	for (step = 0; step < STEPS; step++) {
		KNC_REGION("step") {
			KNC_REGION("sweep") {
				sweep();
			}
			KNC_REGION("copy") {
				copy();
			}
		}
	}
	printf("%g\n", old[N / 2][N / 2]);
	return 0;
}
