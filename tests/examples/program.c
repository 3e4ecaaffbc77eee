// SPDX-License-Identifier: GPL-2.0
/* a.out of the examples: it has a thread "worker", and a function matmul() */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

#include <knc/ring3.h>

#define N	128

static double a[N][N], b[N][N], c[N][N];

static void __attribute__((noinline)) matmul(void)
{
	int i, j, k;

	for (i = 0; i < N; i++)
		for (k = 0; k < N; k++)
			for (j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
}

static void *work(void *arg)
{
	prctl(PR_SET_NAME, "worker");
	matmul();
	return arg;
}

int main(void)
{
	pthread_t thread;

	knc_ring3_init();
	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	knc_spflt_on();
	matmul();
	knc_spflt_off();
	pthread_join(thread, NULL);
	printf("%g\n", c[1][1]);
	return 0;
}
