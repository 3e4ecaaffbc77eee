// SPDX-License-Identifier: GPL-2.0
/*
 * What Debian's kernel and programs need, and cards lack: CPUID bits, MSRs, bits of CR4
 *
 * The CPU model's option silicon takes it from everything that executes, for kernels that are made
 * for cards. Its option strict takes the CPUID bits from programs for the card only, and the MSRs
 * when Linux has booted. Owners of cards have measured all of it.
 */
#include "qemu/osdep.h"
#include "cpu.h"

/* RDMSR and WRMSR of these raise #GP */
static const struct {
	uint32_t first, last;
} knc_lacking_msrs[] = {
	{ 0x17, 0x17 },		/* IA32_PLATFORM_ID */
	{ 0x8b, 0x8b },		/* IA32_BIOS_SIGN_ID */
	{ 0x1a0, 0x1a0 },	/* IA32_MISC_ENABLE */
	{ 0x800, 0x8ff },	/* x2APIC */
};

/* Has the first process of Linux said that the machine has booted? */
static bool knc_booted;

void knc_silicon_booted(void)
{
	knc_booted = true;
}

/* Does the option strict affect programs at this address? They are linked below 4 GB. */
bool knc_strict_at(const KncPmu *p, uint64_t address)
{
	return p->strict && address >= p->strict && address < 4ULL << 30;
}

/*
 * Linux reads IA32_MISC_ENABLE on a thread that comes online before it has an IDT for the exception
 */
static bool knc_lacks_msrs(CPUX86State *env)
{
	bool linux_runs = knc_booted && env->hflags & HF_LMA_MASK && env->idt.limit;

	return env->knc.silicon || (env->knc.strict && linux_runs);
}

/* Raise #GP if a card lacks this MSR */
void knc_silicon_msr(CPUX86State *env, uint32_t msr, uintptr_t ra)
{
	int i;

	if (!knc_lacks_msrs(env))
		return;
	for (i = 0; i < ARRAY_SIZE(knc_lacking_msrs); i++)
		if (msr >= knc_lacking_msrs[i].first && msr <= knc_lacking_msrs[i].last)
			knc_gp(env, ra);
}

/* Raise #GP for what a card lacks in CR4, although CPUID has PGE and FXSR */
void knc_silicon_cr4(CPUX86State *env, uint64_t cr4, uintptr_t ra)
{
	if (env->knc.silicon && cr4 & (CR4_PGE_MASK | CR4_OSFXSR_MASK))
		knc_gp(env, ra);
}

void knc_silicon_cpuid(CPUX86State *env, uint32_t leaf, uint32_t *ecx, uint32_t *edx)
{
	bool card_program = env->hflags & HF_CPL_MASK && knc_strict_at(&env->knc, env->eip);

	if (leaf != 1 || !(env->knc.silicon || card_program))
		return;
	*ecx &= ~(CPUID_EXT_SSE3 | CPUID_EXT_MONITOR | CPUID_EXT_CX16);
	*edx &= ~(CPUID_CMOV | CPUID_CLFLUSH | CPUID_MMX | CPUID_SSE | CPUID_SSE2);
}

/*
 * The local APIC's identifier has 9 bits from bit 23 on, and the destination of an interrupt 16
 * bits from bit 16 on. No card has a thread above 243.
 */
bool knc_silicon_apic(const X86CPU *cpu)
{
	return cpu->env.knc.silicon;
}

/* The thread that boots: on a card the first one of the last core */
int knc_boot_index(CPUState *cs)
{
	return X86_CPU(cs)->knc_card_numbering ? (cs->nr_cores - 1) * cs->nr_threads : 0;
}
