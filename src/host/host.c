// SPDX-License-Identifier: GPL-2.0
/*
 * The table of a host's PMUs, without the PMU of its hardware threads
 */
#include <linux/kernel.h>
#include <linux/workqueue.h>

#include "host/host.h"
#include "host/level.h"
#include "host/uncore.h"

static const struct knc_host_pmu * const knc_host_pmus[] = { &knc_uncore_pmu, &knc_level_pmu };

const struct knc_host_pmu *knc_host_nth(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knc_host_pmus); i++)
		if (knc_host_pmus[i]->exists() && !n--)
			return knc_host_pmus[i];
	return NULL;
}

void knc_host_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knc_host_pmus); i++)
		knc_host_pmus[i]->init();
}

/* The last session is closed: nothing queues the work again. */
void knc_host_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knc_host_pmus); i++)
		if (knc_host_pmus[i]->work)
			cancel_delayed_work_sync(knc_host_pmus[i]->work);
}

void knc_host_online(unsigned int cpu)
{
	const struct knc_host_pmu *pmu;
	unsigned int n;

	for (n = 0; (pmu = knc_host_nth(n)); n++)
		pmu->online(cpu);
}

void knc_host_offline(unsigned int cpu)
{
	const struct knc_host_pmu *pmu;
	unsigned int n;

	for (n = 0; (pmu = knc_host_nth(n)); n++)
		pmu->offline(cpu);
}

void knc_host_suspend(void)
{
	const struct knc_host_pmu *pmu;
	unsigned int n;

	for (n = 0; (pmu = knc_host_nth(n)); n++)
		if (pmu->suspend)
			pmu->suspend();
}

void knc_host_resume(void)
{
	const struct knc_host_pmu *pmu;
	unsigned int n;

	for (n = 0; (pmu = knc_host_nth(n)); n++)
		if (pmu->resume)
			pmu->resume();
}
