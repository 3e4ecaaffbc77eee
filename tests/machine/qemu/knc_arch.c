// SPDX-License-Identifier: GPL-2.0
/*
 * The architectural PMU of an emulated host: CPUID leaf 0xA, versions 1 to 3, and its registers.
 * Also the registers of the local APIC, if they are MSRs (x2APIC).
 *
 * knc_pmu.c counts.  There the fixed counters follow the general ones, each with an event select
 * made of IA32_FIXED_CTR_CTRL.  #GP is raised where Intel's manual says so: for registers that this
 * version does not have, for reserved bits, for a write to a read-only register.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "hw/i386/apic.h"

#define ARCH_WIDTH		48
#define ARCH_VERSION_MAX	3
/* CPUID leaf 0xA, EBX: events that do not exist (LLC references and misses) */
#define ARCH_MISSING		0x18

/* The event that each fixed counter counts */
static const uint16_t knc_arch_fixed[ARCH_MAX_FIXED] = {
	KNC_EVTSEL_CODE(0xc0, 0x00),
	KNC_EVTSEL_CODE(0x3c, 0x00),
	KNC_EVTSEL_CODE(0x3c, 0x01),
};

/* Masks of counters have two orders: the model's, and that of the global registers */
static uint64_t knc_arch_to_global(uint64_t model)
{
	return (model & ((1 << KNC_ARCH_GENERAL) - 1)) | model >> KNC_ARCH_GENERAL << ARCH_FIXED;
}

static uint64_t knc_arch_from_global(uint64_t global)
{
	return (global & ((1 << KNC_ARCH_GENERAL) - 1)) | global >> ARCH_FIXED << KNC_ARCH_GENERAL;
}

static uint64_t knc_arch_counters(void)
{
	return knc_arch_to_global((1 << KNC_ARCH_COUNTERS) - 1);
}

/*
 * Linux uses x2APIC only with interrupt remapping, which takes an IOMMU, or under a hypervisor that
 * has it.  Therefore this machine says that it is KVM, with none of KVM's features.
 */
#define ARCH_CPUID_HYPERVISOR	0x40000000
#define ARCH_CPUID_X2APIC	(1U << 21 | 1U << 31)	/* leaf 1, ECX; 31: there is a hypervisor */

static void knc_x2apic_cpuid(uint32_t leaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
			     uint32_t *edx)
{
	if (leaf == 1)
		*ecx |= ARCH_CPUID_X2APIC;
	if (leaf != ARCH_CPUID_HYPERVISOR)
		return;
	*eax = ARCH_CPUID_HYPERVISOR + 1;
	memcpy(ebx, "KVMK", 4);
	memcpy(ecx, "VMKV", 4);
	memcpy(edx, "M\0\0\0", 4);
}

/* The index of the local APIC's register if @msr is one of x2APIC, else -1 */
static int knc_x2apic_register(CPUX86State *env, uint32_t msr)
{
	unsigned int index = msr - ARCH_X2APIC_MSR(0);

	if (index >= ARCH_X2APIC_MSRS || !apic_is_x2apic(env_archcpu(env)->apic_state))
		return -1;
	return index;
}

/* After a reset the global control enables the general counters, not the fixed ones */
void knc_arch_reset(X86CPU *cpu)
{
	KncPmu *p = &cpu->env.knc;

	if (!cpu->knc_arch_version || cpu->knc_arch_version > ARCH_VERSION_MAX) {
		error_report("arch-version=%u: it can be 1 to %d", cpu->knc_arch_version,
			     ARCH_VERSION_MAX);
		exit(1);
	}
	p->present = true;
	p->arch = p->westmere ? 3 : cpu->knc_arch_version;
	p->full_width = cpu->knc_arch_full_width;
	p->nr = KNC_ARCH_COUNTERS;
	p->width = ARCH_WIDTH;
	p->ctrl = (1 << KNC_ARCH_GENERAL) - 1;
	/* bits that firmware may leave set */
	p->status_others = ARCH_STATUS_CHANGED;
	p->uncore.status = UNC_CHG;
}

void knc_arch_cpuid(CPUX86State *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
		    uint32_t *edx)
{
	const KncPmu *p = &env->knc;

	if (!p->arch)
		return;
	if (env_archcpu(env)->knc_x2apic)
		knc_x2apic_cpuid(leaf, eax, ebx, ecx, edx);
	if (p->l3)
		knc_cmt_cpuid(p, leaf, env->regs[R_ECX], eax, ebx, ecx, edx);
	if (leaf == 1 && p->full_width)
		*ecx |= ARCH_CPUID_PDCM;
	if (leaf != ARCH_CPUID)
		return;
	*eax = 7 << 24 | ARCH_WIDTH << 16 | KNC_ARCH_GENERAL << 8 | p->arch;
	*ebx = p->westmere ? 0 : ARCH_MISSING;
	*ecx = 0;
	*edx = p->arch > 1 ? ARCH_WIDTH << 5 | ARCH_MAX_FIXED : 0;
}

