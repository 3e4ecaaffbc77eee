// SPDX-License-Identifier: GPL-2.0
/*
 * A program to be recorded, not a test: it spends 60, 30 and 10 percent of its user
 * instructions in three functions, and in the kernel about as many as in one of these
 *
 *	busy ROUNDS
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "phases.h"

int main(int argc, char **argv)
{
	unsigned long i, rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	int fd = open("/dev/zero", O_RDONLY);
	static char page[4096];
	unsigned int n;

	if (fd < 0)
		return 1;
	for (i = 0; i < rounds; i++) {
		step();
		for (n = 0; n < 40; n++)
			if (read(fd, page, sizeof(page)) != sizeof(page))
				return 1;
	}
	return 0;
}
