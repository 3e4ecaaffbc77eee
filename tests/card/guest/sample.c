// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of events: their number, addresses and tasks, and that no sample is lost silently; time
 * samples; how a reader is woken
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/regs.h>

#include "ring.h"

#define CPU	1
#define N	long_loop()	/* iterations of "loop": 2 N instructions */
#define MAX_CPUS	256

/* The addresses of samples of "loop", and its task */
static struct symbol work;
static int pid;
static unsigned long long late;

static void check_sample(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE)
		return;
	if (is_late(s)) {
		late++;
		return;
	}
	if (!within(&work, s->ip))
		fail("a sample at %#llx, which is not in the loop (%#llx to %#llx)",
		     (unsigned long long)s->ip, work.begin, work.end);
	check(s->flags, KNC_PMU_SAMPLE_USER);
	check(s->nr_kernel | s->nr_user, 0);
	check(s->period % PERIOD, 0);
	if (!pid)
		pid = s->pid;
	check(s->pid, pid);
	check(s->tid, pid);
}

static void forget_samples(void)
{
	pid = 0;
	late = 0;
}

/* The program's counts of the same events without samples */
static void count_unsampled(struct request *with, unsigned int cpu,
			    const char *name, unsigned long n,
			    unsigned long long *counts)
{
	struct request r;
	unsigned int i;

	ask(&r, cpu, with->c.nr_events);
	for (i = 0; i < with->c.nr_events; i++) {
		r.e[i] = with->e[i];
		r.e[i].flags &= ~(SAMPLE | KNC_PMU_EVENT_FREQ | KNC_PMU_EVENT_LIMIT);
		r.e[i].sample_period = 0;
	}
	measure(&r, cpu, name, n, 0, counts);
}

/* 2 N instructions in user mode on these counters: each overflow makes one sample */
static void run_exact(unsigned int nr, unsigned int counters)
{
	unsigned long long unsampled[2];
	struct run run;
	unsigned int i;

	memset(&run, 0, sizeof(run));
	find_symbol("loop", "work", &work);
	run.ring.each = check_sample;
	run.begin = forget_samples;
	ask(&run.r, CPU, nr);
	for (i = 0; i < nr; i++) {
		ask_sample(&run.r, i, INSTRUCTIONS_EXECUTED, USR, PERIOD);
		run.r.e[i].counters = counters;
	}
	count_unsampled(&run.r, CPU, "loop", N, unsampled);
	run_unthrottled(&run, CPU, "loop", N, 0);
	check(run.pid, pid);
	for (i = 0; i < nr; i++) {
		note("counter %u: %llu, %llu samples, %llu interrupts, ticks max %llu mean %llu",
		     run.r.e[i].counter, run.count[i], run.ring.samples[i],
		     (unsigned long long)run.stats.pmis,
		     (unsigned long long)run.stats.handler_max,
		     (unsigned long long)(run.stats.handler_total /
					  run.stats.pmis));
		check(run.count[i], unsampled[i]);
		check(run.count[i] >= 2 * N, 1);
		check(run.r.e[i].counter, nr == 2 ? i : counters / 2);
		check(run.ring.samples[i], run.count[i] / PERIOD);
		check(run.ring.period[i], run.ring.samples[i] * PERIOD);
	}
	check(run.ring.page->lost, 0);
	check(run.stats.spurious, 0);
	check(late <= run.ring.samples[0] / 10, 1);
	/* simultaneous overflows share one interrupt */
	check(run.stats.pmis, run.ring.samples[0]);
}

static void test_counter0(void)
{
	run_exact(1, 1);
}

static void test_counter1(void)
{
	run_exact(1, 2);
}

static void test_both(void)
{
	run_exact(2, 0);
}

#define OTHER_PERIOD	(9973ULL * pace())

