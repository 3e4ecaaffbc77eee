// SPDX-License-Identifier: GPL-2.0
/* Times since boot, on kernels with and without the clock for them */
#include <stdio.h>
#include <time.h>

int ask_clock(clockid_t id, struct timespec *ts);

#define clock_gettime	ask_clock
#include "../../tools/lib/kernel-file.c"

static int lacks, failed;

/* Uptime is 200.5 s, for 100 s of which the machine was suspended */
int ask_clock(clockid_t id, struct timespec *ts)
{
	if (id == CLOCK_BOOTTIME && lacks)
		return -1;
	ts->tv_sec = id == CLOCK_BOOTTIME ? 200 : 100;
	ts->tv_nsec = 500000000;
	return 0;
}

static void test(const char *name, unsigned long long got, unsigned long long wanted)
{
	if (got == wanted)
		printf("ok boot-clock.%s\n", name);
	else
		printf("not ok boot-clock.%s: %llu instead of %llu\n", name, got, wanted);
	failed |= got != wanted;
}

int main(void)
{
	test("is-there", kncpmu_boot_ns(), 200500000000ULL);
	lacks = 1;
	test("is-not-there", kncpmu_boot_ns(), 100500000000ULL);
	return failed;
}
