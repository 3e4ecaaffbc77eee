// SPDX-License-Identifier: GPL-2.0
/*
 * churn N TURNS: run N threads at a time, and replace them in each turn. Each turn prints its
 * number, and the next one begins after a line of input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t begun, over;

static void *run(void *arg)
{
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&over);
	return arg;
}

static void turn(pthread_t *threads, unsigned int nr, unsigned int number)
{
	pthread_attr_t attr;
	char line[16];
	unsigned int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (i = 0; i < nr; i++) {
		if (pthread_create(&threads[i], &attr, run, NULL))
			exit(1);
	}
	pthread_barrier_wait(&begun);
	printf("%u\n", number);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
	pthread_barrier_wait(&over);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned int nr = argc > 1 ? atoi(argv[1]) : 1, turns = argc > 2 ? atoi(argv[2]) : 1, i;
	pthread_t *threads = calloc(nr, sizeof(*threads));

	if (!threads)
		return 1;
	pthread_barrier_init(&begun, NULL, nr + 1);
	pthread_barrier_init(&over, NULL, nr + 1);
	for (i = 1; i <= turns; i++)
		turn(threads, nr, i);
	free(threads);
	return 0;
}