/* Two periods that differ: overflows come separately, or share an interrupt */
static void test_two_periods(void)
{
	unsigned long long unsampled[2];
	struct run run;

	memset(&run, 0, sizeof(run));
	ask(&run.r, CPU, 2);
	ask_sample(&run.r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
	ask_sample(&run.r, 1, BRANCHES, USR, OTHER_PERIOD);
	count_unsampled(&run.r, CPU, "loop", N, unsampled);
	run_unthrottled(&run, CPU, "loop", N, 0);
	note("%llu and %llu counted, %llu and %llu samples, %llu interrupts",
	     run.count[0], run.count[1], run.ring.samples[0],
	     run.ring.samples[1], (unsigned long long)run.stats.pmis);
	check(run.count[0], unsampled[0]);
	check(run.count[1], unsampled[1]);
	check(run.ring.samples[0], run.count[0] / PERIOD);
	check(run.ring.samples[1], run.count[1] / OTHER_PERIOD);
	check(run.stats.pmis <= run.ring.samples[0] + run.ring.samples[1], 1);
}

/* Only one of two events is sampled; the other is counted exactly. */
static void test_beside(void)
{
	unsigned long long unsampled[2];
	struct run run;

	memset(&run, 0, sizeof(run));
	ask(&run.r, CPU, 2);
	ask_event(&run.r, 0, BRANCHES, USR);
	ask_sample(&run.r, 1, INSTRUCTIONS_EXECUTED, USR, PERIOD);
	count_unsampled(&run.r, CPU, "loop", N, unsampled);
	run_unthrottled(&run, CPU, "loop", N, 0);
	check(run.count[0], unsampled[0]);
	check(run.count[1], unsampled[1]);
	check(run.ring.samples[0], 0);
	check(run.ring.samples[1], run.count[1] / PERIOD);
}

static struct request all;
static struct ring rings[MAX_CPUS];
static struct record records[MAX_CPUS];

/* A session on all hardware threads, both events at the same period */
static int all_threads(unsigned long long period, unsigned int ring_size)
{
	unsigned int cpu, i;
	int fd = open_device();

	ask(&all, 0, 2);
	for (cpu = 1; cpu < nr_cpus(); cpu++)
		ask_cpu(&all, cpu);
	all.c.ring_size = ring_size;
	for (i = 0; i < 2; i++)
		ask_sample(&all, i, INSTRUCTIONS_EXECUTED, USR, period);
	check(config(fd, &all), 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		map_ring(&rings[cpu], fd, cpu, cpu, ring_size);
	return fd;
}

static unsigned long long all_throttles(void)
{
	unsigned long long throttles = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		throttles += rings[cpu].page->throttles;
	return throttles;
}

static void unmap_all(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		unmap_ring(&rings[cpu]);
	memset(rings, 0, sizeof(rings));
}

/* Run a program on each hardware thread; returns whether no samples were throttled */
static int run_all_threads(void)
{
	struct program programs[MAX_CPUS];
	unsigned long long extra = 0;
	unsigned int cpu, i;
	int fd;

	pin(0);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		hold(&programs[cpu], cpu, "loop", N + 1000 * cpu, 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		wait_held(&programs[cpu]);
	fd = all_threads(PERIOD, 1 << 20);
	check(start(fd), 0);
	for (cpu = nr_cpus(); cpu-- > 0; )
		release(&programs[cpu]);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		finish(&programs[cpu]);
	check(stop(fd), 0);
	check(read_all(fd, records, sizeof(records)), nr_cpus());
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		drain_ring(&rings[cpu]);
		check_produced(&rings[cpu]);
		check_quiet(fd, cpu);
		check(rings[cpu].page->lost, 0);
		for (i = 0; i < 2; i++) {
			if (!rings[cpu].page->throttles)
				check(rings[cpu].samples[i],
				      records[cpu].value[i] / PERIOD);
			check_sum(&rings[cpu], i, records[cpu].value[i],
				  PERIOD);
		}
		/* the first hardware thread also runs this test */
		if (!cpu)
			continue;
		if (!extra)
			extra = records[cpu].value[0] - 2 * (N + 1000 * cpu);
		check(records[cpu].value[0], 2 * (N + 1000 * cpu) + extra);
		check(records[cpu].value[1], records[cpu].value[0]);
	}
	note("%u hardware threads, %llu samples of the last", nr_cpus(),
	     (unsigned long long)rings[nr_cpus() - 1].page->samples);
	close(fd);
	return !all_throttles();
}

/* Both counters of all hardware threads at once, repeated as run_unthrottled() */
static void test_all_threads(void)
{
	unsigned int tries;

	for (tries = 1; !run_all_threads(); tries++) {
		unmap_all();
		calm_down(tries);
	}
}

#define MANY		(long_loop() / 200 / slow())
#define MANY_PERIOD	(5003ULL * pace())

/* There are as many samples as expected, and the sums are right. */
static void test_many(void)
{
	unsigned long n = (MANY + 10) * MANY_PERIOD / 2;
	unsigned long long unsampled[2];
	struct run run;

	memset(&run, 0, sizeof(run));
	ask(&run.r, CPU, 1);
	ask_sample(&run.r, 0, INSTRUCTIONS_EXECUTED, USR, MANY_PERIOD);
	count_unsampled(&run.r, CPU, "loop", n, unsampled);
	run_unthrottled(&run, CPU, "loop", n, 0);
	note("%llu interrupts, %llu samples, %llu lost; %llu counted",
	     (unsigned long long)run.stats.pmis, run.ring.samples[0],
	     (unsigned long long)run.ring.page->lost, run.count[0]);
	check(run.stats.pmis >= 2 * n / MANY_PERIOD, 1);
	check(run.count[0], unsampled[0]);
	/* the page also counts samples lost while this program stood still */
	check(run.ring.page->samples, run.count[0] / MANY_PERIOD);
}

static unsigned long long in_kernel, in_user;

static void count_modes(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE)
		return;
	if (s->flags & KNC_PMU_SAMPLE_USER)
		in_user++;
	else
		in_kernel++;
	/* kernel addresses have the highest bit set */
	check(s->ip >> 63, !(s->flags & KNC_PMU_SAMPLE_USER));
}

/* Samples in the kernel, also where interrupts are off if the overflow interrupt is an NMI */
static void test_kernel(void)
{
	struct run run;

	memset(&run, 0, sizeof(run));
	run.ring.each = count_modes;
	ask(&run.r, CPU, 2);
	ask_sample(&run.r, 0, INSTRUCTIONS_EXECUTED, USR | OS, PERIOD);
	ask_sample(&run.r, 1, INSTRUCTIONS_EXECUTED, OS, PERIOD);
	run_sampled(&run, CPU, "getppid", N / 100 / slow(), 0);
	note("%llu counted, %llu in the kernel; samples: %llu in user mode, %llu in the kernel",
	     run.count[0], run.count[1], in_user, in_kernel);
	/* four instructions in user mode for each call */
	check(run.count[0] - run.count[1] >= 4 * (N / 100 / slow()), 1);
	check(in_kernel > 0 && in_user + slow() > 1, 1);
	/* most samples are in the system call, unless it has interrupts off */
	check(in_kernel > in_user || !has_nmis(), 1);
}

/* The reader begins long after the ring is full. */
static void test_lost(void)
{
	unsigned long long counts[2], first;
	struct program p;
	struct request r;
	struct ring ring;
	unsigned int i;
	int fd;

	memset(&ring, 0, sizeof(ring));
	pin(0);
	ask(&r, CPU, 2);
	r.c.ring_size = KNC_PMU_MIN_RING;
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
	ask_sample(&r, 1, BRANCHES, USR, 2 * PERIOD);
	hold(&p, CPU, "loop", N, 0);
	wait_held(&p);
	fd = open_session(&r);
	map_ring(&ring, fd, 0, CPU, r.c.ring_size);
	check(start(fd), 0);
	release(&p);
	finish(&p);
	check(ring.page->head <= ring.size, 1);
	check(ring.page->lost > 0, 1);
	if (!ring.page->throttles)
		check(ring.page->samples,
		      2 * N / PERIOD + N / (2 * PERIOD));
	read_ring(&ring);
	check(ring.lost, 0);
	check(ring.samples[0] + ring.samples[1] + ring.page->lost,
	      ring.page->samples);
	first = ring.page->lost;
	/* once there is room, the first record reports the loss */
	hold(&p, CPU, "loop", N / 10, 0);
	release(&p);
	while (!waitpid(p.pid, NULL, WNOHANG))
		read_ring(&ring);
	check(stop(fd), 0);
	drain_ring(&ring);
	read_counts(fd, 2, counts);
	check_produced(&ring);
	check(ring.lost >= first, 1);
	for (i = 0; i < 2; i++)
		check_sum(&ring, i, counts[i], r.e[i].sample_period);
	note("%llu samples, %llu read, %llu lost, %llu reported so far",
	     (unsigned long long)ring.page->samples,
	     ring.samples[0] + ring.samples[1],
	     (unsigned long long)ring.page->lost, ring.lost);
}

/* STOP and START, RESET and READ do not shift the samples. */
static void test_stop_and_go(void)
{
	unsigned long long counts[2], before_reset, samples;
	struct request r;
	struct ring ring;
	unsigned int i;
	int fd;

	memset(&ring, 0, sizeof(ring));
	pin(CPU);
	ask(&r, CPU, 1);
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
	fd = open_session(&r);
	map_ring(&ring, fd, 0, CPU, r.c.ring_size);
	for (i = 0; i < 300; i++) {
		check(start(fd), 0);
		loop(1000);
		check(stop(fd), 0);
		read_counts(fd, 1, counts);
		check(ring.page->samples, counts[0] / PERIOD);
	}
	before_reset = counts[0];
	check(before_reset > 600000, 1);
	check(reset(fd, 0), 0);
	samples = ring.page->samples;
	for (i = 0; i < 300; i++) {
		check(start(fd), 0);
		loop(1000);
		check(stop(fd), 0);
		read_counts(fd, 1, counts);
		check(ring.page->samples,
		      (before_reset + counts[0]) / PERIOD);
	}
	check(ring.page->samples > samples, 1);
	drain_ring(&ring);
	check_produced(&ring);
	check_sum(&ring, 0, before_reset + counts[0], PERIOD);
}

/*
 * With every period, small or large, the sums are right and the counts exact. Small periods cause a
 * storm. With checkers, entry and exit of an interrupt take longer than the handler: on a busy
 * machine the module may never recognize such a storm.
 */
static void check_throttled(unsigned long long period, unsigned long n)
{
	unsigned long long unsampled[2];
	struct run run;

	memset(&run, 0, sizeof(run));
	ask(&run.r, CPU, 2);
	run.r.c.ring_size = KNC_PMU_MAX_RING;
	ask_sample(&run.r, 0, INSTRUCTIONS_EXECUTED, USR, period);
	ask_sample(&run.r, 1, BRANCHES, USR, period);
	count_unsampled(&run.r, CPU, "loop", n, unsampled);
	run_sampled(&run, CPU, "loop", n, 0);
	note("period %llu: %llu samples, %llu throttles, %llu of %llu unsampled",
	     period, run.ring.samples[0] + run.ring.samples[1],
	     run.ring.throttles,
	     run.ring.unsampled[0], run.count[0]);
	check(run.count[0], unsampled[0]);
	check(run.count[1], unsampled[1]);
	check(run.ring.throttles, run.ring.page->throttles);
	if (!is_irq_mode()) {
		check(run.ring.unsampled[0], run.ring.page->unsampled[0]);
		check(run.ring.unsampled[1], run.ring.page->unsampled[1]);
	}
	end_run(&run);
	if (period > 10 || slow() > 1)
		return;
	check(run.ring.throttles > 0, 1);
	check(run.ring.unsampled[0] > 0, 1);
}

static void test_throttled(void)
{
	/* fewer for a slow kernel, which may throttle nothing and sample each instruction */
	unsigned long few = slow() > 1 ? N / slow() / 10 : N;

	check_throttled(1, few);
	check_throttled(2, few);
	check_throttled(3, few);
	check_throttled(10, few);
	check_throttled(100, N / slow());
	check_throttled(1009, N / slow());
}

/* The longest period; the counter is written near its end. */
static void test_longest(void)
{
	unsigned long long count, end = KNC_COUNTER_MASK - 1000, value = end;
	struct regs regs;
	struct request r;
	struct ring ring;
	int fd, msr;

	memset(&ring, 0, sizeof(ring));
	pin(CPU);
	ask(&r, CPU, 1);
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, KNC_PMU_MAX_PERIOD);
	fd = open_session(&r);
	map_ring(&ring, fd, 0, CPU, r.c.ring_size);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.perfcntr[0], KNC_COUNTER_MASK + 1 - KNC_PMU_MAX_PERIOD);
	msr = open("/dev/cpu/1/msr", O_WRONLY | O_CLOEXEC);
	check(pwrite(msr, &value, sizeof(value), KNC_IA32_PERFCNTR(0)),
	      sizeof(value));
	check(start(fd), 0);
	check(ring.page->samples, 0);
	loop(1000);
	check(stop(fd), 0);
	check(ring.page->samples, 1);
	drain_ring(&ring);
	check(ring.period[0], KNC_PMU_MAX_PERIOD);
	read_counts(fd, 1, &count);
	check_sum(&ring, 0, count, KNC_PMU_MAX_PERIOD);
	check(read_regs(fd, CPU, &regs), 0);
	check(count, regs.perfcntr[0]);
}

