/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_COMPAT_H
#define STUB_LINUX_COMPAT_H


#endif /* STUB_LINUX_COMPAT_H */
