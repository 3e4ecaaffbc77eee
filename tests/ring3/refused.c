// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC is refused to knc_read(): it uses READ instead, and never returns a wrong count. Runs on
 * any CPU, with pages that the test makes. A program and a shared library (LIBRARY) each have a
 * copy of the header.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>

#include <knc/ring3.h>

struct state {
	struct knc_self self;
	const char *name;
};

extern void library_open(struct state *s, int page);
extern int library_read(struct state *s, unsigned long *count);

#ifdef LIBRARY
void library_open(struct state *s, int page)
{
	s->name = "library";
	printf("%s open %d\n", s->name, knc_self_open(&s->self, page));
}

int library_read(struct state *s, unsigned long *count)
{
	return knc_read(&s->self, count);
}
#else

/* A page like that of a counting session */
static int make_page(void)
{
	struct knc_pmu_page page;
	int fd = memfd_create("page", 0);

	memset(&page, 0, sizeof(page));
	page.seq = 2;
	page.nr_events = 2;
	page.width = KNC_COUNTER_WIDTH;
	page.counter[1] = 1;
	page.offset[0] = 0x8000000000;
	page.offset[1] = 0x8000000000;
	if (ftruncate(fd, KNC_PMU_PAGE_OFFSET + 4096) ||
	    pwrite(fd, &page, sizeof(page), KNC_PMU_PAGE_OFFSET) != sizeof(page))
		exit(1);
	return fd;
}

static void say(const char *name, int ret, const unsigned long *count)
{
	/* READ fails, because the file is no session */
	printf("%s %d %lu %lu\n", name, ret == -ENOTTY, count[0], count[1]);
	fflush(stdout);
}

static void *in_thread(void *page)
{
	unsigned long count[2] = { 7, 7 };
	struct knc_self self;
	int ret;

	knc_self_open(&self, *(int *)page);
	ret = knc_read1(&self, 1, &count[1]);
	say("thread", ret, count);
	return NULL;
}

static void on_fault(int sig)
{
	(void)sig;
	_exit(42);
}

int main(int argc, char **argv)
{
	unsigned long count[2] = { 7, 7 };
	struct state own = { .name = "program" }, library;
	int ret, i, page = make_page();
	pthread_t thread;

	signal(SIGSEGV, on_fault);
	if (argc > 1 && !strcmp(argv[1], "library-first"))
		library_open(&library, page);
	printf("%s open %d\n", own.name, knc_self_open(&own.self, page));
	if (argc > 1 && !strcmp(argv[1], "library-last"))
		library_open(&library, page);
	pthread_create(&thread, NULL, in_thread, &page);
	pthread_join(thread, NULL);
	/* in this thread the page's seq is still even */
	printf("even %d\n", !(own.self.page->seq & 1));
	for (i = 0; i < 2; i++) {
		ret = knc_read(&own.self, count);
		say(own.name, ret, count);
		if (argc > 1) {
			ret = library_read(&library, count);
			say(library.name, ret, count);
		}
	}
	knc_self_close(&own.self);
	ret = knc_read(&own.self, count);
	printf("closed %d, rdpmc %lu\n", ret == -EBADF, knc_rdpmc(0));
	fflush(stdout);
	/* a fault that RDPMC did not cause is the program's own */
	__asm__ __volatile__("movb $0, 0");
	return 0;
}
#endif
