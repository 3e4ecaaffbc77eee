// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: several threads of a core
 */
#include "ap.h"
#include "machine.h"
#include "sampling.h"
#include "tests.h"

extern u8 hlt_check[], hlt_behind[];

/* Skip hlt if the interrupt came between the check and hlt */
static void skip_hlt(struct frame *f)
{
	if (f->rip >= (u64)hlt_check && f->rip < (u64)hlt_behind)
		f->rip = (u64)hlt_behind;
}

/* Sleep until an overflow that thread 1 causes: did hlt sleep in any try? */
static bool hlt_until_pmi(void)
{
	bool slept = false;
	int i;

	pmi_more = skip_hlt;
	for (i = 0; i < 100 && !slept; i++) {
		u32 done = aps[1].done;

		pmis = 0;
		wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK + 1 - 40000);
		apic[APIC_LVTPC] = LVT_NMI;
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
		aps[1].work = AP_LOOP;
		asm volatile("hlt_check: cmpl $0, %0; jne hlt_behind; hlt;"
			     "hlt_behind:" : : "m"(pmis) : "memory", "cc");
		slept = pmi_rip == (u64)hlt_behind;
		while (aps[1].done == done)
			asm volatile("pause");
	}
	pmi_more = 0;
	return slept;
}

/* The card's reading of 1.4.3.8: its CPU's option core-pmi */
static bool tells_running, tells_causing;

/* A counter of this thread overflows while thread 1 executes. */
static void overflow_by_thread1(u64 sel)
{
	pmis = 0;
	pmi_thread = NONE;
	pmi_status = NONE;
	pmu_set(sel | OS | EN | KNC_EVTSEL_INT, 0);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK + 1 - 40000);
	apic[APIC_LVTPC] = LVT_NMI;
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	ap_do(1, AP_LOOP);
	pause_for(20000);
}

/*
 * An event that only thread 1 causes: steps with a read and a write, counted by the clock, and
 * writes, counted in thread mode.
 */
static void test_core_pmi(void)
{
	ap_do(1, AP_UNMASK);
	overflow_by_thread1(CYCLES | CMASK(3));
	check("overflow of the clock by thread 1: one interrupt", pmis, 1);
	check("overflow of the clock by thread 1: whose", pmi_thread,
	      tells_running);
	check("overflow of the clock by thread 1: its own status", pmi_status,
	      !tells_running);
	check("overflow of the clock by thread 1: its entry is masked",
	      pmi_lvt, LVT_NMI | KNC_APIC_LVT_MASKED);
	check("overflow of the clock by thread 1: the counter's status",
	      rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), tells_running);
	check("overflow of the clock by thread 1: this thread's entry",
	      apic[APIC_LVTPC],
	      tells_running ? LVT_NMI : LVT_NMI | KNC_APIC_LVT_MASKED);

	/* a masked entry loses the interrupt; the status remains */
	overflow_by_thread1(CYCLES | CMASK(3));
	check("overflow of the clock, thread 1 masked: interrupts", pmis,
	      !tells_running);
	check("overflow of the clock, thread 1 masked: status",
	      rdmsr(KNC_IA32_PERF_GLOBAL_STATUS), tells_running);

	ap_do(1, AP_UNMASK);
	overflow_by_thread1(DATA_WRITE | KNC_EVTSEL_THREAD_MODE);
	check("overflow in thread mode by thread 1: one interrupt", pmis, 1);
	check("overflow in thread mode by thread 1: whose", pmi_thread,
	      tells_causing);
	check("overflow in thread mode by thread 1: its own status",
	      pmi_status, !tells_causing);
	pmu_off();
}

/* NMIs from thread 1 at any moment, because the host decides when it runs */
static void sampling_with_nmis(void)
{
	u32 done = aps[1].done;

	nmis_wanted = true;
	aps[1].work = AP_NMIS;
	do {
		sampling(LVT_NMI, user_long, 997, 997);
	} while (!foreign);
	nmis_wanted = false;
	check_samples("sampling, NMIs from another thread: samples",
		      "sampling, NMIs from another thread: the rest", LONG);
	while (aps[1].done == done)
		asm volatile("pause");
	pause_for(1000);
	pmi_more = 0;
	pmu_off();
}