/* Frequency */

static unsigned long long last_period, periods;

static void note_period(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE)
		return;
	periods += s->period != last_period;
	last_period = s->period;
}

#define FREQUENCY	100	/* samples a second */

static void test_frequency(void)
{
	unsigned long long unsampled[2], sum, most;
	struct run run;

	memset(&run, 0, sizeof(run));
	run.ring.each = note_period;
	ask(&run.r, CPU, 1);
	ask_sample(&run.r, 0, INSTRUCTIONS_EXECUTED, USR, FREQUENCY);
	run.r.e[0].flags |= KNC_PMU_EVENT_FREQ;
	count_unsampled(&run.r, CPU, "loop", 10 * N, unsampled);
	run_sampled(&run, CPU, "loop", 10 * N, 0);
	note("%llu samples of %llu in %llu ns, %llu different periods, the last %llu",
	     run.ring.samples[0], run.count[0], run.took, periods, last_period);
	check(run.count[0], unsampled[0]);
	sum = run.ring.period[0] + run.ring.page->lost_events[0] +
	      run.ring.page->unsampled[0];
	check(run.count[0] >= sum, 1);
	check(periods > 3, 1);
	/*
	 * The first period is far too short, and so is the next one after the hardware thread stood
	 * still: there are more samples than the time allows.
	 */
	most = 10 * (10 + run.took * FREQUENCY / 1000000000);
	check(run.ring.samples[0] <= most, 1);
	check(run.ring.samples[0] > 10, 1);
}

