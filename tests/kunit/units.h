/* SPDX-License-Identifier: GPL-2.0 */
/* Doors into functions that the module's sources keep to themselves */
#ifndef KNC_TEST_UNITS_H
#define KNC_TEST_UNITS_H

#include <linux/types.h>

struct knc_claim;
struct knc_follow;
struct knc_ring;
struct knc_sampler;
struct knc_session;
struct knc_uncore;
struct pt_regs;
struct task_struct;

/* The handler of an NMI: was it ours? And the handler of a vector */
bool knc_test_nmi(struct pt_regs *regs);
void knc_test_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg);
void knc_test_pmi_mode(char *mode);

/* The handler of an NMI while others have vectors: was it ours? */
bool knc_test_nmi_beside(struct pt_regs *regs);
/* The result of a vector's allocation: the vector, or -errno */
void knc_test_vectors(int vector);

/* Another thread of the core was interrupted for an overflow; on the CPU, interrupts off */
void knc_test_look(void);
void knc_test_pmi_init(void);

/* The overflow interrupt's way to write a record; false: no room */
bool knc_test_ring_put(struct knc_ring *r, const void *record, u32 most,
		       u32 size);

/* The timers' functions; on the hardware thread, interrupts off */
void knc_test_tick(struct knc_sampler *s);
void knc_test_time_sample(struct knc_sampler *s);
bool knc_test_measure(u64 now);
/* The clock has its rate at boot; no other is known. */
void knc_test_measure_end(void);

/* CLOCK_MONOTONIC for the measurement of the time stamp counter; 0: the machine's */
extern u64 knc_test_now;

/* Called when a sampler has read the clock; NULL: nothing */
extern void (*knc_test_behind_clock)(void);

/* How often the memory of a program was copied while the kernel was interrupted */
extern unsigned int knc_test_copies;
/* The end of a program's memory, whose bytes are all KNC_TEST_MEMORY; 0: the real one's */
extern unsigned long knc_test_memory_end;
#define KNC_TEST_MEMORY	0x5a

/* Called when a sampler asks for the pid in a namespace; NULL: nothing */
extern void (*knc_test_asks_pid)(void);

/* The kernel is locked down; how often that was asked (each time is a line in its log) */
extern bool knc_test_locked_down;
extern unsigned int knc_test_lockdown_asked;

/* The sampler of the i-th hardware thread, or NULL */
struct knc_sampler *knc_test_sampler(struct knc_session *s, unsigned int i);

/* Is the timer that ends turns on a CPU? */
bool knc_test_rotates(unsigned int cpu);

/* All hardware threads may be bothered so often. The counters are free now; there is no session. */
#define KNC_TEST_GIVE_BACKS	256
void knc_test_give_backs(unsigned int nr);
/* From now on they may; counters and sessions remain as they are. */
void knc_test_may_give_back(unsigned int nr);
/* Time passes, in jiffies: what was to be done meanwhile is done at its end */
#define KNC_TEST_KEEP		(2 * HZ)
#define KNC_TEST_DELAY		(HZ / 8)
void knc_test_later(unsigned long passed);
/* As perf asks for a counter, or for an event select: does it get it? It gives it back. */
bool knc_test_ask(bool evtsel);
/* Is a counter reserved, if nobody is told of the question? */
bool knc_test_reserved(void);
/* The kernel can't tell who asks */
extern bool knc_test_unwatched;

/* The idle loop begins to wait, or has waited */
void knc_test_idle(bool exit);

/* Of the next switches: is the previous task preempted? Otherwise its state, TASK_* */
extern bool knc_test_preempts;
extern unsigned int knc_test_state;

/* Calls by the scheduler; on the task's CPU, interrupts off */
void knc_test_switch(struct task_struct *prev, struct task_struct *next);
void knc_test_exit(struct task_struct *task);
void knc_test_fork(struct task_struct *parent, struct task_struct *child);
void knc_test_exec(struct task_struct *task, bool secure);

/* While this is held the module's probes are not registered with the scheduler. */
void knc_test_hold_probes(bool hold);
unsigned int knc_test_probes_users(void);
bool knc_test_probes_there(void);

/* Entries of tasks that are followed; none is to remain */
unsigned int knc_test_nr_tasks(void);
/* The target that @f has of @task, or NULL */
struct knc_claim *knc_test_claim(struct knc_follow *f,
				 const struct task_struct *task);

/* All tasks are in one bucket of the table; no task is followed */
void knc_test_one_bucket(bool one);

/*
 * The longest hold of the lock of all tasks, and all its holds, in tasks that were looked at; how
 * often it was taken with interrupts off
 */
extern unsigned int knc_test_longest, knc_test_visits, knc_test_locked_off;

/* How often times were computed, and with interrupts off */
extern unsigned int knc_test_told, knc_test_told_off;

/* Work on the way back to user mode: fail to add it, or do it now */
void knc_test_work_fails(int err);
bool knc_test_do_work(void);
void knc_test_rdpmc_fork(struct task_struct *parent, struct task_struct *child);
unsigned int knc_test_nr_grants(void);
/* Sessions that give permissions; none is to remain */
unsigned int knc_test_nr_grantors(void);

/* A host's probe, on which CPU @odd has another PMU; why it refuses, or NULL */
const char *knc_test_host_probe(unsigned int odd);

/* How often a kernel thread has used the loader's memory, and how often that had no user */
extern unsigned int knc_test_mm_uses, knc_test_mm_dead_uses;

/* How often the permission of this task's memory was looked at, and without its lock */
void knc_test_watch(struct task_struct *task);
extern unsigned int knc_test_steps;
extern unsigned int knc_test_looks, knc_test_looks_unlocked;
extern unsigned int knc_test_looked, knc_test_looked_locked;
extern unsigned int knc_test_asked;
void knc_test_rdpmc_exit(void);

/* The poll of the uncore at this moment; without the next one; will there be one in time? */
void knc_test_uncore_poll(void);
void knc_test_uncore_cancel(void);
bool knc_test_uncore_polls(u64 hz);
/* Close a session during a poll whose kernel thread gets no time; does that still go on then? */
bool knc_test_uncore_close_early(struct knc_uncore *u);
/* The count of event @i at the last look at the counters */
struct knc_pmu_thread;

void knc_test_uncore_init(void);
void knc_test_uncore_record(const struct knc_uncore *u, struct knc_pmu_thread *record);
u64 knc_test_uncore_count(const struct knc_uncore *u, unsigned int i);

#endif /* KNC_TEST_UNITS_H */