/* Kinds of registers; @n: the counter's number in the model */
enum knc_arch_register {
	ARCH_NONE,		/* not of the PMU */
	ARCH_FAULT,		/* only a PMU with more counters or of a later version has it */
	ARCH_COUNTER,
	ARCH_FULL,		/* alias of a counter, of which all bits can be written */
	ARCH_SELECT,
	ARCH_FIXED_CTRL,
	ARCH_STATUS,
	ARCH_CTRL,
	ARCH_OVF_CTRL,
	ARCH_CAPABILITIES,
};

static const struct {
	uint32_t msr;
	unsigned int nr;	/* consecutive registers that a PMU can have */
	unsigned int here;	/* those that this PMU has */
	enum knc_arch_register is;
	unsigned int first;	/* number of the first counter in the model */
	unsigned int version;	/* the first that has it */
} knc_arch_registers[] = {
	{ ARCH_IA32_PMC0, ARCH_MAX_GENERAL, KNC_ARCH_GENERAL, ARCH_COUNTER, 0, 1 },
	{ ARCH_IA32_A_PMC0, ARCH_MAX_GENERAL, KNC_ARCH_GENERAL, ARCH_FULL, 0, 1 },
	{ ARCH_IA32_PERFEVTSEL0, ARCH_MAX_GENERAL, KNC_ARCH_GENERAL, ARCH_SELECT, 0, 1 },
	{ ARCH_IA32_FIXED_CTR0, ARCH_MAX_FIXED + 1, ARCH_MAX_FIXED, ARCH_COUNTER,
	  KNC_ARCH_GENERAL, 2 },
	{ ARCH_IA32_FIXED_CTR_CTRL, 1, 1, ARCH_FIXED_CTRL, 0, 2 },
	{ ARCH_IA32_PERF_GLOBAL_STATUS, 1, 1, ARCH_STATUS, 0, 2 },
	{ ARCH_IA32_PERF_GLOBAL_CTRL, 1, 1, ARCH_CTRL, 0, 2 },
	{ ARCH_IA32_PERF_GLOBAL_OVF_CTRL, 1, 1, ARCH_OVF_CTRL, 0, 2 },
	{ ARCH_IA32_PERF_CAPABILITIES, 1, 1, ARCH_CAPABILITIES, 0, 1 },
};

static enum knc_arch_register knc_arch_register(const KncPmu *p, uint32_t msr, int *n)
{
	enum knc_arch_register is;
	int i;

	for (i = 0; i < ARRAY_SIZE(knc_arch_registers); i++)
		if (msr - knc_arch_registers[i].msr < knc_arch_registers[i].nr)
			break;
	if (i == ARRAY_SIZE(knc_arch_registers))
		return ARCH_NONE;
	is = knc_arch_registers[i].is;
	*n = knc_arch_registers[i].first + msr - knc_arch_registers[i].msr;
	if (msr - knc_arch_registers[i].msr >= knc_arch_registers[i].here ||
	    p->arch < knc_arch_registers[i].version ||
	    ((is == ARCH_FULL || is == ARCH_CAPABILITIES) && !p->full_width))
		return ARCH_FAULT;
	return is;
}

bool knc_arch_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val, uintptr_t ra)
{
	int n, index = knc_x2apic_register(env, msr);
	KncPmu *p = &env->knc;

	if (index >= 0) {
		env_cpu(env)->can_do_io = 1;
		*val = apic_read_x2apic(env_archcpu(env)->apic_state, index);
		return true;
	}
	if (p->l3 && knc_cmt_rdmsr(p, msr, val))
		return true;
	switch (knc_arch_register(p, msr, &n)) {
	case ARCH_NONE:
		return knc_westmere_rdmsr(env, msr, val, ra);
	case ARCH_FAULT:
		knc_gp(env, ra);
	case ARCH_COUNTER:
	case ARCH_FULL:
		*val = knc_value(p, n);
		break;
	case ARCH_SELECT:
		*val = p->evtsel[n];
		break;
	case ARCH_FIXED_CTRL:
		*val = p->fixed_ctrl;
		break;
	case ARCH_STATUS:
		*val = knc_arch_to_global(qatomic_read(&p->status)) | p->status_others;
		break;
	case ARCH_CTRL:
		*val = knc_arch_to_global(p->ctrl);
		break;
	case ARCH_OVF_CTRL:
		*val = 0;
		break;
	case ARCH_CAPABILITIES:
		*val = ARCH_CAP_FULL_WIDTH;
		break;
	}
	return true;
}

