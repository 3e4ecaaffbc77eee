/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Regions of a program, for ring3.h, the only file that includes this: their entry, their end and
 * the cost of both. KNC_REGION() and the other macros at the end, and knc_regions_label(), are
 * public.
 *
 * Each thread has a tree of the regions that it entered, with a node for each path from the
 * outermost region. Entering and leaving a region write to one node only. ring3-report.h computes
 * exclusive counts, handles recursion, and subtracts the cost of the regions themselves.
 */
#ifndef KNC_RING3_REGIONS_H
#define KNC_RING3_REGIONS_H

#ifndef KNC_REGION_PATHS
#define KNC_REGION_PATHS	1024	/* nodes of a thread */
#endif
/* Regions without a node whose visits a thread can count */
#define KNC_R3_FLAT		128

enum { KNC_R3_COUNTER0, KNC_R3_COUNTER1, KNC_R3_TSC, KNC_R3_VALUES };

/* What regions of a source file count of themselves, which depends on how the file was compiled */
struct knc_r3_cost {
	unsigned long inside[KNC_R3_VALUES];	/* counted by an empty region */
	unsigned long all[KNC_R3_VALUES];	/* an empty region adds to one around it */
	unsigned long enter[KNC_R3_VALUES];	/* a slow enter adds besides */
	unsigned long extreme[KNC_R3_VALUES];	/* a new minimum or maximum adds besides */
	int known;				/* measured by knc_r3_calibrate() */
};

/* A place in the source where a region is entered */
struct knc_r3_site {
	const char *name;
	struct knc_r3_cost *cost;
	void (*calibrate)(void);
};

/* One of the two counters, or the clock, in the visits of a node */
struct knc_r3_value {
	union {
		unsigned long joined;
		unsigned int half[2];
	} start;		/* when it was entered */
	unsigned long total;
	unsigned long min;	/* ~0: no visit has ended */
	unsigned long range;	/* max - min */
};

/* A region as it was entered on one path from the outermost region */
struct knc_r3_node {
	struct knc_r3_node *parent;	/* NULL: knc_r3_leave() has nothing to leave */
	unsigned long visits;
	struct knc_r3_value v[KNC_R3_VALUES];
	unsigned long slow[KNC_R3_VALUES];	/* cost of changing the tree during its visits */
	const struct knc_r3_site *site;
	struct knc_r3_node *children, *sibling;
};

/* The tree of a thread */
struct knc_r3_thread {
	struct knc_r3_thread *next;
	int owned;			/* its thread still runs */
	unsigned int nr_nodes;
	unsigned int nr_flat;
	unsigned long depth;		/* of nested visits without a node */
	unsigned long lost;		/* visits that are not even in @flat */
	struct knc_r3_node *below;	/* the current node before @beyond */
	struct knc_r3_node beyond;	/* the current node in a region without a node */
	struct knc_r3_node nodes[KNC_REGION_PATHS + 1];	/* [0]: outside of all regions */
	struct knc_r3_node flat[KNC_R3_FLAT];	/* visits of regions without a node */
};

/* What the regions of all files share */
struct knc_r3_tree {
	struct knc_r3_thread *threads;
	unsigned int key;		/* 1 + the pthread_key_t of knc_r3_release(); 0: none */
	int at_exit;			/* the report will be printed */
	const char *label[KNC_R3_VALUES];
};

KNC_R3_NO_WARNING
KNC_R3_SHARED struct knc_r3_tree knc_r3_trees = {
	NULL, 0, 0, { "counter0", "counter1", "tsc" }
};

/* The current node of a thread before its first visit, and while it can't execute RDPMC */
KNC_R3_SHARED struct knc_r3_node knc_r3_off = {
	NULL, 0, { { { 0 }, 0, 0, 0 }, { { 0 }, 0, 0, 0 }, { { 0 }, 0, 0, 0 } },
	{ 0, 0, 0 }, NULL, NULL, NULL
};

KNC_R3_SHARED __thread struct knc_r3_node *knc_r3_cur = &knc_r3_off;
KNC_R3_SHARED __thread struct knc_r3_thread *knc_r3_self;
KNC_R3_WARNING

