// SPDX-License-Identifier: GPL-2.0
/* The time stamp counter, the core's clock, and the kernel's clock */
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

/* Busy, as the module measures on busy hardware threads only. Returns the rate of the TSC in kHz */
static unsigned long busy_khz(void)
{
	unsigned long long began = now_ns(), now;
	unsigned long tsc = knc_rdtsc();

	do {
		now = now_ns();
	} while (now - began < NAP_NS);
	return (knc_rdtsc() - tsc) / ((now - began) / 1000000.0);
}

/* While @s counts, until both rates are alike */
static void compare_rates(struct selftest *t, struct trial *s)
{
	struct knc_pmu_info info = { 0 };
	unsigned long khz = 0;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < TRIES; i++) {
		khz = busy_khz();
		ret = kncpmu_info(s->fd, &info);
		if (ret < 0 || (info.tsc_khz && !apart((double)khz / info.tsc_khz)))
			break;
	}
	measured(t, "khz", khz);
	measured(t, "kernel khz", info.tsc_khz);
	if (ret < 0)
		fail(t, "INFO: %s", strerror(-ret));
	else if (i == TRIES)
		fail(t, "%lu kHz by the kernel's clock, but the module says %u kHz", khz,
		     info.tsc_khz);
}

/*
 * The rate may change with the core's clock. The module finds the new one while it counts; with no
 * session it tells the last it has found, so this check counts.
 */
void test_tsc(struct selftest *t)
{
	struct trial s = { .nr = 1 };
	char source[64];

	if (!kncpmu_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			      source, sizeof(source)))
		measured_json(t, "clocksource", text_json(source));
	if (t->card.instructions) {
		skip(t, "knc-vm --icount: the time stamp counter counts instructions");
		return;
	}
	event_on(&s.event[0], 0, EVENT_CYCLES, KNC_PMU_EVENT_USR);
	if (trial_open(t, &s, t->cpu))
		return;
	if (!trial_start(t, &s))
		compare_rates(t, &s);
	trial_close(&s);
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
