// SPDX-License-Identifier: GPL-2.0
/*
 * A program without frame pointers whose call chains are known, not a test: as callers.c, in C++.
 * Threads compute in work(). main throws exceptions through functions that clean up.
 * tests/card/run-record compiles it several times.
 */
#include <cstdlib>
#include <pthread.h>

#define ROUNDS	3000
#define THREADS	3

static volatile unsigned long sum;

/* A function with a loop; no compiler merges it with another one */
#define LOOP(name)							\
	static __attribute__((noinline)) void name()			\
	{								\
		for (unsigned long i = 0; i < ROUNDS; i++)		\
			__asm__ __volatile__("# " #name : : "r" (i));	\
	}

LOOP(by_thread)
LOOP(in_cleanup)
LOOP(past_catch)

struct cleanup {
	__attribute__((noinline)) ~cleanup()
	{
		in_cleanup();
		sum = sum + 1;
	}
};

static __attribute__((noinline)) void throws(unsigned int depth)
{
	cleanup c;

	if (!depth)
		throw depth;
	throws(depth - 1);
	sum = sum + 1;
}

static __attribute__((noinline)) void catches()
{
	try {
		throws(2);
	} catch (unsigned int) {
		past_catch();
		sum = sum + 1;
	}
}

static __attribute__((noinline)) void *work(void *arg)
{
	for (unsigned long i = *static_cast<unsigned long *>(arg); i; i--) {
		by_thread();
		sum = sum + 1;
	}
	return nullptr;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], nullptr, 0) : 1;
	pthread_t threads[THREADS];

	for (pthread_t &thread : threads)
		if (pthread_create(&thread, nullptr, work, &rounds))
			return 1;
	for (unsigned long i = rounds; i; i--)
		catches();
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	return !sum;
}
