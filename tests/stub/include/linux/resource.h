/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_RESOURCE_H
#define STUB_LINUX_RESOURCE_H

#define RLIMIT_MEMLOCK 8

struct rlimit {
	unsigned long rlim_cur;
	unsigned long rlim_max;
};

#endif /* STUB_LINUX_RESOURCE_H */
