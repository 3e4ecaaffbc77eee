/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_INIT_H
#define STUB_LINUX_INIT_H

#include <linux/compiler.h>

#define __init __attribute__((section(".init.text")))
#define __exit __used __attribute__((section(".exit.text")))

#endif /* STUB_LINUX_INIT_H */
