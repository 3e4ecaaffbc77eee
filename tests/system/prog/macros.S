/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measured programs: no libc, no start-up but what is written here
 *
 * "PROGRAM N [M]" calls work(N, M) and exits with 0. Numbers with as many
 * digits cost as many instructions, loads, stores and branches to read.
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
