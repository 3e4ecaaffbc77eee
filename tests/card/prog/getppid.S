/* SPDX-License-Identifier: GPL-2.0 */
/*
 * getppid N: N times getppid(): the cheapest system call
 */
#include <asm/unistd.h>

#include "macros.S"

	.text
FUNCTION work
1:	mov	$__NR_getppid, %eax
	syscall
	dec	%rdi
	jnz	1b
	ret
END work
