// SPDX-License-Identifier: GPL-2.0
/*
 * With icount: which hardware thread executes, for how long, and how the time goes on meanwhile
 *
 * One hardware thread executes at a time.  In a round each core that has something to do gets
 * KNC_ROUND cycles, which its threads share.  The cores of a card execute at the same time: with n
 * busy cores, a cycle of one core lets an nth of a cycle of time go by.
 *
 * A turn is a number of instructions, fixed when it begins: the cycles that the thread gets, at the
 * pace of its last turn.  If the thread takes more or fewer cycles, its next turn is shorter or
 * longer.  Therefore the order of all instructions depends on the guest only: when the host
 * interrupts a thread, that thread then goes on with the rest of its turn.
 */
#include "qemu/osdep.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/cpus.h"
#include "cpu.h"

/* Cycles of a core in a round */
#define KNC_ROUND		20000
/* Instructions of a turn if the clock counts instructions */
#define KNC_TURN		10000
/*
 * A timer must be handled before the first instruction after its time, or figures would depend on
 * the host.  Therefore the last KNC_NEAR cycles before it are executed one instruction at a time;
 * until then an instruction is assumed to take KNC_MOST cycles, more than the average.
 */
#define KNC_NEAR		64
#define KNC_MOST		4
/* The pace is in cycles per so many instructions */
#define KNC_PACE		1024

static struct {
	CPUState *cpu;		/* NULL: the next turn has not begun */
	int64_t insns;		/* instructions of this turn */
	int64_t left;		/* those not yet executed */
	int64_t granted, taken;	/* cycles of this turn */
	bool over;		/* the CPU gives up the rest of its turn */
	bool fresh;		/* a round begins */
	bool last;		/* this turn ends the round: the first CPU is next */
	unsigned int cores;	/* busy ones when the round began */
	uint64_t rate;		/* 2^-32 ns for each cycle */
	uint32_t fraction;	/* rest of a ns, in 2^-32 ns */
} knc_turn = { .fresh = true };

static KncPmu *knc_of(CPUState *cs)
{
	return &X86_CPU(cs)->env.knc;
}

/* Count the busy threads of each core, and the busy cores. */
static void knc_begin_round(void)
{
	CPUState *other;
	KncCore *core;

	knc_turn.fresh = false;
	knc_turn.cores = 0;
	CPU_FOREACH(other)
		knc_of(other)->core->running = 0;
	CPU_FOREACH(other) {
		core = knc_of(other)->core;
		if ((!other->halted || cpu_has_work(other)) && !core->running++)
			knc_turn.cores++;
	}
	knc_turn.cores = MAX(knc_turn.cores, 1);
	knc_turn.rate = (1000000ULL << 32) / KNC_CORE_KHZ / knc_turn.cores;
}

static void knc_begin_turn(CPUState *cs)
{
	KncPmu *p = knc_of(cs);

	knc_turn.cpu = cs;
	knc_turn.over = false;
	knc_turn.insns = KNC_TURN;
	if (knc_clock_in_cycles()) {
		knc_turn.granted = KNC_ROUND / MAX(p->core->running, 1) + p->balance;
		knc_turn.insns = MAX(knc_turn.granted * KNC_PACE / MAX(p->pace, KNC_PACE), 1);
	}
	knc_turn.left = knc_turn.insns;
	knc_turn.taken = 0;
}

/* The ns for @cycles; keeps the fraction for the next call */
static int64_t knc_pass(int64_t cycles)
{
	uint64_t time = knc_turn.fraction + cycles * knc_turn.rate;

	knc_turn.fraction = time;
	return time >> 32;
}

/* If a thread gives up its turn, the rest still goes by as time, if other cores are busy. */
static void knc_end_turn(CPUState *cs)
{
	KncPmu *p = knc_of(cs);
	int64_t rest = knc_turn.granted - knc_turn.taken;

	knc_turn.cpu = NULL;
	if (!knc_clock_in_cycles())
		return;
	if (knc_turn.left <= 0) {
		if (knc_turn.insns > KNC_NEAR)
			p->pace = knc_turn.taken * KNC_PACE / knc_turn.insns;
	} else if (rest > 0) {
		if (knc_turn.cores > 1)
			icount_advance(knc_pass(rest));
		rest = 0;
	}
	p->balance = MIN(MAX(rest, -KNC_ROUND / 2), KNC_ROUND / 2);
}

/* At icount_end_round(): a machine that resumes from a snapshot of this moment begins so, too. */
static void knc_forget_turns(void)
{
	CPUState *cs;

	knc_turn.cpu = NULL;
	knc_turn.fraction = 0;
	CPU_FOREACH(cs) {
		knc_of(cs)->balance = 0;
		knc_of(cs)->pace = 0;
	}
}

/* The instructions that @cs may execute in @ns: one at a time in the last KNC_NEAR cycles */
int64_t icount_turn_budget(CPUState *cs, int64_t ns)
{
	int64_t insns = ns;

	if (knc_turn.fresh)
		knc_begin_round();
	if (knc_turn.cpu != cs)
		knc_begin_turn(cs);
	if (knc_clock_in_cycles()) {
		insns = DIV_ROUND_UP(ns * knc_turn.cores * KNC_CORE_KHZ, 1000000);
		insns = insns > KNC_NEAR ? insns / KNC_MOST : MIN(insns, 1);
	}
	if (CPU_NEXT(first_cpu))
		insns = MIN(insns, knc_turn.left);
	return MIN(insns, INT32_MAX);
}

/* Count @executed further instructions of @cs; returns the ns that they took */
int64_t icount_turn_elapsed(CPUState *cs, int64_t executed)
{
	KncPmu *p = knc_of(cs);
	int64_t cycles = executed + p->accesses - p->accesses_seen;

	p->accesses_seen = p->accesses;
	knc_turn.left -= executed;
	knc_turn.taken += cycles;
	return knc_clock_in_cycles() ? knc_pass(cycles) : executed;
}

/* @cs has executed: returns the CPU that executes next; NULL: the first one, in a new round */
CPUState *icount_next_cpu(CPUState *cs)
{
	bool last = knc_turn.last;

	if (knc_turn.cpu == cs && knc_turn.left > 0 && !knc_turn.over && !cs->halted &&
	    cpu_can_run(cs))
		return cs;
	if (last)
		knc_forget_turns();
	else if (knc_turn.cpu == cs)
		knc_end_turn(cs);
	knc_turn.last = false;
	cs = last ? NULL : CPU_NEXT(cs);
	knc_turn.fresh |= !cs;
	return cs;
}

/* All CPUs were idle; the next turn must find out which ones no longer are. */
void icount_begin_round(void)
{
	knc_turn.fresh = true;
}

/* The executing CPU only waits for another one. */
void icount_end_turn(void)
{
	knc_turn.over = true;
}

void icount_end_round(void)
{
	knc_turn.over = true;
	knc_turn.last = true;
	/* leave the CPU's loop now, not when its budget is used up: the machine may stop here */
	cpu_exit(current_cpu);
}
