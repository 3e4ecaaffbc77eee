/* SPDX-License-Identifier: GPL-2.0 */
/*
 * knc-pmuctl selftest: checks that prove a card's counters, in the order of danger
 *
 *	selftest.c	the command line, and the card that is checked
 *	checks.c	the order of the checks; runs them
 *	journal.c	what is kept on disk, so that a crash loses one check
 *	result.c	how a check says its result; KTAP and JSON
 *	work.c		code whose counts are known
 *	trial.c		counting that work
 *	width.c  counts.c  permission.c  gate.c  core.c  clock.c  events.c  pmi.c  skid.c
 *	costs.c		the checks
 */
#ifndef KNC_CTL_SELFTEST_H
#define KNC_CTL_SELFTEST_H

#include <kncpmu.h>

#include "cli/json.h"
#include "cli/message.h"

/* Events of events.def, by their codes */
#define EVENT_DATA_READ		KNC_PMU_EVENT_CODE(0x00, 0)
#define EVENT_DATA_WRITE	KNC_PMU_EVENT_CODE(0x01, 0)
#define EVENT_BRANCHES		KNC_PMU_EVENT_CODE(0x12, 0)
#define EVENT_INSTRUCTIONS	KNC_PMU_EVENT_CODE(0x16, 0)
#define EVENT_CYCLES		KNC_PMU_EVENT_CODE(0x2a, 0)
/* A code that no document has: "illegal", it never increments (327357 1.4.3.3) */
#define EVENT_ILLEGAL		KNC_PMU_EVENT_CODE(0xee, 0x7f)

#define NO_CPU	KNC_PMU_NO_CPU

enum check_result { CHECK_PASSED, CHECK_FAILED, CHECK_SKIPPED };

/**
 * struct outcome - what a check has found
 * @done: it has ended, now or in an earlier run
 * @result: the result
 * @why: the reason, unless it passed
 * @seconds: how long it took
 * @measured: an object with figures
 */
struct outcome {
	int done;
	enum check_result result;
	char why[400];
	double seconds;
	json_t *measured;
};

/**
 * struct selftest - a run
 * @cpu: the hardware thread whose counters are checked
 * @sibling: another one of its core, or NO_CPU
 * @topology: all cores
 * @card: what is known of the card
 * @pmu: its PMU, as the module tells it
 * @outcomes: of each check
 * @now: of the one that runs
 * @before: registers of @cpu before the first check
 * @nr_before: how many
 * @changed: the check after which they were not the same any more, or NULL
 */
struct selftest {
	unsigned int cpu;
	unsigned int sibling;
	struct kncpmu_topology topology;
	struct kncpmu_card card;
	struct knc_pmu_desc pmu;
	struct outcome *outcomes;
	struct outcome *now;
	struct knc_pmu_reg before[16];
	unsigned int nr_before;
	const char *changed;
};

/**
 * struct check - one check
 * @name: its name
 * @needs: checks that must have passed before, separated by blanks; NULL: none
 * @title: what it proves
 * @run: runs it: calls fail() or skip(), or else it has passed
 */
struct check {
	const char *name;
	const char *needs;
	const char *title;
	void (*run)(struct selftest *t);
};

/* checks.c */
extern const struct check checks[];
unsigned int nr_checks(void);
/* The outcome of a check that has a name */
const struct outcome *outcome_of(const struct selftest *t, const char *name);

struct journal;
/* Run all checks whose outcome is not known; returns how many have failed */
unsigned int run_checks(struct selftest *t, struct journal *journal);

/* result.c */
/* The first reason stays */
__printf(2, 3)
void fail(struct selftest *t, const char *fmt, ...);
__printf(2, 3)
void skip(struct selftest *t, const char *fmt, ...);
int has_failed(const struct selftest *t);
/* Figures of the check that runs */
void measured(struct selftest *t, const char *key, __u64 value);
void measured_real(struct selftest *t, const char *key, double value);
void measured_json(struct selftest *t, const char *key, json_t *value);
void print_ktap_head(const struct selftest *t);
void print_outcome(const struct check *check, unsigned int number, const struct outcome *outcome);
const char *result_name(enum check_result result);
/* The report that is to be sent in; returns an exit status */
int write_report(const struct selftest *t, const char *path);
/* The kernel, the card, the module and this tool */
json_t *identity_json(const struct selftest *t);

