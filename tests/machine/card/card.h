/* SPDX-License-Identifier: GPL-2.0 */
/* Bare-metal test of the emulated card: what its parts share */
#ifndef CARD_H
#define CARD_H

#include <stdint.h>
#include <stdbool.h>
#include "knc/regs.h"

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint8_t u8;

#define DATA_READ		0x00
#define DATA_WRITE		0x01
#define BRANCHES		0x12
#define INSTRUCTIONS		0x16
#define READ_OR_WRITE		0x28
#define CYCLES			0x2a

/* The other events; each EV_ constant has the event's name */
enum {
#define KNC_EVENT(name, event, umask, ...) EV_##name = KNC_EVTSEL_CODE(event, umask),
#include "knc/events.def"
};

#define OS	KNC_EVTSEL_OS
#define USR	KNC_EVTSEL_USR
#define ALL	(OS | USR)
#define EN	KNC_EVTSEL_EN
#define CMASK(n) ((u64)(n) << KNC_EVTSEL_CMASK_SHIFT)

void *memcpy(void *to, const void *from, unsigned long n);
void *memset(void *to, int c, unsigned long n);

/* Prints the result */
void check(const char *name, u64 got, u64 expected);
/* Prints a row of the comparison with cards */
void row(const char *name, u64 hundredths);

/* Set the PMU: counters off and 0; with these event selects; read the counts into c0 and c1 */
extern u64 c0, c1;
void pmu_off(void);
void pmu_set(u64 sel0, u64 sel1);
void pmu_get(void);

/* "ABOUT: NAME" of both counts */
#define CHECK_BOTH(about, name0, expected0, name1, expected1)		\
	do {								\
		check(about ": " name0, c0, expected0);			\
		check(about ": " name1, c1, expected1);			\
	} while (0)

/* Four page tables: 8 MB at most */
extern u64 pd[], small_pages[];

/* CR4.OSFXSR */
static inline void use_sse(void)
{
	asm volatile("mov %%cr4, %%rax; or $0x200, %%rax; mov %%rax, %%cr4" : : : "rax", "cc");
}

static inline void wrmsr(u32 msr, u64 val)
{
	asm volatile("wrmsr" : : "c"(msr), "a"((u32)val),
		     "d"((u32)(val >> 32)) : "memory");
}

static inline u64 rdmsr(u32 msr)
{
	u32 lo, hi;

	asm volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr) : "memory");
	return lo | (u64)hi << 32;
}

static inline u64 rdpmc(u32 counter)
{
	u32 lo, hi;

	asm volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(counter) : "memory");
	return lo | (u64)hi << 32;
}

#define CLOBBERS "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", \
		 "r11", "r12", "memory", "cc"

/*
 * Execute @payload between the WRMSR that starts the counters in @ctrl and the one that stops them.
 * Neither is counted, but the three instructions are that load the second WRMSR's registers: TAIL.
 */
#define TAIL 3
#define RUN(ctrl, payload)						\
	asm volatile("mov %0, %%eax; xor %%edx, %%edx; mov $0x2f, %%ecx;" \
		     "wrmsr;" payload ";"				\
		     "xor %%eax, %%eax; xor %%edx, %%edx;"		\
		     "mov $0x2f, %%ecx; wrmsr" : : "i"(ctrl) : CLOBBERS)

/* A one-cycle instruction that never pairs */
#define ALONE	"bswap %%edi;"

#define COUNT(sel0, sel1, payload)					\
	do {								\
		pmu_set((sel0) | EN, (sel1) | EN);			\
		RUN(3, payload);					\
		pmu_get();						\
	} while (0)

#endif /* CARD_H */
