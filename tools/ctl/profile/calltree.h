/* SPDX-License-Identifier: GPL-2.0 */
/* The call tree of all stacks of an event */
#ifndef KNC_CTL_CALLTREE_H
#define KNC_CTL_CALLTREE_H

#include <stdio.h>

#include "profile/profile.h"

/* The trees that a flame graph shows */
enum view {
	VIEW_CALLS,	/* callers first */
	VIEW_REVERSE,	/* the function of the sample first, then its callers */
	VIEW_MODULES,	/* callers first, as files; only the sample's function by name */
	NR_VIEWS
};

/**
 * struct node - a frame and its callers
 * @key: its caller and its name
 * @self: events of samples in this frame
 * @total: events of samples in this frame and in its callees
 * @samples: number of samples in this frame
 * @child: its first callee
 * @next: the next callee of the same caller
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
 * @root: a node without a name; its children are names of threads
 * @nodes: hash of all nodes
 * @nr: number of nodes
 * @depth: frames of the deepest stack
 */
struct calltree {
	struct node root;
	struct node *nodes;
	unsigned int nr;
	unsigned int depth;
};

/**
 * struct stacks - the stacks of an event
 * @views: a tree for each view
 */
struct stacks {
	struct calltree views[NR_VIEWS];
};

/*
 * Sort children by name, or (@by_weight) with the most events first, and compute @total, which
 * printing needs
 */
void calltree_sort(struct calltree *t, int by_weight);
void calltree_folded(const struct calltree *t, FILE *f);
/* @mark: printed before each share (profile_mark()) */
void calltree_print(struct calltree *t, FILE *f, double limit, const char *mark);

/*
 * Add a sample to VIEW_CALLS, and with @all to the other views; @ends are the nodes in which its
 * stack ends
 */
void stacks_add(struct stacks *s, struct symbols *symbols, const struct sample *sample, int all,
		struct node **ends);
/* Sort the children of all views by name */
void stacks_sort(struct stacks *s);
void stacks_free(struct stacks *s);

#endif /* KNC_CTL_CALLTREE_H */