static unsigned long long not_as_asked;

static void note_longer(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;

	(void)ring;
	not_as_asked += record->type == KNC_PMU_RECORD_SAMPLE && s->period != PERIOD;
}

static void run_limited(struct run *run, unsigned int most)
{
	unsigned long long unsampled[2];

	memset(run, 0, sizeof(*run));
	not_as_asked = 0;
	run->ring.each = note_longer;
	ask(&run->r, CPU, 1);
	ask_sample(&run->r, 0, INSTRUCTIONS_EXECUTED, USR, KNC_PMU_LIMITED(PERIOD, most));
	run->r.e[0].flags |= KNC_PMU_EVENT_LIMIT;
	count_unsampled(&run->r, CPU, "loop", 10 * N, unsampled);
	run_sampled(run, CPU, "loop", 10 * N, 0);
	note("limit %u: %llu samples of %llu in %llu ns, %llu not as asked", most,
	     run->ring.samples[0], run->count[0], run->took, not_as_asked);
	check(run->count[0], unsampled[0]);
	check(run->count[0] >= run->ring.period[0] + run->ring.page->lost_events[0] +
			      run->ring.page->unsampled[0], 1);
}

/*
 * Samples that come faster than the limit are slowed down: each later sample stands for more events
 */
static void test_limit(void)
{
	unsigned long long fixed;
	struct run run;

	run_limited(&run, FREQUENCY);
	fixed = run.count[0] / PERIOD;
	/*
	 * Samples are not slowed before the first tick notices, nor after the hardware thread stood
	 * still: as in test_frequency()
	 */
	check(run.ring.samples[0] < fixed / 2, 1);
	check(not_as_asked > 3, 1);
	check(run.ring.samples[0] > 10, 1);
}

