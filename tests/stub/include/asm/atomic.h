/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_ATOMIC_H
#define STUB_ASM_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/cmpxchg.h>

static inline int atomic_read(const atomic_t *v)
{
	return v->counter;
}

static inline void atomic_set(atomic_t *v, int i)
{
	v->counter = i;
}

static inline void atomic_inc(atomic_t *v)
{
	v->counter++;
}

static inline void atomic_dec(atomic_t *v)
{
	v->counter--;
}

static inline int atomic_dec_and_test(atomic_t *v)
{
	return !--v->counter;
}

static inline int atomic_add_return(int i, atomic_t *v)
{
	return v->counter += i;
}

#define atomic_inc_return(v) atomic_add_return(1, v)

static inline int atomic_xchg(atomic_t *v, int new)
{
	return xchg(&v->counter, new);
}

typedef atomic64_t atomic_long_t;

static inline long atomic_long_read(atomic_long_t *l)
{
	return l->counter;
}

static inline void atomic_long_sub(long i, atomic_long_t *l)
{
	l->counter -= i;
}

static inline long atomic_long_add_return(long i, atomic_long_t *l)
{
	return l->counter += i;
}

static inline long atomic_long_inc_return(atomic_long_t *l)
{
	return ++l->counter;
}

#endif /* STUB_ASM_ATOMIC_H */
