// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings by hand: the page of a task's counters, and rings with flags of the program's own. Most
 * programs need knc_self_open() of knc/ring3.h, and kncpmu_ring_map()
 */
#include <kncpmu.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING	(64 << 10)	/* bytes */

static int failed(enum kncpmu_op op, int error)
{
	struct kncpmu_error err;

	fprintf(stderr, "page: %s\n", kncpmu_strerror(op, error, &err));
	return 1;
}

/* Which counter has the event of the caller, now? */
static int print_counter(struct knc_pmu_event *event)
{
	const struct knc_pmu_page *page;
	struct knc_pmu_config config;
	int fd = kncpmu_open(NULL), error;

	error = kncpmu_config_task(fd, 0, event, 1, KNC_PMU_CONFIG_RDPMC, &config);
	if (error)
		return failed(KNCPMU_OP_CONFIG, error);
	error = kncpmu_page_map(fd, &page);
	if (error)
		return failed(KNCPMU_OP_MAP, error);
	kncpmu_start(fd);
	printf("counter %u of %u bits\n", page->counter[0], page->width);
	kncpmu_page_unmap(page);
	kncpmu_close(fd);
	return 0;
}

/* Bytes of the records in a ring, all of whose pages are present before the first one */
static long read_ring(void *memory, size_t size)
{
	struct kncpmu_ring ring;
	const void *records;
	long bytes, sum = 0;

	if (kncpmu_ring_attach(&ring, memory, size))
		return 0;
	while ((bytes = kncpmu_ring_read(&ring, &records)) > 0) {
		sum += bytes;
		kncpmu_ring_release(&ring);
	}
	return sum;
}

/* A task has a ring for each hardware thread, one behind the other */
static int print_samples(struct knc_pmu_event *event)
{
	struct knc_pmu_config config = { .ring_size = RING, .flags = KNC_PMU_CONFIG_TASK };
	size_t size = sysconf(_SC_PAGESIZE) + RING;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), bytes = 0, i;
	int fd = kncpmu_open(NULL), error;
	volatile unsigned int n;
	void *memory[64];

	error = kncpmu_config_sampling(fd, NULL, event, 1, &config);
	if (error)
		return failed(KNCPMU_OP_CONFIG, error);
	for (i = 0; i < cpus && i < 64; i++)
		memory[i] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
				 (off_t)(i * size));
	kncpmu_start(fd);
	for (n = 0; n < 1000000; n++)
		;
	kncpmu_stop(fd);
	for (i = 0; i < cpus && i < 64; i++) {
		if (memory[i] != MAP_FAILED)
			bytes += read_ring(memory[i], size);
	}
	printf("%ld bytes of records\n", bytes);
	kncpmu_close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct knc_pmu_event event;
	struct kncpmu_error err;
	struct kncpmu_pmu pmu;
	int status;

	kncpmu_pmu_get(-1, "knc", &pmu);
	kncpmu_spec_parse(&pmu, "INSTRUCTIONS_EXECUTED:u", &event, &err);
	status = print_counter(&event);
	if (kncpmu_interval_parse(&pmu, argc > 1 ? argv[1] : "100003", &event, &err))
		return fprintf(stderr, "page: %s\n", err.text) > 0;
	return status || print_samples(&event);
}
