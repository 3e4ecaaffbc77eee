// SPDX-License-Identifier: GPL-2.0
/* Counting the calling thread in two calls */
#include <errno.h>
#include <string.h>

#include "private.h"

/* Configure and start; returns 0 or a negative errno */
static int begin(const struct kncpmu_pmu *pmu, int fd, struct knc_pmu_event *events,
		 unsigned int nr, struct kncpmu_error *err)
{
	struct knc_pmu_config config;
	struct kncpmu_failure failure = {
		.op = KNCPMU_OP_CONFIG,
		.config = &config,
		.events = events,
		.pmu = pmu,
	};

	failure.error = kncpmu_config_task(fd, 0, events, nr, 0, &config);
	if (!failure.error) {
		failure.op = KNCPMU_OP_START;
		failure.error = kncpmu_start(fd);
	}
	if (failure.error)
		kncpmu_explain(&failure, err);
	return failure.error;
}

int kncpmu_count_self(const char *text, struct kncpmu_error *err)
{
	struct kncpmu_item items[KNC_NR_COUNTERS];
	struct knc_pmu_event events[KNC_NR_COUNTERS];
	struct kncpmu_pmu pmu;
	unsigned int nr = 0, i;
	int fd = kncpmu_open(NULL), ret;

	/* without a device check at least the text */
	kncpmu_pmu_get(fd, NULL, &pmu);
	ret = kncpmu_list_parse(&pmu, text, items, &nr, KNC_NR_COUNTERS, err);
	for (i = 0; i < nr; i++)
		events[i] = items[i].event;
	if (!ret && fd < 0) {
		kncpmu_strerror(KNCPMU_OP_OPEN, fd, err);
		return fd;
	}
	if (!ret)
		ret = begin(&pmu, fd, events, nr, err);
	if (!ret)
		return fd;
	kncpmu_close(fd);
	return ret;
}

int kncpmu_read_self(int fd, __u64 *counts, unsigned int nr, struct kncpmu_error *err)
{
	struct knc_pmu_thread record;
	int ret;

	if (nr > KNC_NR_COUNTERS)
		return kncpmu_fail(err, -EINVAL,
				   "%u counts are wanted, and there are %d counters: ask for fewer",
				   nr, KNC_NR_COUNTERS);
	memset(&record, 0, sizeof(record));
	ret = kncpmu_read(fd, &record, sizeof(record), 0);
	if (ret < 0) {
		kncpmu_strerror(KNCPMU_OP_READ, ret, err);
		return ret;
	}
	memcpy(counts, record.value, nr * sizeof(*counts));
	return 0;
}
