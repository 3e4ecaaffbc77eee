/* SPDX-License-Identifier: GPL-2.0 */
/*
 * knc-pmuctl selftest: checks that prove a card's counters, in the order of danger
 *
 *	selftest.c	the command line, and the card that is checked
 *	checks.c	the checks in their order
 *	run.c		runs them
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
#include <card.h>
#include <topology.h>

#include "cli/clock.h"
#include "cli/json.h"
#include "cli/memory.h"
#include "cli/message.h"

/* Events of events.def, by their codes */
#define EVENT_DATA_READ		KNC_PMU_EVENT_CODE(0x00, 0)
#define EVENT_DATA_WRITE	KNC_PMU_EVENT_CODE(0x01, 0)
#define EVENT_BRANCHES		KNC_PMU_EVENT_CODE(0x12, 0)
#define EVENT_INSTRUCTIONS	KNC_PMU_EVENT_CODE(0x16, 0)
#define EVENT_CYCLES		KNC_PMU_EVENT_CODE(0x2a, 0)
/* An undocumented code, hence "illegal": it never increments (327357 1.4.3.3) */
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

struct check;

/**
 * struct selftest - a run
 * @cpu: the hardware thread whose counters are checked
 * @sibling: another one of its core, or NO_CPU
 * @topology: all cores
 * @card: what is known of the card
 * @pmu: its PMU, as the module tells it
 * @checks: the checks, in their order
 * @nr_checks: how many
 * @outcomes: of each check
 * @now: the outcome of the running check
 * @before: registers of @cpu before the first check
 * @nr_before: how many
 * @changed: the check after which a register had changed, or NULL
 * @change: that register, and its values
 */
struct selftest {
	unsigned int cpu;
	unsigned int sibling;
	struct kncpmu_topology topology;
	struct kncpmu_card card;
	struct knc_pmu_desc pmu;
	const struct check *checks;
	unsigned int nr_checks;
	struct outcome *outcomes;
	struct outcome *now;
	struct knc_pmu_reg before[16];
	unsigned int nr_before;
	const char *changed;
	char change[100];
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
const struct check *all_checks(unsigned int *nr);

struct journal;

/* Run all checks whose outcome is not known; returns how many have failed */
unsigned int run_checks(struct selftest *t, struct journal *journal);

/* result.c */
/* The outcome of the check with this name */
const struct outcome *outcome_of(const struct selftest *t, const char *name);
/* Fail or skip the running check; the first reason is kept */
__printf(2, 3)
void fail(struct selftest *t, const char *fmt, ...);
__printf(2, 3)
void skip(struct selftest *t, const char *fmt, ...);
int has_failed(const struct selftest *t);
/* Add a figure to the running check's outcome */
void measured(struct selftest *t, const char *key, __u64 value);
void measured_real(struct selftest *t, const char *key, double value);
void measured_json(struct selftest *t, const char *key, json_t *value);
void print_ktap_head(const struct selftest *t);
void print_outcome(const struct check *check, unsigned int number, const struct outcome *outcome);
const char *result_name(enum check_result result);
/* Write the report that is to be sent in; returns an exit status */
int write_report(const struct selftest *t, const char *path);
/* Describe the kernel, the card, the module and this tool */
json_t *identity_json(const struct selftest *t);

#define CHECK(name)	void test_##name(struct selftest *t);
#include "selftest/checks.def"
#undef CHECK

#endif /* KNC_CTL_SELFTEST_H */
