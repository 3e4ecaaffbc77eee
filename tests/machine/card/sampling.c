// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: samples, and where an overflow is taken
 */
#include "machine.h"
#include "sampling.h"
#include "tests.h"

/* Sampling: 1.4.3.9, step by step, while ring 3 is counted */

static u64 period[2];
static u32 samples[2];
u32 foreign;

static void sample(struct frame *f)
{
	int n;

	if (!pmi_status)
		foreign++;
	for (n = 0; n < 2; n++) {
		if (!(pmi_status & KNC_GLOBAL_CNTR(n)))
			continue;
		samples[n]++;
		wrmsr(KNC_IA32_PERFCNTR0 + n, -period[n] & KNC_COUNTER_MASK);
	}
	if (pmi_status)
		apic[APIC_LVTPC] = f->vector == NMI ? LVT_NMI : FIXED;
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
}

/* LONG instructions */
USER_FUNCTION(user_long, "mov $100000, %ebx; 1: dec %ebx; jnz 1b");

void sampling(u32 lvt, void (*fn)(void), u64 period0, u64 period1)
{
	u64 sel = INSTRUCTIONS | USR | EN | KNC_EVTSEL_INT;

	period[0] = period0;
	period[1] = period1;
	samples[0] = 0;
	samples[1] = 0;
	foreign = 0;
	pmis = 0;
	pmu_set(sel, sel);
	wrmsr(KNC_IA32_PERFCNTR0, -period0 & KNC_COUNTER_MASK);
	wrmsr(KNC_IA32_PERFCNTR1, -period1 & KNC_COUNTER_MASK);
	apic[APIC_LVTPC] = lvt;
	pmi_more = sample;
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	user(fn);
	/* an interrupt that IF has delayed, during int $0x80 */
	asm volatile("sti; nop; nop; cli");
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
}

void check_samples(const char *name, const char *left, u64 total)
{
	u64 n0 = total / period[0], n1 = total / period[1];

	check(name, samples[0] | (u64)samples[1] << 32, n0 | n1 << 32);
	check(left,
	      ((rdmsr(KNC_IA32_PERFCNTR0) + period[0]) & KNC_COUNTER_MASK) +
	      ((rdmsr(KNC_IA32_PERFCNTR1) + period[1]) & KNC_COUNTER_MASK),
	      total % period[0] + total % period[1]);
}

void test_sampling(void)
{
	sampling(LVT_NMI, user_long, 997, 997);
	check_samples("sampling, every overflow on both: samples",
		      "sampling, every overflow on both: the rest", LONG);
	check("sampling, every overflow on both: interrupts", pmis, LONG / 997);
	sampling(LVT_NMI, user_long, 997, 1009);
	check_samples("sampling, two periods: samples",
		      "sampling, two periods: the rest", LONG);
	sampling(LVT_NMI, user_loop, 1, 1);
	check_samples("sampling, period 1: samples",
		      "sampling, period 1: the rest", 2002);
	user_flags = 0x202;
	sampling(FIXED, user_long, 997, 997);
	check_samples("sampling, fixed, both: samples",
		      "sampling, fixed, both: the rest", LONG);
	check("sampling, fixed, both: interrupts", pmis, LONG / 997);
	sampling(FIXED, user_loop, 1, 2);
	check_samples("sampling, fixed, periods 1 and 2: samples",
		      "sampling, fixed, periods 1 and 2: the rest", 2002);
	user_flags = 2;
	pmi_more = 0;
	pmu_off();
}

/*
 * Try every distance to an overflow twice. In the second try counter 1 has a condition for which
 * QEMU reports every instruction; in the first one blocks count by themselves as long as they can.
 */

#define DISTANCES 1200

/* ebx iterations: accesses, up to 63 in one instruction, branches and strings with REP */
#define MIXED "1: push %rax; mov (%rsp), %rcx; lock xadd %rax, (%rsp); pop %rax;" \
	"enter $64, $31; leave; test $1, %bl; jz 2f; nop; nop; nop;"	\
	"lock negl 256+buffer; 2: call 3f; jmp 4f; 3: push buffer; pop buffer; ret;" \
	"4: lea buffer, %rdi; mov %rdi, %rsi; mov $3, %ecx; rep stosb;"	\
	"mov $4, %ecx; rep lodsb; xor %ecx, %ecx; rep movsb; dec %ebx; jnz 1b;"

void mixed(void);
asm(".text; mixed: push %rbx; push %rbp; mov $1200, %ebx; lea 512+buffer, %rbp;" MIXED
	"pop %rbp; pop %rbx; ret");

