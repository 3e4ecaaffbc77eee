// SPDX-License-Identifier: GPL-2.0
/* The build-ids of the files that recorded tasks map, read once for each file */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/record.h"

#define CACHE_ROOM	512

/* A file whose build-id was read or is missing; a chained hash by device and inode */
struct cached {
	struct cached *next;
	dev_t dev;
	ino_t ino;
	unsigned int size;
	unsigned char id[BUILD_ID_SIZE];
};

static struct cached *cache[CACHE_ROOM];

void build_ids_free(void)
{
	struct cached *c, *next;
	unsigned int i;

	for (i = 0; i < CACHE_ROOM; i++) {
		for (c = cache[i]; c; c = next) {
			next = c->next;
			free(c);
		}
		cache[i] = NULL;
	}
}

static unsigned int read_build_id(int fd, unsigned char *id)
{
	const void *bytes;
	ssize_t size = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		size = dwelf_elf_gnu_build_id(elf, &bytes);
	if (size <= 0 || size > BUILD_ID_SIZE)
		size = 0;
	else
		memcpy(id, bytes, size);
	elf_end(elf);
	return size;
}

/* Find an open file among the known ones, or read its build-id */
static const struct cached *look_up(int fd)
{
	struct cached *c, **head;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	head = &cache[(st.st_ino ^ st.st_dev) % CACHE_ROOM];
	for (c = *head; c; c = c->next) {
		if (c->dev == st.st_dev && c->ino == st.st_ino)
			return c;
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->dev = st.st_dev;
	c->ino = st.st_ino;
	c->size = read_build_id(fd, c->id);
	c->next = *head;
	*head = c;
	return c;
}

unsigned int build_id(int pid, const char *path, unsigned char *id)
{
	const struct cached *c;
	char *root;
	int fd;

	/* [vdso], //anon */
	if (path[0] != '/' || path[1] == '/')
		return 0;
	/* the process may have another root directory or mount namespace */
	if (asprintf(&root, "/proc/%d/root%s", pid, path) < 0)
		return 0;
	fd = open(root, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(root);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	c = look_up(fd);
	close(fd);
	if (!c)
		return 0;
	memcpy(id, c->id, c->size);
	return c->size;
}
