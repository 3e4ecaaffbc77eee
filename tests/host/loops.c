// SPDX-License-Identifier: GPL-2.0
/*
 * The code in the comments of uapi/knc_pmu.h (loops.inc): knc_ring_read() on a ring that a thread
 * fills meanwhile, and knc_page_read() with RDPMC that faults, so that this program says what it
 * reads and changes the page in between. C and C++.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <knc_pmu.h>

#include "loops.inc"

#define RING		4096
#define RECORDS		200000U

static const char *compiler;
static int failed;

static void check(const char *name, int good)
{
	printf("%s loops.%s.%s%s\n", good ? "ok" : "not ok", compiler, name,
	       good ? "" : ": not as the comment says");
	failed |= !good;
}

static struct {
	struct knc_pmu_ring page;
	union {
		char bytes[RING];
		__u64 aligned;
	} data;
} ring;

/* Size of record @n, which has its number in each word */
static unsigned int size_of(__u32 n)
{
	return sizeof(struct knc_pmu_record) + 8 * (n * 7 % 13);
}

/* Write a record at @head, once there is room */
static void put(__u64 head, unsigned int type, unsigned int size, __u32 n)
{
	struct knc_pmu_record *record = (struct knc_pmu_record *)(ring.data.bytes + head % RING);
	__u64 *words = (__u64 *)(record + 1);
	unsigned int i;

	while (head + size - __atomic_load_n(&ring.page.tail, __ATOMIC_ACQUIRE) > RING)
		sched_yield();
	record->type = type;
	record->size = size;
	record->cpu = n;
	for (i = 0; i < (size - sizeof(*record)) / 8; i++)
		words[i] = n;
	__atomic_store_n(&ring.page.head, head + size, __ATOMIC_RELEASE);
}

static void *writer(void *arg)
{
	__u64 head = 0, left;
	__u32 n;

	for (n = 0; n < RECORDS; n++) {
		left = RING - head % RING;
		if (left < size_of(n)) {
			/* the padding has words of no record */
			put(head, KNC_PMU_RECORD_PAD, left, ~0U);
			head += left;
		}
		put(head, KNC_PMU_RECORD_SAMPLE, size_of(n), n);
		head += size_of(n);
	}
	return arg;
}

static __u32 seen, wrong;

static void use(const struct knc_pmu_record *record)
{
	const __u64 *words = (const __u64 *)(record + 1);
	unsigned int i;

	wrong += record->cpu != seen || record->size != size_of(seen);
	for (i = 0; i < (record->size - sizeof(*record)) / 8; i++)
		wrong += words[i] != seen;
	seen++;
}

static void test_ring(void)
{
	__u64 before;
	pthread_t thread;

	ring.page.data_offset = (char *)&ring.data - (char *)&ring;
	ring.page.data_size = RING;
	if (pthread_create(&thread, NULL, writer, NULL))
		exit(1);
	while (seen < RECORDS && !wrong) {
		before = ring.page.tail;
		knc_ring_read(&ring.page, use);
		if (ring.page.tail == before)
			sched_yield();
	}
	check("ring", seen == RECORDS && !wrong);
	if (wrong)
		exit(1);
	pthread_join(thread, NULL);
	check("ring-empty", ring.page.tail == ring.page.head);
}

static struct knc_pmu_page page, next;
static __u64 counters[3];
/* Atomic, because the compiler does not see that RDPMC calls on_fault() */
static int faults, change_at;

static int nr_faults(void)
{
	return __atomic_load_n(&faults, __ATOMIC_SEQ_CST);
}

/* Let the next RDPMC change the page; returns its number */
static int change(void)
{
	int at = nr_faults() + 1;

	__atomic_store_n(&change_at, at, __ATOMIC_SEQ_CST);
	return at;
}

static __u64 *counter(unsigned int n)
{
	return n == 0x40000000 ? &counters[2] : &counters[n & 1];
}

/* Emulate the RDPMC that faulted; at fault @change_at the page changes, as by a context switch */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *insn = (const unsigned char *)regs[REG_RIP];

	(void)sig;
	(void)info;
	if (insn[0] != 0x0f || insn[1] != 0x33)
		abort();
	if (__atomic_add_fetch(&faults, 1, __ATOMIC_SEQ_CST) == change_at)
		page = next;
	regs[REG_RAX] = *counter(regs[REG_RCX]) & 0xffffffff;
	regs[REG_RDX] = *counter(regs[REG_RCX]) >> 32;
	regs[REG_RIP] += 2;
}

static void test_page(void)
{
	__u64 count = 0;
	int at;

	memset(&page, 0, sizeof(page));
	page.seq = 2;
	page.nr_events = 2;
	page.width = 40;
	page.counter[1] = 1;
	page.offset[0] = 0x8000000005ULL;
	page.offset[1] = 3;
	counters[0] = 0x8000000002ULL;
	counters[1] = 0x7fffffffffULL;
	check("page-negative", !knc_page_read(&page, 0, &count) && count == 7);
	check("page-positive", !knc_page_read(&page, 1, &count) && count == 0x8000000002ULL);
	page.counter[1] = 32;
	page.width = 48;
	counters[2] = 0xfffffffffff0ULL;
	page.offset[1] = 0x20;
	check("page-fixed", !knc_page_read(&page, 1, &count) && count == 0x10);
	/* the event moves to another counter between the two reads of @seq */
	next = page;
	next.seq = 4;
	next.counter[1] = 1;
	next.offset[1] = 100;
	counters[1] = 23;
	at = change();
	check("page-changed", !knc_page_read(&page, 1, &count) && count == 123);
	check("page-again", nr_faults() == at + 1);
	next.seq = 5;
	at = change();
	check("page-odd", knc_page_read(&page, 1, &count) == -1 && nr_faults() == at);
	check("page-stopped", knc_page_read(&page, 1, &count) == -1 && nr_faults() == at);
}

int main(int argc, char **argv)
{
	struct sigaction action;

	compiler = argc > 1 ? argv[1] : "";
	setvbuf(stdout, NULL, _IONBF, 0);
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGSEGV, &action, NULL);
	test_ring();
	test_page();
	return failed;
}