/* journal.c */
/* Go on where an earlier run was cut off, if @path is of this kernel and module */
struct journal *journal_open(struct selftest *t, const char *path, int restart);
void journal_begin(struct journal *journal, const struct check *check);
void journal_end(struct journal *journal, const struct check *check, const struct outcome *outcome);
/* The report is written: the journal is not needed any more */
void journal_remove(struct journal *journal);

/* work.c */
/* Each goes round @n times; @memory has 16 bytes */
typedef void (*work_fn)(unsigned long n, void *memory);

void work_loop(unsigned long n, void *memory);	/* 2 instructions, 1 branch */
void work_copy(unsigned long n, void *memory);	/* 4, 1, and a load and a store */
void work_call(unsigned long n, void *memory);	/* 4, 3, and a load and a store */
void work_store(unsigned long n, void *memory);	/* a store and SLED nops, dec, jnz */

#define SLED	12
/* The address after the store of work_store() */
extern const char work_store_next[];

/* What provokes as many events as possible, for @rounds */
void work_everything(unsigned int rounds);

/* trial.c */

/* Of an event: on counter @n */
void event_on(struct knc_pmu_event *event, unsigned int n, __u64 code, unsigned int flags);

/**
 * struct trial - a session and what it counts
 * @fd: the session; -1: none
 * @nr: number of events
 * @event: the events
 * @config: its CONFIG: for sampling @ring_size, for the rest @flags
 * @ring: the ring of the first hardware thread, if it samples there
 */
struct trial {
	int fd;
	unsigned int nr;
	struct knc_pmu_event event[KNC_NR_COUNTERS];
	struct knc_pmu_config config;
	struct kncpmu_ring ring;
};

/* Configure for a hardware thread, or the own task (NO_CPU). Returns 0, or fails the check */
int trial_open(struct selftest *t, struct trial *s, unsigned int cpu);
int trial_start(struct selftest *t, struct trial *s);
/* Read, and stop if @flags has KNC_PMU_READ_STOP */
int trial_read(struct selftest *t, struct trial *s, unsigned int flags,
	       struct knc_pmu_thread *record);
void trial_close(struct trial *s);
/* Run @work while @s counts, and give the counts */
int trial_count(struct selftest *t, struct trial *s, unsigned int cpu, work_fn work,
		unsigned long n, __u64 *counts);

/* This program runs on @cpu from now on */
int run_on(struct selftest *t, unsigned int cpu);
/* A register of a hardware thread; 0 and a failed check if it can't be read */
__u64 read_register(struct selftest *t, unsigned int cpu, unsigned int space, unsigned int number);
int read_registers(struct selftest *t, unsigned int cpu, struct knc_pmu_reg *regs, unsigned int nr);
/* What the interrupt handlers of a hardware thread have counted */
int read_stats(struct selftest *t, unsigned int cpu, struct knc_pmu_stats *stats);

/* The checks */
void test_registers(struct selftest *t);
void test_restored(struct selftest *t);
void test_width(struct selftest *t);
void test_counter0(struct selftest *t);
void test_counter1(struct selftest *t);
void test_rings(struct selftest *t);
void test_isolation(struct selftest *t);
void test_illegal(struct selftest *t);
void test_rdpmc(struct selftest *t);
void test_spflt(struct selftest *t);
void test_spflt_switch(struct selftest *t);
void test_spflt_idle(struct selftest *t);
void test_siblings(struct selftest *t);
void test_tsc(struct selftest *t);
void test_clock(struct selftest *t);
void test_events(struct selftest *t);
void test_event_counters(struct selftest *t);
void test_pmi(struct selftest *t);
void test_status(struct selftest *t);
void test_pmi_target(struct selftest *t);
void test_wraps(struct selftest *t);
void test_core_pmi(struct selftest *t);
void test_handler(struct selftest *t);
void test_skid(struct selftest *t);
void test_latency(struct selftest *t);
void test_costs(struct selftest *t);

#endif /* KNC_CTL_SELFTEST_H */