/* Set the name of a counter in the report, such as its event; @name is not copied */
KNC_R3_INLINE void knc_regions_label(unsigned int n, const char *name)
{
	if (n < KNC_NR_COUNTERS)
		knc_r3_trees.label[n] = name;
}

#include "ring3-marks.h"
#include "ring3-report.h"

/* Take the tree of an ended thread, or a new one. Lock-free, because trees are never freed. */
KNC_R3_OUT struct knc_r3_thread *knc_r3_claim(void)
{
	struct knc_r3_thread *t;
	int i;

	for (t = knc_r3_trees.threads; t; t = t->next)
		if (!t->owned && __sync_bool_compare_and_swap(&t->owned, 0, 1))
			return t;
	t = (struct knc_r3_thread *)calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->owned = 1;
	t->nr_nodes = 1;
	/* a surplus KNC_END() stays at this node, and changes no minimum or maximum */
	t->nodes[0].parent = &t->nodes[0];
	for (i = 0; i < KNC_R3_VALUES; i++)
		t->nodes[0].v[i].range = ~0UL;
	do {
		t->next = knc_r3_trees.threads;
	} while (!__sync_bool_compare_and_swap(&knc_r3_trees.threads, t->next, t));
	return t;
}

/* A thread ends: its counts remain in the tree, which another thread may continue */
KNC_R3_OUT void knc_r3_release(void *block)
{
	struct knc_r3_thread *t = (struct knc_r3_thread *)block;

	knc_r3_cur = &knc_r3_off;
	knc_r3_self = NULL;
	__sync_lock_release(&t->owned);
}

/* The kernel refuses RDPMC to this thread: end all its visits, uncounted */
KNC_R3_OUT void knc_r3_leave_all(void)
{
	knc_r3_cur = &knc_r3_off;
}

/* Programs without threads need not be linked with libpthread */
#pragma weak pthread_key_create
#pragma weak pthread_key_delete
#pragma weak pthread_setspecific

/* Have knc_r3_release() called when this thread ends. If two threads make a key, one key is used */
KNC_R3_OUT void knc_r3_at_end(struct knc_r3_thread *t)
{
	pthread_key_t key;

	if (!pthread_key_create || !pthread_key_delete || !pthread_setspecific)
		return;
	if (!knc_r3_trees.key) {
		if (pthread_key_create(&key, knc_r3_release))
			return;
		if (!__sync_bool_compare_and_swap(&knc_r3_trees.key, 0, key + 1))
			pthread_key_delete(key);
	}
	pthread_setspecific(knc_r3_trees.key - 1, t);
}

/* A thread's first visit of a region: give the thread a tree. 0: no memory, or marked regions */
KNC_R3_OUT int knc_r3_register(void)
{
	struct knc_r3_thread *t = knc_r3_marked() ? NULL : knc_r3_claim();

	if (!t)
		return 0;
	t->depth = 0;
	knc_r3_self = t;
	knc_r3_cur = &t->nodes[0];
	knc_r3_at_end(t);
	knc_r3_shared.leave_regions = knc_r3_leave_all;
	if (__sync_bool_compare_and_swap(&knc_r3_trees.at_exit, 0, 1))
		atexit(knc_r3_at_exit);
	return 1;
}

/* The node of @site in the list of siblings @first, or NULL */
KNC_R3_OUT struct knc_r3_node *knc_r3_find(struct knc_r3_node *first,
					   const struct knc_r3_site *site)
{
	while (first && first->site != site)
		first = first->sibling;
	return first;
}

/* No node is left: count the visit only. Its events belong to the last region that has a node */
KNC_R3_OUT void knc_r3_enter_beyond(const struct knc_r3_site *site)
{
	struct knc_r3_thread *t = knc_r3_self;
	unsigned int i;

	if (!t->depth++) {
		t->below = knc_r3_cur;
		knc_r3_cur = &t->beyond;
	}
	for (i = 0; i < t->nr_flat && t->flat[i].site != site; i++)
		;
	if (i == KNC_R3_FLAT) {
		t->lost++;
		return;
	}
	if (i == t->nr_flat) {
		t->flat[i].site = site;
		t->nr_flat++;
	}
	t->flat[i].visits++;
}

