/* SPDX-License-Identifier: GPL-2.0 */
/* Allocation that ends the program if memory is out, and a hash function */
#ifndef KNC_CTL_MEMORY_H
#define KNC_CTL_MEMORY_H

#include <stddef.h>
#include <string.h>

static inline unsigned long long hash_word(unsigned long long hash, unsigned long long word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/*
 * Several look-ups for each frame of a recording. The keys are words of a number known at compile
 * time; uthash's own function, made for texts, takes five times as long.
 */
static inline __attribute((__always_inline__)) unsigned int hash_key(const void *key, size_t size)
{
	const char *at = key, *end = at + size / 8 * 8;
	unsigned long long hash = 0, word;

	for (; at < end; at += 8) {
		memcpy(&word, at, 8);
		hash = hash_word(hash, word);
	}
	if (size % 8) {
		word = 0;
		memcpy(&word, at, size % 8);
		hash = hash_word(hash, word);
	}
	return hash;
}

#ifndef __noreturn
#define __noreturn	__attribute((noreturn))
#endif

void __noreturn out_of_memory(void);
void *xalloc(size_t n, size_t size);
/* A copy of the text, to be freed */
char *xcopy(const char *text);
/* Make room in an array for element @nr */
void *xgrow(void *array, size_t nr, size_t *room, size_t size);

#endif /* KNC_CTL_MEMORY_H */
