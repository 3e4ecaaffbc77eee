// SPDX-License-Identifier: GPL-2.0
/*
 * Calls the C fragments of headers and documents, which tests/documents --fragments writes into
 * fragments.inc. BEGIN_NAME declares what a fragment leaves out, END_NAME checks what it counted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <knc/ring3.h>
#include <knc_pmu.h>
#include <kncpmu.h>

static int failed;

static void work(void)
{
	volatile int i;

	for (i = 0; i < 10000; i++)
		;
}

static void check(const char *name, int records, unsigned long long count)
{
	printf("%s: %d records, %llu instructions\n", name, records, count);
	failed |= records < 1 || count < 10000;
}

/* A session that follows this thread and may execute RDPMC, started */
static int follow_self(void)
{
	struct knc_pmu_event event;
	struct knc_pmu_config config;
	struct kncpmu_error err;
	int fd = kncpmu_open(NULL);

	kncpmu_spec_parse("INSTRUCTIONS_EXECUTED:u", &event, &err);
	kncpmu_config_task(fd, 0, &event, 1, KNC_PMU_CONFIG_RDPMC, &config);
	kncpmu_start(fd);
	return fd;
}

#define BEGIN_uapi							\
	struct knc_pmu_thread record = { 0 };				\
	struct knc_pmu_event event = { 0 };				\
	struct knc_pmu_config config = { 0 };				\
	struct knc_pmu_read read = { 0 };				\
	struct kncpmu_error err;					\
	int fd, n;							\
									\
	kncpmu_spec_parse("INSTRUCTIONS_EXECUTED:u", &event, &err);	\
	config.flags = KNC_PMU_CONFIG_TASK;				\
	config.events = (unsigned long)&event;				\
	config.nr_events = 1;						\
	config.event_size = sizeof(event);				\
	read.buffer = (unsigned long)&record;				\
	read.buffer_size = sizeof(record);

#define END_uapi	check("uapi", n, record.value[0]);

#define BEGIN_library							\
	struct knc_pmu_thread records[4];				\
	struct knc_pmu_config config;					\
	struct knc_pmu_event event;					\
	struct kncpmu_error err;					\
	struct kncpmu_cpus cpus;					\
	unsigned long long sum = 0;					\
	int fd, n, i;

#define END_library							\
	for (i = 0; i < n; i++)						\
		sum += kncpmu_record(records, 1, i)->value[0];		\
	check("library", n, sum);

#define BEGIN_ring3							\
	unsigned long count[2] = { 0 };					\
	struct knc_self self;						\
	int fd = follow_self();

#define END_ring3							\
	check("ring3", knc_ring3_available(), count[0]);		\
	knc_self_close(&self);						\
	close(fd);

#define BEGIN_regions
#define END_regions

#include "fragments.inc"

int main(void)
{
	fragment_uapi();
	fragment_library();
	fragment_ring3();
	fragment_regions();
	return failed;
}
