// SPDX-License-Identifier: GPL-2.0
/*
 * More events than counters: groups of events are multiplexed, for tasks and on hardware threads. A
 * turn ends while the kernel runs, therefore every instruction in user mode belongs to one group's
 * turn. If all groups count the same event, their sum is exact, and equals a pinned event's count.
 * READ does not scale the values.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring.h"

#define CPU		1	/* where programs run */
#define N		1000000UL
/* long enough for a turn of each group, also where instructions are fast */
#define LONG		(4 * long_loop())
#define GROUPS		4
#define MANY		rounds(200)	/* children */
#define KILLS		rounds(30)
#define ROUNDS		rounds(80)
#define READS		500

#define PINNED		KNC_PMU_EVENT_PINNED
#define INHERIT		KNC_PMU_CONFIG_INHERIT
#define ON_EXEC		KNC_PMU_CONFIG_ON_EXEC
#define ENDED		KNC_PMU_THREAD_ENDED
#define MAX		KNC_PMU_MAX_SET

/* A request for CONFIG; must not be copied, see struct request */
struct set {
	struct request r;
	struct knc_pmu_event e[MAX];
	unsigned int groups;
};

static void begin_set(struct set *s)
{
	memset(s->e, 0, sizeof(s->e));
	s->r.c.events = (unsigned long)s->e;
	s->groups = 1;
}

static void ask_cpu_set(struct set *s, unsigned int cpu)
{
	ask(&s->r, cpu, 0);
	begin_set(s);
}

static void ask_task_set(struct set *s, int pid, unsigned int flags)
{
	ask_task(&s->r, pid, flags, 0);
	begin_set(s);
}

static struct knc_pmu_event *add(struct set *s, unsigned int code,
				 unsigned int flags, unsigned int group)
{
	struct knc_pmu_event *e = &s->e[s->r.c.nr_events++];

	e->event = code;
	e->flags = flags;
	e->group = group;
	if (group >= s->groups)
		s->groups = group + 1;
	return e;
}

/* One pinned event, and the same event in each group */
static void add_turns(struct set *s, unsigned int groups)
{
	unsigned int i;

	add(s, INSTRUCTIONS_EXECUTED, USR | PINNED, 0);
	for (i = 0; i < groups; i++)
		add(s, INSTRUCTIONS_EXECUTED, USR, i);
}

/* The same two events in each group */
static void add_pairs(struct set *s, unsigned int groups)
{
	unsigned int i;

	for (i = 0; i < groups; i++) {
		add(s, INSTRUCTIONS_EXECUTED, USR, i);
		add(s, BRANCHES, USR, i);
	}
}

static int configure(struct set *s)
{
	int fd = open_device();

	check(config(fd, &s->r), 0);
	return fd;
}

static int turns_of(struct set *s, int pid, unsigned int flags)
{
	ask_task_set(s, pid, flags);
	add_turns(s, GROUPS);
	return configure(s);
}

static int turns_on(struct set *s, unsigned int cpu)
{
	ask_cpu_set(s, cpu);
	add_turns(s, GROUPS);
	return configure(s);
}

/* Counts */

struct counts {
	unsigned int flags;
	unsigned long long enabled;
	unsigned long long running;
	unsigned long long value[MAX];
	unsigned long long time[MAX];
};

static size_t record_size(const struct set *s)
{
	return s->groups > 1 ? KNC_PMU_SET_SIZE(s->r.c.nr_events) :
			       KNC_PMU_THREAD_SIZE(s->r.c.nr_events);
}

static void take_record(const struct set *s, const void *record,
			struct counts *c)
{
	const struct record *t = record;
	unsigned int nr = s->r.c.nr_events;

	memset(c, 0, sizeof(*c));
	c->flags = t->flags;
	c->enabled = t->time_enabled;
	c->running = t->time_running;
	memcpy(c->value, t->value, nr * sizeof(c->value[0]));
	if (s->groups > 1)
		memcpy(c->time, (unsigned long long *)t->value + nr,
		       nr * sizeof(c->time[0]));
}

/* Read, and check the number of records */
static void read_sets(int fd, const struct set *s, unsigned int nr,
		      struct counts *c)
{
	size_t size = record_size(s);
	unsigned char records[4 * KNC_PMU_SET_SIZE(MAX)];
	unsigned int i;

	check(read_all(fd, records, nr * size), nr);
	for (i = 0; i < nr; i++)
		take_record(s, records + i * size, &c[i]);
}

static void read_set(int fd, const struct set *s, struct counts *c)
{
	read_sets(fd, s, 1, c);
}

/* Has each group counted since @since? */
static int all_ran_since(const struct set *s, const struct counts *c,
			 const struct counts *since)
{
	unsigned int i;

	for (i = 0; i < s->r.c.nr_events; i++)
		if (c->time[i] == since->time[i])
			return 0;
	return 1;
}

static const struct counts nothing;

static int all_ran(const struct set *s, const struct counts *c)
{
	return all_ran_since(s, c, &nothing);
}

static void check_nothing(const struct set *s, const struct counts *c)
{
	unsigned int i;

	check(c->enabled | c->running, 0);
	for (i = 0; i < s->r.c.nr_events; i++)
		check(c->value[i] | c->time[i], 0);
}

static void check_equal(const struct counts *a, const struct counts *b)
{
	check(memcmp(a->value, b->value, sizeof(a->value)), 0);
	check(memcmp(a->time, b->time, sizeof(a->time)), 0);
}

/*
 * Check the times of add_turns() while the session is stopped or its tasks do not run: the turns
 * together are the pinned event's time, to parts of nanoseconds.
 */
static void check_turns(const struct set *s, const struct counts *c)
{
	unsigned long long value = 0, time = 0;
	unsigned int i;

	for (i = 1; i < s->r.c.nr_events; i++) {
		value += c->value[i];
		time += c->time[i];
	}
	check(value, c->value[0]);
	check(c->time[0] >= time && c->time[0] - time < s->r.c.nr_events, 1);
}

