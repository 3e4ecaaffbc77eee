// SPDX-License-Identifier: GPL-2.0
/* A program whose symbols are looked up: it is compiled, not run */

unsigned int sum;

void cold(void)
{
	sum += 1;
	sum += 2;
}

void warm(void)
{
	sum += 3;
	sum += 4;
}

void hot(void)
{
	sum += 5;
	sum += 6;
}

int main(void)
{
	hot();
	warm();
	cold();
	return sum;
}

void outer(void)
{
	main();
	main();
}
