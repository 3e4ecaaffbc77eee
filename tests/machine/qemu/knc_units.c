// SPDX-License-Identifier: GPL-2.0
/*
 * The units of the emulated Knights Corner cores: how they see instructions, and when
 *
 * The units of a core see all its threads while a counter needs them, and afterwards as long as the
 * threads still report.  At first they are empty.
 */
#include "qemu/osdep.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

/*
 * Only one thread of the host at a time has the units, those of all cores, because a miss in one
 * core looks into the others.  It keeps them over many instructions: cache lines that another host
 * thread has just changed are as slow as an emulated instruction.  When another thread wants the
 * units, the owner keeps them for KNC_KEEP more instructions.  If it executes none, the other
 * thread takes them after KNC_KEEP_NS.
 */
#define KNC_KEEP	200
#define KNC_KEEP_NS	200000
static QemuMutex knc_units_lock;	/* held by the thread that waits for the units */
static bool knc_units_wanted;
static bool *knc_units_owner;		/* &knc_inside of the thread that has the units, or NULL */
static __thread bool knc_inside;
static __thread unsigned int knc_kept;	/* instructions since another thread wants the units */
static KncUnits *knc_all_units;

/* This thread won't need the units for some time */
void knc_units_give_up(void)
{
	if (qatomic_read(&knc_units_owner) == &knc_inside)
		qatomic_cmpxchg(&knc_units_owner, &knc_inside, NULL);
}

/* Wait until @owner gives up the units, or take them away: no thread has them on return */
static void knc_units_take_from(bool *owner)
{
	int64_t since = get_clock();

	while (qatomic_load_acquire(&knc_units_owner) == owner) {
		if (get_clock() - since < KNC_KEEP_NS) {
			sched_yield();
			continue;
		}
		qatomic_set(&knc_units_owner, NULL);
		knc_mb_seldom();	/* pairs with knc_units_enter() */
		while (qatomic_load_acquire(owner))
			sched_yield();
	}
}

static void knc_units_take(void)
{
	bool *owner;

	qemu_mutex_lock(&knc_units_lock);
	owner = qatomic_load_acquire(&knc_units_owner);
	if (owner) {
		qatomic_set(&knc_units_wanted, true);
		knc_units_take_from(owner);
		qatomic_set(&knc_units_wanted, false);
	}
	knc_kept = 0;
	qatomic_set(&knc_inside, true);
	qatomic_set(&knc_units_owner, &knc_inside);
	qemu_mutex_unlock(&knc_units_lock);
}

static void knc_units_enter(void)
{
	qatomic_set(&knc_inside, true);
	knc_mb_often();		/* pairs with knc_units_take_from() */
	if (likely(qatomic_read(&knc_units_owner) == &knc_inside))
		return;
	qatomic_set(&knc_inside, false);
	knc_units_take();
}

static void knc_units_exit(void)
{
	qatomic_store_release(&knc_inside, false);
	if (unlikely(qatomic_read(&knc_units_wanted)) && ++knc_kept > KNC_KEEP)
		knc_units_give_up();
}

KncUnits *knc_units_first(void)
{
	return knc_all_units;
}

/* Called before the first instruction, with QEMU's global lock held */
void knc_units_reset(KncCore *core)
{
	static bool ready;

	if (!ready)
		qemu_mutex_init(&knc_units_lock);
	ready = true;
	if (core->units)
		core->units->active = false;
}

static KncUnits *knc_units_new(void)
{
	KncUnits *u = g_new0(KncUnits, 1);

	knc_cache_init(u);
	knc_tlb_init(u);
	knc_btb_init(u);
	u->next = knc_all_units;
	knc_all_units = u;
	return u;
}

/*
 * Of the counters @own, @bits need the units from now on; @os of these must see ring 0, too.  If no
 * counter did, the units have missed ring 0 (@blind): the first that does finds them emptied.
 */
