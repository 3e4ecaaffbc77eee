// SPDX-License-Identifier: GPL-2.0
/* Bare-metal test of the emulated card: the work of the other threads */
#include "ap.h"
#include "machine.h"
#include "tests.h"

volatile bool nmis_wanted, map_changes, shares_wanted;
volatile u32 shares;
volatile struct ap aps[8];

static volatile struct ap *this_ap(void)
{
	return aps + (apic[0x20 / 4] >> 24);
}

/*
 * How often a read of the APIC did not return the value just written. A locked access to two pages
 * takes another path through the emulator.
 */
static u64 use_apic(void)
{
	u64 wrong = 0;
	u32 tpr = 0;

	while (map_changes) {
		tpr = (tpr + 16) & 0xf0;
		apic[APIC_TPR] = tpr;
		wrong += apic[APIC_TPR] != tpr;
		asm volatile("mov %%cr3, %%rax; mov %%rax, %%cr3; lock incl code_page + 4094"
			     : : : "rax", "memory", "cc");
	}
	apic[APIC_TPR] = 0;
	return wrong;
}

/* Count 150,000 instructions with the thread's own counter */
static void ap_count(void)
{
	pmu_set(DATA_WRITE | OS | EN, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	asm volatile("mov $150000, %%ebx;"
		     "1: incl 256+buffer; dec %%ebx; jnz 1b"
		     : : : "ebx", "memory", "cc");
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	this_ap()->result[0] = rdmsr(KNC_IA32_PERFCNTR0);
}

/* Repeatedly count all threads for a moment */
static void ap_share(void)
{
	pmu_set(DATA_WRITE | OS | EN | KNC_EVTSEL_THREAD_MODE, 0);
	while (shares_wanted) {
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
		spin_for(100);
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
		spin_for(10000);
		shares++;
	}
	pmu_off();
}

static void ap_apic(void)
{
	this_ap()->result[0] = use_apic();
}

static void ap_unmask(void)
{
	apic[APIC_LVTPC] = LVT_NMI;
}

static void ap_set(void)
{
	wrmsr(KNC_IA32_PERFEVTSEL0, 0x12345678 & ~(1 << 19) & ~EN);
	wrmsr(KNC_IA32_PERFCNTR1, 0x123456789a);
	wrmsr(KNC_PERF_SPFLT_CONTROL, 1ULL << 63 | 2);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	apic[APIC_LVTPC] = LVT_NMI;
}

static void ap_nmis(void)
{
	while (nmis_wanted) {
		send_nmi();
		pause_for(50);
	}
}

static void ap_read(void)
{
	volatile struct ap *me = this_ap();

	me->result[0] = rdmsr(KNC_IA32_PERFCNTR0);
	me->result[1] = rdmsr(KNC_IA32_PERFCNTR1);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	wrmsr(KNC_IA32_PERFEVTSEL0, 0);
	wrmsr(KNC_PERF_SPFLT_CONTROL, 0);
}

static void (*const ap_works[])(void) = {
	[AP_SET] = ap_set, [AP_READ] = ap_read, [AP_NMIS] = ap_nmis,
	[AP_UNMASK] = ap_unmask, [AP_COUNT] = ap_count, [AP_SHARE] = ap_share, [AP_APIC] = ap_apic,
	[AP_UNITS] = units_of_other_core, [AP_SILICON] = silicon_work,
};

void ap_main(void);
void ap_main(void)
{
	volatile struct ap *me = this_ap();

	me->result[0] = rdmsr(KNC_IA32_PERFEVTSEL0);
	me->result[1] = rdmsr(KNC_IA32_PERFCNTR1);
	me->result[2] = rdmsr(KNC_PERF_SPFLT_CONTROL);
	me->result[3] = rdmsr(KNC_IA32_PERF_GLOBAL_CTRL);
	me->result[4] = apic[APIC_LVTPC];
	me->started++;
	for (;;) {
		while (me->work == AP_NONE)
			asm volatile("pause");
		/* 50,000 writes; waiting makes none, nor does a call */
		if (me->work == AP_LOOP)
			asm volatile("mov $50000, %%ebx;"
				     "1: incl 256+buffer; dec %%ebx; jnz 1b"
				     : : : "ebx", "memory", "cc");
		else
			ap_works[me->work]();
		me->work = AP_NONE;
		me->done++;
	}
}

void ap_boot(unsigned int id)
{
	u32 started = aps[id].started;

	memcpy((void *)0x8000, ap_start, ap_end - ap_start);
	apic[APIC_ICR_HI] = id << 24;
	apic[APIC_ICR] = 0x4500;
	pause_for(2000);
	apic[APIC_ICR_HI] = id << 24;
	apic[APIC_ICR] = 0x4608;
	while (aps[id].started == started)
		asm volatile("pause");
}

void ap_begin(unsigned int id, u32 work)
{
	aps[id].work = work;
}

/* Wait until the thread has nothing to do */
void ap_wait(unsigned int id)
{
	while (aps[id].work != AP_NONE)
		asm volatile("pause");
}

void ap_do(unsigned int id, u32 work)
{
	u32 done = aps[id].done;

	aps[id].work = work;
	while (aps[id].done == done)
		asm volatile("pause");
}

void ap_stop(unsigned int id)
{
	apic[APIC_ICR_HI] = id << 24;
	apic[APIC_ICR] = 0x4500;
	pause_for(20000);
}
