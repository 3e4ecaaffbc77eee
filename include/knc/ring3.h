/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Counting from inside a program: RDPMC, RDTSC, SPFLT and DELAY, the counts of a session that
 * follows this thread, and regions. Documentation/ring3.rst explains it.
 *
 *	knc_ring3_init();			once, when the counters run
 *	KNC_REGION("solve") { ... }		the counts of this block
 *
 *	knc_self_open(&self, fd);		a session that follows this thread
 *	knc_read(&self, count);			64 bits, without a system call
 *
 * All that a program may use; names that begin with knc_r3_ or KNC_R3_ are internal:
 *
 *   may RDPMC be executed?   knc_ring3_init, knc_ring3_status, knc_ring3_available; KNC_RING3_*
 *   instructions             knc_rdpmc, knc_rdpmc_fixed, knc_rdtsc, knc_spflt_on, knc_spflt_off,
 *                            knc_delay
 *   differences              knc_diff39, knc_diff31; KNC_RAW_WIDTH, KNC_RAW_WIDTH_HOST
 *   counts of a session      struct knc_self: knc_self_open, knc_read, knc_read1, knc_read_times,
 *                            knc_self_close
 *   regions                  KNC_REGION, KNC_SCOPE, KNC_BEGIN, KNC_END, knc_regions_label,
 *                            knc_regions_report; KNC_REPORT_*
 *   defined by the program   KNC_NO_INSTRUMENT: all of this is no code. KNC_ANY_PMU: knc_read()
 *                            knows hosts' counters too. KNC_REGION_TSC: regions also measure the
 *                            clock. KNC_REGION_PATHS: paths of regions that a thread can have
 *
 * A program includes this header only. It includes ring3-faults.h (a signal handler),
 * ring3-regions.h, -marks.h and -report.h, and regs.h, arch_regs.h and knc_pmu.h. Functions that a
 * program does not call add no code to it. knc-pmuctl record marks regions, which then don't count.
 * C89 to C23 and C++98 to C++20, gcc 4.7 and newer, clang, icc, x86-64 only. The assembly has only
 * instructions that Knights Corner has. Regions are for cards only.
 *
 * Ordering: the core executes in order, and RDPMC, RDTSC and SPFLT don't pair. Therefore each of
 * them sees the events of all earlier instructions of its thread and of no later one. No fence is
 * needed, and the core has none. Cache events of earlier accesses may be counted later. The
 * compiler moves no memory access across these instructions, but may move other computations.
 */
#ifndef KNC_RING3_H
#define KNC_RING3_H

/* Results of knc_ring3_init() and knc_ring3_status() */
#define KNC_RING3_OK		0	/* counters can be read */
#define KNC_RING3_NOT_KNC	1	/* another CPU: no region counts */
#define KNC_RING3_NO_RDPMC	2	/* RDPMC is not permitted: no region counts */
#define KNC_RING3_NO_INIT	3	/* knc_ring3_init() was not called */
#define KNC_RING3_OFF		4	/* built with KNC_NO_INSTRUMENT */

/* Formats of knc_regions_report(), and words of $KNC_REGIONS */
#define KNC_REPORT_TABLE	0
#define KNC_REPORT_CSV		1
#define KNC_REPORT_JSON		2

/*
 * Only the 39 lower bits of two readings can be compared. After an overflow, and when a thread is
 * switched to, the kernel loads the counter so that it overflows about 2^39 events later: the 39
 * lower bits continue unchanged.
 */
#define KNC_RAW_WIDTH		39

/* KNC_RAW_WIDTH for a host: a write to some hosts' counters sets 31 bits only */
#define KNC_RAW_WIDTH_HOST	31

#ifdef KNC_NO_INSTRUMENT
#include "ring3-none.h"
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

/* For variables: one copy in a program or shared library, however many files include this */
#define KNC_R3_SHARED	__attribute__((__weak__, __visibility__("hidden")))
/* For functions: static, so that a file has only the code of those that it calls */
#define KNC_R3_OUT	static __attribute__((__unused__, __noinline__))
/* Not for functions that programs call: a call of a cold function makes its caller cold */
#define KNC_R3_COLD	static __attribute__((__unused__, __noinline__, __cold__))
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
	__asm__ __volatile__("rdpmc" : "=a" (lo), "=d" (hi) : "c" (n) : "memory")
