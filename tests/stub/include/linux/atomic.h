/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_ATOMIC_H
#define STUB_LINUX_ATOMIC_H

#include <asm/atomic.h>

#endif /* STUB_LINUX_ATOMIC_H */
