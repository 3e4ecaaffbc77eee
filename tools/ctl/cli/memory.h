/* SPDX-License-Identifier: GPL-2.0 */
/* Memory and hash tables for what ends the program if memory is out */
#ifndef KNC_CTL_MEMORY_H
#define KNC_CTL_MEMORY_H

#include <stddef.h>

/* A program that reads a file has nothing to give back if memory is out */
#define uthash_fatal(msg)	out_of_memory()
#include <uthash.h>

/* Empty a table whose entries have nothing but themselves to be freed */
#define free_entries(table)						\
	do {								\
		__typeof__(table) *__table = &(table), __entry, __next;	\
									\
		HASH_ITER(hh, *__table, __entry, __next) {		\
			HASH_DEL(*__table, __entry);			\
			free(__entry);					\
		}							\
	} while (0)

#ifndef __noreturn
#define __noreturn	__attribute((noreturn))
#endif

void __noreturn out_of_memory(void);
void *must_alloc(size_t n, size_t size);
/* Room in an array for one more than @nr */
void *must_grow(void *array, size_t nr, size_t *room, size_t size);

#endif /* KNC_CTL_MEMORY_H */