void knc_units_need(KncCore *core, uint32_t own, uint32_t bits, uint32_t os)
{
	KncUnits *u;

	if (!bits && !(qatomic_read(&core->need_units) & own))
		return;
	knc_units_enter();
	if (!core->units)
		core->units = knc_units_new();
	u = core->units;
	if (bits & ~KNC_NEED_L3 && (!u->active || (os && u->blind))) {
		knc_cache_empty(u);
		knc_tlb_empty(u);
		knc_btb_empty(u);
		knc_prefetch_empty(u);
		knc_pipe_empty(u);
		u->prefetcher = core->prefetcher;
		u->costs = core->costs;
		memset(u->pending, 0, sizeof(u->pending));
		u->active = true;
		u->blind = false;
	}
	qatomic_set(&core->need_units_os, (core->need_units_os & ~own) | os);
	if (bits && !core->need_units_os)
		u->blind = true;
	/* a thread that reads this bit must find the units set up */
	qatomic_store_release(&core->need_units, (core->need_units & ~own) | bits);
	knc_units_exit();
}

bool knc_units_active(const KncCore *core)
{
	return core->units && qatomic_read(&core->units->active);
}

/* A thread of the core no longer reports: the units become invalid unless a counter needs them */
void knc_units_leave(KncCore *core)
{
	if (!knc_units_active(core))
		return;
	knc_units_enter();
	if (!(core->need_units & ~KNC_NEED_L3))
		qatomic_set(&core->units->active, false);
	knc_units_exit();
	knc_units_give_up();
}

/* Find the physical line of an access just made: QEMU's TLB mostly has its page */
static void knc_translate(CPUX86State *env, KncAccess *a)
{
	CPUTLBEntryFull *full;
	int flags, type;
	void *host;

	/* a probe for writing would act as a write; pages that can be written can be read */
	type = a->flags & KNC_ACCESS_CODE ? MMU_INST_FETCH : MMU_DATA_LOAD;
	flags = probe_access_full(env, a->linear, type, cpu_mmu_index(env, false), true,
				  &host, &full, 0);
	if (flags & TLB_INVALID_MASK) {
		a->flags |= KNC_ACCESS_UC;
		return;
	}
	if (flags & TLB_MMIO)
		a->flags |= KNC_ACCESS_UC;
	a->page_bits = full->lg_page_size;
	a->line = (full->phys_addr | (a->linear & ~TARGET_PAGE_MASK)) >> KNC_LINE_BITS;
}

static void knc_note_access(CPUX86State *env, uint64_t linear, uint32_t flags)
{
	KncNote *note = &env->knc.note;
	KncAccess *a = &note->access[note->nr];

	if (note->nr == KNC_MAX_ACCESSES)
		return;
	a->linear = linear;
	a->page_bits = TARGET_PAGE_BITS;
	a->flags = flags;
	knc_translate(env, a);
	note->nr++;
}

static bool knc_same_line(uint64_t a, uint64_t b)
{
	return !((a ^ b) >> KNC_LINE_BITS);
}

/* Note the one or two lines of an operand or an instruction */
static void knc_note_lines(CPUX86State *env, uint64_t linear, unsigned int size,
			   uint32_t flags)
{
	uint64_t last = linear + size - 1;

	knc_note_access(env, linear, flags);
	if (!knc_same_line(linear, last))
		knc_note_access(env, last, flags | KNC_ACCESS_MORE);
}

/* The instruction begun last has made an access; the low bits of @flags are the operand's size */
void HELPER(knc_access)(CPUX86State *env, target_ulong linear, uint32_t flags)
{
	unsigned int size = flags & KNC_ACCESS_SIZE;
	KncPmu *p = &env->knc;
	KncNote *note = &p->note;

	if (!note->valid)
		return;
	if (flags & KNC_ACCESS_ALL && size == 1U << KNC_LINE_BITS)
		flags |= KNC_ACCESS_WHOLE;
	flags &= ~(KNC_ACCESS_SIZE | KNC_ACCESS_ALL);
	if (flags & KNC_ACCESS_AGAIN) {
		/* drop all accesses but those to the instruction's code */
		while (note->nr && !(note->access[note->nr - 1].flags & KNC_ACCESS_CODE))
			note->nr--;
		p->pend_step = KNC_STEP_INSN;
		flags &= ~KNC_ACCESS_AGAIN;
	}
	if (flags & KNC_ACCESS_MORE) {
		if (note->nr && !knc_same_line(note->access[note->nr - 1].linear,
					       linear + size - 1))
			knc_note_access(env, linear + size - 1, flags);
		return;
	}
	if (flags & KNC_ACCESS_PREFETCH) {
		p->pend_step += KNC_STEP_READ;
		knc_note_access(env, linear, flags);
	}
	if (flags & KNC_ACCESS_READ) {
		p->pend_step += KNC_STEP_READ;
		knc_note_lines(env, linear, size, flags & ~KNC_ACCESS_WRITE);
	}
	if (flags & KNC_ACCESS_WRITE) {
		p->pend_step += KNC_STEP_WRITE;
		knc_note_lines(env, linear, size, flags & ~KNC_ACCESS_READ);
	}
}

