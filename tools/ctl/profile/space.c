// SPDX-License-Identifier: GPL-2.0
/*
 * The mappings of processes, by address
 *
 * A process may have tens of thousands of mappings, and new ones come between samples: both
 * searching and adding are logarithmic. The tree is a treap: an area is above those of lower ranks.
 * Ranks are random, so that no order of mappings makes the tree deep. A child shares its parent's
 * tree, which is copied on write.
 */
#include <stdlib.h>

#include "cli/clock.h"
#include "cli/memory.h"
#include "profile/space.h"

#define BLOCK	8000	/* words */

/**
 * struct area - addresses of a mapping that no later mapping has taken
 * @left: areas of lower addresses
 * @right: areas of higher addresses
 * @start: first address
 * @end: last address + 1
 * @map: the mapping
 * @rank: not lower than those of @left and @right
 * @owner: only a space with this @owner may change the area
 */
struct area {
	struct area *left;
	struct area *right;
	unsigned long long start;
	unsigned long long end;
	const struct map *map;
	unsigned int rank;
	unsigned int owner;
};

/* Memory for areas and mappings, freed together */
struct block {
	struct block *next;
	unsigned long long words[BLOCK];
};

/**
 * struct spaces - all address spaces
 * @blocks: their memory, the block with free words first
 * @used: words of that block in use
 * @owners: number of owners so far
 * @random: state of the ranks
 */
struct spaces {
	struct block *blocks;
	unsigned int used;
	unsigned int owners;
	unsigned long long random;
};

struct spaces *spaces_new(void)
{
	struct spaces *all = xalloc(1, sizeof(*all));

	/* a seed unknown to the file's author, who could otherwise make the tree deep */
	all->random = now_ns() ^ (unsigned long)all;
	return all;
}

void spaces_free(struct spaces *all)
{
	struct block *block;

	while (all && (block = all->blocks)) {
		all->blocks = block->next;
		free(block);
	}
	free(all);
}

static void *take(struct spaces *all, size_t size)
{
	unsigned int words = size / sizeof(all->blocks->words[0]);
	struct block *block = all->blocks;

	if (!block || all->used + words > BLOCK) {
		block = xalloc(1, sizeof(*block));
		block->next = all->blocks;
		all->blocks = block;
		all->used = 0;
	}
	all->used += words;
	return &block->words[all->used - words];
}

static unsigned int next_rank(struct spaces *all)
{
	all->random = all->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return all->random >> 32;
}

static struct area *copy(struct spaces *all, const struct space *space, const struct area *from)
{
	struct area *area = take(all, sizeof(*area));

	*area = *from;
	area->owner = space->owner;
	return area;
}

/* The area itself if @space owns it, else a copy that @space may change */
static struct area *own(struct spaces *all, const struct space *space, struct area *area)
{
	return area->owner == space->owner ? area : copy(all, space, area);
}

/* Split a tree into the addresses below @addr, and the rest */
static void split(struct spaces *all, const struct space *space, struct area *area,
		  unsigned long long addr, struct area **below, struct area **rest)
{
	*below = NULL;
	*rest = NULL;
	if (!area)
		return;
	area = own(all, space, area);
	if (addr <= area->start) {
		*rest = area;
		split(all, space, area->left, addr, below, &area->left);
	} else if (addr >= area->end) {
		*below = area;
		split(all, space, area->right, addr, &area->right, rest);
	} else {
		*below = area;
		*rest = copy(all, space, area);
		area->end = addr;
		area->right = NULL;
		(*rest)->start = addr;
		(*rest)->left = NULL;
	}
}

/* Join two trees; all addresses of @low are below those of @high */
static struct area *join(struct spaces *all, const struct space *space, struct area *low,
			 struct area *high)
{
	if (!low || !high)
		return low ? : high;
	if (low->rank >= high->rank) {
		low = own(all, space, low);
		low->right = join(all, space, low->right, high);
		return low;
	}
	high = own(all, space, high);
	high->left = join(all, space, low, high->left);
	return high;
}

void space_map(struct spaces *all, struct space *space, const struct map *map)
{
	struct area area = { .start = map->start, .end = map->end, .rank = next_rank(all) };
	struct area *below, *rest, *covered, *above;
	struct map *new;

	if (map->start >= map->end)
		return;
	if (!space->owner)
		space->owner = ++all->owners;
	split(all, space, space->root, map->start, &below, &rest);
	split(all, space, rest, map->end, &covered, &above);
	new = take(all, sizeof(*new));
	*new = *map;
	area.map = new;
	space->root = join(all, space, join(all, space, below, copy(all, space, &area)), above);
}

void space_fork(struct spaces *all, struct space *child, struct space *parent)
{
	child->root = parent->root;
	child->owner = ++all->owners;
	parent->owner = ++all->owners;
}

const struct map *space_find(const struct space *space, unsigned long long addr)
{
	const struct area *area = space ? space->root : NULL;

	while (area && (addr < area->start || addr >= area->end))
		area = addr < area->start ? area->left : area->right;
	return area ? area->map : NULL;
}
