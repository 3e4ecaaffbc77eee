// SPDX-License-Identifier: GPL-2.0
/*
 * The units of the emulated Knights Corner cores: what instructions make them see, and when
 *
 * A core's units see all its threads while one of its counters needs them, and as long as the
 * threads report afterwards.  They begin empty.
 */
#include "qemu/osdep.h"
#include "qemu/thread.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

/* Of all cores, because a miss in one looks into the others */
static QemuSpin knc_units_lock;
static KncUnits *knc_all_units;

KncUnits *knc_units_first(void)
{
	return knc_all_units;
}

/* Before the first instruction; with QEMU's global lock held */
void knc_units_reset(KncCore *core)
{
	static bool ready;

	if (!ready)
		qemu_spin_init(&knc_units_lock);
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

/* Counters @bits of those in @own need the units now, the others don't */
void knc_units_need(KncCore *core, uint32_t own, uint32_t bits)
{
	KncUnits *u;

	if (!bits && !(qatomic_read(&core->need_units) & own))
		return;
	qemu_spin_lock(&knc_units_lock);
	if (!core->units)
		core->units = knc_units_new();
	u = core->units;
	if (bits && !u->active) {
		knc_cache_empty(u);
		knc_tlb_empty(u);
		knc_btb_empty(u);
		memset(u->pending, 0, sizeof(u->pending));
		u->active = true;
	}
	/* whoever sees this also sees the units */
	qatomic_store_release(&core->need_units, (core->need_units & ~own) | bits);
	qemu_spin_unlock(&knc_units_lock);
}

bool knc_units_active(const KncCore *core)
{
	return core->units && qatomic_read(&core->units->active);
}

/* A thread of the core does not report any more: unless they are needed, the units stop */
void knc_units_leave(KncCore *core)
{
	if (!knc_units_active(core))
		return;
	qemu_spin_lock(&knc_units_lock);
	if (!core->need_units)
		qatomic_set(&core->units->active, false);
	qemu_spin_unlock(&knc_units_lock);
}

/* Find the page of the access: it has just been made, hence QEMU's TLB mostly has it */
static void knc_translate(CPUX86State *env, KncAccess *a)
{
	CPUTLBEntryFull *full;
	int flags, type;
	void *host;

	/* a probe for writing would be one; pages that can be written can be read */
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

/* The lines of an operand or an instruction */
static void knc_note_lines(CPUX86State *env, uint64_t linear, unsigned int size,
			   uint32_t flags)
{
	uint64_t last = linear + size - 1;

	knc_note_access(env, linear, flags);
	if (!knc_same_line(linear, last))
		knc_note_access(env, last, flags | KNC_ACCESS_MORE);
}

/* The instruction begun last has made an access: @flags also have the operand's size */
void HELPER(knc_access)(CPUX86State *env, target_ulong linear, uint32_t flags)
{
	unsigned int size = flags & KNC_ACCESS_SIZE;
	KncPmu *p = &env->knc;
	KncNote *note = &p->note;

	if (!note->valid)
		return;
	flags &= ~KNC_ACCESS_SIZE;
	if (flags & KNC_ACCESS_AGAIN) {
		/* only the instruction's bytes stay */
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
 * An instruction begins.  Its thread reads a line of code unless it is the one that it has read
 * last and the instruction before has not branched.
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

static void knc_see_code(KncUnits *u, const KncAccess *a, uint16_t *sig)
{
	sig[KNC_SIG_CODE_READS]++;
	if ((a->flags & KNC_ACCESS_UC) || knc_cache_fetch(u, a->line, sig))
		sig[KNC_SIG_CODE_MISSES]++;
}

/* @missed: so did another line of the same operand, which has been counted */
static bool knc_see_data(KncUnits *u, const KncAccess *a, uint16_t *sig, bool missed)
{
	bool write = a->flags & KNC_ACCESS_WRITE;
	bool uc = a->flags & KNC_ACCESS_UC;

	if (!uc && !(write ? knc_cache_write(u, a->line, sig) : knc_cache_read(u, a->line, sig)))
		return missed;
	if (missed)
		return true;
	sig[KNC_SIG_MISSES]++;
	/* writes that are not cacheable are not misses of writes (327357, 0x04) */
	if (!write)
		sig[KNC_SIG_READ_MISSES]++;
	else if (!uc)
		sig[KNC_SIG_WRITE_MISSES]++;
	return true;
}

static void knc_see_accesses(KncPmu *p, KncUnits *u)
{
	bool missed = false;
	unsigned int i;

	for (i = 0; i < p->note.nr; i++) {
		const KncAccess *a = &p->note.access[i];

		knc_tlb_look_up(u, a, p->thread, p->signals);
		if (a->flags & KNC_ACCESS_CODE) {
			knc_see_code(u, a, p->signals);
			continue;
		}
		if (!(a->flags & KNC_ACCESS_MORE))
			missed = false;
		missed = knc_see_data(u, a, p->signals, missed);
	}
}

/* What other cores have caused counts for the thread that executes next */
static void knc_take_pending(KncPmu *p, KncUnits *u)
{
	unsigned int i;

	for (i = 0; i < KNC_NR_SIGNALS; i++)
		p->signals[i] += u->pending[i];
	memset(u->pending, 0, sizeof(u->pending));
}

/* The noted instruction or iteration is complete; the thread goes on at @eip */
void knc_units_see(KncPmu *p, uint64_t eip)
{
	KncUnits *u = p->core->units;
	KncNote *note = &p->note;

	memset(p->signals, 0, sizeof(p->signals));
	qemu_spin_lock(&knc_units_lock);
	knc_see_accesses(p, u);
	if (note->branch)
		p->signals[KNC_SIG_MISPREDICTIONS] +=
			knc_btb_branch(u, note->from, note->behind, eip);
	knc_take_pending(p, u);
	qemu_spin_unlock(&knc_units_lock);
	/* between two iterations the instruction has been read */
	p->fetched = note->rep && eip == p->pend_eip ? note->from : note->behind;
	p->read_line = note->behind - 1;
	note->valid = false;
}

static KncUnits *knc_lock_active(CPUX86State *env)
{
	KncPmu *p = &env->knc;

	if (!p->present || !p->core || !knc_units_active(p->core))
		return NULL;
	qemu_spin_lock(&knc_units_lock);
	return p->core->units;
}

void knc_units_flush_tlb(CPUX86State *env)
{
	KncUnits *u = knc_lock_active(env);

	if (!u)
		return;
	knc_tlb_drop(u, env->knc.thread);
	qemu_spin_unlock(&knc_units_lock);
}

void knc_units_flush_page(CPUX86State *env, uint64_t linear)
{
	KncUnits *u = knc_lock_active(env);

	if (!u)
		return;
	knc_tlb_drop_page(u, env->knc.thread, linear);
	qemu_spin_unlock(&knc_units_lock);
}

/* WBINVD and INVD */
void HELPER(knc_wbinvd)(CPUX86State *env)
{
	KncUnits *u = knc_lock_active(env);

	if (!u)
		return;
	knc_cache_flush(u, u->pending);
	qemu_spin_unlock(&knc_units_lock);
}
