// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of the two functions by which the kernel's users of the PMU reserve counters
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include <asm/nmi.h>

#include "compat/reservation.h"

static void (*knc_compat_asked)(void);

static int knc_compat_reservation_asked(struct kprobe *probe, struct pt_regs *regs)
{
	knc_compat_asked();
	return 0;
}

static struct kprobe knc_compat_perfctr, knc_compat_evntsel;

/* Probe a function by address: to find one by name, the kernel may have to look at all symbols. */
static int knc_compat_reservation_probe(struct kprobe *probe, int (*reserve)(unsigned int msr))
{
	/* clear what an earlier registration left: the kernel would refuse another one */
	memset(probe, 0, sizeof(*probe));
	probe->addr = (kprobe_opcode_t *)reserve;
	probe->pre_handler = knc_compat_reservation_asked;
	return register_kprobe(probe);
}

int knc_compat_reservation_watch(void (*asked)(void))
{
	int err;

	knc_compat_asked = asked;
	err = knc_compat_reservation_probe(&knc_compat_perfctr, reserve_perfctr_nmi);
	if (err)
		return err;
	err = knc_compat_reservation_probe(&knc_compat_evntsel, reserve_evntsel_nmi);
	if (err)
		unregister_kprobe(&knc_compat_perfctr);
	return err;
}

void knc_compat_reservation_unwatch(void)
{
	unregister_kprobe(&knc_compat_perfctr);
	unregister_kprobe(&knc_compat_evntsel);
}
