// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose samples are hard to name, not a test: the first thread has ended while another one
 * works; most time is spent in the vdso, or in code generated at run time
 *
 *	strange leaderless | vdso [CALLS] | made
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"

/* Not static: reports must show its name. */
void *strange_work(void *unused);

__attribute__((noinline)) void *strange_work(void *unused)
{
	(void)unused;
	for (;;)
		loop(1000);
	return NULL;
}

static int leaderless(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, strange_work, NULL))
		return 1;
	pthread_exit(NULL);
}

/* @calls 0: endless */
static int vdso(unsigned long calls)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	} while (--calls);
	return 0;
}

/* Run a loop in generated code, whose name perf finds in a map file */
static int made(void)
{
	/* mov $3000000, %ecx; 1: dec %ecx; jnz 1b; ret */
	static const unsigned char code[] = {
		0xb9, 0xc0, 0xc6, 0x2d, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3
	};
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		return 1;
	fprintf(f, "%lx %zx made_loop\n", (unsigned long)page, sizeof(code));
	fclose(f);
	((void (*)(void))page)();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "leaderless"))
		return leaderless();
	if (argc >= 2 && !strcmp(argv[1], "vdso"))
		return vdso(argc == 3 ? strtoul(argv[2], NULL, 0) : 0);
	if (argc == 2 && !strcmp(argv[1], "made"))
		return made();
	return 2;
}
