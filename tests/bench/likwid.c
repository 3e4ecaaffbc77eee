// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of operations of LIKWID's library in executed guest instructions: the same work as in
 * cost.c, through /dev/cpu/0/msr (LIKWID's direct mode)
 *
 * LIKWID takes the number of counters from CPUID leaf 0xA, and only on CPUs of family 6. On this
 * card it finds no counter, and drops both events: part "as-it-is" shows this. The other parts set
 * the number themselves.
 */
#include <errno.h>
#include <likwid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <knc/regs.h>

#include "measure.h"

static const char *const groups[2] = {
	"CPU_CLK_UNHALTED:PMC0", "CPU_CLK_UNHALTED:PMC0,INSTRUCTIONS_EXECUTED:PMC1",
};

static int group;

static void check(const char *what, int err)
{
	if (err >= 0)
		return;
	fprintf(stderr, "likwid %s: %s\n", what, strerror(-err));
	exit(1);
}

static long work_start_stop(void)
{
	return perfmon_startCounters() ?: perfmon_stopCounters();
}

static long work_read(void)
{
	return perfmon_readCounters();
}

static void init(int nr_counters)
{
	int cpu = 0;

	check("topology_init", -topology_init());
	/* after topology_init(), which selects the daemon */
	HPMmode(ACCESSMODE_DIRECT);
	perfmon_init_maps();
	if (nr_counters)
		get_cpuInfo()->perf_num_ctr = nr_counters;
	check("perfmon_init", -abs(perfmon_init(1, &cpu)));
}

/* What an unmodified LIKWID counts in 2,000,000 instructions */
static void show_as_it_is(void)
{
	init(0);
	group = perfmon_addEventSet(groups[1]);
	if (group < 0) {
		show_refused("thread.as-it-is", -group);
		return;
	}
	check("perfmon_setupCounters", perfmon_setupCounters(group));
	check("perfmon_startCounters", -perfmon_startCounters());
	rate_work();
	check("perfmon_stopCounters", -perfmon_stopCounters());
	show("thread.as-it-is", 0, perfmon_getResult(group, 1, 0));
}

static void show_own(int nr)
{
	group = perfmon_addEventSet(groups[nr - 1]);
	check("perfmon_addEventSet", group);
	check("perfmon_setupCounters", perfmon_setupCounters(group));
	show("thread.start-stop.%d", nr, cost("start, stop", work_start_stop));
	check("perfmon_startCounters", -perfmon_startCounters());
	show("thread.read.%d", nr, cost("read", work_read));
	rate_work();
	check("perfmon_stopCounters", -perfmon_stopCounters());
	if (perfmon_getResult(group, nr - 1, 0) < RATE_WORK) {
		fprintf(stderr, "likwid: it counted %.0f\n", perfmon_getResult(group, nr - 1, 0));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	if (!strcmp(begin(argc, argv), "as-it-is")) {
		show_as_it_is();
		return 0;
	}
	init(KNC_NR_COUNTERS);
	show_own(1);
	show_own(2);
	perfmon_finalize();
	return 0;
}
