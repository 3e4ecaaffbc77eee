/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Counting from inside a program: RDPMC, RDTSC, SPFLT, DELAY, regions, and the counts
 * of a session of the thread itself
 *
 * A program needs only this header, and regs.h, arch_regs.h and knc_pmu.h, which it
 * includes; Documentation/ring3.rst explains it.
 *
 *	knc_ring3_init();			once, when the counters run
 *	KNC_REGION("solve") {			the counts of this block
 *		...
 *	}
 *
 *	knc_self_open(&self, fd);		a session that follows this thread
 *	knc_read(&self, count);			64 bits, without a system call
 *
 * C89 to C23 and C++98 to C++20, gcc 4.7 and newer, clang, icc, x86-64 only.
 * The assembly uses nothing that Knights Corner lacks. With KNC_NO_INSTRUMENT
 * defined the object code is that of a program without instrumentation. With KNC_ANY_PMU
 * defined knc_read() knows the counters of hosts too; regions are for cards only.
 *
 * Ordering: the core executes in order, and RDPMC, RDTSC and SPFLT don't pair.
 * Therefore each of them sees the events of all earlier instructions of its thread
 * and of no later one; no fence is needed, and the core has none. Cache events of
 * earlier loads and stores may be counted later. The compiler does not move memory
 * accesses across these instructions, but may move computations in registers.
 */
#ifndef KNC_RING3_H
#define KNC_RING3_H

/* Results of knc_ring3_init() and knc_ring3_status() */
#define KNC_RING3_OK		0	/* counters can be read */
#define KNC_RING3_NOT_KNC	1	/* another CPU: no region counts */
#define KNC_RING3_NO_RDPMC	2	/* RDPMC is not permitted: no region counts */
#define KNC_RING3_NO_INIT	3	/* knc_ring3_init() was not called */
#define KNC_RING3_OFF		4	/* built with KNC_NO_INSTRUMENT */

/* Formats of knc_regions_report(): knc_r3_format() reads, knc_r3_print*() write them */
#define KNC_REPORT_TABLE	0
#define KNC_REPORT_CSV		1
#define KNC_REPORT_JSON		2

/*
 * Differences of two readings of a counter are valid modulo 2^39, a bit less than its
 * width. When a counter overflows, the kernel loads it so that the next overflow is about
 * 2^39 events away; the 39 lower bits continue unchanged. A task that is switched to finds
 * the counter as it left it.
 */
#define KNC_RAW_WIDTH		39

/* The same for a host, some of which take no more bits when a counter is loaded */
#define KNC_RAW_WIDTH_HOST	31

#ifdef KNC_NO_INSTRUMENT

#ifdef __cplusplus
extern "C"
#endif
int knc_ring3_never(void);

/* Expand to no code, without a warning about an unused value in C and in C++ */
#if defined(__clang__) || defined(__cplusplus)
#define KNC_R3_NOT(value)	(1 ? (value) : knc_ring3_never())
#else
#define KNC_R3_NOT(value)	__extension__ ({ (value); })
#endif

/* A type for declarations; no function uses its members */
struct knc_self {
	int fd;
};

#define KNC_R3_UNUSED(a, b)						\
	KNC_R3_NOT(0 * (int)sizeof(*(a)) * (int)sizeof(b) - KNC_RING3_OFF)

#define knc_ring3_init()		KNC_R3_NOT(KNC_RING3_OFF)
#define knc_self_open(self, fd)		KNC_R3_UNUSED(self, fd)
#define knc_self_close(self)		((void)sizeof(*(self)))
#define knc_read(self, count)		KNC_R3_UNUSED(self, *(count))
#define knc_read1(self, event, count)	KNC_R3_UNUSED(self, *(count))
#define knc_read_times(self, enabled, running)				\
	KNC_R3_UNUSED(self, *(enabled) + *(running))
#define knc_ring3_status()		KNC_RING3_OFF
#define knc_ring3_available()		0
#define knc_rdpmc(n)			0UL
#define knc_rdpmc_fixed(n)		0UL
#define knc_rdtsc()			0UL
#define knc_diff39(later, earlier)	0UL
#define knc_diff31(later, earlier)	0UL
#define knc_spflt_on()			((void)0)
#define knc_spflt_off()			((void)0)
#define knc_delay(cycles)		((void)0)
#define knc_regions_label(n, name)	((void)0)
#define knc_regions_report(file, format) ((void)0)
#define KNC_REGION(name)
#define KNC_SCOPE(name)
#define KNC_BEGIN(name)
#define KNC_END(name)

#else

#if !defined(__x86_64__) || !defined(__LP64__)
#error "knc/ring3.h is for 64-bit x86; define KNC_NO_INSTRUMENT elsewhere"
#endif

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <knc_pmu.h>
#include "arch_regs.h"
#include "regs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One copy in a program or shared library, however many files include this */
#define KNC_R3_SHARED	__attribute__((__weak__, __visibility__("hidden")))
#define KNC_R3_OUT	KNC_R3_SHARED __attribute__((__noinline__))
/* not for functions that programs call: a cold function makes its caller cold */
#define KNC_R3_COLD	KNC_R3_OUT __attribute__((__cold__))
#define KNC_R3_INLINE	static __inline__ __attribute__((__always_inline__, __unused__))
#define KNC_R3_UNLIKELY(x)	__builtin_expect(!!(x), 0)

#define KNC_R3_STR(x)	#x
#define KNC_R3_XSTR(x)	KNC_R3_STR(x)

/* VEX.128.pp.0F.W0 AE /6 of EAX: the one form of SPFLT and DELAY used here */
#define KNC_R3_VEX(pp)							\
	".byte 0xc5, 0xf8 | " KNC_R3_XSTR(pp) ", "			\
	KNC_R3_XSTR(KNC_OPC_SPFLT_DELAY) ", 0xc0 | "			\
	KNC_R3_XSTR(KNC_OPC_SPFLT_DELAY_REG) " << 3"

/* RDPMC or RDTSC, with the two halves of the result */
#define KNC_R3_RDPMC(n, lo, hi)						\
	__asm__ __volatile__("rdpmc" : "=a" (lo), "=d" (hi)		\
			     : "c" (n) : "memory")
#define KNC_R3_RDTSC(lo, hi)						\
	__asm__ __volatile__("rdtsc" : "=a" (lo), "=d" (hi) : : "memory")

/* "+", not "|": the sum can go to another register without a move */
#define KNC_R3_JOIN(lo, hi)	(((unsigned long)(hi) << 32) + (lo))

/* Counter 0 or 1 of this hardware thread: 40 bits; a general counter of a host: 48 */
KNC_R3_INLINE unsigned long knc_rdpmc(unsigned int n)
{
	unsigned int lo, hi;

	KNC_R3_RDPMC(n, lo, hi);
	return KNC_R3_JOIN(lo, hi);
}

/* Fixed counter 0, 1 or 2 of a host: number 32, 33 or 34 */
KNC_R3_INLINE unsigned long knc_rdpmc_fixed(unsigned int n)
{
	return knc_rdpmc(ARCH_RDPMC_FIXED + n);
}

/* Cycles of this core's clock */
KNC_R3_INLINE unsigned long knc_rdtsc(void)
{
	unsigned int lo, hi;

	KNC_R3_RDTSC(lo, hi);
	return KNC_R3_JOIN(lo, hi);
}

/* The events between two readings of a counter, if fewer than 2^39: see KNC_RAW_WIDTH */
KNC_R3_INLINE unsigned long knc_diff39(unsigned long later,
				       unsigned long earlier)
{
	return (later - earlier) & ((1UL << KNC_RAW_WIDTH) - 1);
}

/* The same on a host, if fewer than 2^31 */
KNC_R3_INLINE unsigned long knc_diff31(unsigned long later,
				       unsigned long earlier)
{
	return (later - earlier) & ((1UL << KNC_RAW_WIDTH_HOST) - 1);
}

/* Set USER_PREF: from the next instruction on, counters gated by SPFLT count */
KNC_R3_INLINE void knc_spflt_on(void)
{
	__asm__ __volatile__(KNC_R3_VEX(KNC_VEX_PP_F2) : : "a" (1) : "memory");
}

KNC_R3_INLINE void knc_spflt_off(void)
{
	__asm__ __volatile__(KNC_R3_VEX(KNC_VEX_PP_F2) : : "a" (0) : "memory");
}

