// SPDX-License-Identifier: GPL-2.0
/*
 * Programs with LIKWID's markers. Built without LIKWID_PERFMON and with KNC, the same regions use
 * KNC_BEGIN() and KNC_END(), for comparison. Counts are INSTRUCTIONS_EXECUTED and DATA_READ in user
 * mode. Each test is an argument:
 *
 *	likwid regions		nested, recursive, named at run time
 *	likwid overlap		regions that end in another order than they began
 *	likwid reset		what remains of a region that was reset
 *	likwid threads N	a region in each thread of OpenMP, which also reads it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef KNC
#define KNC_REGION_TSC
#include <knc/ring3.h>
#define INIT		knc_ring3_init()
#define START(name)	KNC_BEGIN(name)
#define STOP(name)	KNC_END(name)
#else
#include <likwid-marker.h>
#define INIT		LIKWID_MARKER_INIT
#define START(name)	LIKWID_MARKER_START(name)
#define STOP(name)	LIKWID_MARKER_STOP(name)
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#define ROUNDS	1000

/* An empty loop of @n iterations, each of two instructions */
static void loop(unsigned long n)
{
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r" (n));
}

static void recurse(int depth)
{
	START("recurse");
	loop(ROUNDS);
	if (depth)
		recurse(depth - 1);
	STOP("recurse");
}

static void regions(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		START("outer");
		loop(ROUNDS);
		START("inner");
		loop(2 * ROUNDS);
		STOP("inner");
		START("empty");
		STOP("empty");
		STOP("outer");
	}
	recurse(9);
}

#ifndef KNC
/* The tag is in a buffer that is then overwritten */
static void named(void)
{
	char tag[16];
	int i;

	for (i = 0; i < 100; i++) {
		sprintf(tag, "step-%d", i % 2);
		LIKWID_MARKER_START(tag);
		loop(ROUNDS);
		LIKWID_MARKER_STOP(tag);
		strcpy(tag, "none");
	}
	/* a region that never began, and one that began once and ends twice */
	LIKWID_MARKER_STOP("none");
}

static void overlap(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		LIKWID_MARKER_START("around");
		LIKWID_MARKER_START("first");
		loop(ROUNDS);
		LIKWID_MARKER_START("second");
		LIKWID_MARKER_START("third");
		loop(2 * ROUNDS);
		LIKWID_MARKER_STOP("first");
		loop(4 * ROUNDS);
		LIKWID_MARKER_STOP("second");
		loop(8 * ROUNDS);
		LIKWID_MARKER_STOP("third");
		LIKWID_MARKER_STOP("around");
	}
}

static void reset(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		LIKWID_MARKER_START("around");
		LIKWID_MARKER_START("warm");
		loop(ROUNDS);
		LIKWID_MARKER_START("inside");
		loop(ROUNDS);
		LIKWID_MARKER_STOP("inside");
		LIKWID_MARKER_STOP("warm");
		if (i == 89)
			LIKWID_MARKER_RESET("warm");
		LIKWID_MARKER_STOP("around");
	}
}

#ifdef _OPENMP
static void threads(int n)
{
	omp_set_num_threads(n);
#pragma omp parallel
	{
		LIKWID_MARKER_THREADINIT;
		LIKWID_MARKER_REGISTER("part");
	}
#pragma omp parallel
	{
		int me = omp_get_thread_num(), nr = 2, visits, i;
		double events[2], time;

		for (i = 0; i < 50; i++) {
			LIKWID_MARKER_START("part");
			loop((me + 1) * ROUNDS);
			LIKWID_MARKER_STOP("part");
		}
		LIKWID_MARKER_GET("part", &nr, events, &time, &visits);
#pragma omp critical
		printf("thread %d %d %.0f %.0f %d %d\n", me, nr, events[0], events[1], visits,
		       time > 0);
	}
}
#endif
#endif

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	INIT;
	if (!strcmp(what, "regions"))
		regions();
#ifndef KNC
	else if (!strcmp(what, "named"))
		named();
	else if (!strcmp(what, "overlap"))
		overlap();
	else if (!strcmp(what, "reset"))
		reset();
#ifdef _OPENMP
	else if (!strcmp(what, "threads") && argc > 2)
		threads(atoi(argv[2]));
#endif
	LIKWID_MARKER_SWITCH;
	LIKWID_MARKER_CLOSE;
#endif
	return 0;
}
