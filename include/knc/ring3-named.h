/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Regions of ring3.h whose names are known at run time only: for other languages, and for programs
 * with the markers of another tool. likwid/likwid-marker.h and fortran/ are made of it.
 *
 *	knc_region_begin(name);			the name is copied
 *	knc_region_end(name);			of the innermost region with this name
 *	knc_region_begin_text(name, length);	the same without a 0 at the end of the name:
 *	knc_region_end_text(name, length);	blanks are cut there, and what is longer than 255
 *	knc_region_get(name, &visits, counts);	of the calling thread: both counters and the clock
 *	knc_region_reset(name);			of the calling thread; call it outside of the region
 *
 * They are in the same trees and reports as KNC_REGION(). They cost more: the name is looked up. As
 * for KNC_REGION(), the report subtracts the cost. Regions may overlap: what begins last need not
 * end first. The events of both are then in both.
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
/* In place of a length: the name ends with a 0 */
#define KNC_R3_WHOLE	(~(size_t)0)

static struct knc_r3_cost knc_r3_named_cost __attribute__((__unused__));
KNC_R3_OUT void knc_r3_named_calibrate(void);

static const struct knc_r3_site knc_r3_named_nowhere __attribute__((__unused__)) = {
	"", &knc_r3_nothing, knc_r3_named_calibrate
};

/* A place for all regions of this file with a name. They are never freed, as the trees */
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

/* Is @site the one of this file for @name? KNC_REGION() has other costs */
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

KNC_R3_OUT void knc_region_begin_text(const char *name, size_t length)
{
	unsigned long before[KNC_R3_VALUES];
	struct knc_r3_node *n;
	char text[KNC_R3_TEXT];

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

/* Begin the present visit of @n later, by what was counted since @before */
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

/* End @n. What was counted since @before belongs neither to it nor to the regions around it */
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
 * The visits of @n and of the nodes around it, up to @end, go on when @end ends: make them visits
 * of the region around @end, and return the innermost. Without a node it is lost: NULL.
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

/* End a region around the present one, which goes on */
KNC_R3_COLD void knc_r3_end_around(const char *name, const unsigned long *before)
{
	unsigned long cost[KNC_R3_VALUES];
	struct knc_r3_node *end = knc_r3_cur, *inner, *n;

	while (end->site && strcmp(end->site->name, name))
		end = end->parent;
	/* it was not begun */
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

/* A program in another language has a function of its own around these, which costs too */
#ifndef KNC_R3_NESTED
#define KNC_R3_NESTED	knc_r3_named_nested
#endif

KNC_R3_OUT void knc_r3_named_calibrate(void)
{
	knc_r3_measure(&knc_r3_named_cost, &knc_r3_named_nowhere, KNC_R3_NESTED);
}

/* Store the inclusive counts of a region. Returns 0 without a visit that has ended */
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

/* Forget the visits of @n. Its regions' cost is still in the region around it */
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

/* Set a region, and what is inside it, to 0 */
KNC_R3_OUT void knc_region_reset(const char *name)
{
	struct knc_r3_thread *t = knc_r3_self;
	const struct knc_r3_node *up;
	unsigned long before[KNC_R3_VALUES];
	unsigned int k;

	if (!knc_ring3_available() || !t)
		return;
	knc_r3_before(before);
	/* what is inside first: its cost is then its parent's */
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
