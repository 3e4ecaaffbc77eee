/* SPDX-License-Identifier: GPL-2.0 */
/* Allocation and hash tables that end the program if memory is out */
#ifndef KNC_CTL_MEMORY_H
#define KNC_CTL_MEMORY_H

#include <stddef.h>

/* Commands that use these have nothing to clean up */
#define uthash_fatal(msg)	out_of_memory()
#include <uthash.h>

/* Empty a table whose entries own no other memory */
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
void *xalloc(size_t n, size_t size);
/* Make room in an array for element @nr */
void *xgrow(void *array, size_t nr, size_t *room, size_t size);

#endif /* KNC_CTL_MEMORY_H */
