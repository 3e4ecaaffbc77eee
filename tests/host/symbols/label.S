/* SPDX-License-Identifier: GPL-2.0 */
/* A function without a size, as in assembler that people write; exported by -rdynamic */
	.text
	.globl	leaf
	.type	leaf, @function
leaf:
	ret
	.section .note.GNU-stack, "", @progbits
