/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_DELAY_H
#define STUB_LINUX_DELAY_H

#include <linux/kernel.h>

extern void msleep(unsigned int msecs);

#endif /* STUB_LINUX_DELAY_H */
