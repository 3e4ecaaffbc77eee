// SPDX-License-Identifier: GPL-2.0
/*
 * A shared library whose symbols are looked up, with a name as a C++ compiler makes it, and with
 * musl's signal trampoline: it has no unwinding table
 */

int sum;

void work(int n) __asm__("_ZN3knc4workEi");

void work(int n)
{
	sum += n;
	sum += 2 * n;
}

/* the second one is shorter; neither is executed */
#define TRAMPOLINE(name, reg)						\
	__asm__(".text; nop; .type " name ", @function\n"		\
		name ": mov $15, %" reg "; syscall; .size " name ", .-" name)

TRAMPOLINE("restore", "rax");
TRAMPOLINE("restore_short", "eax");
