/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_CMPXCHG_H
#define STUB_ASM_CMPXCHG_H

#define xchg(ptr, v) __sync_lock_test_and_set(ptr, v)
#define cmpxchg(ptr, o, n) __sync_val_compare_and_swap(ptr, o, n)
#define cmpxchg_local(ptr, o, n) cmpxchg(ptr, o, n)

#endif /* STUB_ASM_CMPXCHG_H */
