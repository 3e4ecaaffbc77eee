/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set-associative memory with true LRU replacement, for the caches, TLBs and the BTB of an
 * emulated Knights Corner core
 */
#ifndef KNC_ASSOC_H
#define KNC_ASSOC_H

typedef struct KncEntry {
	uint64_t tag;		/* its low bits choose the set */
	uint64_t data;
	uint32_t state;		/* 0: unused */
} KncEntry;

/* A set has its entries in the order of their last use: the latest first, unused ones last */
typedef struct KncAssoc {
	unsigned int sets;	/* a power of two */
	unsigned int ways;
	KncEntry *entries;
} KncAssoc;

static inline KncEntry *knc_assoc_set(const KncAssoc *a, uint64_t tag)
{
	return &a->entries[(tag & (a->sets - 1)) * a->ways];
}

/* Look up @tag without a use: the order of the set stays; NULL: no entry */
static inline KncEntry *knc_assoc_peek(const KncAssoc *a, uint64_t tag)
{
	KncEntry *set = knc_assoc_set(a, tag);
	unsigned int i;

	for (i = 0; i < a->ways && set[i].state; i++)
		if (set[i].tag == tag)
			return &set[i];
	return NULL;
}

/* Look up @tag, and make its entry the latest of its set; NULL: no entry */
static inline KncEntry *knc_assoc_use(const KncAssoc *a, uint64_t tag)
{
	KncEntry *set = knc_assoc_set(a, tag);
	KncEntry *e, used;

	if (likely(set->state && set->tag == tag))
		return set;
	e = knc_assoc_peek(a, tag);
	if (!e)
		return NULL;
	used = *e;
	memmove(set + 1, set, (e - set) * sizeof(*set));
	*set = used;
	return set;
}

/* Add an entry for @tag, which must have none, as the latest; returns the entry that it replaces */
static inline KncEntry knc_assoc_add(const KncAssoc *a, uint64_t tag, uint64_t data,
				     uint32_t state)
{
	KncEntry *set = knc_assoc_set(a, tag);
	KncEntry victim = set[a->ways - 1];

	memmove(set + 1, set, (a->ways - 1) * sizeof(*set));
	*set = (KncEntry){ .tag = tag, .data = data, .state = state };
	return victim;
}

static inline void knc_assoc_remove(const KncAssoc *a, KncEntry *e)
{
	KncEntry *last = knc_assoc_set(a, e->tag) + a->ways - 1;

	memmove(e, e + 1, (last - e) * sizeof(*e));
	last->state = 0;
}

static inline void knc_assoc_empty(const KncAssoc *a)
{
	memset(a->entries, 0, a->sets * a->ways * sizeof(*a->entries));
}

static inline void knc_assoc_init(KncAssoc *a, unsigned int entries, unsigned int ways)
{
	a->sets = entries / ways;
	a->ways = ways;
	a->entries = g_new0(KncEntry, entries);
}

#endif /* KNC_ASSOC_H */
