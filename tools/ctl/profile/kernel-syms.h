/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of the kernel */
#ifndef KNC_CTL_KERNEL_SYMS_H
#define KNC_CTL_KERNEL_SYMS_H

#include "profile/data-file.h"
#include "profile/symtab.h"

/* Add the known symbols of the recorded kernel */
void kernel_syms(const struct data_file *f, struct symtab *table);

#endif /* KNC_CTL_KERNEL_SYMS_H */
