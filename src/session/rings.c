// SPDX-License-Identifier: GPL-2.0
/*
 * The rings that receive a session's samples: memory, mmap() and poll()
 */
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "request/samples.h"
#include "sample/ring.h"
#include "sample/sampler.h"
#include "session/internal.h"
#include "session/session.h"
#include "task/page.h"
#include "task/task.h"

/*
 * perf's default of kernel.perf_event_mlock_kb: 512 KiB and a page for each CPU. Modules can't
 * read the sysctl.
 */
#define KNC_PERF_MLOCK_PAGES	(((512 << 10) + PAGE_SIZE) >> PAGE_SHIFT)

/**
 * struct knc_payer - a user whose sessions have rings
 * @node: in knc_payers
 * @uid: the user; for all users of a container, the container's owner
 * @pages: pages of the rings of all sessions that @uid pays for
 */
struct knc_payer {
	struct list_head node;
	kuid_t uid;
	unsigned long pages;
};

static LIST_HEAD(knc_payers);
static DEFINE_SPINLOCK(knc_payers_lock);

/* Under knc_payers_lock; NULL: not found */
static struct knc_payer *knc_payer_find(kuid_t uid)
{
	struct knc_payer *payer;

	list_for_each_entry(payer, &knc_payers, node)
		if (uid_eq(payer->uid, uid))
			return payer;
	return NULL;
}

/* Charge @pages to the caller's payer. Returns the sum of the payer's pages, or 0: no memory. */
static unsigned long knc_payer_charge(struct knc_session *s, unsigned long pages)
{
	struct knc_payer *new = kzalloc(sizeof(*new), KNC_COMPAT_GFP_ACCOUNT);
	struct knc_payer *payer;
	unsigned long sum;

	if (!new)
		return 0;
	new->uid = knc_compat_payer();
	spin_lock(&knc_payers_lock);
	payer = knc_payer_find(new->uid);
	if (!payer) {
		payer = new;
		new = NULL;
		list_add(&payer->node, &knc_payers);
	}
	payer->pages += pages;
	sum = payer->pages;
	spin_unlock(&knc_payers_lock);
	kfree(new);
	s->payer = payer;
	return sum;
}

static void knc_payer_uncharge(struct knc_session *s)
{
	struct knc_payer *unused = NULL;

	spin_lock(&knc_payers_lock);
	s->payer->pages -= s->locked;
	if (!s->payer->pages) {
		unused = s->payer;
		list_del(&unused->node);
	}
	spin_unlock(&knc_payers_lock);
	kfree(unused);
	s->payer = NULL;
}

/* Allocate one sampler, with its ring, for each of @cpus */
static int knc_session_alloc_samplers(struct knc_session *s,
				      const struct cpumask *cpus,
				      const struct knc_request *req)
{
	unsigned int cpu, i = 0;
	int err;

	s->nr_rings = cpumask_weight(cpus);
	s->samplers = kvcalloc(s->nr_rings, sizeof(*s->samplers),
			       KNC_COMPAT_GFP_ACCOUNT);
	if (!s->samplers)
		return -ENOMEM;
	for_each_cpu(cpu, cpus) {
		err = knc_sampler_alloc(&s->samplers[i++], req, cpu, &s->wait);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Charge the rings to the user's locked memory, as perf does with its buffers. The limit is perf's:
 * RLIMIT_MEMLOCK, and kernel.perf_event_mlock_kb for each CPU. The payer's sum has the same limit:
 * otherwise each user of a container would have a limit of their own.
 */
static int knc_session_account(struct knc_session *s,
			       const struct knc_request *req,
			       struct knc_refusal *why)
{
	unsigned long sum, limit = (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) +
			      num_online_cpus() * KNC_PERF_MLOCK_PAGES;

	if (s->follow->privileged)
		return 0;
	s->locked = num_possible_cpus() *
		    ((PAGE_SIZE + req->ring_size) >> PAGE_SHIFT);
	sum = knc_payer_charge(s, s->locked);
	if (!sum)
		return -ENOMEM;
	s->cred = get_current_cred();
	if (atomic_long_add_return(s->locked, &s->cred->user->locked_vm) <= limit && sum <= limit)
		return 0;
	why->reason = KNC_PMU_REASON_RING_MEMLOCK;
	return -ENOMEM;
}

/* A task may run on any hardware thread: each one has a ring. */
static int knc_session_alloc_task_rings(struct knc_session *s,
					const struct knc_request *req,
					struct knc_refusal *why)
{
	unsigned int i;
	int err;

	err = knc_session_account(s, req, why);
	if (err)
		return err;
	s->follow->samplers = kcalloc(nr_cpu_ids, sizeof(*s->follow->samplers),
				      KNC_COMPAT_GFP_ACCOUNT);
	if (!s->follow->samplers)
		return -ENOMEM;
	err = knc_session_alloc_samplers(s, cpu_possible_mask, req);
	for (i = 0; !err && i < s->nr_rings; i++)
		s->follow->samplers[s->samplers[i].ring.cpu] = &s->samplers[i];
	return err;
}

/* Allocate the rings, if anything is sampled; after an error knc_session_unconfig() frees them. */
int knc_session_alloc_rings(struct knc_session *s,
			    const struct knc_request *req,
			    struct knc_refusal *why)
{
	if (!knc_samples_wanted(req))
		return 0;
	if (s->follow)
		return knc_session_alloc_task_rings(s, req, why);
	return knc_session_alloc_samplers(s, req->cpus, req);
}

void knc_session_free_rings(struct knc_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_rings && s->samplers; i++)
		knc_sampler_destroy(&s->samplers[i]);
	kvfree(s->samplers);
	s->samplers = NULL;
	s->nr_rings = 0;
	if (!s->cred)
		return;
	knc_payer_uncharge(s);
	atomic_long_sub(s->locked, &s->cred->user->locked_vm);
	put_cred(s->cred);
	s->cred = NULL;
}

/* Must samples hide the kernel's addresses? */
static bool knc_session_hides_kernel(const struct knc_session *s)
{
	/* skid: the PMI of an event in ring 3 may arrive inside a system call */
	return (s->follow && !s->follow->privileged) ||
	       knc_compat_locked_down();
}

void knc_session_init_samplers(struct knc_session *s,
			       const struct knc_request *req)
{
	struct pid_namespace *ns = ns_of_pid(s->pid); /* @s->pid holds a reference */
	bool hidden = s->nr_rings && knc_session_hides_kernel(s);
	unsigned int i;

	if (ns == &init_pid_ns)
		ns = NULL;
	for (i = 0; i < s->nr_rings; i++) {
		knc_sampler_init(&s->samplers[i], req,
				 s->follow ? &s->follow->claim : &s->claims[i],
				 ns);
		if (hidden)
			knc_sampler_hide_kernel(&s->samplers[i]);
		/* no task is on this hardware thread yet: undo what knc_sampler_init() set */
		if (s->follow)
			s->samplers[i].claim = NULL;
	}
	/* a task uses the sampler of the hardware thread where it runs */
	if (s->follow)
		s->follow->claim.sampler = NULL;
}

void knc_session_detach_samplers(struct knc_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_rings; i++)
		knc_sampler_detach(&s->samplers[i]);
}

