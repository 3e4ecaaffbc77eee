// SPDX-License-Identifier: GPL-2.0
/*
 * fstat() for a static knc-pmuctl. That of the C library asks for newfstatat with AT_EMPTY_PATH,
 * which MPSS's Linux 2.6.38 refuses; files opened there would have no size and no build id.
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fstat(int fd, struct stat *st)
{
	return syscall(SYS_fstat, fd, st);
}

/* Libraries may have been built for this name; the structures are the same. */
int fstat64(int fd, struct stat64 *st)
{
	return syscall(SYS_fstat, fd, st);
}
