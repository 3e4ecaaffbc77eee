/* SPDX-License-Identifier: GPL-2.0 */
/* Callers of programs without frame pointers, by a copy of the stack and the tables of files */
#ifndef KNC_CTL_UNWIND_H
#define KNC_CTL_UNWIND_H

#include <kncpmu.h>

#include "profile/symbols.h"

struct unwinder;

/**
 * struct callers - the callers of a sample
 * @ips: addresses, innermost first
 * @exact: is the address that of an instruction, not a return address?
 * @nr: number of addresses
 */
struct callers {
	unsigned long long ips[KNC_PMU_MAX_FRAMES];
	char exact[KNC_PMU_MAX_FRAMES];
	unsigned int nr;
};

struct unwinder *unwinder_new(struct symbols *symbols);
void unwinder_free(struct unwinder *u);
/* Unwind a sample; @space: the mappings of its process. Nothing is found: @to has no addresses */
void unwind(struct unwinder *u, const struct space *space, const struct knc_pmu_stack *stack,
	    struct callers *to);
/* Say which chains end too early, and what to do; then forget them */
void unwinder_tell(struct unwinder *u);

#endif /* KNC_CTL_UNWIND_H */