/* Let only the other threads of the core run for @cycles */
KNC_R3_INLINE void knc_delay(unsigned int cycles)
{
	__asm__ __volatile__(KNC_R3_VEX(KNC_VEX_PP_F3) : : "a" (cycles)
			     : "memory");
}

/*
 * A session that follows this thread, read without a system call: its page has the
 * counters of the events and the offsets to be added. The kernel changes the page only
 * while this thread does not run; therefore only the compiler must keep the order. If
 * the thread was interrupted during a reading (and may be on another hardware thread),
 * the reading is repeated.
 */
struct knc_self {
	const struct knc_pmu_page *page;
	const void *thread;		/* the thread that opened it */
	int fd;
};

/* Instead of a page; @seq is odd, so that READ is used */
extern struct knc_pmu_page knc_r3_no_page;
KNC_R3_SHARED struct knc_pmu_page knc_r3_no_page = {
	1, 0, 0, 0, 0, 0, { 0 }, { 0 }
};

/* A value that is unique for each thread: the x86-64 ABI has it at %fs:0 */
KNC_R3_INLINE const void *knc_r3_this_thread(void)
{
	const void *thread;

	__asm__("mov %%fs:0, %0" : "=r" (thread));
	return thread;
}

/* Read @seq once, before all other fields */
KNC_R3_INLINE unsigned int knc_r3_seq(const struct knc_pmu_page *page)
{
	unsigned int seq = *(const volatile unsigned int *)&page->seq;

	__asm__ __volatile__("" : : : "memory");
	return seq;
}

/*
 * The counter, sign-extended from 40 bits (bit 7 of EDX), plus the page's offset. In
 * assembly, because compilers use three more instructions.
 */
KNC_R3_INLINE unsigned long knc_r3_count(const struct knc_pmu_page *page,
					 unsigned int event)
{
	unsigned long count;

	__asm__ __volatile__("rdpmc\n\t"
			     "movsbq %%dl, %%rdx\n\t"
			     "shl $32, %%rdx\n\t"
			     "add %2, %%rax\n\t"
			     "lea (%%rax, %%rdx), %0"
			     : "=&r" (count)
			     : "c" (page->counter[event]),
			       "m" (page->offset[event])
			     : "rax", "rdx", "cc", "memory");
	return count;
}

/* The same for the counters of any PMU, fixed ones too */
KNC_R3_INLINE unsigned long knc_r3_count_any(const struct knc_pmu_page *page,
					     unsigned int event)
{
	unsigned int n = page->counter[event], unused = 64 - page->width;
	unsigned long count;

	if (n >= ARCH_FIXED)
		n += ARCH_RDPMC_FIXED - ARCH_FIXED;
	count = knc_rdpmc(n) << unused;
	return (unsigned long)((long)count >> unused) + page->offset[event];
}

/* How files with KNC_ANY_PMU read, and which width a page must have; 0: any */
#ifdef KNC_ANY_PMU
#define KNC_R3_COUNT	knc_r3_count_any
#define KNC_R3_WIDTH	0
#else
#define KNC_R3_COUNT	knc_r3_count
#define KNC_R3_WIDTH	KNC_COUNTER_WIDTH
#endif

/*
 * READ, for sessions without a page, in another thread, or with an odd @seq. An evicted session
 * does not count any more: a difference to its counts would be wrong without a word.
 */
int knc_r3_read(int fd, unsigned int flags, struct knc_pmu_thread *record);
KNC_R3_OUT int knc_r3_read(int fd, unsigned int flags,
			   struct knc_pmu_thread *record)
{
	struct knc_pmu_read read;

	memset(record, 0, sizeof(*record));
	memset(&read, 0, sizeof(read));
	read.flags = flags;
	read.buffer = (unsigned long)record;
	read.buffer_size = sizeof(*record);
	if (ioctl(fd, KNC_PMU_IOC_READ, &read) < 0)
		return -errno;
	return record->flags & KNC_PMU_THREAD_EVICTED ? -ECANCELED : 0;
}

/* Takes the fd, not struct knc_self: computing its address would cost in the fast path */
int knc_r3_read_counts(int fd, unsigned long *count);
KNC_R3_COLD int knc_r3_read_counts(int fd, unsigned long *count)
{
	struct knc_pmu_thread record;
	int ret = knc_r3_read(fd, KNC_PMU_READ_COUNTS, &record);

	if (ret)
		return ret;
	count[0] = record.value[0];
	count[1] = record.value[1];
	return 0;
}

int knc_r3_read_count(int fd, unsigned int event, unsigned long *count);
KNC_R3_COLD int knc_r3_read_count(int fd, unsigned int event,
				  unsigned long *count)
{
	struct knc_pmu_thread record;
	int ret = knc_r3_read(fd, KNC_PMU_READ_COUNTS, &record);

	if (ret)
		return ret;
	*count = record.value[event];
	return 0;
}

/*
 * Read both events of the session, 64 bits each. Returns 0, or the negative errno of
 * READ; -ECANCELED: the session was evicted. If it has one event, count[1] is undefined.
 */
KNC_R3_INLINE int knc_read(const struct knc_self *self, unsigned long *count)
{
	const struct knc_pmu_page *page = self->page;
	unsigned long first, second;
	unsigned int seq;

	if (KNC_R3_UNLIKELY(self->thread != knc_r3_this_thread()))
		return knc_r3_read_counts(self->fd, count);
	do {
		seq = knc_r3_seq(page);
		if (KNC_R3_UNLIKELY(seq & 1))
			return knc_r3_read_counts(self->fd, count);
		first = KNC_R3_COUNT(page, 0);
		second = KNC_R3_COUNT(page, 1);
	} while (KNC_R3_UNLIKELY(page->seq != seq));
	count[0] = first;
	count[1] = second;
	return 0;
}

/* Read one event, 0 or 1; of a host's session any */
KNC_R3_INLINE int knc_read1(const struct knc_self *self, unsigned int event,
			    unsigned long *count)
{
	const struct knc_pmu_page *page = self->page;
	unsigned long sum;
	unsigned int seq;

	if (KNC_R3_UNLIKELY(self->thread != knc_r3_this_thread()))
		return knc_r3_read_count(self->fd, event, count);
	do {
		seq = knc_r3_seq(page);
		if (KNC_R3_UNLIKELY(seq & 1))
			return knc_r3_read_count(self->fd, event, count);
		sum = KNC_R3_COUNT(page, event);
	} while (KNC_R3_UNLIKELY(page->seq != seq));
	*count = sum;
	return 0;
}

/* Convert ticks to ns, in two steps: ticks * 1000000 may have more than 64 bits */
KNC_R3_INLINE unsigned long knc_r3_ns(unsigned long ticks, unsigned long khz)
{
	return ticks / khz * 1000000 + ticks % khz * 1000000 / khz;
}

/*
 * Read for how long the session was started while the thread was on a hardware thread,
 * and for how long of that it counted, ns. Returns 0, or the negative errno of READ.
 */
int knc_read_times(const struct knc_self *self, unsigned long *enabled,
		   unsigned long *running);
KNC_R3_OUT int knc_read_times(const struct knc_self *self,
			      unsigned long *enabled, unsigned long *running)
{
	const struct knc_pmu_page *page = self->page;
	struct knc_pmu_thread record;
	unsigned long on, counted, now;
	unsigned int seq, khz;
	int ret;

	do {
		seq = knc_r3_seq(page);
		if (seq & 1 || self->thread != knc_r3_this_thread()) {
			ret = knc_r3_read(self->fd, 0, &record);
			if (ret)
				return ret;
			*enabled = record.time_enabled;
			*running = record.time_running;
			return 0;
		}
		now = knc_rdtsc();
		on = now + page->time_enabled;
		counted = now + page->time_running;
		khz = page->tsc_khz;
	} while (page->seq != seq);
	*enabled = knc_r3_ns(on, khz);
	*running = knc_r3_ns(counted, khz);
	return 0;
}

/* The page of a struct knc_self that is open, for the handler of SIGSEGV */
struct knc_r3_map {
	struct knc_r3_map *next;
	int used;
	const void *volatile thread;	/* the only one that reads @page */
	void *volatile page;		/* NULL: none */
};

extern struct knc_r3_map *knc_r3_maps;
KNC_R3_SHARED struct knc_r3_map *knc_r3_maps;

