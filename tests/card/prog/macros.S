/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measured programs: no libc, and only the start-up code of start.S
 *
 * "PROGRAM N [M]" calls work(N, M) and exits with 0. Numbers with the same number of
 * digits take the same instructions, loads, stores and branches to read.
 */
.macro FUNCTION name
	.globl \name
	.type \name, @function
\name:
.endm

.macro END name
	.size \name, . - \name
	.section .note.GNU-stack, "", @progbits
.endm
