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
MODULE_PARM_DESC(pmi, "overflow interrupt: nmi (default; samples code with interrupts off too) or irq (a vector of its own)");

/* Is the overflow interrupt a vector's, no NMI? */
bool knc_pmi_is_irq(void)
{
	return pmi[0] == 'i';
}

/* An LVT entry with a vector of its own; without one its interrupts are NMIs. */
static u32 knc_pmi_vector(unsigned int cpu)
{
	int vector = knc_compat_vector_alloc(cpu);

	if (vector >= 0)
		return vector;
	pr_warn("CPU %u: there is no free interrupt vector (%d); its overflow interrupts are NMIs\n",
		cpu, vector);
	return KNC_APIC_LVT_NMI;
}

/**
 * knc_pmi_online() - a hardware thread can have overflow interrupts from now on
 * @cpu: it; in process context, able to sleep
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

/* It has none any more; its LVT entry is what it was before the first. */
void knc_pmi_offline(unsigned int cpu)
{
	if (knc_pmi_is_irq())
		knc_compat_vector_free(cpu);
}

/**
 * knc_pmi_init() - get ready for overflow interrupts
 *
 * Return: 0; -EINVAL: there is no such mode; -EOPNOTSUPP: this kernel gives
 * modules no vectors; or what registering an NMI handler returns.
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

/* No overflow interrupt comes any more; what one has asked for comes to its end. */
void knc_pmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
	knc_core_pmis_exit();
}
