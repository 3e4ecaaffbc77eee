// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of records, shared with user space
 *
 * Without a lock. The overflow interrupt is the innermost writer: nothing that
 * writes can come in between, so it writes where the ring ends and then says
 * so. The others reserve their room first, and until their record is complete
 * the reader is told of nothing behind it.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "ring.h"

static void knc_ring_wake(struct irq_work *work)
{
	struct knc_ring *r = container_of(work, struct knc_ring, work);

	wake_up_interruptible(r->wait);
}

/**
 * knc_ring_init() - an empty ring
 * @r: the ring, zeroed
 * @cpu: whose it is
 * @size: bytes of records, a power of two and no less than a page
 * @watermark: unread bytes that wake the reader
 * @wait: where it waits
 *
 * Return: 0, or -ENOMEM.
 */
int knc_ring_init(struct knc_ring *r, unsigned int cpu, u32 size, u32 watermark,
		  wait_queue_head_t *wait)
{
	/*
	 * The overflow interrupt may write to it at once: the page tables of
	 * all tasks share those of the vmalloc area, whose top level is there
	 * since boot on every kernel of interest.
	 */
	r->page = vmalloc_user(PAGE_SIZE + size);
	if (!r->page)
		return -ENOMEM;
	r->data = (void *)r->page + PAGE_SIZE;
	r->size = size;
	r->cpu = cpu;
	r->watermark = watermark;
	r->wait = wait;
	init_irq_work(&r->work, knc_ring_wake);
	r->page->data_offset = PAGE_SIZE;
	r->page->data_size = size;
	r->page->cpu = cpu;
	return 0;
}

/* Nobody writes to it any more, and its mappings are gone. */
void knc_ring_destroy(struct knc_ring *r)
{
	if (!r->page)
		return;
	irq_work_sync(&r->work);
	vfree(r->page);
}

/* Map all of it; the caller has checked the length. */
int knc_ring_mmap(struct knc_ring *r, struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, r->page, 0);
}

/* Bytes that are left behind @head if they are too few for a record, else 0 */
static inline u32 knc_ring_pad(const struct knc_ring *r, u64 head, u32 size)
{
	u64 left = r->size - (head & (r->size - 1));

	return unlikely(left < size) ? left : 0;
}

static inline bool knc_ring_room(const struct knc_ring *r, u64 head, u32 size)
{
	return head + size - READ_ONCE(r->page->tail) <= r->size;
}

static inline void *knc_ring_at(struct knc_ring *r, u64 head)
{
	return r->data + (head & (r->size - 1));
}

static void knc_ring_fill(struct knc_ring *r, u64 head, u32 size)
{
	struct knc_pmu_record *record = knc_ring_at(r, head);

	record->type = KNC_PMU_RECORD_PAD;
	record->size = size;
}

/* Let the reader read up to @head, and wake it if that is far enough. */
static inline void knc_ring_publish(struct knc_ring *r, u64 head)
{
	smp_wmb(); /* the records before the head */
	WRITE_ONCE(r->page->head, head);
	if (likely(head - r->woken < r->watermark))
		return;
	r->woken = head;
	irq_work_queue(&r->work);
}

static void *knc_ring_begin_padded(struct knc_ring *r, u32 pad, u32 size)
{
	if (!knc_ring_room(r, r->head, pad + size))
		return NULL;
	knc_ring_fill(r, r->head, pad);
	r->head += pad;
	return r->data;
}

/* Say what is missing where it is missing: before what comes next. */
static noinline void knc_ring_report_lost(struct knc_ring *r)
{
	struct knc_pmu_lost *lost;
	u32 pad = knc_ring_pad(r, r->head, sizeof(*lost));

	if (unlikely(pad))
		lost = knc_ring_begin_padded(r, pad, sizeof(*lost));
	else if (knc_ring_room(r, r->head, sizeof(*lost)))
		lost = knc_ring_at(r, r->head);
	else
		lost = NULL;
	if (!lost)
		return;
	r->pending.record.type = KNC_PMU_RECORD_LOST;
	r->pending.record.size = sizeof(*lost);
	r->pending.record.cpu = r->cpu;
	*lost = r->pending;
	memset(&r->pending, 0, sizeof(r->pending));
	r->head += sizeof(*lost);
}

/**
 * knc_ring_begin() - room for a record of the overflow interrupt
 * @r: the ring
 * @size: bytes the record may have at most
 *
 * Return: where to write it, to be followed by knc_ring_end(); NULL if the ring
 * is full, to be followed by knc_ring_lost() if it was a sample.
 */
void *knc_ring_begin(struct knc_ring *r, u32 size)
{
	u32 pad;

	if (unlikely(r->pending.samples))
		knc_ring_report_lost(r);
	pad = knc_ring_pad(r, r->head, size);
	if (unlikely(pad))
		return knc_ring_begin_padded(r, pad, size);
	if (unlikely(!knc_ring_room(r, r->head, size)))
		return NULL;
	return knc_ring_at(r, r->head);
}

/**
 * knc_ring_end() - the record is complete
 * @r: the ring
 * @size: bytes it has
 */
void knc_ring_end(struct knc_ring *r, u32 size)
{
	r->head += size;
	/* else the writer that was interrupted publishes this as well */
	if (likely(!r->writing))
		knc_ring_publish(r, r->head);
}

/**
 * knc_ring_lost() - there was no room for a sample
 * @r: the ring
 * @event: of which event it was
 * @events: what it stood for
 * @time: CLOCK_MONOTONIC, ns
 */
void knc_ring_lost(struct knc_ring *r, unsigned int event, u64 events, u64 time)
{
	if (!r->pending.samples++)
		r->pending.time = time;
	r->pending.events[event] += events;
	r->page->lost = ++r->lost;
	r->page->lost_events[event] += events;
}

/**
 * knc_ring_write() - write a record that an overflow interrupt may interrupt
 * @r: the ring
 * @record: the record
 * @size: bytes of it
 *
 * Return: false if there is no room.
 */
bool knc_ring_write(struct knc_ring *r, const void *record, u32 size)
{
	bool room;
	u64 head;
	u32 pad;

	WRITE_ONCE(r->writing, true);
	do {
		head = READ_ONCE(r->head);
		pad = knc_ring_pad(r, head, size);
		room = knc_ring_room(r, head, pad + size);
	} while (room &&
		 cmpxchg_local(&r->head, head, head + pad + size) != head);
	if (room) {
		if (pad)
			knc_ring_fill(r, head, pad);
		memcpy(knc_ring_at(r, head + pad), record, size);
	}
	do {
		WRITE_ONCE(r->writing, true);
		barrier(); /* from here on interrupts leave it to us */
		head = READ_ONCE(r->head);
		knc_ring_publish(r, head);
		barrier(); /* from here on they don't: have they meanwhile? */
		WRITE_ONCE(r->writing, false);
	} while (READ_ONCE(r->head) != head);
	return room;
}