/* An unused entry, or a new one. Lock-free, as entries are never freed. */
struct knc_r3_map *knc_r3_map_get(void);
KNC_R3_OUT struct knc_r3_map *knc_r3_map_get(void)
{
	struct knc_r3_map *m;

	for (m = knc_r3_maps; m; m = m->next)
		if (!m->used && __sync_bool_compare_and_swap(&m->used, 0, 1))
			return m;
	m = (struct knc_r3_map *)calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->used = 1;
	do {
		m->next = knc_r3_maps;
	} while (!__sync_bool_compare_and_swap(&knc_r3_maps, m->next, m));
	return m;
}

void knc_r3_map_put(const void *page);
KNC_R3_OUT void knc_r3_map_put(const void *page)
{
	struct knc_r3_map *m;

	for (m = knc_r3_maps; m; m = m->next) {
		if (m->page != page)
			continue;
		m->page = NULL;
		__sync_lock_release(&m->used);
		return;
	}
}

/*
 * RDPMC was refused to this thread: its readings use READ from now on. A page of memory with an odd
 * @seq replaces each of its pages; knc_read() finds that @seq has changed, and repeats the reading.
 */
void knc_r3_drop_pages(void);
KNC_R3_COLD void knc_r3_drop_pages(void)
{
	const void *thread = knc_r3_this_thread();
	int error = errno;
	struct knc_r3_map *m;
	void *page;

	for (m = knc_r3_maps; m; m = m->next) {
		page = m->page;
		if (!page || m->thread != thread)
			continue;
		/* 0x20: MAP_ANONYMOUS, which strict C89 does not declare */
		page = mmap(page, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_FIXED | 0x20, -1, 0);
		if (page != MAP_FAILED)
			((struct knc_pmu_page *)page)->seq = 1;
	}
	errno = error;
}

void knc_r3_catch_segv(void);

/* @width: of the counters that the caller can read; 0: any */
int knc_r3_self_open(struct knc_self *self, int fd, unsigned int width);
KNC_R3_OUT int knc_r3_self_open(struct knc_self *self, int fd, unsigned int width)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd,
			  __extension__ KNC_PMU_PAGE_OFFSET);
	struct knc_r3_map *m;
	int err = errno;

	self->fd = fd;
	self->thread = knc_r3_this_thread();
	self->page = &knc_r3_no_page;
	if (page == MAP_FAILED)
		return -err;
	if (width && ((const struct knc_pmu_page *)page)->width != width) {
		munmap(page, size);
		return -ENODEV;
	}
	m = knc_r3_map_get();
	if (!m) {
		munmap(page, size);
		return -ENOMEM;
	}
	knc_r3_catch_segv();
	m->thread = self->thread;
	m->page = page;
	self->page = (const struct knc_pmu_page *)page;
	return 0;
}

/*
 * @fd: a configured session that follows the calling thread, and that must stay open.
 * Returns 0 if it has a page; otherwise a negative errno, and readings use READ. -ENODEV:
 * the counters are a host's; build with KNC_ANY_PMU. If RDPMC is refused later, readings
 * use READ too: a handler of SIGSEGV sees to that, as that of knc_ring3_init().
 */
KNC_R3_INLINE int knc_self_open(struct knc_self *self, int fd)
{
	return knc_r3_self_open(self, fd, KNC_R3_WIDTH);
}

/* Unmap the page, before @fd is closed; later readings return -EBADF */
void knc_self_close(struct knc_self *self);
KNC_R3_OUT void knc_self_close(struct knc_self *self)
{
	if (self->page != &knc_r3_no_page) {
		knc_r3_map_put(self->page);
		munmap((void *)self->page, sysconf(_SC_PAGESIZE));
	}
	self->page = &knc_r3_no_page;
	self->fd = -1;
}

/*
 * Regions: each thread has a tree of the regions it entered, with a node for each path
 * from the outermost region. Entering and leaving a region write to one node only. The
 * report computes exclusive counts, recursion, and the cost of the regions themselves.
 */
#ifndef KNC_REGION_PATHS
#define KNC_REGION_PATHS	1024	/* nodes of a thread */
#endif
#define KNC_R3_FLAT		128	/* regions whose visits are counted without a node */

enum { KNC_R3_COUNTER0, KNC_R3_COUNTER1, KNC_R3_TSC, KNC_R3_VALUES };

/* The cost of the regions of a source file, which depends on how it was compiled */
struct knc_r3_cost {
	unsigned long inside[KNC_R3_VALUES];	/* counted by an empty region */
	unsigned long all[KNC_R3_VALUES];	/* counted by a region around it */
	unsigned long enter[KNC_R3_VALUES];	/* additional cost of a slow enter */
	unsigned long extreme[KNC_R3_VALUES];	/* additional cost of a new extreme */
	int known;
};

struct knc_r3_site {
	const char *name;
	struct knc_r3_cost *cost;
	void (*calibrate)(void);
};

struct knc_r3_value {
	union {
		unsigned long joined;
		unsigned int half[2];
	} start;		/* at the enter */
	unsigned long total;
	unsigned long min;	/* ~0: none yet */
	unsigned long range;	/* max - min */
};

struct knc_r3_node {
	struct knc_r3_node *parent;	/* NULL: nothing to leave */
	unsigned long visits;
	struct knc_r3_value v[KNC_R3_VALUES];
	unsigned long slow[KNC_R3_VALUES];	/* cost of changes to the tree in it */
	const struct knc_r3_site *site;
	struct knc_r3_node *children, *sibling;
};

struct knc_r3_thread {
	struct knc_r3_thread *next;
	int owned;			/* by a thread that still runs */
	unsigned int nr_nodes;
	unsigned int nr_flat;
	unsigned long depth;		/* in @beyond */
	unsigned long lost;		/* visits not even in @flat */
	struct knc_r3_node *below;	/* where @beyond was entered */
	struct knc_r3_node beyond;	/* current without a node of its own */
	struct knc_r3_node nodes[KNC_REGION_PATHS + 1];	/* [0]: no region */
	struct knc_r3_node flat[KNC_R3_FLAT];	/* visits only */
};

