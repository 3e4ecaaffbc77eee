// SPDX-License-Identifier: GPL-2.0
/*
 * pmi.c, with KNC_PMU_KUNIT
 */
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <asm/nmi.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "compat.h"
#include "fakes.h"
#include "units.h"

/* behind all headers: only the module's own lines are meant */
#undef current
#define current fake_current()
#undef pr_fmt

#include "../../src/pmi.c"

bool knc_test_nmi(struct pt_regs *regs)
{
	return knc_pmi_nmi(NMI_LOCAL, regs) == NMI_HANDLED;
}

void knc_test_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg)
{
	knc_pmi_irq(regs, eoi, arg);
}

void knc_test_pmi_mode(char *mode)
{
	pmi = mode;
}
