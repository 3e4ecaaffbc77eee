// SPDX-License-Identifier: GPL-2.0
/*
 * A program that spends 60, 30 and 10 percent of its instructions in three
 * functions, and some more in the kernel
 */
#include <stdio.h>
#include <unistd.h>

#include "../card/guest/phases.h"

#define ROUNDS		400

int main(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		step();
		if (write(1, ".", 1) != 1)
			return 1;
	}
	puts("");
	return 0;
}
