// SPDX-License-Identifier: GPL-2.0
/* One thread after the other works, each under a name: named NAME... */
#include <pthread.h>
#include <sys/prctl.h>

__attribute__((noinline)) void named_inner(unsigned long n)
{
	while (n--)
		__asm__ __volatile__("");
}

__attribute__((noinline)) void named_outer(unsigned long n)
{
	named_inner(n);
	named_inner(n / 2);
}

static void *work(void *name)
{
	prctl(PR_SET_NAME, name);
	named_outer(200000);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	for (i = 1; i < argc; i++) {
		if (pthread_create(&thread, NULL, work, argv[i]))
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}
