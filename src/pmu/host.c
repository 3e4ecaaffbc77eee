// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of this host's hardware threads: the architectural one, or what a CPU model makes of it.
 * CPUID is read here; arch.c and westmere.c only see what it says.
 */
#include <linux/cpumask.h>
#include <linux/topology.h>

#include <asm/processor.h>

#include "compat/cpuid.h"
#include "pmu/host.h"
#include "pmu/westmere.h"

static void pmu_arch_read_cpuid(struct pmu_arch_cpuid *c, u64 (*read_msr)(u32 msr))
{
	u32 ecx;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL ||
	    boot_cpu_data.cpuid_level < ARCH_CPUID)
		return;
	cpuid(ARCH_CPUID, &c->eax, &c->ebx, &ecx, &c->edx);
	if (cpuid_ecx(1) & ARCH_CPUID_PDCM)
		c->capabilities = read_msr(ARCH_IA32_PERF_CAPABILITIES);
}

static bool pmu_host_probe(u64 (*read_msr)(u32 msr))
{
	struct pmu_arch_cpuid cpuid = { 0 };
	const char *why;

	pmu_arch_read_cpuid(&cpuid, read_msr);
	why = pmu_arch_fill(&pmu_arch, &cpuid);
	/* hw.h reads and writes the registers of the local APIC in memory */
	if (!why && read_msr(ARCH_IA32_APIC_BASE) & ARCH_APIC_BASE_X2APIC)
		why = "host whose local APIC is accessed in memory (boot with nox2apic)";
	if (why) {
		pmu_arch.desc.cpu = why;
		return false;
	}
	if (pmu_westmere_is(boot_cpu_data.x86, boot_cpu_data.x86_model))
		pmu_westmere_fill(&pmu_arch);
	pmu_arch.desc.threads_per_core = cpumask_weight(topology_sibling_cpumask(0));
	return true;
}

struct pmu_arch pmu_arch = { .desc = { .cpu = "", .probe = pmu_host_probe } };
