/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the procedure linkage table (PLT), which has no symbols */
#ifndef KNC_CTL_PLT_H
#define KNC_CTL_PLT_H

#include <elfutils/libdwelf.h>

#include "profile/symtab.h"

/*
 * Add "NAME@plt" for each entry of the sections .plt, .plt.sec and .plt.got of @elf. @table has
 * the functions of the file, sorted: a static program's entries call functions without a dynamic
 * symbol.
 */
void plt_symbols(struct symtab *table, struct Elf *elf);

#endif /* KNC_CTL_PLT_H */
