/* SPDX-License-Identifier: GPL-2.0 */
/* Signal trampolines without unwinding tables, known by their code */
#ifndef KNC_CTL_TRAMPOLINE_H
#define KNC_CTL_TRAMPOLINE_H

#include "profile/elf-file.h"

/* The interrupted registers are on the stack, in struct sigcontext, this far above SP */
#define TRAMPOLINE_REGS		40
/* The DWARF numbers of these registers, in the order of struct sigcontext */
extern const unsigned char trampoline_regs[17];

/* Is there a system call rt_sigreturn of a 64-bit program, with @addr in its instructions? */
int is_trampoline(const struct elf_file *file, unsigned long long addr);

#endif /* KNC_CTL_TRAMPOLINE_H */