/*
 * An instruction begins.  It reads its line of code, unless its thread has read that line last and
 * comes from the instruction before it in memory.
 */
void knc_note_insn(CPUX86State *env, uint64_t eip, unsigned int size, bool branch,
		   bool rep)
{
	KncPmu *p = &env->knc;
	KncNote *note = &p->note;
	uint64_t linear = eip;

	if (!(env->hflags & HF_CS64_MASK))
		linear = (uint32_t)(eip + env->segs[R_CS].base);
	note->valid = true;
	note->branch = branch;
	note->rep = rep;
	note->insn = p->decoded;
	note->from = linear;
	note->behind = linear + size;
	note->nr = 0;
	if (linear != p->fetched || !knc_same_line(linear, p->read_line))
		knc_note_lines(env, linear, size, KNC_ACCESS_CODE);
	else if (!knc_same_line(linear, linear + size - 1))
		knc_note_access(env, linear + size - 1, KNC_ACCESS_CODE | KNC_ACCESS_MORE);
}

/* The next iteration of a string instruction begins */
void knc_note_iteration(KncPmu *p)
{
	p->note.valid = true;
	p->note.nr = 0;
	p->note.branch = false;
}

/* What is not cacheable takes as long as memory */
static KncFound knc_uncached(const KncUnits *u)
{
	return (KncFound){ .level = KNC_FROM_MEMORY, .wait = u->costs.memory };
}

/* Cycles from a flush of the pipeline to the next instruction */
#define KNC_FLUSH_CYCLES	4

static void knc_see_code(KncUnits *u, const KncAccess *a, unsigned int thread, uint16_t *sig)
{
	unsigned int wait = knc_tlb_look_up(u, a, thread, sig);
	KncFound found = knc_uncached(u);

	if (!(a->flags & KNC_ACCESS_UC))
		found = knc_cache_fetch(u, a->line, u->time[thread], sig);
	sig[KNC_SIG_CODE_READS]++;
	sig[KNC_SIG_CODE_MISSES] += found.level != KNC_FROM_L1;
	wait += found.wait;
	sig[KNC_SIG_FE_STALLED] += wait;
	if (wait)
		knc_pipe_wait(u, thread, wait, sig);
}

/* A prefetch instruction: its thread does not wait for the line */
static void knc_see_prefetch(KncUnits *u, const KncAccess *a, unsigned int kind,
			     unsigned int thread, uint16_t *sig)
{
	bool dropped = a->flags & KNC_ACCESS_UC;
	uint64_t now = u->time[thread];

	if (!dropped)
		knc_tlb_look_up(u, a, thread, sig);
	switch (kind) {
	case KNC_INSN_PREFETCH(0):
		sig[KNC_SIG_L1_PF1]++;
		sig[KNC_SIG_L1_PF1_DROPS] += dropped;
		if (!dropped)
			knc_cache_prefetch0(u, a->line, now, sig);
		break;
	case KNC_INSN_PREFETCH(1):
		/* the L1 drops vprefetch1, the L2 vprefetch2 (327357, events 0x1c and 0xfe) */
		sig[KNC_SIG_L1_PF2]++;
		sig[KNC_SIG_L1_PF1_DROPS]++;
		sig[KNC_SIG_L2_PF2] += !dropped;
		if (!dropped)
			knc_cache_prefetch1(u, a->line, now, sig);
		break;
	case KNC_INSN_PREFETCH(2):
		sig[KNC_SIG_L2_PF2_DROPS] += !dropped;
		break;
	}
}

