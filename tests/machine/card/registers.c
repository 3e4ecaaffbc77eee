// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: CPUID and the registers; sections are those of Intel 327357
 */
#include "machine.h"
#include "tests.h"

/* 1.4.4: everything is 0 after a reset */
void test_reset(void)
{
	check("reset: IA32_PerfCntr0", rdmsr(KNC_IA32_PERFCNTR0), 0);
	check("reset: IA32_PerfCntr1", rdmsr(KNC_IA32_PERFCNTR1), 0);
	check("reset: IA32_PerfEvtSel0", rdmsr(KNC_IA32_PERFEVTSEL0), 0);
	check("reset: IA32_PerfEvtSel1", rdmsr(KNC_IA32_PERFEVTSEL1), 0);
	check("reset: PERF_SPFLT_CONTROL", rdmsr(KNC_PERF_SPFLT_CONTROL), 0);
	check("reset: GLOBAL_STATUS", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 0);
	check("reset: GLOBAL_CTRL", rdmsr(KNC_IA32_PERF_GLOBAL_CTRL), 0);
}

/* Leaf 4: the L1 and the L2 of a core, shared by its threads */
static void test_cpuid_caches(void)
{
	static const struct {
		const char *name;
		u32 type, level, size;
	} caches[] = {
		{ "cpuid: L1 for data", 1, 1, 32 << 10 },
		{ "cpuid: L1 for code", 2, 1, 32 << 10 },
		{ "cpuid: L2", 3, 2, 512 << 10 },
		{ "cpuid: no L3", 0, 0, 1 },
	};
	u32 a, b, c, d, leaf1, threads, i;

	asm volatile("cpuid" : "=a"(a), "=b"(leaf1), "=c"(c), "=d"(d) : "a"(1));
	asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(4), "c"(0));
	threads = ((leaf1 >> 16) & 255) / ((a >> 26) + 1);
	if (!threads)
		threads = 1;	/* threads = 1; QEMU does not print a number that is one */
	for (i = 0; i < 4; i++) {
		asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d)
			     : "a"(4), "c"(i));
		check(caches[i].name, (a & 31) | ((a >> 5) & 7) << 8,
		      caches[i].type | caches[i].level << 8);
		check(caches[i].name, ((b >> 22) + 1) * ((b & 4095) + 1) * (c + 1),
		      caches[i].size);
		if (caches[i].type)
			check(caches[i].name, ((a >> 14) & 4095) + 1, threads);
	}
}

void test_cpuid(void)
{
	u32 a, b, c, d;

	asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0));
	check("cpuid: highest leaf", a, 4);
	check("cpuid: vendor", b, 0x756e6547);
	asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1));
	check("cpuid: family", (a >> 8) & 15, KNC_CPU_FAMILY);
	check("cpuid: model", (a >> 4) & 15, KNC_CPU_MODEL);
	check("cpuid: extended family and model", a >> 16, 0);
	asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d)
		     : "a"(0x80000007));
	check("cpuid: invariant TSC", (d >> 8) & 1, 1);
	test_cpuid_caches();
}

/* Find the bits of @msr that raise #GP, and those that read back */
static void test_bits(const char *name, const char *readback, u32 msr,
		      u64 reserved)
{
	u64 gp = 0, same = 0;
	int i;

	for (i = 0; i < 64; i++) {
		wrmsr(msr, 0);
		if (try_wrmsr(msr, 1ULL << i) == GP)
			gp |= 1ULL << i;
		if (readback && rdmsr(msr) == 1ULL << i)
			same |= 1ULL << i;
	}
	check(name, gp, reserved);
	if (readback)
		check(readback, same, ~reserved);
	wrmsr(msr, 0);
}

void test_registers(void)
{
	test_bits("IA32_PerfCntr0: reserved bits", "IA32_PerfCntr0: 40 bits",
		  KNC_IA32_PERFCNTR0, 0xffffff0000000000);
	test_bits("IA32_PerfCntr1: reserved bits", "IA32_PerfCntr1: 40 bits",
		  KNC_IA32_PERFCNTR1, 0xffffff0000000000);
	test_bits("IA32_PerfEvtSel0: reserved bits", "IA32_PerfEvtSel0: RW bits",
		  KNC_IA32_PERFEVTSEL0, 0xffffffff00080000);
	test_bits("IA32_PerfEvtSel1: reserved bits", "IA32_PerfEvtSel1: RW bits",
		  KNC_IA32_PERFEVTSEL1, 0xffffffff00080000);
	test_bits("PERF_SPFLT_CONTROL: reserved bits",
		  "PERF_SPFLT_CONTROL: RW bits",
		  KNC_PERF_SPFLT_CONTROL, 0x7ffffffffffffffc);
	test_bits("GLOBAL_CTRL: reserved bits", "GLOBAL_CTRL: RW bits",
		  KNC_IA32_PERF_GLOBAL_CTRL, 0xfffffffffffffffc);
	test_bits("GLOBAL_OVF_CONTROL: reserved bits", 0,
		  KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 0xfffffffffffffffc);
	check("GLOBAL_OVF_CONTROL: read",
	      try_rdmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL), GP);
	check("GLOBAL_STATUS: write", try_wrmsr(KNC_IA32_PERF_GLOBAL_STATUS, 0),
	      GP);
	check("GLOBAL_STATUS: read", try_rdmsr(KNC_IA32_PERF_GLOBAL_STATUS),
	      NONE);
	wrmsr(KNC_IA32_PERFCNTR0, 0x80000000);
	check("IA32_PerfCntr0: no sign extension", rdmsr(KNC_IA32_PERFCNTR0),
	      0x80000000);
	check("IA32_PerfCntr0: refused write",
	      try_wrmsr(KNC_IA32_PERFCNTR0, 1ULL << 40 | 5), GP);
	check("IA32_PerfCntr0: unchanged by it", rdmsr(KNC_IA32_PERFCNTR0),
	      0x80000000);
	check("unknown MSR next to them", try_rdmsr(0x22), NONE);
}
