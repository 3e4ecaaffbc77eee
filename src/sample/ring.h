/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of records, shared with user space
 *
 * One hardware thread writes, with interrupts off: the overflow interrupt with
 * knc_ring_reserve() and knc_ring_commit(), everything else, which an overflow
 * interrupt that is an NMI may interrupt at any point, with knc_ring_write().
 */
#ifndef KNC_PMU_RING_H
#define KNC_PMU_RING_H

#include <linux/irq_work.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <knc_pmu.h>

#include "compat/compat.h"

struct vm_area_struct;

/**
 * struct knc_ring - a ring; nothing of it is believed that user space can write
 * @page: what is mapped
 * @data: the records, behind it
 * @mask: bytes of them, a power of two, less 1
 * @head: bytes written or about to be
 * @limit: up to here @head can go without looking at anything else
 * @writing: knc_ring_write() has not finished
 * @cpu: whose it is
 * @nr_events: events of the session
 * @watermark: unread bytes that wake the reader
 * @wake: where @head must be for that
 * @pending: samples that were lost, and of which no record tells yet
 * @work: wakes the reader
 * @wait: where it waits
 */
struct knc_ring {
	struct knc_pmu_ring *page;
	void *data;
	u64 mask;
	u64 head;
	u64 limit;
	bool writing;
	u32 cpu;
	u32 nr_events;
	u32 watermark;
	u64 wake;
	struct knc_pmu_lost pending;
	struct irq_work work;
	wait_queue_head_t *wait;
};

int knc_ring_init(struct knc_ring *r, unsigned int cpu, unsigned int nr_events,
		  u32 size, u32 watermark, wait_queue_head_t *wait);
void knc_ring_destroy(struct knc_ring *r);
int knc_ring_mmap(struct knc_ring *r, struct vm_area_struct *vma);

bool knc_ring_reserve_slow(struct knc_ring *r, u32 size);
void knc_ring_wake(struct knc_ring *r, u64 head);
void knc_ring_lost(struct knc_ring *r, unsigned int event, u64 events,
		   u64 time);
bool knc_ring_write(struct knc_ring *r, const void *record, u32 size);
void knc_ring_flush(struct knc_ring *r);

/**
 * knc_ring_reserve() - is there room for a record of the overflow interrupt?
 * @r: the ring
 * @size: bytes the record may have at most
 *
 * Return: true: it may be written to knc_ring_end(), knc_ring_commit() follows;
 * false: the ring is full, knc_ring_lost() follows if it was a sample.
 */
static inline bool knc_ring_reserve(struct knc_ring *r, u32 size)
{
	return likely(r->head + size <= r->limit) ||
	       knc_ring_reserve_slow(r, size);
}

/* What is behind @head bytes */
static inline void *knc_ring_at(const struct knc_ring *r, u64 head)
{
	return r->data + (head & r->mask);
}

/* Where the next record begins */
static inline void *knc_ring_end(const struct knc_ring *r)
{
	return knc_ring_at(r, r->head);
}

/* Let the reader read up to @head, and wake it if that is far enough. */
static inline void knc_ring_publish(struct knc_ring *r, u64 head)
{
	smp_wmb(); /* the records before the head */
	WRITE_ONCE(r->page->head, head);
	if (unlikely(head >= r->wake))
		knc_ring_wake(r, head);
}

/**
 * knc_ring_commit() - the record is complete
 * @r: the ring
 * @size: bytes it has
 */
static inline void knc_ring_commit(struct knc_ring *r, u32 size)
{
	u64 head = r->head + size;

	r->head = head;
	/* else the writer that was interrupted publishes this as well */
	if (likely(!r->writing))
		knc_ring_publish(r, head);
}

/* Has the reader been woken for something that it has not read yet? */
static inline bool knc_ring_readable(const struct knc_ring *r)
{
	u64 woken = READ_ONCE(r->wake) - r->watermark;

	return (s64)(woken - READ_ONCE(r->page->tail)) > 0;
}

#endif /* KNC_PMU_RING_H */