/* The kernel's struct sigaction: strict C89 does not declare libc's */
struct knc_r3_sigaction {
	void (*handler)(int sig, int *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

struct knc_r3_state {
	struct knc_r3_thread *threads;
	int once;
	int status;			/* KNC_RING3_* */
	int has_key;
	pthread_key_t key;
	volatile unsigned long faults;
	int caught;			/* knc_r3_fault() handles SIGSEGV */
	struct knc_r3_sigaction old_segv, old_ill;
	const char *label[KNC_R3_VALUES];
};

/* The node of every thread before its first visit, and while nothing counts */
extern struct knc_r3_node knc_r3_off;
KNC_R3_SHARED struct knc_r3_node knc_r3_off = {
	NULL, 0, { { { 0 }, 0, 0, 0 }, { { 0 }, 0, 0, 0 }, { { 0 }, 0, 0, 0 } },
	{ 0, 0, 0 }, NULL, NULL, NULL
};

extern struct knc_r3_state knc_r3;
KNC_R3_SHARED struct knc_r3_state knc_r3 = {
	NULL, 0, KNC_RING3_NO_INIT, 0, 0, 0, 0, { NULL, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 }, { "counter0", "counter1", "tsc" }
};

extern __thread struct knc_r3_node *knc_r3_cur;
KNC_R3_SHARED __thread struct knc_r3_node *knc_r3_cur = &knc_r3_off;
extern __thread struct knc_r3_thread *knc_r3_self;
KNC_R3_SHARED __thread struct knc_r3_thread *knc_r3_self;

KNC_R3_INLINE int knc_ring3_status(void)
{
	return knc_r3.status;
}

KNC_R3_INLINE int knc_ring3_available(void)
{
	return knc_r3.status == KNC_RING3_OK;
}

/* Set the name of a counter in the report, such as its event; @name is not copied */
KNC_R3_INLINE void knc_regions_label(unsigned int n, const char *name)
{
	if (n < KNC_NR_COUNTERS)
		knc_r3.label[n] = name;
}

/* Take the block of an ended thread, or a new one. Lock-free, as blocks are never freed. */
struct knc_r3_thread *knc_r3_claim(void);
KNC_R3_OUT struct knc_r3_thread *knc_r3_claim(void)
{
	struct knc_r3_thread *t;
	int i;

	for (t = knc_r3.threads; t; t = t->next)
		if (!t->owned && __sync_bool_compare_and_swap(&t->owned, 0, 1))
			return t;
	t = (struct knc_r3_thread *)calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->owned = 1;
	t->nr_nodes = 1;
	/* a surplus KNC_END() remains at this node, and changes no extreme */
	t->nodes[0].parent = &t->nodes[0];
	for (i = 0; i < KNC_R3_VALUES; i++)
		t->nodes[0].v[i].range = ~0UL;
	do {
		t->next = knc_r3.threads;
	} while (!__sync_bool_compare_and_swap(&knc_r3.threads, t->next, t));
	return t;
}

/* A thread ends: its block keeps its counts, and another thread may continue with it */
void knc_r3_release(void *block);
KNC_R3_OUT void knc_r3_release(void *block)
{
	struct knc_r3_thread *t = (struct knc_r3_thread *)block;

	knc_r3_cur = &knc_r3_off;
	knc_r3_self = NULL;
	__sync_lock_release(&t->owned);
}

/* Programs without threads need not be linked with libpthread */
#pragma weak pthread_key_create
#pragma weak pthread_setspecific

int knc_r3_register(void);
KNC_R3_OUT int knc_r3_register(void)
{
	struct knc_r3_thread *t = knc_r3_claim();

	if (!t)
		return 0;
	t->depth = 0;
	knc_r3_self = t;
	knc_r3_cur = &t->nodes[0];
	if (knc_r3.has_key)
		pthread_setspecific(knc_r3.key, t);
	return 1;
}

struct knc_r3_node *knc_r3_find(struct knc_r3_node *first,
				const struct knc_r3_site *site);
KNC_R3_OUT struct knc_r3_node *knc_r3_find(struct knc_r3_node *first,
					   const struct knc_r3_site *site)
{
	while (first && first->site != site)
		first = first->sibling;
	return first;
}

/* No node is left: count the visit; its events belong to the nearest node */
void knc_r3_enter_beyond(const struct knc_r3_site *site);
KNC_R3_OUT void knc_r3_enter_beyond(const struct knc_r3_site *site)
{
	struct knc_r3_thread *t = knc_r3_self;
	unsigned int i;

	if (!t->depth++) {
		t->below = knc_r3_cur;
		knc_r3_cur = &t->beyond;
	}
	for (i = 0; i < t->nr_flat && t->flat[i].site != site; i++)
		;
	if (i == KNC_R3_FLAT) {
		t->lost++;
		return;
	}
	if (i == t->nr_flat) {
		t->flat[i].site = site;
		t->nr_flat++;
	}
	t->flat[i].visits++;
}

void knc_r3_leave_beyond(void);
KNC_R3_COLD void knc_r3_leave_beyond(void)
{
	struct knc_r3_thread *t = knc_r3_self;

	if (t && knc_r3_cur == &t->beyond && !--t->depth)
		knc_r3_cur = t->below;
}

struct knc_r3_node *knc_r3_add(struct knc_r3_node *parent,
			       const struct knc_r3_site *site);
KNC_R3_OUT struct knc_r3_node *knc_r3_add(struct knc_r3_node *parent,
					  const struct knc_r3_site *site)
{
	struct knc_r3_thread *t = knc_r3_self;
	struct knc_r3_node *n;
	int i;

	if (t->nr_nodes > KNC_REGION_PATHS)
		return NULL;
	n = &t->nodes[t->nr_nodes];
	n->parent = parent;
	n->site = site;
	n->sibling = parent->children;
	for (i = 0; i < KNC_R3_VALUES; i++)
		n->v[i].min = ~0UL;
	/* from here on the report of another thread may read it; stores are in order */
	__asm__ __volatile__("" : : : "memory");
	parent->children = n;
	t->nr_nodes++;
	return n;
}

void knc_r3_before(unsigned long *before);
KNC_R3_OUT void knc_r3_before(unsigned long *before)
{
	before[0] = knc_rdpmc(0);
	before[1] = knc_rdpmc(1);
	before[2] = knc_rdtsc();
}

/* Exclude the events since @before, and @more, from the current region */
void knc_r3_exclude(const unsigned long *before, const unsigned long *more);
KNC_R3_OUT void knc_r3_exclude(const unsigned long *before,
			       const unsigned long *more)
{
	unsigned long *slow = knc_r3_cur->slow;

	slow[0] += knc_diff39(knc_rdpmc(0), before[0]) + more[0];
	slow[1] += knc_diff39(knc_rdpmc(1), before[1]) + more[1];
	slow[2] += knc_rdtsc() - before[2] + more[2];
}

/*
 * Find or make the node of @site below the thread's current node, which the site then
 * remembers; NULL if nothing can be counted.
 */
struct knc_r3_node *knc_r3_enter_slow(const struct knc_r3_site *site,
				      struct knc_r3_node **memory);
KNC_R3_COLD struct knc_r3_node *
knc_r3_enter_slow(const struct knc_r3_site *site, struct knc_r3_node **memory)
{
	unsigned long before[KNC_R3_VALUES];
	struct knc_r3_node *n;

	if (knc_r3.status != KNC_RING3_OK)
		return NULL;
	knc_r3_before(before);
	if (!knc_r3_self && !knc_r3_register())
		return NULL;
	/* a fault ended counting in an outer region; now RDPMC is permitted again */
	if (knc_r3_cur == &knc_r3_off)
		knc_r3_cur = &knc_r3_self->nodes[0];
	if (knc_r3_cur == &knc_r3_self->beyond) {
		knc_r3_enter_beyond(site);
		return NULL;
	}
	n = knc_r3_find(knc_r3_cur->children, site);
	if (!n) {
		n = knc_r3_add(knc_r3_cur, site);
		if (!n) {
			knc_r3_enter_beyond(site);
			return NULL;
		}
		if (!site->cost->known)
			site->calibrate();
	}
	*memory = n;
	knc_r3_exclude(before, site->cost->enter);
	return n;
}

/*
 * Handle a new minimum or maximum, given as its @distance from the minimum; or a value
 * that is wrong by 2^39, because the kernel has loaded the counter meanwhile.
 */
void knc_r3_extreme(struct knc_r3_value *v, unsigned long distance,
		    int is_counter);
KNC_R3_OUT void knc_r3_extreme(struct knc_r3_value *v, unsigned long distance,
			       int is_counter)
{
	unsigned long d = distance + v->min;

	/* the minimum itself, or a value that this file does not measure */
	if (!distance)
		return;
	if (is_counter) {
		v->total -= d;
		d = knc_diff39(d, 0);
		v->total += d;
	}
	if (v->min == ~0UL) {
		v->min = d;
	} else if (d < v->min) {
		v->range += v->min - d;
		v->min = d;
	} else if (d - v->min > v->range) {
		v->range = d - v->min;
	}
}

void knc_r3_extremes(struct knc_r3_node *n, unsigned long d0, unsigned long d1,
		     unsigned long d2);
KNC_R3_COLD void knc_r3_extremes(struct knc_r3_node *n, unsigned long d0,
				 unsigned long d1, unsigned long d2)
{
	unsigned long before[KNC_R3_VALUES];

	/* the permission ended meanwhile: ignore this visit */
	if (knc_r3.status != KNC_RING3_OK) {
		n->visits--;
		n->v[0].total -= d0 + n->v[0].min;
		n->v[1].total -= d1 + n->v[1].min;
		if (d2)
			n->v[KNC_R3_TSC].total -= d2 + n->v[KNC_R3_TSC].min;
		return;
	}
	knc_r3_before(before);
	knc_r3_extreme(&n->v[0], d0, 1);
	knc_r3_extreme(&n->v[1], d1, 1);
	knc_r3_extreme(&n->v[KNC_R3_TSC], d2, 0);
	knc_r3_exclude(before, n->site->cost->extreme);
}

/*
 * The fast paths. The instructions from the RDPMC of an enter to that of its leave are in
 * assembly: they must be the same for every region of a file, so that their cost can be
 * subtracted.
 */
#ifdef KNC_REGION_TSC
#define KNC_R3_ENTER_TSC						\
	"rdtsc\n\t"							\
	"mov %%eax, %4\n\t"						\
	"mov %%edx, %5\n\t"
#define KNC_R3_LEAVE_TSC						\
	"lea (%%rax, %%rdx), %1\n\t"					\
	"rdtsc\n\t"							\
	"shl $32, %%rdx\n\t"						\
	"add %%rdx, %%rax\n\t"
#define KNC_R3_LEAVE_OUT(d0, d1, d2)					\
	"=&r" (d0), "=&r" (d1), "=&a" (d2)
#else
#define KNC_R3_ENTER_TSC
#define KNC_R3_LEAVE_TSC						\
	"add %%rdx, %1\n\t"
#define KNC_R3_LEAVE_OUT(d0, d1, d2)					\
	"=&r" (d0), "=&a" (d1)
#endif

#define KNC_R3_HALVES(value)						\
	"=m" ((value).start.half[0]), "=m" ((value).start.half[1])

/*
 * A region remembers the node that it used last, in each thread. That is the right one if
 * its parent is the thread's current node.
 */
KNC_R3_INLINE void knc_r3_enter(const struct knc_r3_site *site,
				struct knc_r3_node **memory)
{
	struct knc_r3_node *n = *memory;

	if (KNC_R3_UNLIKELY(n->parent != knc_r3_cur)) {
		n = knc_r3_enter_slow(site, memory);
		if (!n)
			return;
	}
	knc_r3_cur = n;
	__asm__ __volatile__(KNC_R3_ENTER_TSC
			     "xor %%ecx, %%ecx\n\t"
			     "rdpmc\n\t"
			     "mov %%eax, %0\n\t"
			     "mov %%edx, %1\n\t"
			     "mov $1, %%ecx\n\t"
			     "rdpmc\n\t"
			     "mov %%eax, %2\n\t"
			     "mov %%edx, %3\n\t"
			     : KNC_R3_HALVES(n->v[0]), KNC_R3_HALVES(n->v[1]),
			       KNC_R3_HALVES(n->v[KNC_R3_TSC])
			     : : "rax", "rcx", "rdx", "cc", "memory");
}

/* Add to the total; return the distance from the minimum */
KNC_R3_INLINE unsigned long knc_r3_gain(struct knc_r3_value *v,
					unsigned long now)
{
	now -= v->start.joined;
	v->total += now;
	return now - v->min;
}

KNC_R3_INLINE void knc_r3_leave(void)
{
	struct knc_r3_node *n = knc_r3_cur, *parent = n->parent;
	unsigned long d0, d1, d2 = 0;

	if (KNC_R3_UNLIKELY(!parent)) {
		knc_r3_leave_beyond();
		return;
	}
	__asm__ __volatile__("xor %%ecx, %%ecx\n\t"
			     "rdpmc\n\t"
			     "shl $32, %%rdx\n\t"
			     "lea (%%rax, %%rdx), %0\n\t"
			     "mov $1, %%ecx\n\t"
			     "rdpmc\n\t"
			     "shl $32, %%rdx\n\t"
			     KNC_R3_LEAVE_TSC
			     : KNC_R3_LEAVE_OUT(d0, d1, d2)
			     : : "rcx", "rdx", "cc", "memory");
	knc_r3_cur = parent;
	n->visits++;
	d0 = knc_r3_gain(&n->v[0], d0);
	d1 = knc_r3_gain(&n->v[1], d1);
#ifdef KNC_REGION_TSC
	d2 = knc_r3_gain(&n->v[KNC_R3_TSC], d2);
#else
	d2 = 0;
#endif
	if (KNC_R3_UNLIKELY(d0 > n->v[0].range) ||
	    KNC_R3_UNLIKELY(d1 > n->v[1].range) ||
	    KNC_R3_UNLIKELY(d2 > n->v[KNC_R3_TSC].range))
		knc_r3_extremes(n, d0, d1, d2);
}

/*
 * The cost of empty regions of this file. Two, one in the other, outside of the threads'
 * trees, are entered many times, and the least counts are taken: in the fast paths, with a
 * slow enter, with an extreme. If both counters read 0 they are stopped: measure again
 * later.
 */
static struct knc_r3_cost knc_r3_cost __attribute__((__unused__));

enum { KNC_R3_USUAL, KNC_R3_SLOW, KNC_R3_EXTREME, KNC_R3_KINDS };

KNC_R3_INLINE void knc_r3_least(unsigned long *least, unsigned long value)
{
	if (value < *least)
		*least = value;
}

static struct knc_r3_cost knc_r3_nothing __attribute__((__unused__));
static const struct knc_r3_site knc_r3_nowhere __attribute__((__unused__)) = {
	"", &knc_r3_nothing, NULL
};

/* Not inlined: the compiler must allocate registers as in a program */
static __attribute__((__unused__, __noinline__)) void
knc_r3_nested(struct knc_r3_node *o, struct knc_r3_node *n)
{
	static __thread struct knc_r3_node *outer, *inner;

	outer = o;
	inner = n;
	__asm__ __volatile__("" : : : "memory");
	knc_r3_enter(&knc_r3_nowhere, &outer);
	knc_r3_enter(&knc_r3_nowhere, &inner);
	knc_r3_leave();
	knc_r3_leave();
}

static __attribute__((__unused__, __noinline__)) void knc_r3_calibrate(void)
{
	struct knc_r3_node top, o, n, *was = knc_r3_cur;
	unsigned long inside[KNC_R3_VALUES];
	unsigned long all[KNC_R3_KINDS][KNC_R3_VALUES];
	int i, run, kind;

	memset(inside, 0xff, sizeof(inside));
	memset(all, 0xff, sizeof(all));
	memset(&top, 0, sizeof(top));
	top.parent = &top;
	for (run = 0; run < 32 * KNC_R3_KINDS; run++) {
		kind = run % KNC_R3_KINDS;
		memset(&o, 0, sizeof(o));
		memset(&n, 0, sizeof(n));
		o.parent = &top;
		o.children = &n;
		n.parent = &o;
		o.site = &knc_r3_nowhere;
		n.site = &knc_r3_nowhere;
		for (i = 0; i < KNC_R3_VALUES; i++) {
			o.v[i].range = ~0UL;
			n.v[i].range = kind == KNC_R3_EXTREME ? 0 : ~0UL;
		}
		knc_r3_cur = &top;
		knc_r3_nested(&o, kind == KNC_R3_SLOW ? &knc_r3_off : &n);
		for (i = 0; i < KNC_R3_VALUES; i++) {
			knc_r3_least(&inside[i], n.v[i].total);
			knc_r3_least(&all[kind][i],
				     o.v[i].total - o.slow[i]);
		}
	}
	knc_r3_cur = was;
	for (i = 0; i < KNC_R3_VALUES; i++) {
		knc_r3_cost.inside[i] = inside[i];
		knc_r3_cost.all[i] = all[0][i] - inside[i];
		knc_r3_cost.enter[i] = all[KNC_R3_SLOW][i] - all[0][i];
		knc_r3_cost.extreme[i] = all[KNC_R3_EXTREME][i] - all[0][i];
	}
	knc_r3_cost.known = inside[0] || inside[1];
}

#define KNC_R3_HERE(name)						\
	static const struct knc_r3_site knc_r3_site = {			\
		name, &knc_r3_cost, knc_r3_calibrate			\
	};								\
	static __thread struct knc_r3_node *knc_r3_memory = &knc_r3_off

#define KNC_R3_ENTER(name)						\
	__extension__ ({						\
		KNC_R3_HERE(name);					\
		knc_r3_enter(&knc_r3_site, &knc_r3_memory);		\
		1;							\
	})

/* Begin a region, up to KNC_END(); every way out must pass KNC_END() */
#define KNC_BEGIN(name)							\
	do {								\
		KNC_R3_HERE(name);					\
		knc_r3_enter(&knc_r3_site, &knc_r3_memory);		\
	} while (0)
#define KNC_END(name)	do { (void)sizeof(name); knc_r3_leave(); } while (0)

#define KNC_R3_PASTE(a, b)	a ## b
#define KNC_R3_XPASTE(a, b)	KNC_R3_PASTE(a, b)

KNC_R3_INLINE void knc_r3_cleanup(int *once)
{
	(void)once;
	knc_r3_leave();
}

#if defined(__cplusplus)
/* The next statement or block; break, return and exceptions leave it too */
#define KNC_REGION(name)						\
	for (struct knc_r3_scope knc_r3_scope(KNC_R3_ENTER(name));	\
	     knc_r3_scope.once; knc_r3_scope.once = 0)
/* A region from here to the end of the block */
#define KNC_SCOPE(name)							\
	struct knc_r3_scope KNC_R3_XPASTE(knc_r3_scope_, __LINE__)	\
		(KNC_R3_ENTER(name))
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define KNC_REGION(name)						\
	for (int knc_r3_once __attribute__((__cleanup__(knc_r3_cleanup))) = \
	     KNC_R3_ENTER(name); knc_r3_once; knc_r3_once = 0)
#define KNC_SCOPE(name)							\
	int KNC_R3_XPASTE(knc_r3_scope_, __LINE__)			\
	__attribute__((__cleanup__(knc_r3_cleanup), __unused__)) =	\
	KNC_R3_ENTER(name)
#else
/*
 * C89 has no declaration in for: enter, and go to the statement, after which the loop
 * reaches the leave. Only the end of the block or continue may leave it.
 */
#define KNC_REGION(name)						\
	KNC_R3_REGION(name, KNC_R3_XPASTE(knc_r3_body_, __COUNTER__))
#define KNC_R3_REGION(name, body)					\
	if (KNC_R3_ENTER(name))						\
		goto body;						\
	else								\
		while (1)						\
			if (1) {					\
				knc_r3_leave();				\
				break;					\
			} else						\
				body:
#define KNC_SCOPE(name)							\
	int KNC_R3_XPASTE(knc_r3_scope_, __LINE__)			\
	__attribute__((__cleanup__(knc_r3_cleanup), __unused__)) =	\
	KNC_R3_ENTER(name)
#endif

/* The report */
struct knc_r3_row {
	const char *name;
	unsigned long visits;
	int measured;			/* not only counted */
	struct {
		unsigned long visits;	/* in which this was measured */
		unsigned long inclusive, exclusive, sum, min, max;
	} v[KNC_R3_VALUES];
};

KNC_R3_INLINE unsigned long knc_r3_less(unsigned long a, unsigned long b)
{
	return a > b ? a - b : 0;
}

struct knc_r3_row *knc_r3_row(struct knc_r3_row **rows, size_t *nr,
			      const char *name);
KNC_R3_OUT struct knc_r3_row *knc_r3_row(struct knc_r3_row **rows, size_t *nr,
					 const char *name)
{
	struct knc_r3_row *r;
	size_t i;

	for (i = 0; i < *nr; i++)
		if (!strcmp((*rows)[i].name, name))
			return &(*rows)[i];
	r = (struct knc_r3_row *)realloc(*rows, (*nr + 1) * sizeof(*r));
	if (!r)
		return NULL;
	*rows = r;
	r += (*nr)++;
	memset(r, 0, sizeof(*r));
	r->name = name;
	for (i = 0; i < KNC_R3_VALUES; i++)
		r->v[i].min = ~0UL;
	return r;
}

int knc_r3_is_outermost(const struct knc_r3_node *n);
KNC_R3_OUT int knc_r3_is_outermost(const struct knc_r3_node *n)
{
	const struct knc_r3_node *up = n->parent;

	for (; up->site; up = up->parent)
		if (!strcmp(up->site->name, n->site->name))
			return 0;
	return 1;
}

/* Add a node to its row; @counts: of this node, @nested: of its children */
void knc_r3_sum_node(struct knc_r3_row *r, const struct knc_r3_node *n,
		     const unsigned long *counts, const unsigned long *nested);
KNC_R3_OUT void knc_r3_sum_node(struct knc_r3_row *r,
				const struct knc_r3_node *n,
				const unsigned long *counts,
				const unsigned long *nested)
{
	const struct knc_r3_cost *cost = n->site->cost;
	int i, outermost = knc_r3_is_outermost(n);
	unsigned long least, most;

	r->visits += n->visits;
	if (!n->visits)
		return;
	r->measured = 1;
	for (i = 0; i < KNC_R3_VALUES; i++) {
		if (n->v[i].min == ~0UL)
			continue;
		least = knc_r3_less(n->v[i].min, cost->inside[i]);
		most = knc_r3_less(n->v[i].min + n->v[i].range,
				   cost->inside[i]);
		if (n->visits == 1) {
			least = counts[i];
			most = counts[i];
		}
		r->v[i].visits += n->visits;
		r->v[i].sum += counts[i];
		r->v[i].exclusive += knc_r3_less(counts[i], nested[i]);
		if (outermost)
			r->v[i].inclusive += counts[i];
		if (least < r->v[i].min)
			r->v[i].min = least;
		if (most > r->v[i].max)
			r->v[i].max = most;
	}
}

/* Sums of subtrees, from which the cost of the regions is subtracted, from the leaves up */
struct knc_r3_sums {
	unsigned long counts[KNC_R3_VALUES];	/* of a node, corrected */
	unsigned long nested[KNC_R3_VALUES];	/* of its children */
	unsigned long cost[KNC_R3_VALUES];	/* of all regions in it */
};

int knc_r3_sum_thread(const struct knc_r3_thread *t, struct knc_r3_row **rows,
		      size_t *nr);
KNC_R3_OUT int knc_r3_sum_thread(const struct knc_r3_thread *t,
				 struct knc_r3_row **rows, size_t *nr)
{
	unsigned int k, nodes = t->nr_nodes;
	const struct knc_r3_node *n;
	struct knc_r3_sums *sums, *s, *up;
	struct knc_r3_row *r;
	int i;

	sums = (struct knc_r3_sums *)calloc(nodes, sizeof(*sums));
	if (!sums)
		return 0;
	for (k = nodes - 1; k; k--) {
		n = &t->nodes[k];
		s = &sums[k];
		up = &sums[n->parent - t->nodes];
		for (i = 0; i < KNC_R3_VALUES; i++) {
			s->cost[i] += n->slow[i];
			s->counts[i] = knc_r3_less(n->v[i].total, s->cost[i] +
				n->visits * n->site->cost->inside[i]);
			up->nested[i] += s->counts[i];
			up->cost[i] += s->cost[i] +
				n->visits * n->site->cost->all[i];
		}
		/* not left yet: it has no counts */
		if (!n->visits)
			continue;
		r = knc_r3_row(rows, nr, n->site->name);
		if (r)
			knc_r3_sum_node(r, n, s->counts, s->nested);
	}
	free(sums);
	for (k = 0; k < t->nr_flat; k++) {
		r = knc_r3_row(rows, nr, t->flat[k].site->name);
		if (r)
			r->visits += t->flat[k].visits;
	}
	return 1;
}

/* Print a name with @quote for each quotation mark */
void knc_r3_print_name(FILE *file, const char *name, const char *quote);
KNC_R3_OUT void knc_r3_print_name(FILE *file, const char *name,
				  const char *quote)
{
	fputc('"', file);
	for (; *name; name++) {
		if (*name == '"')
			fputs(quote, file);
		else if (*quote == '\\' && *name == '\\')
			fputs("\\\\", file);
		else if (*quote == '\\' && (unsigned char)*name < ' ')
			fprintf(file, "\\u%04x", (unsigned int)*name);
		else
			fputc(*name, file);
	}
	fputc('"', file);
}

void knc_r3_print_json(FILE *file, const struct knc_r3_row *r, int i,
		       const char *mean);
KNC_R3_OUT void knc_r3_print_json(FILE *file, const struct knc_r3_row *r,
				  int i, const char *mean)
{
	fputs(", ", file);
	knc_r3_print_name(file, knc_r3.label[i], "\\\"");
	fprintf(file, ": {\"inclusive\": %lu, \"exclusive\": %lu, ",
		r->v[i].inclusive, r->v[i].exclusive);
	fprintf(file, "\"mean\": %s, \"min\": %lu, \"max\": %lu}",
		mean, r->v[i].min, r->v[i].max);
}

void knc_r3_print_value(FILE *file, int format, const struct knc_r3_row *r,
			int i);
KNC_R3_OUT void knc_r3_print_value(FILE *file, int format,
				   const struct knc_r3_row *r, int i)
{
	char mean[32];

	/* a locale may have a comma for %f */
	sprintf(mean, "%lu.%lu", r->v[i].sum / r->v[i].visits,
		r->v[i].sum % r->v[i].visits * 10 / r->v[i].visits);
	if (format == KNC_REPORT_JSON) {
		knc_r3_print_json(file, r, i, mean);
	} else if (format == KNC_REPORT_CSV) {
		knc_r3_print_name(file, r->name, "\"\"");
		fprintf(file, ",%lu,", r->visits);
		knc_r3_print_name(file, knc_r3.label[i], "\"\"");
		fprintf(file, ",%lu,%lu,%s,%lu,%lu\n", r->v[i].inclusive,
			r->v[i].exclusive, mean, r->v[i].min, r->v[i].max);
	} else {
		fprintf(file, "%-20s %10lu  %-22s %15lu %15lu ", r->name,
			r->visits, knc_r3.label[i], r->v[i].inclusive,
			r->v[i].exclusive);
		fprintf(file, "%15s %13lu %13lu\n", mean, r->v[i].min,
			r->v[i].max);
	}
}

void knc_r3_print_row(FILE *file, int format, const struct knc_r3_row *r);
KNC_R3_OUT void knc_r3_print_row(FILE *file, int format,
				 const struct knc_r3_row *r)
{
	int i;

	if (format == KNC_REPORT_JSON) {
		fputs("{\"name\": ", file);
		knc_r3_print_name(file, r->name, "\\\"");
		fprintf(file, ", \"visits\": %lu", r->visits);
	} else if (!r->measured && format == KNC_REPORT_CSV) {
		knc_r3_print_name(file, r->name, "\"\"");
		fprintf(file, ",%lu,,,,,,\n", r->visits);
	} else if (!r->measured) {
		fprintf(file, "%-20s %10lu\n", r->name, r->visits);
	}
	for (i = 0; r->measured && i < KNC_R3_VALUES; i++)
		if (r->v[i].min != ~0UL)
			knc_r3_print_value(file, format, r, i);
	if (format == KNC_REPORT_JSON)
		fputc('}', file);
}

/* @beyond: visits without a node, only counted; @lost: visits that were not even counted */
void knc_r3_print(FILE *file, int format, const struct knc_r3_row *rows,
		  size_t nr, unsigned long beyond, unsigned long lost);
KNC_R3_OUT void knc_r3_print(FILE *file, int format,
			     const struct knc_r3_row *rows, size_t nr,
			     unsigned long beyond, unsigned long lost)
{
	size_t i;

	if (format == KNC_REPORT_JSON)
		fputs("{\"regions\": [", file);
	else if (format == KNC_REPORT_CSV)
		fputs("region,visits,event,inclusive,exclusive,mean,min,max\n",
		      file);
	else
		fprintf(file, "%-20s %10s  %-22s %15s %15s %15s %13s %13s\n",
			"region", "visits", "event", "inclusive",
			"exclusive", "mean", "min", "max");
	for (i = 0; i < nr; i++) {
		if (format == KNC_REPORT_JSON && i)
			fputs(",\n ", file);
		knc_r3_print_row(file, format, &rows[i]);
	}
	if (format == KNC_REPORT_JSON)
		fprintf(file, "],\n \"not_measured\": %lu, \"lost\": %lu}\n",
			beyond, lost);
	else if (format == KNC_REPORT_TABLE && beyond + lost)
		fprintf(file, "%lu visits were counted but not measured, %lu not even counted: a thread has more than %d paths of regions; build with a larger KNC_REGION_PATHS\n",
			beyond, lost, KNC_REGION_PATHS);
}

/* The event of a counter without a label, if 'knc-pmuctl grant' tells it */
void knc_r3_granted(int n, const char *variable, const char *label);
KNC_R3_OUT void knc_r3_granted(int n, const char *variable, const char *label)
{
	const char *event = getenv(variable);

	if (event && *event && !strcmp(knc_r3.label[n], label))
		knc_r3.label[n] = event;
}

/*
 * Print the counts of all threads so far, including ended ones. Visits that have not
 * ended are left out.
 */
void knc_regions_report(FILE *file, int format);
KNC_R3_OUT void knc_regions_report(FILE *file, int format)
{
	unsigned long beyond = 0, lost = 0;
	const struct knc_r3_thread *t;
	struct knc_r3_row *rows = NULL;
	unsigned int i;
	size_t nr = 0;

	knc_r3_granted(0, "KNC_COUNTER0", "counter0");
	knc_r3_granted(1, "KNC_COUNTER1", "counter1");
	for (t = knc_r3.threads; t; t = t->next) {
		lost += t->lost;
		for (i = 0; i < t->nr_flat; i++)
			beyond += t->flat[i].visits;
		if (!knc_r3_sum_thread(t, &rows, &nr))
			fputs("knc: a thread is missing in the report: no memory\n",
			      stderr);
	}
	knc_r3_print(file, format, rows, nr, beyond, lost);
	free(rows);
}

/* The rank of an MPI process, as the libraries and Slurm tell it; without one the process id */
void knc_r3_rank(char *text);
KNC_R3_OUT void knc_r3_rank(char *text)
{
	static const char * const names[] = {
		"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
		"SLURM_PROCID", NULL
	};
	const char *rank = NULL;
	size_t i;

	for (i = 0; !rank && names[i]; i++)
		rank = getenv(names[i]);
	/* a number, or it is not used in the name of a file */
	if (rank && *rank && strlen(rank) < 16 &&
	    strspn(rank, "0123456789") == strlen(rank))
		strcpy(text, rank);
	else
		sprintf(text, "%ld", (long)getpid());
}

/* Open the file for the report: %p in its name is the process id, %r the rank, %% a % */
FILE *knc_r3_open(const char *name);
KNC_R3_OUT FILE *knc_r3_open(const char *name)
{
	char path[4096];
	size_t n = 0;

	for (; *name && n < sizeof(path) - 32; name++) {
		path[n] = *name;
		path[n + 1] = '\0';
		if (*name == '%' && name[1] == 'p')
			sprintf(path + n, "%ld", (long)getpid());
		else if (*name == '%' && name[1] == 'r')
			knc_r3_rank(path + n);
		name += *name == '%' && (name[1] == 'p' || name[1] == 'r' || name[1] == '%');
		n += strlen(path + n);
	}
	path[n] = '\0';
	if (*name)
		errno = ENAMETOOLONG;
	return *name ? NULL : fopen(path, "w");
}

/* The format that $KNC_REGIONS begins with; -1: none */
int knc_r3_format(const char *wanted);
KNC_R3_OUT int knc_r3_format(const char *wanted)
{
	static const char * const names[] = { "table", "csv", "json", "none" };
	size_t length = strcspn(wanted, ":"), i;

	for (i = 0; i < 4; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], wanted, length))
			return i == 3 ? -1 : (int)i;
	fprintf(stderr, "knc: $KNC_REGIONS is '%s', which is no format: use table, csv, json or none; here is a table\n",
		wanted);
	return KNC_REPORT_TABLE;
}

