// SPDX-License-Identifier: GPL-2.0
/* An empty loop of two instructions an iteration, for languages without assembly */
void loop(long rounds);

void loop(long rounds)
{
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r" (rounds));
}
