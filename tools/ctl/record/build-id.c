// SPDX-License-Identifier: GPL-2.0
/*
 * Identifies the files that recorded tasks map: by their ids, which are read once for each file, or
 * else by size and time
 *
 * The kernel reports device and inode of a mapping's file, or its build id if it knows it. The path
 * may lead to another file by now.
 */
#include <elf.h>
#include <fcntl.h>
#include <search.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <kncpmu.h>
#include <kernel-file.h>

#include "cli/file-id.h"
#include "record/build-id.h"

#define MAX_NOTES	4096
#define MAX_PHDRS	128
#define OVERLAY_MAGIC	0x794c7630	/* OVERLAYFS_SUPER_MAGIC, in headers since Linux 4.4 */
/* A 32-bit program has no mapping from here on */
#define FIRST_64BIT	(1ULL << 32)

/* A file that was read, in a tree by device, inode, size and time */
struct cached {
	struct data_identity identity;
	unsigned int size;
	unsigned char id[FILE_ID_SIZE];
};

static void *cache;

static int compare_files(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct cached, size));
}

void build_ids_free(void)
{
	tdestroy(cache, free);
	cache = NULL;
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

static unsigned int read_id(int fd, unsigned char id[FILE_ID_SIZE])
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
			found = id_of_notes(notes, size, phdr.p_align == 8 ? 8 : 4, id);
	}
	return found;
}

/* Find an open file in the cache, or read its id */
static const struct cached *look_up(int fd, const struct stat *st)
{
	struct cached *c = calloc(1, sizeof(*c)), **found;

	if (!c)
		return NULL;
	c->identity.device = st->st_dev;
	c->identity.inode = st->st_ino;
	c->identity.size = st->st_size;
	c->identity.modified = modified_ns(st);
	found = tsearch(c, &cache, compare_files);
	if (found && *found == c)
		c->size = read_id(fd, c->id);
	else
		free(c);
	return found ? *found : NULL;
}

/*
 * Is it the mapped file? Btrfs reports other devices in stat() than in mappings, and overlayfs
 * other inodes too.
 */
static int is_mapped(const struct mapped_file *file, int fd, const struct stat *st)
{
	struct statfs fs;

	return !file->inode || file->inode == st->st_ino ||
	       (!fstatfs(fd, &fs) && fs.f_type == OVERLAY_MAGIC);
}

/* Open a path, and read the id of its file if that is the mapped one */
static const struct cached *look_at(const struct mapped_file *file, const char *path, int checked)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const struct cached *c = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (checked || is_mapped(file, fd, &st)))
		c = look_up(fd, &st);
	close(fd);
	return c;
}

static const struct cached *find_file(const struct mapped_file *file)
{
	const struct cached *c = NULL;
	char *path;

	if (kncpmu_proc_own())
		return look_at(file, file->path, 0);
	/* the process may have another root directory or mount namespace */
	if (asprintf(&path, "/proc/%d/root%s", file->pid, file->path) < 0)
		return NULL;
	c = look_at(file, path, 0) ? : look_at(file, file->path, 0);
	free(path);
	/*
	 * map_files leads to the file even if it was deleted, while the process lives; for root
	 * only
	 */
	if (c || asprintf(&path, "/proc/%d/map_files/%llx-%llx", file->pid, file->start,
			  file->start + file->length) < 0)
		return c;
	c = look_at(file, path, 1);
	free(path);
	return c;
}

/* The address of this process' vdso; NULL: it has none. getauxval() needs glibc 2.16 */
static const char *find_vdso(void)
{
	int fd = open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
	const char *image = NULL;
	Elf64_auxv_t word;

	while (fd >= 0 && !image && read(fd, &word, sizeof(word)) == sizeof(word)) {
		if (word.a_type == AT_SYSINFO_EHDR)
			image = (const char *)word.a_un.a_val;
	}
	if (fd >= 0)
		close(fd);
	return image;
}

/*
 * Get the vdso's id from this process: it is no file, and all 64-bit processes have the same vdso.
 */
static unsigned int vdso_id(const struct mapped_file *file, unsigned char id[FILE_ID_SIZE])
{
	const Elf64_Ehdr *head;
	const Elf64_Phdr *phdr;
	unsigned int i, size = 0;
	const char *image;

	if (file->start < FIRST_64BIT || strcmp(file->path, "[vdso]"))
		return 0;
	image = find_vdso();
	if (!image)
		return 0;
	head = (const void *)image;
	phdr = (const void *)(image + head->e_phoff);
	for (i = 0; i < head->e_phnum && !size; i++) {
		if (phdr[i].p_type == PT_NOTE)
			size = id_of_notes(image + phdr[i].p_offset, phdr[i].p_filesz, 4, id);
	}
	return size;
}

void identify(const struct mapped_file *file, struct data_mmap *map,
	      struct data_identity *identity)
{
	const struct cached *c;

	/* not the path of a file: [vdso], //anon */
	if (file->path[0] != '/' || file->path[1] == '/') {
		map->build_id_size = vdso_id(file, map->build_id);
		return;
	}
	c = find_file(file);
	if (c && c->size) {
		map->build_id_size = c->size;
		memcpy(map->build_id, c->id, c->size);
		return;
	}
	map->identity_size = sizeof(*identity);
	if (c)
		*identity = c->identity;
	else
		identity->inode = file->inode;
}