#define KNC_R3_RDTSC(lo, hi)						\
	__asm__ __volatile__("rdtsc" : "=a" (lo), "=d" (hi) : : "memory")

/* "+", not "|": LEA can put the sum into another register */
#define KNC_R3_JOIN(lo, hi)	(((unsigned long)(hi) << 32) + (lo))

/* Counter 0 or 1 of this hardware thread: 40 bits; a general counter of a host: up to 48 */
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
KNC_R3_INLINE unsigned long knc_diff39(unsigned long later, unsigned long earlier)
{
	return (later - earlier) & ((1UL << KNC_RAW_WIDTH) - 1);
}

/* knc_diff39() for a host: the events between two readings, if fewer than 2^31 */
KNC_R3_INLINE unsigned long knc_diff31(unsigned long later, unsigned long earlier)
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
	__asm__ __volatile__(KNC_R3_VEX(KNC_VEX_PP_F3) : : "a" (cycles) : "memory");
}

#include "ring3-faults.h"

KNC_R3_INLINE int knc_ring3_status(void)
{
	return knc_r3_shared.status;
}

KNC_R3_INLINE int knc_ring3_available(void)
{
	return knc_r3_shared.status == KNC_RING3_OK;
}

/*
 * Find out whether counters can be read. Call it when the counters run and RDPMC is permitted,
 * before other threads begin, with SIGSEGV not blocked. A further call returns the present status,
 * and tries again if that is KNC_RING3_NO_RDPMC.
 */
KNC_R3_OUT int knc_ring3_init(void)
{
	if (__sync_bool_compare_and_swap(&knc_r3_shared.once, 0, 1)) {
		knc_r3_catch_segv();
		knc_r3_catch(KNC_R3_SIGILL, &knc_r3_shared.old_ill);
		knc_r3_shared.status = knc_r3_is_knc() ? KNC_RING3_NO_RDPMC : KNC_RING3_NOT_KNC;
	}
	if (knc_r3_shared.status == KNC_RING3_NO_RDPMC && knc_r3_permitted())
		knc_r3_shared.status = KNC_RING3_OK;
	return knc_r3_shared.status;
}

/*
 * A session that follows this thread. Its page says which counter an event has, and what to add to
 * it. The kernel changes the page only while this thread does not run: only the compiler must keep
 * the order. A reading during which the page changed is repeated.
 */
struct knc_self {
	const struct knc_pmu_page *page;
	const void *thread;		/* the thread that opened it */
	int fd;
};

/* Read @seq once, before all other fields */
KNC_R3_INLINE unsigned int knc_r3_seq(const struct knc_pmu_page *page)
{
	unsigned int seq = *(const volatile unsigned int *)&page->seq;

	__asm__ __volatile__("" : : : "memory");
	return seq;
}

/* The counter, sign-extended from 40 bits (bit 7 of EDX), plus the offset. C takes 3 more insns */
KNC_R3_INLINE unsigned long knc_r3_count(const struct knc_pmu_page *page, unsigned int event)
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

/* knc_r3_count() for the counters of any PMU, fixed ones too */
KNC_R3_INLINE unsigned long knc_r3_count_any(const struct knc_pmu_page *page, unsigned int event)
{
	unsigned int n = page->counter[event], unused = 64 - page->width;
	unsigned long count;

	if (n >= ARCH_FIXED)
		n += ARCH_RDPMC_FIXED - ARCH_FIXED;
	count = knc_rdpmc(n) << unused;
	return (unsigned long)((long)count >> unused) + page->offset[event];
}

/* How a file with KNC_ANY_PMU reads a counter, and the width that a page must have; 0: any */
#ifdef KNC_ANY_PMU
#define KNC_R3_COUNT	knc_r3_count_any
#define KNC_R3_WIDTH	0
#else
#define KNC_R3_COUNT	knc_r3_count
#define KNC_R3_WIDTH	KNC_COUNTER_WIDTH
#endif