/* The reserved bits of a register; all 64 if it is read-only */
static uint64_t knc_arch_reserved(const KncPmu *p, enum knc_arch_register is, int n)
{
	const uint64_t anythread = p->arch < 3;
	uint64_t fixed;

	switch (is) {
	case ARCH_COUNTER:
		/* a write of a general counter ignores bits 32 and up */
		return n < KNC_ARCH_GENERAL ? 0 : ~((1ULL << ARCH_WIDTH) - 1);
	case ARCH_FULL:
		return ~((1ULL << ARCH_WIDTH) - 1);
	case ARCH_SELECT:
		return ARCH_EVTSEL_RESERVED | anythread * KNC_EVTSEL_THREAD_MODE;
	case ARCH_FIXED_CTRL:
		fixed = ~0ULL << ARCH_MAX_FIXED * ARCH_FIXED_FIELD;
		return fixed | anythread * ARCH_FIXED_ANYTHREAD * 0x111;
	case ARCH_CTRL:
		return ~knc_arch_counters();
	case ARCH_OVF_CTRL:
		return ~(knc_arch_counters() | ARCH_STATUS_OTHERS);
	default:
		return ~0ULL;
	}
}

/* The event select that a field of IA32_FIXED_CTR_CTRL stands for */
static uint64_t knc_arch_select(uint64_t field, int n)
{
	uint64_t select = knc_arch_fixed[n];

	if (field & (ARCH_FIXED_OS | ARCH_FIXED_USR))
		select |= KNC_EVTSEL_EN;
	if (field & ARCH_FIXED_OS)
		select |= KNC_EVTSEL_OS;
	if (field & ARCH_FIXED_USR)
		select |= KNC_EVTSEL_USR;
	if (field & ARCH_FIXED_ANYTHREAD)
		select |= KNC_EVTSEL_THREAD_MODE;
	if (field & ARCH_FIXED_INT)
		select |= KNC_EVTSEL_INT;
	return select;
}

static void knc_arch_set_fixed_ctrl(KncPmu *p, uint64_t val)
{
	uint64_t changed = p->fixed_ctrl ^ val, field = (1 << ARCH_FIXED_FIELD) - 1;
	int n;

	p->fixed_ctrl = val;
	for (n = 0; n < ARCH_MAX_FIXED; n++)
		if (changed >> n * ARCH_FIXED_FIELD & field)
			knc_set_evtsel(p, KNC_ARCH_GENERAL + n,
				       knc_arch_select(val >> n * ARCH_FIXED_FIELD, n));
}

bool knc_arch_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val, uintptr_t ra)
{
	int n, index = knc_x2apic_register(env, msr);
	KncPmu *p = &env->knc;
	enum knc_arch_register is;

	if (index >= 0) {
		/* -icount allows an interrupt only at the end of a block: WRMSR ends its block */
		env_cpu(env)->can_do_io = 1;
		apic_write_x2apic(env_archcpu(env)->apic_state, index, val);
		return true;
	}
	if (p->l3 && knc_cmt_wrmsr(env, msr, val, ra))
		return true;
	is = knc_arch_register(p, msr, &n);
	if (is == ARCH_NONE)
		return knc_westmere_wrmsr(env, msr, val, ra);
	/* a read-only register can't be written, not even with 0 */
	if (is == ARCH_FAULT || is == ARCH_STATUS || is == ARCH_CAPABILITIES ||
	    val & knc_arch_reserved(p, is, n))
		knc_gp(env, ra);
	if (is == ARCH_COUNTER && n < KNC_ARCH_GENERAL)
		val = (uint64_t)(int32_t)val & ((1ULL << ARCH_WIDTH) - 1);
	switch (is) {
	case ARCH_COUNTER:
	case ARCH_FULL:
		knc_set_value(p, n, val);
		return true;
	case ARCH_OVF_CTRL:
		p->status_others &= ~val;
		qatomic_and(&p->status, ~knc_arch_from_global(val & knc_arch_counters()));
		qatomic_and(&p->line, ~knc_arch_from_global(val & knc_arch_counters()));
		return true;
	case ARCH_SELECT:
		knc_westmere_select(p, n, val);
		knc_set_evtsel(p, n, val);
		break;
	case ARCH_FIXED_CTRL:
		knc_arch_set_fixed_ctrl(p, val);
		break;
	default:	/* ARCH_CTRL */
		knc_westmere_ctrl(p, knc_arch_from_global(val));
		p->ctrl = knc_arch_from_global(val);
		break;
	}
	knc_pmu_update(p);
	return true;
}

bool knc_arch_rdpmc(CPUX86State *env, uintptr_t ra)
{
	KncPmu *p = &env->knc;
	uint32_t n = env->regs[R_ECX];
	uint64_t val;

	if (n & ARCH_RDPMC_FIXED) {
		n &= ~ARCH_RDPMC_FIXED;
		if (p->arch < 2 || n >= ARCH_MAX_FIXED)
			knc_gp(env, ra);
		n += KNC_ARCH_GENERAL;
	} else if (n >= KNC_ARCH_GENERAL) {
		knc_gp(env, ra);
	}
	val = knc_value(p, n);
	env->regs[R_EAX] = (uint32_t)val;
	env->regs[R_EDX] = val >> 32;
	return true;
}