/* $KNC_REGIONS is none, table, csv or json, perhaps followed by a colon and a file */
void knc_r3_at_exit(void);
KNC_R3_OUT void knc_r3_at_exit(void)
{
	const char *wanted = getenv("KNC_REGIONS"), *name;
	FILE *file = stderr;
	int format;

	if (!knc_r3.threads)
		return;
	if (!wanted || !*wanted)
		wanted = "table";
	format = knc_r3_format(wanted);
	if (format < 0)
		return;
	name = strchr(wanted, ':');
	if (name && name[1])
		file = knc_r3_open(name + 1);
	if (!file) {
		fprintf(stderr, "knc: the report of regions can't be written to %s: %s; name another file in $KNC_REGIONS\n",
			name + 1, strerror(errno));
		return;
	}
	knc_regions_report(file, format);
	if (file != stderr)
		fclose(file);
}

/*
 * If RDPMC, SPFLT or DELAY fault, on another CPU or without permission, they are skipped,
 * and RDPMC reads 0. In Linux's ucontext of x86-64, 23 registers follow 40 bytes.
 */
#define KNC_R3_SIGILL		4
#define KNC_R3_SIGSEGV		11
#define KNC_R3_SI_KERNEL	0x80	/* #GP, no page fault */
#define KNC_R3_RDX		12
#define KNC_R3_RAX		13
#define KNC_R3_RIP		16
/* Signals 63 and 64 blocked in the handler: the mark of each copy of this header */
#define KNC_R3_MARK		0xc000000000000000UL

