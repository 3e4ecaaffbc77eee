// SPDX-License-Identifier: GPL-2.0
/*
 * multiply naive|blocked: multiply 40 x 288 by 288 x 96 doubles, in rows of one page each
 *
 * naive reads the second matrix by columns, a page for each element, without packed operations. A
 * column has more lines than the L2 can keep: every read goes to memory. blocked copies a block of
 * the second matrix, which fits the L1, and reads it by rows, two elements at a time. It prefetches
 * the next row.
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#define M	40
#define K	288
#define N	96
#define ROW	512
#define BLOCK	48
/* two elements */
#define PAIR	double __attribute__((vector_size(16)))

static double a[M][ROW] __attribute__((aligned(4096)));
static double b[K][ROW] __attribute__((aligned(4096)));
static double c[M][ROW] __attribute__((aligned(4096)));
static double block[BLOCK][BLOCK] __attribute__((aligned(64)));

static void fill(double (*matrix)[ROW], int rows, int columns, int step)
{
	int i, j;

	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++)
			matrix[i][j] = i + step * j;
}

static void naive(void)
{
	int i, j, k;

	for (i = 0; i < M; i++) {
		for (j = 0; j < N; j++) {
			double sum = 0;

			for (k = 0; k < K; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
	}
}

static void copy_block(int k0, int j0)
{
	int k;

	for (k = 0; k < BLOCK; k++)
		memcpy(block[k], &b[k0 + k][j0], sizeof(block[k]));
}

static void multiply_block(int k0, int j0)
{
	int i, j, k;

	for (i = 0; i < M; i++) {
		PAIR *sums = (PAIR *)&c[i][j0];

		__builtin_prefetch(&a[i + 1 < M ? i + 1 : i][k0]);
		for (k = 0; k < BLOCK; k++) {
			const PAIR *row = (const PAIR *)block[k];
			double x = a[i][k0 + k];
			PAIR both = { x, x };

			for (j = 0; j < BLOCK / 2; j++)
				sums[j] += both * row[j];
		}
	}
}

static void blocked(void)
{
	int j0, k0;

	for (k0 = 0; k0 < K; k0 += BLOCK) {
		for (j0 = 0; j0 < N; j0 += BLOCK) {
			copy_block(k0, j0);
			multiply_block(k0, j0);
		}
	}
}

int main(int argc, char **argv)
{
	/* otherwise a huge page could hold the second matrix */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	fill(a, M, K, 1);
	fill(b, K, N, -1);
	if (argc > 1 && !strcmp(argv[1], "naive"))
		naive();
	else
		blocked();
	printf("%.0f\n", c[30][77]);
	return 0;
}
