/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_BUG_H
#define STUB_LINUX_BUG_H

#include <asm/bug.h>

#endif /* STUB_LINUX_BUG_H */
