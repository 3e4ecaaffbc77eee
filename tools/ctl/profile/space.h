/* SPDX-License-Identifier: GPL-2.0 */
/* The mappings of processes, by address */
#ifndef KNC_CTL_SPACE_H
#define KNC_CTL_SPACE_H

struct dso;

/**
 * struct map - a mapping of a file
 * @start: first address
 * @end: last address + 1
 * @offset: offset of @start in the file
 * @pid: the process
 * @dso: the file
 *
 * Mappings are never changed: a new process shares those of its parent. spaces_free() frees them,
 * but symbols.c remembers mappings by their addresses in memory: a profile is walked only once.
 */
struct map {
	unsigned long long start;
	unsigned long long end;
	unsigned long long offset;
	unsigned int pid;
	struct dso *dso;
};

struct area;
struct spaces;

/**
 * struct space - the mappings that a process has now
 * @root: a tree by address; NULL: none
 * @owner: the space may change areas that have this number; it shares all others with its parent
 *	or a child
 */
struct space {
	struct area *root;
	unsigned int owner;
};

/* All address spaces of a walk, and their memory */
struct spaces *spaces_new(void);
void spaces_free(struct spaces *all);
/* Map a file over older mappings; the copy of @map stays until spaces_free() */
void space_map(struct spaces *all, struct space *space, const struct map *map);
/* Give a new process the mappings of its parent */
void space_fork(struct spaces *all, struct space *child, struct space *parent);
/* The mapping of an address; NULL: there is none */
const struct map *space_find(const struct space *space, unsigned long long addr);

#endif /* KNC_CTL_SPACE_H */
