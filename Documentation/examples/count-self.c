// SPDX-License-Identifier: GPL-2.0
/* A program that counts itself through libkncpmu */
#include <kncpmu.h>
#include <stdio.h>

int main(void)
{
	struct kncpmu_error err;
	__u64 counts[2];
	volatile int i;
	int fd = kncpmu_count_self("INSTRUCTIONS_EXECUTED:u,BRANCHES:u", &err);

	for (i = 0; i < 1000000; i++)
		;
	if (fd < 0 || kncpmu_read_self(fd, counts, 2, &err))
		return fprintf(stderr, "%s\n", err.text) > 0;
	printf("%llu instructions, %llu branches\n", counts[0], counts[1]);
	return 0;
}