/* Time */

#define INTERVAL	1000000ULL

/*
 * Each time sample lies between the start of its interval and the end of the last interval that the
 * next sample reports as missed. All samples must agree with one start of the first interval.
 */
static struct {
	unsigned long long intervals;	/* up to the last record */
	unsigned long long time;	/* of the last record */
	unsigned long long since;	/* the first interval began after this */
	unsigned long long until;	/* and at or before this */
} timer;

static void check_time(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_time_sample *s = (const void *)record;
	unsigned long long end;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_TIME)
		return;
	timer.intervals += 1 + s->missed;
	end = timer.intervals * INTERVAL;
	if (timer.time && timer.time - end > timer.since)
		timer.since = timer.time - end;
	if (s->time - end < timer.until)
		timer.until = s->time - end;
	timer.time = s->time;
}

static void forget_times(void)
{
	memset(&timer, 0, sizeof(timer));
	timer.until = ~0ULL;
}

static void ask_timed(struct run *run, unsigned long long period)
{
	memset(run, 0, sizeof(*run));
	forget_times();
	run->ring.each = check_time;
	ask(&run->r, CPU, 2);
	run->r.c.ring_size = 1 << 20;
	run->r.c.sample_interval = INTERVAL;
	ask_event(&run->r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&run->r, 1, BRANCHES, USR);
	if (period)
		ask_sample(&run->r, 0, INSTRUCTIONS_EXECUTED, USR, period);
}

