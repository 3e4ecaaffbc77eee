// SPDX-License-Identifier: GPL-2.0
/*
 * Calls the C fragments of headers and documents, which tests/documents --fragments writes to
 * fragments.inc. BEGIN_NAME declares what a fragment omits; END_NAME checks its counts.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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
	struct kncpmu_pmu pmu;

	kncpmu_pmu_get(-1, "knc", &pmu);
	kncpmu_spec_parse(&pmu, "INSTRUCTIONS_EXECUTED:u", &event, &err);
	return event;
}

/* Open and start a session that follows this thread and may execute RDPMC */
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

#define END_uapi	check_and_close("uapi", fd, count.value[0]);

/* Close the session first, because a thread has at most one session on a counter */
static void check_and_close(const char *name, int fd, unsigned long long count)
{
	check(name, 1, count);
	close(fd);
}

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

/* The fragments of knc_pmu(4) */
#define BEGIN_info	int fd = kncpmu_open(NULL);
#define END_info	expect("info", fd, info.nr_online && pmu.nr_counters == 2);

#define BEGIN_config	int fd = kncpmu_open(NULL);
#define END_config	expect("config", fd, events[0].counter + events[1].counter == 1);

#define BEGIN_start	int fd = configured();
#define END_start	expect("start", fd, counted(fd) >= 10000);

#define BEGIN_reset	int fd = two_events();
#define END_reset	expect("reset", fd, counted(fd) < 10000);

#define BEGIN_read	int fd = two_events();
#define END_read	expect("read", fd, record.value[0] > record.value[1] && record.value[1]);

#define BEGIN_regs	int fd = kncpmu_open(NULL);
#define END_regs	expect("regs", fd, nr > 7);

#define BEGIN_owner	int fd = two_events();
#define END_owner	expect("owner", fd, owner.pid == getpid());

#define BEGIN_stats	int fd = kncpmu_open(NULL);
#define END_stats	expect("stats", fd, !stats[0].cpu);

#define BEGIN_grants	int fd = follow_self();
#define END_grants	expect("grants", fd, number == 1 && grant[0].pid == getpid());

#define BEGIN_evict	int other = follow_self(), fd = kncpmu_open(NULL);
#define END_evict	expect("evict", fd, evicted == 1 && is_evicted(other));

static void expect(const char *name, int fd, int right)
{
	printf("%s: %s\n", name, right ? "as shown" : "not as shown");
	failed |= !right;
	kncpmu_close(fd);
}

static int is_evicted(int fd)
{
	int error = kncpmu_start(fd);

	kncpmu_close(fd);
	return error == -ECANCELED;
}

static unsigned long long counted(int fd)
{
	struct knc_pmu_thread record;

	return kncpmu_read(fd, &record, sizeof(record), 0) == 1 ? record.value[0] : 0;
}

static int configured(void)
{
	struct knc_pmu_event event = an_event();
	struct knc_pmu_config config;
	int fd = kncpmu_open(NULL);

	kncpmu_config_task(fd, 0, &event, 1, 0, &config);
	return fd;
}

/* Start a session with instructions and branches of this thread */
static int two_events(void)
{
	struct knc_pmu_event event[2] = { an_event(), an_event() };
	struct knc_pmu_config config;
	int fd = kncpmu_open(NULL);

	event[1].event = KNC_PMU_EVENT_CODE(0x12, 0);
	kncpmu_config_task(fd, 0, event, 2, 0, &config);
	kncpmu_start(fd);
	work();
	return fd;
}

#include "fragments.inc"
#include "loops.inc"

/* Compare knc_page_read(), from the comment on struct knc_pmu_page, with READ */
static void page_loop(void)
{
	struct knc_pmu_page *page;
	__u64 first = 0, last = 0;
	int fd = follow_self(), right;

	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, KNC_PMU_PAGE_OFFSET);
	if (page == MAP_FAILED)
		err(1, "the page");
	right = !knc_page_read(page, 0, &first);
	work();
	right &= !knc_page_read(page, 0, &last) && last - first >= 10000 && last < counted(fd);
	kncpmu_stop(fd);
	right &= knc_page_read(page, 0, &first) == -1;
	munmap(page, getpagesize());
	expect("page loop", fd, right);
}

static __u64 periods;

static void add_period(const struct knc_pmu_record *record)
{
	if (record->type == KNC_PMU_RECORD_SAMPLE)
		periods += ((const struct knc_pmu_sample *)record)->period;
}

/*
 * Call knc_ring_read(), from the comment on struct knc_pmu_ring: samples lack less than one period
 */
static void ring_loop(void)
{
	struct knc_pmu_event event = an_event();
	struct knc_pmu_config config;
	struct knc_pmu_info info;
	size_t size = getpagesize() + 65536;
	struct knc_pmu_ring *ring;
	unsigned int i;
	__u64 count;
	int fd = kncpmu_open(NULL);

	event.flags |= KNC_PMU_EVENT_SAMPLE;
	event.sample_period = 1009;
	memset(&config, 0, sizeof(config));
	config.flags = KNC_PMU_CONFIG_TASK;
	config.events = (uintptr_t)&event;
	config.nr_events = 1;
	config.event_size = sizeof(event);
	config.ring_size = 65536;
	memset(&info, 0, sizeof(info));
	if (ioctl(fd, KNC_PMU_IOC_CONFIG, &config) || ioctl(fd, KNC_PMU_IOC_INFO, &info) < 0)
		err(1, "a session that samples");
	kncpmu_start(fd);
	work();
	kncpmu_stop(fd);
	count = counted(fd);
	for (i = 0; i < info.nr_threads; i++) {
		ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, i * size);
		if (ring == MAP_FAILED)
			break;
		knc_ring_read(ring, add_period);
		periods += ring->lost_events[0] + ring->unsampled[0];
		munmap(ring, size);
	}
	expect("ring loop", fd, count >= 10000 && periods <= count && count - periods < 1009);
}

int main(void)
{
	fragment_uapi();
	fragment_library();
	fragment_ring3();
	fragment_regions();
	fragment_info();
	fragment_config();
	fragment_start();
	fragment_reset();
	fragment_read();
	fragment_regs();
	fragment_owner();
	fragment_stats();
	fragment_grants();
	fragment_evict();
	page_loop();
	ring_loop();
	return failed;
}
