/* SPDX-License-Identifier: GPL-2.0 */
/* Bare-metal test of the emulated card: its devices, exceptions and rings */
#ifndef MACHINE_H
#define MACHINE_H

#include "card.h"

#define UD	6
#define NMI	2
#define GP	13
#define PF	14
#define FIXED	0x40
#define OTHER	0x41
#define NONE	(-1)

/* start.S */
extern u64 pt[];
extern u8 stubs[], code_page[], ap_start[], ap_end[], user_back[];
extern u8 idt_ptr[];
extern u32 *multiboot_info;
extern u64 user_flags;
/* Call @fn in ring 3; it ends with int $0x80 */
void user(void (*fn)(void));

static inline void outb(uint16_t port, u8 val)
{
	asm volatile("outb %0, %1" : : "a"(val), "Nd"(port));
}

static inline u8 inb(uint16_t port)
{
	u8 val;

	asm volatile("inb %1, %0" : "=a"(val) : "Nd"(port));
	return val;
}

static inline void outl(uint16_t port, u32 val)
{
	asm volatile("outl %0, %1" : : "a"(val), "Nd"(port));
}

static inline u32 inl(uint16_t port)
{
	u32 val;

	asm volatile("inl %1, %0" : "=a"(val) : "Nd"(port));
	return val;
}

void put(char c);
void puts(const char *s);
void putdec(unsigned int val);
void set_gate(int vector, void *to, u64 type);

extern unsigned int checks, failures;

static volatile u32 *const apic = (u32 *)0xfee00000;

#define APIC_TPR	(0x080 / 4)
#define APIC_EOI	(0x0b0 / 4)
#define APIC_SVR	(0x0f0 / 4)
#define APIC_ISR	(0x100 / 4)
#define APIC_IRR	(0x200 / 4)
#define APIC_ICR	(0x300 / 4)
#define APIC_ICR_HI	(0x310 / 4)
#define APIC_LVTPC	(KNC_APIC_LVTPC / 4)
#define LVT_NMI		0x400

/* Exceptions: the last one, and what the handler does about it */

struct frame {
	u64 rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14,
	    r15, vector, error, rip, cs, flags, rsp, ss;
};

void trap(struct frame *f);

extern volatile u64 recover;		/* continue here after a fault */
extern volatile int fault;		/* the last fault, or NONE */
extern volatile int pmis;		/* number of interrupts */
extern volatile u64 pmi_rip, pmi_lvt, pmi_status, pmi_vector, pmi_thread;
extern volatile bool pmi_eoi;		/* the handler ends the interrupt */
extern void (*volatile pmi_more)(struct frame *f);	/* called by the handler */
extern volatile u64 other_rip;
extern volatile bool map_on_fault;
extern volatile unsigned int skip_on_ud;

/* Run one instruction; the vector it raises or NONE */
int try_wrmsr(u32 msr, u64 val);
int try_rdmsr(u32 msr);
int try_rdpmc(u32 n);

void pause_for(unsigned int n);
/* The same without PAUSE, at which QEMU switches to another CPU if it has only one host thread */
void spin_for(unsigned int n);
void send_nmi(void);

/* What tests read and write */
extern u64 buffer[64];

#define LOOP1000 "mov $1000, %%ebx; 1: dec %%ebx; jnz 1b"
#define SPFLT(r) ".byte 0xc5, 0xfb, 0xae, 0xf0 + " #r ";"

#define USER_FUNCTION(name, body)					\
	void name(void);						\
	asm(".text; .globl " #name "; " #name ": " body "; int $0x80")

/*
 * For ring 3: no instruction; 2,002 instructions; a string of which half is on the page 0x40201000
 */
void user_nothing(void);
void user_loop(void);
void user_page(void);

/* 1.4.3.8: both counters are about to count instructions, counter 0 overflows after @before */
void pmi_prepare(u32 lvt, u64 before);

/* Count the instructions of ring 3 from the first one to int $0x80 */
#define COUNT_USER(sel0, sel1, fn)					\
	do {								\
		pmu_set((sel0) | EN, (sel1) | EN);			\
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);			\
		user(fn);						\
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);			\
		pmu_get();						\
	} while (0)

/* Count @payload; each counter's figure is a check */
#define EXPECT(sel0, name0, want0, sel1, name1, want1, payload)		\
	do {								\
		COUNT(sel0, sel1, payload);				\
		check(name0, c0, want0);				\
		check(name1, c1, want1);				\
	} while (0)

#endif /* MACHINE_H */
