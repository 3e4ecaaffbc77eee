/* SPDX-License-Identifier: GPL-2.0 */
/* Unwinds call chains by a copy of the stack and DWARF unwinding tables, else by frame pointers */
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

/* @max: the most addresses of a chain; 0: KNC_PMU_MAX_FRAMES */
struct unwinder *unwinder_new(struct symbols *symbols, unsigned int max);
void unwinder_free(struct unwinder *u);
/*
 * Unwind a sample of a process with the mappings @space. @chain: its @nr addresses by frame
 * pointers, used where the tables end; at most KNC_PMU_MAX_FRAMES. Without a copy and such a chain
 * @to has no addresses.
 */
void unwind(struct unwinder *u, const struct space *space, const struct knc_pmu_stack *stack,
	    const __u64 *chain, unsigned int nr, struct callers *to);
/* Describe how many chains were found by tables, and by frame pointers; @size: at least 128 */
void unwinder_describe(const struct unwinder *u, char *text, size_t size);
/* Warn of chains that end early or follow frame pointers: how many, why, and what to do */
void unwinder_tell(const struct unwinder *u);

#endif /* KNC_CTL_UNWIND_H */
