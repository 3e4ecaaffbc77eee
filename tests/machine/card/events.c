// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: what events count, and under which conditions
 *
 * Each count is derived by hand. TAIL are the instructions that follow those of a test.
 */
#include "machine.h"
#include "tests.h"

/*
 * CMPXCHG8B changes only ZF. QEMU computes flags when they are needed, and forgot that its helper
 * needs them: flags were wrong in a thread whose turn ended here.
 */
void test_flags(void)
{
	u64 mem = 0;
	u8 carry;

	asm volatile("test %%esi, %%esi; jmp 1f; 1: mov $0, %%eax;"
		     "mov %%eax, %%edx; lea -1(%%rax), %%esi; add $2, %%esi; cmpxchg8b %0; setc %1"
		     : "+m"(mem), "=q"(carry) : : "rax", "rbx", "rcx", "rdx", "rsi", "cc");
	check("carry after CMPXCHG8B", carry, 1);
}

static void test_instructions(void)
{
	EXPECT(INSTRUCTIONS | OS, "instructions of a loop, counter 0", 2001 + TAIL,
	       INSTRUCTIONS | OS, "instructions of a loop, counter 1", 2001 + TAIL, LOOP1000);
	EXPECT(INSTRUCTIONS | OS, "no instructions", TAIL, BRANCHES | OS, "no branches", 0, "");
}

static void test_branches(void)
{
	COUNT(BRANCHES | OS, INSTRUCTIONS | OS, LOOP1000);
	check("branches of a loop", c0, 1000);
	COUNT(BRANCHES | OS, INSTRUCTIONS | OS,
	      "test %%eax, %%eax; jz 1f; 1: jz 2f; 2: jnz 3f; 3:"
	      ".byte 0x0f, 0x85, 0, 0, 0, 0");
	check("branches: jcc taken and not", c0, 4);
	EXPECT(BRANCHES | OS, "branches: jmp, call, ret", 9,
	       INSTRUCTIONS | OS, "branches: their instructions", 13 + TAIL,
	       "jmp 1f; 1: lea 2f(%%rip), %%rax; jmp *%%rax; 2: call 3f; jmp 4f;"
	       "3: ret; 4: lea 3b(%%rip), %%rax; call *%%rax;"
	       "push %%rax; call *(%%rsp); pop %%rax");
	COUNT(BRANCHES | OS, INSTRUCTIONS | OS,
	      "mov $5, %%ecx; 1: loop 1b; jrcxz 2f; 2:");
	check("branches: loop, jrcxz", c0, 6);
	EXPECT(BRANCHES | OS, "branches: iret", 1,
	       INSTRUCTIONS | OS, "instructions: iret", 7 + TAIL,
	       "mov %%rsp, %%rbx; push $0x10; push %%rbx; pushf; push $8;"
	       "push $1f; iretq; 1:");
	COUNT(BRANCHES | OS, INSTRUCTIONS | OS,
	      "mov %%rsp, %%rbx; push $0x10; push %%rbx; pushf;"
	      "push $8; push $1f; lretq; 1: mov %%rbx, %%rsp");
	check("branches: far ret", c0, 1);
	EXPECT(BRANCHES | OS, "branches: none", 0,
	       INSTRUCTIONS | OS, "instructions: pause, cpuid", 4 + TAIL,
	       "nop; cpuid; .byte 0xf3, 0x90; xor %%ecx, %%ecx");
}

static void test_data(void)
{
	EXPECT(DATA_READ | OS, "reads of push, pop, call", 2,
	       DATA_WRITE | OS, "writes of push, pop, call", 2,
	       "push %%rax; pop %%rcx; call 1f; 1: pop %%rax");
	EXPECT(DATA_READ | OS, "reads of a copy loop", 100,
	       DATA_WRITE | OS, "writes of a copy loop", 100,
	       "lea buffer, %%rsi; mov $100, %%ebx;"
	       "1: mov (%%rsi), %%rax; mov %%rax, 8(%%rsi); dec %%ebx; jnz 1b");
	EXPECT(DATA_READ | OS, "reads of read-modify-write", 9,
	       DATA_WRITE | OS, "writes of read-modify-write", 8,
	       "lea buffer, %%rsi; mov $2, %%eax; lock xadd %%rax, (%%rsi);"
	       "xchg %%rax, (%%rsi); lock incl (%%rsi); incl (%%rsi);"
	       "addl $1, (%%rsi); cmpl $1, (%%rsi); lock addl $0, (%%rsi);"
	       "lock cmpxchg8b (%%rsi); lock btsl $0, (%%rsi)");
	COUNT(READ_OR_WRITE | OS, INSTRUCTIONS | OS,
	      "lea buffer, %%rsi; mov $2, %%eax; lock xadd %%rax, (%%rsi);"
	      "lea 8(%%rsi), %%rsi; mov (%%rsi), %%rax");
	check("reads and writes together", c0, 3);
}

