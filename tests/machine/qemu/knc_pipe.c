// SPDX-License-Identifier: GPL-2.0
/*
 * The pipes of an emulated Knights Corner core: pairs, stalls, and the core's clock
 *
 * Pairing is the P54C's: the Pentium processor user's manual, volume 1, section 3.1.2.
 * Documentation/emulated-card.rst has these rules, and those that we chose.
 */
#include "qemu/osdep.h"
#include "cpu.h"

/* A thread issues at most every second cycle */
#define KNC_ISSUE_CYCLES	2
/* Cycles until another packed operation can use a packed result */
#define KNC_VPU_CYCLES		4
/* Cycles that a thread waits after x87 arithmetic, beyond those of the E stage */
#define KNC_X87_WAIT		1

#define KNC_BANK(address)	((address) >> 2 & 7)

/* Bring the core's clock up to date; what it gains counts for @thread */
static void knc_tick(KncUnits *u, unsigned int thread, uint16_t *sig)
{
	uint64_t ports = MAX(u->stage, MAX(u->l2_port, u->memory_port));
	uint64_t now = MAX(u->clock, MAX(ports, u->time[thread]));

	sig[KNC_SIG_CYCLES] += now - u->clock;
	u->clock = now;
}

/* Use a shared @port for @cycles, not earlier than the slowest running thread's time */
void knc_pipe_use(KncUnits *u, uint64_t *port, unsigned int cycles)
{
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < KNC_THREADS_PER_CORE; i++)
		if (u->running & 1U << i)
			least = MIN(least, u->time[i]);
	*port = MAX(*port, least) + cycles;
}

static void knc_use_stage(KncUnits *u, unsigned int cycles, uint16_t *sig)
{
	knc_pipe_use(u, &u->stage, cycles);
	sig[KNC_SIG_STAGE_CYCLES] += cycles;
}

void knc_pipe_wait(KncUnits *u, unsigned int thread, unsigned int cycles, uint16_t *sig)
{
	u->time[thread] += cycles;
	knc_tick(u, thread, sig);
}

/* Set the times of all threads and ports to the core's clock */
static void knc_pipe_meet(KncUnits *u)
{
	unsigned int i;

	for (i = 0; i < KNC_THREADS_PER_CORE; i++)
		u->time[i] = u->clock;
	u->stage = u->clock;
	u->l2_port = u->clock;
	u->memory_port = u->clock;
}

void knc_pipe_halt(KncUnits *u, unsigned int thread)
{
	u->running &= ~(1U << thread);
	knc_pipe_meet(u);
}

void knc_pipe_run(KncUnits *u, unsigned int thread)
{
	if (likely(u->running & 1U << thread))
		return;
	u->running |= 1U << thread;
	knc_pipe_meet(u);
}

/* The address of the instruction's first data access; false: it has none */
static bool knc_accesses(const KncNote *note, uint64_t *address)
{
	unsigned int i;

	for (i = 0; i < note->nr; i++) {
		if (note->access[i].flags & (KNC_ACCESS_CODE | KNC_ACCESS_PREFETCH))
			continue;
		*address = note->access[i].linear;
		return true;
	}
	return false;
}

/* Can the instruction be the second of a pair with the one in the U pipe? */
static bool knc_pairs(const KncPipe *pipe, const KncNote *note)
{
	const KncDecoded *u = &pipe->u, *v = &note->insn;
	uint16_t uses = v->reads | v->writes | v->address;

	if (!pipe->open || note->from != pipe->behind || !(v->flags & KNC_INSN_V))
		return false;
	/* two pushes or pops pair, although both change the stack pointer */
	if (u->flags & KNC_INSN_STACK && !(v->flags & KNC_INSN_STACK) && uses & 1U << R_ESP)
		return false;
	if (v->flags & KNC_INSN_STACK && u->writes & 1U << R_ESP)
		return false;
	return !(uses & u->writes) && !((v->xmm_reads | v->xmm_writes) & u->xmm_writes) &&
	       !((v->mask_reads | v->mask_writes) & u->mask_writes);
}

/* The time at which all vector registers and masks of an operation are ready, without @except */
static uint64_t knc_ready(const KncPipe *pipe, const KncDecoded *d, uint32_t except)
{
	uint32_t uses = (d->xmm_reads | d->xmm_writes) & ~except;
	uint8_t masks = d->mask_reads | d->mask_writes;
	uint64_t ready = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pipe->xmm_ready); i++)
		if (uses & 1U << i)
			ready = MAX(ready, pipe->xmm_ready[i]);
	for (i = 0; i < ARRAY_SIZE(pipe->mask_ready); i++)
		if (masks & 1U << i)
			ready = MAX(ready, pipe->mask_ready[i]);
	return ready;
}

static void knc_finish(KncPipe *pipe, const KncDecoded *d, uint64_t when)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pipe->xmm_ready); i++)
		if (d->xmm_writes & 1U << i)
			pipe->xmm_ready[i] = when;
	for (i = 0; i < ARRAY_SIZE(pipe->mask_ready); i++)
		if (d->mask_writes & 1U << i)
			pipe->mask_ready[i] = when;
}

/*
 * A packed operation is issued at time @at: returns the cycles that it waits for registers, which
 * earlier operations have yet to write.  A wait for the indices of a gather is another event,
 * because they are an address.
 */
