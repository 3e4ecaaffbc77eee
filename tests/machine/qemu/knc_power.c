// SPDX-License-Identifier: GPL-2.0
/*
 * Registers that a core of the emulated Knights Corner loses although the operating system did not
 * write them.  QEMU's monitor: qom-set /machine core-power "c6 1"
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/i386/apic.h"
#include "hw/qdev-core.h"
#include "cpu.h"

/* What happens to a core, and the registers that its threads lose then */
static const struct {
	const char *name;
	bool status;		/* the status */
	bool all;		/* all others */
	bool mask;		/* the LVT entry is masked */
} knc_losses[] = {
	/* MPSS's kernel saves and restores all registers but the status */
	{ "c6", .status = true },
	/* reset and INIT: 327357 1.4.4 */
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

/* Each thread of the core, one at a time, loses its registers, and goes on where it was. */
static void knc_lose_core(unsigned int core, int loss)
{
	CPUState *cs;

	CPU_FOREACH(cs)
		if (cs->cpu_index / cs->nr_threads == core)
			run_on_cpu(cs, knc_lose, RUN_ON_CPU_HOST_INT(loss));
}

/* @value: a name of knc_losses[], and the number of a core */
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

/* Called at the reset of the first CPU */
void knc_power_init(void)
{
	object_property_add_str(qdev_get_machine(), "core-power", NULL, knc_set_power);
}
