/* SPDX-License-Identifier: GPL-2.0 */
/* Bare-metal test of the emulated card's units: what its parts share */
#ifndef UNITS_H
#define UNITS_H

#include "ap.h"
#include "card.h"
#include "tests.h"

/*
 * COUNT with empty caches and TLBs, but for the line of code that empties them and starts the
 * counters.  The payload begins the next line.  The first run makes the units see the core.
 */
#define COLD(sel0, sel1, payload) COLD_AFTER("", sel0, sel1, payload)
#define COLD_AFTER(first, sel0, sel1, payload)				\
	do {								\
		COUNT(sel0, sel1, "nop");				\
		pmu_set((sel0) | EN, (sel1) | EN);			\
		asm volatile(".p2align 6; wbinvd; mov %%cr3, %%rax; mov %%rax, %%cr3;" \
			     "mov $3, %%eax; xor %%edx, %%edx; mov $0x2f, %%ecx;" \
			     "wrmsr;" first ".p2align 6;" payload ";"	\
			     "xor %%eax, %%eax; xor %%edx, %%edx;"	\
			     "mov $0x2f, %%ecx; wrmsr" : : : CLOBBERS);	\
		pmu_get();						\
	} while (0)

/* Clock cycles and E stage cycles of a payload between two instructions, without these two */
extern u64 cycles, stage;

#define CYCLES_OF(payload)						\
	do {								\
		COLD(EV_CPU_CLK_UNHALTED | OS, EV_EXEC_STAGE_CYCLES | OS, ALONE ALONE); \
		cycles = -c0;						\
		stage = -c1;						\
		COLD(EV_CPU_CLK_UNHALTED | OS, EV_EXEC_STAGE_CYCLES | OS,	\
		     ALONE payload ";" ALONE);				\
		cycles += c0;						\
		stage += c1;						\
	} while (0)

/* @n times @access at rsi, which begins at @base and advances by @stride */
#define WALK(base, stride, n, access)					\
	"mov $" #base ", %%esi; mov $" #n ", %%ebx;"			\
	"1:" access "; add $" #stride ", %%rsi; dec %%ebx; jnz 1b;"
#define READS(base, stride, n)	WALK(base, stride, n, "mov (%%rsi), %%rax")
#define WRITES(base, stride, n)	WALK(base, stride, n, "mov %%rax, (%%rsi)")

#endif /* UNITS_H */
