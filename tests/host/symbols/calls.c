// SPDX-License-Identifier: GPL-2.0
/* A program that calls a library by way of the PLT, for check-symbols */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny.h"

unsigned long sink;
void *(*allocate)(size_t size) = malloc;

__attribute__((noinline)) static void busy(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++) {
		sink += i;
		__asm__ __volatile__("" : "+m" (sink));
	}
}

int main(int argc, char **argv)
{
	long i, sum = 0;

	for (i = 0; i < 1000 + argc; i++)
		sum = tiny(sum);
	busy(sum + strlen(argv[0]));
	printf("%ld %p\n", sum, allocate(10));
	return 0;
}