/* A thread counts by itself while another thread's counter starts and stops counting it */
static void test_own_beside_shared(void)
{
	u32 done = aps[1].done;
	unsigned int i, wrong = 0;

	shares_wanted = true;
	shares = 0;
	aps[1].work = AP_SHARE;
	while (shares < 3)
		asm volatile("pause");
	for (i = 0; i < 100 || shares < 10; i++) {
		COUNT(INSTRUCTIONS | OS, DATA_WRITE | OS,
		      "mov $20000, %%ebx; 1: push %%rbx; pop %%rbx; dec %%ebx; jnz 1b");
		wrong += c0 != 80001 + TAIL || c1 != 20000;
	}
	shares_wanted = false;
	while (aps[1].done == done)
		asm volatile("pause");
	check("a sibling begins and ends: own counters wrong", wrong, 0);
}

static volatile u32 *const loop_writes = (u32 *)((u8 *)buffer + 256);

/* The bounds of what thread 1 wrote while this thread counted it: @least and @most */
static void count_for_a_moment(u32 *least, u32 *most, u32 *end)
{
	u32 before, after, last;

	before = *loop_writes;
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	after = *loop_writes;
	pause_for(100);
	last = *loop_writes;
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	*end = *loop_writes;
	*least = last - after;
	*most = *end - before;
}

/*
 * The writes of thread 1 that this thread sees bound its count. Only thread 1 must be told:
 * thread 2 stops while it still reports.
 */
static void test_begin_beside_counting(void)
{
	unsigned int i, wrong = 0, few = 0, many = 0;
	u32 done, least, most, end;
	u64 count;

	COUNT(DATA_WRITE | OS | KNC_EVTSEL_THREAD_MODE, 0, "");
	ap_stop(2);
	for (i = 0; i < 20; i++) {
		done = aps[1].done;
		*loop_writes = 0;
		pmu_set(DATA_WRITE | OS | EN | KNC_EVTSEL_THREAD_MODE,
			DATA_WRITE | OS | EN);
		aps[1].work = AP_COUNT;
		/* wait until it no longer reports earlier shared events */
		while (*loop_writes < 100000)
			asm volatile("pause");
		pmu_set(DATA_WRITE | OS | EN | KNC_EVTSEL_THREAD_MODE, DATA_WRITE | OS | EN);
		count_for_a_moment(&least, &most, &end);
		pmu_get();
		count = c0 - c1;
		while (aps[1].done == done)
			asm volatile("pause");
		/* a write is visible before it is counted */
		few += least > count + 1;
		many += count > most + 1 && end < 150000;
		wrong += aps[1].result[0] != 150000;
	}
	ap_boot(2);
	check("begun while a sibling counts: too few", few, 0);
	check("begun while a sibling counts: too many", many, 0);
	check("begun while a sibling counts: its own wrong", wrong, 0);
	pmu_off();
}

/* Registers 0x58 to 0x5b of the host bridge: bytes 1 to 3 define the memory below 1 MB */
static void set_pam(u32 val)
{
	outl(0xcf8, 0x80000058);
	outl(0xcfc, val);
}

/* Writes of the two other threads: 50000 in the loop, then work and done */
#define TWO_LOOPS	(2 * 50002)

/*
 * Read what threads 1 and 2 wrote while counter 0 is less than @left from overflow: does the value
 * ever decrease?
 */
static unsigned int read_while_counting(u64 left)
{
	unsigned int back = 0;
	u64 last, now;

	aps[1].work = AP_LOOP;
	aps[2].work = AP_LOOP;
	for (last = 0; aps[1].work || aps[2].work; last = now) {
		now = (rdpmc(0) + left) & KNC_COUNTER_MASK;
		back += now < last && !pmis;
	}
	pause_for(20000);
	return back;
}