/* A system call of Linux; each has four arguments here, of which it reads as many as it has. */
long knc_r3_syscall(long nr, long a, long b, long c);
KNC_R3_OUT long knc_r3_syscall(long nr, long a, long b, long c)
{
	/* rt_sigaction's size of the mask */
	register long d __asm__("r10") = 8;
	long ret;

	__asm__ __volatile__("syscall" : "=a" (ret)
			     : "0" (nr), "D" (a), "S" (b), "d" (c), "r" (d)
			     : "rcx", "r11", "memory");
	return ret;
}

long knc_r3_sigaction(int sig, const struct knc_r3_sigaction *to,
		      struct knc_r3_sigaction *from);
KNC_R3_OUT long knc_r3_sigaction(int sig, const struct knc_r3_sigaction *to,
				 struct knc_r3_sigaction *from)
{
	/* rt_sigaction is 13 */
	return knc_r3_syscall(13, sig, (long)to, (long)from);
}

/* Bytes of a SPFLT or DELAY of this header, or 0 */
KNC_R3_INLINE int knc_r3_is_vex(const unsigned char *insn)
{
	return insn[0] == 0xc5 &&
	       (insn[1] == (0xf8 | KNC_VEX_PP_F2) ||
		insn[1] == (0xf8 | KNC_VEX_PP_F3)) &&
	       insn[2] == KNC_OPC_SPFLT_DELAY &&
	       insn[3] == (0xc0 | KNC_OPC_SPFLT_DELAY_REG << 3) ? 4 : 0;
}

