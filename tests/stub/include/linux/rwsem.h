/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_RWSEM_H
#define STUB_LINUX_RWSEM_H

struct rw_semaphore {
	long count;
};

#endif /* STUB_LINUX_RWSEM_H */
