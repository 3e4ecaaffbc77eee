// SPDX-License-Identifier: GPL-2.0
/* The build-ids of the files that recorded tasks map, read once for each file */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/record.h"

#define CACHE_ROOM	512
#define MAX_NOTES	4096
#define MAX_PHDRS	128

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

/* Read a program header of an ELF file of either class; 0: there are no more of them */
static int read_phdr(int fd, unsigned int n, Elf64_Phdr *phdr)
{
	union {
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} head;
	Elf32_Phdr p32;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e64.e_ident, ELFMAG, SELFMAG))
		return 0;
	if (head.e64.e_ident[EI_CLASS] == ELFCLASS64)
		return n < head.e64.e_phnum &&
		       pread(fd, phdr, sizeof(*phdr),
			     head.e64.e_phoff + n * sizeof(*phdr)) == sizeof(*phdr);
	if (n >= head.e32.e_phnum ||
	    pread(fd, &p32, sizeof(p32), head.e32.e_phoff + n * sizeof(p32)) != sizeof(p32))
		return 0;
	phdr->p_type = p32.p_type;
	phdr->p_offset = p32.p_offset;
	phdr->p_filesz = p32.p_filesz;
	phdr->p_align = p32.p_align;
	return 1;
}

static size_t align_up(size_t n, size_t to)
{
	return (n + to - 1) & -to;
}

/* Find the build-id among notes, which may be anything */
static unsigned int find_build_id(const char *notes, size_t size, size_t align, unsigned char *id)
{
	size_t at = 0, desc;
	Elf64_Nhdr note;

	while (at <= size && size - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		desc = at + sizeof(note) + align_up(note.n_namesz, align);
		if (desc > size || note.n_descsz > size - desc)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(notes + at + sizeof(note), "GNU", sizeof("GNU"))) {
			if (note.n_descsz > BUILD_ID_SIZE)
				return 0;
			memcpy(id, notes + desc, note.n_descsz);
			return note.n_descsz;
		}
		at = desc + align_up(note.n_descsz, align);
	}
	return 0;
}

static unsigned int read_build_id(int fd, unsigned char *id)
{
	char notes[MAX_NOTES];
	unsigned int n, found = 0;
	Elf64_Phdr phdr;
	ssize_t size;

	for (n = 0; n < MAX_PHDRS && !found && read_phdr(fd, n, &phdr); n++) {
		if (phdr.p_type != PT_NOTE)
			continue;
		size = phdr.p_filesz < sizeof(notes) ? phdr.p_filesz : sizeof(notes);
		size = pread(fd, notes, size, phdr.p_offset);
		if (size > 0)
			found = find_build_id(notes, size, phdr.p_align == 8 ? 8 : 4, id);
	}
	return found;
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
