// SPDX-License-Identifier: GPL-2.0
/* Requests that lockdown refuses, and those that it allows */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "request/event.h"
#include "request/policy.h"
#include "units.h"

#define USR	KNC_PMU_EVENT_USR
#define OS	KNC_PMU_EVENT_OS
#define SAMPLE	KNC_PMU_EVENT_SAMPLE

/**
 * struct wish - a request for CONFIG
 * @config_flags: KNC_PMU_CONFIG_*
 * @interval: time from one time sample to the next
 * @flags: flags of the two events
 * @refused: the event that shows the kernel, or KEPT
 */
struct wish {
	u32 config_flags;
	u64 interval;
	u32 flags[2];
	unsigned int refused;
};

#define KEPT	99

static const struct wish wishes[] = {
	{ 0, 0, { USR | OS, OS }, KEPT },
	{ 0, 0, { USR | SAMPLE, USR | SAMPLE }, KEPT },
	{ 0, 0, { USR | SAMPLE, OS }, KEPT },
	{ KNC_PMU_CONFIG_CHAIN_USER, 0, { USR | SAMPLE, USR }, KEPT },
	{ 0, 0, { USR | OS | SAMPLE, USR }, 0 },
	{ 0, 0, { OS | SAMPLE, OS | SAMPLE }, 0 },
	{ 0, 0, { USR, OS | SAMPLE }, 1 },
	{ KNC_PMU_CONFIG_CHAIN_KERNEL, 0, { USR | SAMPLE, USR }, 0 },
	{ 0, 1, { USR, USR }, 0 },
};

static int ask(const struct wish *w, struct knc_refusal *why)
{
	struct knc_event events[2] = {
		{ .flags = w->flags[0] },
		{ .flags = w->flags[1] },
	};
	const struct knc_request c = {
		.flags = w->config_flags,
		.sample_interval = w->interval,
		.nr_events = 2,
		.events = events,
	};

	memset(why, 0, sizeof(*why));
	return knc_policy_lockdown(&c, why);
}

static void lockdown(struct kunit *test)
{
	struct knc_refusal why;
	const struct wish *w;
	bool refused;

	for (w = wishes; w < wishes + ARRAY_SIZE(wishes); w++) {
		refused = w->refused != KEPT;
		KUNIT_EXPECT_EQ(test, ask(w, &why), 0);
		KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_NONE);
		knc_test_locked_down = true;
		knc_test_lockdown_asked = 0;
		KUNIT_EXPECT_EQ(test, ask(w, &why), refused ? -EPERM : 0);
		knc_test_locked_down = false;
		/* each call writes a line to the kernel's log */
		KUNIT_EXPECT_EQ(test, knc_test_lockdown_asked, refused);
		KUNIT_EXPECT_EQ(test, why.reason, refused ? KNC_PMU_REASON_LOCKDOWN :
							    KNC_PMU_REASON_NONE);
		KUNIT_EXPECT_EQ(test, why.event, refused ? w->refused : 0);
	}
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE(lockdown),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "policy",
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);
