// SPDX-License-Identifier: GPL-2.0
/* The probe of a host's PMU (host.c with KNC_PMU_KUNIT), on CPUs of which one may differ */
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include <asm/processor.h>

#include "compat/cpuid.h"
#include "pmu/host.h"
#include "pmu/westmere.h"
#include "units.h"

/* Version 2: four counters of 48 bits and three fixed counters */
#define TEST_EAX	0x07300402
#define TEST_EDX	0x603

static struct cpuinfo_x86 test_cpu = {
	.x86 = 6,
	.x86_vendor = X86_VENDOR_INTEL,
	.cpuid_level = 0xd,
};

/* The number of the CPU that has one counter less than the others */
static unsigned int test_odd;

static void test_cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	*eax = TEST_EAX - (raw_smp_processor_id() == test_odd ? 0x100 : 0);
	*ebx = 0;
	*ecx = 0;
	*edx = TEST_EDX;
}

static u32 test_cpuid_none(u32 leaf)
{
	return 0;
}

static u64 test_read_msr(u32 msr)
{
	return 0;
}

/* after all headers: only the module's own lines use it */
#define boot_cpu_data test_cpu
#define cpuid test_cpuid
#define cpuid_ecx(leaf) test_cpuid_none(leaf)
#define cpuid_edx(leaf) test_cpuid_none(leaf)

#include "../../src/pmu/host.c"

const char *knc_test_host_probe(unsigned int odd)
{
	static struct pmu_arch before;
	const char *why = NULL;

	before = pmu_arch;
	test_odd = odd;
	if (!pmu_arch.desc.probe(test_read_msr))
		why = pmu_arch.desc.cpu;
	pmu_arch = before;
	return why;
}
