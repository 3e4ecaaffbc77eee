// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <kncpmu.h>

/* Print why an operation failed */
static int failed(enum kncpmu_op op, int error, const struct knc_pmu_config *config,
		  const struct knc_pmu_event *events, const struct kncpmu_pmu *pmu)
{
	struct kncpmu_failure failure = {
		.op = op, .error = error, .config = config, .events = events, .pmu = pmu,
	};
	struct kncpmu_error message;

	kncpmu_explain(&failure, &message);
	fprintf(stderr, "count: %s\n", message.text);
	return 1;
}

int main(void)
{
	static const char * const names[] = { "INSTRUCTIONS_EXECUTED:u", "BRANCHES:u" };
	struct knc_pmu_config config;
	struct knc_pmu_event events[2];
	struct knc_pmu_thread count;
	struct kncpmu_error message;
	struct kncpmu_pmu pmu;
	unsigned int i, sum = 0;
	int fd, err;

	fd = kncpmu_open(NULL);
	if (fd < 0)
		return failed(KNCPMU_OP_OPEN, fd, NULL, NULL, NULL);
	kncpmu_pmu_get(fd, NULL, &pmu);
	for (i = 0; i < 2; i++) {
		if (kncpmu_spec_parse(&pmu, names[i], &events[i], &message)) {
			fprintf(stderr, "count: %s\n", message.text);
			return 1;
		}
	}
	err = kncpmu_config_task(fd, 0, events, 2, 0, &config);
	if (err)
		return failed(KNCPMU_OP_CONFIG, err, &config, events, &pmu);

	kncpmu_start(fd);
	for (i = 0; i < 100000; i++)
		sum = sum * 31 + i;
	kncpmu_stop(fd);

	err = kncpmu_read(fd, &count, sizeof(count), 0);
	if (err < 0)
		return failed(KNCPMU_OP_READ, err, NULL, NULL, NULL);
	printf("sum %u: %llu instructions, %llu branches\n", sum, count.value[0], count.value[1]);
	kncpmu_close(fd);
	return 0;
}
