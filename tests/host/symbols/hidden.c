/* SPDX-License-Identifier: GPL-2.0 */
/* A program whose largest function has no symbol when it is stripped */
void leaf(void);

static volatile unsigned long sink;

__attribute__((noinline)) static void busy(void)
{
	unsigned long i;

	for (i = 0; i < 1000; i++)
		sink += i;
}

int main(void)
{
	leaf();
	busy();
	return 0;
}
