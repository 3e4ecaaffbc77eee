/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Regions of ring3.h whose names are known only at run time: for other languages, and for programs
 * with another tool's markers. likwid/likwid-marker.h and fortran/ use this file.
 *
 *	knc_region_begin(name);			copies the name
 *	knc_region_end(name);			ends the innermost region with this name
 *	knc_region_begin_text(name, length);	begin and end for a name without a final NUL:
 *	knc_region_end_text(name, length);	trailing blanks, and bytes beyond 255, are cut off
 *	knc_region_get(name, &visits, counts);	the calling thread's counts and TSC
 *	knc_region_reset(name);			for the calling thread, outside of the region
 *
 * These regions are in the same trees and reports as KNC_REGION()'s. They cost more, because the
 * name is looked up; the report subtracts the cost here too. Regions may overlap: the one that
 * begins last need not end first. Events in the common part then count in both regions.
 */
#ifndef KNC_RING3_NAMED_H
#define KNC_RING3_NAMED_H

#include "ring3.h"

#ifdef KNC_NO_INSTRUMENT
#define knc_region_begin(name)			((void)sizeof(*(name)))
#define knc_region_end(name)			((void)sizeof(*(name)))
#define knc_region_begin_text(name, length)	((void)sizeof(*(name)))
#define knc_region_end_text(name, length)	((void)sizeof(*(name)))
#define knc_region_get(name, visits, counts)	KNC_R3_UNUSED(visits, *(counts))
#define knc_region_reset(name)			((void)sizeof(*(name)))
#else

#define KNC_R3_TEXT	256
/* The length of a name that ends with a NUL */
#define KNC_R3_WHOLE	(~(size_t)0)

static struct knc_r3_cost knc_r3_named_cost __attribute__((__unused__));
KNC_R3_OUT void knc_r3_named_calibrate(void);

static const struct knc_r3_site knc_r3_named_nowhere __attribute__((__unused__)) = {
	"", &knc_r3_nothing, knc_r3_named_calibrate
};

/* A site for the regions of one name. Like the trees, it is never freed */
KNC_R3_OUT struct knc_r3_site *knc_r3_named_site(const char *name)
{
	size_t size = strlen(name) + 1;
	struct knc_r3_site *site = (struct knc_r3_site *)malloc(sizeof(*site) + size);

	if (!site)
		return NULL;
	site->name = (char *)memcpy(site + 1, name, size);
	site->cost = &knc_r3_named_cost;
	site->calibrate = knc_r3_named_calibrate;
	return site;
}

/* Is @site of this file, and for @name? Sites of KNC_REGION() have another cost */
KNC_R3_OUT int knc_r3_is_named(const struct knc_r3_site *site, const char *name)
{
	return site->calibrate == knc_r3_named_calibrate && !strcmp(site->name, name);
}

KNC_R3_OUT void knc_r3_named_beyond(const char *name)
{
	const struct knc_r3_site *site = &knc_r3_named_nowhere;
	struct knc_r3_thread *t = knc_r3_self;
	unsigned int i;

	for (i = 0; i < t->nr_flat && !knc_r3_is_named(t->flat[i].site, name); i++)
		;
	if (i < t->nr_flat)
		site = t->flat[i].site;
	else if (i < KNC_R3_FLAT)
		site = knc_r3_named_site(name);
	if (site)
		knc_r3_enter_beyond(site);
}

/* The node of the region @name below the thread's current node. NULL: the visit is not measured */
KNC_R3_OUT struct knc_r3_node *knc_r3_named_node(const char *name)
{
	struct knc_r3_site *site;
	struct knc_r3_node *n;

	if (!knc_r3_self && !knc_r3_register())
		return NULL;
	if (knc_r3_cur == &knc_r3_off)
		knc_r3_cur = &knc_r3_self->nodes[0];
	if (knc_r3_cur == &knc_r3_self->beyond) {
		knc_r3_named_beyond(name);
		return NULL;
	}
	for (n = knc_r3_cur->children; n; n = n->sibling)
		if (knc_r3_is_named(n->site, name))
			return n;
	site = knc_r3_named_site(name);
	n = site ? knc_r3_add(knc_r3_cur, site) : NULL;
	if (!n) {
		free(site);
		knc_r3_named_beyond(name);
	} else if (!knc_r3_named_cost.known) {
		knc_r3_named_calibrate();
	}
	return n;
}

