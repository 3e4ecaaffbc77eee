// SPDX-License-Identifier: GPL-2.0
/* The time stamp counter, the core's clock, and the kernel's */
#include <string.h>
#include <time.h>

#include <knc/ring3.h>
#include <kernel-file.h>

#include "selftest/trial.h"

#define NAP_NS		100000000
#define SPINS		2000000UL
#define TOLERANCE	0.02
#define TRIES		5

static int apart(double ratio)
{
	return ratio < 1 - TOLERANCE || ratio > 1 + TOLERANCE;
}

void test_tsc(struct selftest *t)
{
	struct timespec nap = { .tv_nsec = NAP_NS };
	unsigned long long began = now_ns(), ns;
	unsigned long tsc = knc_rdtsc(), khz;
	char source[64];

	nanosleep(&nap, NULL);
	tsc = knc_rdtsc() - tsc;
	ns = now_ns() - began;
	khz = tsc / (ns / 1000000.0);
	measured(t, "khz", khz);
	measured(t, "kernel khz", t->card.tsc_khz);
	if (!kncpmu_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			      source, sizeof(source)))
		measured_json(t, "clocksource", text_json(source));
	if (t->card.instructions)
		skip(t, "knc-vm --icount: the time stamp counter counts instructions");
	else if (!t->card.tsc_khz || apart((double)khz / t->card.tsc_khz))
		fail(t, "%lu kHz by the kernel's clock, but the kernel says %u kHz", khz,
		     t->card.tsc_khz);
}

/* Cycles of a tick of the time stamp counter while the core is busy; 0: the check has failed */
static double cycles_of_tick(struct selftest *t)
{
	struct trial s = { .nr = 1 };
	unsigned long long memory[2] = { 0, 0 };
	struct knc_pmu_thread before, after;
	double ratio = 0;

	event_on(&s.event[0], 0, EVENT_CYCLES, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS);
	if (trial_open(t, &s, t->cpu))
		return 0;
	if (!trial_start(t, &s) && !trial_read(t, &s, 0, &before)) {
		work_loop(SPINS, memory);
		if (!trial_read(t, &s, KNC_PMU_READ_STOP, &after))
			ratio = (double)(after.value[0] - before.value[0]) /
				(after.tsc - before.tsc);
	}
	trial_close(&s);
	return ratio;
}

/*
 * 327357 1.3.1: the TSC counts core clocks, and a busy core is never halted. The emulated core adds
 * up the cycles of its threads: try again if another thread was active.
 */
void test_clock(struct selftest *t)
{
	double ratio = 0;
	unsigned int i;

	if (t->card.real_time || t->card.instructions) {
		skip(t, "knc-vm with --realtime or --icount: the emulated clock is not the core's");
		return;
	}
	for (i = 0; i < TRIES && apart(ratio) && !has_failed(t); i++)
		ratio = cycles_of_tick(t);
	measured_real(t, "cycles of a tick", ratio);
	if (apart(ratio))
		fail(t, "%.3f cycles for each tick of the time stamp counter", ratio);
}
