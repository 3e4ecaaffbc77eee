// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of records, shared with user space
 *
 * There is no lock. No other writer interrupts the PMI: it writes its record, then moves the head.
 * Other writers may be interrupted by a PMI: they reserve room first, and no later record is
 * published until their record is complete.
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
 * knc_ring_init() - set up an empty ring
 * @r: the ring, zeroed
 * @cpu: the CPU that writes
 * @nr_events: number of events of the session
 * @size: bytes for records, a power of two and no less than a page
 * @watermark: unread bytes that wake the reader
 * @wait: where the reader waits
 *
 * Return: 0, or -ENOMEM.
 */
int knc_ring_init(struct knc_ring *r, unsigned int cpu, unsigned int nr_events,
		  u32 size, u32 watermark, wait_queue_head_t *wait)
{
	/*
	 * The PMI must not fault. It can write at once: all tasks share the page tables of the
	 * vmalloc area, whose top level is complete since boot on every kernel that we support.
	 */
	r->control = knc_compat_valloc(PAGE_SIZE + size);
	if (!r->control)
		return -ENOMEM;
	r->data = (void *)r->control + PAGE_SIZE;
	r->mask = size - 1;
	r->cpu = cpu;
	r->nr_events = nr_events;
	r->watermark = watermark;
	r->wake = watermark;
	r->wait = wait;
	init_irq_work(&r->work, knc_ring_work);
	r->control->data_offset = PAGE_SIZE;
	r->control->data_size = size;
	r->control->cpu = cpu;
	r->control->nr_events = nr_events;
	return 0;
}

/* Free the ring: the last writer has finished, and nobody maps it any more. */
void knc_ring_destroy(struct knc_ring *r)
{
	if (!r->control)
		return;
	irq_work_sync(&r->work);
	vfree(r->control);
}

/* Map the whole ring; the caller has checked the length. */
int knc_ring_mmap(struct knc_ring *r, struct vm_area_struct *vma)
{
	return knc_compat_map(vma, r->control);
}

/* The padding before a record of @size bytes: if it does not fit, up to the end of @data; else 0 */
static inline u32 knc_ring_pad(const struct knc_ring *r, u64 head, u32 size)
{
	u64 left = r->mask + 1 - (head & r->mask);

	return unlikely(left < size) ? left : 0;
}

static inline bool knc_ring_room(const struct knc_ring *r, u64 head, u32 size)
{
	return head + size - READ_ONCE(r->control->tail) <= r->mask + 1;
}

static void knc_ring_write_pad(struct knc_ring *r, u64 head, u32 size)
{
	struct knc_pmu_record *record = knc_ring_at(r, head);

	record->type = KNC_PMU_RECORD_PAD;
	record->size = size;
}

/* Wake the reader; by irq_work, because this may be an NMI */
void knc_ring_wake(struct knc_ring *r, u64 head)
{
	WRITE_ONCE(r->wake, head + r->watermark);
	irq_work_queue(&r->work);
}

/* Reserve room after checking the reader's position; pads the end of @data if necessary. */
static bool knc_ring_reserve_checked(struct knc_ring *r, u32 size)
{
	u32 pad = knc_ring_pad(r, r->head, size);

	if (!knc_ring_room(r, r->head, pad + size))
		return false;
	if (pad)
		knc_ring_write_pad(r, r->head, pad);
	r->head += pad;
	return true;
}

/* Report lost samples where they are missing: before the next sample. */
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

/* How far @head can grow: to the end of the free room or of @data */
static u64 knc_ring_limit(const struct knc_ring *r)
{
	u64 full = READ_ONCE(r->control->tail) + r->mask + 1;
	u64 end = (r->head | r->mask) + 1;

	return min(full, end);
}

/* The slow path of knc_ring_reserve(): at @limit, or after a lost sample */
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
 * knc_ring_lost() - count a sample for which there was no room
 * @r: the ring
 * @event: index of the event
 * @events: events that the sample stood for
 * @time: CLOCK_MONOTONIC, ns
 */
void knc_ring_lost(struct knc_ring *r, unsigned int event, u64 events, u64 time)
{
	if (!r->pending.samples++) {
		r->pending.time = time;
		/* a full ring may be below the watermark: wake the reader */
		knc_ring_wake(r, r->head);
	}
	r->pending.events[event] += events;
	r->limit = 0;
	r->control->lost++;
	r->control->lost_events[event] += events;
}

static void knc_ring_written(struct knc_ring *r)
{
	u64 head;

	do {
		WRITE_ONCE(r->writing, true);
		barrier(); /* from here on interrupts leave publishing to us */
		head = READ_ONCE(r->head);
		knc_ring_publish(r, head);
		barrier(); /* publish before interrupts may publish again */
		WRITE_ONCE(r->writing, false);
	} while (READ_ONCE(r->head) != head);
}

/**
 * knc_ring_write() - write a record in code that a PMI may interrupt
 * @r: the ring
 * @record: the record
 * @size: bytes of the record
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
			knc_ring_write_pad(r, head, pad);
		memcpy(knc_ring_at(r, head + pad), record, size);
	}
	knc_ring_written(r);
	return room;
}

/**
 * knc_ring_flush() - report lost samples, if there is room
 * @r: a ring to which no overflow interrupt writes at present
 */
void knc_ring_flush(struct knc_ring *r)
{
	if (r->pending.samples)
		knc_ring_report_lost(r);
}
