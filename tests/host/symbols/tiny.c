/* SPDX-License-Identifier: GPL-2.0 */
/* The library that calls.c calls */
long tiny(long n);

long tiny(long n)
{
	return n + 1;
}
