// SPDX-License-Identifier: GPL-2.0
/* Random and special numbers as elements of vectors */
#include "compare.h"

static unsigned long long first = 20261127, seed = 20261127;

void inputs_begin(unsigned long long number)
{
	first = number;
	seed = number;
}

unsigned long long inputs_first(void)
{
	return first;
}

uint64_t random_bits(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) ^ seed << 31 ^ seed >> 7;
}

unsigned int below(unsigned int n)
{
	return (random_bits() >> 8 & 0xffffff) % n;
}

/*
 * Zeros, denormals, smallest and largest numbers, infinities, NaNs, numbers near 1, 2^23, 2^31 and
 * 2^32
 */
uint32_t special32(void)
{
	static const uint32_t values[] = {
		0, 1, 0x7fffff, 0x400000, 0x800000, 0x800001, 0x7f7fffff, 0x7f800000, 0x7f800001,
		0x7fc00000, 0x7fffffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
		0x3fbfffff, 0x40000000, 0x40200000, 0x4affffff, 0x4b000000, 0x4b000001, 0x4effffff,
		0x4f000000, 0x4f7fffff, 0x4f800000, 0x7e800000, 0x7e800001, 0x00ffffff, 31, 32, 33,
	};

	return values[below(sizeof(values) / sizeof(*values))] ^ (below(2) ? 0x80000000 : 0);
}

static uint64_t special64(void)
{
	static const uint64_t values[] = {
		0, 1, 0xfffffffffffff, 0x10000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
		0x7ff0000000000001, 0x7ff8000000000000, 0x3fe0000000000000, 0x3fefffffffffffff,
		0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x4004000000000000,
		0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0x41efffffffe00000,
		0x41effffffff00000, 0x41f0000000000000, 0x4330000000000000, 0x432fffffffffffff,
		0x47efffffe0000000, 0x47effffff0000000, 0x3810000000000000, 0x380fffffffffffff,
	};

	return values[below(sizeof(values) / sizeof(*values))] ^ (below(2) ? 1ULL << 63 : 0);
}

void fill(vector *v, int wide)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		v->d[i] = below(3) ? random_bits() : special32();
	for (i = 0; wide && i < 8; i++)
		if (!below(3))
			v->q[i] = special64();
	/* numbers of like size, whose sums cancel and are rounded */
	for (i = 0; i < 16; i++)
		if (!wide && !below(3))
			v->d[i] = (v->d[i] & 0x83ffffff) | 0x3c000000;
	for (i = 0; i < 8; i++)
		if (wide && !below(3))
			v->q[i] = (v->q[i] & 0x807fffffffffffff) | 0x3f80000000000000;
}
