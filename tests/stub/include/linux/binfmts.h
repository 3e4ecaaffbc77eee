/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_BINFMTS_H
#define STUB_LINUX_BINFMTS_H

#include <linux/types.h>

struct linux_binprm {
	struct file *file;
	struct cred *cred;
	int unsafe;
	const char *filename;
};

#endif /* STUB_LINUX_BINFMTS_H */
