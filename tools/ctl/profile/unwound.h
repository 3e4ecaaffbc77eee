/* SPDX-License-Identifier: GPL-2.0 */
/* The ends of functions without a size, by the unwinding tables */
#ifndef KNC_CTL_UNWOUND_H
#define KNC_CTL_UNWOUND_H

#include <elfutils/libdwfl.h>

/*
 * Where the code at @addr ends at the latest: at the end of its entry in .eh_frame, or else at the
 * next function with an entry. 0: the tables do not tell.
 */
GElf_Addr unwound_end(struct Dwfl_Module *module, struct Elf *elf, GElf_Addr addr);

#endif /* KNC_CTL_UNWOUND_H */