KNC_R3_COLD void knc_r3_leave_beyond(void)
{
	struct knc_r3_thread *t = knc_r3_self;

	if (knc_r3_marking.file)
		knc_r3_mark_end();
	else if (t && knc_r3_cur == &t->beyond && !--t->depth)
		knc_r3_cur = t->below;
}

/* Add a node of @site to @parent; NULL: the thread has no more */
KNC_R3_OUT struct knc_r3_node *knc_r3_add(struct knc_r3_node *parent,
					  const struct knc_r3_site *site)
{
	struct knc_r3_thread *t = knc_r3_self;
	struct knc_r3_node *n;
	int i;

	if (t->nr_nodes > KNC_REGION_PATHS)
		return NULL;
	n = &t->nodes[t->nr_nodes];
	n->parent = parent;
	n->site = site;
	n->sibling = parent->children;
	for (i = 0; i < KNC_R3_VALUES; i++)
		n->v[i].min = ~0UL;
	/* finish the node before another thread's report can see it: the CPU stores in order */
	__asm__ __volatile__("" : : : "memory");
	parent->children = n;
	t->nr_nodes++;
	return n;
}

/* Read the counters and the clock; knc_r3_exclude() later subtracts what was counted since */
KNC_R3_OUT void knc_r3_before(unsigned long *before)
{
	before[0] = knc_rdpmc(0);
	before[1] = knc_rdpmc(1);
	before[2] = knc_rdtsc();
}

/* Have the report subtract the events since @before, and @more, from the current region */
KNC_R3_OUT void knc_r3_exclude(const unsigned long *before,
			       const unsigned long *more)
{
	unsigned long *slow = knc_r3_cur->slow;

	slow[0] += knc_diff39(knc_rdpmc(0), before[0]) + more[0];
	slow[1] += knc_diff39(knc_rdpmc(1), before[1]) + more[1];
	slow[2] += knc_rdtsc() - before[2] + more[2];
}

/* Marked regions: *@memory is a node whose @visits is the number of the region */
KNC_R3_COLD void knc_r3_enter_marked(const struct knc_r3_site *site, struct knc_r3_node **memory)
{
	struct knc_r3_node *n = *memory;

	if (n == &knc_r3_off) {
		n = knc_r3_mark_node(site->name);
		if (n)
			*memory = n;
	}
	knc_r3_mark_begin(n ? n->visits : 0);
}

/*
 * Find or make the node of @site below the thread's current node, and store it in @memory, where
 * the next enter looks first. NULL: the visit is not measured.
 */
KNC_R3_COLD struct knc_r3_node *
knc_r3_enter_slow(const struct knc_r3_site *site, struct knc_r3_node **memory)
{
	unsigned long before[KNC_R3_VALUES];
	struct knc_r3_node *n;

	if (knc_r3_marked()) {
		knc_r3_enter_marked(site, memory);
		return NULL;
	}
	if (knc_r3_shared.status != KNC_RING3_OK)
		return NULL;
	knc_r3_before(before);
	if (!knc_r3_self && !knc_r3_register())
		return NULL;
	/* RDPMC was refused in an outer region, and is permitted again */
	if (knc_r3_cur == &knc_r3_off)
		knc_r3_cur = &knc_r3_self->nodes[0];
	if (knc_r3_cur == &knc_r3_self->beyond) {
		knc_r3_enter_beyond(site);
		return NULL;
	}
	n = knc_r3_find(knc_r3_cur->children, site);
	if (!n) {
		n = knc_r3_add(knc_r3_cur, site);
		if (!n) {
			knc_r3_enter_beyond(site);
			return NULL;
		}
		if (!site->cost->known)
			site->calibrate();
	}
	*memory = n;
	knc_r3_exclude(before, site->cost->enter);
	return n;
}

/*
 * Store a new minimum or maximum, which is @distance above the minimum. A counter that the kernel
 * has loaded during the visit is wrong by 2^39: correct it.
 */
