// SPDX-License-Identifier: GPL-2.0
/* Where hardware threads are: samples of a second. CPUS is a list, without it CPU 0 */
#include <kncpmu.h>
#include <stdio.h>
#include <unistd.h>

#define RING	(64 << 10)	/* bytes */

static int failed(enum kncpmu_op op, int error)
{
	struct kncpmu_error err;

	fprintf(stderr, "sample: %s\n", kncpmu_strerror(op, error, &err));
	return 1;
}

/* Print the samples that a ring has */
static void print_ring(struct kncpmu_ring *ring)
{
	const struct knc_pmu_record *record;
	const void *records;
	long bytes;
	size_t at;

	while ((bytes = kncpmu_ring_read(ring, &records)) > 0) {
		for (at = 0; (record = kncpmu_ring_next(records, bytes, &at));) {
			if (record->type == KNC_PMU_RECORD_SAMPLE)
				printf("CPU %u %#llx\n", record->cpu,
				       ((const struct knc_pmu_sample *)record)->ip);
		}
		kncpmu_ring_release(ring);
	}
}

int main(int argc, char **argv)
{
	struct knc_pmu_config config = { .ring_size = RING };
	char text[KNCPMU_SPEC_LEN], list[256];
	struct kncpmu_error err;
	struct kncpmu_ring ring;
	struct kncpmu_item item;
	struct kncpmu_cpus cpus;
	struct kncpmu_pmu pmu;
	unsigned int nr = 0, i = 0, cpu;
	int fd, error;

	fd = kncpmu_open(NULL);
	if (fd < 0)
		return failed(KNCPMU_OP_OPEN, fd);
	kncpmu_pmu_get(fd, NULL, &pmu);
	if (kncpmu_cpus_parse(argc > 1 ? argv[1] : "0", &cpus, &err) ||
	    kncpmu_samples_parse(&pmu, "INSTRUCTIONS_EXECUTED:period=100003", &item, &nr, 1, &err))
		return fprintf(stderr, "sample: %s\n", err.text) > 0;
	error = kncpmu_config_sampling(fd, &cpus, &item.event, nr, &config);
	if (error)
		return failed(KNCPMU_OP_CONFIG, error);
	kncpmu_start(fd);
	sleep(1);
	kncpmu_stop(fd);

	kncpmu_spec_format(&pmu, &item.event, text, sizeof(text));
	kncpmu_cpus_format(&cpus, list, sizeof(list));
	printf("%s on CPUs %s\n", text, list);
	for (cpu = kncpmu_cpus_next(&cpus, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(&cpus, cpu + 1)) {
		error = kncpmu_ring_map(fd, i++, RING, &ring);
		if (error)
			return failed(KNCPMU_OP_MAP, error);
		print_ring(&ring);
		kncpmu_ring_unmap(&ring);
	}
	kncpmu_close(fd);
	return 0;
}
