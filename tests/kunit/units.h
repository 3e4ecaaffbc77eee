/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doors into what the module's sources keep to themselves
 */
#ifndef KNC_TEST_UNITS_H
#define KNC_TEST_UNITS_H

#include <linux/types.h>

struct knc_ring;
struct knc_sampler;
struct knc_session;
struct pt_regs;

/* The handler of an NMI: was it ours? And that of a vector */
bool knc_test_nmi(struct pt_regs *regs);
void knc_test_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg);
void knc_test_pmi_mode(char *mode);

/* The overflow interrupt's way to write a record; false: no room */
bool knc_test_ring_put(struct knc_ring *r, const void *record, u32 most,
		       u32 size);

/* What the timers do; on the hardware thread, interrupts off */
void knc_test_tick(struct knc_sampler *s);
void knc_test_time_sample(struct knc_sampler *s);

/* The sampler of the i-th hardware thread, or NULL */
struct knc_sampler *knc_test_sampler(struct knc_session *s, unsigned int i);

#endif /* KNC_TEST_UNITS_H */
