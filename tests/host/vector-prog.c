// SPDX-License-Identifier: GPL-2.0
/* Instructions of Knights Corner among others: it is compiled, not run */

unsigned int sum;

void hot(void)
{
	sum += 5;
	/* vfmadd231ps 0x40(%rdi){float16}, %zmm3, %zmm17{%k2} */
	__asm__ volatile (".byte 0x62, 0xe2, 0x61, 0x3a, 0xb8, 0x4f, 0x02");
	/* kmov %k1, %eax; jknzd 1f, %k3; spflt %ecx */
	__asm__ volatile (".byte 0xc5, 0xf8, 0x93, 0xc1\n\t"
			  ".byte 0xc4, 0xe0, 0x60, 0x75, 4f - 3f\n"
			  "3:\n\t.byte 0xc5, 0xfb, 0xae, 0xf1\n4:");
	sum += 6;
}

int main(void)
{
	hot();
	return sum;
}

void outer(void)
{
	main();
}
