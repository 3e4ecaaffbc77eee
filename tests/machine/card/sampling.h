/* SPDX-License-Identifier: GPL-2.0 */
/* Bare-metal test of the emulated card: sampling, with the handler of 1.4.3.9 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "card.h"

#define LONG	200002		/* instructions of user_long(), with int $0x80 */
void user_long(void);

/* Sample @fn in ring 3, with instructions on both counters */
void sampling(u32 lvt, void (*fn)(void), u64 period0, u64 period1);
/* Do samples and rests add up to @total instructions? */
void check_samples(const char *name, const char *left, u64 total);
/* NMIs that found no overflow */
extern u32 foreign;

#endif /* SAMPLING_H */
