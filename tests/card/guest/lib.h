/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the test programs on the card share */
#ifndef KNC_TEST_LIB_H
#define KNC_TEST_LIB_H

#include <linux/userfaultfd.h>
#include <stdlib.h>

#include <knc/regs.h>
#include <knc_pmu.h>

#define __noreturn	__attribute__((__noreturn__))
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Events that the card counts exactly, by their numbers in 327357 */
#define DATA_READ		0x00
#define DATA_WRITE		0x01
#define BRANCHES		0x12
#define INSTRUCTIONS_EXECUTED	0x16
#define INSTRUCTIONS_EXECUTED_V_PIPE	0x17
#define DATA_READ_OR_WRITE	0x28
#define CPU_CLK_UNHALTED	0x2a
/* Events that only counter 0 can count */
#define L2_READ_HIT_M		0x10c9
#define L2_READ_MISS		0x10cb

#define USR		KNC_PMU_EVENT_USR
#define OS		KNC_PMU_EVENT_OS

/*
 * Tests. Each runs in a process of its own. After a test none of its processes may run, no session
 * may be left, and the registers must be restored. A test waits for a state, never for a time,
 * because a machine may be slow; a test that hangs is ended after TEST_SECONDS.
 */
#define TEST_SECONDS	400

struct test {
	const char *name;
	void (*run)(void);
};

/* @names: the tests to run, then NULL; all if there are none */
int run_tests(const struct test *tests, unsigned int nr, char **names);

/* The main() of a program that only has @tests: its arguments name those to run */
#define TEST_PROGRAM(tests)							\
	int main(int argc, char **argv)						\
	{									\
		exit(run_tests(tests, ARRAY_SIZE(tests), argv + !!argc));	\
	}

/* Report the reason and end the test */
__noreturn __printf(1, 2) void fail(const char *fmt, ...);
/* Report the missing thing and end the test */
__noreturn __printf(1, 2) void skip(const char *fmt, ...);
/* A figure for the reader of the output */
__printf(1, 2) void note(const char *fmt, ...);

void check_at(const char *file, int line, const char *what, long long got,
	      long long want);

#define check(got, want)						\
	check_at(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))

/* A struct knc_pmu_thread of a session with up to two events, for READ */
struct record {
	__u32 cpu;
	__u16 flags;
	__u16 nr_events;
	__u64 tsc;
	__u64 time;
	__u64 time_enabled;
	__u64 time_running;
	__u64 value[2];
};

_Static_assert(sizeof(struct record) == KNC_PMU_THREAD_SIZE(2), "struct record");

/* The registers of REGS, by name */
struct regs {
	unsigned long long perfcntr[2];
	unsigned long long perfevtsel[2];
	unsigned long long spflt_control;
	unsigned long long global_status;
	unsigned long long global_ctrl;
	unsigned long long tsc;
	unsigned long long cr4;
	unsigned long long lvtpc;
};

/* A command with a struct of another size */
#define SIZED(cmd, size)						\
	(((cmd) & ~(unsigned long)IOCSIZE_MASK) |			\
	 ((unsigned long)(size) << IOCSIZE_SHIFT & IOCSIZE_MASK))

/* A request for CONFIG; must not be copied, because its addresses point into itself */
struct request {
	struct knc_pmu_config c;
	struct knc_pmu_event e[KNC_NR_COUNTERS];
	unsigned char cpus[KNC_PMU_MAX_CPUS / 8];
};

void ask(struct request *r, unsigned int cpu, unsigned int nr_events);
void ask_cpu(struct request *r, unsigned int cpu);
void ask_event(struct request *r, unsigned int i, unsigned int code,
	       unsigned int flags);

/* As ask(), for the task @pid; 0: the caller */
void ask_task(struct request *r, int pid, unsigned int flags,
	      unsigned int nr_events);

/* Returns the result of the ioctl, or -errno */
int command(int fd, unsigned long cmd, const void *arg);
int config(int fd, struct request *r);
int start(int fd);
int stop(int fd);
int reset(int fd, unsigned long flags);
int read_all(int fd, void *records, unsigned long long size);
/* @flags: KNC_PMU_READ_* */
int read_flags(int fd, unsigned int flags, void *records,
	       unsigned long long size);
int read_regs(int fd, unsigned int cpu, struct regs *regs);

int open_device(void);
/* A session, not started, for a request that CONFIG must accept */
int open_session_at(const char *file, int line, struct request *r);

#define open_session(r)	open_session_at(__FILE__, __LINE__, (r))

/*
 * Are overflow interrupts in user mode vectors? If so, another interrupt may come first, and a
 * sample of the program may have an address in the kernel
 */
int is_irq_mode(void);
/* Are overflow interrupts in the kernel NMIs? */
int has_nmis(void);
/* The number of configured sessions on the machine */
unsigned int nr_sessions(void);
/* The time stamp counter, from which sessions that follow tasks take their times */
unsigned long long tsc(void);
void ask_info(struct knc_pmu_info *info);
unsigned long long ticks_to_ns(unsigned long long ticks);
/* CLOCK_MONOTONIC */
unsigned long long now_ns(void);
/* A session for one event on one hardware thread, not started */
int session(unsigned int cpu, unsigned int code, unsigned int flags);
/* Read the counts of a session on one hardware thread, which must have no flags */
void read_counts(int fd, unsigned int nr, unsigned long long *counts);

/* A session for one event that follows a task, not started */
int task_session(int pid, unsigned int config_flags, unsigned int code,
		 unsigned int flags);
/* Read the counts of a session that follows tasks, which must have these flags */
void read_task(int fd, unsigned int nr, unsigned int flags,
	       unsigned long long *counts);

