// SPDX-License-Identifier: GPL-2.0
/* Threads that each measure their part; the report has the sum of them */
#include <pthread.h>
#include <stdio.h>
#include <knc/ring3.h>

#define THREADS	4
#define N	50000

static double part[THREADS];

static void *work(void *arg)
{
	int me = *(int *)arg, i;
	double sum = 0;

	KNC_BEGIN("part");
	for (i = me; i < N; i += THREADS)
		sum += 1.0 / ((double)(i + 1) * (i + 1));
	KNC_END("part");
	part[me] = sum;
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	int me[THREADS], i;
	double sum = 0;

	/* before the threads begin */
	knc_ring3_init();
	for (i = 0; i < THREADS; i++) {
		me[i] = i;
		if (pthread_create(&thread[i], NULL, work, &me[i])) {
			fprintf(stderr, "threads: no thread could be made\n");
			return 1;
		}
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		sum += part[i];
	}
	printf("%.4f\n", sum);
	return 0;
}
