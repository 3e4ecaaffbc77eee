/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of records, shared with user space
 *
 * One hardware thread writes, with interrupts off: the overflow interrupt with
 * knc_ring_begin() and knc_ring_end(), everything else, which an overflow
 * interrupt that is an NMI may interrupt at any point, with knc_ring_write().
 */
#ifndef KNC_PMU_RING_H
#define KNC_PMU_RING_H

#include <linux/irq_work.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <knc_pmu.h>

struct vm_area_struct;

/**
 * struct knc_ring - a ring; nothing of it is believed that user space can write
 * @page: what is mapped
 * @data: the records, behind it
 * @size: bytes of them, a power of two
 * @head: bytes written or about to be
 * @writing: knc_ring_write() has not finished
 * @cpu: whose it is
 * @watermark: unread bytes that wake the reader
 * @woken: @head when it was last woken; a reader that has read less has work
 * @samples: samples produced
 * @lost: of them, lost
 * @pending: of those lost, what no record has told yet; its time is the first's
 * @work: wakes the reader
 * @wait: where it waits
 */
struct knc_ring {
	struct knc_pmu_ring *page;
	void *data;
	u64 size;
	u64 head;
	bool writing;
	u32 cpu;
	u32 watermark;
	u64 woken;
	u64 samples;
	u64 lost;
	struct knc_pmu_lost pending;
	struct irq_work work;
	wait_queue_head_t *wait;
};

int knc_ring_init(struct knc_ring *r, unsigned int cpu, u32 size, u32 watermark,
		  wait_queue_head_t *wait);
void knc_ring_destroy(struct knc_ring *r);
int knc_ring_mmap(struct knc_ring *r, struct vm_area_struct *vma);

void *knc_ring_begin(struct knc_ring *r, u32 size);
void knc_ring_end(struct knc_ring *r, u32 size);
void knc_ring_lost(struct knc_ring *r, unsigned int event, u64 events,
		   u64 time);
bool knc_ring_write(struct knc_ring *r, const void *record, u32 size);

/* Has the reader been woken for something that it has not read yet? */
static inline bool knc_ring_readable(const struct knc_ring *r)
{
	return (s64)(r->woken - READ_ONCE(r->page->tail)) > 0;
}

#endif /* KNC_PMU_RING_H */
