// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of the emulated Knights Corner, for QEMU's TCG.  That of an emulated host counts here,
 * too; its registers are in knc_arch.c.
 *
 * Registers and rules: Intel 327357; numbers such as 1.4.3.3 are its sections.
 *
 * An instruction is counted when the next one begins.  An instruction that
 * faults, or that QEMU starts over for its own reasons, is not counted.
 *
 * Code that counts comes in two kinds.  A block that counts by itself adds its
 * instructions and accesses to KncPmu.sum: this is cheap, but nothing notices
 * an overflow, hence the block calls helper_knc_block() first when one may be
 * near.  A block that reports calls helper_knc_insn() for each instruction,
 * which counts the instruction before ("retires" it) and notes the new one.
 * Therefore the PMI comes right after the instruction that made the counter
 * overflow.  Blocks report when an overflow is near, for all counters that are not
 * plain (CMASK, edge detection, events in the units), and for string instructions
 * with REP.
 *
 * A plain counter of the core gets the sums of all threads.  Each thread adds its
 * own in helper_knc_block(); a thread that reads the counter adds what the others
 * have not added yet.  No sum exceeds its grant, and the counter has room for all
 * grants: sums can't make it overflow unnoticed.
 */
#include "qemu/osdep.h"
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "migration/vmstate.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "tcg/helper-tcg.h"

/* Column "emulated" of include/knc/events.def: which fields of a step an event adds up */
#define KNC_FIELD(step)		((step) * 0xffff)
#define KNC_ADDS_INSNS		KNC_FIELD(KNC_STEP_INSN)
#define KNC_ADDS_BRANCHES	KNC_FIELD(KNC_STEP_BRANCH)
#define KNC_ADDS_READS		KNC_FIELD(KNC_STEP_READ)
#define KNC_ADDS_WRITES		KNC_FIELD(KNC_STEP_WRITE)
#define KNC_ADDS_ACCESSES	(KNC_ADDS_READS | KNC_ADDS_WRITES)
/* the clock: one cycle for each instruction and for each data access */
#define KNC_ADDS_CYCLES		(KNC_ADDS_INSNS | KNC_ADDS_ACCESSES)
#define KNC_ADDS_STAGE_CYCLES	KNC_ADDS_INSNS

/* How it is counted: by the instruction alone, by the clock's rule, or by signals of the units */
#define KNC_EMULATED_EXACT(what)	.mask = KNC_ADDS_##what
#define KNC_EMULATED_CLOCK(what)	.mask = KNC_ADDS_##what, .timed = BIT_ULL(KNC_SIG_##what)
#define KNC_EMULATED_UNITS(what)	.signals = BIT_ULL(KNC_SIG_##what)
#define KNC_EMULATED_VECTOR(what)	.signals = BIT_ULL(KNC_SIG_##what)

/* Column "scope": CORE is an event without a thread context (1.4.3.8) */
enum { KNC_SCOPE_UNKNOWN, KNC_SCOPE_THREAD = 0, KNC_SCOPE_CORE };

/* Column "counters": those that can count the event */
enum {
	KNC_COUNTERS_0 = KNC_GLOBAL_CNTR(0),
	KNC_COUNTERS_ANY = KNC_GLOBAL_CNTR(0) | KNC_GLOBAL_CNTR(1)
};

