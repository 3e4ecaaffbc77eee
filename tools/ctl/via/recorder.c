// SPDX-License-Identifier: GPL-2.0
/*
 * The static knc-pmuctl that is copied to the card
 *
 * Only the loaded parts are copied: most of the file are debug sections, and a card's /tmp is in
 * memory.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/array.h"
#include "cli/crc.h"
#include "via/recorder.h"

/* Where a static tool may be, relative to this program's directory: in the tree, installed, here */
static const char * const places[] = {
	"static/knc-pmuctl", "../lib/knc-pmu/knc-pmuctl-static", "knc-pmuctl",
};

static int read_file(const char *path, struct queue *q)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), n = -1;

	q->begin = 0;
	q->nr = 0;
	if (fd < 0)
		return errno;
	do {
		n = queue_read(q, fd);
	} while (n > 0);
	close(fd);
	return -n;
}

/* The program header @i; NULL: there is none */
static const Elf64_Phdr *program_header(const struct queue *q, unsigned int i)
{
	const Elf64_Ehdr *head = (void *)q->data;

	if (i >= head->e_phnum || head->e_phentsize != sizeof(Elf64_Phdr) ||
	    head->e_phoff > q->nr || (i + 1) * sizeof(Elf64_Phdr) > q->nr - head->e_phoff)
		return NULL;
	return (void *)(q->data + head->e_phoff + i * sizeof(Elf64_Phdr));
}

/* Is it a static program? Removes what is not loaded */
static int make_image(struct queue *q)
{
	Elf64_Ehdr *head = (void *)q->data;
	const Elf64_Phdr *part;
	unsigned int i;
	size_t end = 0;

	if (q->nr < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	for (i = 0; (part = program_header(q, i)); i++) {
		if (part->p_type == PT_INTERP || part->p_filesz > q->nr ||
		    part->p_offset > q->nr - part->p_filesz)
			return 0;
		if (part->p_type == PT_LOAD && part->p_offset + part->p_filesz > end)
			end = part->p_offset + part->p_filesz;
	}
	if (end < sizeof(*head))
		return 0;
	q->nr = end;
	head->e_shoff = 0;
	head->e_shnum = 0;
	head->e_shstrndx = 0;
	return 1;
}

/* Find the static tool of this installation */
static int find_static(struct recorder *r)
{
	char own[2048];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;
	unsigned int i;

	own[len < 0 ? 0 : len] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return complain("can't find the static knc-pmuctl for the card, because /proc is "
				"not mounted: name it with --recorder FILE");
	*slash = '\0';
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(r->path, sizeof(r->path), "%s/%s", own, places[i]);
		if (!read_file(r->path, &r->image) && make_image(&r->image))
			return 0;
	}
	return complain("there is no static knc-pmuctl for the card in %s: build it with make "
			"static, for a real card with its compiler (make -C tools static CC=...), "
			"or name it with --recorder FILE",
			own);
}

int recorder_load(struct recorder *r, const char *path)
{
	int why;

	if (!path) {
		if (find_static(r))
			return CTL_FAILED;
	} else {
		snprintf(r->path, sizeof(r->path), "%s", path);
		why = read_file(path, &r->image);
		if (why)
			return complain("can't read '%s': %s; name the static knc-pmuctl for the "
					"card with --recorder",
					path, strerror(why));
		if (!make_image(&r->image))
			return complain("'%s' is no static program of 64 bits: name what make "
					"static has built with --recorder",
					path);
	}
	snprintf(r->name, sizeof(r->name), "recorder-%s-%zu-%08x", kncpmu_version(), r->image.nr,
		 add_crc(0, r->image.data, r->image.nr));
	return 0;
}
