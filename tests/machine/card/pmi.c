// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: the overflow interrupt (1.4.3.8, 1.4.3.9 of Intel 327357)
 */
#include "machine.h"
#include "tests.h"

extern u8 skid_at[], skid_rep[], skid_fixed[];

static void test_nmi(void)
{
	pmi_prepare(LVT_NMI, 3);
	RUN(1, "nop; nop; nop; .globl skid_at; skid_at: nop; nop; nop");
	check("NMI: one", pmis, 1);
	check("NMI: behind the instruction that overflowed", pmi_rip,
	      (u64)skid_at);
	check("NMI: vector", pmi_vector, NMI);
	check("NMI: LVT entry masked by the APIC", pmi_lvt,
	      LVT_NMI | KNC_APIC_LVT_MASKED);
	check("NMI: status", pmi_status, 1);
	check("NMI: counter stopped there", rdmsr(KNC_IA32_PERFCNTR0) < 200, 1);
	check("NMI: status cleared", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 0);
}

/* A masked entry loses the edge, and the line stays up until all of the status is clear */
static void test_masked_nmi(void)
{
	pmi_prepare(LVT_NMI | KNC_APIC_LVT_MASKED, 3);
	RUN(1, "nop; nop; nop; nop");
	check("masked: none", pmis, 0);
	check("masked: status set", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 1);
	apic[APIC_LVTPC] = LVT_NMI;
	RUN(1, "nop; nop");
	check("masked: the edge is lost", pmis, 0);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK);
	RUN(1, "nop; nop");
	check("line still up: no new edge", pmis, 0);
	wrmsr(KNC_IA32_PERFCNTR1, KNC_COUNTER_MASK);
	RUN(3, "nop; nop");
	check("line still up: nor from the other counter", pmis, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 1);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK);
	RUN(1, "nop; nop");
	check("one status bit left: line still up", pmis, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 3);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK);
	RUN(1, "nop; nop");
	check("all cleared: an edge again", pmis, 1);
}

static void test_both(void)
{
	pmi_prepare(LVT_NMI, 3);
	wrmsr(KNC_IA32_PERFCNTR1, KNC_COUNTER_MASK + 1 - 3);
	RUN(3, "nop; nop; nop; nop");
	check("both at once: one interrupt", pmis, 1);
	check("both at once: both in the status", pmi_status, 3);
}

static void test_without_int(void)
{
	pmi_prepare(LVT_NMI, 3);
	wrmsr(KNC_IA32_PERFEVTSEL0, INSTRUCTIONS | OS | EN);
	RUN(1, "nop; nop; nop; nop");
	check("INT off: none", pmis, 0);
	check("INT off: status", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 1);
}

/* The entry is masked automatically: a second overflow is lost unless it is unmasked */
static void test_automatic_mask(void)
{
	pmi_prepare(LVT_NMI, 3);
	RUN(1, "nop; nop; nop; nop");
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK);
	RUN(1, "nop; nop; nop; nop");
	check("not unmasked: no second one", pmis, 1);
	wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 3);
	apic[APIC_LVTPC] = LVT_NMI;
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK);
	RUN(1, "nop; nop; nop; nop");
	check("unmasked: a second one", pmis, 2);
}

/* REP with 60 iterations; the 50th write overflows */
static void test_within_rep(void)
{
	pmi_prepare(LVT_NMI, 0);
	wrmsr(KNC_IA32_PERFEVTSEL0, DATA_WRITE | OS | EN | KNC_EVTSEL_INT);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK + 1 - 50);
	buffer[51] = 0;
	RUN(1, "lea buffer, %%rdi; mov $60, %%ecx; mov $7, %%eax;"
	    ".globl skid_rep; skid_rep: rep stosq; mov %%rcx, %%rbx");
	check("within rep: one", pmis, 1);
	check("within rep: at the instruction", pmi_rip, (u64)skid_rep);
	check("within rep: it went on afterwards", buffer[51], 7);
}

static void test_fixed_vector(void)
{
	pmi_prepare(FIXED, 3);
	asm volatile("sti");
	RUN(1, "nop; nop; nop; .globl skid_fixed; skid_fixed: nop; nop; nop");
	asm volatile("cli");
	check("fixed: one", pmis, 1);
	check("fixed: vector", pmi_vector, FIXED);
	check("fixed: no skid", pmi_rip, (u64)skid_fixed);
	check("fixed: LVT entry masked", pmi_lvt,
	      FIXED | KNC_APIC_LVT_MASKED);
	pmi_prepare(FIXED, 3);
	RUN(1, "nop; nop; nop; nop");
	check("fixed, IF clear: held back", pmis, 0);
	asm volatile("sti; nop; nop; cli");
	check("fixed, IF clear: then delivered", pmis, 1);
}

