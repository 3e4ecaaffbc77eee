// SPDX-License-Identifier: GPL-2.0
// C++: the region ends with the scope, by return and by exception too
#include <cstdio>
#include <stdexcept>
#include <vector>
#include <knc/ring3.h>

static long collatz(long n)
{
	KNC_SCOPE("collatz");
	long steps = 0;

	if (n < 1)
		throw std::invalid_argument("n < 1");
	while (n != 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

int main()
{
	std::vector<long> steps;

	knc_ring3_init();
	for (long n = 0; n < 1000; n++) {
		try {
			steps.push_back(collatz(n));
		} catch (const std::invalid_argument &) {
			steps.push_back(0);
		}
	}
	std::printf("%ld\n", steps[871]);
	return 0;
}
