/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_IOCTL_H
#define STUB_LINUX_IOCTL_H

#define _IOC(dir, type, nr, size) \
	((dir) << 30 | (size) << 16 | (type) << 8 | (nr))
#define _IO(type, nr) _IOC(0U, (type), (nr), 0)
#define _IOW(type, nr, size) _IOC(1U, (type), (nr), sizeof(size))
#define _IOWR(type, nr, size) _IOC(3U, (type), (nr), sizeof(size))
#define _IOC_SIZE(nr) ((nr) >> 16 & 0x3fff)
#define IOCSIZE_MASK (0x3fffU << 16)

#endif /* STUB_LINUX_IOCTL_H */
