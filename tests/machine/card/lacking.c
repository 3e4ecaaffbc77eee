// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: what cards lack, with the CPU model's option silicon and
 * without it. Owners of cards have measured it.
 */
#include "machine.h"
#include "tests.h"

#define CR4_PGE		(1 << 7)
#define CR4_PCE		(1 << 8)
#define CR4_OSFXSR	(1 << 9)

struct bit {
	const char *name;
	u32 bit;
	bool lacking;
};

/* Leaf 1 in EDX and ECX: bits that both have, and those that only Debian needs */
static const struct bit leaf1_edx[] = {
	{ "cpuid: PGE", 13, false },
	{ "cpuid: CMOV", 15, true },
	{ "cpuid: CLFSH", 19, true },
	{ "cpuid: MMX", 23, true },
	{ "cpuid: FXSR", 24, false },
	{ "cpuid: SSE", 25, true },
	{ "cpuid: SSE2", 26, true },
};

static const struct bit leaf1_ecx[] = {
	{ "cpuid: SSE3", 0, true },
	{ "cpuid: CX16", 13, true },
};

static const struct {
	const char *name;
	u32 msr;
	bool lacking;
} msrs[] = {
	{ "IA32_TIME_STAMP_COUNTER", 0x10, false },
	{ "IA32_PLATFORM_ID", 0x17, true },
	{ "IA32_APIC_BASE", 0x1b, false },
	{ "IA32_BIOS_SIGN_ID", 0x8b, true },
	{ "IA32_MTRRCAP", 0xfe, false },
	{ "IA32_MISC_ENABLE", 0x1a0, true },
	{ "IA32_PAT", 0x277, false },
	{ "x2APIC: identifier", 0x802, true },
	{ "x2APIC: LVTPC", 0x834, true },
};

static void test_cpuid_bits(const struct bit *bits, unsigned int n, u32 reg, bool silicon)
{
	for (; n; n--, bits++)
		check(bits->name, reg >> bits->bit & 1, !(bits->lacking && silicon));
}

static void test_lacking_cpuid(bool silicon)
{
	u32 a, b, c, d, leaf;

	asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1));
	check("cpuid: stepping", a & 15, 2);
	check("cpuid: MONITOR", c >> 3 & 1, 0);
	test_cpuid_bits(leaf1_edx, sizeof(leaf1_edx) / sizeof(*leaf1_edx), d, silicon);
	test_cpuid_bits(leaf1_ecx, sizeof(leaf1_ecx) / sizeof(*leaf1_ecx), c, silicon);
	asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0x80000000));
	check("cpuid: highest extended leaf", a, 0x80000008);
	for (leaf = 0x80000002; leaf <= 0x80000004; leaf++) {
		asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(leaf));
		check("cpuid: no brand string", a | b | c | d, 0);
	}
}

static void test_lacking_msrs(bool silicon)
{
	unsigned int i;
	int wanted;

	for (i = 0; i < sizeof(msrs) / sizeof(*msrs); i++) {
		wanted = msrs[i].lacking && silicon ? GP : NONE;
		check(msrs[i].name, (u64)try_rdmsr(msrs[i].msr), (u64)wanted);
		if (msrs[i].lacking)
			check(msrs[i].name, (u64)try_wrmsr(msrs[i].msr, 0), (u64)wanted);
	}
}

static u64 read_cr4(void)
{
	u64 value;

	asm volatile("mov %%cr4, %0" : "=r"(value));
	return value;
}

/* Set @bit of CR4: is #GP raised, and is the bit set afterwards? Then restore CR4 */
static void test_cr4(const char *name, u64 bit, bool lacking)
{
	u64 before = read_cr4();

	fault = NONE;
	asm volatile("movq $1f, %0; mov %1, %%cr4; 1:" : "=m"(recover)
		     : "r"(before | bit) : "memory");
	recover = 0;
	check(name, (u64)fault, (u64)(lacking ? GP : NONE));
	check(name, !!(read_cr4() & bit), !lacking);
	asm volatile("mov %0, %%cr4" : : "r"(before) : "memory");
}

/*
 * The register of the local APIC's identifier, and an interrupt that this thread sends itself by
 * that identifier
 */
static void test_apic_id(bool silicon)
{
	u32 a, b, c, d, id;

	asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1));
	id = b >> 24;
	check("apic: identifier of the last core's first thread", id, 4);
	check("apic: position of the identifier", apic[0x20 / 4], id << (silicon ? 23 : 24));
	apic[APIC_SVR] = 0x1ff;
	other_rip = 0;
	apic[APIC_ICR_HI] = id << (silicon ? 16 : 24);
	apic[APIC_ICR] = 0x4000 | OTHER;
	asm volatile("sti");
	spin_for(1000);
	asm volatile("cli");
	check("apic: interrupt to that identifier", !!other_rip, 1);
}

void test_lacking(bool silicon, bool cores)
{
	test_lacking_cpuid(silicon);
	test_lacking_msrs(silicon);
	test_cr4("cr4: PGE", CR4_PGE, silicon);
	test_cr4("cr4: OSFXSR", CR4_OSFXSR, silicon);
	test_cr4("cr4: PCE", CR4_PCE, false);
	if (cores)
		test_apic_id(silicon);
}