/* Copy a name with a length to @text */
KNC_R3_OUT const char *knc_r3_text(char *text, const char *name, size_t length)
{
	if (length == KNC_R3_WHOLE)
		return name;
	while (length && name[length - 1] == ' ')
		length--;
	if (length > KNC_R3_TEXT - 1)
		length = KNC_R3_TEXT - 1;
	memcpy(text, name, length);
	text[length] = '\0';
	return text;
}

/* End the innermost visit of @name; visits inside it go on */
KNC_R3_COLD void knc_r3_mark_end_named(const char *name)
{
	unsigned long now = knc_rdtsc();
	struct knc_r3_marker *m = &knc_r3_marker;
	const struct knc_r3_node *n = knc_r3_mark_node(name);
	struct knc_marks_open *open;
	unsigned int d = m->depth;

	if (!m->ring || d > KNC_MARKS_DEPTH || !n) {
		knc_r3_mark_end();
		return;
	}
	open = m->open;
	while (d && open[d - 1].region != n->visits)
		d--;
	if (!d)
		return;
	knc_r3_mark_write(d - 1, now);
	for (m->depth--; d <= m->depth; d++)
		open[d - 1] = open[d];
	m->ring->depth = m->depth;
}

KNC_R3_OUT void knc_region_begin_text(const char *name, size_t length)
{
	unsigned long before[KNC_R3_VALUES];
	struct knc_r3_node *n;
	char text[KNC_R3_TEXT];

	if (knc_r3_marked()) {
		n = knc_r3_mark_node(knc_r3_text(text, name, length));
		knc_r3_mark_begin(n ? n->visits : 0);
		return;
	}
	if (!knc_ring3_available())
		return;
	knc_r3_before(before);
	n = knc_r3_named_node(knc_r3_text(text, name, length));
	if (!n)
		return;
	knc_r3_exclude(before, knc_r3_nothing.enter);
	knc_r3_enter(n->site, &n);
}

KNC_R3_INLINE void knc_region_begin(const char *name)
{
	knc_region_begin_text(name, KNC_R3_WHOLE);
}

/* Exclude what was counted since @before from the present visit of @n, and store it in @cost */
KNC_R3_OUT void knc_r3_delay_start(struct knc_r3_node *n, const unsigned long *before,
				   unsigned long *cost)
{
	int i;

	cost[0] = knc_diff39(knc_rdpmc(0), before[0]);
	cost[1] = knc_diff39(knc_rdpmc(1), before[1]);
	cost[2] = knc_rdtsc() - before[2];
	for (i = 0; i < KNC_R3_VALUES; i++)
		n->v[i].start.joined += cost[i];
}

/* End @n. What was counted since @before is our own cost: neither @n nor its parents get it */
KNC_R3_OUT void knc_r3_end_node(struct knc_r3_node *n, const unsigned long *before)
{
	unsigned long cost[KNC_R3_VALUES];
	int i;

	knc_r3_delay_start(n, before, cost);
	for (i = 0; i < KNC_R3_VALUES; i++)
		n->parent->slow[i] += cost[i];
	knc_r3_cur = n;
	knc_r3_leave();
}

/*
 * @end ends before @n and the nodes between the two: move their visits to the parent of @end, and
 * return the new innermost node; NULL: no node was free, and the visits are lost.
 */
KNC_R3_OUT struct knc_r3_node *knc_r3_move(struct knc_r3_node *n, struct knc_r3_node *end)
{
	struct knc_r3_node *parent, *to;
	int i;

	if (n == end)
		return end->parent;
	parent = knc_r3_move(n->parent, end);
	to = parent ? knc_r3_find(parent->children, n->site) : NULL;
	if (parent && !to)
		to = knc_r3_add(parent, n->site);
	if (!to) {
		knc_r3_self->lost++;
		return NULL;
	}
	for (i = 0; i < KNC_R3_VALUES; i++)
		to->v[i].start.joined = n->v[i].start.joined;
	return to;
}

/* End a region that is not the innermost one: the regions inside it go on */
KNC_R3_COLD void knc_r3_end_around(const char *name, const unsigned long *before)
{
	unsigned long cost[KNC_R3_VALUES];
	struct knc_r3_node *end = knc_r3_cur, *inner, *n;

	while (end->site && strcmp(end->site->name, name))
		end = end->parent;
	/* no region of this name was begun: ignore the end */
	if (!end->site)
		return;
	inner = knc_r3_move(knc_r3_cur, end);
	knc_r3_end_node(end, before);
	if (!inner)
		return;
	knc_r3_cur = inner;
	for (n = inner; n != end->parent; n = n->parent)
		knc_r3_delay_start(n, before, cost);
}

