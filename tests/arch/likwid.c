// SPDX-License-Identifier: GPL-2.0
/*
 * What LIKWID's library counts on an emulated host, through /dev/cpu/0/msr (its direct mode)
 *
 *   likwid N LINES GROUP
 *
 * GROUP is a list of EVENT:COUNTER in LIKWID's names. Prints a line "COUNT EVENT:COUNTER" for each:
 * the events that N times {dec, jnz} on CPU 0, and reading LINES lines of memory, add. The count is
 * the least of several tries, because events of other programs are counted as well.
 */
#include <likwid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

#define TRIES		15
#define MAX_EVENTS	8
#define LINE		64
#define MAX_LINES	65536

static char memory[MAX_LINES * LINE];

static void check(const char *what, int err)
{
	if (err >= 0)
		return;
	fprintf(stderr, "likwid %s: %s\n", what, strerror(-err));
	exit(1);
}

static void touch(unsigned long lines)
{
	const char *at = memory;

	for (; lines; lines--, at += LINE)
		__asm__ __volatile__("" : : "r"(*at));
}

/* The least count of each event for @n rounds of the loop and reading @lines lines */
static void least(int group, unsigned long n, unsigned long lines, double *count)
{
	unsigned int nr = perfmon_getNumberOfEvents(group);
	unsigned int try, i;

	for (try = 0; try < TRIES; try++) {
		check("perfmon_setupCounters", perfmon_setupCounters(group));
		check("perfmon_startCounters", -perfmon_startCounters());
		loop(n);
		touch(lines);
		check("perfmon_stopCounters", -perfmon_stopCounters());
		for (i = 0; i < nr; i++) {
			double got = perfmon_getLastResult(group, i, 0);

			if (!try || got < count[i])
				count[i] = got;
		}
	}
}

int main(int argc, char **argv)
{
	double few[MAX_EVENTS], many[MAX_EVENTS];
	int cpu = 0, group, i;

	if (argc != 4 || strtoul(argv[2], NULL, 0) > MAX_LINES)
		return 2;
	/* allocate each page: all would be the zero page otherwise */
	memset(memory, 1, sizeof(memory));
	pin(0);
	check("topology_init", -topology_init());
	/* after topology_init(), which selects LIKWID's daemon */
	HPMmode(ACCESSMODE_DIRECT);
	check("perfmon_init", -abs(perfmon_init(1, &cpu)));
	group = perfmon_addEventSet(argv[3]);
	check("perfmon_addEventSet", group);
	if (perfmon_getNumberOfEvents(group) > MAX_EVENTS)
		return 2;
	least(group, 1, 0, few);
	least(group, 1 + strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0), many);
	for (i = 0; i < perfmon_getNumberOfEvents(group); i++)
		printf("%.0f %s:%s\n", many[i] - few[i], perfmon_getEventName(group, i),
		       perfmon_getCounterName(group, i));
	perfmon_finalize();
	return 0;
}
