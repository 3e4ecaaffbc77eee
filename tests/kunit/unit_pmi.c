// SPDX-License-Identifier: GPL-2.0
/* The overflow interrupt: delivery.c, pmi.c, storm.c and siblings.c, with KNC_PMU_KUNIT */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/wait.h>

#include <asm/irq_regs.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "compat/compat.h"
#include "compat/vectors.h"
#include "fakes.h"
#include "units.h"

/* after all headers: only the module's own lines use it */
#undef current
#define current fake_current()
#undef pr_fmt

#define knc_compat_vector_alloc knc_test_vector_alloc
static int knc_test_vector_alloc(unsigned int cpu);

#include "../../src/sample/delivery.c"
#include "../../src/sample/storm.c"
#include "../../src/sample/siblings.c"
#include "../../src/sample/pmi.c"

static int knc_test_vector = -ENOSPC;

static int knc_test_vector_alloc(unsigned int cpu)
{
	return knc_test_vector;
}

void knc_test_vectors(int vector)
{
	knc_test_vector = vector;
}

void knc_test_pmi_init(void)
{
	static bool done;

	if (done)
		return;
	knc_siblings_init();
	/* by default no vector is free; a test may provide one */
	pmi = "nmi";
	done = true;
}

void knc_test_look(void)
{
	knc_siblings_look(this_cpu_ptr(&knc_siblings));
}

bool knc_test_nmi_beside(struct pt_regs *regs)
{
	unsigned long flags;
	bool ours;

	local_irq_save(flags);
	ours = knc_pmi_nmi_beside(NMI_LOCAL, regs) == NMI_HANDLED;
	local_irq_restore(flags);
	return ours;
}

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