KNC_R3_OUT void knc_r3_extreme(struct knc_r3_value *v, unsigned long distance,
			       int is_counter)
{
	unsigned long d = distance + v->min;

	/* the minimum itself, or the clock without KNC_REGION_TSC */
	if (!distance)
		return;
	if (is_counter) {
		v->total -= d;
		d = knc_diff39(d, 0);
		v->total += d;
	}
	if (v->min == ~0UL) {
		v->min = d;
	} else if (d < v->min) {
		v->range += v->min - d;
		v->min = d;
	} else if (d - v->min > v->range) {
		v->range = d - v->min;
	}
}

KNC_R3_COLD void knc_r3_extremes(struct knc_r3_node *n, unsigned long d0,
				 unsigned long d1, unsigned long d2)
{
	unsigned long before[KNC_R3_VALUES];

	/* RDPMC was refused during the visit: ignore it */
	if (knc_r3_shared.status != KNC_RING3_OK) {
		n->visits--;
		n->v[0].total -= d0 + n->v[0].min;
		n->v[1].total -= d1 + n->v[1].min;
		if (d2)
			n->v[KNC_R3_TSC].total -= d2 + n->v[KNC_R3_TSC].min;
		return;
	}
	knc_r3_before(before);
	knc_r3_extreme(&n->v[0], d0, 1);
	knc_r3_extreme(&n->v[1], d1, 1);
	knc_r3_extreme(&n->v[KNC_R3_TSC], d2, 0);
	knc_r3_exclude(before, n->site->cost->extreme);
}

/*
 * The fast paths. The instructions between the RDPMC of an enter and that of its leave are in
 * assembly: every region of a file must execute the same ones, so that their cost can be
 * subtracted.
 */
#ifdef KNC_REGION_TSC
#define KNC_R3_ENTER_TSC						\
	"rdtsc\n\t"							\
	"mov %%eax, %4\n\t"						\
	"mov %%edx, %5\n\t"
#define KNC_R3_LEAVE_TSC						\
	"lea (%%rax, %%rdx), %1\n\t"					\
	"rdtsc\n\t"							\
	"shl $32, %%rdx\n\t"						\
	"add %%rdx, %%rax\n\t"
#define KNC_R3_LEAVE_OUT(d0, d1, d2)					\
	"=&r" (d0), "=&r" (d1), "=&a" (d2)
#else
#define KNC_R3_ENTER_TSC
#define KNC_R3_LEAVE_TSC						\
	"add %%rdx, %1\n\t"
#define KNC_R3_LEAVE_OUT(d0, d1, d2)					\
	"=&r" (d0), "=&a" (d1)
#endif

#define KNC_R3_HALVES(value)						\
	"=m" ((value).start.half[0]), "=m" ((value).start.half[1])

/*
 * @memory has the node that the region used last in this thread. That node is right if its parent
 * is the thread's current node.
 */
KNC_R3_INLINE void knc_r3_enter(const struct knc_r3_site *site,
				struct knc_r3_node **memory)
{
	struct knc_r3_node *n = *memory;

	if (KNC_R3_UNLIKELY(n->parent != knc_r3_cur)) {
		n = knc_r3_enter_slow(site, memory);
		if (!n)
			return;
	}
	knc_r3_cur = n;
	__asm__ __volatile__(KNC_R3_ENTER_TSC
			     "xor %%ecx, %%ecx\n\t"
			     "rdpmc\n\t"
			     "mov %%eax, %0\n\t"
			     "mov %%edx, %1\n\t"
			     "mov $1, %%ecx\n\t"
			     "rdpmc\n\t"
			     "mov %%eax, %2\n\t"
			     "mov %%edx, %3\n\t"
			     : KNC_R3_HALVES(n->v[0]), KNC_R3_HALVES(n->v[1]),
			       KNC_R3_HALVES(n->v[KNC_R3_TSC])
			     : : "rax", "rcx", "rdx", "cc", "memory");
}

/* Add what was counted up to @now to the total; return how much it is above the minimum */
KNC_R3_INLINE unsigned long knc_r3_gain(struct knc_r3_value *v,
					unsigned long now)
{
	now -= v->start.joined;
	v->total += now;
	return now - v->min;
}

