// SPDX-License-Identifier: GPL-2.0
/* CPU 1, twice for half a second: more events than it has counters, which take turns */
#include <kncpmu.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define MOST	8	/* events */
#define CPU	1

static const struct kncpmu_error *why(enum kncpmu_op op, int error,
				      const struct knc_pmu_config *config,
				      const struct knc_pmu_event *events,
				      const struct kncpmu_pmu *pmu, struct kncpmu_error *err)
{
	struct kncpmu_failure failure = {
		.op = op, .error = error, .config = config, .events = events, .pmu = pmu,
	};

	kncpmu_explain(&failure, err);
	return err;
}

/* A count, and for which part of the time it was counted */
static int print_counts(int fd, const struct kncpmu_item *items, unsigned int nr)
{
	__u64 records[KNC_PMU_SET_SIZE(MOST) / 8];
	const struct knc_pmu_thread *thread;
	struct kncpmu_error err;
	const __u64 *running;
	unsigned int i;
	int error;

	error = kncpmu_read(fd, records, sizeof(records), 0);
	if (error < 0)
		return fprintf(stderr, "turns: %s\n",
			       kncpmu_strerror(KNCPMU_OP_READ, error, &err));
	thread = kncpmu_set_record(records, nr, 0, &running);
	for (i = 0; i < nr; i++)
		printf("%15llu  %s, for %llu%% of the time\n", thread->value[i], items[i].name,
		       thread->time_enabled ? running[i] * 100 / thread->time_enabled : 0);
	return 0;
}

int main(int argc, char **argv)
{
	struct kncpmu_cpus cpus = { { 0 } };
	struct kncpmu_item items[MOST];
	struct knc_pmu_event events[MOST];
	struct knc_pmu_config config;
	struct kncpmu_error err;
	struct kncpmu_pmu pmu;
	unsigned int nr = 0, i;
	int fd = kncpmu_open(NULL), error;

	kncpmu_pmu_get(fd, NULL, &pmu);
	if (kncpmu_list_parse(&pmu, argc > 1 ? argv[1] : "INSTRUCTIONS_EXECUTED,BRANCHES,DATA_READ",
			      items, &nr, MOST, &err))
		return fprintf(stderr, "turns: %s\n", err.text) > 0;
	for (i = 0; i < nr; i++) {
		events[i] = items[i].event;
		events[i].group = i;	/* each by itself */
	}
	kncpmu_cpus_set(&cpus, CPU);
	error = kncpmu_config(fd, &cpus, events, nr, 0, &config);
	if (error == -EBUSY) {
		/* needs CAP_PERFMON; the other session's owner is told that it lost its counters */
		printf("ended %d sessions\n", kncpmu_evict(fd, CPU, KNC_PMU_NO_COUNTER));
		error = kncpmu_config(fd, &cpus, events, nr, 0, &config);
	}
	if (error)
		return fprintf(stderr, "turns: %s\n",
			       why(KNCPMU_OP_CONFIG, error, &config, events, &pmu, &err)->text) > 0;
	kncpmu_start(fd);
	for (i = 0; i < 2; i++) {
		kncpmu_reset(fd, 0);
		usleep(500000);
		if (print_counts(fd, items, nr))
			return 1;
	}
	kncpmu_close(fd);
	return 0;
}
