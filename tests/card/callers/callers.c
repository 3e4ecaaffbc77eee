// SPDX-License-Identifier: GPL-2.0
/*
 * A program without frame pointers whose call chains are known, not a test: main calls six
 * functions in turn, by recursion, by a callback of another library, past alloca(), in a signal
 * handler, past longjmp(), and through a tail call. Each ends in a loop of its own.
 * tests/card/run-record compiles it several times.
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "library.h"

#define ROUNDS	3000

static unsigned long sum;
static jmp_buf env;

/* A function with a loop; no compiler merges it with another one */
#define LOOP(name)							\
	static __attribute__((noinline)) void name(void)		\
	{								\
		unsigned long i;					\
									\
		for (i = 0; i < ROUNDS; i++)				\
			__asm__ __volatile__("# " #name : : "r" (i));	\
	}

LOOP(at_depth)
LOOP(called_back)
LOOP(past_alloca)
LOOP(in_handler)
LOOP(past_jump)
LOOP(past_tail)

/* keep() after a call: therefore this is no tail call */
static inline void keep(void)
{
	__asm__ __volatile__("" : "+m" (sum));
}

static __attribute__((noinline)) unsigned long recurse(unsigned int depth)
{
	unsigned long below;

	if (!depth) {
		at_depth();
		keep();
		return 1;
	}
	below = recurse(depth - 1);
	keep();
	return below + depth + sum;
}

static __attribute__((noinline)) void by_callback(void *arg)
{
	*(unsigned long *)arg += sum;
	called_back();
	keep();
}

/* The compiler does not know the size of this frame */
static __attribute__((noinline)) void with_alloca(size_t size)
{
	char *room = alloca(size);

	memset(room, 1, size);
	past_alloca();
	sum += room[size / 2];
}

static void handler(int number)
{
	in_handler();
	keep();
}

/* musl's raise() has no unwinding table: the signal comes in this function instead */
static __attribute__((noinline)) void with_signal(void)
{
#ifdef __GLIBC__
	raise(SIGUSR1);
#else
	long number = SYS_kill;

	__asm__ __volatile__("syscall" : "+a" (number) : "D" (getpid()), "S" (SIGUSR1)
			     : "rcx", "r11", "memory");
#endif
	keep();
}

static __attribute__((noinline)) void jump(void)
{
	keep();
	longjmp(env, 1);
}

static __attribute__((noinline)) void with_jump(void)
{
	if (!setjmp(env))
		jump();
	past_jump();
	keep();
}

/* with_tail() is not in the chain: its call is a jump */
static __attribute__((noinline)) void after_tail(void)
{
	past_tail();
	keep();
}

static __attribute__((noinline)) void with_tail(void)
{
	keep();
	after_tail();
}

int main(int argc, char **argv)
{
	unsigned long i, arg = 0;

	signal(SIGUSR1, handler);
	for (i = argc > 1 ? strtoul(argv[1], NULL, 0) : 1; i; i--) {
		sum += recurse(5);
		call_back(by_callback, &arg);
		with_alloca(100 + i % 1000);
		with_signal();
		with_jump();
		with_tail();
		keep();
	}
	return !sum;
}