/*
 * A sample during which the hardware thread stands still looks slow to take: the next one is
 * delayed, and a program may get only a few samples. Returns their number.
 */
static unsigned long long run_timed(void)
{
	unsigned long long unsampled[2], samples, delta[2];
	struct run run;

	ask_timed(&run, 0);
	count_unsampled(&run.r, CPU, "loop", N, unsampled);
	run_sampled(&run, CPU, "loop", N, 0);
	check(run.count[0], unsampled[0]);
	check(run.count[1], unsampled[1]);
	/* events after the last sample before STOP belong to the first sample after START */
	samples = run.ring.times;
	delta[0] = run.ring.delta[0];
	delta[1] = run.ring.delta[1];
	check(delta[0] <= run.count[0] && delta[1] <= run.count[1], 1);
	check(start(run.fd), 0);
	while (run.ring.times < samples + 3) {
		read_ring(&run.ring);
		usleep(1000);
	}
	check(stop(run.fd), 0);
	read_ring(&run.ring);
	check(run.ring.delta[0], run.count[0]);
	check(run.ring.delta[1], run.count[1]);
	note("%llu records, %llu intervals without one; %llu of %llu at the last",
	     samples, run.ring.missed, delta[0], run.count[0]);
	check(run.ring.samples[0] + run.ring.samples[1], 0);
	end_run(&run);
	return samples;
}

static void test_time(void)
{
	while (run_timed() <= 10)
		;
}

/* Every interval has a record, or is reported as missed. */
static unsigned long long run_intervals(void)
{
	struct run run;

	ask_timed(&run, PERIOD);
	run.begin = forget_times;
	run_unthrottled(&run, CPU, "loop", N, 0);
	check(run.ring.samples[0], run.count[0] / PERIOD);
	check(timer.since < timer.until, 1);
	note("%llu records, %llu missed; %llu intervals of %llu ns in %llu ns",
	     run.ring.times, run.ring.missed, timer.intervals, INTERVAL,
	     run.took);
	check(timer.intervals, run.ring.times + run.ring.missed);
	check(timer.intervals * INTERVAL <= run.took, 1);
	end_run(&run);
	return run.ring.times;
}