/* As check_turns(), for a session that follows tasks: it did not count while none of them ran. */
static void check_task_turns(const struct set *s, const struct counts *c)
{
	check_turns(s, c);
	check(c->running, c->enabled);
	check(c->time[0] <= c->enabled, 1);
}

/* The sum of each event of add_pairs() over all groups */
static void sum_pairs(const struct set *s, const struct counts *c,
		      unsigned long long *sums)
{
	unsigned int i;

	sums[0] = 0;
	sums[1] = 0;
	for (i = 0; i < s->r.c.nr_events; i++) {
		sums[i % 2] += c->value[i];
		check(c->time[i], c->time[i & ~1]);
	}
}

/* Wait until each group has had another turn; a task is being counted. */
static void wait_turns(int fd, const struct set *s)
{
	struct counts before, c;

	read_set(fd, s, &before);
	do {
		wait_ms();
		read_set(fd, s, &c);
	} while (!all_ran_since(s, &c, &before));
}

/*
 * The number of timers that end turns, as the kernel lists them: one for each online hardware
 * thread while there is a session with several groups
 */
static unsigned int count_timers(void)
{
	FILE *list = fopen("/proc/timer_list", "r");
	unsigned int nr = 0;
	char line[256];

	if (!list)
		fail("no list of timers: %s", strerror(errno));
	while (fgets(line, sizeof(line), list))
		nr += !!strstr(line, "knc_rotate");
	fclose(list);
	return nr;
}

static unsigned int nr_online(void)
{
	unsigned int cpu, nr = 0;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		nr += is_online(cpu);
	return nr;
}

/* Wait for @nr timers. A timer whose function is running is not in the list. */
static void wait_timers(unsigned int nr)
{
	while (count_timers() != nr)
		wait_ms();
}

static void check_gone(void)
{
	check_unowned();
	check(count_timers(), 0);
}

/* Programs */

static void begin_spin(struct program *p)
{
	hold(p, CPU, "spin", 0, 0);
	wait_held(p);
}

/* Run an endless program on another hardware thread */
static void run_spin(struct program *p)
{
	pin(0);
	begin_spin(p);
	release(p);
}

static void end_spin(const struct program *p)
{
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	close(p->go);
}

/* Run "loop n" from its release to its end, followed as @s asks */
static void follow(struct set *s, void (*meanwhile)(const struct program *p),
		   struct counts *c)
{
	struct program p;
	int fd;

	pin(0);
	hold(&p, CPU, "loop", LONG, 0);
	wait_held(&p);
	s->r.c.pid = p.pid;
	fd = configure(s);
	if (!(s->r.c.flags & ON_EXEC))
		check(start(fd), 0);
	release(&p);
	if (meanwhile)
		meanwhile(&p);
	finish(&p);
	read_set(fd, s, c);
	check(c->flags, ENDED);
	close(fd);
}

/* Count instructions and branches without multiplexing */
static void follow_plain(unsigned int flags, struct counts *c)
{
	struct set s;

	ask_task_set(&s, 0, flags);
	add_pairs(&s, 1);
	follow(&s, NULL, c);
}

/* Begin a function of this program, followed as @s asks */
static int begin_call(struct set *s, struct program *p,
		      void (*work)(unsigned long n), unsigned long n)
{
	int fd;

	hold_call(p, ANY_CPU, work, n);
	wait_held(p);
	s->r.c.pid = p->pid;
	fd = configure(s);
	check(start(fd), 0);
	release(p);
	return fd;
}

static void follow_call(struct set *s, void (*work)(unsigned long n),
			unsigned long n, struct counts *c)
{
	struct program p;
	int fd;

	fd = begin_call(s, &p, work, n);
	finish(&p);
	read_set(fd, s, c);
	check(c->flags, ENDED);
	close(fd);
}

/* Exact counts */

static void check_exact(unsigned int flags,
			void (*meanwhile)(const struct program *p))
{
	unsigned long long sums[2];
	struct counts want, c;
	struct set s;

	follow_plain(flags, &want);
	ask_task_set(&s, 0, flags);
	add_turns(&s, GROUPS);
	follow(&s, meanwhile, &c);
	check(c.value[0], want.value[0]);
	check_task_turns(&s, &c);
	check(all_ran(&s, &c), 1);
	note("pinned %llu, by turns %llu, %llu, %llu, %llu", c.value[0],
	     c.value[1], c.value[2], c.value[3], c.value[4]);
	ask_task_set(&s, 0, flags);
	add_pairs(&s, GROUPS);
	follow(&s, meanwhile, &c);
	sum_pairs(&s, &c, sums);
	check(sums[0], want.value[0]);
	check(sums[1], want.value[1]);
	check(all_ran(&s, &c), 1);
}

static void test_exact(void)
{
	check_exact(0, NULL);
}

/* Count from the first instruction of a program on */
static void test_on_exec(void)
{
	check_exact(ON_EXEC, NULL);
}

static unsigned int migrations;

static void migrate(const struct program *p)
{
	migrations += migrate_to_end(p, CPU);
}

/* The process that migrates the program may stand still until the program ends: repeat it then. */
static void test_migrated(void)
{
	do {
		check_exact(0, migrate);
	} while (migrations <= 20);
	note("%u migrations", migrations);
}

/* Other programs compete for the hardware thread; one of them is multiplexed as well */
static void test_competitors(void)
{
	struct program others[2];
	struct counts c;
	struct set s;
	unsigned int i;
	int fd;

	pin(0);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		begin_spin(&others[i]);
	fd = turns_of(&s, others[0].pid, 0);
	check(start(fd), 0);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		release(&others[i]);
	check_exact(0, NULL);
	wait_turns(fd, &s);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		end_spin(&others[i]);
	read_set(fd, &s, &c);
	check(c.flags, ENDED);
	check_task_turns(&s, &c);
}

