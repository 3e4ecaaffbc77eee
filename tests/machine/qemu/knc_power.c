// SPDX-License-Identifier: GPL-2.0
/*
 * What a core of the emulated Knights Corner loses without the operating system's knowledge: for
 * QEMU's monitor, qom-set /machine core-power "c6 1"
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/i386/apic.h"
#include "hw/qdev-core.h"
#include "cpu.h"

/* @name: which registers its threads lose */
static const struct {
	const char *name;
	bool status;		/* the status */
	bool all;		/* and all others */
	bool mask;		/* the LVT entry becomes masked */
} knc_losses[] = {
	/* MPSS's kernel saves and restores all but the status */
	{ "c6", .status = true },
	/* 1.4.4 */
	{ "reset", .status = true, .all = true, .mask = true },
	{ "init", .mask = true },
};

static void knc_lose(CPUState *cs, run_on_cpu_data data)
{
	X86CPU *cpu = X86_CPU(cs);

	if (knc_losses[data.host_int].all)
		knc_pmu_lose_all(&cpu->env);
	if (knc_losses[data.host_int].status)
		knc_pmu_lose_status(&cpu->env);
	if (knc_losses[data.host_int].mask)
		apic_mask_pmi(cpu->apic_state);
}

/* Apply the loss to each thread of the core; each continues where it was. */
static void knc_lose_core(unsigned int core, int loss)
{
	CPUState *cs;

	CPU_FOREACH(cs)
		if (cs->cpu_index / cs->nr_threads == core)
			run_on_cpu(cs, knc_lose, RUN_ON_CPU_HOST_INT(loss));
}

/* @value: the kind of loss and a core's number */
static void knc_set_power(Object *obj, const char *value, Error **errp)
{
	unsigned int core;
	char what[16];
	int i;

	if (sscanf(value, "%15s %u", what, &core) == 2 &&
	    core < first_cpu->nr_cores) {
		for (i = 0; i < ARRAY_SIZE(knc_losses); i++) {
			if (strcmp(what, knc_losses[i].name))
				continue;
			knc_lose_core(core, i);
			return;
		}
	}
	error_setg(errp, "core-power is c6, reset or init, and the number of a core");
}

/* At the reset of the first CPU */
void knc_power_init(void)
{
	object_property_add_str(qdev_get_machine(), "core-power", NULL, knc_set_power);
}
