// SPDX-License-Identifier: GPL-2.0
/* Only the hot part counts: for a session whose events are gated by SPFLT */
#include <stdio.h>
#include <knc/ring3.h>

#define N	100000

static double values[N];

static void read_input(void)
{
	int i;

	for (i = 0; i < N; i++)
		values[i] = i % 17;
}

static double sum_of_squares(void)
{
	double sum = 0;
	int i;

	for (i = 0; i < N; i++)
		sum += values[i] * values[i];
	return sum;
}

int main(void)
{
	double sum;

	/* for other CPUs, where SPFLT does nothing from here on */
	knc_ring3_init();
	/* USER_PREF is clear at first: this does not count */
	read_input();

	knc_spflt_on();
	sum = sum_of_squares();
	knc_spflt_off();

	printf("%g\n", sum);
	return 0;
}