static void test_strings(void)
{
	EXPECT(DATA_READ | OS, "reads of rep movsb", 101,
	       DATA_WRITE | OS, "writes of rep movsb", 101,
	       "lea buffer, %%rsi; lea 64(%%rsi), %%rdi; mov $100, %%ecx;"
	       "rep movsb; movsq");
	EXPECT(INSTRUCTIONS | OS, "instructions of rep movsb", 4 + TAIL,
	       READ_OR_WRITE | OS, "accesses of rep movsb", 200,
	       "lea buffer, %%rsi; lea 64(%%rsi), %%rdi; mov $100, %%ecx;"
	       "rep movsb");
	EXPECT(INSTRUCTIONS | OS, "instructions of rep stosq, also with rcx = 0", 6 + TAIL,
	       DATA_WRITE | OS, "writes of rep stosq", 30,
	       "lea buffer, %%rdi; mov $30, %%ecx; rep stosq;"
	       "rep stosq; rep stosq; nop");
	EXPECT(INSTRUCTIONS | OS, "instructions of repne scasq", 5 + TAIL,
	       DATA_READ | OS, "reads of repne scasq that finds", 5,
	       "lea buffer, %%rdi; mov $30, %%ecx; mov $1, %%eax; movq $1, 32(%%rdi);"
	       "repne scasq");
	EXPECT(DATA_READ | OS, "reads of the FPU", 2, DATA_WRITE | OS, "writes of the FPU", 2,
	       "lea buffer, %%rsi; fninit; fldt (%%rsi); fstpt (%%rsi);"
	       "fildl (%%rsi); fistpl (%%rsi)");
}

/* An instruction takes a cycle, and an access another one */
static void test_cycles(void)
{
	COUNT(CYCLES | OS, INSTRUCTIONS | OS, LOOP1000);
	check("cycles of a loop", c0, 2001 + TAIL);
	COUNT(CYCLES | OS, READ_OR_WRITE | OS,
	      "lea buffer, %%rdi; mov $30, %%ecx; rep stosq; mov (%%rdi), %%rax;"
	      "lock incl (%%rdi)");
	check("cycles with accesses", c0, 5 + TAIL + 30 + 1 + 2);
}

void test_counts(void)
{
	test_instructions();
	test_branches();
	test_data();
	test_strings();
	test_cycles();
}

void test_enables(void)
{
	pmu_set(INSTRUCTIONS | OS, INSTRUCTIONS | OS | EN);
	RUN(3, "nop");
	pmu_get();
	check("EN clear", c0, 0);
	check("EN set", c1, 1 + TAIL);
	pmu_set(INSTRUCTIONS | OS | EN, INSTRUCTIONS | OS | EN);
	RUN(1, "nop");
	pmu_get();
	check("GLOBAL_CTRL 1, counter 0", c0, 1 + TAIL);
	check("GLOBAL_CTRL 1, counter 1", c1, 0);
	pmu_set(INSTRUCTIONS | OS | EN, INSTRUCTIONS | OS | EN);
	RUN(2, "nop");
	pmu_get();
	check("GLOBAL_CTRL 2, counter 0", c0, 0);
	check("GLOBAL_CTRL 2, counter 1", c1, 1 + TAIL);
	EXPECT(INSTRUCTIONS, "neither OS nor USR", 0, INSTRUCTIONS | USR, "USR only in ring 0", 0,
	       "nop");
	/* counter 1 is added: the WRMSR that starts it is counted by counter 0 only */
	pmu_set(INSTRUCTIONS | OS | EN, INSTRUCTIONS | OS | EN);
	RUN(1, "mov $3, %%eax; wrmsr; nop");
	pmu_get();
	check("second counter started later, first", c0, 3 + TAIL);
	check("second counter started later, second", c1, 1 + TAIL);
	/* a read includes all instructions before it, and not itself */
	pmu_set(INSTRUCTIONS | OS | EN, 0);
	RUN(1, "xor %%ecx, %%ecx; rdpmc; mov %%eax, %%ebx; rdpmc; sub %%ebx, %%eax;"
	    "mov %%rax, buffer; mov %%rbx, buffer+8");
	check("RDPMC excludes itself", buffer[1], 1);
	check("RDPMC to RDPMC", buffer[0], 2);
}

