// SPDX-License-Identifier: GPL-2.0
/* A program whose largest function has no symbol when it is stripped */
#include "tiny.h"

unsigned long sink;

__attribute__((noinline)) static void busy(void)
{
	unsigned long i;

	for (i = 0; i < 1000; i++) {
		sink += i;
		__asm__ __volatile__("" : "+m" (sink));
	}
}

int main(void)
{
	leaf();
	busy();
	return 0;
}
