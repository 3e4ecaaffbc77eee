/* SPDX-License-Identifier: GPL-2.0 */
/* All stacks of an event */
#ifndef KNC_CTL_CALLTREE_H
#define KNC_CTL_CALLTREE_H

#include <stdio.h>

#include "profile/profile.h"

/**
 * struct node - a frame with those that called it
 * @key: its caller and its name
 * @self: events of samples that were here
 * @total: events here and in what it called
 * @samples: how many samples were here
 * @child: the first of those it called
 * @next: the next one of the same caller
 * @id: number of the node
 * @hh: in a hash, by @key
 */
struct node {
	struct {
		struct node *parent;
		const struct label *label;
	} key;
	unsigned long long self;
	unsigned long long total;
	unsigned long long samples;
	struct node *child;
	struct node *next;
	unsigned int id;
	UT_hash_handle hh;
};

/**
 * struct calltree - all stacks of an event
 * @root: has no name; its children are threads by name
 * @nodes: hash of all
 * @nr: how many
 * @depth: of the deepest stack
 */
struct calltree {
	struct node root;
	struct node *nodes;
	unsigned int nr;
	unsigned int depth;
};

struct node *calltree_add(struct calltree *t, struct symbols *symbols,
			  const struct sample *sample);
/* Children in the order of their names (or: the most events first) */
void calltree_sort(struct calltree *t, int by_weight);
void calltree_folded(const struct calltree *t, FILE *f);
void calltree_print(struct calltree *t, FILE *f, double limit);
void calltree_free(struct calltree *t);

#endif /* KNC_CTL_CALLTREE_H */