/* Blocks that add exactly their size to a counter */
void plain(void);
asm(".text; plain: push %rbx; mov $1200, %ebx;"
	"1: nop; jmp 2f; 2: nop; nop; jmp 3f; 3: test $1, %bl; jz 4f; nop; lea (%rbx), %rcx;"
	"nop; nop; 4: xor %ecx, %ecx; nop; nop; jrcxz 5f; 5: dec %ebx; jnz 1b;"
	"pop %rbx; ret");

/* In ring 3: faults lead to ring 0 and back */
USER_FUNCTION(user_mixed, "mov $1200, %ebx;"
	      "5: push %rax; ud2; incl buffer; pop %rax; ud2; loop 6f; 6: dec %ebx; jnz 5b");
/* SPFLT stops a counter that obeys it, and starts it again */
void mixed_spflt(void);
asm(".text; mixed_spflt: push %rbx; mov $1200, %ebx;"
	"1: xor %eax, %eax; .byte 0xc5, 0xfb, 0xae, 0xf0; push %rax; jmp 2f;"
	"2: mov $1, %eax; .byte 0xc5, 0xfb, 0xae, 0xf0; push buffer; pop %rcx; pop %rcx;"
	"dec %ebx; jnz 1b; pop %rbx; ret");

static void in_ring3(void)
{
	user(user_mixed);
}

static const struct place {
	const char *name;
	u32 event;
	void (*fn)(void);
	u32 n;			/* the number of the counter that overflows */
	bool spflt;
	bool late;		/* the counter is written while it counts */
} places[] = {
	{ "every distance: plain code, counter 0", INSTRUCTIONS | OS, plain, 0, false, false },
	{ "every distance: plain code, counter 1", INSTRUCTIONS | OS, plain, 1, false, false },
	{ "every distance: the clock, counter 0", CYCLES | OS, mixed, 0, false, false },
	{ "every distance: the clock, counter 1", CYCLES | OS, mixed, 1, false, false },
	{ "every distance: instructions, counter 0", INSTRUCTIONS | OS, mixed, 0, false, false },
	{ "every distance: instructions, counter 1", INSTRUCTIONS | OS, mixed, 1, false, false },
	{ "every distance: branches, counter 0", BRANCHES | OS, mixed, 0, false, false },
	{ "every distance: branches, counter 1", BRANCHES | OS, mixed, 1, false, false },
	{ "every distance: reads, counter 0", DATA_READ | OS, mixed, 0, false, false },
	{ "every distance: reads, counter 1", DATA_READ | OS, mixed, 1, false, false },
	{ "every distance: accesses, counter 0", READ_OR_WRITE | OS, mixed, 0, false, false },
	{ "every distance: accesses, counter 1", READ_OR_WRITE | OS, mixed, 1, false, false },
	{ "every distance: a counter written late", INSTRUCTIONS | OS, mixed, 0, false, true },
	{ "every distance: reads, written late", DATA_READ | OS, mixed, 1, false, true },
	{ "every distance: ring 3", INSTRUCTIONS | USR, in_ring3, 0, false, false },
	{ "every distance: ring 0, from ring 3", INSTRUCTIONS | OS, in_ring3, 0, false, false },
	{ "every distance: rings 0 and 3", READ_OR_WRITE | ALL, in_ring3, 1, false, true },
	{ "every distance: SPFLT", INSTRUCTIONS | OS, mixed_spflt, 0, true, false },
	{ "every distance: SPFLT, reads, late", DATA_READ | OS, mixed_spflt, 1, true, true },
};

static u64 place_rbx, place_cntr[2];

static void note_place(struct frame *f)
{
	place_rbx = f->rbx;
	place_cntr[0] = rdmsr(KNC_IA32_PERFCNTR0);
	place_cntr[1] = rdmsr(KNC_IA32_PERFCNTR1);
	/* the interrupted loop may end now */
	if (f->rbx && f->rbx <= 1200)
		f->rbx = 1;
}

/* A hash of the places where @p overflows, and of the counts there */
static u64 overflow_at(const struct place *p, u64 distance, u64 condition)
{
	u64 sel[2], hash;

	sel[p->n] = p->event | EN | KNC_EVTSEL_INT;
	/* a cycle has at most one branch, so that the condition changes nothing */
	sel[!p->n] = BRANCHES | ALL | EN | condition;
	pmis = 0;
	pmi_rip = 0;
	place_rbx = 0;
	pmu_set(sel[0], sel[1]);
	memset(buffer, 1, sizeof(buffer));
	if (p->spflt)
		wrmsr(KNC_PERF_SPFLT_CONTROL, 1ULL << 63 | 1 << p->n);
	apic[APIC_LVTPC] = LVT_NMI;
	if (!p->late)
		wrmsr(KNC_IA32_PERFCNTR0 + p->n, -distance & KNC_COUNTER_MASK);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	if (p->late)
		wrmsr(KNC_IA32_PERFCNTR0 + p->n, -distance & KNC_COUNTER_MASK);
	p->fn();
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	hash = pmis;
	hash = hash * 1000003 + pmi_rip;
	hash = hash * 1000003 + place_rbx;
	hash = hash * 1000003 + place_cntr[0];
	hash = hash * 1000003 + place_cntr[1];
	hash = hash * 1000003 + (pmis ? 0 : c0);
	return hash * 1000003 + (pmis ? 0 : c1);
}

