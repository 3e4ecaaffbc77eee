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

#include "compat/compat.h"
#include "compat/mm.h"
#include "sample/ring.h"

static void knc_ring_work(struct irq_work *work)
{
	struct knc_ring *r = container_of(work, struct knc_ring, work);

	wake_up_interruptible(r->wait);
}

/**
 * knc_ring_init() - an empty ring
 * @r: the ring, zeroed
 * @cpu: whose it is
 * @nr_events: events of the session
 * @size: bytes of records, a power of two and no less than a page
 * @watermark: unread bytes that wake the reader
 * @wait: where it waits
 *
 * Return: 0, or -ENOMEM.
 */
int knc_ring_init(struct knc_ring *r, unsigned int cpu, unsigned int nr_events,
		  u32 size, u32 watermark, wait_queue_head_t *wait)
{
	/*
	 * The overflow interrupt may write to it at once: the page tables of
	 * all tasks share those of the vmalloc area, whose top level is there
	 * since boot on every kernel of interest.
	 */
	r->page = knc_compat_valloc(PAGE_SIZE + size);
	if (!r->page)
		return -ENOMEM;
	r->data = (void *)r->page + PAGE_SIZE;
	r->mask = size - 1;
	r->cpu = cpu;
	r->nr_events = nr_events;
	r->watermark = watermark;
	r->wake = watermark;
	r->wait = wait;
	init_irq_work(&r->work, knc_ring_work);
	r->page->data_offset = PAGE_SIZE;
	r->page->data_size = size;
	r->page->cpu = cpu;
	r->page->nr_events = nr_events;
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
	return knc_compat_map(vma, r->page);
}

/* Bytes that are left behind @head if they are too few for a record, else 0 */
static inline u32 knc_ring_pad(const struct knc_ring *r, u64 head, u32 size)
{
	u64 left = r->mask + 1 - (head & r->mask);

	return unlikely(left < size) ? left : 0;
}

static inline bool knc_ring_room(const struct knc_ring *r, u64 head, u32 size)
{
	return head + size - READ_ONCE(r->page->tail) <= r->mask + 1;
}

static void knc_ring_fill(struct knc_ring *r, u64 head, u32 size)
{
	struct knc_pmu_record *record = knc_ring_at(r, head);

	record->type = KNC_PMU_RECORD_PAD;
	record->size = size;
}

/* The reader is told by an interrupt of its own: this may be an NMI. */
void knc_ring_wake(struct knc_ring *r, u64 head)
{
	WRITE_ONCE(r->wake, head + r->watermark);
	irq_work_queue(&r->work);
}

/* Reserve, looking at everything: what is left at the end of the ring is filled. */
static bool knc_ring_reserve_checked(struct knc_ring *r, u32 size)
{
	u32 pad = knc_ring_pad(r, r->head, size);

	if (!knc_ring_room(r, r->head, pad + size))
		return false;
	if (pad)
		knc_ring_fill(r, r->head, pad);
	r->head += pad;
	return true;
}

/* Say what is missing where it is missing: before what comes next. */
static void knc_ring_report_lost(struct knc_ring *r)
{
	struct knc_pmu_lost *lost = &r->pending;
	u32 size = KNC_PMU_LOST_SIZE(r->nr_events);

	if (!knc_ring_reserve_checked(r, size))
		return;
	lost->record.type = KNC_PMU_RECORD_LOST;
	lost->record.size = size;
	lost->record.cpu = r->cpu;
	lost->nr_events = r->nr_events;
	memcpy(knc_ring_end(r), lost, size);
	memset(lost, 0, sizeof(*lost));
	knc_ring_commit(r, size);
}

/* How far it is to the end of the room, or of the ring */
static u64 knc_ring_limit(const struct knc_ring *r)
{
	u64 full = READ_ONCE(r->page->tail) + r->mask + 1;
	u64 end = (r->head | r->mask) + 1;

	return min(full, end);
}

/* What knc_ring_reserve() does where something stands in the way */
bool knc_ring_reserve_slow(struct knc_ring *r, u32 size)
{
	if (r->pending.samples)
		knc_ring_report_lost(r);
	if (!knc_ring_reserve_checked(r, size))
		return false;
	r->limit = knc_ring_limit(r);
	return true;
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
	if (!r->pending.samples++) {
		r->pending.time = time;
		/* it may be full before it comes to the watermark */
		knc_ring_wake(r, r->head);
	}
	r->pending.events[event] += events;
	r->limit = 0;
	r->page->lost++;
	r->page->lost_events[event] += events;
}

static void knc_ring_written(struct knc_ring *r)
{
	u64 head;

	do {
		WRITE_ONCE(r->writing, true);
		barrier(); /* from here on interrupts leave it to us */
		head = READ_ONCE(r->head);
		knc_ring_publish(r, head);
		barrier(); /* from here on they don't: have they meanwhile? */
		WRITE_ONCE(r->writing, false);
	} while (READ_ONCE(r->head) != head);
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
	knc_ring_written(r);
	return room;
}

/**
 * knc_ring_flush() - say what was lost, if there is room for that
 * @r: a ring that no overflow interrupt writes to at present
 */
void knc_ring_flush(struct knc_ring *r)
{
	if (r->pending.samples)
		knc_ring_report_lost(r);
}