/* The maximal number of events: each gets its turn, beside any number of other programs. */
static void check_most(struct set *s)
{
	struct counts c;
	int fd;

	check(s->r.c.nr_events, MAX);
	fd = configure(s);
	check(start(fd), 0);
	do {
		loop(N);
		read_set(fd, s, &c);
	} while (!all_ran(s, &c));
	check(stop(fd), 0);
	read_set(fd, s, &c);
	check(c.flags, 0);
	close(fd);
}

static __attribute__((__noinline__)) void count_loop(int fd, unsigned long n)
{
	check(start(fd), 0);
	loop(n);
	check(stop(fd), 0);
}

static void test_most(void)
{
	unsigned long long sums[2], count;
	struct counts c;
	struct set s;
	int fd;

	ask_task_set(&s, 0, 0);
	add_turns(&s, MAX - 1);
	check_most(&s);
	ask_task_set(&s, 0, 0);
	add_pairs(&s, MAX / 2);
	check_most(&s);
	/* the last turns have not ended yet */
	ask_task_set(&s, 0, 0);
	add_pairs(&s, MAX / 2);
	fd = configure(&s);
	count_loop(fd, N);
	read_set(fd, &s, &c);
	sum_pairs(&s, &c, sums);
	close(fd);
	fd = task_session(0, 0, INSTRUCTIONS_EXECUTED, USR);
	count_loop(fd, N);
	read_task(fd, 1, 0, &count);
	check(sums[0], count);
}

/* A set that needs only one counter, beside a session that has the other counter */
static void check_beside(struct set *s)
{
	struct record record;
	unsigned long long sum = 0;
	struct program p;
	struct counts c;
	int fd, other = open_device();
	unsigned int i;

	begin_spin(&p);
	if (s->r.c.flags)
		s->r.c.pid = p.pid;
	for (i = 0; i < GROUPS; i++)
		add(s, INSTRUCTIONS_EXECUTED, USR, i)->counters = 1;
	fd = configure(s);
	s->r.c.nr_events = 1;
	s->e[0].counters = 2;
	check(config(other, &s->r), 0);
	s->r.c.nr_events = GROUPS;
	check(start(fd), 0);
	check(start(other), 0);
	release(&p);
	wait_turns(fd, s);
	end_spin(&p);
	check(stop(fd), 0);
	check(stop(other), 0);
	read_set(fd, s, &c);
	check(read_all(other, &record, KNC_PMU_THREAD_SIZE(1)), 1);
	for (i = 0; i < GROUPS; i++)
		sum += c.value[i];
	check(sum, record.value[0]);
	close(fd);
	close(other);
}

static void test_beside(void)
{
	struct set s;

	pin(0);
	ask_task_set(&s, 0, 0);
	check_beside(&s);
	ask_cpu_set(&s, CPU);
	check_beside(&s);
}

/*
 * The counts of "loop" by a session on its hardware thread, without multiplexing; holds the program
 * again
 */
static void measure_plain(struct program *p, unsigned long long *counts)
{
	struct request r;

	ask(&r, CPU, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, BRANCHES, USR);
	measure(&r, CPU, "loop", LONG, 0, counts);
	hold(p, CPU, "loop", LONG, 0);
	wait_held(p);
}

/* Two hardware threads: one with a program, one without */
static void test_threads(void)
{
	unsigned long long ticks[4], want[2];
	struct counts c[2];
	struct program p;
	struct set s;
	int fd;

	measure_plain(&p, want);
	ask_cpu_set(&s, CPU);
	ask_cpu(&s.r, CPU + 1);
	add_turns(&s, GROUPS);
	fd = configure(&s);
	wait_timers(nr_online());
	ticks[0] = tsc();
	check(start(fd), 0);
	ticks[1] = tsc();
	release(&p);
	finish(&p);
	/* ending a turn is quick, unless the machine stands still meanwhile */
	do {
		wait_ms();
		ticks[2] = tsc();
		read_sets(fd, &s, 2, c);
	} while (!all_ran(&s, &c[0]) || !all_ran(&s, &c[1]) ||
		 c[0].time[0] < ticks_to_ns(ticks[2] - ticks[1]) / 2);
	check(stop(fd), 0);
	ticks[3] = tsc();
	read_sets(fd, &s, 2, c);
	check(c[0].flags | c[1].flags, 0);
	check(c[0].value[0], want[0]);
	check_turns(&s, &c[0]);
	check_turns(&s, &c[1]);
	check(c[0].time[0] <= ticks_to_ns(ticks[3] - ticks[0]) + 1, 1);
	note("%llu", c[0].value[0]);
	close(fd);
	check_gone();
}

static void test_thread_pairs(void)
{
	unsigned long long want[2], sums[2];
	struct program p;
	struct counts c;
	struct set s;
	int fd;

	measure_plain(&p, want);
	ask_cpu_set(&s, CPU);
	add_pairs(&s, GROUPS);
	fd = configure(&s);
	check(start(fd), 0);
	release(&p);
	finish(&p);
	check(stop(fd), 0);
	read_set(fd, &s, &c);
	sum_pairs(&s, &c, sums);
	check(sums[0], want[0]);
	check(sums[1], want[1]);
	check(all_ran(&s, &c), 1);
}

/* Times */

static void test_times(void)
{
	unsigned long long ticks[2];
	struct counts a, b;
	struct program p;
	struct set s;
	int fd;

	fd = turns_of(&s, 0, 0);
	read_set(fd, &s, &a);
	check_nothing(&s, &a);
	ticks[0] = tsc();
	check(start(fd), 0);
	/* ending a turn is quick, unless the machine stands still meanwhile */
	do {
		loop(N);
		read_set(fd, &s, &a);
	} while (!all_ran(&s, &a) || a.time[0] < a.enabled / 2);
	check(stop(fd), 0);
	ticks[1] = tsc();
	read_set(fd, &s, &a);
	check_task_turns(&s, &a);
	check(a.enabled <= ticks_to_ns(ticks[1] - ticks[0]) + 1, 1);
	note("counted for %llu of %llu ns", a.time[0], a.enabled);
	loop(N);
	usleep(20000);
	read_set(fd, &s, &b);
	check_equal(&a, &b);
	check(b.enabled, a.enabled);
	check(reset(fd, 0), 0);
	read_set(fd, &s, &a);
	check_nothing(&s, &a);
	close(fd);
	/* a sleeping task */
	begin_spin(&p);
	fd = turns_of(&s, p.pid, 0);
	check(start(fd), 0);
	usleep(20000);
	read_set(fd, &s, &a);
	check_nothing(&s, &a);
	check(stop(fd), 0);
	end_spin(&p);
	read_set(fd, &s, &a);
	check_nothing(&s, &a);
}

