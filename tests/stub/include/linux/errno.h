/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_ERRNO_H
#define STUB_LINUX_ERRNO_H

#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define ENXIO 6
#define E2BIG 7
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define ENODEV 19
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOTTY 25
#define ENOSPC 28
#define ENODATA 61
#define EOPNOTSUPP 95
#define EALREADY 114
#define EDQUOT 122
#define ECANCELED 125

#endif /* STUB_LINUX_ERRNO_H */