/* The events that are modelled; all others never increment (1.4.3.3) */
static const struct KncEvent {
	uint16_t code;
	uint8_t counters;
	bool core_wide;		/* has no thread context */
	uint64_t mask;		/* fields of a step that it adds up */
	uint64_t signals;	/* signals of the units that it adds up, too */
	uint64_t timed;		/* with the option timing: signals instead of both */
} knc_events[] = {
#define KNC_EVENT(event, umask, counters_, scope, emulated)		\
	{ .code = KNC_EVTSEL_CODE(event, umask),			\
	  .counters = KNC_COUNTERS_##counters_,				\
	  .core_wide = KNC_SCOPE_##scope, KNC_EMULATED_##emulated },
#include "knc/events.h"
#undef KNC_EVENT
};

/*
 * The architectural events of an emulated host, on all of its counters.  Those of the last-level
 * cache are missing: CPUID says so (knc_arch.c).
 */
static const struct KncEvent knc_arch_events[] = {
	{ KNC_EVTSEL_CODE(0x3c, 0x00), 0x7f, KNC_EMULATED_CLOCK(CYCLES) },
	{ KNC_EVTSEL_CODE(0x3c, 0x01), 0x7f, KNC_EMULATED_CLOCK(CYCLES) },
	{ KNC_EVTSEL_CODE(0xc0, 0x00), 0x7f, KNC_EMULATED_EXACT(INSNS) },
	{ KNC_EVTSEL_CODE(0xc4, 0x00), 0x7f, KNC_EMULATED_EXACT(BRANCHES) },
	{ KNC_EVTSEL_CODE(0xc5, 0x00), 0x7f, KNC_EMULATED_UNITS(MISPREDICTIONS) },
};

/* Events that only Westmere has, on its general counters */
static const struct KncEvent knc_westmere_events[] = {
#define WSM_COUNTS(event, umask, emulated)				\
	{ KNC_EVTSEL_CODE(event, umask), 0xf, KNC_EMULATED_##emulated },
#define WSM_SIGNALS(event, umask, signals_)				\
	{ KNC_EVTSEL_CODE(event, umask), 0xf, .signals = signals_ },
#include "knc/westmere_events.h"
};

static const struct KncEvent *knc_find_event(const struct KncEvent *events, int nr,
					     uint64_t evtsel)
{
	unsigned int code = evtsel & (KNC_EVTSEL_EVENT | KNC_EVTSEL_UMASK);
	int i;

	for (i = 0; i < nr; i++)
		if (events[i].code == code)
			return &events[i];
	return NULL;
}

static const struct KncEvent *knc_event(const KncPmu *p, uint64_t evtsel)
{
	const struct KncEvent *event;

	if (!p->arch)
		return knc_find_event(knc_events, ARRAY_SIZE(knc_events), evtsel);
	event = knc_find_event(knc_arch_events, ARRAY_SIZE(knc_arch_events), evtsel);
	if (!event && p->westmere)
		event = knc_find_event(knc_westmere_events, ARRAY_SIZE(knc_westmere_events),
				       evtsel);
	return event;
}

/* The bit of counter @n of @p in masks of a core's counters: pend_slow, KncCore.shared */
static unsigned int knc_slow_bit(const KncPmu *p, int n)
{
	return 1U << (p->thread * KNC_MAX_COUNTERS + n);
}

static unsigned int knc_own_bits(const KncPmu *p)
{
	return knc_slow_bit(p, 0) * ((1U << KNC_MAX_COUNTERS) - 1);
}

/* Interrupts */

/*
 * The line from the PMU to the local APIC has gone from 0 to 1 (1.4.3.9).  A
 * masked LVT entry loses the edge; the APIC masks the entry when it delivers.
 */
static void knc_pmi(CPUState *cs, run_on_cpu_data data)
{
	bool locked = qemu_mutex_iothread_locked();

	if (!locked)
		qemu_mutex_lock_iothread();
	apic_deliver_pmi(X86_CPU(cs)->apic_state);
	if (!locked)
		qemu_mutex_unlock_iothread();
}

/* Interrupt this thread: called between two instructions, when no translated code goes on */
static void knc_pmi_own(KncPmu *p)
{
	p->edge_request = false;
	p->skid = 0;
	/* -icount allows an interrupt only at the end of a block: the caller leaves this one now */
	p->cs->can_do_io = 1;
	knc_pmi(p->cs, RUN_ON_CPU_NULL);
}

/* Interrupt this thread after the executing instruction: no code will look at edge_request */
static void knc_pmi_later(KncPmu *p)
{
	if (p->edge_request)
		async_run_on_cpu(p->cs, knc_pmi, RUN_ON_CPU_NULL);
	p->edge_request = false;
}

/* Does the executing thread get the PMI when another thread's counter overflows (1.4.3.8)? */
static bool knc_tells_running(const KncPmu *p, uint64_t evtsel)
{
	if (p->core_pmi == KNC_CORE_PMI_CAUSING)
		return true;
	return p->core_pmi == KNC_CORE_PMI_RUNNING &&
	       knc_event(p, evtsel)->core_wide;
}

/* The defect pmi-sibling: the core's next thread gets the PMI */
static void knc_tell_sibling(KncPmu *p, uint32_t bit)
{
	KncPmu *q = p->core->thread[(p->thread + 1) % KNC_THREADS_PER_CORE];

	if (q && !qatomic_fetch_or(&p->line, bit))
		async_run_on_cpu(q->cs, knc_pmi, RUN_ON_CPU_NULL);
}

/* The defect skid: does the PMI wait for another instruction? */
static bool knc_skids(KncPmu *p)
{
	return p->fault == KNC_FAULT_SKID && p->skid++ < KNC_SKID_INSNS;
}

/*
 * Counter @n of @p has overflowed: its bit in the status is set even without INT
 * (1.4.3.5).  @self: the executing thread.
 */
static void knc_overflow(KncPmu *p, int n, KncPmu *self)
{
	uint64_t evtsel = qatomic_read(&p->evtsel[n]);
	uint32_t bit = KNC_GLOBAL_CNTR(n);
	uint32_t old = qatomic_fetch_or(&p->status, bit);

	if (!(evtsel & KNC_EVTSEL_INT) || p->fault == KNC_FAULT_NO_PMI)
		return;
	if (p->fault == KNC_FAULT_PMI_SIBLING) {
		knc_tell_sibling(p, bit);
		return;
	}
	if (p != self && knc_tells_running(p, evtsel)) {
		/* no edge if the executing thread's line is up, or this overflow was reported */
		if (!(old & bit) && !qatomic_read(&self->line))
			self->edge_request = true;
		return;
	}
	/* one line per thread: no edge if it is up already */
	if (qatomic_fetch_or(&p->line, bit))
		return;
	if (p == self)
		p->edge_request = true;
	else
		async_run_on_cpu(p->cs, knc_pmi, RUN_ON_CPU_NULL);
}

/* Two memory barriers that pair (knc_pmu.h) */
bool knc_membarrier;

static void knc_membarrier_init(void)
{
	knc_membarrier = !syscall(__NR_membarrier,
				  MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
}

void knc_mb_seldom(void)
{
	smp_mb();	/* pairs with knc_mb_often() */
	if (knc_membarrier)
		syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}

/* Counting */

/* The sum of the fields of @step that @mask selects */
static inline unsigned int knc_sum(uint64_t step, uint64_t mask)
{
	return ((step & mask) * 0x0001000100010001ULL) >> 48;
}

/* The largest value of a counter */
static inline uint64_t knc_largest(const KncPmu *p)
{
	return (1ULL << p->width) - 1;
}

static inline bool knc_wraps(const KncPmu *p, uint64_t old, unsigned int n)
{
	return ((old & knc_largest(p)) + n) >> p->width;
}

static unsigned int knc_signal_sum(const KncPmu *self, uint64_t mask)
{
	unsigned int sum = 0;

	for (; mask; mask &= mask - 1)
		sum += self->signals[ctz64(mask)];
	return sum;
}

/* Add a step to a counter that counts the executing thread only, without CMASK and edge */
static inline void knc_count_fast(KncPmu *p, int n, uint64_t step)
{
	uint64_t old = p->cntr[n];
	unsigned int add = knc_sum(step, p->mask[n]);

	p->cntr[n] = old + add;
	if (unlikely(knc_wraps(p, old, add)))
		knc_overflow(p, n, p);
}

/* Counters 2 and up, which only an emulated host has */
static void knc_count_more(KncPmu *p, uint32_t fast, uint64_t step)
{
	for (fast &= ~KNC_GLOBAL_CNTRS; fast; fast &= fast - 1)
		knc_count_fast(p, ctz32(fast), step);
}

/* Edge detection: 1 if the condition @holds in this cycle, and did not in the cycle before */
static unsigned int knc_edge(KncPmu *q, int n, KncCycle *c, bool second, bool holds)
{
	uint32_t bit = KNC_GLOBAL_CNTR(n);

	if (!second)
		c->held_before = qatomic_read(&q->edge) & bit;
	if (holds)
		qatomic_or(&q->edge, bit);
	else
		qatomic_and(&q->edge, ~bit);
	return holds && !c->held_before;
}

/*
 * What the counter gets for a cycle, of which this step, with @number events, is the first or the
 * @second instruction: CMASK compares the events of a cycle, and a pair is executed in one.
 */
static unsigned int knc_of_cycle(KncPmu *q, int n, KncCycle *c, bool second, unsigned int number,
				 uint64_t evtsel)
{
	unsigned int cmask = (evtsel & KNC_EVTSEL_CMASK) >> KNC_EVTSEL_CMASK_SHIFT;
	unsigned int add;

	c->number = second ? c->number + number : number;
	add = c->number;
	if (cmask)
		add = (add >= cmask) != !!(evtsel & KNC_EVTSEL_INV);
	if (evtsel & KNC_EVTSEL_EDGE)
		add = knc_edge(q, n, c, second, add);
	return add;
}

/*
 * Add a step of thread @self to counter @n of @q, any that knc_count_fast() can't
 * serve (1.4.3.3, table 1-5).  A step at a privilege that is not selected ends the
 * condition of the edge detector.
 */
static void knc_count_slow(KncPmu *q, int n, uint64_t step, unsigned int class,
			   KncPmu *self)
{
	uint64_t evtsel = qatomic_read(&q->evtsel[n]);
	bool selected = evtsel & (class == KNC_USR ? KNC_EVTSEL_USR : KNC_EVTSEL_OS);
	bool second = q->by_cycle & KNC_GLOBAL_CNTR(n) && self->signalled &&
		      self->signals[KNC_SIG_V_PIPE];
	KncCycle *c = &q->cycle[n][self->thread];
	unsigned int add = knc_sum(step, q->mask[n]), before;
	uint64_t old;

	if (self->signalled)
		add += knc_signal_sum(self, q->signal_mask[n]);
	if (evtsel & (KNC_EVTSEL_CMASK | KNC_EVTSEL_EDGE)) {
		before = second ? c->counted : 0;
		add = selected ? knc_of_cycle(q, n, c, second, add, evtsel) :
				 knc_edge(q, n, c, false, false);
		c->counted = add;
		/* with INV this may be -1: the first instruction met the condition, the pair not */
		add -= before;
	} else if (!selected) {
		add = 0;
	}
	if (!add)
		return;
	old = qatomic_fetch_add(&q->cntr[n], (int)add);
	if ((int)add > 0 && knc_wraps(q, old, add))
		knc_overflow(q, n, self);
}

/* Counters, own and of the core, for which a step at this CPL takes knc_count_slow() */
static inline uint32_t knc_slow_now(const KncPmu *p, unsigned int class)
{
	return p->slow[class] | qatomic_read(&p->core->shared[class]);
}

/* The plain ones of them: the sums of blocks suffice */
static inline uint32_t knc_plain(const KncPmu *p, unsigned int class)
{
	return qatomic_read(&p->core->plain[class]);
}

/* Does any of these counters need reports, at any CPL? */
static inline bool knc_any_reported(const KncPmu *p)
{
	return (knc_slow_now(p, KNC_OS) & ~knc_plain(p, KNC_OS)) ||
	       (knc_slow_now(p, KNC_USR) & ~knc_plain(p, KNC_USR));
}

/* Do the thread's reports need addresses? */
static inline bool knc_must_note(const KncPmu *p)
{
	return qatomic_load_acquire(&p->core->need_units);
}

/* Flags that the thread's code must have for all counters but its own plain ones */
static inline uint32_t knc_must_flags(const KncPmu *p)
{
	if (knc_must_note(p))
		return KNC_TB_COUNTING | KNC_TB_REPORTING | KNC_TB_UNITS;
	if (knc_any_reported(p))
		return KNC_TB_COUNTING | KNC_TB_REPORTING;
	return knc_plain(p, KNC_OS) || knc_plain(p, KNC_USR) ? KNC_TB_COUNTING : 0;
}

/* The @flags for blocks of ring 0: without addresses if no counter needs ring 0 in the units */
static inline uint32_t knc_flags_os(const KncPmu *p, uint32_t flags)
{
	return knc_must_note(p) && !qatomic_read(&p->core->need_units_os) ?
	       flags & ~KNC_TB_UNITS : flags;
}

/* Does the thread's code have @flags already, in ring 0 as well? */
static inline bool knc_has_flags(const KncPmu *p, uint32_t flags)
{
	return !(flags & ~qatomic_read(&p->tb_flags)) &&
	       !(knc_flags_os(p, flags) & ~qatomic_read(&p->tb_flags_os));
}

static inline bool knc_notes(const KncPmu *p, unsigned int class)
{
	return (class == KNC_USR ? p->tb_flags : p->tb_flags_os) & KNC_TB_UNITS;
}

/*
 * Count a step of the noted instruction, after which the thread goes on at @eip.  A
 * counter must have counted when the instruction began, and must count now: the WRMSR
 * or SPFLT that starts or stops a counter is not counted.
 */
static inline void knc_retire(KncPmu *p, uint64_t step, uint64_t eip)
{
	unsigned int class = (p->pend_info >> KNC_INFO_USR_SHIFT) & 1;
	uint32_t slow = p->pend_slow;

	p->signalled = p->note.valid;
	if (unlikely(p->signalled))
		knc_units_see(p, eip);
	if (p->pend_fast & KNC_GLOBAL_CNTR(0))
		knc_count_fast(p, 0, step);
	if (p->pend_fast & KNC_GLOBAL_CNTR(1))
		knc_count_fast(p, 1, step);
	if (unlikely(p->pend_fast & ~KNC_GLOBAL_CNTRS))
		knc_count_more(p, p->pend_fast, step);
	if (likely(!slow))
		return;
	qatomic_set(&p->in_slow, true);
	knc_mb_often();	/* pairs with knc_unshare() */
	slow &= knc_slow_now(p, class);
	while (slow) {
		int i = ctz32(slow);
		KncPmu *q = p->core->thread[i / KNC_MAX_COUNTERS];

		slow &= slow - 1;
		knc_count_slow(q, i % KNC_MAX_COUNTERS, step, class, p);
	}
	qatomic_store_release(&p->in_slow, false);
}

/* What an iteration of a string instruction adds: its accesses, but no instruction */
static uint64_t knc_iteration(uint64_t step)
{
	return step & (KNC_FIELD(KNC_STEP_READ) | KNC_FIELD(KNC_STEP_WRITE));
}

/* Plain counters of the core */

/* What counter @n of @p must still get from the sums of thread @s: complete instructions only */
static unsigned int knc_unflushed(const KncPmu *p, int n, const KncPmu *s)
{
	int now = (qatomic_read(&s->pend_info) >> KNC_INFO_USR_SHIFT) & 1;
	unsigned int add = 0;
	int class;

	for (class = 0; class < KNC_CLASSES; class++) {
		/* the sum of the other privilege has complete instructions only */
		const uint64_t *step = class == now ? &s->done[class] : &s->sum[class];

		if (p->core->plain[class] & knc_slow_bit(p, n))
			add += knc_sum(qatomic_read(step), p->mask[n]);
	}
	return add - p->skip[n][s->thread];
}

/* The same from all other threads; this and the next two functions need the core's lock */
static unsigned int knc_unflushed_by_others(const KncPmu *p, int n)
{
	unsigned int i, add = 0;

	if (!((p->core->plain[KNC_OS] | p->core->plain[KNC_USR]) & knc_slow_bit(p, n)))
		return 0;
	for (i = 0; i < KNC_THREADS_PER_CORE; i++)
		if (p->core->thread[i] && p->core->thread[i] != p)
			add += knc_unflushed(p, n, p->core->thread[i]);
	return add;
}

/* @skip: counter @n of @p must not get what the others' sums have now; else it must get all */
static void knc_skip(KncPmu *p, int n, bool skip)
{
	unsigned int i;

	for (i = 0; i < KNC_THREADS_PER_CORE; i++) {
		p->skip[n][i] = 0;
		if (skip && p->core->thread[i] && p->core->thread[i] != p)
			p->skip[n][i] = knc_unflushed(p, n, p->core->thread[i]);
	}
}

/* Add the thread's sums to the core's plain counters; all instructions have completed */
static void knc_flush_shared(KncPmu *p)
{
	uint32_t plain = p->core->plain[KNC_OS] | p->core->plain[KNC_USR];

	for (; plain; plain &= plain - 1) {
		int i = ctz32(plain), n = i % KNC_MAX_COUNTERS;
		KncPmu *q = p->core->thread[i / KNC_MAX_COUNTERS];
		unsigned int add = knc_unflushed(q, n, p);
		uint64_t old;

		q->skip[n][p->thread] = 0;
		if (!add)
			continue;
		old = qatomic_fetch_add(&q->cntr[n], add);
		if (knc_wraps(q, old, add))
			knc_overflow(q, n, p);
	}
}

static uint64_t knc_room_in(const KncPmu *p, int n)
{
	return knc_largest(p) - (qatomic_read(&p->cntr[n]) & knc_largest(p));
}

/* Room for @p in the core's plain counters, after all that is granted to the other threads */
static uint64_t knc_room_shared(const KncPmu *p)
{
	uint32_t plain = p->core->plain[KNC_OS] | p->core->plain[KNC_USR];
	uint64_t room = knc_largest(p), granted = 0;
	unsigned int i, threads = 2;	/* this one, and one that may start later */

	if (!plain)
		return room;
	for (i = 0; i < KNC_THREADS_PER_CORE; i++) {
		const KncPmu *s = p->core->thread[i];

		if (!s || s == p || !qatomic_read(&s->granted))
			continue;
		granted += qatomic_read(&s->granted);
		threads++;
	}
	for (; plain; plain &= plain - 1)
		room = MIN(room, knc_room_in(p->core->thread[ctz32(plain) / KNC_MAX_COUNTERS],
					     ctz32(plain) % KNC_MAX_COUNTERS));
	return (room - MIN(room, granted)) / threads;
}

/* The most that blocks may add to the sums without the overflow of a counter or of a field */
static int32_t knc_room_locked(const KncPmu *p)
{
	uint64_t room = MIN(0xffff, knc_room_shared(p));
	int n;

	for (n = 0; n < p->nr; n++)
		if ((p->fast[KNC_OS] | p->fast[KNC_USR]) & KNC_GLOBAL_CNTR(n))
			room = MIN(room, knc_room_in(p, n));
	return room;
}

static int32_t knc_room(KncPmu *p)
{
	int32_t room;

	qemu_spin_lock(&p->core->lock);
	room = knc_room_locked(p);
	qemu_spin_unlock(&p->core->lock);
	return room;
}

/* Grant the next blocks all the room; returns whether that suffices for the first */
static bool knc_grant(KncPmu *p)
{
	int32_t room;

	qemu_spin_lock(&p->core->lock);
	room = knc_room_locked(p);
	p->budget = room - p->need;
	qatomic_set(&p->granted, p->budget >= 0 ? room : 0);
	qemu_spin_unlock(&p->core->lock);
	return p->budget >= 0;
}

/* The next block must ask for a grant again. */
static void knc_end_grant(KncPmu *p)
{
	p->budget = -1;
	qatomic_set(&p->granted, 0);
}

/* Add the sums to the counters; all instructions have completed */
static void knc_flush(KncPmu *p)
{
	int class;

	if (!(p->sum[KNC_OS] | p->sum[KNC_USR]))
		return;
	qemu_spin_lock(&p->core->lock);
	for (class = 0; class < KNC_CLASSES; class++) {
		p->done[class] = p->sum[class];
		if (p->fast[class] & KNC_GLOBAL_CNTR(0))
			knc_count_fast(p, 0, p->sum[class]);
		if (p->fast[class] & KNC_GLOBAL_CNTR(1))
			knc_count_fast(p, 1, p->sum[class]);
		knc_count_more(p, p->fast[class], p->sum[class]);
	}
	knc_flush_shared(p);
	memset(p->sum, 0, sizeof(p->sum));
	memset(p->done, 0, sizeof(p->done));
	qemu_spin_unlock(&p->core->lock);
}

/* The same within an instruction, whose own step stays in the sum */
static void knc_flush_done(KncPmu *p)
{
	unsigned int class = (p->pend_info >> KNC_INFO_USR_SHIFT) & 1;
	uint64_t now = p->sum[class] - p->done[class];

	p->sum[class] = p->done[class];
	knc_flush(p);
	p->sum[class] = now;
	p->done[class] = 0;
}

/* On the thread of @cs: add its sums, and report for a while. */
static void knc_flush_for_core(CPUState *cs, run_on_cpu_data data);

/* A counter of the core is near its overflow: ask the other threads for their sums. */
static void knc_ask_core(KncPmu *p)
{
	unsigned int i;

	if (!knc_plain(p, KNC_OS) && !knc_plain(p, KNC_USR))
		return;
	for (i = 0; i < KNC_THREADS_PER_CORE; i++) {
		KncPmu *s = p->core->thread[i];

		if (s && s != p && qatomic_read(&s->granted) &&
		    !qatomic_xchg(&s->flush_asked, true))
			async_run_on_cpu(s->cs, knc_flush_for_core, RUN_ON_CPU_NULL);
	}
}

/* How long a thread goes on reporting after the other threads' counters have stopped */
#define KNC_IDLE_STEPS	200000
/* How long it reports at least when an overflow is near */
#define KNC_NEAR_STEPS	256
/* With less room than this in a counter, the thread starts with reports */
#define KNC_NEAR_START	64
/* With less room than this, it does not stop reporting */
#define KNC_NEAR	512

/* Grants that a thread still gets when no counter needs its sums; then its code stops counting */
#define KNC_IDLE_BLOCKS	64

/*
 * Choose the kind of code for the thread's next block; @report: even if no counter needs it.
 * Code goes on counting for a while after a counter was stopped: that may be for an
 * interrupt only, and starting a counter of the core stops all threads if one of them
 * does not count.
 */
static void knc_choose_code(KncPmu *p, bool report)
{
	uint32_t flags = 0;

	if (p->on || (p->tb_flags && p->idle <= KNC_IDLE_BLOCKS))
		flags = report ? KNC_TB_COUNTING | KNC_TB_REPORTING :
				 KNC_TB_COUNTING;
	/* the units go on seeing the thread for a while, too */
	if (p->linger > KNC_NEAR_STEPS && knc_units_active(p->core))
		flags = KNC_TB_COUNTING | KNC_TB_REPORTING | KNC_TB_UNITS;
	do {
		flags |= knc_must_flags(p);
		if (report && flags)
			flags |= KNC_TB_REPORTING;
		qatomic_set(&p->tb_flags, flags);
		qatomic_set(&p->tb_flags_os, knc_flags_os(p, flags));
		smp_mb();	/* pairs with knc_wake() */
	} while (!knc_has_flags(p, knc_must_flags(p)));
	if (!(flags & KNC_TB_UNITS))
		knc_units_leave(p->core);
}

/* No counter needs this report: after some time return to cheaper code */
static void knc_relax(KncPmu *p, uint32_t info, uintptr_t ra)
{
	if (p->linger) {
		p->linger--;
		return;
	}
	if (!(info & KNC_INFO_FIRST) || (knc_must_flags(p) & KNC_TB_REPORTING) ||
	    knc_room(p) < KNC_NEAR)
		return;
	knc_choose_code(p, false);
	if (p->tb_flags & KNC_TB_REPORTING)
		return;
	knc_pmu_drop(p);
	cpu_loop_exit_restore(p->cs, ra);
}

/* Was the thread's sum not needed for some time? */
static bool knc_is_idle(KncPmu *p)
{
	if (p->on || knc_must_flags(p))
		p->idle = 0;
	else
		p->idle++;
	return p->idle > KNC_IDLE_BLOCKS;
}

static void knc_flush_for_core(CPUState *cs, run_on_cpu_data data)
{
	KncPmu *p = &X86_CPU(cs)->env.knc;

	qatomic_set(&p->flush_asked, false);
	knc_flush_done(p);
	knc_end_grant(p);
	if (!p->tb_flags)
		return;
	p->linger = MAX(p->linger, KNC_NEAR_STEPS);
	knc_choose_code(p, true);
}

/* The thread halts, for an unknown time: flush now; in a block that counts HLT is complete. */
void knc_pmu_halt(CPUX86State *env)
{
	KncPmu *p = &env->knc;

	if (p->fault == KNC_FAULT_SPFLT_HALT && p->spflt) {
		p->spflt = 0;
		knc_pmu_update(p);
	}
	if (!p->tb_flags)
		return;
	knc_flush(p);
	knc_end_grant(p);
	knc_pmi_later(p);
	knc_units_halt(env);
}

/* Choose the kind of code for the next blocks; false: the block that begins may go on */
static bool knc_change_code(KncPmu *p)
{
	if (knc_is_idle(p)) {
		knc_choose_code(p, false);
		return true;
	}
	if (likely(knc_grant(p)))
		return false;
	p->linger = MAX(p->linger, KNC_NEAR_STEPS);
	knc_choose_code(p, true);
	knc_ask_core(p);
	return true;
}

/* A block begins whose size exceeds the budget */
void HELPER(knc_block)(CPUX86State *env)
{
	KncPmu *p = &env->knc;

	knc_flush(p);
	/* a step noted when the code changed to this kind: not a branch, hence @eip is unused */
	knc_retire(p, p->pend_step, 0);
	knc_pmu_drop(p);
	if (likely(!p->edge_request) && !knc_change_code(p))
		return;
	cpu_restore_state(p->cs, GETPC());
	if (p->edge_request)
		knc_pmi_own(p);
	cpu_loop_exit(p->cs);
}

/* An instruction begins, or an iteration of one with REP */
void HELPER(knc_insn)(CPUX86State *env, uint32_t info, target_ulong eip)
{
	KncPmu *p = &env->knc;
	unsigned int class = (info >> KNC_INFO_USR_SHIFT) & 1;
	uint32_t shared = qatomic_read(&p->core->shared[class]), plain;
	bool again = (info & p->pend_info & KNC_INFO_REP) && p->pend_eip == eip;
	uint64_t step = p->pend_step;

	knc_flush(p);
	knc_end_grant(p);
	if (unlikely(again))
		step = knc_iteration(step);
	knc_retire(p, step, eip);
	if (unlikely(p->edge_request) && !knc_skids(p)) {
		/* interrupt before this instruction, which begins again afterwards */
		knc_pmu_drop(p);
		cpu_restore_state(p->cs, GETPC());
		knc_pmi_own(p);
		cpu_loop_exit(p->cs);
	}

	p->pend_step = info & KNC_INFO_STEP;
	p->pend_info = info;
	p->pend_eip = eip;
	p->pend_fast = p->fast[class];
	p->pend_slow = p->slow[class] | shared;
	if (unlikely(knc_notes(p, class))) {
		if (again)
			knc_note_iteration(p);
		else
			knc_note_insn(env, eip, p->size,
				      info & (uint32_t)KNC_STEP_BRANCH,
				      info & KNC_INFO_REP);
	}
	plain = knc_plain(p, class);
	if ((shared & ~plain) || knc_must_note(p))
		p->linger = KNC_IDLE_STEPS;
	else if (unlikely(!(p->pend_slow & ~plain) && (p->tb_flags & KNC_TB_REPORTING)))
		knc_relax(p, info, GETPC());
}

/*
 * Between two instructions, or two iterations of a string instruction, with
 * an interrupt pending: count the noted instruction now, so that its PMI competes
 * with the other interrupts.  Returns whether there is a PMI.
 */
bool knc_pmu_boundary(CPUX86State *env)
{
	KncPmu *p = &env->knc;
	uint64_t step = p->pend_step;

	if (!p->tb_flags)
		return false;
	knc_flush(p);
	if ((p->pend_info & KNC_INFO_REP) && env->eip == p->pend_eip)
		step = knc_iteration(step);
	knc_retire(p, step, env->eip);
	knc_pmu_drop(p);
	if (!p->edge_request)
		return false;
	knc_pmi_own(p);
	return true;
}

/*
 * An interrupt or exception is about to be delivered.  If env->eip is at the noted
 * instruction, a fault is that instruction's, which did not complete; a debug trap
 * came between two of its iterations.  A page fault elsewhere is that of the next
 * instruction's fetch: a PMI comes before it, and the fetch is repeated afterwards.
 */
void knc_pmu_interrupt(CPUX86State *env, int intno, bool is_int, bool is_hw)
{
	KncPmu *p = &env->knc;

	if (!p->tb_flags || is_int)
		return;
	p->flushes++;
	if (is_hw)
		return;
	if (env->eip == p->pend_eip) {
		if (intno != EXCP01_DB)
			knc_pmu_drop(p);
		else if (p->pend_info & KNC_INFO_REP)
			knc_pmu_boundary(env);
		return;
	}
	if (intno != EXCP0E_PAGE || !knc_pmu_boundary(env))
		return;
	p->flushes--;
	p->cs->exception_index = -1;
	env->old_exception = -1;
	cpu_loop_exit(p->cs);
}

/* Registers */

/* Give the code of all threads of the core the flags it must have; no thread executes meanwhile */
static void knc_wake_core(CPUState *cs, run_on_cpu_data data)
{
	KncPmu *p = &X86_CPU(cs)->env.knc;
	uint32_t flags;
	int i;

	for (i = 0; i < KNC_THREADS_PER_CORE; i++) {
		KncPmu *q = p->core->thread[i];

		if (!q)
			continue;
		flags = knc_must_flags(q);
		if (!q->tb_flags)
			knc_end_grant(q);
		q->tb_flags |= flags;
		q->tb_flags_os = knc_flags_os(q, q->tb_flags);
		q->idle = 0;
		if (flags & KNC_TB_REPORTING)
			q->linger = KNC_IDLE_STEPS;
	}
}

/*
 * When the executing instruction is over, all threads of the core must count, in code
 * with @flags.
 */
static void knc_wake(KncPmu *p, uint32_t flags)
{
	int i;

	smp_mb();	/* pairs with knc_choose_code() */
	for (i = 0; i < KNC_THREADS_PER_CORE; i++) {
		KncPmu *q = p->core->thread[i];

		if (q && q != p && !knc_has_flags(q, flags)) {
			async_safe_run_on_cpu(p->cs, knc_wake_core,
					      RUN_ON_CPU_NULL);
			return;
		}
	}
}

/*
 * From now on the uncore needs, or does not need, the units of the core of @cs, its first thread.
 * The core's threads report by the time they execute their next instruction.
 */
void knc_need_for_uncore(CPUState *cs, bool need)
{
	uint32_t bits = need ? KNC_NEED_UNCORE : 0;

	knc_units_need(X86_CPU(cs)->env.knc.core, KNC_NEED_UNCORE, bits, bits);
	if (need)
		async_safe_run_on_cpu(cs, knc_wake_core, RUN_ON_CPU_NULL);
}

/* Add to counter @n what the other threads' sums have for it; the caller then excludes these. */
static void knc_fold(KncPmu *p, int n)
{
	unsigned int add = knc_unflushed_by_others(p, n);
	uint64_t old = qatomic_fetch_add(&p->cntr[n], add);

	if (knc_wraps(p, old, add))
		knc_overflow(p, n, p);
}

static void knc_unshare_plain(KncPmu *p, const uint32_t bits[KNC_CLASSES])
{
	int class, n;

	qemu_spin_lock(&p->core->lock);
	for (n = 0; n < p->nr; n++) {
		/* a counter that ends at one privilege only has never counted there */
		if (!(bits[KNC_OS] & bits[KNC_USR] & knc_slow_bit(p, n)))
			continue;
		knc_fold(p, n);
		for (class = 0; class < KNC_CLASSES; class++)
			qatomic_and(&p->core->plain[class], ~knc_slow_bit(p, n));
		knc_skip(p, n, false);
	}
	qemu_spin_unlock(&p->core->lock);
}

/*
 * Counters @bits of @p, the executing thread, by privilege, must no longer count other
 * threads; when this returns, no other thread is about to add to one of them.
 */
static void knc_unshare(KncPmu *p, const uint32_t bits[KNC_CLASSES])
{
	bool any = false;
	int i;

	for (i = 0; i < KNC_CLASSES; i++) {
		if (!(qatomic_read(&p->core->shared[i]) & bits[i]))
			continue;
		qatomic_and(&p->core->shared[i], ~bits[i]);
		any = true;
	}
	if (!any)
		return;
	knc_unshare_plain(p, bits);
	knc_mb_seldom();	/* pairs with knc_retire() */
	for (i = 0; i < KNC_THREADS_PER_CORE; i++) {
		KncPmu *q = p->core->thread[i];

		/* this ends: a thread in there waits for no other */
		while (q && q != p && qatomic_load_acquire(&q->in_slow))
			sched_yield();
	}
}

static void knc_share_plain(KncPmu *p, const uint32_t plain[KNC_CLASSES])
{
	uint32_t before = p->core->plain[KNC_OS] | p->core->plain[KNC_USR];
	int class, n;

	qemu_spin_lock(&p->core->lock);
	for (class = 0; class < KNC_CLASSES; class++)
		qatomic_or(&p->core->plain[class], plain[class]);
	for (n = 0; n < p->nr; n++)
		if ((plain[KNC_OS] | plain[KNC_USR]) & ~before & knc_slow_bit(p, n))
			knc_skip(p, n, true);
	qemu_spin_unlock(&p->core->lock);
}

/* Counters @bits of @p, by privilege, count all threads of the core; @plain: by sums of blocks. */
static void knc_share(KncPmu *p, const uint32_t bits[KNC_CLASSES],
		      const uint32_t plain[KNC_CLASSES])
{
	uint32_t ended[KNC_CLASSES];
	int i;

	for (i = 0; i < KNC_CLASSES; i++)
		ended[i] = knc_own_bits(p) & ~bits[i];
	knc_unshare(p, ended);
	knc_share_plain(p, plain);
	for (i = 0; i < KNC_CLASSES; i++)
		if (bits[i] & ~qatomic_read(&p->core->shared[i]))
			qatomic_or(&p->core->shared[i], bits[i]);
	if (bits[KNC_OS] || bits[KNC_USR])
		knc_wake(p, knc_must_flags(p));
}

static bool knc_has_siblings(const KncPmu *p)
{
	int i;

	for (i = 0; i < KNC_THREADS_PER_CORE; i++)
		if (p->core->thread[i] && p->core->thread[i] != p)
			return true;
	return false;
}

/* Do IA32_PERF_GLOBAL_CTRL, EN and SPFLT let counter @n count (1.4.3.3 to 1.4.3.7)? */
static bool knc_enabled(const KncPmu *p, int n)
{
	return (p->ctrl & KNC_GLOBAL_CNTR(n)) &&
	       (p->evtsel[n] & KNC_EVTSEL_EN) &&
	       (!(p->spflt & KNC_SPFLT_CNTR(n)) ||
		!(p->spflt & KNC_SPFLT_USER_PREF) == (p->fault == KNC_FAULT_SPFLT));
}

/*
 * Before counters are started or stopped: turn the instruction begun last into a noted
 * one, which remembers the counters that counted when it began.
 */
static void knc_note(KncPmu *p)
{
	unsigned int class = (p->pend_info >> KNC_INFO_USR_SHIFT) & 1;

	knc_flush_done(p);
	if (p->sum[class]) {
		p->pend_step = p->sum[class];
		p->pend_fast = p->fast[class];
		p->pend_slow = knc_plain(p, class);
		p->sum[class] = 0;
	}
	knc_end_grant(p);
}

/* The event select that decides what counter @n counts */
static uint64_t knc_select(const KncPmu *p, int n)
{
	if (p->fault == KNC_FAULT_CROSSTALK && n == 1 && knc_enabled(p, 0))
		return p->evtsel[0];
	return p->evtsel[n];
}

/* Can counter @n count @event, given the card's defect? */
static bool knc_can_count(const KncPmu *p, const struct KncEvent *event, int n)
{
	if (p->fault == KNC_FAULT_DEAD_COUNTER && n == 1)
		return false;
	if (event->code == KNC_FAULT_EVENT && p->fault == KNC_FAULT_DEAD_EVENT)
		return false;
	if (event->code == KNC_FAULT_EVENT && p->fault == KNC_FAULT_WRONG_COUNTER)
		return n == 1;
	return event->counters & KNC_GLOBAL_CNTR(n);
}

/* The event of counter @n; NULL: the counter does not count */
static const struct KncEvent *knc_counts(const KncPmu *p, int n)
{
	const struct KncEvent *event = knc_event(p, knc_select(p, n));

	if (!event || !knc_can_count(p, event, n) || !knc_enabled(p, n) ||
	    p->stuck & KNC_GLOBAL_CNTR(n) ||
	    !(p->evtsel[n] & (KNC_EVTSEL_USR | KNC_EVTSEL_OS)))
		return NULL;
	return event;
}

G_STATIC_ASSERT(KNC_THREADS_PER_CORE * KNC_MAX_COUNTERS <= 30);

/* From now on all cores that share @l3 report addresses; the caller then calls knc_pmu_update(). */
void knc_pmu_need_l3(const KncL3 *l3)
{
	CPUState *cs;

	CPU_FOREACH(cs) {
		KncPmu *q = &X86_CPU(cs)->env.knc;

		if (q->l3 != l3 || q->core != &q->own_core)
			continue;
		knc_units_need(q->core, KNC_NEED_L3, KNC_NEED_L3, KNC_NEED_L3);
		async_safe_run_on_cpu(cs, knc_wake_core, RUN_ON_CPU_NULL);
	}
}

/*
 * Must CMASK or edge detection of @event see whole cycles, that is pairs of instructions, which the
 * units know? Not for the clock, which has no pairs, nor for hosts, for which no rule says so.
 */
static bool knc_compares_cycles(const KncPmu *p, const struct KncEvent *event, uint64_t sel)
{
	return !p->arch && !event->timed && sel & (KNC_EVTSEL_CMASK | KNC_EVTSEL_EDGE);
}

/* Derive from the registers of this thread what its counters count, and the kind of code for it */
void knc_pmu_update(KncPmu *p)
{
	uint32_t shared[KNC_CLASSES] = { 0 }, plain[KNC_CLASSES] = { 0 };
	uint32_t units = 0, units_os = 0;
	bool near;
	int class, n;

	knc_note(p);
	memset(p->fast, 0, sizeof(p->fast));
	memset(p->slow, 0, sizeof(p->slow));
	p->by_cycle = 0;
	for (n = 0; n < p->nr; n++) {
		const struct KncEvent *event = knc_counts(p, n);
		uint64_t sel = p->evtsel[n];
		bool wide, edge, frills, timed;

		if (!event) {
			p->on &= ~KNC_GLOBAL_CNTR(n);
			continue;
		}
		if (!(p->on & KNC_GLOBAL_CNTR(n))) {
			qatomic_and(&p->edge, ~KNC_GLOBAL_CNTR(n));
			memset(p->cycle[n], 0, sizeof(p->cycle[n]));
		}
		p->on |= KNC_GLOBAL_CNTR(n);
		timed = p->timing && event->timed;
		p->mask[n] = timed ? 0 : event->mask;
		p->signal_mask[n] = timed ? event->timed : event->signals;
		if (knc_compares_cycles(p, event, sel))
			p->by_cycle |= KNC_GLOBAL_CNTR(n);
		if (p->signal_mask[n] || p->by_cycle & KNC_GLOBAL_CNTR(n))
			units |= knc_slow_bit(p, n);
		if (p->signal_mask[n] || sel & KNC_EVTSEL_OS)
			units_os |= units & knc_slow_bit(p, n);
		wide = (event->core_wide || (sel & KNC_EVTSEL_THREAD_MODE)) &&
		       knc_has_siblings(p);
		edge = sel & KNC_EVTSEL_EDGE;
		frills = edge || p->signal_mask[n] || (sel & KNC_EVTSEL_CMASK);
		for (class = 0; class < KNC_CLASSES; class++) {
			if (!edge && !(sel & (class == KNC_USR ? KNC_EVTSEL_USR :
					      KNC_EVTSEL_OS)))
				continue;
			if (wide && !frills)
				plain[class] |= knc_slow_bit(p, n);
			if (wide)
				shared[class] |= knc_slow_bit(p, n);
			else if (frills)
				p->slow[class] |= knc_slow_bit(p, n);
			else
				p->fast[class] |= KNC_GLOBAL_CNTR(n);
		}
	}
	knc_share(p, shared, plain);
	knc_units_need(p->core, knc_own_bits(p), units, units_os);
	if (units)
		knc_wake(p, KNC_TB_UNITS);

	/* a counter does not count the instruction that stops it */
	class = (p->pend_info >> KNC_INFO_USR_SHIFT) & 1;
	p->pend_fast &= p->fast[class];
	p->pend_slow &= knc_slow_now(p, class);
	if (p->linger <= KNC_NEAR_STEPS)
		p->linger = 0;
	near = knc_room(p) < KNC_NEAR_START;
	knc_choose_code(p, p->linger || near);
	if (near)
		knc_ask_core(p);
	if (p->tb_flags)
		return;
	knc_pmu_drop(p);
	/* the other threads' sums may have made a counter overflow when it was stopped */
	knc_pmi_later(p);
}

G_NORETURN void knc_gp(CPUX86State *env, uintptr_t ra)
{
	raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
}

/* The present value of counter @n */
uint64_t knc_value(KncPmu *p, int n)
{
	uint64_t value;

	knc_flush_done(p);
	qemu_spin_lock(&p->core->lock);
	value = qatomic_read(&p->cntr[n]) + knc_unflushed_by_others(p, n);
	qemu_spin_unlock(&p->core->lock);
	return value & knc_largest(p);
}

void knc_set_value(KncPmu *p, int n, uint64_t value)
{
	knc_flush_done(p);
	knc_end_grant(p);
	qemu_spin_lock(&p->core->lock);
	qatomic_set(&p->cntr[n], value);
	knc_skip(p, n, true);
	qemu_spin_unlock(&p->core->lock);
}

/* Set a new event select; the caller then calls knc_pmu_update() */
void knc_set_evtsel(KncPmu *p, int n, uint64_t value)
{
	uint32_t bits[KNC_CLASSES];

	bits[KNC_OS] = knc_slow_bit(p, n);
	bits[KNC_USR] = bits[KNC_OS];
	knc_flush_done(p);
	knc_unshare(p, bits);
	qatomic_set(&p->evtsel[n], value);
}

bool knc_pmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val, uintptr_t ra)
{
	KncPmu *p = &env->knc;

	if (!p->present)
		return false;
	if (p->arch)
		return knc_arch_rdmsr(env, msr, val, ra);
	knc_silicon_msr(env, msr, ra);
	switch (msr) {
	case KNC_IA32_PERFCNTR0:
	case KNC_IA32_PERFCNTR1:
		*val = knc_value(p, msr - KNC_IA32_PERFCNTR0);
		return true;
	case KNC_IA32_PERFEVTSEL0:
	case KNC_IA32_PERFEVTSEL1:
		*val = p->evtsel[msr - KNC_IA32_PERFEVTSEL0];
		return true;
	case KNC_PERF_SPFLT_CONTROL:
		*val = p->spflt;
		return true;
	case KNC_IA32_PERF_GLOBAL_STATUS:
		*val = qatomic_read(&p->status);
		return true;
	case KNC_IA32_PERF_GLOBAL_CTRL:
		*val = p->ctrl;
		return true;
	case KNC_IA32_PERF_GLOBAL_OVF_CONTROL:	/* write only (1.4.3.6) */
		knc_gp(env, ra);
	}
	return false;
}

/* The reserved bits of a register; false: not a register that can be written */
static bool knc_msr_reserved(uint32_t msr, uint64_t *reserved)
{
	switch (msr) {
	case KNC_IA32_PERFCNTR0:
	case KNC_IA32_PERFCNTR1:
		*reserved = KNC_PERFCNTR_RESERVED;
		return true;
	case KNC_IA32_PERFEVTSEL0:
	case KNC_IA32_PERFEVTSEL1:
		*reserved = KNC_EVTSEL_RESERVED;
		return true;
	case KNC_PERF_SPFLT_CONTROL:
		*reserved = KNC_SPFLT_RESERVED;
		return true;
	case KNC_IA32_PERF_GLOBAL_OVF_CONTROL:
	case KNC_IA32_PERF_GLOBAL_CTRL:
		*reserved = KNC_GLOBAL_RESERVED;
		return true;
	}
	return false;
}

bool knc_pmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val, uintptr_t ra)
{
	KncPmu *p = &env->knc;
	uint64_t reserved;

	if (!p->present)
		return false;
	if (p->arch)
		return knc_arch_wrmsr(env, msr, val, ra);
	knc_silicon_msr(env, msr, ra);
	if (msr == KNC_IA32_PERF_GLOBAL_STATUS)	/* read only (1.4.3.5) */
		knc_gp(env, ra);
	if (!knc_msr_reserved(msr, &reserved))
		return false;
	if (val & reserved)
		knc_gp(env, ra);

	switch (msr) {
	case KNC_IA32_PERFCNTR0:
	case KNC_IA32_PERFCNTR1:	/* all 40 bits (1.4.3.2) */
		knc_set_value(p, msr - KNC_IA32_PERFCNTR0, val);
		return true;
	case KNC_IA32_PERFEVTSEL0:
	case KNC_IA32_PERFEVTSEL1:
		knc_set_evtsel(p, msr - KNC_IA32_PERFEVTSEL0, val);
		break;
	case KNC_PERF_SPFLT_CONTROL:
		p->spflt = val;
		break;
	case KNC_IA32_PERF_GLOBAL_OVF_CONTROL:
		qatomic_and(&p->line, ~val);
		if (p->fault == KNC_FAULT_STATUS)
			val &= ~KNC_GLOBAL_CNTR(0);
		qatomic_and(&p->status, ~val);
		return true;
	case KNC_IA32_PERF_GLOBAL_CTRL:
		p->ctrl = val;
		break;
	}
	knc_pmu_update(p);
	return true;
}

/* RDPMC (1.4.2); false: this CPU model has no such PMU */
bool knc_pmu_rdpmc(CPUX86State *env, uintptr_t ra)
{
	KncPmu *p = &env->knc;
	uint32_t n = env->regs[R_ECX];
	uint64_t val;

	if (!p->present)
		return false;
	if (p->arch)
		return knc_arch_rdpmc(env, ra);
	if (n >= KNC_NR_COUNTERS)
		knc_gp(env, ra);
	val = knc_value(p, n);
	env->regs[R_EAX] = (uint32_t)val;
	env->regs[R_EDX] = val >> 32;
	return true;
}

/* SPFLT (1.4.2): USER_PREF of this thread becomes bit 0 of the register */
void HELPER(knc_spflt)(CPUX86State *env, target_ulong val)
{
	KncPmu *p = &env->knc;
	uint64_t old = p->spflt;

	if (val & 1)
		p->spflt |= KNC_SPFLT_USER_PREF;
	else
		p->spflt &= ~KNC_SPFLT_USER_PREF;
	if (p->spflt != old && (old & KNC_SPFLT_CNTRS))
		knc_pmu_update(p);
}

/* The CPU model's option core-pmi */
static enum knc_core_pmi knc_core_pmi(const char *option)
{
	if (!option || !strcmp(option, "running"))
		return KNC_CORE_PMI_RUNNING;
	if (!strcmp(option, "owner"))
		return KNC_CORE_PMI_OWNER;
	if (!strcmp(option, "causing"))
		return KNC_CORE_PMI_CAUSING;
	error_report("core-pmi=%s: it can be owner, running or causing", option);
	exit(1);
}

/* Clear the status, between two instructions of the thread, which does not notice */
void knc_pmu_lose_status(CPUX86State *env)
{
	qatomic_set(&env->knc.status, 0);
	qatomic_set(&env->knc.line, 0);
}

/* Clear all registers but the status; first count what has been executed */
void knc_pmu_lose_all(CPUX86State *env)
{
	KncPmu *p = &env->knc;
	int n;

	knc_pmu_boundary(env);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		knc_set_evtsel(p, n, 0);
		knc_set_value(p, n, 0);
	}
	p->spflt = 0;
	p->ctrl = 0;
	knc_pmu_update(p);
}