/*
 * The counter of a core is read while all its threads count for it by themselves, and
 * overflows at any moment of that. The handler of an interrupt stops it.
 */
static void test_core_sums(void)
{
	const u64 sel = DATA_WRITE | OS | EN | KNC_EVTSEL_THREAD_MODE;
	unsigned int i, back = 0, wrong = 0, wrong_pmis = 0, wrong_status = 0;
	u64 left;

	for (i = 0; i < 60; i++) {
		bool overflow = i % 3, stops = i % 3 == 2;

		left = overflow ? 1 + i * 1619 : 2 * TWO_LOOPS;
		pmis = 0;
		apic[APIC_LVTPC] = LVT_NMI;
		pmu_set(sel | (stops ? KNC_EVTSEL_INT : 0), DATA_WRITE | OS | EN);
		wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK + 1 - left);
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
		back += read_while_counting(left);
		wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
		pmu_get();
		if (stops)
			wrong += c0 > TWO_LOOPS;
		else
			wrong += ((c0 + left) & KNC_COUNTER_MASK) - c1 != TWO_LOOPS;
		wrong_pmis += pmis != stops && !tells_causing;
		wrong_status += rdmsr(KNC_IA32_PERF_GLOBAL_STATUS) !=
				(overflow && (!stops || tells_causing));
		wrmsr(KNC_IA32_PERF_GLOBAL_OVF_CONTROL, 3);
		ap_do(1, AP_UNMASK);
		ap_do(2, AP_UNMASK);
	}
	check("sums of a core: went back", back, 0);
	check("sums of a core: wrong", wrong, 0);
	check("sums of a core: wrong interrupts", wrong_pmis, 0);
	check("sums of a core: wrong status", wrong_status, 0);
	pmu_off();
}

/* The machine's map of addresses changes while other threads use their APIC through it. */
static void test_map(void)
{
	u32 before, i, done[3];

	outl(0xcf8, 0x80000058);
	before = inl(0xcfc);
	map_changes = true;
	for (i = 1; i < 3; i++) {
		done[i] = aps[i].done;
		aps[i].work = AP_APIC;
	}
	for (i = 0; i < 3000; i++)
		set_pam(i % 2 ? 0x33331030 : 0x01100033);
	set_pam(before);
	map_changes = false;
	for (i = 1; i < 3; i++) {
		while (aps[i].done == done[i])
			asm volatile("pause");
		check("the map of addresses changes: thread's APIC", aps[i].result[0], 0);
	}
}

/* INIT leaves the registers of the PMU as they are */
static void test_reset_of_thread(void)
{
	ap_boot(1);
	check("thread 1: reset values", aps[1].result[0] | aps[1].result[1] |
	      aps[1].result[2] | aps[1].result[3], 0);
	ap_do(1, AP_SET);
	ap_boot(1);
	check("INIT leaves IA32_PerfEvtSel0", aps[1].result[0],
	      0x12345678 & ~(1 << 19) & ~EN);
	check("INIT leaves IA32_PerfCntr1", aps[1].result[1], 0x123456789a);
	check("INIT leaves PERF_SPFLT_CONTROL", aps[1].result[2],
	      1ULL << 63 | 2);
	check("INIT leaves GLOBAL_CTRL", aps[1].result[3], 3);
	check("INIT masks the LVT entry", aps[1].result[4],
	      KNC_APIC_LVT_MASKED);
	check("registers are per thread", rdmsr(KNC_PERF_SPFLT_CONTROL), 0);
	ap_do(1, AP_READ);
}

/*
 * Thread mode: the events of threads 1 and 2, without this thread's own. Waiting threads execute
 * branches, therefore INIT stops them.
 */
static void test_thread_mode_alone(void)
{
	pmu_set(BRANCHES | OS | EN | KNC_EVTSEL_THREAD_MODE,
		BRANCHES | OS | EN);
	ap_stop(1);
	ap_stop(2);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	pause_for(1000);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	check("thread mode, others stopped: own only", c0, c1);
	check("thread mode, others stopped: some", c1 >= 1000, 1);
}