KNC_R3_INLINE void knc_r3_leave(void)
{
	struct knc_r3_node *n = knc_r3_cur, *parent = n->parent;
	unsigned long d0, d1, d2 = 0;

	if (KNC_R3_UNLIKELY(!parent)) {
		knc_r3_leave_beyond();
		return;
	}
	__asm__ __volatile__("xor %%ecx, %%ecx\n\t"
			     "rdpmc\n\t"
			     "shl $32, %%rdx\n\t"
			     "lea (%%rax, %%rdx), %0\n\t"
			     "mov $1, %%ecx\n\t"
			     "rdpmc\n\t"
			     "shl $32, %%rdx\n\t"
			     KNC_R3_LEAVE_TSC
			     : KNC_R3_LEAVE_OUT(d0, d1, d2)
			     : : "rcx", "rdx", "cc", "memory");
	knc_r3_cur = parent;
	n->visits++;
	d0 = knc_r3_gain(&n->v[0], d0);
	d1 = knc_r3_gain(&n->v[1], d1);
#ifdef KNC_REGION_TSC
	d2 = knc_r3_gain(&n->v[KNC_R3_TSC], d2);
#else
	d2 = 0;
#endif
	if (KNC_R3_UNLIKELY(d0 > n->v[0].range) ||
	    KNC_R3_UNLIKELY(d1 > n->v[1].range) ||
	    KNC_R3_UNLIKELY(d2 > n->v[KNC_R3_TSC].range))
		knc_r3_extremes(n, d0, d1, d2);
}

/*
 * The cost of empty regions of this file. knc_r3_measure() enters two regions, one in the other,
 * many times, outside of the threads' trees, and takes the least counts: with the fast paths only,
 * with a slow enter, and with a new extreme. If both counters read 0 they are stopped: a later
 * first visit measures again.
 */
static struct knc_r3_cost knc_r3_cost __attribute__((__unused__));

enum { KNC_R3_USUAL, KNC_R3_SLOW, KNC_R3_EXTREME, KNC_R3_KINDS };

KNC_R3_INLINE void knc_r3_least(unsigned long *least, unsigned long value)
{
	if (value < *least)
		*least = value;
}

static struct knc_r3_cost knc_r3_nothing __attribute__((__unused__));
static const struct knc_r3_site knc_r3_nowhere __attribute__((__unused__)) = {
	"", &knc_r3_nothing, NULL
};

/* Not inlined, so that the compiler allocates registers as it does in a program's function */
static __attribute__((__unused__, __noinline__)) void
knc_r3_nested(struct knc_r3_node *o, struct knc_r3_node *n)
{
	static __thread struct knc_r3_node *outer, *inner;

	outer = o;
	inner = n;
	__asm__ __volatile__("" : : : "memory");
	knc_r3_enter(&knc_r3_nowhere, &outer);
	knc_r3_enter(&knc_r3_nowhere, &inner);
	knc_r3_leave();
	knc_r3_leave();
}

/* Store in @of the cost of regions that @nested enters and leaves, knc_r3_nested() for example */
KNC_R3_OUT void knc_r3_measure(struct knc_r3_cost *of, const struct knc_r3_site *site,
			       void (*nested)(struct knc_r3_node *o, struct knc_r3_node *n))
{
	struct knc_r3_node top, o, n, *was = knc_r3_cur;
	unsigned long inside[KNC_R3_VALUES];
	unsigned long all[KNC_R3_KINDS][KNC_R3_VALUES];
	int i, run, kind;

	memset(inside, 0xff, sizeof(inside));
	memset(all, 0xff, sizeof(all));
	memset(&top, 0, sizeof(top));
	top.parent = &top;
	for (run = 0; run < 32 * KNC_R3_KINDS; run++) {
		kind = run % KNC_R3_KINDS;
		memset(&o, 0, sizeof(o));
		memset(&n, 0, sizeof(n));
		top.children = &o;
		o.parent = &top;
		o.children = &n;
		n.parent = &o;
		o.site = site;
		n.site = site;
		for (i = 0; i < KNC_R3_VALUES; i++) {
			o.v[i].range = ~0UL;
			n.v[i].range = kind == KNC_R3_EXTREME ? 0 : ~0UL;
		}
		knc_r3_cur = &top;
		nested(&o, kind == KNC_R3_SLOW ? &knc_r3_off : &n);
		for (i = 0; i < KNC_R3_VALUES; i++) {
			knc_r3_least(&inside[i], n.v[i].total);
			knc_r3_least(&all[kind][i],
				     o.v[i].total - o.slow[i]);
		}
	}
	knc_r3_cur = was;
	for (i = 0; i < KNC_R3_VALUES; i++) {
		of->inside[i] = inside[i];
		of->all[i] = all[0][i] - inside[i];
		of->enter[i] = all[KNC_R3_SLOW][i] - all[0][i];
		of->extreme[i] = all[KNC_R3_EXTREME][i] - all[0][i];
	}
	of->known = inside[0] || inside[1];
}

