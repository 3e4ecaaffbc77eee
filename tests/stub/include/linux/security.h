/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_SECURITY_H
#define STUB_LINUX_SECURITY_H

#include <linux/fs.h>
#include <linux/sched.h>

#endif /* STUB_LINUX_SECURITY_H */