static void test_intervals(void)
{
	while (run_intervals() <= 10)
		;
}

/* A full ring takes no record; the next record includes the missed intervals. */
static void test_time_full(void)
{
	unsigned long long times, took;
	struct record record;
	struct program p;
	struct request r;
	struct ring ring;
	int fd;

	memset(&ring, 0, sizeof(ring));
	forget_times();
	ring.each = check_time;
	pin(0);
	ask(&r, CPU, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	r.c.ring_size = KNC_PMU_MIN_RING;
	r.c.sample_interval = INTERVAL;
	hold(&p, CPU, "loop", N, 0);
	wait_held(&p);
	fd = open_session(&r);
	map_ring(&ring, fd, 0, CPU, r.c.ring_size);
	took = now_ns();
	check(start(fd), 0);
	release(&p);
	finish(&p);
	while (ring.page->head + KNC_PMU_TIME_SIZE(2) <=
	       ring.size)
		usleep(1000);
	/* as many intervals again, for which the ring has no room */
	usleep(20 * INTERVAL / 1000);
	read_ring(&ring);
	times = ring.times;
	while (ring.times < times + 3) {
		read_ring(&ring);
		usleep(1000);
	}
	check(stop(fd), 0);
	took = now_ns() - took;
	check(read_all(fd, &record, sizeof(record)), 1);
	check(ring.delta[0], record.value[0]);
	check(ring.missed > 0, 1);
	check(timer.intervals * INTERVAL <= took, 1);
	note("%llu records, %llu missed", ring.times, ring.missed);
}

/* Waiting */

#define WATERMARK_SAMPLES	10

static int is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ret = poll(&p, 1, 0);

	check(ret < 0, 0);
	check(p.revents, ret ? POLLIN : 0);
	return ret;
}

static int epoll_of(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	check(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	return epoll;
}

static int is_epolled(int epoll)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, 0);
}

/* A session on this hardware thread whose samples come on demand */
static int start_watermark(struct ring *ring, unsigned int samples)
{
	struct request r;
	int fd = open_device();

	pin(CPU);
	memset(ring, 0, sizeof(*ring));
	ask(&r, CPU, 1);
	r.c.ring_size = KNC_PMU_MIN_RING;
	r.c.watermark = samples * sizeof(struct knc_pmu_sample);
	ask_sample(&r, 0, BRANCHES, USR, 1000000);
	check(config(fd, &r), 0);
	map_ring(ring, fd, 0, CPU, r.c.ring_size);
	return fd;
}

static void one_more(int fd, const struct ring *ring)
{
	unsigned long long samples = ring->page->samples;

	check(start(fd), 0);
	while (ring->page->samples == samples)
		loop(1000);
	check(stop(fd), 0);
	check(ring->page->samples, samples + 1);
}

static void test_poll(void)
{
	unsigned int round, i;
	struct ring ring;
	int fd, epoll;

	fd = start_watermark(&ring, WATERMARK_SAMPLES);
	epoll = epoll_of(fd);
	/* often enough to make the ring wrap around */
	for (round = 0; round < 20; round++) {
		check(is_readable(fd), 0);
		check(is_epolled(epoll), 0);
		for (i = 1; i <= WATERMARK_SAMPLES; i++) {
			one_more(fd, &ring);
			check(is_readable(fd), i == WATERMARK_SAMPLES);
			check(is_epolled(epoll), i == WATERMARK_SAMPLES);
		}
		/* the file stays readable until enough records are read */
		check(is_readable(fd), 1);
		check(is_epolled(epoll), 1);
		check(read_ring(&ring) >= WATERMARK_SAMPLES, 1);
	}
	check(ring.page->head > 2 * ring.size, 1);
	check(ring.page->lost, 0);
}

