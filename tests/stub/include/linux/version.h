/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_VERSION_H
#define STUB_LINUX_VERSION_H

#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE KERNEL_VERSION(2, 6, 38)

#endif /* STUB_LINUX_VERSION_H */