static unsigned int knc_vector(KncPipe *pipe, const KncDecoded *d, uint64_t at, uint16_t *sig)
{
	uint64_t ready, indices = at;
	uint32_t index = 0;

	if (!(d->flags & KNC_INSN_VECTOR))
		return 0;
	if (!(d->flags & KNC_INSN_NO_VPU)) {
		sig[KNC_SIG_VPU_INSNS]++;
		sig[KNC_SIG_VPU_ELEMENTS] += d->elements;
	}
	if (d->flags & KNC_INSN_GATHER) {
		index = 1U << d->index;
		indices = MAX(at, pipe->xmm_ready[d->index]);
		sig[KNC_SIG_SG_AGI_STALLS] += indices > at && !pipe->waited;
	}
	ready = MAX(at, knc_ready(pipe, d, index));
	sig[KNC_SIG_VPU_STALLS] += ready > at && !(d->flags & KNC_INSN_NO_VPU);
	ready = MAX(ready, indices);
	knc_finish(pipe, d, ready + KNC_VPU_CYCLES);
	return ready - at;
}

/* The second of a pair: it costs time only if it takes longer than the first */
static void knc_join(KncUnits *u, KncPipe *pipe, const KncNote *note, unsigned int thread,
		     uint16_t *sig)
{
	const KncDecoded *d = &note->insn;
	unsigned int longer = d->cycles > pipe->u.cycles ? d->cycles - pipe->u.cycles : 0;
	uint64_t accessed;

	pipe->open = false;
	sig[KNC_SIG_V_PIPE]++;
	if (d->address & pipe->before) {
		sig[KNC_SIG_AGI_STALLS]++;
		u->time[thread] += !pipe->waited;
	}
	pipe->written |= d->writes;
	if (pipe->accesses && knc_accesses(note, &accessed)) {
		sig[KNC_SIG_BOTH_PIPES]++;
		if (KNC_BANK(accessed) == KNC_BANK(pipe->accessed)) {
			sig[KNC_SIG_BANK_CONFLICTS]++;
			longer++;
		}
	}
	if (d->flags & KNC_INSN_VECTOR && !(d->flags & KNC_INSN_NO_VPU))
		sig[KNC_SIG_VPU_V_PIPE]++;
	u->time[thread] += knc_vector(pipe, d, pipe->issued, sig);
	sig[KNC_SIG_FE_STALLED] += longer;
	knc_use_stage(u, longer, sig);
	u->time[thread] += pipe->u.cycles + longer > KNC_ISSUE_CYCLES ?
			   pipe->u.cycles + longer - MAX(pipe->u.cycles, KNC_ISSUE_CYCLES) : 0;
}

/* Issue an instruction in the U pipe; a second one may join it later */
static void knc_issue(KncUnits *u, KncPipe *pipe, const KncNote *note, unsigned int thread,
		      uint16_t *sig)
{
	const KncDecoded *d = &note->insn;

	pipe->u = *d;
	pipe->behind = note->behind;
	pipe->open = (d->flags & KNC_INSN_U) && !note->branch;
	pipe->accesses = knc_accesses(note, &pipe->accessed);
	pipe->before = pipe->written;
	pipe->written = d->writes;
	pipe->waited = d->address & pipe->before;
	if (d->flags & KNC_INSN_GATHER)
		sig[KNC_SIG_SG_AGI_STALLS] += pipe->waited;
	else
		sig[KNC_SIG_AGI_STALLS] += pipe->waited;
	u->time[thread] += pipe->waited;
	u->time[thread] += knc_vector(pipe, d, u->time[thread], sig);
	pipe->issued = u->time[thread];
	if (d->flags & KNC_INSN_MICRO)
		sig[KNC_SIG_MICROCODE] += d->cycles;
	sig[KNC_SIG_FE_STALLED] += d->cycles - 1;
	knc_use_stage(u, d->cycles, sig);
	u->time[thread] += MAX(d->cycles, KNC_ISSUE_CYCLES);
	u->time[thread] += d->flags & KNC_INSN_X87 ? KNC_X87_WAIT : 0;
}

/* An iteration of REP */
static void knc_iterate(KncUnits *u, const KncDecoded *d, unsigned int thread, uint16_t *sig)
{
	sig[KNC_SIG_MICROCODE] += d->again;
	sig[KNC_SIG_FE_STALLED] += d->again;
	knc_use_stage(u, d->again, sig);
	u->time[thread] += d->again;
}

/* Account for the noted instruction, or an iteration of it, which the thread has executed */
void knc_pipe_see(KncUnits *u, KncPipe *pipe, const KncNote *note, unsigned int thread,
		  bool iteration, uint16_t *sig)
{
	if (pipe->epoch != u->epoch) {
		memset(pipe, 0, sizeof(*pipe));
		pipe->epoch = u->epoch;
	}
	if (iteration)
		knc_iterate(u, &note->insn, thread, sig);
	else if (knc_pairs(pipe, note))
		knc_join(u, pipe, note, thread, sig);
	else
		knc_issue(u, pipe, note, thread, sig);
	knc_tick(u, thread, sig);
}

void knc_pipe_empty(KncUnits *u)
{
	u->clock = 0;
	u->running = 0;
	u->epoch++;
	knc_pipe_meet(u);
}
