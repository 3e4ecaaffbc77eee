/* SPDX-License-Identifier: GPL-2.0 */
/* Writing data files, whose format is in data.h */
#ifndef KNC_CTL_WRITER_H
#define KNC_CTL_WRITER_H

#include "json/value.h"
#include <stddef.h>

#include "cli/data.h"

/**
 * struct data_writer - a data file that is being written
 * @fd: the file; -1: none
 * @path: its name, or a symbolic link to it
 * @draft: its name until writer_keep(); NULL: @path
 * @target: the existing file that writer_keep() replaces; NULL: none
 * @size: bytes up to the end of the last complete chunk
 * @error: errno of the first error; nothing is written after it
 */
struct data_writer {
	int fd;
	const char *path;
	char *draft;
	char *target;
	unsigned long long size;
	int error;
};

/* Create a file, but leave an existing one alone until writer_keep(). Returns an exit status */
int writer_create(struct data_writer *file, const char *path);
/* writer_create() for a file of several ranks (DATA_MERGED) */
int writer_create_merged(struct data_writer *file, const char *path);
/* writer_create() without the header of a data file */
int writer_open(struct data_writer *file, const char *path);
/* Write bytes of another recorder's data file; returns 0, or -1 without a message */
int writer_append(struct data_writer *file, const void *data, size_t size);

/*
 * Keep the file: rename an existing file of this name to NAME.old, and the new file to NAME. If
 * that fails, print the new file's name and set @path to it. May be called again.
 */
int writer_keep(struct data_writer *file);

/*
 * Write a chunk: @head_size bytes of @head, and @size bytes of @payload. Returns 0, or -1 without a
 * message; the file then ends with the previous chunk.
 */
int writer_put(struct data_writer *file, enum data_type type, const void *head,
	       size_t head_size, const void *payload, size_t size);

/* Write a JSON object as a chunk, and free the object */
int writer_put_json(struct data_writer *file, enum data_type type, json_t *value);

int writer_close(struct data_writer *file);

/*
 * Close and remove the file, as before writer_create(). Not after writer_keep(), because that would
 * remove the kept file.
 */
void writer_discard(struct data_writer *file);

#endif /* KNC_CTL_WRITER_H */
