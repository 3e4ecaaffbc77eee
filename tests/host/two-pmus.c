// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings and metrics of several PMUs in one process: names resolve for each PMU
 *
 * two-pmus CARD HOST
 */
#include <fcntl.h>
#include <stdio.h>
#include <names.h>

#include "cli/pmu.h"
#include "metric/metric.h"
#include "profile/data-file.h"

static void print(const char *whose, const struct kncpmu_pmu *pmu)
{
	struct metrics *ms = metrics_load(pmu, NULL, 0);
	const struct metric *cpi = ms ? metric_find(ms, "cpi") : NULL;
	struct knc_pmu_event event;
	struct kncpmu_error err;
	char text[KNCPMU_SPEC_LEN] = "";

	if (!kncpmu_spec_parse(pmu, "cycles", &event, &err))
		kncpmu_spec_format(pmu, &event, text, sizeof(text));
	printf("%s: %s %s; %s\n", whose, pmu->name, text, cpi ? cpi->formula : "no cpi");
	if (ms)
		metrics_free(ms);
}

int main(int argc, char **argv)
{
	static struct data_file card, host;
	struct kncpmu_pmu listed;

	if (argc != 3 || data_open(&card, open(argv[1], O_RDONLY), argv[1]) ||
	    named_pmu("westmere", &listed) ||
	    data_open(&host, open(argv[2], O_RDONLY), argv[2]))
		return 2;
	print("host", &host.pmu);
	print("card", &card.pmu);
	print("listed", &listed);
	print("own", own_pmu());
	data_close(&card);
	data_close(&host);
	return 0;
}