/*
 * Without s->lock: mmap() holds mmap_lock, which a page fault under s->lock would take.
 * Return: 0, -ENODATA: not configured, or -EINVAL: nothing is sampled.
 */
static int knc_session_samplers(struct knc_session *s,
				struct knc_sampler **samplers)
{
	if (!READ_ONCE(s->configured))
		return -ENODATA;
	smp_rmb(); /* pairs with knc_session_config_counters() */
	*samplers = s->samplers;
	return s->samplers ? 0 : -EINVAL;
}

static int knc_session_mmap_page(struct knc_session *s,
				 struct vm_area_struct *vma)
{
	if (!s->follow || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	return knc_page_mmap(s->follow, vma);
}

/**
 * knc_session_mmap() - map a ring, or the self-monitoring page
 * @s: the session
 * @vma: the mapping; for its offset see struct knc_pmu_ring, struct knc_pmu_page
 *
 * Return: 0; -ENODATA: not configured; -EINVAL: nothing is sampled, or @vma is neither a ring nor
 * the page; -EPERM: a writable mapping of the page.
 */
int knc_session_mmap(struct knc_session *s, struct vm_area_struct *vma)
{
	struct knc_sampler *samplers;
	unsigned long pages, i;
	int err;

	/*
	 * On 2.6.38 munmap(), which holds mmap_sem, may close the file, which takes s->lock: page
	 * faults under s->lock would deadlock. This lets lockdep find them on every kernel. Hosts
	 * run newer kernels.
	 */
	if (!KNC_HAS_HOST)
		might_lock(&s->lock);
	err = knc_session_samplers(s, &samplers);
	if (err == -EINVAL && vma->vm_pgoff == KNC_PMU_PAGE_OFFSET >> PAGE_SHIFT)
		return knc_session_mmap_page(s, vma);
	if (err)
		return err;
	pages = (PAGE_SIZE + samplers->ring.mask + 1) >> PAGE_SHIFT;
	i = vma->vm_pgoff / pages;
	if (vma->vm_pgoff % pages || i >= s->nr_rings ||
	    vma->vm_end - vma->vm_start != pages << PAGE_SHIFT)
		return -EINVAL;
	return knc_ring_mmap(&samplers[i].ring, vma);
}

/**
 * knc_session_poll() - does a ring have unread records?
 * @s: the session
 * @file: its file
 * @table: poll()'s
 *
 * Return: EPOLLIN | EPOLLRDNORM: there are; EPOLLHUP: the session was evicted; EPOLLERR: nothing is
 * sampled, or the session is not configured.
 */
__poll_t knc_session_poll(struct knc_session *s, struct file *file,
			  poll_table *table)
{
	struct knc_sampler *samplers;
	__poll_t mask = 0;
	unsigned int i;

	if (knc_session_samplers(s, &samplers))
		return EPOLLERR;
	poll_wait(file, &s->wait, table);
	if (READ_ONCE(s->evicted))
		mask = EPOLLHUP;
	for (i = 0; i < s->nr_rings; i++)
		if (knc_ring_readable(&samplers[i].ring))
			mask |= EPOLLIN | EPOLLRDNORM;
	return mask;
}