/* Find a thread's core, and the thread's number within it */
void knc_place(CPUState *cs)
{
	unsigned int threads = MIN(cs->nr_threads, KNC_THREADS_PER_CORE);
	KncPmu *p = &X86_CPU(cs)->env.knc;
	CPUState *sibling;
	unsigned int first, i;

	p->thread = cs->cpu_index % threads;
	first = cs->cpu_index - p->thread;
	sibling = qemu_get_cpu(first);
	p->core = sibling ? &X86_CPU(sibling)->env.knc.own_core : &p->own_core;
	for (i = 0; i < threads; i++) {
		sibling = qemu_get_cpu(first + i);
		p->own_core.thread[i] = sibling ? &X86_CPU(sibling)->env.knc :
						  NULL;
	}
}

/* Reset of the machine; INIT does not call this and changes nothing (1.4.4) */
void knc_pmu_reset(CPUState *cs)
{
	KncPmu *p = &X86_CPU(cs)->env.knc;
	KncUnits *units;

	knc_clock_init(X86_CPU(cs));
	knc_membarrier_init();
	units = p->own_core.units;
	memset(p, 0, sizeof(*p));
	p->own_core.units = units;
	knc_units_reset(&p->own_core);
	p->cs = cs;
	p->present = object_dynamic_cast(OBJECT(cs), X86_CPU_TYPE_NAME("knc"));
	p->nr = KNC_NR_COUNTERS;
	p->width = KNC_COUNTER_WIDTH;
	p->westmere = object_dynamic_cast(OBJECT(cs), X86_CPU_TYPE_NAME("westmere"));
	if (p->westmere || object_dynamic_cast(OBJECT(cs), X86_CPU_TYPE_NAME("arch")))
		knc_arch_reset(X86_CPU(cs));
	if (object_dynamic_cast(OBJECT(cs), X86_CPU_TYPE_NAME("haswell-ep"))) {
		knc_arch_reset(X86_CPU(cs));
		knc_cmt_reset(cs);
	}
	p->core_pmi = knc_core_pmi(X86_CPU(cs)->knc_core_pmi);
	p->strict = X86_CPU(cs)->knc_strict;
	p->silicon = X86_CPU(cs)->knc_silicon;
	p->timing = X86_CPU(cs)->knc_timing;
	p->vpu_stand_in = X86_CPU(cs)->knc_vpu_stand_in;
	p->own_core.prefetcher = knc_prefetches(X86_CPU(cs));
	p->own_core.costs = knc_costs(X86_CPU(cs));
	knc_place(cs);
	knc_fault_reset(cs);
}