/*
 * READ, for a session without a page, in another thread, or with an odd @seq. An evicted session
 * is an error here: it counts no more, and a later difference would silently lack events.
 */
KNC_R3_OUT int knc_r3_read(int fd, unsigned int flags, struct knc_pmu_thread *record)
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

/* READ of @nr events from @first on. A struct knc_self instead of @fd would slow the fast path */
KNC_R3_COLD int knc_r3_read_counts(int fd, unsigned int first, unsigned int nr,
				   unsigned long *count)
{
	struct knc_pmu_thread record;
	int ret = knc_r3_read(fd, KNC_PMU_READ_COUNTS, &record);
	unsigned int i;

	if (ret)
		return ret;
	for (i = 0; i < nr; i++)
		count[i] = record.value[first + i];
	return 0;
}

/*
 * Read both events of the session, 64 bits each. Returns 0, or the negative errno of READ;
 * -ECANCELED: the session was evicted. If it has one event, count[1] is undefined.
 */
KNC_R3_INLINE int knc_read(const struct knc_self *self, unsigned long *count)
{
	const struct knc_pmu_page *page = self->page;
	unsigned long first, second;
	unsigned int seq;

	if (KNC_R3_UNLIKELY(self->thread != knc_r3_this_thread()))
		return knc_r3_read_counts(self->fd, 0, 2, count);
	do {
		seq = knc_r3_seq(page);
		if (KNC_R3_UNLIKELY(seq & 1))
			return knc_r3_read_counts(self->fd, 0, 2, count);
		first = KNC_R3_COUNT(page, 0);
		second = KNC_R3_COUNT(page, 1);
	} while (KNC_R3_UNLIKELY(page->seq != seq));
	count[0] = first;
	count[1] = second;
	return 0;
}

/* Read one event, 0 or 1; of a host's session any */
KNC_R3_INLINE int knc_read1(const struct knc_self *self, unsigned int event, unsigned long *count)
{
	const struct knc_pmu_page *page = self->page;
	unsigned long sum;
	unsigned int seq;

	if (KNC_R3_UNLIKELY(self->thread != knc_r3_this_thread()))
		return knc_r3_read_counts(self->fd, event, 1, count);
	do {
		seq = knc_r3_seq(page);
		if (KNC_R3_UNLIKELY(seq & 1))
			return knc_r3_read_counts(self->fd, event, 1, count);
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
 * Read for how long the session was started while the thread was on a hardware thread (@enabled),
 * and for how long of that it counted (@running), ns. Returns 0, or the negative errno of READ.
 */
KNC_R3_OUT int knc_read_times(const struct knc_self *self, unsigned long *enabled,
			      unsigned long *running)
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

/* @width: bits of the counters that the caller can read; 0: any */
KNC_R3_OUT int knc_r3_self_open(struct knc_self *self, int fd, unsigned int width)
{
	const struct knc_pmu_page *page = &knc_r3_no_page;
	int ret = knc_r3_map_page(fd, width, &page);

	self->fd = fd;
	self->thread = knc_r3_this_thread();
	self->page = page;
	return ret;
}

/*
 * Begin to read session @fd, which follows the calling thread and must stay open. Returns 0 if it
 * has a page; otherwise a negative errno, and readings use READ. -ENODEV: the counters are a
 * host's; build with KNC_ANY_PMU. A handler of SIGSEGV is installed: if RDPMC is refused later,
 * readings use READ too.
 */
KNC_R3_INLINE int knc_self_open(struct knc_self *self, int fd)
{
	return knc_r3_self_open(self, fd, KNC_R3_WIDTH);
}

/* Unmap the page, before @fd is closed; later readings return -EBADF */
KNC_R3_OUT void knc_self_close(struct knc_self *self)
{
	if (self->page != &knc_r3_no_page)
		knc_r3_unmap_page(self->page);
	self->page = &knc_r3_no_page;
	self->fd = -1;
}

#include "ring3-regions.h"

#endif /* KNC_NO_INSTRUMENT */
#endif /* KNC_RING3_H */
