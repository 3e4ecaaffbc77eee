/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_CACHE_H
#define STUB_LINUX_CACHE_H

#define __read_mostly
#define ____cacheline_aligned __attribute__((aligned(64)))
#define ____cacheline_aligned_in_smp ____cacheline_aligned

#endif /* STUB_LINUX_CACHE_H */
