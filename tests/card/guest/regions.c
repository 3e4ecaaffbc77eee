// SPDX-License-Identifier: GPL-2.0
/*
 * Programs with regions, for regions.sh: each function is executed only in its region
 *
 *	regions phases N	N times solve() and assemble() in regions inside "step"
 *	regions threads		two threads in the region "part" at the same time
 *	regions fork		a child continues its parent's region, and begins another one
 *	regions exec		"regions phases 20" replaces the program within a region
 *	regions open		it exits within a region
 *	regions names		regions named at run time; two overlap
 *	regions many N		N empty visits
 *	regions crowd N		N threads, one after another, with an empty visit each
 *	regions deep N		N nested visits
 *	regions texts N		an empty visit of each of N regions
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <knc/ring3-named.h>

#define ROUNDS	100000

/* Three instructions an iteration */
#define LOOP(rounds)							\
	do {								\
		long left = (rounds);					\
									\
		__asm__ volatile("1: nop\n\tdec %0\n\tjnz 1b" : "+r" (left) : : "cc");	\
	} while (0)

#define NOT_INLINED	__attribute__((__noinline__, __noclone__))

static NOT_INLINED void solve(void)
{
	LOOP(2 * ROUNDS);
	__asm__ volatile("");
}

static NOT_INLINED void assemble(void)
{
	LOOP(ROUNDS);
	__asm__ volatile("# other code");
}

/* Neither solve() nor assemble(): code outside of all regions */
static NOT_INLINED void outside(void)
{
	LOOP(ROUNDS / 2);
	__asm__ volatile("# more code");
}

static int phases(int rounds)
{
	while (rounds--) {
		KNC_BEGIN("step");
		KNC_BEGIN("solve");
		solve();
		KNC_END("solve");
		outside();
		KNC_BEGIN("assemble");
		assemble();
		KNC_END("assemble");
		KNC_END("step");
		outside();
	}
	return 0;
}

static void *part(void *arg)
{
	int i;

	for (i = 0; i < 20; i++) {
		KNC_BEGIN("part");
		if (arg)
			solve();
		else
			assemble();
		KNC_END("part");
		outside();
	}
	return NULL;
}

static int threads(void)
{
	pthread_t thread[2];
	int i;

	for (i = 0; i < 2; i++) {
		if (pthread_create(&thread[i], NULL, part, i ? thread : NULL))
			return 1;
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static int forks(void)
{
	int i, status;

	KNC_BEGIN("parent");
	if (!fork()) {
		for (i = 0; i < 20; i++)
			solve();
		KNC_END("parent");
		KNC_BEGIN("child");
		for (i = 0; i < 20; i++)
			assemble();
		KNC_END("child");
		_exit(0);
	}
	wait(&status);
	KNC_END("parent");
	for (i = 0; i < 20; i++)
		outside();
	return status;
}

static int named(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		knc_region_begin("first");
		solve();
		knc_region_begin("second");
		assemble();
		knc_region_end("first");
		outside();
		knc_region_end("second");
	}
	return 0;
}

static int many(long visits)
{
	while (visits--) {
		KNC_BEGIN("empty");
		KNC_END("empty");
	}
	return 0;
}

static void *empty(void *arg)
{
	many(1);
	return arg;
}

static int crowd(int number)
{
	pthread_t thread;

	while (number--) {
		if (pthread_create(&thread, NULL, empty, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}

static int deep(int number)
{
	KNC_BEGIN("deep");
	if (number > 1)
		deep(number - 1);
	KNC_END("deep");
	return 0;
}

static int texts(int number)
{
	char name[32];

	while (number--) {
		snprintf(name, sizeof(name), "region %d", number);
		knc_region_begin(name);
		knc_region_end(name);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	/* regions that count need this, marks alone do not */
	knc_ring3_init();
	if (!strcmp(what, "phases"))
		return phases(number);
	if (!strcmp(what, "threads"))
		return threads();
	if (!strcmp(what, "fork"))
		return forks();
	if (!strcmp(what, "names"))
		return named();
	if (!strcmp(what, "many"))
		return many(number);
	if (!strcmp(what, "crowd"))
		return crowd(number);
	if (!strcmp(what, "deep"))
		return deep(number);
	if (!strcmp(what, "texts"))
		return texts(number);
	if (!strcmp(what, "open")) {
		KNC_BEGIN("open");
		for (number = 0; number < 20; number++)
			solve();
		exit(0);
	}
	if (!strcmp(what, "exec")) {
		KNC_BEGIN("before");
		execl(argv[0], argv[0], "phases", "20", NULL);
	}
	return 1;
}
