// SPDX-License-Identifier: GPL-2.0
/*
 * The self-monitoring page (struct knc_pmu_page): a task reads its own counts by RDPMC
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "count/clock.h"
#include "pmu/hw.h"
#include "request/event.h"
#include "request/groups.h"
#include "request/request.h"
#include "task/page.h"
#include "task/task.h"

/* A session has a page if it permits RDPMC, follows one task, has one group and no samples. */
static bool knc_page_is_wanted(const struct knc_request *req,
			       const struct knc_groups *groups)
{
	return req->flags & KNC_PMU_CONFIG_RDPMC && !req->ring_size &&
	       groups->nr_groups == 1 &&
	       !(req->flags & (KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT));
}

/**
 * knc_page_create() - allocate the page of a session, if it can have one
 * @f: the session, with the groups of its events
 * @req: the request of CONFIG
 *
 * After the counters are assigned, knc_page_init() writes them to the page.
 *
 * Return: 0; -ENOMEM.
 */
int knc_page_create(struct knc_follow *f, const struct knc_request *req)
{
	struct knc_pmu_page *page;

	if (!knc_page_is_wanted(req, f->groups))
		return 0;
	page = knc_compat_valloc(PAGE_SIZE);
	if (!page)
		return -ENOMEM;
	page->seq = 1;
	page->tsc_khz = tsc_khz;
	page->width = pmu_bank_of(pmu_lowest(this_pmu->any))->width;
	f->page = page;
	return 0;
}

/**
 * knc_page_init() - write the assigned counters to the page
 * @f: the session
 * @events: its events
 */
void knc_page_init(struct knc_follow *f, const struct knc_event *events)
{
	unsigned int i;

	if (!f->page)
		return;
	f->page->nr_events = f->claim.nr;
	for (i = 0; i < f->claim.nr; i++) {
		f->page->counter[i] = events[i].counter;
		f->claim.count[i].page = f->page;
		f->claim.count[i].index = i;
	}
}

/* knc_page_times() for a time stamp counter whose rate is not tsc_khz */
void knc_page_scaled(struct knc_pmu_page *page, const struct knc_target *target, u64 scale)
{
	page->tsc_khz = knc_clock_khz();
	page->time_enabled = knc_clock_unscale(target->ticks, scale) -
			     target->since;
	page->time_running = page->time_enabled;
}

/**
 * knc_page_mmap() - map the self-monitoring page
 * @f: the session
 * @vma: the mapping, of the right length
 *
 * Return: 0; -EINVAL: the session has no page; -EPERM: @vma is writable.
 */
int knc_page_mmap(struct knc_follow *f, struct vm_area_struct *vma)
{
	if (!f->page)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	knc_compat_vma_private(vma);
	return knc_compat_map(vma, f->page);
}
