/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions on the CPUs of this machine, each with a model of its registers */
#ifndef KNC_TEST_SESSION_FIXTURE_H
#define KNC_TEST_SESSION_FIXTURE_H

#include <linux/cpumask.h>

#include "model.h"
#include "placing.h"
#include "session/session.h"

/* A suite as KNC_SUITE(), with the tables of session_fixture.c */
#define STAGE_SUITE(label, setup, end)					\
	static struct kunit_suite label##_suite = {			\
		.name = #label,						\
		.suite_init = stage_suite_init,				\
		.suite_exit = stage_suite_exit,				\
		.init = setup,						\
		.exit = end,						\
		.test_cases = label##_cases,				\
	}

#define STAGE_SESSIONS	3
#define STAGE_CPUS	64

/**
 * struct stage - the data of a test of sessions
 * @test: the test
 * @session: sessions, created when they are first configured
 * @nr_events: number of events of each session
 * @first: a CPU
 * @last: another CPU, which can go offline
 * @sampling: the rest of a request beside flags and events
 * @why: the reason of the last refusal
 * @tell: writes CONFIG's answer; NULL: nothing is written
 * @record: the records of the last stage_read()
 * @read_flags: KNC_PMU_READ_*
 * @not_restored: the registers are not expected to be restored at the end
 */
struct stage {
	struct kunit *test;
	struct knc_session *session[STAGE_SESSIONS];
	unsigned int nr_events[STAGE_SESSIONS];
	unsigned int first;
	unsigned int last;
	struct knc_request sampling;
	struct knc_refusal why;
	knc_tell_fn tell;
	struct knc_pmu_thread record[STAGE_CPUS];
	u32 read_flags;
	bool not_restored;
};

extern const struct event_row stage_any;
extern const struct event_row stage_only_0;

int stage_suite_init(struct kunit_suite *suite);
void stage_suite_exit(struct kunit_suite *suite);
s32 stage_user_pid(void);
struct mm_struct *stage_user_mm(void);
void __user *stage_user_buffer(void);
int stage_init(struct kunit *test);
int stage_init_wide(struct kunit *test);
void stage_exit(struct kunit *test);

struct model_regs stage_before(unsigned int cpu);
void stage_expect_forgotten(struct stage *st, unsigned int cpu);
void stage_hotplug(struct stage *st, bool on);
void stage_remove_cpu(struct stage *st, unsigned int cpu);
void stage_add_cpu(struct stage *st, unsigned int cpu);

int stage_config_events(struct stage *st, unsigned int i, const struct cpumask *cpus,
			struct knc_event *events, unsigned int nr, u32 flags);
int stage_config(struct stage *st, unsigned int i, const struct cpumask *cpus,
		 struct placing *p, u32 flags);
void stage_claim(struct stage *st, unsigned int i, const struct cpumask *cpus,
		 unsigned int nr);
void stage_destroy(struct stage *st, unsigned int i);
void stage_run(unsigned int events);
int stage_read_raw(struct stage *st, unsigned int i, u64 size);
void stage_read(struct stage *st, unsigned int i);
int stage_stats(struct stage *st, struct knc_pmu_stats *stats, unsigned int nr);

#endif /* KNC_TEST_SESSION_FIXTURE_H */
