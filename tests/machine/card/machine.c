// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: serial line, results, exceptions, the PMU
 */
#include "machine.h"

extern struct { u64 lo, hi; } idt[256];

unsigned int checks, failures;

volatile u64 recover;
volatile int fault = NONE;
volatile int pmis;
volatile u64 pmi_rip, pmi_lvt, pmi_status, pmi_vector, pmi_thread;
volatile bool pmi_eoi = true;
void (*volatile pmi_more)(struct frame *f);
volatile u64 other_rip;
volatile bool map_on_fault;
volatile unsigned int skip_on_ud;

u64 c0, c1;
u64 buffer[64];

void put(char c)
{
	while (!(inb(0x3fd) & 0x20))
		;
	outb(0x3f8, c);
}

void puts(const char *s)
{
	while (*s)
		put(*s++);
}

static void puthex(u64 val)
{
	bool any = false;
	int i;

	puts("0x");
	for (i = 60; i >= 0; i -= 4) {
		int d = (val >> i) & 15;

		if (d || any || !i) {
			put("0123456789abcdef"[d]);
			any = true;
		}
	}
}

void putdec(unsigned int val)
{
	if (val > 9)
		putdec(val / 10);
	put('0' + val % 10);
}

void *memcpy(void *to, const void *from, unsigned long n)
{
	void *start = to;

	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	return start;
}

void *memset(void *to, int c, unsigned long n)
{
	void *start = to;

	asm volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory");
	return start;
}

void set_gate(int vector, void *to, u64 type)
{
	u64 addr = (u64)to;

	idt[vector].lo = (addr & 0xffff) | 8 << 16 | type << 40 |
			 ((addr >> 16) & 0xffff) << 48;
	idt[vector].hi = addr >> 32;
}

void row(const char *name, u64 hundredths)
{
	puts("row ");
	puts(name);
	put(' ');
	putdec(hundredths);
	put('\n');
}

void check(const char *name, u64 got, u64 expected)
{
	checks++;
	if (got == expected) {
		puts("ok ");
		puts(name);
	} else {
		failures++;
		puts("not ok ");
		puts(name);
		puts(": got ");
		puthex(got);
		puts(" expected ");
		puthex(expected);
	}
	put('\n');
}

/* Handle an overflow as the kernel does, except for the counter's new value */
static void take_pmi(struct frame *f)
{
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmis++;
	pmi_rip = f->rip;
	pmi_vector = f->vector;
	pmi_thread = apic[0x20 / 4] >> 24;
	pmi_lvt = apic[APIC_LVTPC];
	pmi_status = rdmsr(KNC_IA32_PERF_GLOBAL_STATUS);
	wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, pmi_status);
	if (pmi_more)
		pmi_more(f);
	if (f->vector == FIXED && pmi_eoi)
		apic[APIC_EOI] = 0;
}

static void bail_out(const struct frame *f)
{
	puts("Bail out! exception ");
	puthex(f->vector);
	puts(" at ");
	puthex(f->rip);
	puts("\n");
	outb(0xf4, 2);
}

/* All exceptions and interrupts come here */
void trap(struct frame *f)
{
	if (f->vector == NMI || f->vector == FIXED) {
		take_pmi(f);
		return;
	}
	if (f->vector == OTHER) {
		other_rip = f->rip;
		apic[APIC_EOI] = 0;
		return;
	}
	fault = f->vector;
	if (f->vector == UD && skip_on_ud) {
		f->rip += skip_on_ud;
		return;
	}
	if (f->vector == PF && map_on_fault) {
		pt[1] |= 1;
		return;
	}
	if (!recover)
		bail_out(f);
	f->rip = recover;
	recover = 0;
}

int try_wrmsr(u32 msr, u64 val)
{
	fault = NONE;
	asm volatile("movq $1f, %0; wrmsr; 1:" : "=m"(recover)
		     : "c"(msr), "a"((u32)val), "d"((u32)(val >> 32)) : "memory");
	recover = 0;
	return fault;
}

int try_rdmsr(u32 msr)
{
	fault = NONE;
	asm volatile("movq $1f, %0; rdmsr; 1:" : "=m"(recover)
		     : "c"(msr) : "memory", "eax", "edx");
	recover = 0;
	return fault;
}

int try_rdpmc(u32 n)
{
	fault = NONE;
	asm volatile("movq $1f, %0; rdpmc; 1:" : "=m"(recover)
		     : "c"(n) : "memory", "eax", "edx");
	recover = 0;
	return fault;
}

void pmu_off(void)
{
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	wrmsr(KNC_IA32_PERFEVTSEL0, 0);
	wrmsr(KNC_IA32_PERFEVTSEL1, 0);
	wrmsr(KNC_PERF_SPFLT_CONTROL, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 3);
	wrmsr(KNC_IA32_PERFCNTR0, 0);
	wrmsr(KNC_IA32_PERFCNTR1, 0);
}

void pmu_set(u64 sel0, u64 sel1)
{
	pmu_off();
	wrmsr(KNC_IA32_PERFEVTSEL0, sel0);
	wrmsr(KNC_IA32_PERFEVTSEL1, sel1);
}

void pmu_get(void)
{
	c0 = rdmsr(KNC_IA32_PERFCNTR0);
	c1 = rdmsr(KNC_IA32_PERFCNTR1);
}

void pmi_prepare(u32 lvt, u64 before)
{
	pmis = 0;
	pmi_rip = 0;
	pmu_set(INSTRUCTIONS | OS | EN | KNC_EVTSEL_INT,
		INSTRUCTIONS | OS | EN | KNC_EVTSEL_INT);
	wrmsr(KNC_IA32_PERFCNTR0, -before & KNC_COUNTER_MASK);
	apic[APIC_LVTPC] = lvt;
}

void pause_for(unsigned int n)
{
	while (n--)
		asm volatile("pause" : : : "memory");
}

void spin_for(unsigned int n)
{
	asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

void send_nmi(void)
{
	apic[APIC_ICR_HI] = 0;
	apic[APIC_ICR] = 0x4400;
}

USER_FUNCTION(user_nothing, "");
USER_FUNCTION(user_loop, "mov $1000, %ebx; 1: dec %ebx; jnz 1b");
USER_FUNCTION(user_page, "mov $0x40200ff0, %edi; mov $32, %ecx; rep stosb; nop");
