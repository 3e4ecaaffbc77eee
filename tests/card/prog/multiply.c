// SPDX-License-Identifier: GPL-2.0
/*
 * multiply naive|blocked: multiply matrices of 144 x 144 doubles, whose rows are 4 KB apart
 *
 * naive goes down the columns of the second matrix, a page for each element, without packed
 * operations. A column has more lines of a set than the L2, hence each of its reads goes to memory.
 * blocked copies a block of the second matrix, which the L1 keeps, and goes along its rows, two
 * elements at a time. It prefetches the next row.
 */
#include <stdio.h>
#include <string.h>

#define N	144
#define ROW	512
#define BLOCK	48

/* two elements */
#define PAIR double __attribute__((vector_size(16)))

static double a[N][ROW], b[N][ROW], c[N][ROW];
static double block[BLOCK][BLOCK] __attribute__((aligned(64)));

static void fill(void)
{
	int i, j;

	for (i = 0; i < N; i++) {
		for (j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	}
}

static void naive(void)
{
	int i, j, k;

	for (i = 0; i < N; i++) {
		for (j = 0; j < N; j++) {
			double sum = 0;

			for (k = 0; k < N; k++)
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

	for (i = 0; i < N; i++) {
		PAIR *sums = (PAIR *)&c[i][j0];

		__builtin_prefetch(&a[i + 1 < N ? i + 1 : i][k0]);
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

	for (k0 = 0; k0 < N; k0 += BLOCK) {
		for (j0 = 0; j0 < N; j0 += BLOCK) {
			copy_block(k0, j0);
			multiply_block(k0, j0);
		}
	}
}

int main(int argc, char **argv)
{
	fill();
	if (argc > 1 && !strcmp(argv[1], "naive"))
		naive();
	else
		blocked();
	printf("%.0f\n", c[100][77]);
	return 0;
}
