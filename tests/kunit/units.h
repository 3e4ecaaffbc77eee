/* SPDX-License-Identifier: GPL-2.0 */
/* Access to functions that are private to the module's sources */
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

/* The NMI's handler, which returns whether the NMI was ours; and the vector's */
bool knc_test_nmi(struct pt_regs *regs);
void knc_test_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg);
void knc_test_pmi_mode(char *mode);

/* The NMI's handler while other CPUs use vectors: was the NMI ours? */
bool knc_test_nmi_beside(struct pt_regs *regs);
/* The result of allocating a vector: the vector, or -errno */
void knc_test_vectors(int vector);

/* As if another thread of the core was interrupted for an overflow; on the CPU, interrupts off */
void knc_test_look(void);
void knc_test_pmi_init(void);

/* Write a record as the overflow interrupt does; false: no room */
bool knc_test_ring_put(struct knc_ring *r, const void *record, u32 most,
		       u32 size);

/* Functions of the timers; on the hardware thread, interrupts off */
void knc_test_tick(struct knc_sampler *s);
void knc_test_time_sample(struct knc_sampler *s);
bool knc_test_measure(u64 now);
/* The clock returns to its rate at boot. */
void knc_test_measure_end(void);

/* CLOCK_MONOTONIC for the measurement of the time stamp counter; 0: the machine's clock */
extern u64 knc_test_now;

/* If set, called after a sampler has read the clock */
extern void (*knc_test_behind_clock)(void);

/* How often a program's memory was copied while the kernel was interrupted */
extern unsigned int knc_test_copies;
/* The end of a program's memory, whose bytes are all KNC_TEST_MEMORY; 0: real memory */
extern unsigned long knc_test_memory_end;
#define KNC_TEST_MEMORY	0x5a

/* If set, called when a sampler determines the pid in a namespace */
extern void (*knc_test_asks_pid)(void);

/* Whether the kernel is locked down; how often this was asked (each logs a line) */
extern bool knc_test_locked_down;
extern unsigned int knc_test_lockdown_asked;

/* The sampler of the i-th hardware thread, or NULL */
struct knc_sampler *knc_test_sampler(struct knc_session *s, unsigned int i);

/* Does the timer that ends turns run on a CPU? */
bool knc_test_rotates(unsigned int cpu);

/*
 * Set how often hardware threads may be interrupted to give counters back. Must be called without a
 * session; gives kept counters back.
 */
#define KNC_TEST_GIVE_BACKS	256
void knc_test_give_backs(unsigned int nr);
/* As knc_test_give_backs(), but counters and sessions remain as they are. */
void knc_test_may_give_back(unsigned int nr);
/* Let jiffies pass; delayed work that is due by then is done at the end */
#define KNC_TEST_KEEP		(2 * HZ)
#define KNC_TEST_DELAY		(HZ / 8)
void knc_test_later(unsigned long passed);
/*
 * Ask as perf does for a counter or an event select, and give it back; returns whether it was
 * granted
 */
bool knc_test_ask(bool evtsel);
/* Is a counter reserved? Does not count as a request */
bool knc_test_reserved(void);
/* If true, the kernel does not report requests for counters */
extern bool knc_test_unwatched;

/* The idle loop begins to wait, or (@exit) ends its wait */
void knc_test_idle(bool exit);

/* For the next context switches: is the previous task preempted? Otherwise its state, TASK_* */
extern bool knc_test_preempts;
extern unsigned int knc_test_state;

/* Calls of the scheduler; on the task's CPU, interrupts off */
void knc_test_switch(struct task_struct *prev, struct task_struct *next);
void knc_test_exit(struct task_struct *task);
void knc_test_fork(struct task_struct *parent, struct task_struct *child);
void knc_test_exec(struct task_struct *task, bool secure);

/* While @hold, the module does not register its probes with the scheduler. */
void knc_test_hold_probes(bool hold);
unsigned int knc_test_probes_users(void);
bool knc_test_probes_there(void);

/* Number of followed tasks in the table; must be 0 at the end */
unsigned int knc_test_nr_tasks(void);
/* The claim of @f for @task, or NULL */
struct knc_claim *knc_test_claim(struct knc_follow *f,
				 const struct task_struct *task);

/* Put all tasks in one bucket of the table; no task may be followed */
void knc_test_one_bucket(bool one);

/*
 * Tasks visited in the longest hold of the lock of all tasks, and in all its holds; how often the
 * lock was taken with interrupts off
 */
extern unsigned int knc_test_longest, knc_test_visits, knc_test_locked_off;

/* How often times were computed, and how often with interrupts off */
extern unsigned int knc_test_told, knc_test_told_off;

/* Work on return to user mode: fail to add it, or run it now */
void knc_test_work_fails(int err);
bool knc_test_do_work(void);
void knc_test_rdpmc_fork(struct task_struct *parent, struct task_struct *child);
unsigned int knc_test_nr_grants(void);
/* Number of sessions that grant permissions; must be 0 at the end */
unsigned int knc_test_nr_grantors(void);

/* A host's probe when CPU @odd has another PMU; returns the reason of a refusal, or NULL */
const char *knc_test_host_probe(unsigned int odd);

/* How often a kernel thread used the loader's memory, and how often that memory had no user */
extern unsigned int knc_test_mm_uses, knc_test_mm_dead_uses;

/* Count accesses to the permission of this task's memory, and those without its lock */
void knc_test_watch(struct task_struct *task);
extern unsigned int knc_test_steps;
extern unsigned int knc_test_looks, knc_test_looks_unlocked;
extern unsigned int knc_test_looked, knc_test_looked_locked;
extern unsigned int knc_test_asked;
void knc_test_rdpmc_exit(void);

/* Poll the uncore now; cancel the next poll; will a poll come in time? */
void knc_test_uncore_poll(void);
void knc_test_uncore_cancel(void);
bool knc_test_uncore_polls(u64 hz);
/* Close a session during a starved poll; returns whether the poll is still running */
bool knc_test_uncore_close_early(struct knc_uncore *u);
struct knc_pmu_thread;

void knc_test_uncore_record(const struct knc_uncore *u, struct knc_pmu_thread *record);
/* The count of event @i at the last poll */
u64 knc_test_uncore_count(const struct knc_uncore *u, unsigned int i);

#endif /* KNC_TEST_UNITS_H */
