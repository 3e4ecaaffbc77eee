/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions of include/knc/vector.def as text */
#ifndef KNC_CTL_VECTOR_H
#define KNC_CTL_VECTOR_H

#include <stddef.h>
#include <knc/vector_decode.h>

/* Format the operands in AT&T's syntax; @addr: the instruction's address. Cut to @size */
void vector_operands(const struct knc_vector_insn *insn, unsigned long long addr, char *text,
		     size_t size);

#endif /* KNC_CTL_VECTOR_H */
