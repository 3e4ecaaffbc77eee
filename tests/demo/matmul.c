// SPDX-License-Identifier: GPL-2.0
/* Multiplies two matrices of 128 x 128 doubles: much arithmetic on little data */
#include <stdio.h>

#define N 128

static double a[N][N], b[N][N], c[N][N];

int main(void)
{
	int i, j, k;

	for (i = 0; i < N; i++) {
		for (j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	}
	for (i = 0; i < N; i++)
		for (k = 0; k < N; k++)
			for (j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
	printf("c[1][1] = %g\n", c[1][1]);
	return 0;
}
