// SPDX-License-Identifier: GPL-2.0
/* The library of callers.c: it calls back with many registers in use */
#include "library.h"

static unsigned long calls;

static __attribute__((noinline)) unsigned long pass_on(void (*fn)(void *arg), void *arg,
						       unsigned long a, unsigned long b)
{
	unsigned long c = a * b, d = a ^ calls, e = b + calls;

	fn(arg);
	__asm__ __volatile__("" : "+m" (calls));
	return a + b * c + d * e;
}

void call_back(void (*fn)(void *arg), void *arg)
{
	calls += pass_on(fn, arg, calls + 3, calls + 5);
}
