/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hash tables (uthash), for commands that read recordings. A compiler for the card may lack uthash:
 * commands that count or record do without it.
 */
#ifndef KNC_CTL_HASH_H
#define KNC_CTL_HASH_H

#include "cli/memory.h"

#define HASH_FUNCTION(key, size, hash)	((hash) = hash_key(key, size))
/* No clean-up on failure: the commands that use hash tables have none to do */
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

#endif /* KNC_CTL_HASH_H */
