// SPDX-License-Identifier: GPL-2.0
/*
 * Cache monitoring of an emulated Haswell-EP: CPUID leaf 0xF, its registers, and an L3 whose
 * lines have an RMID
 *
 * A line has the RMID of the thread that brought it in, until it is replaced or flushed.  The L3
 * sees all accesses of its package to cacheable lines, also those that hit an L1 or L2; but none
 * before a thread is first given an RMID other than 0.  Replacement is true LRU.  #GP is raised for
 * reserved bits, an RMID that does not exist, and a write to the read-only register.
 */
#include "qemu/osdep.h"
#include "cpu.h"

#define L3_WAYS		16
#define L3_LINES	(2 * 1024 * 1024 >> KNC_LINE_BITS)
#define CMT_HIGHEST	31		/* RMID */
#define CMT_FACTOR	4096		/* bytes in a unit of IA32_QM_CTR */
#define CMT_CLASSES	4		/* of service: Haswell-EP has them without a CPUID bit */
#define CMT_INJECTED	(CMT_CTR_UNAVAILABLE | CMT_CTR_ERROR)
#define MAX_PACKAGES	64
#define L3_LOCKS	64

struct KncL3 {
	KncAssoc lines;			/* data of an entry: its RMID */
	QemuSpin lock[L3_LOCKS];	/* of the sets whose number has the same low bits */
	uint32_t held[CMT_HIGHEST + 1];	/* lines of each RMID */
	uint64_t evtsel;
	uint64_t inject;
	bool active;
};

static KncL3 *knc_packages[MAX_PACKAGES];

static KncL3 *knc_l3_of(unsigned int package)
{
	KncL3 *l3 = knc_packages[package];
	unsigned int i;

	if (l3)
		return l3;
	l3 = g_new0(KncL3, 1);
	knc_assoc_init(&l3->lines, L3_LINES, L3_WAYS);
	for (i = 0; i < L3_LOCKS; i++)
		qemu_spin_init(&l3->lock[i]);
	knc_packages[package] = l3;
	return l3;
}

void knc_cmt_reset(CPUState *cs)
{
	KncPmu *p = &X86_CPU(cs)->env.knc;
	unsigned int package = cs->cpu_index / (cs->nr_cores * cs->nr_threads);

	p->l3 = knc_l3_of(package % MAX_PACKAGES);
	p->l3->evtsel = 0;
	p->l3->inject = 0;
	p->l3->active = false;
	knc_l3_empty(p->l3);
}

void knc_l3_empty(KncL3 *l3)
{
	unsigned int i;

	for (i = 0; i < L3_LOCKS; i++)
		qemu_spin_lock(&l3->lock[i]);
	knc_assoc_empty(&l3->lines);
	memset(l3->held, 0, sizeof(l3->held));
	for (i = 0; i < L3_LOCKS; i++)
		qemu_spin_unlock(&l3->lock[i]);
}

static void knc_l3_add(KncL3 *l3, uint64_t line, unsigned int rmid)
{
	KncEntry victim = knc_assoc_add(&l3->lines, line, rmid, 1);

	if (victim.state)
		qatomic_dec(&l3->held[victim.data]);
	qatomic_inc(&l3->held[rmid]);
}

/* A thread with @rmid has accessed @line */
static void knc_l3_use(KncL3 *l3, uint64_t line, unsigned int rmid)
{
	QemuSpin *lock = &l3->lock[line % L3_LOCKS];

	qemu_spin_lock(lock);
	if (!knc_assoc_use(&l3->lines, line))
		knc_l3_add(l3, line, rmid);
	qemu_spin_unlock(lock);
}

/* Take the lines of the noted instruction or iteration, which is complete */
void knc_l3_see(KncPmu *p)
{
	const KncNote *note = &p->note;
	unsigned int i;

	for (i = 0; i < note->nr; i++)
		if (!(note->access[i].flags & KNC_ACCESS_UC))
			knc_l3_use(p->l3, note->access[i].line, p->pqr & CMT_PQR_RMID);
}

void knc_cmt_cpuid(const KncPmu *p, uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx,
		   uint32_t *ecx, uint32_t *edx)
{
	if (leaf == CMT_CPUID_FEATURES && !subleaf)
		*ebx |= CMT_CPUID_MONITORING;
	if (leaf != CMT_CPUID)
		return;
	*eax = 0;
	*ebx = subleaf == 0 ? CMT_HIGHEST : subleaf == 1 ? CMT_FACTOR : 0;
	*ecx = subleaf == 1 ? CMT_HIGHEST : 0;
	*edx = subleaf == 0 ? CMT_CPUID_L3 : subleaf == 1 ? CMT_CPUID_OCCUPANCY : 0;
}

static uint64_t knc_cmt_counter(const KncL3 *l3)
{
	uint64_t evtsel = qatomic_read(&l3->evtsel);
	uint64_t rmid = evtsel >> CMT_EVTSEL_RMID_SHIFT;

	if ((evtsel & CMT_EVTSEL_EVENT) != CMT_EVENT_OCCUPANCY || rmid > CMT_HIGHEST)
		return CMT_CTR_ERROR;
	/* an injected error comes with a number, which the driver must not take for data */
	return ((uint64_t)qatomic_read(&l3->held[rmid]) << KNC_LINE_BITS) / CMT_FACTOR |
	       qatomic_read(&l3->inject);
}

bool knc_cmt_rdmsr(KncPmu *p, uint32_t msr, uint64_t *val)
{
	switch (msr) {
	case CMT_IA32_QM_EVTSEL:
		*val = qatomic_read(&p->l3->evtsel);
		return true;
	case CMT_IA32_QM_CTR:
		*val = knc_cmt_counter(p->l3);
		return true;
	case CMT_IA32_PQR_ASSOC:
		*val = p->pqr;
		return true;
	case CMT_EMULATED_INJECT:
		*val = qatomic_read(&p->l3->inject);
		return true;
	}
	return false;
}

static bool knc_cmt_is_legal(uint32_t msr, uint64_t val)
{
	switch (msr) {
	case CMT_IA32_QM_EVTSEL:
		return !(val & ~(CMT_EVTSEL_RMID | CMT_EVTSEL_EVENT));
	case CMT_IA32_PQR_ASSOC:
		return (uint32_t)val <= CMT_HIGHEST && val >> CMT_PQR_CLASS_SHIFT < CMT_CLASSES;
	case CMT_EMULATED_INJECT:
		return !(val & ~CMT_INJECTED);
	default:
		return false;
	}
}

bool knc_cmt_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val, uintptr_t ra)
{
	KncPmu *p = &env->knc;

	/* Linux probes this CPU model for the masks of classes; they do not exist here */
	if (msr == CMT_IA32_QM_CTR || msr == CMT_EMULATED_L3_MASK)
		knc_gp(env, ra);
	if (msr != CMT_IA32_QM_EVTSEL && msr != CMT_IA32_PQR_ASSOC && msr != CMT_EMULATED_INJECT)
		return false;
	if (!knc_cmt_is_legal(msr, val))
		knc_gp(env, ra);
	switch (msr) {
	case CMT_IA32_QM_EVTSEL:
		qatomic_set(&p->l3->evtsel, val);
		return true;
	case CMT_EMULATED_INJECT:
		qatomic_set(&p->l3->inject, val);
		return true;
	}
	p->pqr = val;
	if (!(val & CMT_PQR_RMID) || qatomic_xchg(&p->l3->active, true))
		return true;
	knc_pmu_need_l3(p->l3);
	knc_pmu_update(p);
	return true;
}
