// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of this host's hardware threads: the architectural one, with the additions of some CPU
 * models. CPUID is read here; arch.c and westmere.c get the results.
 */
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include <asm/processor.h>

#include "compat/cpuid.h"
#include "pmu/host.h"
#include "pmu/westmere.h"

/* Read leaf 0xA of the executing CPU; false: the CPU has none */
static bool pmu_host_read_leaf(struct pmu_arch_cpuid *c)
{
	u32 ecx;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL ||
	    boot_cpu_data.cpuid_level < ARCH_CPUID)
		return false;
	cpuid(ARCH_CPUID, &c->eax, &c->ebx, &ecx, &c->edx);
	return true;
}

static void pmu_arch_read_cpuid(struct pmu_arch_cpuid *c, u64 (*read_msr)(u32 msr))
{
	if (!pmu_host_read_leaf(c))
		return;
	c->differs = boot_cpu_data.cpuid_level >= ARCH_CPUID_FEATURES &&
		     cpuid_edx(ARCH_CPUID_FEATURES) & ARCH_CPUID_HYBRID;
	if (cpuid_ecx(1) & ARCH_CPUID_PDCM)
		c->capabilities = read_msr(ARCH_IA32_PERF_CAPABILITIES);
}

/* On each CPU: set @differs if its PMU is not the one in @info, as on a hybrid machine */
static void pmu_host_compare(void *info)
{
	struct pmu_arch_cpuid here, *c = info;

	if (!pmu_host_read_leaf(&here))
		return;
	if (here.eax != c->eax || here.ebx != c->ebx || here.edx != c->edx)
		c->differs = true;
}

static bool pmu_host_probe(u64 (*read_msr)(u32 msr))
{
	struct pmu_arch_cpuid cpuid = { 0 };
	const char *why;

	pmu_arch_read_cpuid(&cpuid, read_msr);
	on_each_cpu(pmu_host_compare, &cpuid, 1);
	why = pmu_arch_fill(&pmu_arch, &cpuid);
	if (why) {
		pmu_arch.desc.cpu = why;
		return false;
	}
	if (pmu_westmere_is(boot_cpu_data.x86, boot_cpu_data.x86_model))
		pmu_westmere_fill(&pmu_arch);
	/* all CPUs have the same mode, which does not change while the kernel runs */
	if (read_msr(ARCH_IA32_APIC_BASE) & ARCH_APIC_BASE_X2APIC)
		pmu_host_set_x2apic();
	pmu_arch.desc.threads_per_core = cpumask_weight(topology_sibling_cpumask(0));
	return true;
}

#ifdef KNC_PMU_ARCH
DEFINE_STATIC_KEY_FALSE(pmu_host_x2apic);
#endif

struct pmu_arch pmu_arch = { .desc = { .cpu = "", .probe = pmu_host_probe } };
