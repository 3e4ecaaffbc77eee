/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layouts of the kernel's structs: those that the module was compiled with, and those of a vmlinux
 *
 * dwarf.c reads debug information, text.c preprocessed source, structs.c compares.
 */
#ifndef KNC_KDIR_STRUCTS_H
#define KNC_KDIR_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct member - of a struct, a union, or an enum
 * @name: "a.b" for what is in an unnamed struct called a
 * @at: its first bit; of an enum the value
 * @size: bits; 0 for a flexible array
 * @type: the key of its type, or of what it points to; NULL: no struct
 * @pointer: is it a pointer?
 * @nested: is it a struct, and neither a pointer nor an array?
 */
struct member {
	char *name;
	uint64_t at;
	uint64_t size;
	char *type;
	bool pointer;
	bool nested;
};

/**
 * struct layout - a struct, a union, or an enum
 * @key: "struct NAME" and the like, the NAME of a typedef if it has no other
 * @size: bytes
 * @members: in the order of the source
 * @nr: how many
 * @vmlinux: a definition in the vmlinux that differs, unless @equal; NULL: none was seen
 * @equal: a definition in the vmlinux is the same
 * @used: the module has variables of it, or reaches it from one
 * @whole: the module has memory of this type: each member counts, and the size
 * @next: in the bucket of the table
 */
struct layout {
	char *key;
	uint64_t size;
	struct member *members;
	size_t nr;
	struct layout *vmlinux;
	bool equal;
	bool used;
	bool whole;
	struct layout *next;
};

/* A set of words, or a table of layouts */
#define BUCKETS 8192

struct layouts {
	struct layout *bucket[BUCKETS];
};

/* A function of a kernel header, of which the module has a copy */
struct inlined {
	char *file;
	unsigned int line;
	struct inlined *next;
};

struct word {
	char *text;
	struct word *next;
};

struct words {
	struct word *bucket[BUCKETS];
};

void *allocate(size_t size);
char *copy(const char *text, size_t len);
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
struct layout *find(struct layouts *all, const char *key, bool add);
bool has_word(struct words *words, const char *text, size_t len, bool add);

bool read_object(struct layouts *all, struct inlined **inlined, const char *path);
void read_vmlinux(struct layouts *all, const char *path);
void read_text(struct words *members, struct words *all, const struct inlined *inlined,
	       const char *own, const char *path);

#endif /* KNC_KDIR_STRUCTS_H */
