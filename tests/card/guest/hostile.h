/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the fuzzer of the ioctls
 */
#ifndef KNC_TEST_HOSTILE_H
#define KNC_TEST_HOSTILE_H

#include <stddef.h>

#include "lib.h"

#define ACTORS		5	/* at a time: two of root, three of two users */
#define FILES		4	/* of each actor */
#define FIRST_FILE	100	/* their descriptors: FIRST_FILE ... */
#define REASONS		64
#define ERRNOS		136
#define MAX_ACTS	20

enum {
	CALL_INFO,
	CALL_CONFIG,
	CALL_START,
	CALL_STOP,
	CALL_RESET,
	CALL_READ,
	CALL_REGS,
	CALL_OWNER,
	CALL_STATS,
	CALL_GRANTS,
	CALL_MMAP,
#ifdef KNC_PMU_IOC_EVICT
	CALL_EVICT,
#endif
	CALL_UNKNOWN,
	CALLS
};

/**
 * struct effort - the time that something took
 * @nr: how often
 * @ns: in all, with the time of waiting for a CPU
 */
struct effort {
	unsigned long nr;
	unsigned long long ns;
};

/**
 * struct shared - the memory that all processes of the fuzzer share
 * @seed: all streams of random numbers begin with it
 * @round: the present round
 * @over: the round is over: every process ends
 * @cpus: online at least, in this round: 0 to @cpus - 1
 * @accepted: calls, of each command
 * @refused: calls that were refused because of their contents
 * @died: calls that ended with EBADF, EFAULT, ENOTTY or EINTR
 * @reasons: refusals of CONFIG, of each reason
 * @errnos: refusals of all commands, of each errno
 * @kinds: accepted CONFIGs: on hardware threads, of tasks; sets, samples, RDPMC
 * @calls: the time of each command's calls, accepted and not
 * @acts: the time of each of acts[]
 * @held: sessions that the supervisor held
 * @pids: the actors
 * @at_once: how many of them act at a time
 * @turns: the actors that act now
 * @probes: how often a bystander's RDPMC was refused
 * @breach: how often a bystander's RDPMC was not refused
 * @faults: actors that accessed memory that they had unmapped
 * @files: a socket pair: descriptors to be shared
 */
struct shared {
	unsigned int seed;
	unsigned int round;
	int over;
	unsigned int cpus;
	unsigned long accepted[CALLS];
	unsigned long refused[CALLS];
	unsigned long died[CALLS];
	unsigned long reasons[REASONS];
	unsigned long errnos[ERRNOS];
	unsigned long kinds[5];
	struct effort calls[CALLS][2];
	struct effort acts[MAX_ACTS];
	unsigned long held;
	int pids[ACTORS];
	unsigned int at_once;
	int turns[ACTORS];
	unsigned long probes;
	unsigned long breach;
	unsigned long faults;
	int files[2];
};

extern struct shared *shared;

#define ADD(x, n)	__sync_fetch_and_add(&(x), n)
#define TALLY(x)	ADD(x, 1)
#define LOAD(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)

/* Random numbers: each thread has a stream, which @a, @b and @c determine */
void begin_stream(unsigned int a, unsigned int b, unsigned int c);
unsigned long long any_bits(void);
unsigned int below(unsigned int n);
int one_in(unsigned int n);
/* Mostly a CPU that is online */
unsigned int any_cpu(void);
/* Add the time since @began */
void tally_effort(struct effort *effort, unsigned long long began);

/* hostile_calls.c */

/* Memory for the arguments of a thread, some of it read-only or not mapped */
void make_arena(void);
/* Change the arguments of this or another thread while a call uses them */
void change_arena(void);
/* Open the device anew in the slot, with a session of its own */
void fresh_file(unsigned int slot);
/* Some calls on the file of @slot */
void some_calls(unsigned int slot);
/* CONFIG and, if it was accepted, more calls of the same session */
void any_session(unsigned int slot);
/* sizes of the rings of the last sampling session of @slot, as far as known */
extern unsigned int ring_sizes[FILES];
extern int last_child;

/* hostile_acts.c */

/* Map a ring or the page of the session of @slot */
void map_some(unsigned int slot);
void unmap_all(void);
void catch_denial(void);
/* Is RDPMC permitted here? */
int is_permitted(void);
/* Names of the acts; NULL after the last one */
const char *act_name(unsigned int i);
/* Perform @acts random acts; for an actor, or for its children and threads */
void act_for(unsigned int acts);
/* As act_for(), but only when it is the actor's turn */
void act_in_turns(unsigned int acts);
/* Give up the turn of a process that has ended */
void end_turn(int pid);
/* Programs that the fuzzer executes */
void hop(void);
/* Copies of this program, one set-user-ID root */
extern char suid_program[4096], plain_program[4096];

#endif /* KNC_TEST_HOSTILE_H */
