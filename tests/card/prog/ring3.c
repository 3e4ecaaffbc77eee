// SPDX-License-Identifier: GPL-2.0
/*
 * ring3 N: between knc_spflt_on() and knc_spflt_off() N rounds of {dec, jnz}, then knc_rdtsc() and
 * knc_delay(), as ring3.h has them; without a C library, whose functions take instructions that a
 * card lacks. start.S calls it.
 */
#include <knc/ring3.h>

void work(long n, long unused);

void work(long n, long unused)
{
	unsigned long long began = knc_rdtsc();

	(void)unused;
	knc_spflt_on();
	__asm__ __volatile__("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
	knc_spflt_off();
	knc_delay(64);
	/* no time has passed: knc_rdtsc() is no clock */
	if (knc_rdtsc() <= began)
		__asm__ __volatile__("ud2");
}
