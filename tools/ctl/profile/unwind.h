/* SPDX-License-Identifier: GPL-2.0 */
/* Unwinds call chains without frame pointers, by a copy of the stack and DWARF unwinding tables */
#ifndef KNC_CTL_UNWIND_H
#define KNC_CTL_UNWIND_H

#include <kncpmu.h>

#include "profile/symbols.h"

struct unwinder;

/**
 * struct callers - the call chain of a sample
 * @ips: addresses, innermost first
 * @exact: the address is an instruction's that was interrupted, no return address
 * @nr: number of addresses
 */
struct callers {
	unsigned long long ips[KNC_PMU_MAX_FRAMES];
	char exact[KNC_PMU_MAX_FRAMES];
	unsigned int nr;
};

struct unwinder *unwinder_new(struct symbols *symbols);
void unwinder_free(struct unwinder *u);
/* Unwind a sample of a process with the mappings @space; on failure @to has no addresses */
void unwind(struct unwinder *u, const struct space *space, const struct knc_pmu_stack *stack,
	    struct callers *to);
/* Say how many chains ended early, why, and what to do; then reset the numbers */
void unwinder_tell(struct unwinder *u);

#endif /* KNC_CTL_UNWIND_H */