/* A card can be saved only while nothing counts: then its state is in the registers alone. */
static int knc_pre_save(void *opaque)
{
	X86CPU *cpu = opaque;

	return cpu->env.knc.on || cpu->env.knc.pqr ? -EBUSY : 0;
}

/* Only machines that have booted are saved */
static int knc_post_load(void *opaque, int version)
{
	knc_silicon_booted();
	return 0;
}

static bool knc_needed(void *opaque)
{
	X86CPU *cpu = opaque;

	return cpu->env.knc.present;
}

const VMStateDescription vmstate_knc_pmu = {
	.name = "cpu/knc_pmu",
	.version_id = 1,
	.minimum_version_id = 1,
	.needed = knc_needed,
	.pre_save = knc_pre_save,
	.post_load = knc_post_load,
	.fields = (VMStateField[]) {
		VMSTATE_UINT64_ARRAY(env.knc.cntr, X86CPU, KNC_MAX_COUNTERS),
		VMSTATE_UINT64_ARRAY(env.knc.evtsel, X86CPU, KNC_MAX_COUNTERS),
		VMSTATE_UINT64(env.knc.spflt, X86CPU),
		VMSTATE_UINT64(env.knc.ctrl, X86CPU),
		VMSTATE_UINT64(env.knc.fixed_ctrl, X86CPU),
		VMSTATE_UINT32(env.knc.status, X86CPU),
		VMSTATE_UINT32(env.knc.line, X86CPU),
		VMSTATE_UINT64(env.knc.uncore.ctrl, X86CPU),
		VMSTATE_UINT64(env.knc.uncore.fixed_ctrl, X86CPU),
		VMSTATE_UINT64_ARRAY(env.knc.uncore.select, X86CPU, UNC_NR_COUNTERS),
		VMSTATE_END_OF_LIST()
	}
};
