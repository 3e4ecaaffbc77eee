/* SPDX-License-Identifier: GPL-2.0 */
/* Bare-metal test of the emulated card: other threads */
#ifndef AP_H
#define AP_H

#include "card.h"

/* What a thread can be told to do */
enum ap_work { AP_NONE, AP_LOOP, AP_SET, AP_READ, AP_NMIS, AP_UNMASK,
	       AP_COUNT, AP_SHARE, AP_APIC, AP_UNITS, AP_SILICON };

/* The threads other than the first one */
extern volatile struct ap {
	u32 started, done;
	u32 work;
	u64 result[5];
} aps[8];

extern volatile bool nmis_wanted;	/* AP_NMIS: send them while it is set */
extern volatile bool map_changes;	/* AP_APIC: use the APIC while it is set */
extern volatile bool shares_wanted;	/* AP_SHARE: repeatedly count all threads while it is set */
extern volatile u32 shares;		/* how often all threads were counted */

/* Start a thread, or reset it; stop it */
void ap_boot(unsigned int id);
void ap_stop(unsigned int id);
/* Give a thread work, without and with waiting for its end */
void ap_begin(unsigned int id, u32 work);
void ap_do(unsigned int id, u32 work);
void ap_wait(unsigned int id);

#endif /* AP_H */
