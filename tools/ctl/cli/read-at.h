/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a whole piece of a file */
#ifndef KNC_CTL_READ_AT_H
#define KNC_CTL_READ_AT_H

#include <stddef.h>
#include <sys/types.h>

/**
 * read_at() - read a piece of a file, also if it takes several calls of pread()
 * @fd: the file
 * @to: @size bytes
 * @size: bytes of the piece
 * @offset: where the piece begins
 *
 * Return: the bytes that were read, fewer than @size only at the end of the file; -1: errno is set
 */
ssize_t read_at(int fd, void *to, size_t size, unsigned long long offset);

#endif /* KNC_CTL_READ_AT_H */
