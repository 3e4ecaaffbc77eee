/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_THREADS_H
#define STUB_LINUX_THREADS_H


#define NR_CPUS CONFIG_NR_CPUS

#endif /* STUB_LINUX_THREADS_H */
