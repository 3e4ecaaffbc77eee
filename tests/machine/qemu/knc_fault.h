/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defects that the PMU of an emulated Knights Corner can have, one at a time: the CPU model's
 * option fault
 *
 * knc-pmuctl selftest must find each of them. Documentation/emulated-card.rst lists them.
 */
#ifndef KNC_FAULT_H
#define KNC_FAULT_H

/* FAULT(constant, name) */
#define KNC_FAULTS(FAULT)						\
	FAULT(DEAD_COUNTER, "dead-counter")	/* counter 1 never counts */ \
	FAULT(CROSSTALK, "crosstalk")		/* with both on, counter 1 counts 0's event */ \
	FAULT(WRONG_COUNTER, "wrong-counter")	/* KNC_FAULT_EVENT counts on counter 1 only */ \
	FAULT(DEAD_EVENT, "dead-event")		/* KNC_FAULT_EVENT never counts */ \
	FAULT(WIDTH, "width")			/* counters have 32 bits */	\
	FAULT(NO_PMI, "no-pmi")			/* an overflow raises no PMI */ \
	FAULT(PMI_SIBLING, "pmi-sibling")	/* the core's next thread gets the PMI */ \
	FAULT(STATUS, "stuck-status")		/* OVF_CONTROL does not clear bit 0 */ \
	FAULT(SKID, "skid")			/* the PMI is 3 instructions late */ \
	FAULT(SPFLT, "spflt-inverted")		/* gated counters count while USER_PREF is 0 */ \
	FAULT(SPFLT_HALT, "spflt-halt")		/* a thread that halts loses MSR 0x2c, as in C6 */ \
	FAULT(SIBLINGS, "siblings")		/* a core's last thread is on a core of its own */ \
	FAULT(TSC, "half-tsc")			/* the TSC has half the rate of the core clock */

/* The event that some defects hit: DATA_PAGE_WALK */
#define KNC_FAULT_EVENT	0x02

/* Instructions by which KNC_FAULT_SKID delays the PMI */
#define KNC_SKID_INSNS	3

enum knc_fault {
	KNC_FAULT_NONE,
#define KNC_FAULT(constant, name)	KNC_FAULT_##constant,
	KNC_FAULTS(KNC_FAULT)
#undef KNC_FAULT
};

#endif /* KNC_FAULT_H */
