/* SPDX-License-Identifier: GPL-2.0 */
/* Identifies files, so that report finds the file that was recorded */
#ifndef KNC_CTL_FILE_ID_H
#define KNC_CTL_FILE_ID_H

#include <stddef.h>
#include <sys/stat.h>

/* Longest id that is compared: the kernel reports as many bytes for a mapping */
#define FILE_ID_SIZE	20

/* When a file was last written to, ns since 1970 */
static inline unsigned long long modified_ns(const struct stat *st)
{
	return st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec;
}

/**
 * id_of_notes() - Find the id of a program among the notes of an ELF file
 * @notes: a segment of type PT_NOTE, which may hold anything
 * @size: its bytes
 * @align: its alignment, 4 or 8
 * @id: the id
 *
 * The GNU build id, or the last bytes of Go's, which are a hash of the contents.
 *
 * Return: the bytes of @id that were written; 0: there is none
 */
unsigned int id_of_notes(const char *notes, size_t size, size_t align,
			 unsigned char id[FILE_ID_SIZE]);

/* Does the mapping's name mean memory, not a file? Then its code was made at run time. */
int is_made_at_run_time(const char *mapping);

#endif /* KNC_CTL_FILE_ID_H */
