/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * LIKWID's markers, as regions of knc/ring3.h: compile a program that has markers with -I and the
 * folder of this file in place of LIKWID's, and do not link it with LIKWID.
 *
 *	gcc -DLIKWID_PERFMON -I.../knc/likwid program.c -pthread
 *	knc-pmuctl grant -e EVENT,EVENT -- ./a.out
 *
 * As in LIKWID, the markers compile to nothing without LIKWID_PERFMON. Documentation/ring3.rst says
 * what each marker does here.
 */
#ifndef LIKWID_MARKER_H
#define LIKWID_MARKER_H

#if defined(LIKWID_PERFMON) && !defined(KNC_NO_INSTRUMENT)

/* LIKWID_MARKER_GET needs the time of a region, which this macro adds to the counts */
#ifndef KNC_REGION_TSC
#define KNC_REGION_TSC
#endif
#include <sys/time.h>
#include "../ring3-named.h"

/* The time at which LIKWID_MARKER_INIT was executed, by two clocks, to convert ticks to seconds */
struct knc_likwid_began {
	unsigned long tsc;
	double seconds;
};

KNC_R3_NO_WARNING
KNC_R3_SHARED struct knc_likwid_began knc_likwid_began = { 0, 0 };
KNC_R3_WARNING

KNC_R3_OUT double knc_likwid_now(void)
{
	struct timeval tv;

	gettimeofday(&tv, NULL);
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

KNC_R3_OUT void knc_likwid_init(void)
{
	if (knc_ring3_init() != KNC_RING3_OK && !knc_r3_marked())
		fputs("knc: the counters can't be read, and LIKWID's markers measure nothing: start the program by knc-pmuctl grant\n",
		      stderr);
	knc_likwid_began.seconds = knc_likwid_now();
	knc_likwid_began.tsc = knc_rdtsc();
}

/* Register the thread now: otherwise its first region does it, and takes longer */
KNC_R3_OUT void knc_likwid_register(void)
{
	unsigned long before[KNC_R3_VALUES];

	if (!knc_ring3_available() || knc_r3_marked())
		return;
	knc_r3_before(before);
	if (!knc_r3_self)
		knc_r3_register();
	if (!knc_r3_named_cost.known)
		knc_r3_named_calibrate();
	if (knc_r3_cur != &knc_r3_off)
		knc_r3_exclude(before, knc_r3_nothing.enter);
}

/* @nr: on entry the elements of @events, on return how many of them were set */
KNC_R3_OUT void knc_likwid_get(const char *name, int *nr, double *events, double *time, int *visits)
{
	unsigned long counts[KNC_R3_VALUES], entered, tsc;
	double seconds;
	int i, room = *nr, there = getenv("KNC_COUNTER1") ? 2 : 1;

	knc_region_get(name, &entered, counts);
	seconds = knc_likwid_now() - knc_likwid_began.seconds;
	tsc = knc_rdtsc() - knc_likwid_began.tsc;
	for (i = 0; i < room && i < there; i++)
		events[i] = (double)counts[i];
	*nr = i;
	*time = tsc ? (double)counts[KNC_R3_TSC] * seconds / (double)tsc : 0;
	*visits = (int)entered;
}

KNC_R3_OUT void knc_likwid_write(const char *name)
{
	FILE *file = fopen(name, "w");

	if (!file) {
		fprintf(stderr, "knc: the report of regions can't be written to %s: %s; name another file in LIKWID_MARKER_WRITE_FILE\n",
			name, strerror(errno));
		return;
	}
	knc_regions_report(file, KNC_REPORT_TABLE);
	fclose(file);
}

#define LIKWID_MARKER_INIT		knc_likwid_init()
#define LIKWID_MARKER_THREADINIT	knc_likwid_register()
#define LIKWID_MARKER_REGISTER(tag)	((void)(tag), knc_likwid_register())
#define LIKWID_MARKER_START(tag)	knc_region_begin(tag)
#define LIKWID_MARKER_STOP(tag)		knc_region_end(tag)
#define LIKWID_MARKER_GET(tag, nr, events, time, visits)		\
	knc_likwid_get(tag, nr, events, time, visits)
#define LIKWID_MARKER_RESET(tag)	knc_region_reset(tag)
#define LIKWID_MARKER_WRITE_FILE(file)	knc_likwid_write(file)
/* There is only one group of events, because there are two counters */
#define LIKWID_MARKER_SWITCH		((void)0)
/* Nothing to do: the report is printed when the program exits */
#define LIKWID_MARKER_CLOSE		((void)0)

#else

#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_REGISTER(tag)
#define LIKWID_MARKER_START(tag)
#define LIKWID_MARKER_STOP(tag)
#define LIKWID_MARKER_GET(tag, nr, events, time, visits)
#define LIKWID_MARKER_RESET(tag)
#define LIKWID_MARKER_WRITE_FILE(file)
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_CLOSE

#endif

#endif /* LIKWID_MARKER_H */
