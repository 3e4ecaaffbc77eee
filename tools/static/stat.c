// SPDX-License-Identifier: GPL-2.0
/*
 * fstat() for a static knc-pmuctl. That of the C library asks for newfstatat with AT_EMPTY_PATH,
 * which MPSS's Linux 2.6.38 refuses: files opened there would have no size and no build id.
 * opendir() and fopen() call it by the names with underscores. All names of the C library's own
 * fstat() are here, so that its object is not linked. musl's calls fstat itself.
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stat.h"

#ifdef __GLIBC__
int __fstat64(int fd, struct stat64 *st)
{
	return syscall(SYS_fstat, fd, st);
}

int __fstat(int fd, struct stat *st)
{
	return syscall(SYS_fstat, fd, st);
}

int fstat(int fd, struct stat *st)
{
	return syscall(SYS_fstat, fd, st);
}

int fstat64(int fd, struct stat64 *st)
{
	return syscall(SYS_fstat, fd, st);
}
#endif