void test_places(unsigned int step)
{
	unsigned int i, d;

	skip_on_ud = 2;
	pmi_more = note_place;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		unsigned int wrong = 0, none = 0;

		for (d = 1; d <= DISTANCES; d += step) {
			wrong += overflow_at(&places[i], d, 0) !=
				 overflow_at(&places[i], d, CMASK(1));
			none += pmis != 1;
		}
		check(places[i].name, wrong | (u64)none << 32, 0);
	}
	pmi_more = 0;
	skip_on_ud = 0;
	pmu_off();
}

/* How often is the difference wrong of two reads of a counter in a block? */
#define READS(name, sel, expected, read)				\
	do {								\
		pmu_set((sel) | EN, 0);					\
		RUN(1, "xor %%r9d, %%r9d; mov $2000, %%ebx;"		\
		    "1: " read "mov %%eax, %%esi; push %%rbx; nop; pop %%rbx; nop;" \
		    read "sub %%esi, %%eax; cmp $" #expected ", %%eax; je 2f;" \
		    "inc %%r9d; 2: dec %%ebx; jnz 1b; mov %%r9, buffer");	\
		check("reads in a block: " name, buffer[0], 0);		\
	} while (0)
#define RDPMC	"xor %%ecx, %%ecx; rdpmc;"
#define RDMSR	"mov $0x20, %%ecx; rdmsr;"

static void test_reads(void)
{
	READS("RDPMC, instructions", INSTRUCTIONS | OS, 7, RDPMC);
	READS("RDMSR, instructions", INSTRUCTIONS | OS, 7, RDMSR);
	READS("RDPMC, accesses", READ_OR_WRITE | OS, 2, RDPMC);
	READS("RDMSR, accesses", READ_OR_WRITE | OS, 2, RDMSR);
	READS("RDPMC, the clock", CYCLES | OS | KNC_EVTSEL_USR, 9, RDPMC);
}

/* Counted after the write: WRMSR, nop and xor */
static void test_write_while_counting(void)
{
	unsigned int i, wrong = 0;

	pmu_set(INSTRUCTIONS | OS | EN, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	for (i = 0; i < DISTANCES; i++) {
		u32 lo = -i, hi = i ? 0xff : 0, msr = KNC_IA32_PERFCNTR0;

		asm volatile("wrmsr; nop; xor %%ecx, %%ecx; rdpmc"
			     : "+a"(lo), "+d"(hi), "+c"(msr));
		wrong += lo != 3 - i || hi != (i > 3 ? 0xff : 0);
	}
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	check("WRMSR to a counter that counts", wrong, 0);
}

static void test_ring3_and_back(void)
{
	u64 usr, os;

	skip_on_ud = 2;
	COUNT_USER(INSTRUCTIONS | USR, INSTRUCTIONS | OS, user_mixed);
	usr = c0;
	os = c1;
	check("ring 3 and back: its own", usr, 1200 * 6 + 2);
	COUNT_USER(INSTRUCTIONS | USR, BRANCHES | ALL | CMASK(1), user_mixed);
	check("ring 3 and back: its own, reported", c0, usr);
	COUNT_USER(INSTRUCTIONS | OS, BRANCHES | USR | CMASK(1), user_mixed);
	check("ring 3 and back: ring 0's", c0, os);
	skip_on_ud = 0;
}

/*
 * Five instructions an iteration: nop, push, pop, nop, xor. Counting starts at once, hence the
 * first two MOV are counted too, and the SPFLT that changes nothing.
 */
static void test_spflt_loop(void)
{
	pmu_set(INSTRUCTIONS | OS | EN, INSTRUCTIONS | OS | EN);
	wrmsr(KNC_PERF_SPFLT_CONTROL, 1 | 1ULL << 63);
	RUN(3, "mov $5000, %%ebx; 1: mov $1, %%eax;" SPFLT(0)
	    "nop; push %%rax; pop %%rax; nop; xor %%eax, %%eax;" SPFLT(0)
	    "nop; nop; dec %%ebx; jnz 1b");
	pmu_get();
	check("SPFLT in a loop: counted while set", c0, 1 + 2 + 5000 * 5);
	check("SPFLT in a loop: all", c1, 1 + 5000 * 12 + TAIL);
}

void test_middle(void)
{
	test_reads();
	test_write_while_counting();
	test_ring3_and_back();
	test_spflt_loop();
	pmu_off();
}
