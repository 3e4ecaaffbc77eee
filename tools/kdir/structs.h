/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layouts of the kernel's structs: those with which the module was compiled, and those of a vmlinux
 *
 * dwarf.c reads debug information, text.c preprocessed source, structs.c compares.
 */
#ifndef KNC_KDIR_STRUCTS_H
#define KNC_KDIR_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct member - a member of a struct, union or enum
 * @name: the name; "a.b" is member b of a, a struct without a type name
 * @at: number of its first bit; of an enum the value
 * @size: in bits; 0: a flexible array
 * @type: key of its type, of its elements or of what it points to; NULL: no struct
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
 * @key: "struct NAME", "union NAME" or "enum NAME"; without a NAME that of its typedef
 * @size: in bytes
 * @members: in the order of the source
 * @nr: number of @members
 * @vmlinux: the first definition in vmlinux; NULL: none
 * @equal: one of the definitions in vmlinux is the same
 * @used: the module has a variable of it or a pointer to it, or reaches it from one
 * @whole: the module has memory of this type: all members count, and the size
 * @next: next in the bucket of the table
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

/* A function that an object contains: it may be of a header, and inlined */
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
