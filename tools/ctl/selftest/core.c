// SPDX-License-Identifier: GPL-2.0
/*
 * Thread mode: a counter counts the threads that the kernel's topology names for its core, and no
 * others
 */
#include <string.h>

#include "cli/cpus.h"
#include "selftest/trial.h"

#define N	20000UL

/* The count of hardware thread @on, in thread mode, for known work on @at */
static int count_of(struct selftest *t, unsigned int on, unsigned int at, __u64 *count)
{
	struct trial s = { .nr = 1 };

	event_on(&s.event[0], 0, EVENT_INSTRUCTIONS,
		 KNC_PMU_EVENT_USR | KNC_PMU_EVENT_THREAD_MODE);
	return run_on(t, at) ? -1 : trial_count(t, &s, on, work_loop, N, count);
}

/* In thread mode a core's first thread counts all its threads, but not @other of another core */
static void check_core(struct selftest *t, const struct kncpmu_core *core, unsigned int other)
{
	unsigned int first = first_cpu(&core->cpus), cpu;
	__u64 count;

	for (cpu = first; cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(&core->cpus, cpu)) {
		if (!kncpmu_cpus_test(&t->topology.online, cpu))
			continue;
		if (count_of(t, first, cpu, &count))
			return;
		if (count < 2 * N)
			fail(t, "CPU %u in thread mode: %llu of %lu instructions of CPU %u, which "
			     "the kernel calls its sibling",
			     first, (unsigned long long)count, 2 * N, cpu);
	}
	if (other == NO_CPU || count_of(t, first, other, &count))
		return;
	/* the threads of an idle core may execute a little */
	if (count > N)
		fail(t, "CPU %u in thread mode counts CPU %u, of another core", first, other);
}

void test_siblings(struct selftest *t)
{
	const struct kncpmu_topology *all = &t->topology;
	unsigned int i, other;

	for (i = 0; i < all->nr_cores && !has_failed(t); i++) {
		other = all->nr_cores > 1 ? first_cpu(&all->cores[(i + 1) % all->nr_cores].cpus) :
		     NO_CPU;
		check_core(t, &all->cores[i], other);
	}
	measured(t, "cores", all->nr_cores);
	measured(t, "width", all->width);
}
