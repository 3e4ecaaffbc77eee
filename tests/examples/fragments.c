// SPDX-License-Identifier: GPL-2.0
/*
 * Calls the C fragments of headers and documents, which tests/documents --fragments writes into
 * fragments.inc. BEGIN_NAME declares what a fragment leaves out, END_NAME checks what it counted.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <knc/ring3.h>
#include <knc_pmu.h>
#include <kncpmu.h>

static int failed;

static void work(void)
{
	int i;

	for (i = 0; i < 10000; i++)
		__asm__ __volatile__("");
}

static void check(const char *name, int records, unsigned long long count)
{
	printf("%s: %d records, %llu instructions\n", name, records, count);
	failed |= records < 1 || count < 10000;
}

static struct knc_pmu_event an_event(void)
{
	struct knc_pmu_event event;
	struct kncpmu_error err;

	kncpmu_spec_parse("INSTRUCTIONS_EXECUTED:u", &event, &err);
	return event;
}

/* A session that follows this thread and may execute RDPMC, started */
static int follow_self(void)
{
	struct knc_pmu_event event = an_event();
	struct knc_pmu_config config;
	int fd = kncpmu_open(NULL);

	kncpmu_config_task(fd, 0, &event, 1, KNC_PMU_CONFIG_RDPMC, &config);
	kncpmu_start(fd);
	return fd;
}

#define BEGIN_uapi	int fd;

#define END_uapi	check("uapi", 1, count.value[0]);

#define BEGIN_library	int fd, n;

#define END_library	check("library", n, sum(records, n));

static unsigned long long sum(const struct knc_pmu_thread *records, int nr)
{
	unsigned long long all = 0;
	int i;

	for (i = 0; i < nr; i++)
		all += kncpmu_record(records, 1, i)->value[0];
	return all;
}

#define BEGIN_ring3							\
	int fd = follow_self();						\
	unsigned long count[2];						\
	struct knc_self self;

#define END_ring3	end(&self, fd, count[0]);

static void end(struct knc_self *self, int fd, unsigned long count)
{
	check("ring3", knc_ring3_available(), count);
	knc_self_close(self);
	close(fd);
}

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