/* READ */

static void check_read(int fd, const struct set *s)
{
	unsigned char records[2 * KNC_PMU_SET_SIZE(MAX)], want = 0xa5;
	size_t size = record_size(s), i;
	struct counts a, b;

	memset(records, want, sizeof(records));
	check(read_all(fd, records, size - 1), -ENOSPC);
	for (i = 0; i < sizeof(records); i++)
		check(records[i], want);
	check(read_all(fd, records, sizeof(records)), 1);
	for (i = size; i < sizeof(records); i++)
		check(records[i], want);
	take_record(s, records, &a);
	check(a.enabled > 0, 1);
	/* READ of counts still returns the times of the groups */
	check(read_flags(fd, KNC_PMU_READ_COUNTS, records, size), 1);
	take_record(s, records, &b);
	check(b.enabled | b.running, 0);
	check(((struct record *)records)->time, 0);
	check_equal(&a, &b);
}

static void test_read(void)
{
	struct set s;
	int fd;

	pin(CPU);
	fd = turns_of(&s, 0, 0);
	count_loop(fd, N);
	check_read(fd, &s);
	close(fd);
	fd = turns_on(&s, CPU);
	count_loop(fd, N);
	check_read(fd, &s);
	check(read_flags(fd, KNC_PMU_READ_TASKS, NULL, 0), -EINVAL);
	close(fd);
	/* pinned events are not multiplexed */
	ask_task_set(&s, 0, 0);
	add(&s, INSTRUCTIONS_EXECUTED, USR | PINNED, 0);
	add(&s, BRANCHES, USR | PINNED, 7);
	s.groups = 1;
	fd = configure(&s);
	check(count_timers(), 0);
	count_loop(fd, N);
	check_read(fd, &s);
}

/* A tree of tasks, each multiplexed by itself */

static void fork_loops(unsigned long n)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!fork())
			break;
	for (;;)
		loop(n);
}

#define TREE	4

/* Have all tasks been counted? They are created one after another. */
static int all_there(int fd, void *records, size_t size)
{
	struct record *r;
	unsigned int i;

	if (read_flags(fd, KNC_PMU_READ_TASKS, records, (TREE + 1) * size) <=
	    TREE)
		return 0;
	for (i = 0; i < TREE; i++) {
		r = records + i * size;
		if (!r->value[0])
			return 0;
	}
	return 1;
}

static void test_read_tasks(void)
{
	unsigned char records[(TREE + 1) * KNC_PMU_SET_SIZE(GROUPS + 1)];
	struct record *r;
	unsigned int i, j;
	struct counts c, sum, one;
	struct program p;
	struct set s;
	size_t size;
	int fd;

	ask_task_set(&s, 0, INHERIT);
	add_turns(&s, GROUPS);
	fd = begin_call(&s, &p, fork_loops, N);
	size = record_size(&s);
	do {
		wait_turns(fd, &s);
	} while (!all_there(fd, records, size));
	check(stop(fd), 0);
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, TREE * size),
	      -ENOSPC);
	read_set(fd, &s, &c);
	check_task_turns(&s, &c);
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, sizeof(records)),
	      TREE + 1);
	memset(&sum, 0, sizeof(sum));
	for (i = 0; i <= TREE; i++) {
		r = (void *)(records + i * size);
		take_record(&s, r, &one);
		check_task_turns(&s, &one);
		check(r->cpu == KNC_PMU_NO_CPU, i == TREE);
		if (i < TREE)
			check(one.value[0] > 0, 1);
		else
			check_nothing(&s, &one);
		for (j = 0; j < s.r.c.nr_events; j++)
			sum.value[j] += one.value[j];
	}
	check(memcmp(sum.value, c.value, sizeof(c.value)), 0);
}

/* No value ever decreases, whatever runs meanwhile on any hardware thread. */
static void nap(unsigned long n)
{
	unsigned int i;

	for (i = 0; i < 7; i++)
		if (!fork())
			break;
	for (;;) {
		loop(n);
		usleep(100);
	}
}

static void check_forward(const struct set *s, const struct counts *c,
			  const struct counts *last)
{
	unsigned int i;

	check(c->enabled >= last->enabled, 1);
	for (i = 0; i < s->r.c.nr_events; i++) {
		/* each hardware thread has a clock of its own */
		if (s->r.c.flags & KNC_PMU_CONFIG_TASK)
			check(c->time[i] <= c->enabled, 1);
		if (c->value[i] < last->value[i] || c->time[i] < last->time[i])
			fail("event %u: %llu in %llu ns after %llu in %llu ns",
			     i, c->value[i], c->time[i], last->value[i],
			     last->time[i]);
	}
}

static void read_on(int fd, const struct set *s)
{
	struct counts c, last = nothing;
	unsigned int i;

	for (i = 0; i < READS / slow() || !all_ran(s, &c); i++) {
		read_set(fd, s, &c);
		check_forward(s, &c, &last);
		last = c;
	}
	check(stop(fd), 0);
	read_set(fd, s, &c);
	check_forward(s, &c, &last);
	check_turns(s, &c);
}