/* Send a signal to the calling thread. */
void knc_r3_send(int sig);
KNC_R3_OUT void knc_r3_send(int sig)
{
	/* getpid, gettid and tgkill are 39, 186 and 234 */
	long process = knc_r3_syscall(39, 0, 0, 0);
	long thread = knc_r3_syscall(186, 0, 0, 0);

	knc_r3_syscall(234, process, thread, sig);
}

/*
 * A signal for the program: call its handler, or restore the default and let the fault
 * repeat. A signal that was sent (si_code is not positive) does not repeat.
 */
void knc_r3_pass_on(int sig, int *info, void *context);
KNC_R3_OUT void knc_r3_pass_on(int sig, int *info, void *context)
{
	struct knc_r3_sigaction *old =
		sig == KNC_R3_SIGILL ? &knc_r3.old_ill : &knc_r3.old_segv;

	int sent = info[2] <= 0;

	/* neither SIG_DFL nor SIG_IGN */
	if ((unsigned long)old->handler > 1) {
		old->handler(sig, info, context);
		return;
	}
	/* SIG_IGN */
	if (sent && old->handler)
		return;
	knc_r3_sigaction(sig, old, NULL);
	if (sent)
		knc_r3_send(sig);
}

/* This thread can't execute RDPMC any more, if it ever could */
void knc_r3_refused(void);
KNC_R3_OUT void knc_r3_refused(void)
{
	knc_r3_drop_pages();
	/* this thread has left all regions */
	if (knc_r3.status == KNC_RING3_OK)
		knc_r3.status = KNC_RING3_NO_RDPMC;
	knc_r3_cur = &knc_r3_off;
}

