// SPDX-License-Identifier: GPL-2.0
/*
 * Delivery of PMIs: as NMIs, or by a vector of their own
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include <asm/nmi.h>

#include "compat/compat.h"
#include "compat/vectors.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "request/event.h"
#include "sample/delivery.h"
#include "sample/pmi.h"
#include "sample/siblings.h"
#include "sample/storm.h"

static char *pmi = "auto";
module_param(pmi, charp, 0444);
MODULE_PARM_DESC(pmi, "overflow interrupt: nmi (also samples code that runs with interrupts off), irq (a vector of its own; takes less time) or auto (default: a vector where only the own user mode of a hardware thread is sampled, else an NMI)");

/* May PMIs use a vector? A hardware thread for which none was free gets NMIs. */
bool knc_delivery_has_vectors(void)
{
	return KNC_COMPAT_VECTORS && pmi[0] != 'n';
}

/* May PMIs be NMIs, even if there is a vector? */
bool knc_delivery_has_nmis(void)
{
	return !KNC_COMPAT_VECTORS || pmi[0] != 'i';
}

/* Must PMIs be NMIs for a session with these events? */
bool knc_delivery_is_nmi(const struct knc_event *events, unsigned int nr)
{
	return knc_delivery_has_nmis() &&
	       (!knc_delivery_has_vectors() || knc_events_need_nmi(events, nr));
}

/* Allocate a vector; returns the LVT entry for it, or 0 if none is free */
static u32 knc_delivery_vector(unsigned int cpu)
{
	int vector = knc_compat_vector_alloc(cpu);

	if (vector >= 0)
		return vector;
	if (!knc_delivery_has_nmis())
		pr_warn("CPU %u: no interrupt vector is free (%d), its overflow interrupts are NMIs; to try again, take it offline and online\n",
			cpu, vector);
	return 0;
}

/**
 * knc_delivery_online() - prepare a hardware thread for overflow interrupts
 * @cpu: its CPU; called in process context, able to sleep
 */
void knc_delivery_online(unsigned int cpu)
{
	struct knc_hwthread *hw = knc_hwthread_of(cpu);

	hw->vector = knc_delivery_has_vectors() ? knc_delivery_vector(cpu) : 0;
	hw->nmi = !hw->vector;
	hw->lvtpc = hw->vector ? hw->vector : KNC_APIC_LVT_NMI;
	knc_storm_init(hw);
}

/* Undo knc_delivery_online(); the LVT entry has been restored before. */
void knc_delivery_offline(unsigned int cpu)
{
	if (knc_delivery_has_vectors())
		knc_compat_vector_free(cpu);
}

/**
 * knc_delivery_init() - install the handler of overflow interrupts
 *
 * Return: 0; -EINVAL: parameter pmi is none of nmi, irq and auto; -EOPNOTSUPP: this
 * kernel gives modules no vectors; or an errno of register_nmi_handler().
 */
int knc_delivery_init(void)
{
	if (strcmp(pmi, "nmi") && strcmp(pmi, "irq") && strcmp(pmi, "auto")) {
		pr_err("pmi=%s: the overflow interrupt can be nmi, irq or auto\n", pmi);
		return -EINVAL;
	}
	if (pmi[0] == 'i' && !KNC_COMPAT_VECTORS) {
		pr_err("pmi=irq: this kernel gives modules no interrupt vectors; use pmi=nmi\n");
		return -EOPNOTSUPP;
	}
	knc_siblings_init();
	if (!knc_delivery_has_vectors())
		return register_nmi_handler(NMI_LOCAL, knc_pmi_nmi,
					    NMI_FLAG_FIRST, KBUILD_MODNAME);
	knc_compat_vector_handler = knc_pmi_irq;
	return register_nmi_handler(NMI_LOCAL, knc_pmi_nmi_beside,
				    NMI_FLAG_FIRST, KBUILD_MODNAME);
}

/* PMIs have ended; wait for the work that they queued. */
void knc_delivery_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
	knc_siblings_exit();
}