static void test_running(void)
{
	struct program p;
	struct set s;
	int fd;

	ask_task_set(&s, 0, INHERIT);
	add_turns(&s, GROUPS);
	fd = begin_call(&s, &p, nap, 10000);
	read_on(fd, &s);
	close(fd);
	fd = turns_on(&s, CPU);
	check(start(fd), 0);
	read_on(fd, &s);
}

/* Which counters events get, and the reasons of refusals */

static void check_placed(struct set *s, const char *counters)
{
	unsigned int i;
	int fd = configure(s);

	for (i = 0; i < s->r.c.nr_events; i++)
		check('0' + s->e[i].counter, counters[i]);
	close(fd);
}

static void test_placed(void)
{
	struct set s;

	ask_task_set(&s, 0, 0);
	add(&s, INSTRUCTIONS_EXECUTED, USR, 0);
	add(&s, L2_READ_MISS, USR, 0);
	add(&s, L2_READ_HIT_M, USR, 1);
	add(&s, BRANCHES, USR, 1);
	add(&s, BRANCHES, USR, 2);
	add(&s, DATA_READ, USR, 3)->counters = 2;
	check_placed(&s, "100101");
	/* a pinned event gets a counter that the other events do not need */
	ask_cpu_set(&s, CPU);
	add(&s, BRANCHES, USR, 0);
	add(&s, INSTRUCTIONS_EXECUTED, USR | PINNED, 0);
	add(&s, L2_READ_MISS, USR, 1);
	check_placed(&s, "010");
	ask_task_set(&s, 0, 0);
	add(&s, BRANCHES, USR, 0);
	add(&s, L2_READ_MISS, USR | PINNED, 0);
	add(&s, DATA_READ, USR, 1);
	check_placed(&s, "101");
	/*
	 * group numbers follow the order of first events: event 2 belongs to the first group again
	 */
	ask_cpu_set(&s, CPU);
	add(&s, BRANCHES, USR, 0);
	add(&s, DATA_READ, USR, 1);
	add(&s, L2_READ_MISS, USR, 0);
	check_placed(&s, "100");
}

static void check_refused(struct set *s, int err, unsigned int reason,
			  unsigned int event)
{
	refused(&s->r, err, reason);
	check(s->r.c.reason_event, event);
}

/* Refusals of invalid groups */
static void refuse_groups(void (*begin)(struct set *s))
{
	struct set s;

	begin(&s);
	add(&s, INSTRUCTIONS_EXECUTED, USR, 0);
	add(&s, BRANCHES, USR, 0);
	add(&s, DATA_READ, USR, 0);
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_GROUP, 2);
	begin(&s);
	add_pairs(&s, MAX / 2);
	s.e[MAX - 1].group = 7;
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_GROUP, MAX - 1);
	begin(&s);
	add(&s, INSTRUCTIONS_EXECUTED, USR, 1);
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_ORDER, 0);
	begin(&s);
	add_pairs(&s, 3);
	s.e[4].group = 3;
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_ORDER, 4);
	s.e[4].group = ~0U;
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_ORDER, 4);
	/* the group of a pinned event is ignored */
	begin(&s);
	add_pairs(&s, 2);
	add(&s, DATA_READ, USR | PINNED, ~0U);
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_PINNED, 4);
	begin(&s);
	add_turns(&s, 3);
	add(&s, DATA_READ, USR, 2);
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_PINNED, 0);
	begin(&s);
	add_turns(&s, 3);
	add(&s, BRANCHES, USR | PINNED, 0);
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_PINNED, 4);
	begin(&s);
	add(&s, BRANCHES, USR | PINNED, 0);
	add(&s, BRANCHES, USR | PINNED, 0);
	add(&s, BRANCHES, USR | PINNED, 0);
	check_refused(&s, EINVAL, KNC_PMU_REASON_SET_PINNED, 2);
}

static void refuse_counters(void (*begin)(struct set *s))
{
	unsigned int i;
	struct set s;

	begin(&s);
	add_pairs(&s, 3);
	add(&s, L2_READ_MISS, USR, 3);
	add(&s, L2_READ_HIT_M, USR, 3);
	check_refused(&s, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR, 6);
	check(s.r.c.reason_other, 7);
	begin(&s);
	add_pairs(&s, 3);
	add(&s, L2_READ_MISS, USR, 3)->counters = 2;
	check_refused(&s, EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER, 6);
	begin(&s);
	add_turns(&s, 3);
	s.e[0].counters = 2;
	s.e[2].counters = 2;
	check_refused(&s, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR, 2);
	check(s.r.c.reason_other, 0);
	begin(&s);
	add_turns(&s, 3);
	add(&s, L2_READ_MISS, USR, 3);
	s.e[0].event = L2_READ_MISS;
	check_refused(&s, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR, 4);
	check(s.r.c.reason_other, 0);
	/* an impossible event after an impossible pair */
	begin(&s);
	for (i = 0; i < MAX - 2; i++)
		add(&s, i == 2 ? L2_READ_MISS : BRANCHES, USR, i);
	add(&s, L2_READ_MISS, USR, i)->counters = 2;
	add(&s, INSTRUCTIONS_EXECUTED, USR | PINNED, 0);
	check_refused(&s, EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER, MAX - 2);
	check(s.r.c.reason_other, 0);
	begin(&s);
	add_turns(&s, 3);
	s.e[3].flags |= KNC_PMU_EVENT_FLAGS + 1;
	check_refused(&s, EINVAL, KNC_PMU_REASON_EVENT_FLAGS, 3);
}

