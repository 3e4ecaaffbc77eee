// SPDX-License-Identifier: GPL-2.0
/* Events per second, as perf shows them beside a count, and the seconds that cycles took */
#include <string.h>
#include <names.h>

#include "stat/report.h"

/* Does the event count cycles of all rings? Their rate is the frequency of the core */
static int is_clock(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event)
{
	const __u32 rings = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
	const struct kncpmu_event_desc *desc = kncpmu_event_find(pmu, pmu->cycles);

	return desc && event->event == KNC_PMU_EVENT_CODE(desc->event, desc->umask) &&
	       !event->cmask && (event->flags & ~KNC_PMU_EVENT_PINNED) == rings;
}

/* Choose the largest unit in which the rate is at least one */
static void choose_unit(struct rate *rate)
{
	static const struct {
		double size;
		const char *name;
	} units[] = { { 1e9, "G/sec" }, { 1e6, "M/sec" }, { 1e3, "K/sec" }, { 1, "/sec" } };
	unsigned int i = 0;

	while (units[i].size > 1 && rate->per_second < units[i].size)
		i++;
	rate->value = rate->per_second / units[i].size;
	rate->unit = units[i].name;
}

int report_rate(const struct report *r, unsigned int item, unsigned int where,
		struct rate *rate)
{
	const struct cell *cell = report_cell(r, item, where);
	int clock = is_clock(r->counting->pmu, &report_item(r, item)->event);
	double ns;

	memset(rate, 0, sizeof(*rate));
	/* with --realtime a rate would measure the emulating machine */
	if (r->opts->card.real_time || report_unsupported(r, item, where) || !cell->spread.n ||
	    !cell->running)
		return 0;
	/* this clock advances with instructions, hence cycles per second are no frequency */
	if (clock && r->opts->card.instructions)
		return 0;
	ns = (double)cell->running / cell->spread.n;
	rate->per_second = report_shown(cell) * 1e9 / ns;
	rate->rough = report_precision(r, item, where) == PRECISION_ROUGH;
	if (clock) {
		rate->value = rate->per_second / 1e9 / report_cores(r, where);
		rate->unit = "GHz";
		return 1;
	}
	choose_unit(rate);
	return 1;
}

/* Uses the TSC's rate, at which a card's cores run and a host counts reference cycles */
int report_seconds(const struct report *r, unsigned int item, unsigned int where, double *seconds)
{
	const struct cell *cell = report_cell(r, item, where);
	const struct kncpmu_card *card = &r->opts->card;

	if (card->real_time || !card->tsc_khz || report_unsupported(r, item, where) ||
	    !cell->spread.n || !kncpmu_event_timed(r->counting->pmu, &report_item(r, item)->event))
		return 0;
	*seconds = report_shown(cell) / (card->tsc_khz * 1e3);
	return 1;
}
