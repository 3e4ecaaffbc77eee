// SPDX-License-Identifier: GPL-2.0
/* The library that calls.c calls */
#include "tiny.h"

long tiny(long n)
{
	return n + 1;
}
