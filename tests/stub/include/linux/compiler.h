/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_COMPILER_H
#define STUB_LINUX_COMPILER_H

#define __user
#define __iomem
#define __force
#define __must_check __attribute__((warn_unused_result))
#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define __used __attribute__((used))
#define __aligned(x) __attribute__((aligned(x)))
#define __maybe_unused __attribute__((unused))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() __asm__ __volatile__("" : : : "memory")
#define ACCESS_ONCE(x) (*(volatile typeof(x) *)&(x))

#endif /* STUB_LINUX_COMPILER_H */