/* Check that CONFIG refuses @r with an errno and a reason */
void refused(struct request *r, int err, unsigned int reason);
/* Check that a counter has this owner on all hardware threads; @flags: KNC_PMU_OWNER_* */
void check_owner(unsigned int counter, unsigned int flags, int pid);
/* Check that no session has a counter */
void check_unowned(void);

/*
 * List the processes that may execute RDPMC, as far as the caller may see them; returns their
 * number
 */
int ask_grants(struct knc_pmu_grant *grants, unsigned int nr);
/* Check that no hardware thread permits RDPMC while the caller runs on it */
void check_no_pce(void);

#define NOBODY		65534

/* The group of the device file */
unsigned int device_group(void);
/* Drop all privileges */
void become_other(unsigned int uid, unsigned int group);
void become_nobody(unsigned int group);
/* Wait for a child; the test ends as the child did, unless that has succeeded */
void wait_child(int pid);
/* Call @fn in a child without privileges that may open the device */
void as_user(unsigned int uid, void (*fn)(void));

/* Pass a file through a socket. */
void pass_file(int socket, int fd);
int receive_file(int socket);

/* The registers that a session changes */
struct registers {
	unsigned long long perfcntr[2];
	unsigned long long perfevtsel[2];
	unsigned long long spflt_control;
	unsigned long long global_ctrl;
	unsigned long long global_status;
	unsigned long long lvtpc;
};

void get_registers(unsigned int cpu, struct registers *regs);
/* Write all registers except STATUS and LVT PC, which can't be written from here */
void put_registers(unsigned int cpu, const struct registers *regs);
void check_registers(unsigned int cpu, const struct registers *want);
/* Register contents after a reset, except for LVT PC, which the kernel's perf has set */
extern const struct registers zeros;

/*
 * A counting event of perf in user mode: of this thread, or of a CPU if @pid is -1. Returns a file
 * descriptor, or -errno
 */
int perf_open(unsigned int code, int pid, int cpu);
/* perf reserves the counters, and releases them unused; 0, or -errno */
int perf_asks(void);
/* Save the registers after perf has used the counters: perf leaves values there */
void save_registers(void);
void put_back_registers(void);

unsigned int nr_cpus(void);
int is_online(unsigned int cpu);
void set_online(unsigned int cpu, int online);
void pin(unsigned int cpu);
/* As pin(), for another task; 0, or -errno */
int pin_task(int pid, unsigned int cpu);
/* Allow the task to run anywhere, without moving it now */
int unpin_task(int pid);

/* A program of tests/card/prog, pinned; it waits for release() */
struct program {
	int pid;
	int go;
};

void hold(struct program *p, unsigned int cpu, const char *name,
	  unsigned long n, unsigned long m);
/* As hold(), for a function of this program, on any CPU if @cpu is ANY_CPU */
#define ANY_CPU		(~0U)
void hold_call(struct program *p, unsigned int cpu,
	       void (*work)(unsigned long n), unsigned long n);
/* Wait until the program sleeps, off its hardware thread, and awaits its release */
void wait_held(const struct program *p);
void release(const struct program *p);
/* Wait until @pid has this state in /proc: 'S', 'Z', ... */
void wait_state(int pid, char state);
void finish(const struct program *p);
int has_ended(const struct program *p);
/* Sleep for a millisecond */
void wait_ms(void);
/* Move the program to the next hardware thread each millisecond, to its end; returns how often */
unsigned int migrate_to_end(const struct program *p, unsigned int cpu);
/* Run a program alone on @cpu, and count the events of @r from its release to its end */
void measure(struct request *r, unsigned int cpu, const char *name,
	     unsigned long n, unsigned long m, unsigned long long *counts);

/*
 * Copy the program "loop", with this @mode, for root; returns its path. Only the caller and its
 * children see the copy: the caller gets a mount namespace of its own.
 */
const char *copy_loop(unsigned int mode);

/* n iterations of {dec, jnz} in this process */
void loop(unsigned long n);
/*
 * Iterations of "loop" that take many of the scheduler's time slices: 20 million with
 * KNC_TEST_LONG, otherwise a quarter of that
 */
unsigned long long_loop(void);
/*
 * KNC_TEST_SLOW: how many times longer an overflow interrupt takes with this kernel than with
 * others; 1 by default. Time samples are rarer by that factor.
 */
unsigned int slow(void);
/*
 * The factor for periods, relative to those for an NMI. A vector may take longer than an NMI: 4
 * where KNC_TEST_PMI is set (irq or auto), multiplied by slow() and by calm_down()'s factor
 */
unsigned int pace(void);
/*
 * To be called after @tries throttled runs: after every fourth run the periods double, because a
 * busy machine takes long for an interrupt.
 */
void calm_down(unsigned int tries);
/*
 * How often to try a random race: @most times with KNC_TEST_LONG, otherwise @most / 4, or @most /
 * slow() with a slower kernel
 */
unsigned int rounds(unsigned int most);

/*
 * Let QEMU's monitor execute a command, and call @meanwhile until this is done. Needs
 * KNC_TEST_MONITOR, a path: the commands are in the files PATH.1, PATH.2 ..., and
 * tests/card/monitor-server creates PATH.1.done when the first command is done.
 */
void ask_monitor(const char *command, void (*meanwhile)(void));

unsigned int random_below(unsigned int n);

/*
 * A blocking userfaultfd with these @features, for faults of @mode in @area; skips the test if the
 * kernel has no such userfaultfd
 */
int watch_faults(unsigned long long features, struct uffdio_range area, unsigned long long mode);

/*
 * Kill @client @times times at random moments. After each kill the registers of CPUs 0 to 3 must be
 * restored, and @check_free must find the counters free.
 */
void kill_clients(unsigned int times, void (*client)(void),
		  void (*check_free)(void));

#endif /* KNC_TEST_LIB_H */
