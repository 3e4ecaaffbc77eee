/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_LOCKDEP_H
#define STUB_LINUX_LOCKDEP_H

#define might_lock(lock) do { } while (0)

#endif /* STUB_LINUX_LOCKDEP_H */