/* Includes the writes of their loops, and of work and done after them */
static void test_thread_mode(void)
{
	pmu_set(DATA_WRITE | OS | EN | KNC_EVTSEL_THREAD_MODE,
		DATA_WRITE | OS | EN);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	ap_do(1, AP_LOOP);
	pause_for(1000);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	check("thread mode: one other thread, exactly", c0 - c1, 50002);
	pmu_set(DATA_WRITE | OS | EN,
		DATA_WRITE | OS | EN | KNC_EVTSEL_THREAD_MODE);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	aps[1].work = AP_LOOP;
	ap_do(2, AP_LOOP);
	while (aps[1].work)
		asm volatile("pause");
	pause_for(20000);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	check("thread mode: two at once, exactly", c1 - c0, 100004);
}

/* A core-wide overflow interrupts the thread that owns the counter */
static void test_thread_mode_pmi(void)
{
	pmis = 0;
	pmu_set(DATA_WRITE | OS | EN | KNC_EVTSEL_THREAD_MODE | KNC_EVTSEL_INT,
		0);
	wrmsr(KNC_IA32_PERFCNTR0, KNC_COUNTER_MASK + 1 - 40000);
	apic[APIC_LVTPC] = LVT_NMI;
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	ap_do(1, AP_LOOP);
	pause_for(20000);
	if (!tells_causing) {
		check("thread mode: overflow caused by another thread", pmis, 1);
		check("thread mode: its status", pmi_status, 1);
		check("thread mode: it wakes from hlt", hlt_until_pmi(), 1);
	}
}

static void test_own_mode(void)
{
	pmu_set(BRANCHES | OS | EN, BRANCHES | OS | EN);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	ap_do(1, AP_LOOP);
	ap_do(2, AP_LOOP);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	check("no thread mode: own only", c0, c1);
}

/* Threads share the units: what thread 1 has accessed is in this one's cache */
static void test_shared_units(void)
{
	COUNT(EV_DATA_READ_MISS | OS, 0, "wbinvd; mov buffer+256, %%eax; mov buffer+256, %%eax");
	check("a line of the core: the first read misses", c0, 1);
	pmu_set(EV_DATA_READ_MISS | OS | EN, 0);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	asm volatile("wbinvd" : : : "memory");
	ap_do(1, AP_LOOP);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	COUNT(EV_DATA_READ_MISS | OS, EV_DATA_PAGE_WALK | OS, "mov buffer+256, %%eax");
	check("a line that thread 1 has read: no miss", c0, 0);
}

/* The clock is the core's, on whichever thread it is read; this one's with the others stopped */
static void test_core_clock(void)
{
	pmu_set(CYCLES | OS | EN, INSTRUCTIONS | OS | EN);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 3);
	ap_do(1, AP_LOOP);
	ap_do(2, AP_LOOP);
	wrmsr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	pmu_get();
	check("core clock: at least both threads' loops", c0 - c1 >= 400002, 1);

	ap_stop(1);
	ap_stop(2);
	COUNT(CYCLES | OS, CYCLES | OS | KNC_EVTSEL_THREAD_MODE, LOOP1000);
	check("core clock, others stopped", c0, 2001 + TAIL);
	check("core clock, thread mode is no different", c1, 2001 + TAIL);
}

void test_threads(bool running, bool causing)
{
	tells_running = running;
	tells_causing = causing;
	pmu_off();
	test_reset_of_thread();
	ap_boot(2);
	test_thread_mode_alone();
	ap_boot(1);
	ap_boot(2);
	test_thread_mode();
	test_thread_mode_pmi();
	test_core_pmi();
	test_own_mode();
	test_shared_units();
	sampling_with_nmis();
	test_own_beside_shared();
	test_begin_beside_counting();
	test_core_sums();
	test_map();
	test_core_clock();
	pmu_off();
}