static void refuse_sampling(void (*begin)(struct set *s))
{
	struct set s;

	begin(&s);
	add_turns(&s, 2);
	s.e[0].flags |= KNC_PMU_EVENT_SAMPLE;
	s.e[0].sample_period = PERIOD;
	s.r.c.ring_size = KNC_PMU_MIN_RING;
	refused(&s.r, EOPNOTSUPP, KNC_PMU_REASON_SET_SAMPLING);
	begin(&s);
	add_turns(&s, 2);
	s.r.c.sample_interval = KNC_PMU_MIN_INTERVAL;
	s.r.c.ring_size = KNC_PMU_MIN_RING;
	refused(&s.r, EOPNOTSUPP, KNC_PMU_REASON_SET_SAMPLING);
	/* only one group can be sampled, pinned or not */
	begin(&s);
	add(&s, INSTRUCTIONS_EXECUTED, USR | PINNED | KNC_PMU_EVENT_SAMPLE, 0);
	s.e[0].sample_period = PERIOD;
	s.r.c.ring_size = KNC_PMU_MIN_RING;
	close(configure(&s));
	/* refused without a reason, because the errno is enough */
	begin(&s);
	s.r.c.nr_events = MAX + 1;
	refused(&s.r, EINVAL, 99);
}

static void begin_cpu(struct set *s)
{
	ask_cpu_set(s, CPU);
}

static void begin_task(struct set *s)
{
	ask_task_set(s, 0, INHERIT);
}

static void test_refused(void)
{
	refuse_groups(begin_cpu);
	refuse_groups(begin_task);
	refuse_counters(begin_cpu);
	refuse_counters(begin_task);
	refuse_sampling(begin_cpu);
	refuse_sampling(begin_task);
	check_gone();
}

/* Conflicts with other sessions: counters, and SPFLT */

static void check_busy(struct set *s, unsigned int reason, unsigned int cpu)
{
	refused(&s->r, EBUSY, reason);
	check(s->r.c.reason_counter, 0);
	check(s->r.c.reason_cpu, cpu);
	check(s->r.c.reason_pid, getpid());
}

static void ask_gated(struct set *s)
{
	add(s, INSTRUCTIONS_EXECUTED, USR, 0)->counters = 2;
	add(s, INSTRUCTIONS_EXECUTED, USR, 1)->counters = 2;
	add(s, INSTRUCTIONS_EXECUTED, USR | KNC_PMU_EVENT_SPFLT, 2)->counters = 2;
}

static void check_beside_holder(int holder, unsigned int reason,
				unsigned int cpu, void (*begin)(struct set *s))
{
	struct set s;
	unsigned int i;

	begin(&s);
	add_pairs(&s, 2);
	check_busy(&s, reason, cpu);
	begin(&s);
	add_turns(&s, 2);
	check_busy(&s, reason, cpu);
	check(s.r.c.reason_event, 0);
	begin(&s);
	ask_gated(&s);
	check_busy(&s, KNC_PMU_REASON_SPFLT_BUSY, cpu);
	/* a session that needs only one counter gets it */
	begin(&s);
	for (i = 0; i < GROUPS; i++)
		add(&s, INSTRUCTIONS_EXECUTED, USR, i);
	check_placed(&s, "1111");
	close(holder);
	begin(&s);
	ask_gated(&s);
	check_placed(&s, "111");
}

static int gated_holder(void (*begin)(struct set *s))
{
	struct set s;

	begin(&s);
	add(&s, INSTRUCTIONS_EXECUTED, USR | KNC_PMU_EVENT_SPFLT, 0);
	add(&s, L2_READ_MISS, USR, 1);
	s.e[0].counters = 1;
	return configure(&s);
}

static void test_busy(void)
{
	check_beside_holder(gated_holder(begin_cpu), KNC_PMU_REASON_BUSY, CPU,
			    begin_cpu);
	check_beside_holder(gated_holder(begin_cpu), KNC_PMU_REASON_BUSY, CPU,
			    begin_task);
	check_beside_holder(gated_holder(begin_task), KNC_PMU_REASON_BUSY,
			    KNC_PMU_NO_CPU, begin_cpu);
	check_beside_holder(gated_holder(begin_task), KNC_PMU_REASON_TASK_BUSY,
			    KNC_PMU_NO_CPU, begin_task);
}

/* RDPMC is permitted without a page, because no event has a counter of its own. */
static void test_rdpmc(void)
{
	struct set s;
	void *page;
	int fd;

	fd = turns_of(&s, 0, KNC_PMU_CONFIG_RDPMC);
	check(ask_grants(NULL, 0), 1);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd,
		    KNC_PMU_PAGE_OFFSET);
	check(page == MAP_FAILED && errno == EINVAL, 1);
	close(fd);
	check(ask_grants(NULL, 0), 0);
}

