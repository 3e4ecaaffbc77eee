/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names by which the C library itself calls fstat()
 */
#ifndef KNC_STATIC_STAT_H
#define KNC_STATIC_STAT_H

struct stat;
struct stat64;

int __fstat(int fd, struct stat *st);
/* struct stat64 is the same structure; libraries may have been built for that name */
int __fstat64(int fd, struct stat64 *st);

#endif /* KNC_STATIC_STAT_H */
