// SPDX-License-Identifier: GPL-2.0
/* The call tree of all stacks of an event; prints it as a tree or folded */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/calltree.h"

static struct node *get_child(struct calltree *t, struct node *parent,
			      const struct label *label)
{
	struct node key, *node;

	memset(&key.key, 0, sizeof(key.key));
	key.key.parent = parent;
	key.key.label = label;
	HASH_FIND(hh, t->nodes, &key.key, sizeof(key.key), node);
	if (node)
		return node;
	node = xalloc(1, sizeof(*node));
	node->key = key.key;
	node->id = ++t->nr;
	node->next = parent->child;
	parent->child = node;
	HASH_ADD(hh, t->nodes, key, sizeof(node->key), node);
	return node;
}

static struct node *add_calls(struct calltree *t, const struct sample *s,
			      const struct label *thread)
{
	struct node *node = get_child(t, &t->root, thread);
	unsigned int i;

	for (i = s->nr; i-- > 0;)
		node = get_child(t, node, s->frames[i]->label);
	return node;
}

static struct node *add_reverse(struct calltree *t, const struct sample *s,
				const struct label *thread)
{
	struct node *node = &t->root;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		node = get_child(t, node, s->frames[i]->label);
	return get_child(t, node, thread);
}

/* Add a stack of files: successive functions of one file are one frame */
static struct node *add_modules(struct calltree *t, struct symbols *symbols,
				const struct sample *s, const struct label *thread)
{
	struct node *node = get_child(t, &t->root, thread);
	const struct dso *last = NULL;
	const struct place *place;
	unsigned int i;

	for (i = s->nr; i-- > 0;) {
		place = s->frames[i];
		if (place->dso == last)
			continue;
		last = place->dso;
		node = get_child(t, node, symbols_label(symbols, last->short_name,
							place->label->key.kernel, 0));
	}
	return get_child(t, node, s->frames[0]->label);
}

static struct node *calltree_add(struct calltree *t, struct symbols *symbols,
				 const struct sample *s, enum view view)
{
	const struct label *thread = symbols_label(symbols, s->comm, 0, 1);
	struct node *node, *at;
	unsigned int depth = 0;

	if (view == VIEW_REVERSE)
		node = add_reverse(t, s, thread);
	else if (view == VIEW_MODULES)
		node = add_modules(t, symbols, s, thread);
	else
		node = add_calls(t, s, thread);
	node->self += s->period;
	node->samples++;
	for (at = node; at != &t->root; at = at->key.parent)
		depth++;
	if (depth > t->depth)
		t->depth = depth;
	return node;
}

static int by_name(const void *a, const void *b)
{
	const struct node *x = *(const struct node * const *)a;
	const struct node *y = *(const struct node * const *)b;
	int ret = strcmp(x->key.label->key.text, y->key.label->key.text);

	return ret ? : x->key.label->key.kernel - y->key.label->key.kernel;
}

static int by_total(const void *a, const void *b)
{
	const struct node *x = *(const struct node * const *)a;
	const struct node *y = *(const struct node * const *)b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return by_name(a, b);
}

/* Sort the children, and sum up @total over the subtree */
static void sort_node(struct node *node, int by_weight)
{
	struct node **children, *child;
	size_t nr = 0, i;

	node->total = node->self;
	for (child = node->child; child; child = child->next) {
		sort_node(child, by_weight);
		node->total += child->total;
		nr++;
	}
	if (nr < 2)
		return;
	children = xalloc(nr, sizeof(*children));
	for (child = node->child, i = 0; child; child = child->next)
		children[i++] = child;
	qsort(children, nr, sizeof(*children), by_weight ? by_total : by_name);
	for (i = 0; i < nr; i++)
		children[i]->next = i + 1 < nr ? children[i + 1] : NULL;
	node->child = children[0];
	free(children);
}

void calltree_sort(struct calltree *t, int by_weight)
{
	sort_node(&t->root, by_weight);
}

/* Print a frame with ';', the separator, replaced */
static void print_frame(FILE *f, const char *text)
{
	for (; *text; text++)
		fputc(*text == ';' ? ':' : *text, f);
}

static void print_stack(FILE *f, const struct node *node)
{
	if (node->key.parent->key.label) {
		print_stack(f, node->key.parent);
		fputc(';', f);
	}
	print_frame(f, node->key.label->key.text);
}

static void folded(const struct node *node, FILE *f)
{
	const struct node *child;

	if (node->self) {
		print_stack(f, node);
		fprintf(f, " %llu\n", node->self);
	}
	for (child = node->child; child; child = child->next)
		folded(child, f);
}

void calltree_folded(const struct calltree *t, FILE *f)
{
	folded(&t->root, f);
}

/* @mark: printed before each share; @depth: number of callers of @node */
static void print_node(const struct calltree *t, const struct node *node, FILE *f,
		       int depth, double limit, const char *mark)
{
	double share = percent(node->total, t->root.total);
	const struct node *child;
	char text[16];
	int i;

	if (share < limit)
		return;
	snprintf(text, sizeof(text), "%s%.2f%%", mark, share);
	fprintf(f, "%8s  ", text);
	for (i = 0; i < depth; i++)
		fputs("| ", f);
	fprintf(f, "%s%s", node->key.label->key.text,
		node->key.label->key.kernel ? " [k]" : "");
	if (node->self && node->child)
		fprintf(f, "  (%s%.2f%% self)", mark, percent(node->self, t->root.total));
	fputc('\n', f);
	for (child = node->child; child; child = child->next)
		print_node(t, child, f, depth + 1, limit, mark);
}

void calltree_print(struct calltree *t, FILE *f, double limit, const char *mark)
{
	const struct node *child;

	for (child = t->root.child; child; child = child->next)
		print_node(t, child, f, 0, limit, mark);
}

static void calltree_free(struct calltree *t)
{
	free_entries(t->nodes);
	memset(t, 0, sizeof(*t));
}

void stacks_add(struct stacks *s, struct symbols *symbols, const struct sample *sample, int all,
		struct node **ends)
{
	int view;

	for (view = 0; view < (all ? NR_VIEWS : VIEW_CALLS + 1); view++)
		ends[view] = calltree_add(&s->views[view], symbols, sample, view);
}

void stacks_sort(struct stacks *s)
{
	int view;

	for (view = 0; view < NR_VIEWS; view++)
		calltree_sort(&s->views[view], 0);
}

void stacks_free(struct stacks *s)
{
	int view;

	for (view = 0; view < NR_VIEWS; view++)
		calltree_free(&s->views[view]);
}