static void test_unprivileged(void)
{
	struct set s;

	become_nobody(device_group());
	check_exact(0, NULL);
	ask_cpu_set(&s, CPU);
	add_turns(&s, 2);
	refused(&s.r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	ask_task_set(&s, 0, 0);
	add_turns(&s, 3);
	s.e[2].flags |= OS;
	check_refused(&s, EPERM, KNC_PMU_REASON_PRIVILEGE, 2);
}

/* Commands, at any moment of a turn */

/* The count from START to STOP is always the same. */
static void test_own(void)
{
	unsigned long long each = 0, begun = 0;
	unsigned int i = 0;
	struct counts c;
	struct set s;
	int fd;

	fd = turns_of(&s, 0, 0);
	do {
		count_loop(fd, N / 100);
		read_set(fd, &s, &c);
		check_task_turns(&s, &c);
		if (!each)
			each = c.value[0];
		check(c.value[0] - begun, each);
		begun = c.value[0];
		/* not in the last rounds, in which all groups must get turns */
		if (i % 64 == 0 && i < ROUNDS) {
			check(reset(fd, 0), 0);
			read_set(fd, &s, &c);
			check_nothing(&s, &c);
			begun = 0;
		}
	} while (++i % 64 || i < ROUNDS || !all_ran(&s, &c));
	note("%u times %llu", i, each);
	check(each >= 2 * N / 100 && each < 2 * N / 100 + 200, 1);
}

/* Commands for an endless program on another hardware thread */
static void command_at_random(int fd, const struct set *s)
{
	unsigned int i, turns = 0;
	struct counts c, again;

	for (i = 0; i < ROUNDS || turns < 10; i++) {
		check(start(fd), 0);
		if (random_below(2))
			wait_ms();
		if (random_below(4) == 0)
			check(reset(fd, 0), 0);
		usleep(random_below(10000));
		check(stop(fd), 0);
		read_set(fd, s, &c);
		check_turns(s, &c);
		read_set(fd, s, &again);
		check_equal(&c, &again);
		turns += all_ran(s, &c);
		if (random_below(4))
			continue;
		check(reset(fd, 0), 0);
		read_set(fd, s, &c);
		check_nothing(s, &c);
	}
	/* RESET while the session counts */
	check(start(fd), 0);
	for (i = 0; i < 3; i++) {
		check(reset(fd, 0), 0);
		wait_turns(fd, s);
	}
	check(stop(fd), 0);
	read_set(fd, s, &c);
	check_turns(s, &c);
	check(c.value[0] > 0, 1);
}

static void test_commands(void)
{
	struct program p;
	struct set s;
	int fd;

	run_spin(&p);
	fd = turns_of(&s, p.pid, 0);
	command_at_random(fd, &s);
	close(fd);
	fd = turns_on(&s, CPU);
	command_at_random(fd, &s);
}

/* Ends */

/* A random number, determined by @seed */
static unsigned int next_random(unsigned long *seed)
{
	*seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
	return *seed >> 40;
}

/* Children that end at random moments of a turn, ten at a time */
static void bear(unsigned long seed)
{
	unsigned int i, n;

	for (i = 0; i < MANY; i++) {
		n = 1 + next_random(&seed) % (N / 2);
		if (!fork()) {
			loop(n);
			_exit(0);
		}
		if (i % 10 == 9)
			while (waitpid(-1, NULL, 0) > 0)
				;
	}
}

static void test_exit(void)
{
	unsigned long seed = random();
	struct counts want, c;
	struct set s;

	ask_task_set(&s, 0, INHERIT);
	add_pairs(&s, 1);
	follow_call(&s, bear, seed, &want);
	ask_task_set(&s, 0, INHERIT);
	add_turns(&s, GROUPS);
	follow_call(&s, bear, seed, &c);
	note("%llu", c.value[0]);
	check(c.value[0], want.value[0]);
	check_task_turns(&s, &c);
	check(all_ran(&s, &c), 1);
	check_gone();
}

/* Children of two lengths, alternately; both run for far less than a turn */
static void bear_briefly(unsigned long n)
{
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		if (!fork()) {
			loop(i % 2 ? 3 * n : n);
			_exit(0);
		}
		waitpid(-1, NULL, 0);
	}
}

/* Each of four groups counts about a quarter of the children's instructions. */
static void test_brief(void)
{
	struct counts c;
	struct set s;
	unsigned int i;

	ask_task_set(&s, 0, INHERIT);
	add_turns(&s, GROUPS);
	follow_call(&s, bear_briefly, N / 5, &c);
	check_task_turns(&s, &c);
	for (i = 1; i < s.r.c.nr_events; i++) {
		note("group %u: %llu of %llu", i - 1, c.value[i], c.value[0]);
		check(c.value[i] > c.value[0] / 8, 1);
	}
}

