// SPDX-License-Identifier: GPL-2.0
/*
 * The defect of an emulated Knights Corner: by the CPU model's option fault, or while nothing
 * counts by QEMU's monitor: qom-set /machine fault NAME
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "hw/qdev-core.h"
#include "cpu.h"

static const char * const knc_fault_names[] = {
	"none",
#define KNC_FAULT(constant, name)	name,
	KNC_FAULTS(KNC_FAULT)
#undef KNC_FAULT
};

/* The number of a defect; -1: there is none of this name */
static int knc_fault_named(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(knc_fault_names); i++)
		if (!strcmp(name, knc_fault_names[i]))
			return i;
	return -1;
}

/* The defect siblings: the last of a core's threads has a core of its own */
static void knc_misplace(CPUState *cs)
{
	unsigned int last = MIN(cs->nr_threads, KNC_THREADS_PER_CORE) - 1;
	KncPmu *p = &X86_CPU(cs)->env.knc;

	if (!last)
		return;
	p->own_core.thread[last] = NULL;
	if (p->thread != last)
		return;
	memset(p->own_core.thread, 0, sizeof(p->own_core.thread));
	p->own_core.thread[0] = p;
	p->core = &p->own_core;
	p->thread = 0;
}

/* Called on the thread that gets the defect; it loses its former one */
static void knc_take_fault(CPUState *cs, run_on_cpu_data data)
{
	KncPmu *p = &X86_CPU(cs)->env.knc;
	int fault = data.host_int;

	if (p->fault == KNC_FAULT_SIBLINGS)
		knc_place(cs);
	if (fault == KNC_FAULT_SIBLINGS)
		knc_misplace(cs);
	if (!p->arch)
		p->width = fault == KNC_FAULT_WIDTH ? 32 : KNC_COUNTER_WIDTH;
	p->fault = fault;
}

static void knc_set_fault(Object *obj, const char *name, Error **errp)
{
	int fault = knc_fault_named(name);
	CPUState *cs;

	if (fault < 0) {
		error_setg(errp, "fault=%s: there is no such defect", name);
		return;
	}
	CPU_FOREACH(cs)
		run_on_cpu(cs, knc_take_fault, RUN_ON_CPU_HOST_INT(fault));
	knc_tsc_set_permille(fault == KNC_FAULT_TSC ? 500 : 1000);
}

/* Called at the reset of each CPU: set the defect that the option names */
void knc_fault_reset(CPUState *cs)
{
	const char *name = X86_CPU(cs)->knc_fault;
	int fault = name ? knc_fault_named(name) : KNC_FAULT_NONE;

	if (fault < 0) {
		error_report("fault=%s: there is no such defect", name);
		exit(1);
	}
	knc_take_fault(cs, RUN_ON_CPU_HOST_INT(fault));
	if (fault == KNC_FAULT_TSC && !cs->cpu_index)
		knc_tsc_set_permille(500);
}

/* Called at the reset of the first CPU */
void knc_fault_init(void)
{
	object_property_add_str(qdev_get_machine(), "fault", NULL, knc_set_fault);
}
