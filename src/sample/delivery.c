// SPDX-License-Identifier: GPL-2.0
/*
 * How overflow interrupts are delivered: as NMIs, or by a vector of their own
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
#include "sample/pmi.h"
#include "sample/siblings.h"
#include "sample/storm.h"

static char *pmi = "nmi";
module_param(pmi, charp, 0444);
MODULE_PARM_DESC(pmi, "overflow interrupt: nmi (default; also samples code that runs with interrupts off) or irq (a vector of its own; takes less time)");

/* Is the overflow interrupt delivered by a vector? */
bool knc_pmi_is_irq(void)
{
	return pmi[0] == 'i';
}

/* The LVT entry with a vector of its own; without a free one, as an NMI */
static u32 knc_pmi_vector(unsigned int cpu)
{
	int vector = knc_compat_vector_alloc(cpu);

	if (vector >= 0)
		return vector;
	pr_warn("CPU %u: no interrupt vector is free (%d), its overflow interrupts are NMIs; to try again, take it offline and online\n",
		cpu, vector);
	return KNC_APIC_LVT_NMI;
}

/**
 * knc_pmi_online() - prepare a hardware thread for overflow interrupts
 * @cpu: its CPU; called in process context, able to sleep
 */
void knc_pmi_online(unsigned int cpu)
{
	struct knc_hwthread *hw = knc_hwthread_of(cpu);

	hw->sparse = 0;
	hw->lvtpc = KNC_APIC_LVT_NMI;
	if (knc_pmi_is_irq())
		hw->lvtpc = knc_pmi_vector(cpu);
	knc_pmi_find_dense(hw, cpu, knc_pmi_is_irq());
}

/* Undo knc_pmi_online(); the LVT entry has been restored before. */
void knc_pmi_offline(unsigned int cpu)
{
	if (knc_pmi_is_irq())
		knc_compat_vector_free(cpu);
}

/**
 * knc_pmi_init() - install the handler of overflow interrupts
 *
 * Return: 0; -EINVAL: parameter pmi is neither nmi nor irq; -EOPNOTSUPP: this
 * kernel gives modules no vectors; or an errno of register_nmi_handler().
 */
int knc_pmi_init(void)
{
	knc_core_pmis_init();
	if (!strcmp(pmi, "nmi"))
		return register_nmi_handler(NMI_LOCAL, knc_pmi_nmi,
					    NMI_FLAG_FIRST, KBUILD_MODNAME);
	if (strcmp(pmi, "irq")) {
		pr_err("pmi=%s: the overflow interrupt can be nmi or irq\n", pmi);
		return -EINVAL;
	}
	if (!KNC_COMPAT_VECTORS) {
		pr_err("pmi=irq: this kernel gives modules no interrupt vectors; use pmi=nmi\n");
		return -EOPNOTSUPP;
	}
	knc_compat_vector_handler = knc_pmi_irq;
	knc_storm_irq();
	return register_nmi_handler(NMI_LOCAL, knc_pmi_nmi_beside,
				    NMI_FLAG_FIRST, KBUILD_MODNAME);
}

/* No overflow interrupt comes any more; wait for the work that they queued. */
void knc_pmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
	knc_core_pmis_exit();
}
