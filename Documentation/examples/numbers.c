// SPDX-License-Identifier: GPL-2.0
/* How many numbers below LIMIT are prime, and which of them takes the most Collatz steps? */
#include <stdio.h>

#define LIMIT	10000

static int is_prime(int n)
{
	int divisor;

	for (divisor = 2; divisor < n; divisor++)
		if (n % divisor == 0)
			return 0;
	return n > 1;
}

static int count_primes(void)
{
	int n, primes = 0;

	for (n = 0; n < LIMIT; n++)
		primes += is_prime(n);
	return primes;
}

static int collatz(long n)
{
	int steps;

	for (steps = 0; n != 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

static int longest_collatz(void)
{
	int n, steps, longest = 1, most = 0;

	for (n = 1; n < LIMIT; n++) {
		steps = collatz(n);
		if (steps > most) {
			most = steps;
			longest = n;
		}
	}
	return longest;
}

int main(void)
{
	printf("%d primes\n", count_primes());
	printf("%d takes the most steps\n", longest_collatz());
	return 0;
}