/* The events of events.def: does the card count them? */
#define KNC_COUNTS_NONE			false
#define KNC_COUNTS_EXACT(what)		true
#define KNC_COUNTS_CLOCK(what)		true
#define KNC_COUNTS_UNITS(what)		true
#define KNC_COUNTS_VECTOR(what)		true

static const struct {
	u32 code;
	bool counts;
} events[] = {
#define KNC_EVENT(name, event, umask, unit, counters, scope, rate, emulated, ...) \
	{ KNC_EVTSEL_CODE(event, umask), KNC_COUNTS_##emulated },
#include "knc/events.def"
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

static bool counts(u32 code)
{
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++)
		if (events[i].code == code)
			return events[i].counts;
	return false;
}

/* The first code from @umask on with which the card counts nothing */
static u32 unknown(u32 event, u32 umask)
{
	while (counts(umask << 8 | event))
		umask++;
	return umask << 8 | event;
}

void test_unknown_events(void)
{
	unsigned int event, i, counted = 0;

	for (event = 0; event < 256; event++) {
		/* also with INV, with which a step without events would be counted */
		COUNT(unknown(event, 0) | ALL,
		      unknown(event, 0x20) | ALL | CMASK(1) | KNC_EVTSEL_INV,
		      "push %%rax; pop %%rax; jmp 1f; 1:");
		counted += c0 || c1;
	}
	check("unknown events that count", counted, 0);
	for (counted = i = 0; i < NR_EVENTS; i++) {
		if (events[i].counts)
			continue;
		COUNT(events[i].code | ALL, events[i].code | ALL | CMASK(1) | KNC_EVTSEL_INV,
		      "push %%rax; pop %%rax; jmp 1f; 1:");
		counted += c0 || c1;
	}
	check("events that are not modelled and count", counted, 0);
}

/* Accesses: 1, 2, 1, 1, 0, 0; none of these pair. Two of the three following instructions do */
#define MIX "push %%rax; xchg %%rax, (%%rsp); mov (%%rsp), %%rax; pop %%rax;" ALONE ALONE
#define TAIL_CYCLES (TAIL - 1)

void test_conditions(void)
{
	EXPECT(READ_OR_WRITE | OS, "CMASK 0", 5, READ_OR_WRITE | OS | CMASK(1), "CMASK 1", 4, MIX);
	EXPECT(READ_OR_WRITE | OS | CMASK(2), "CMASK 2", 1,
	       READ_OR_WRITE | OS | CMASK(3), "CMASK 3", 0, MIX);
	EXPECT(READ_OR_WRITE | OS | CMASK(1) | KNC_EVTSEL_INV, "CMASK 1, INV", 2 + TAIL_CYCLES,
	       READ_OR_WRITE | OS | CMASK(2) | KNC_EVTSEL_INV, "CMASK 2, INV", 5 + TAIL_CYCLES,
	       MIX);
	EXPECT(READ_OR_WRITE | OS | KNC_EVTSEL_INV, "CMASK 0, INV", 5,
	       INSTRUCTIONS | OS | CMASK(255) | KNC_EVTSEL_INV, "CMASK 255, INV", 6 + TAIL_CYCLES,
	       MIX);
	EXPECT(READ_OR_WRITE | OS | KNC_EVTSEL_EDGE, "edge of accesses", 2,
	       BRANCHES | OS | KNC_EVTSEL_EDGE, "edge of no branches", 0, MIX MIX);
	EXPECT(BRANCHES | OS | KNC_EVTSEL_EDGE, "edge of a loop's branches", 1000,
	       INSTRUCTIONS | OS | KNC_EVTSEL_EDGE, "edge of instructions", 1,
	       "mov $1000, %%ebx; 1: dec %%ebx;" ALONE "jnz 1b");
	EXPECT(BRANCHES | OS | KNC_EVTSEL_EDGE, "edge of adjacent branches", 2,
	       BRANCHES | OS | KNC_EVTSEL_EDGE | CMASK(1) | KNC_EVTSEL_INV,
	       "edge of CMASK 1, INV", 2,
	       "jmp 1f; 1: jmp 2f; 2: jmp 3f; 3:" ALONE "jmp 4f; 4:");
	EXPECT(READ_OR_WRITE | OS | KNC_EVTSEL_EDGE | CMASK(2), "edge of CMASK 2", 2,
	       READ_OR_WRITE | OS | KNC_EVTSEL_EDGE | CMASK(1), "edge of CMASK 1", 2, MIX MIX);
}

/* Accesses of a pair: 2, 1, 0 */
#define TWO	"push %%rax; push %%rbx;" ALONE "pop %%rbx; nop;" ALONE "pop %%rax;" ALONE \
		"nop; nop;" ALONE

/* What happens in a cycle is the sum of both instructions of a pair (table 1-5) */
void test_cycles_of_pairs(void)
{
	/* one cycle, then a pair in each iteration */
	EXPECT(INSTRUCTIONS | OS | CMASK(1), "cycles with instructions", 1 + 1000 + 1 + TAIL_CYCLES,
	       INSTRUCTIONS | OS | CMASK(2), "cycles with two", 1000 + 1, LOOP1000 ";" ALONE);
	EXPECT(INSTRUCTIONS | OS | CMASK(2) | KNC_EVTSEL_INV, "cycles with less than two",
	       1 + 1 + TAIL_CYCLES - 1,
	       INSTRUCTIONS | OS | CMASK(3), "cycles with three", 0, LOOP1000 ";" ALONE);
	EXPECT(READ_OR_WRITE | OS | CMASK(1), "cycles with accesses", 2 * 3,
	       READ_OR_WRITE | OS | CMASK(2), "cycles with two accesses", 2, TWO TWO);
	EXPECT(READ_OR_WRITE | OS | CMASK(2) | KNC_EVTSEL_INV, "cycles with less than two accesses",
	       2 * 7 + TAIL_CYCLES,
	       READ_OR_WRITE | OS | KNC_EVTSEL_EDGE, "edge of pairs", 2 * 3, TWO TWO);
	/* a branch in each cycle of the loop */
	EXPECT(BRANCHES | OS | KNC_EVTSEL_EDGE, "edge of pairs that go on", 1,
	       INSTRUCTIONS | OS | KNC_EVTSEL_EDGE | CMASK(2), "edge of two instructions", 2,
	       LOOP1000 ";" ALONE);
	/* the clock has no pairs: three cycles belong to one instruction */
	EXPECT(CYCLES | OS | CMASK(3), "the clock has no pairs: three", 0,
	       CYCLES | OS | CMASK(1), "the clock has no pairs: one", 5 + TAIL,
	       "push %%rax; push %%rbx; pop %%rbx; pop %%rax;" ALONE);
}

void test_wrap(void)
{
	pmu_set(INSTRUCTIONS | OS | EN, INSTRUCTIONS | OS | EN);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK - 9);
	RUN(3, LOOP1000);
	pmu_get();
	check("wraps at 40 bits", c0, 2001 + TAIL - 10);
	check("status set without INT", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 1);
	wrmsr(KNC_IA32_PERFCNTR1, KNC_COUNTER_MASK);
	RUN(3, "nop");
	check("status is sticky", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 3);
	wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 0);
	check("OVF_CONTROL 0", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 3);
	wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 1);
	check("OVF_CONTROL 1", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 2);
	wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 2);
	check("OVF_CONTROL 2", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 0);
	pmu_set(INSTRUCTIONS | OS | EN, 0);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK - TAIL);
	RUN(1, "");
	check("one short of the wrap", rdmsr(KNC_IA32_PERFCNTR0),
	      KNC_COUNTER_MASK);
	check("no status yet", rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), 0);
}
