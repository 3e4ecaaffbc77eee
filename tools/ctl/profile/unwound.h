/* SPDX-License-Identifier: GPL-2.0 */
/* Where functions begin and end, by the tables for unwinding: for symbols without a size */
#ifndef KNC_CTL_UNWOUND_H
#define KNC_CTL_UNWOUND_H

#include <elfutils/libdwfl.h>

/*
 * Where the code that begins at @addr ends at the latest: where its entry in .eh_frame ends, or,
 * if it has none, where the next function with an entry begins. 0: the tables do not tell.
 */
GElf_Addr unwound_end(struct Dwfl_Module *module, struct Elf *elf, GElf_Addr addr);

#endif /* KNC_CTL_UNWOUND_H */
