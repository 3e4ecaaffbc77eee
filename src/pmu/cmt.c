// SPDX-License-Identifier: GPL-2.0
/*
 * Cache monitoring: its CPUID leaves, and its registers
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "compat/cpuid.h"
#include "pmu/cmt.h"
#include "pmu/host.h"
#include "pmu/hw.h"

struct pmu_cmt pmu_cmt;

static void pmu_cmt_fill_l3(struct pmu_cmt *cmt, const u32 *l3)
{
	cmt->l3_size = (u64)CMT_CACHE_LINE(l3[1]) * CMT_CACHE_PARTITIONS(l3[1]) *
		       CMT_CACHE_WAYS(l3[1]) * CMT_CACHE_SETS((u64)l3[2]);
	cmt->share_bits = order_base_2(CMT_CACHE_SHARING(l3[0]));
}

/**
 * pmu_cmt_fill() - find out which cache monitoring a CPU has
 * @cmt: out; @nr_rmids is 0 if there is none
 * @cpuid: how the CPU describes its monitoring
 *
 * Intel's order: leaf 7, then leaf 0xF, then its subleaf 1. Each one is valid only if the one
 * before says that there is monitoring.
 *
 * Return: NULL, or what is missing.
 */
const char *pmu_cmt_fill(struct pmu_cmt *cmt, const struct pmu_cmt_cpuid *cpuid)
{
	memset(cmt, 0, sizeof(*cmt));
	if (cpuid->max_leaf < CMT_CPUID)
		return "there is no CPUID leaf 0xF";
	if (!(cpuid->features & CMT_CPUID_MONITORING))
		return "CPUID leaf 7 has no monitoring";
	if (!(cpuid->resources & CMT_CPUID_L3))
		return "CPUID leaf 0xF does not monitor the L3";
	if (!(cpuid->events & CMT_CPUID_OCCUPANCY))
		return "CPUID leaf 0xF has no occupancy";
	if (!cpuid->factor)
		return "the factor of CPUID leaf 0xF is 0";
	if (!cpuid->highest)
		return "CPUID leaf 0xF has RMID 0 only";
	if (!CMT_CACHE_TYPE(cpuid->l3[0]))
		return "CPUID leaf 4 has no L3";
	cmt->factor = cpuid->factor;
	cmt->nr_rmids = min_t(u32, cpuid->highest, CMT_MAX_RMIDS - 1) + 1;
	pmu_cmt_fill_l3(cmt, cpuid->l3);
	return NULL;
}

static void pmu_cmt_read_l3(u32 *l3)
{
	unsigned int i;
	u32 edx;

	for (i = 0; i < 16; i++) {
		cpuid_count(CMT_CPUID_CACHE, i, &l3[0], &l3[1], &l3[2], &edx);
		if (!CMT_CACHE_TYPE(l3[0]) || CMT_CACHE_LEVEL(l3[0]) == 3)
			return;
	}
	l3[0] = 0;
}

/* Read each leaf only if the one before says that it is valid */
static void pmu_cmt_read_cpuid(struct pmu_cmt_cpuid *c)
{
	u32 eax, ecx, edx;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return;
	c->max_leaf = boot_cpu_data.cpuid_level;
	if (c->max_leaf < CMT_CPUID)
		return;
	cpuid_count(CMT_CPUID_FEATURES, 0, &eax, &c->features, &ecx, &edx);
	if (!(c->features & CMT_CPUID_MONITORING))
		return;
	cpuid_count(CMT_CPUID, 0, &eax, &ecx, &edx, &c->resources);
	if (!(c->resources & CMT_CPUID_L3))
		return;
	cpuid_count(CMT_CPUID, 1, &eax, &c->factor, &c->highest, &c->events);
	pmu_cmt_read_l3(c->l3);
}

/* Fill in @pmu_cmt. Returns NULL, or what this machine lacks */
const char *pmu_cmt_probe(void)
{
	struct pmu_cmt_cpuid cpuid = { 0 };
	const char *why;

	pmu_cmt_read_cpuid(&cpuid);
	why = pmu_cmt_fill(&pmu_cmt, &cpuid);
	if (!why) {
		pmu_arch_add_register(&pmu_arch, KNC_PMU_SPACE_MSR, CMT_IA32_QM_EVTSEL);
		pmu_arch_add_register(&pmu_arch, KNC_PMU_SPACE_MSR, CMT_IA32_PQR_ASSOC);
	}
	return why;
}

/* A number for this hardware thread's L3: equal on all hardware threads that share it */
u32 pmu_cmt_domain(void)
{
	u32 eax, ebx, ecx, id;

	cpuid_count(CMT_CPUID_TOPOLOGY, 0, &eax, &ebx, &ecx, &id);
	if (!ebx)
		id = CMT_APIC_ID(cpuid_ebx(CMT_CPUID_APIC_ID));
	return id >> pmu_cmt.share_bits;
}

u32 pmu_cmt_read_rmid(void)
{
	return knc_hw_ops->read_msr(CMT_IA32_PQR_ASSOC) & CMT_PQR_RMID;
}

/*
 * Replace RMID @from by @to, and keep the class of service. If RMID @from is not loaded, write
 * nothing and return false.
 */
bool pmu_cmt_change_rmid(u32 from, u32 to)
{
	u64 pqr = knc_hw_ops->read_msr(CMT_IA32_PQR_ASSOC);

	if ((pqr & CMT_PQR_RMID) != from)
		return false;
	knc_hw_ops->write_msr(CMT_IA32_PQR_ASSOC, (pqr & ~CMT_PQR_RMID) | to);
	return true;
}

/**
 * pmu_cmt_occupancy() - how much of this hardware thread's L3 belongs to an RMID
 * @rmid: the RMID
 * @bytes: the answer, out; 0 after an error
 *
 * The RMID is selected, then read: the caller holds a lock, so that nobody selects in between.
 *
 * Return: 0; -EAGAIN: the hardware has no data at present; -EIO: it has none for this RMID.
 */
int pmu_cmt_occupancy(u32 rmid, u64 *bytes)
{
	u64 ctr;

	*bytes = 0;
	knc_hw_ops->write_msr(CMT_IA32_QM_EVTSEL,
			      (u64)rmid << CMT_EVTSEL_RMID_SHIFT | PMU_CMT_OCCUPANCY);
	ctr = knc_hw_ops->read_msr(CMT_IA32_QM_CTR);
	if (ctr & CMT_CTR_ERROR)
		return -EIO;
	if (ctr & CMT_CTR_UNAVAILABLE)
		return -EAGAIN;
	*bytes = (ctr & CMT_CTR_DATA) * pmu_cmt.factor;
	return 0;
}