static KncFound knc_find_data(KncUnits *u, const KncAccess *a, bool stream, uint64_t now,
			      uint16_t *sig)
{
	if (a->flags & KNC_ACCESS_UC)
		return knc_uncached(u);
	if (!(a->flags & KNC_ACCESS_WRITE))
		return knc_cache_read(u, a->line, now, sig);
	return stream ? knc_cache_stream(u, a->line, now, sig) :
			knc_cache_write(u, a->line, a->flags & KNC_ACCESS_WHOLE, now, sig);
}

/* @missed: the operand's first line missed; a miss counts once for an operand */
static bool knc_see_data(KncUnits *u, const KncAccess *a, const KncDecoded *insn,
			 unsigned int thread, uint16_t *sig, bool missed)
{
	unsigned int wait = knc_tlb_look_up(u, a, thread, sig);
	bool stream = insn->flags & KNC_INSN_STREAM;
	uint16_t streams = sig[KNC_SIG_STREAM_MISSES], missing;
	bool vector = (insn->flags & (KNC_INSN_VECTOR | KNC_INSN_NO_VPU)) == KNC_INSN_VECTOR;
	KncFound found = knc_find_data(u, a, stream, u->time[thread], sig);
	bool write = a->flags & KNC_ACCESS_WRITE, miss = found.level != KNC_FROM_L1;

	missing = sig[KNC_SIG_STREAM_MISSES] - streams;
	if (insn->flags & (KNC_INSN_NO_VPU | KNC_INSN_ORDERED))
		sig[KNC_SIG_STREAM_MISSES] = streams;
	if (insn->flags & KNC_INSN_ORDERED)
		sig[KNC_SIG_ORDERED_MISSES] += missing;
	wait += !write || (u->costs.write_waits && !(a->flags & KNC_ACCESS_UC)) ? found.wait : 0;
	if (wait)
		knc_pipe_wait(u, thread, wait, sig);
	sig[write ? KNC_SIG_VPU_WRITES : KNC_SIG_VPU_READS] += vector;
	sig[write ? KNC_SIG_VPU_WRITE_MISSES : KNC_SIG_VPU_READ_MISSES] += vector && miss;
	if (missed || !miss)
		return missed;
	/* a line that a prefetch is bringing is no such miss (VTune's description of 0x29) */
	sig[KNC_SIG_MISSES] += !found.in_flight;
	/* a write that is not cacheable is no write miss (327357, event 0x04) */
	if (!write)
		sig[KNC_SIG_READ_MISSES]++;
	else if (!(a->flags & KNC_ACCESS_UC))
		sig[KNC_SIG_WRITE_MISSES]++;
	return true;
}

/* The units see a note: code, then the pipes, then data; @iteration: one of REP, not the last */
static void knc_see_note(KncPmu *p, KncUnits *u, bool iteration)
{
	KncNote *note = &p->note;
	bool missed = false;
	unsigned int i;

	for (i = 0; i < note->nr && note->access[i].flags & KNC_ACCESS_CODE; i++)
		knc_see_code(u, &note->access[i], p->thread, p->signals);
	knc_pipe_see(u, &p->pipe, note, p->thread, iteration, p->signals);
	for (; i < note->nr; i++) {
		const KncAccess *a = &note->access[i];

		if (a->flags & KNC_ACCESS_PREFETCH) {
			knc_see_prefetch(u, a, note->insn.flags & KNC_INSN_PREFETCHES, p->thread,
					 p->signals);
			continue;
		}
		if (!(a->flags & KNC_ACCESS_MORE))
			missed = false;
		missed = knc_see_data(u, a, &note->insn, p->thread, p->signals, missed);
	}
}

/* Signals caused by other cores count for the core's thread that executes next */
static void knc_take_pending(KncPmu *p, KncUnits *u)
{
	unsigned int i;

	if (likely(!u->any_pending))
		return;
	for (i = 0; i < KNC_NR_SIGNALS; i++)
		p->signals[i] += u->pending[i];
	memset(u->pending, 0, sizeof(u->pending));
	u->any_pending = false;
}