/* Children that are killed at random moments of a turn */
static void bear_to_kill(unsigned long seed)
{
	unsigned int i;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		while (!pid)
			loop(N);
		usleep(next_random(&seed) % 10000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static void test_killed_children(void)
{
	struct counts c;
	struct set s;

	/* a child may be killed before it has run */
	do {
		ask_task_set(&s, 0, INHERIT);
		add_turns(&s, GROUPS);
		follow_call(&s, bear_to_kill, random(), &c);
		check_task_turns(&s, &c);
	} while (!all_ran(&s, &c));
}

/* The process executes itself again and again, each time in the middle of a turn */
static void execute(unsigned long links)
{
	char self[] = "/proc/self/exe", number[24];
	char *argv[3], *envp[1] = { NULL };

	argv[0] = self;
	argv[1] = number;
	argv[2] = NULL;
	sprintf(number, "%lu", links);
	loop((links + 1) * N / 10);
	if (links)
		execve(self, argv, envp);
	_exit(links > 0);
}

#define LINKS	(8 + rounds(12))

static void test_exec(void)
{
	struct counts c;
	struct set s;

	ask_task_set(&s, 0, 0);
	add_turns(&s, GROUPS);
	follow_call(&s, execute, LINKS, &c);
	note("%llu", c.value[0]);
	check_task_turns(&s, &c);
	check(all_ran(&s, &c), 1);
	check(c.value[0] > (LINKS + 1) * (LINKS + 2) * N / 10, 1);
}

/* The session is closed while the program runs. */
static void close_at_random(int fd, const struct set *s)
{
	struct counts c;

	check(start(fd), 0);
	if (random_below(2))
		wait_turns(fd, s);
	usleep(random_below(6000));
	if (random_below(2))
		read_set(fd, s, &c);
	close(fd);
}

static void test_close(void)
{
	struct registers before;
	struct program p;
	unsigned int i;
	struct set s;

	run_spin(&p);
	get_registers(CPU, &before);
	for (i = 0; i < ROUNDS / 4; i++) {
		close_at_random(turns_of(&s, p.pid, INHERIT), &s);
		check_registers(CPU, &before);
		close_at_random(turns_on(&s, CPU), &s);
		check_registers(CPU, &before);
		check_gone();
	}
}

/* kill -9 at random moments */

static void bear_for_ever(unsigned long n)
{
	for (;;) {
		if (!fork()) {
			loop(n);
			_exit(0);
		}
		loop(n);
		waitpid(-1, NULL, 0);
	}
}

static int observed;

/* Run in the process that is killed: count @observed until then. */
static void observe(void)
{
	struct counts c;
	struct set s;
	int fd, err;

	ask_task_set(&s, observed, INHERIT);
	add_turns(&s, GROUPS);
	fd = open_device();
	err = config(fd, &s.r);
	/* @observed may be killed already */
	while (err == -ESRCH)
		pause();
	check(err, 0);
	check(start(fd), 0);
	for (;;) {
		read_set(fd, &s, &c);
		check(stop(fd), 0);
		if (random_below(4) == 0)
			check(reset(fd, 0), 0);
		check(start(fd), 0);
		usleep(random_below(5000));
	}
}

static void test_kill_observer(void)
{
	struct program p;

	hold_call(&p, ANY_CPU, bear_for_ever, N);
	wait_held(&p);
	observed = p.pid;
	release(&p);
	kill_clients(KILLS, observe, check_gone);
	end_spin(&p);
}

/* Wait until the rest of the tree has ended. */
static void wait_ended(int fd, const struct set *s, struct counts *c)
{
	do {
		read_set(fd, s, c);
	} while (c->flags != ENDED);
}

static void test_kill_observed(void)
{
	struct counts c, again;
	struct program p;
	unsigned int i;
	struct set s;
	int fd;

	for (i = 0; i < KILLS; i++) {
		ask_task_set(&s, 0, i % 2 ? INHERIT : 0);
		add_turns(&s, GROUPS);
		fd = begin_call(&s, &p, bear_for_ever, N);
		usleep(random_below(20000));
		end_spin(&p);
		wait_ended(fd, &s, &c);
		check_task_turns(&s, &c);
		read_set(fd, &s, &again);
		check_equal(&c, &again);
		check(again.enabled, c.enabled);
		close(fd);
		check_gone();
	}
}

static pid_t begin_observer(void)
{
	unsigned int seed = random();
	pid_t pid = fork();

	if (!pid) {
		srandom(seed);
		observe();
	}
	return pid;
}

static void test_kill_both(void)
{
	struct registers before[2];
	pid_t observer, first;
	struct program p;
	unsigned int i;

	for (i = 0; i < 2; i++)
		get_registers(CPU + i, &before[i]);
	for (i = 0; i < KILLS; i++) {
		hold_call(&p, ANY_CPU, bear_for_ever, N);
		wait_held(&p);
		observed = p.pid;
		observer = begin_observer();
		release(&p);
		while (i % 2 && !nr_sessions())
			wait_ms();
		usleep(random_below(20000));
		first = random_below(2) ? observer : p.pid;
		kill(first, SIGKILL);
		kill(observer + p.pid - first, SIGKILL);
		check(waitpid(observer, NULL, 0), observer);
		check(waitpid(p.pid, NULL, 0), p.pid);
		close(p.go);
		check_registers(CPU, &before[0]);
		check_registers(CPU + 1, &before[1]);
		check_gone();
	}
}

/* Hardware threads go offline and come back */

static void go_and_come_back(int fd, const struct set *s,
			     const struct program *p, int follows)
{
	struct counts c;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		wait_turns(fd, s);
		/* allow it to run elsewhere */
		check(unpin_task(p->pid), 0);
		set_online(CPU, 0);
		wait_timers(nr_online());
		if (follows) {
			wait_turns(fd, s);
		} else {
			read_set(fd, s, &c);
			check(c.flags, KNC_PMU_THREAD_OFFLINE |
			      KNC_PMU_THREAD_GAP);
			check_turns(s, &c);
		}
		set_online(CPU, 1);
		wait_timers(nr_online());
		check(pin_task(p->pid, CPU), 0);
	}
	wait_turns(fd, s);
	check(stop(fd), 0);
	read_set(fd, s, &c);
	check(c.flags, follows ? 0 : KNC_PMU_THREAD_GAP);
	check_turns(s, &c);
	check(all_ran(s, &c), 1);
	close(fd);
	check_gone();
}

static void test_hotplug(void)
{
	struct program p;
	struct set s;
	int fd;

	run_spin(&p);
	fd = turns_of(&s, p.pid, 0);
	check(start(fd), 0);
	go_and_come_back(fd, &s, &p, 1);
	fd = turns_on(&s, CPU);
	check(start(fd), 0);
	go_and_come_back(fd, &s, &p, 0);
}

/*
 * The first session with groups begins, and the last one ends, while a hardware thread is offline.
 */
static void test_offline(void)
{
	struct set s;
	int fd;

	pin(0);
	set_online(CPU, 0);
	fd = turns_of(&s, 0, 0);
	wait_timers(nr_cpus() - 1);
	set_online(CPU, 1);
	wait_timers(nr_cpus());
	set_online(CPU, 0);
	close(fd);
	check(count_timers(), 0);
	set_online(CPU, 1);
	check(count_timers(), 0);
}

static const struct test tests[] = {
	{ "set.exact", test_exact },
	{ "set.on-exec", test_on_exec },
	{ "set.migrated", test_migrated },
	{ "set.competitors", test_competitors },
	{ "set.most", test_most },
	{ "set.beside", test_beside },
	{ "set.threads", test_threads },
	{ "set.thread-pairs", test_thread_pairs },
	{ "set.times", test_times },
	{ "set.read", test_read },
	{ "set.read-tasks", test_read_tasks },
	{ "set.running", test_running },
	{ "set.placed", test_placed },
	{ "set.refused", test_refused },
	{ "set.busy", test_busy },
	{ "set.rdpmc", test_rdpmc },
	{ "set.unprivileged", test_unprivileged },
	{ "set.own", test_own },
	{ "set.commands", test_commands },
	{ "set.exit", test_exit },
	{ "set.brief", test_brief },
	{ "set.killed-children", test_killed_children },
	{ "set.exec", test_exec },
	{ "set.close", test_close },
	{ "set.kill-observer", test_kill_observer },
	{ "set.kill-observed", test_kill_observed },
	{ "set.kill-both", test_kill_both },
	{ "set.hotplug", test_hotplug },
	{ "set.offline", test_offline },
};

int main(int argc, char **argv)
{
	/* "set LINKS", which the test set.exec executes */
	if (argc == 2 && atoi(argv[1]))
		execute(atoi(argv[1]) - 1);
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc);
}