/* An instruction interrupted by rep's PMI counts once all the same */
static void test_rep_in_ring3(void)
{
	pmi_prepare(LVT_NMI, 0);
	wrmsr(KNC_IA32_PERFEVTSEL0, DATA_WRITE | USR | EN | KNC_EVTSEL_INT);
	wrmsr(KNC_IA32_PERFEVTSEL1, INSTRUCTIONS | USR | EN);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK + 1 - 20);
	wrmsr(KNC_IA32_PERFCNTR1, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	user(user_page);
	check("rep in ring 3: interrupted", pmis, 1);
	/* the handler has stopped the counters after mov, mov; the rep is not counted yet */
	check("rep in ring 3: counted only when complete",
	      rdmsr(KNC_IA32_PERFCNTR1), 2);
	check("rep in ring 3: writes so far", rdmsr(KNC_IA32_PERFCNTR0), 0);
}

void test_pmi(void)
{
	apic[APIC_SVR] = 0x1ff;
	test_nmi();
	test_masked_nmi();
	test_both();
	test_without_int();
	test_automatic_mask();
	test_within_rep();
	test_fixed_vector();
	test_rep_in_ring3();
	pmu_off();
}

/* Where the interrupt is taken */

u64 skid_to;
static int fault_before;	/* the interrupt comes before a fault */

static void note_fault(struct frame *f)
{
	(void)f;
	fault_before = fault;
}

/* Counter 0 overflows at instruction number @n of @payload; the interrupt is taken at @rip */
#define SKID_AT(name, n, rip, payload)					\
	do {								\
		pmi_prepare(LVT_NMI, n);				\
		asm volatile("movq $" rip ", skid_to; mov $1, %%eax;" \
			     "xor %%edx, %%edx; mov $0x2f, %%ecx;"	\
			     "wrmsr;" payload "; xor %%eax, %%eax;"	\
			     "xor %%edx, %%edx; mov $0x2f, %%ecx; wrmsr" \
			     : : : CLOBBERS);				\
		check("skid: " name, pmis == 1 ? pmi_rip : 0, skid_to);	\
	} while (0)

#define SKID(name, n, payload)	SKID_AT(name, n, "77f", payload)

static void absent_page(void)
{
	pt[1] = 0x601006;
	asm volatile("invlpg 0x40201000" : : : "memory");
	fault = NONE;
	fault_before = NONE;
}

static void test_skid_of_jumps(void)
{
	SKID("jmp", 2, "nop; jmp 77f; nop; 77: nop");
	SKID("jcc taken", 2, "xor %%eax, %%eax; jz 77f; nop; 77: nop");
	SKID("jcc not taken", 2, "xor %%eax, %%eax; jnz 1f; 77: nop; 1:");
	SKID("call", 1, "call 77f; jmp 1f; 77: ret; 1:");
	SKID("ret", 2, "call 1f; 77: jmp 2f; 1: ret; 2:");
	SKID("jump to itself", 3, "mov $5, %%ecx; 77: loop 77b");
	SKID("iret", 7, "mov %%rsp, %%rbx; push $0x10; push %%rbx; pushf;"
	     "push $8; push $77f; iretq; 77: nop");
	SKID("store", 1, "mov %%rax, buffer; 77: nop");
}

/* These instructions delay interrupts by one instruction, and NMI waits for its end */
static void test_skid_in_shadow(void)
{
	SKID("mov to SS, one behind", 2,
	     "mov %%ss, %%eax; mov %%eax, %%ss; nop; 77: nop");
	SKID("sti, one behind", 1, "sti; nop; 77: nop; cli");
	SKID("sti, hlt: it does not sleep", 1, "sti; hlt; 77: nop; cli");
}

/* At the same boundary NMI comes before an interrupt */
static void test_skid_and_interrupt(void)
{
	other_rip = 0;
	apic[APIC_ICR] = 0x40000 | OTHER;
	SKID("an interrupt is pending too", 2, "sti; nop; 77: nop; nop; cli");
	check("skid: the interrupt comes then", other_rip, skid_to);
}

/* An NMI comes before the data fault of the next instruction */
static void test_skid_and_fault(void)
{
	absent_page();
	SKID("the next one faults", 1,
	     "mov $0x40201000, %%ebx; 77: mov (%%rbx), %%eax");
	check("skid: NMI before the fault", fault_before, NONE);
	check("skid: then the fault", fault, PF);
}

/* A nop at the page's end; the next page, with a ret, is absent */
static void test_skid_and_fetch(void)
{
	*(volatile u8 *)0x600fff = 0x90;
	*(volatile u8 *)0x601000 = 0xc3;
	absent_page();
	SKID_AT("the next one can't be fetched", 3, "0x40201000",
		"mov $0x40200fff, %%eax; call *%%rax");
	check("skid: NMI before the fetch's fault", fault_before, NONE);
	check("skid: then that fault", fault, PF);
	absent_page();
	pmi_prepare(LVT_NMI | KNC_APIC_LVT_MASKED, 3);
	RUN(1, "mov $0x40200fff, %%eax; call *%%rax");
	check("page's end, LVT entry masked: none", pmis, 0);
	check("page's end, LVT entry masked: the fault", fault, PF);
	absent_page();
	pmi_prepare(FIXED, 3);
	RUN(1, "mov $0x40200fff, %%eax; call *%%rax");
	check("page's end, IF clear: held back", pmis, 0);
	check("page's end, IF clear: the fault", fault, PF);
	asm volatile("sti; nop; nop; cli");
	check("page's end, IF clear: then delivered", pmis, 1);
}