/* Flushes of the pipeline: a branch to @eip that was not predicted, interrupts, segment loads */
static void knc_see_flushes(KncPmu *p, KncUnits *u, uint64_t eip, bool iteration)
{
	const KncNote *note = &p->note;
	unsigned int flushes = p->flushes;
	int predicted = KNC_BTB_RIGHT;

	p->flushes = 0;
	if (note->branch) {
		predicted = knc_btb_branch(u, note->from, note->behind, eip);
		p->signals[KNC_SIG_MISPREDICTIONS] += predicted == KNC_BTB_WRONG;
	}
	flushes += predicted != KNC_BTB_RIGHT ||
		   (!iteration && note->insn.flags & KNC_INSN_FLUSH);
	if (likely(!flushes))
		return;
	p->signals[KNC_SIG_FLUSHES] += flushes;
	knc_pipe_wait(u, p->thread, flushes * KNC_FLUSH_CYCLES, p->signals);
}

/* DELAY: the thread waits.  A signal has 16 bits: the rest of the cycles comes with later notes */
static void knc_see_delay(KncPmu *p, KncUnits *u)
{
	unsigned int now = MIN(p->delay, UINT16_MAX / 2);

	p->delay -= now;
	knc_pipe_wait(u, p->thread, now, p->signals);
}

void HELPER(knc_delay)(CPUX86State *env, target_ulong cycles)
{
	env->knc.delay = cycles;
}

static void knc_core_sees(KncPmu *p, uint64_t eip, bool iteration)
{
	KncUnits *u = p->core->units;

	knc_units_enter();
	knc_pipe_run(u, p->thread);
	knc_see_note(p, u, iteration);
	knc_see_flushes(p, u, eip, iteration);
	if (unlikely(p->delay))
		knc_see_delay(p, u);
	knc_take_pending(p, u);
	if (unlikely(p->core->need_units & KNC_NEED_UNCORE))
		knc_uncore_see(p);
	knc_units_exit();
}

/* The noted instruction or iteration is complete; the thread continues at @eip */
void knc_units_see(KncPmu *p, uint64_t eip)
{
	KncNote *note = &p->note;
	bool iteration = note->rep && eip == p->pend_eip;

	memset(p->signals, 0, sizeof(p->signals));
	if (unlikely(p->l3))
		knc_l3_see(p);
	/* if only the L3 needs the note, the units are not active */
	if (likely(knc_units_active(p->core)))
		knc_core_sees(p, eip, iteration);
	/* the next iteration does not read its code again */
	p->fetched = iteration ? note->from : note->behind;
	p->read_line = note->behind - 1;
	note->valid = false;
}

static KncUnits *knc_lock_active(CPUX86State *env)
{
	KncPmu *p = &env->knc;

	if (!p->present || !p->core || !knc_units_active(p->core))
		return NULL;
	knc_units_enter();
	return p->core->units;
}

void knc_units_flush_tlb(CPUX86State *env)
{
	KncUnits *u = knc_lock_active(env);

	if (!u)
		return;
	knc_tlb_drop(u, env->knc.thread);
	knc_units_exit();
}

void knc_units_flush_page(CPUX86State *env, uint64_t linear)
{
	KncUnits *u = knc_lock_active(env);

	if (!u)
		return;
	knc_tlb_drop_page(u, env->knc.thread, linear);
	knc_units_exit();
}

/* The thread halts */
void knc_units_halt(CPUX86State *env)
{
	KncUnits *u = knc_lock_active(env);

	if (!u)
		return;
	knc_pipe_halt(u, env->knc.thread);
	knc_units_exit();
	knc_units_give_up();
}

/* WBINVD and INVD */
void HELPER(knc_wbinvd)(CPUX86State *env)
{
	KncUnits *u;

	if (env->knc.l3)
		knc_l3_empty(env->knc.l3);
	u = knc_lock_active(env);
	if (!u)
		return;
	knc_cache_flush(u, u->pending);
	u->any_pending = true;
	knc_units_exit();
}
