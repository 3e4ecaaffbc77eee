/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of records, shared with user space
 *
 * One hardware thread writes, with interrupts off, in two ways. The PMI uses knc_ring_reserve() and
 * knc_ring_commit(). Other code uses knc_ring_write(), which a PMI that is an NMI may interrupt at
 * any point. knc_siblings_serve() and knc_ring_flush() write as the PMI does: while they run, no
 * PMI writes to this ring.
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
 * struct knc_ring - a ring; what user space can write is never trusted
 * @control: the first page of the mapping: control data
 * @data: the records, which follow it
 * @mask: size of @data, a power of two, minus 1
 * @head: bytes written or reserved since the beginning
 * @limit: @head can grow to this without further checks
 * @writing: knc_ring_write() has not finished
 * @cpu: the CPU that writes
 * @nr_events: number of events of the session
 * @watermark: unread bytes that wake the reader
 * @wake: the value of @head that wakes the reader next
 * @pending: lost samples for which there is no record yet
 * @work: wakes the reader
 * @wait: where the reader waits
 */
struct knc_ring {
	struct knc_pmu_ring *control;
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
 * knc_ring_reserve() - make room for a record of the overflow interrupt
 * @r: the ring
 * @size: the most bytes that the record may have
 *
 * Return: true: write the record to knc_ring_end(), call knc_ring_commit();
 * false: the ring is full, call knc_ring_lost() if it was a sample.
 */
static inline bool knc_ring_reserve(struct knc_ring *r, u32 size)
{
	return likely(r->head + size <= r->limit) ||
	       knc_ring_reserve_slow(r, size);
}

/* The address of byte @head */
static inline void *knc_ring_at(const struct knc_ring *r, u64 head)
{
	return r->data + (head & r->mask);
}

/* Where the next record begins */
static inline void *knc_ring_end(const struct knc_ring *r)
{
	return knc_ring_at(r, r->head);
}

/* Let the reader read up to @head, and wake it if enough is unread. */
static inline void knc_ring_publish(struct knc_ring *r, u64 head)
{
	smp_wmb(); /* write the records before the head */
	WRITE_ONCE(r->control->head, head);
	if (unlikely(head >= r->wake))
		knc_ring_wake(r, head);
}

/**
 * knc_ring_commit() - end a record of the overflow interrupt
 * @r: the ring
 * @size: bytes of the record
 */
static inline void knc_ring_commit(struct knc_ring *r, u32 size)
{
	u64 head = r->head + size;

	r->head = head;
	/* otherwise the interrupted writer publishes this record after its own */
	if (likely(!r->writing))
		knc_ring_publish(r, head);
}

/* Are there unread records for which the reader has been woken? */
static inline bool knc_ring_readable(const struct knc_ring *r)
{
	u64 woken = READ_ONCE(r->wake) - r->watermark;

	return (s64)(woken - READ_ONCE(r->control->tail)) > 0;
}

#endif /* KNC_PMU_RING_H */
