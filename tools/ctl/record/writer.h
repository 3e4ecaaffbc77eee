/* SPDX-License-Identifier: GPL-2.0 */
/* Writes data files: data.h says what is in them */
#ifndef KNC_CTL_WRITER_H
#define KNC_CTL_WRITER_H

#include <jansson.h>
#include <stddef.h>

#include "cli/data.h"

/**
 * struct data_writer - a data file that is written
 * @fd: the file; -1: none
 * @path: its name
 * @draft: the name that it has until writer_keep(); NULL: @path
 * @size: bytes up to the end of the last complete chunk
 * @error: errno of what failed; nothing is written after that
 */
struct data_writer {
	int fd;
	const char *path;
	char *draft;
	unsigned long long size;
	int error;
};

/* A new file; one that is there stays until writer_keep(). Complains */
int writer_create(struct data_writer *file, const char *path);

/*
 * It is to stay: a file that was there becomes PATH.old. Complains; then it has another
 * name, which @path is. Once is enough, and what more does nothing.
 */
int writer_keep(struct data_writer *file);

/*
 * A chunk: @head_size bytes of @head, and @size bytes of @payload. Returns 0, or
 * -1 and the file ends with the chunk before; nothing is said.
 */
int writer_put(struct data_writer *file, enum data_type type, const void *head,
	       size_t head_size, const void *payload, size_t size);

/* The same of a JSON object, which is freed */
int writer_put_json(struct data_writer *file, enum data_type type, json_t *value);

int writer_close(struct data_writer *file);

/* Close it and have everything as it was before writer_create(), unless it was kept */
void writer_discard(struct data_writer *file);

#endif /* KNC_CTL_WRITER_H */
