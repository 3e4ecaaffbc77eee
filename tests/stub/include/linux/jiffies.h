/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_JIFFIES_H
#define STUB_LINUX_JIFFIES_H

#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/time.h>

#define HZ CONFIG_HZ

extern unsigned long volatile jiffies;

#define time_after(a, b) ((long)(b) - (long)(a) < 0)
#define time_before(a, b) time_after(b, a)

#endif /* STUB_LINUX_JIFFIES_H */