/* RDPMC reads 0, and nothing else has an effect */
void knc_r3_step_over(unsigned long *regs, int length);
KNC_R3_OUT void knc_r3_step_over(unsigned long *regs, int length)
{
	regs[KNC_R3_RIP] += length;
	if (length != 2)
		return;
	regs[KNC_R3_RAX] = 0;
	regs[KNC_R3_RDX] = 0;
}

void knc_r3_fault(int sig, int *info, void *context);
KNC_R3_OUT void knc_r3_fault(int sig, int *info, void *context)
{
	const struct knc_r3_sigaction *old =
		sig == KNC_R3_SIGILL ? &knc_r3.old_ill : &knc_r3.old_segv;
	unsigned long *regs = (unsigned long *)((char *)context + 40);
	const unsigned char *insn = (const unsigned char *)regs[KNC_R3_RIP];
	int length = 0;

	if (sig == KNC_R3_SIGILL)
		length = knc_r3_is_vex(insn);
	else if (info[2] == KNC_R3_SI_KERNEL && insn[0] == 0x0f &&
		 insn[1] == 0x33)
		length = 2;
	if (!length) {
		knc_r3_pass_on(sig, info, context);
		return;
	}
	if (length == 2)
		knc_r3_refused();
	knc_r3.faults = knc_r3.faults + 1;
	/* that of the program, or of a shared library, has pages and regions of its own */
	if (old->mask == KNC_R3_MARK)
		old->handler(sig, info, context);
	else
		knc_r3_step_over(regs, length);
}

void knc_r3_catch(int sig, struct knc_r3_sigaction *old);
KNC_R3_OUT void knc_r3_catch(int sig, struct knc_r3_sigaction *old)
{
	struct knc_r3_sigaction to, was;

	to.handler = knc_r3_fault;
	/* SA_SIGINFO, SA_ONSTACK, SA_RESTORER, SA_NODEFER */
	to.flags = 0x4UL | 0x08000000UL | 0x04000000UL | 0x40000000UL;
	to.mask = KNC_R3_MARK;
	/* rt_sigreturn is system call 15 */
	__asm__ __volatile__("lea 1f(%%rip), %0\n\t"
			     "jmp 2f\n"
			     "1:\tmov $15, %%eax\n\t"
			     "syscall\n"
			     "2:" : "=r" (to.restorer));
	knc_r3_sigaction(sig, &to, &was);
	/* another thread may have done the same just now */
	if (was.handler != knc_r3_fault)
		*old = was;
}

/* Once: a handler that the program has installed since then stays */
KNC_R3_OUT void knc_r3_catch_segv(void)
{
	if (knc_r3.caught)
		return;
	knc_r3_catch(KNC_R3_SIGSEGV, &knc_r3.old_segv);
	knc_r3.caught = 1;
}

int knc_r3_is_knc(void);
KNC_R3_OUT int knc_r3_is_knc(void)
{
	unsigned int a, b, c, d;

	/* 0: the highest leaf and "GenuineIntel" */
	__asm__ __volatile__("cpuid" : "=a" (a), "=b" (b), "=c" (c), "=d" (d)
			     : "0" (0), "2" (0));
	if (!a || b != 0x756e6547 || d != 0x49656e69 || c != 0x6c65746e)
		return 0;
	__asm__ __volatile__("cpuid" : "=a" (a), "=b" (b), "=c" (c), "=d" (d)
			     : "0" (1), "2" (0));
	(void)b, (void)c, (void)d;
	return ((a >> 8) & 0xf) == KNC_CPU_FAMILY &&
	       ((a >> 4) & 0xf) == KNC_CPU_MODEL;
}

int knc_r3_permitted(void);
KNC_R3_OUT int knc_r3_permitted(void)
{
	unsigned long faults = knc_r3.faults;

	knc_rdpmc(0);
	return knc_r3.faults == faults;
}

void knc_r3_prepare(void);
KNC_R3_OUT void knc_r3_prepare(void)
{
	knc_r3_catch_segv();
	knc_r3_catch(KNC_R3_SIGILL, &knc_r3.old_ill);
	if (!knc_r3_is_knc()) {
		knc_r3.status = KNC_RING3_NOT_KNC;
		return;
	}
	if (pthread_key_create && pthread_setspecific)
		knc_r3.has_key = !pthread_key_create(&knc_r3.key,
						     knc_r3_release);
	atexit(knc_r3_at_exit);
	knc_r3.status = KNC_RING3_NO_RDPMC;
}

/*
 * Find out whether counters can be read, and have the report printed at exit. Call it when
 * the counters run and RDPMC is permitted, before other threads begin, with SIGSEGV not
 * blocked. A further call returns the present status, and tries again if that is
 * KNC_RING3_NO_RDPMC.
 */
int knc_ring3_init(void);
KNC_R3_OUT int knc_ring3_init(void)
{
	if (__sync_bool_compare_and_swap(&knc_r3.once, 0, 1))
		knc_r3_prepare();
	if (knc_r3.status == KNC_RING3_NO_RDPMC && knc_r3_permitted())
		knc_r3.status = KNC_RING3_OK;
	return knc_r3.status;
}

#ifdef __cplusplus
}

struct knc_r3_scope {
	int once;

	explicit knc_r3_scope(int one) : once(one) {}
	~knc_r3_scope() { knc_r3_leave(); }
};
#endif

#endif /* KNC_NO_INSTRUMENT */
#endif /* KNC_RING3_H */