void test_skid(void)
{
	test_skid_of_jumps();
	test_skid_in_shadow();
	test_skid_and_interrupt();
	map_on_fault = true;
	pmi_more = note_fault;
	test_skid_and_fault();
	test_skid_and_fetch();
	pmi_more = 0;
	map_on_fault = false;
	pmu_off();
}

/* Counts of events during an NMI, before its IRET */

static int inside_overflows, inside_nmis, inside_pmis;
static u64 first_rip, moved;

static void inside(struct frame *f)
{
	int i;

	if (pmis > 1)
		return;
	first_rip = f->rip;
	moved = rdmsr(KNC_IA32_PERFCNTR0);
	asm volatile("nop; nop; nop");
	moved -= rdmsr(KNC_IA32_PERFCNTR0);
	for (i = 0; i < inside_overflows; i++) {
		wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 3);
		apic[APIC_LVTPC] = LVT_NMI;
		wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK);
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
		asm volatile("nop; nop; nop");
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	}
	for (i = 0; i < inside_nmis; i++)
		send_nmi();
	pause_for(10);
	inside_pmis = pmis;
}

static void blocked(int overflows, int nmis)
{
	inside_overflows = overflows;
	inside_nmis = nmis;
	inside_pmis = 0;
	pmi_more = inside;
	pmi_prepare(LVT_NMI, 3);
	RUN(1, "nop; nop; nop; nop; nop");
	pmi_more = 0;
}

void test_blocking(void)
{
	blocked(0, 0);
	check("NMI: nothing is counted in the handler", moved, 0);
	check("NMI: none but the one", pmis, 1);
	blocked(1, 0);
	check("overflow before IRET: not yet taken", inside_pmis, 1);
	check("overflow before IRET: taken then", pmis, 2);
	check("overflow before IRET: at once", pmi_rip, first_rip);
	check("overflow before IRET: its status", pmi_status, 1);
	blocked(2, 0);
	check("two overflows before IRET: one NMI", pmis, 2);
	blocked(0, 1);
	check("NMI from outside before IRET: taken then", pmis, 2);
	check("NMI from outside before IRET: at once", pmi_rip, first_rip);
	check("NMI from outside before IRET: no status", pmi_status, 0);
	blocked(1, 1);
	check("both before IRET: not yet taken", inside_pmis, 1);
	check("both before IRET: they collapse", pmis, 2);
	check("both before IRET: the status tells", pmi_status, 1);

	/* the other way round: in the handler of a foreign NMI */
	inside_nmis = 0;
	pmi_prepare(LVT_NMI, 1000);
	pmi_more = inside;
	send_nmi();
	pause_for(10);
	pmi_more = 0;
	check("overflow in an NMI from outside: taken behind", pmis, 2);
	check("overflow in an NMI from outside: its status", pmi_status, 1);
	pmu_off();
}

static u32 apic_bit(int reg, int vector)
{
	return apic[reg + vector / 32 * 4] >> vector % 32 & 1;
}

static u32 in_irr, in_isr;

static void note_apic(struct frame *f)
{
	in_irr = apic_bit(APIC_IRR, f->vector);
	in_isr = apic_bit(APIC_ISR, f->vector);
}

void test_fixed(void)
{
	pmi_more = note_apic;
	pmi_prepare(FIXED, 3);
	RUN(1, "nop; nop; nop; nop");
	check("fixed, IF clear: requested", apic_bit(APIC_IRR, FIXED), 1);
	asm volatile("sti; nop; nop; cli");
	check("fixed: one", pmis, 1);
	check("fixed: not requested any more", in_irr, 0);
	check("fixed: in service", in_isr, 1);
	check("fixed: until EOI", apic_bit(APIC_ISR, FIXED), 0);

	pmi_eoi = false;
	pmi_prepare(FIXED, 3);
	asm volatile("sti");
	RUN(1, "nop; nop; nop; nop");
	apic[APIC_LVTPC] = FIXED;
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK);
	RUN(1, "nop; nop; nop; nop");
	check("fixed, no EOI: no second one", pmis, 1);
	check("fixed, no EOI: requested", apic_bit(APIC_IRR, FIXED), 1);
	apic[APIC_EOI] = 0;
	pause_for(10);
	asm volatile("cli");
	check("fixed, EOI: then delivered", pmis, 2);
	apic[APIC_EOI] = 0;
	pmi_eoi = true;
	pmi_more = 0;
	pmu_off();
}