/* A watermark as large as the ring: it is reached although samples do not fill the ring exactly */
static void test_poll_full(void)
{
	unsigned int i;
	struct ring ring;
	int fd;

	fd = start_watermark(&ring, 1);
	one_more(fd, &ring);
	check(is_readable(fd), 1);
	check(read_ring(&ring), 1);
	check(is_readable(fd), 0);
	for (i = 0; !ring.page->lost; i++)
		one_more(fd, &ring);
	check(is_readable(fd), 1);
	note("lost after %u", i);
}

/* A process sleeps in poll() or epoll_wait() until there are enough records */
static void check_wakes(int by_epoll)
{
	struct epoll_event event;
	struct pollfd p;
	struct ring ring;
	unsigned int i;
	int fd, epoll, status;
	pid_t sleeper;

	fd = start_watermark(&ring, WATERMARK_SAMPLES);
	epoll = epoll_of(fd);
	p.fd = fd;
	p.events = POLLIN;
	sleeper = fork();
	if (!sleeper) {
		pin(0);
		if (by_epoll)
			check(epoll_wait(epoll, &event, 1, -1), 1);
		else
			check(poll(&p, 1, -1), 1);
		_exit(0);
	}
	wait_state(sleeper, 'S');
	for (i = 1; i < WATERMARK_SAMPLES; i++) {
		one_more(fd, &ring);
		usleep(10000);
		check(waitpid(sleeper, NULL, WNOHANG), 0);
	}
	wait_state(sleeper, 'S');
	one_more(fd, &ring);
	/* if it does not wake, the time limit of this test ends it */
	check(waitpid(sleeper, &status, 0), sleeper);
	check(status, 0);
	unmap_ring(&ring);
	close(epoll);
	close(fd);
}

static void test_wakes(void)
{
	check_wakes(0);
	check_wakes(1);
}

/* The task of each sample */

static pid_t thread_tid;

static void *loop_thread(void *arg)
{
	(void)arg;
	thread_tid = syscall(SYS_gettid);
	loop(N / 10);
	return NULL;
}

static unsigned long long by_thread, by_process;

static void check_whose(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE)
		return;
	check(s->pid, getpid());
	if ((pid_t)s->tid == thread_tid)
		by_thread++;
	else if ((pid_t)s->tid == getpid())
		by_process++;
	else
		fail("a sample of thread %u", s->tid);
}

static void test_threads(void)
{
	struct request r;
	struct ring ring;
	pthread_t thread;
	int fd = open_device();

	memset(&ring, 0, sizeof(ring));
	pin(CPU);
	ask(&r, CPU, 1);
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
	check(config(fd, &r), 0);
	map_ring(&ring, fd, 0, CPU, r.c.ring_size);
	ring.each = check_whose;
	check(start(fd), 0);
	loop(N / 5);
	check(pthread_create(&thread, NULL, loop_thread, NULL), 0);
	check(pthread_join(thread, NULL), 0);
	check(stop(fd), 0);
	drain_ring(&ring);
	note("%llu samples of the process, %llu of its thread", by_process,
	     by_thread);
	check(by_thread + 1 >= 2 * N / 10 / PERIOD, 1);
	check(by_process + 1 >= 2 * N / 5 / PERIOD, 1);
	check(thread_tid != getpid(), 1);
}

static const struct test tests[] = {
	{ "sample.counter0", test_counter0 },
	{ "sample.counter1", test_counter1 },
	{ "sample.both", test_both },
	{ "sample.two-periods", test_two_periods },
	{ "sample.beside", test_beside },
	{ "sample.all-threads", test_all_threads },
	{ "sample.many", test_many },
	{ "sample.kernel", test_kernel },
	{ "sample.lost", test_lost },
	{ "sample.stop-and-go", test_stop_and_go },
	{ "sample.throttled", test_throttled },
	{ "sample.longest", test_longest },
	{ "sample.frequency", test_frequency },
	{ "sample.limit", test_limit },
	{ "sample.time", test_time },
	{ "sample.intervals", test_intervals },
	{ "sample.time-full", test_time_full },
	{ "sample.poll", test_poll },
	{ "sample.poll-full", test_poll_full },
	{ "sample.wakes", test_wakes },
	{ "sample.threads", test_threads },
};

TEST_PROGRAM(tests)
