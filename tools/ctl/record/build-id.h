/* SPDX-License-Identifier: GPL-2.0 */
/* Identifies mapped files */
#ifndef KNC_CTL_RECORD_BUILD_ID_H
#define KNC_CTL_RECORD_BUILD_ID_H

#include "cli/data.h"

/**
 * struct mapped_file - a file that a process has mapped
 * @pid: the process
 * @path: the file's path, as the process or the kernel has it
 * @start: first address of the mapping
 * @length: its bytes
 * @inode: the file's inode; 0: the kernel has not told it
 */
struct mapped_file {
	int pid;
	const char *path;
	unsigned long long start;
	unsigned long long length;
	unsigned long long inode;
};

/*
 * Set the file's id, or else @identity and its size: if the file has no id, or if its path leads to
 * another file by now
 */
void identify(const struct mapped_file *file, struct data_mmap *map,
	      struct data_identity *identity);
void build_ids_free(void);

#endif /* KNC_CTL_RECORD_BUILD_ID_H */