static __attribute__((__unused__)) void knc_r3_calibrate(void)
{
	knc_r3_measure(&knc_r3_cost, &knc_r3_nowhere, knc_r3_nested);
}

#define KNC_R3_HERE(name)						\
	static const struct knc_r3_site knc_r3_site = {			\
		name, &knc_r3_cost, knc_r3_calibrate			\
	};								\
	static __thread struct knc_r3_node *knc_r3_memory = &knc_r3_off

#define KNC_R3_ENTER(name)						\
	__extension__ ({						\
		KNC_R3_HERE(name);					\
		knc_r3_enter(&knc_r3_site, &knc_r3_memory);		\
		1;							\
	})

/* A region from here to KNC_END(); every way out of it must pass KNC_END() */
#define KNC_BEGIN(name)							\
	do {								\
		KNC_R3_HERE(name);					\
		knc_r3_enter(&knc_r3_site, &knc_r3_memory);		\
	} while (0)
#define KNC_END(name)	do { (void)sizeof(name); knc_r3_leave(); } while (0)

#define KNC_R3_PASTE(a, b)	a ## b
#define KNC_R3_XPASTE(a, b)	KNC_R3_PASTE(a, b)

KNC_R3_INLINE void knc_r3_cleanup(int *once)
{
	(void)once;
	knc_r3_leave();
}

#if defined(__cplusplus)
/* The next statement or block is a region; break, return and exceptions end it too */
#define KNC_REGION(name)						\
	for (struct knc_r3_scope knc_r3_scope(KNC_R3_ENTER(name));	\
	     knc_r3_scope.once; knc_r3_scope.once = 0)
/* A region from here to the end of the block */
#define KNC_SCOPE(name)							\
	struct knc_r3_scope KNC_R3_XPASTE(knc_r3_scope_, __LINE__)	\
		(KNC_R3_ENTER(name))
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define KNC_REGION(name)						\
	for (int knc_r3_once __attribute__((__cleanup__(knc_r3_cleanup))) = \
	     KNC_R3_ENTER(name); knc_r3_once; knc_r3_once = 0)
#define KNC_SCOPE(name)							\
	int KNC_R3_XPASTE(knc_r3_scope_, __LINE__)			\
	__attribute__((__cleanup__(knc_r3_cleanup), __unused__)) =	\
	KNC_R3_ENTER(name)
#else
/*
 * C89 has no declaration in a for statement. Enter, and jump into the loop to the statement; its
 * next round leaves. The statement may be left by its end or by continue only.
 */
#define KNC_REGION(name)						\
	KNC_R3_REGION(name, KNC_R3_XPASTE(knc_r3_body_, __COUNTER__))
#define KNC_R3_REGION(name, body)					\
	if (KNC_R3_ENTER(name))						\
		goto body;						\
	else								\
		while (1)						\
			if (1) {					\
				knc_r3_leave();				\
				break;					\
			} else						\
				body:
#define KNC_SCOPE(name)							\
	int KNC_R3_XPASTE(knc_r3_scope_, __LINE__)			\
	__attribute__((__cleanup__(knc_r3_cleanup), __unused__)) =	\
	KNC_R3_ENTER(name)
#endif

#ifdef __cplusplus
struct knc_r3_scope {
	int once;

	explicit knc_r3_scope(int one) : once(one) {}
	~knc_r3_scope() { knc_r3_leave(); }
};
#endif

#endif /* KNC_RING3_REGIONS_H */
