// SPDX-License-Identifier: GPL-2.0
/* Checks of registers and of known counts: nothing here overflows */
#include <string.h>
#include <unistd.h>

#include "cli/array.h"
#include "selftest/trial.h"

#define N	100000UL
/* An interrupt may add an instruction: one exact try proves that the counter is exact */
#define TRIES	5

void test_registers(struct selftest *t)
{
	int i, nr = read_registers(t, t->cpu, t->before, ARRAY_SIZE(t->before));
	char name[REGISTER_NAME];

	if (nr < 0)
		return;
	t->nr_before = nr;
	for (i = 0; i < nr; i++) {
		name_register(&t->before[i], name);
		measured(t, name, t->before[i].value);
	}
}

void test_restored(struct selftest *t)
{
	if (!t->nr_before)
		skip(t, "an earlier run has read the registers");
	else if (t->changed)
		fail(t, "since check %s a register is not as before: %s", t->changed, t->change);
}

/* How much @n more iterations add to the count of one event */
static int growth(struct selftest *t, struct trial *s, work_fn work, __u64 *more)
{
	__u64 once[KNC_NR_COUNTERS], twice[KNC_NR_COUNTERS];
	unsigned int i;

	if (trial_count(t, s, NO_CPU, work, N, once) ||
	    trial_count(t, s, NO_CPU, work, 2 * N, twice))
		return -1;
	for (i = 0; i < s->nr; i++)
		more[i] = twice[i] - once[i];
	return 0;
}

/* Known work, and what an iteration adds to each event */
static const struct {
	const char *name;
	__u64 event;
	work_fn work;
	unsigned int each;
} known[] = {
	{ "instructions", EVENT_INSTRUCTIONS, work_loop, 2 },
	{ "branches", EVENT_BRANCHES, work_loop, 1 },
	{ "reads", EVENT_DATA_READ, work_copy, 1 },
	{ "writes", EVENT_DATA_WRITE, work_copy, 1 },
	{ "instructions of calls", EVENT_INSTRUCTIONS, work_call, 4 },
	{ "branches of calls", EVENT_BRANCHES, work_call, 3 },
	{ "reads of calls", EVENT_DATA_READ, work_call, 1 },
};

static void check_known(struct selftest *t, unsigned int counter, unsigned int i)
{
	__u64 more = 0, want = known[i].each * N;
	struct trial s = { .nr = 1 };
	unsigned int try;

	for (try = 0; try < TRIES && more != want; try++) {
		event_on(&s.event[0], counter, known[i].event, KNC_PMU_EVENT_USR);
		memset(&s.config, 0, sizeof(s.config));
		if (growth(t, &s, known[i].work, &more))
			return;
	}
	measured(t, known[i].name, more);
	if (more != want)
		fail(t, "%s: %llu instead of %llu, in each of %u tries", known[i].name,
		     (unsigned long long)more, (unsigned long long)want, TRIES);
}

static void check_counter(struct selftest *t, unsigned int counter)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		check_known(t, counter, i);
}

void test_counter0(struct selftest *t)
{
	check_counter(t, 0);
}

void test_counter1(struct selftest *t)
{
	check_counter(t, 1);
}

void test_illegal(struct selftest *t)
{
	struct trial s = { .nr = 1 };
	unsigned int counter;
	__u64 count;

	for (counter = 0; counter < KNC_NR_COUNTERS; counter++) {
		event_on(&s.event[0], counter, EVENT_ILLEGAL, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS);
		memset(&s.config, 0, sizeof(s.config));
		if (trial_count(t, &s, NO_CPU, work_copy, N, &count))
			return;
		if (count)
			fail(t, "counter %u counted %llu of event %#llx", counter,
			     (unsigned long long)count, (unsigned long long)EVENT_ILLEGAL);
	}
}

static int count_rings(struct selftest *t, unsigned int counter, unsigned int rings, __u64 *count)
{
	struct trial s = { .nr = 1 };

	event_on(&s.event[0], counter, EVENT_INSTRUCTIONS, rings);
	return trial_count(t, &s, NO_CPU, work_loop, N, count);
}

void test_rings(struct selftest *t)
{
	__u64 user, kernel, both;
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		if (count_rings(t, n, KNC_PMU_EVENT_USR, &user) ||
		    count_rings(t, n, KNC_PMU_EVENT_OS, &kernel) ||
		    count_rings(t, n, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS, &both))
			return;
		measured(t, n ? "user 1" : "user 0", user);
		measured(t, n ? "kernel 1" : "kernel 0", kernel);
		measured(t, n ? "both 1" : "both 0", both);
		if (user < 2 * N || user > 2 * N + N / 10)
			fail(t, "counter %u with USR: %llu, the code has %lu", n,
			     (unsigned long long)user, 2 * N);
		/* a few in ring 0: stopping the counter, and interrupts */
		if (!kernel || kernel > N)
			fail(t, "counter %u with OS: %llu in ring 0 for code in ring 3", n,
			     (unsigned long long)kernel);
		if (both < 2 * N + 1 || both > 3 * N)
			fail(t, "counter %u with USR and OS: %llu", n, (unsigned long long)both);
	}
}

/* Both counters at once: events whose counts differ, and each beside one that counts nothing */
void test_isolation(struct selftest *t)
{
	static const struct {
		__u64 event[KNC_NR_COUNTERS];
		unsigned int each[KNC_NR_COUNTERS];
	} pairs[] = {
		{ { EVENT_INSTRUCTIONS, EVENT_BRANCHES }, { 4, 1 } },
		{ { EVENT_BRANCHES, EVENT_INSTRUCTIONS }, { 1, 4 } },
		{ { EVENT_INSTRUCTIONS, EVENT_ILLEGAL }, { 4, 0 } },
		{ { EVENT_ILLEGAL, EVENT_INSTRUCTIONS }, { 0, 4 } },
	};
	__u64 more[KNC_NR_COUNTERS] = { 0, 0 };
	struct trial s = { .nr = 2 };
	unsigned int i, n, try;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		for (try = 0; try < TRIES; try++) {
			for (n = 0; n < KNC_NR_COUNTERS; n++)
				event_on(&s.event[n], n, pairs[i].event[n], KNC_PMU_EVENT_USR);
			memset(&s.config, 0, sizeof(s.config));
			if (growth(t, &s, work_copy, more))
				return;
			if (more[0] == pairs[i].each[0] * N && more[1] == pairs[i].each[1] * N)
				break;
		}
		if (try == TRIES)
			fail(t, "events %#llx and %#llx at once: %llu and %llu, not %lu and %lu",
			     (unsigned long long)pairs[i].event[0],
			     (unsigned long long)pairs[i].event[1], (unsigned long long)more[0],
			     (unsigned long long)more[1], pairs[i].each[0] * N,
			     pairs[i].each[1] * N);
	}
}
