/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The self-monitoring page (struct knc_pmu_page): a task reads its own counts by RDPMC
 *
 * The page is valid, its @seq even, only while its task runs. Inline, for the context switch
 */
#ifndef KNC_PMU_PAGE_H
#define KNC_PMU_PAGE_H

#include <linux/compiler.h>
#include <linux/percpu.h>

#include <asm/tsc.h>

#include <knc_pmu.h>

#include "count/clock.h"
#include "task/target.h"
#include "task/task.h"

struct vm_area_struct;

int knc_page_create(struct knc_follow *f, const struct knc_request *req);
void knc_page_init(struct knc_follow *f, const struct knc_event *events);
void knc_page_scaled(struct knc_pmu_page *page, const struct knc_target *target, u64 scale);
int knc_page_mmap(struct knc_follow *f, struct vm_area_struct *vma);

/* Set the offset that the task adds to its time stamp counter, and the counter's rate. */
static inline void knc_page_times(struct knc_pmu_page *page,
				  const struct knc_target *target)
{
	u64 scale = this_cpu_read(knc_tsc_rates.scale);

	if (unlikely(scale)) {
		knc_page_scaled(page, target, scale);
		return;
	}
	page->tsc_khz = tsc_khz;
	page->time_enabled = target->ticks - target->since;
	page->time_running = page->time_enabled;
}

/* Make the page valid, unless it is closed for good. Its task is in the kernel on this CPU. */
static inline void knc_page_open(const struct knc_target *target)
{
	struct knc_follow *f = target->follow;

	if (unlikely(READ_ONCE(f->page_closed)))
		return;
	knc_page_times(f->page, target);
	f->page->seq++;
}

/* Make the page invalid: @seq becomes odd and changes, even if the page was invalid before */
static inline void knc_page_shut(struct knc_pmu_page *page)
{
	page->seq = (page->seq + 1) | 1;
}

/* Update the times of a valid page. Its task is in the kernel on this CPU. */
static inline void knc_page_update(const struct knc_target *target)
{
	knc_page_times(target->follow->page, target);
	target->follow->page->seq += 2;
}

#endif /* KNC_PMU_PAGE_H */
