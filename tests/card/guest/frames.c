// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose call chains are known, not a test: main calls a, a calls b, b calls c, which
 * works. tests/card/run-record compiles it for 32 bits too.
 */
#include <stdlib.h>

static unsigned long sum;

/* gcc makes no frame for a function that needs no stack */
__attribute__((noinline)) static void c(unsigned long rounds)
{
	sum += (unsigned long)__builtin_frame_address(0);
	while (rounds--)
		__asm__ __volatile__("" : "+m" (sum));
	sum++;
}

__attribute__((noinline)) static void b(unsigned long rounds)
{
	c(rounds);
	__asm__ __volatile__("" : "+m" (sum));	/* no tail call */
}

__attribute__((noinline)) static void a(unsigned long rounds)
{
	b(rounds);
	__asm__ __volatile__("" : "+m" (sum));
}

int main(int argc, char **argv)
{
	unsigned long i;

	for (i = argc > 1 ? strtoul(argv[1], NULL, 0) : 1; i; i--)
		a(1000);
	return 0;
}
