// SPDX-License-Identifier: GPL-2.0
/* A shared library whose symbols are looked up, with a name as a C++ compiler makes it */

int sum;

void work(int n) __asm__("_ZN3knc4workEi");

void work(int n)
{
	sum += n;
	sum += 2 * n;
}
