// SPDX-License-Identifier: GPL-2.0
/* Identifies files, so that report finds the file that was recorded */
#include <elf.h>
#include <string.h>

#include "cli/file-id.h"

#define NT_GO_BUILD_ID	4

static size_t align_up(size_t n, size_t to)
{
	return (n + to - 1) & -to;
}

static int is_note(const Elf64_Nhdr *note, const char *name, unsigned int type,
		   const char *owner, size_t owner_size)
{
	return note->n_type == type && note->n_namesz == owner_size &&
	       !memcmp(name, owner, owner_size);
}

unsigned int id_of_notes(const char *notes, size_t size, size_t align,
			 unsigned char id[FILE_ID_SIZE])
{
	size_t at = 0, desc, bytes;
	const char *name;
	Elf64_Nhdr note;

	while (at <= size && size - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		name = notes + at + sizeof(note);
		desc = at + sizeof(note) + align_up(note.n_namesz, align);
		if (desc > size || note.n_descsz > size - desc)
			return 0;
		bytes = note.n_descsz < FILE_ID_SIZE ? note.n_descsz : FILE_ID_SIZE;
		if (is_note(&note, name, NT_GNU_BUILD_ID, "GNU", sizeof("GNU"))) {
			memcpy(id, notes + desc, bytes);
			return bytes;
		}
		if (is_note(&note, name, NT_GO_BUILD_ID, "Go\0", sizeof("Go\0"))) {
			memcpy(id, notes + desc + note.n_descsz - bytes, bytes);
			return bytes;
		}
		at = desc + align_up(note.n_descsz, align);
	}
	return 0;
}

int is_made_at_run_time(const char *mapping)
{
	/* perf's names, and those of .NET and of named anonymous memory */
	static const char * const names[] = {
		"//anon", "/dev/zero", "/anon_hugepage", "/SYSV", "/memfd:", "[heap]", "[stack",
		"[anon:",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strncmp(mapping, names[i], strlen(names[i])))
			return 1;
	}
	return 0;
}