KNC_R3_OUT void knc_region_end_text(const char *name, size_t length)
{
	unsigned long before[KNC_R3_VALUES];
	struct knc_r3_node *n = knc_r3_cur;
	char text[KNC_R3_TEXT];

	if (knc_r3_marked()) {
		knc_r3_mark_end_named(knc_r3_text(text, name, length));
		return;
	}
	if (!knc_ring3_available())
		return;
	knc_r3_before(before);
	name = knc_r3_text(text, name, length);
	if (n->site && !strcmp(n->site->name, name))
		knc_r3_end_node(n, before);
	else if (n->site)
		knc_r3_end_around(name, before);
	else if (!n->parent)
		knc_r3_leave_beyond();
}

KNC_R3_INLINE void knc_region_end(const char *name)
{
	knc_region_end_text(name, KNC_R3_WHOLE);
}

static __attribute__((__unused__, __noinline__)) void
knc_r3_named_nested(struct knc_r3_node *o, struct knc_r3_node *n)
{
	(void)o;
	(void)n;
	knc_region_begin("");
	knc_region_begin("");
	knc_region_end("");
	knc_region_end("");
}

/* Other languages define this as their own function, to measure the cost of their calls too */
#ifndef KNC_R3_NESTED
#define KNC_R3_NESTED	knc_r3_named_nested
#endif

KNC_R3_OUT void knc_r3_named_calibrate(void)
{
	knc_r3_measure(&knc_r3_named_cost, &knc_r3_named_nowhere, KNC_R3_NESTED);
}

/* Store the inclusive counts of a region. Returns 0 if no visit has ended yet */
KNC_R3_OUT int knc_region_get(const char *name, unsigned long *visits, unsigned long *counts)
{
	unsigned long before[KNC_R3_VALUES];
	struct knc_r3_row *rows = NULL;
	size_t nr = 0, i;
	int k, found = 0;

	*visits = 0;
	memset(counts, 0, KNC_R3_VALUES * sizeof(*counts));
	if (!knc_ring3_available() || !knc_r3_self)
		return 0;
	knc_r3_before(before);
	knc_r3_sum_thread(knc_r3_self, &rows, &nr);
	for (i = 0; i < nr && !found; i++) {
		found = !strcmp(rows[i].name, name);
		if (found)
			*visits = rows[i].visits;
		for (k = 0; found && k < KNC_R3_VALUES; k++)
			counts[k] = rows[i].v[k].inclusive;
	}
	free(rows);
	knc_r3_exclude(before, knc_r3_nothing.enter);
	return found;
}

/* Forget the visits of @n. Their cost remains in its parent's counts, and goes to @slow there */
KNC_R3_OUT void knc_r3_forget(struct knc_r3_node *n)
{
	unsigned long *around = n->parent->slow;
	int i;

	for (i = 0; i < KNC_R3_VALUES; i++) {
		around[i] += n->slow[i] + n->visits * n->site->cost->all[i];
		n->slow[i] = 0;
		n->v[i].total = 0;
		n->v[i].min = ~0UL;
		n->v[i].range = 0;
	}
	n->visits = 0;
}

/* Set the counts of a region, and of all regions inside it, to 0 */
KNC_R3_OUT void knc_region_reset(const char *name)
{
	struct knc_r3_thread *t = knc_r3_self;
	const struct knc_r3_node *up;
	unsigned long before[KNC_R3_VALUES];
	unsigned int k;

	if (!knc_ring3_available() || !t)
		return;
	knc_r3_before(before);
	/* inner nodes first, because each passes its cost on to its parent */
	for (k = t->nr_nodes - 1; k; k--) {
		for (up = &t->nodes[k]; up->site && strcmp(up->site->name, name); up = up->parent)
			;
		if (up->site)
			knc_r3_forget(&t->nodes[k]);
	}
	knc_r3_exclude(before, knc_r3_nothing.enter);
}

#endif /* KNC_NO_INSTRUMENT */

#endif /* KNC_RING3_NAMED_H */
