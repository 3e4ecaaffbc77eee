// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: who owns them, and how long they live. No harm comes from writing to a ring, from the end
 * of its process, or from hotplug
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <knc/regs.h>

#include "ring.h"

#define CPU	1
#define N	1000000UL
#define KILLS	rounds(200)
#define RARELY		(10 * slow() * KNC_PMU_MIN_INTERVAL)
#define SECONDS	8
#define ROUNDS	10

static void ask_one(struct request *r, unsigned int cpu)
{
	ask(r, cpu, 1);
	r->c.ring_size = 1 << 16;
	ask_sample(r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
}

/* A session on @cpu that samples, its ring mapped */
static int sampling(struct ring *ring, unsigned int cpu)
{
	struct request r;
	int fd = open_device();

	memset(ring, 0, sizeof(*ring));
	ask_one(&r, cpu);
	check(config(fd, &r), 0);
	map_ring(ring, fd, 0, cpu, r.c.ring_size);
	return fd;
}

static int has_counter(unsigned int cpu, unsigned int counter)
{
	struct knc_pmu_owner owner;
	int fd = open_device();

	memset(&owner, 0, sizeof(owner));
	owner.cpu = cpu;
	owner.counter = counter;
	check(command(fd, KNC_PMU_IOC_OWNER, &owner), 0);
	close(fd);
	return owner.flags & KNC_PMU_OWNER_SESSION;
}

/* A mapped ring keeps the session as its file does: the last reference ends it. */
static void test_mapped(void)
{
	struct registers before;
	struct ring ring, again;
	struct knc_pmu_stats stats, later;
	unsigned long long samples;
	int fd;

	pin(CPU);
	get_registers(CPU, &before);
	fd = sampling(&ring, CPU);
	memset(&again, 0, sizeof(again));
	map_ring(&again, fd, 0, CPU, ring.size);
	check(start(fd), 0);
	loop(N);
	close(fd);
	check(has_counter(CPU, 0), 1);
	samples = ring.page->samples;
	loop(N);
	check(ring.page->samples > samples, 1);
	unmap_ring(&again);
	check(has_counter(CPU, 0), 1);
	loop(N);
	read_ring(&ring);
	check(ring.samples[0] >= 6 * N / PERIOD, 1);
	unmap_ring(&ring);
	check(has_counter(CPU, 0), 0);
	check_registers(CPU, &before);
	/* no further sample comes */
	get_stats(CPU, &stats);
	loop(N);
	get_stats(CPU, &later);
	check(later.samples, stats.samples);
	check(later.pmis, stats.pmis);
}

/* Unmap the rings first, in any order */
static void test_unmapped(void)
{
	struct ring rings[3];
	unsigned int order, i;
	struct request r;
	int fd;

	pin(CPU);
	for (order = 0; order < 3; order++) {
		fd = open_device();
		ask_one(&r, CPU);
		ask_cpu(&r, CPU + 1);
		ask_cpu(&r, CPU + 2);
		check(config(fd, &r), 0);
		memset(rings, 0, sizeof(rings));
		for (i = 0; i < 3; i++)
			map_ring(&rings[i], fd, i, CPU + i, r.c.ring_size);
		check(start(fd), 0);
		for (i = 0; i < 3; i++) {
			loop(N);
			unmap_ring(&rings[(order + i) % 3]);
		}
		/* without a mapping the session continues, and keeps its records */
		loop(N);
		check(has_counter(CPU, 0), 1);
		map_ring(&rings[0], fd, 0, CPU, r.c.ring_size);
		check(read_ring(&rings[0]) >= 8 * N / PERIOD, 1);
		close(fd);
		check(has_counter(CPU, 0), 1);
		unmap_ring(&rings[0]);
		check(has_counter(CPU, 0), 0);
	}
}

/* If a part is unmapped, the rest keeps the ring. */
static void test_partly(void)
{
	struct ring ring;
	int fd;

	pin(CPU);
	fd = sampling(&ring, CPU);
	check(start(fd), 0);
	close(fd);
	check(munmap(ring.page, 4096), 0);
	loop(N);
	check(has_counter(CPU, 0), 1);
	check(((struct knc_pmu_record *)ring.data)->type,
	      KNC_PMU_RECORD_SAMPLE);
	check(munmap(ring.data, ring.size), 0);
	check(has_counter(CPU, 0), 0);
}

/* A child inherits the ring, and keeps it after its creator has ended. */
static void test_fork(void)
{
	int fd, status, up[2], down[2];
	struct ring ring;
	pid_t child, parent;
	char byte;

	check(pipe(up), 0);
	check(pipe(down), 0);
	parent = fork();
	if (!parent) {
		pin(CPU);
		fd = sampling(&ring, CPU);
		check(start(fd), 0);
		child = fork();
		if (child)
			_exit(0);
		check(read(down[0], &byte, 1), 1);
		close(fd);
		loop(N);
		check(read_ring(&ring) >= 2 * N / PERIOD, 1);
		check(write(up[1], "", 1), 1);
		check(read(down[0], &byte, 1), 1);
		_exit(0);
	}
	check(waitpid(parent, &status, 0), parent);
	check(status, 0);
	check(has_counter(CPU, 0), 1);
	check(write(down[1], "", 1), 1);
	check(read(up[0], &byte, 1), 1);
	check(has_counter(CPU, 0), 1);
	check(write(down[1], "", 1), 1);
	/* this test's parent adopts the child, which ends soon */
	while (has_counter(CPU, 0))
		usleep(10000);
}

/* The module can't be unloaded while a file or a ring is open. */
static void test_unload(void)
{
	struct ring ring;
	int fd;

	pin(CPU);
	fd = sampling(&ring, CPU);
	check(start(fd), 0);
	check(syscall(SYS_delete_module, "knc_pmu", O_NONBLOCK), -1);
	check(errno == EWOULDBLOCK || errno == EBUSY, 1);
	close(fd);
	check(syscall(SYS_delete_module, "knc_pmu", O_NONBLOCK), -1);
	check(errno == EWOULDBLOCK || errno == EBUSY, 1);
	loop(N);
	check(read_ring(&ring) > 0, 1);
}

/* A process writes every value to its ring. */
static void scribble(struct ring *ring)
{
	unsigned long long *words = (void *)ring->page;
	size_t header = sizeof(*ring->page) / sizeof(*words);
	size_t all = ring->mapped / sizeof(*words);
	unsigned int i;

	for (;;) {
		for (i = 0; i < 16; i++)
			words[random_below(header)] =
				((unsigned long long)random() << 33) ^ random();
		for (i = 0; i < 64; i++)
			words[random_below(all)] = random();
		switch (random_below(4)) {
		case 0:
			ring->page->tail = ring->page->head;
			break;
		case 1:
			ring->page->tail = ring->page->head - ring->size;
			break;
		case 2:
			memset(ring->page, random(), sizeof(*ring->page));
			break;
		default:
			ring->page->tail = ~0ULL;
			ring->page->head = ~0ULL;
		}
	}
}

static pid_t hostile(unsigned int cpu, unsigned long long period,
		     unsigned long long interval)
{
	struct request r;
	struct ring ring;
	unsigned int seed = random();
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	srandom(seed);
	fd = open_device();
	ask_one(&r, cpu);
	r.e[0].flags |= OS;
	r.e[0].sample_period = period;
	r.e[0].counters = 1;
	r.c.ring_size = KNC_PMU_MIN_RING;
	r.c.sample_interval = interval;
	r.c.flags = KNC_PMU_CONFIG_CHAIN_KERNEL | KNC_PMU_CONFIG_CHAIN_USER;
	r.c.max_frames = 32;
	check(config(fd, &r), 0);
	memset(&ring, 0, sizeof(ring));
	map_ring(&ring, fd, 0, cpu, r.c.ring_size);
	check(start(fd), 0);
	scribble(&ring);
	return 0;
}

/*
 * Two processes write to the rings of CPU and CPU + 1. A third one counts there, and must get the
 * same counts as alone.
 */
static void test_hostile(void)
{
	unsigned long long alone, beside;
	time_t end = time(NULL) + SECONDS;
	pid_t pids[2];
	struct knc_pmu_stats stats;
	struct request r;
	unsigned int i = 0;
	int status;

	ask(&r, CPU, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	r.e[0].counters = 2;
	measure(&r, CPU, "loop", N, 0, &alone);
	/* both write from another CPU: the count here is only the program's */
	pin(CPU + 2);
	pids[0] = hostile(CPU, 997, RARELY);
	pids[1] = hostile(CPU + 1, 1, 0);
	do {
		measure(&r, CPU, "loop", N, 0, &beside);
		check(beside, alone);
		i++;
	} while (time(NULL) < end);
	note("%u runs, %llu each time", i, alone);
	for (i = 0; i < 2; i++) {
		check(waitpid(pids[i], &status, WNOHANG), 0);
		kill(pids[i], SIGKILL);
		check(waitpid(pids[i], &status, 0), pids[i]);
		check(status, SIGKILL);
		get_stats(CPU + i, &stats);
		check(stats.samples > 0, 1);
	}
}

/* Kill the process at random moments */

static void hammer(void)
{
	struct record record[4];
	struct ring rings[4];
	struct request r;
	unsigned int cpu;
	struct pollfd p;
	int fd;

	for (;;) {
		fd = open_device();
		ask(&r, 0, 2);
		for (cpu = 1; cpu < 4; cpu++)
			ask_cpu(&r, cpu);
		ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR | OS,
			   10 + random_below(5000));
		ask_sample(&r, 1, BRANCHES, USR | OS, 1 + random_below(5000));
		r.c.ring_size = KNC_PMU_MIN_RING;
		r.c.sample_interval = random_below(2) * RARELY;
		check(config(fd, &r), 0);
		memset(rings, 0, sizeof(rings));
		for (cpu = 0; cpu < 4; cpu++)
			map_ring(&rings[cpu], fd, cpu, cpu, r.c.ring_size);
		while (random_below(10)) {
			check(start(fd), 0);
			check(read_all(fd, record, sizeof(record)), 4);
			p.fd = fd;
			p.events = POLLIN;
			poll(&p, 1, 5);
			for (cpu = 0; cpu < 4; cpu++)
				read_ring(&rings[cpu]);
			check(stop(fd), 0);
		}
		for (cpu = 0; cpu < 4; cpu++)
			unmap_ring(&rings[cpu]);
		close(fd);
	}
}

static void check_all_free(void)
{
	struct request r;
	unsigned int cpu;
	int fd;

	ask(&r, 0, 2);
	for (cpu = 1; cpu < 4; cpu++)
		ask_cpu(&r, cpu);
	ask_event(&r, 0, BRANCHES, USR);
	ask_event(&r, 1, BRANCHES, USR);
	fd = open_session(&r);
	close(fd);
}

static void test_kill(void)
{
	kill_clients(KILLS, hammer, check_all_free);
}

/*
 * A process that is killed during the allocation of its rings does not get them. The kernel must
 * log nothing about that, least of all a dump of all memory.
 */

#define ALLOC_KILLS	rounds(120)

/* @configured: how often the process got its rings */
static void allocator(unsigned int *configured)
{
	struct request r;
	unsigned int cpu;
	int fd;

	pin(CPU);
	for (;;) {
		ask(&r, 0, 1);
		for (cpu = 1; cpu < 4; cpu++)
			ask_cpu(&r, cpu);
		ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
		r.c.ring_size = KNC_PMU_MAX_RING;
		fd = open_session(&r);
		close(fd);
		__atomic_add_fetch(configured, 1, __ATOMIC_SEQ_CST);
	}
}

/* Does the log, read from @fd's position on, report a failed allocation? */
static void check_log(int fd)
{
	char record[4096];
	ssize_t n;

	for (;;) {
		n = read(fd, record, sizeof(record) - 1);
		/* EPIPE: some messages were overwritten before they were read */
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		if (strstr(record, "vmalloc") ||
		    strstr(record, "allocation failure"))
			fail("a failed allocation is in the kernel's log: %s",
			     record);
	}
	check(errno, EAGAIN);
}

static void test_kill_alloc(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	unsigned int *configured;
	unsigned int i;
	pid_t pid;

	pin(0);
	check(lseek(log, 0, SEEK_END), 0);
	configured = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < ALLOC_KILLS; i++) {
		*configured = 0;
		pid = fork();
		if (!pid)
			allocator(configured);
		while (!__atomic_load_n(configured, __ATOMIC_SEQ_CST))
			wait_ms();
		usleep(random_below(20000));
		kill(pid, SIGKILL);
		check(waitpid(pid, NULL, 0), pid);
	}
	check_log(log);
}

/* Hotplug */

static void run_program(unsigned int cpu)
{
	struct program p;

	hold(&p, cpu, "loop", N, 0);
	release(&p);
	finish(&p);
}

static void test_hotplug(void)
{
	unsigned char records[2][KNC_PMU_THREAD_SIZE(1)];
	const struct record *record;
	struct ring rings[2];
	struct request r;
	unsigned int i, round;
	int fd = open_device();

	pin(0);
	ask_one(&r, CPU);
	ask_cpu(&r, CPU + 1);
	/* room for all records, however long the test takes */
	r.c.ring_size = KNC_PMU_MAX_RING;
	r.c.sample_interval = 10000000;
	check(config(fd, &r), 0);
	memset(rings, 0, sizeof(rings));
	for (i = 0; i < 2; i++)
		map_ring(&rings[i], fd, i, CPU + i, r.c.ring_size);
	check(start(fd), 0);
	for (round = 0; round < ROUNDS; round++) {
		run_program(CPU);
		run_program(CPU + 1);
		set_online(CPU, 0);
		run_program(CPU + 1);
		if (round == 3)
			check(stop(fd), 0);
		if (round == 4)
			check(start(fd), 0);
		set_online(CPU, 1);
	}
	run_program(CPU);
	for (i = 0; i < 2; i++) {
		while (!rings[i].times) {
			read_ring(&rings[i]);
			usleep(1000);
		}
	}
	check(stop(fd), 0);
	check(read_all(fd, records, sizeof(records)), 2);
	for (i = 0; i < 2; i++) {
		drain_ring(&rings[i]);
		check_produced(&rings[i]);
		record = (const void *)records[i];
		note("CPU %u: %llu counted, %llu samples", CPU + i,
		     (unsigned long long)record->value[0],
		     rings[i].samples[0]);
		check(record->cpu, CPU + i);
		check_sum(&rings[i], 0, record->value[0], PERIOD);
		check(rings[i].page->lost, 0);
		if (!rings[i].page->throttles)
			check(rings[i].samples[0], record->value[0] / PERIOD);
		check(rings[i].times > 0, 1);
		check(rings[i].delta[0] <= record->value[0], 1);
		check_quiet(fd, CPU + i);
		/* parts of two rounds were stopped */
		check(record->value[0] >= 2 * N * (i + 1) * (ROUNDS - 1), 1);
	}
}

/* While the hardware thread is offline its ring can be read; more records come later. */
static void test_offline(void)
{
	struct record record;
	struct ring ring;
	int fd;

	pin(0);
	fd = sampling(&ring, CPU);
	check(start(fd), 0);
	run_program(CPU);
	set_online(CPU, 0);
	check(read_all(fd, &record, sizeof(record)), 1);
	check(read_ring(&ring) > 0, 1);
	check(ring.samples[0], record.value[0] / PERIOD);
	check(stop(fd), 0);
	check(start(fd), 0);
	set_online(CPU, 1);
	run_program(CPU);
	check(stop(fd), 0);
	check(read_all(fd, &record, sizeof(record)), 1);
	drain_ring(&ring);
	check(ring.samples[0], record.value[0] / PERIOD);
	check(ring.samples[0] >= 4 * N / PERIOD, 1);
	/* the session ends while the hardware thread is offline */
	check(start(fd), 0);
	set_online(CPU, 0);
	unmap_ring(&ring);
	close(fd);
	set_online(CPU, 1);
	run_program(CPU);
}

/*
 * A hardware thread goes offline and comes back while another process samples fast, and sometimes
 * ends.
 */
static void test_hotplug_race(void)
{
	unsigned int i;
	int status;
	pid_t pid;

	pid = fork();
	while (!pid) {
		struct record records[2];
		struct ring rings[2];
		struct request r;
		int fd = open_device(), ret;

		ask_one(&r, CPU);
		ask_cpu(&r, CPU + 1);
		r.e[0].flags |= OS;
		r.e[0].sample_period = 1 + random_below(1000);
		r.c.sample_interval = RARELY;
		ret = config(fd, &r);
		if (ret)
			check(ret, -ENXIO);
		memset(rings, 0, sizeof(rings));
		for (i = 0; !ret && i < 2; i++)
			map_ring(&rings[i], fd, i, CPU + i, r.c.ring_size);
		for (i = 0; !ret && i < 20; i++) {
			check(start(fd), 0);
			read_ring(&rings[0]);
			read_ring(&rings[1]);
			check(read_all(fd, records, sizeof(records)), 2);
			check(stop(fd), 0);
		}
		for (i = 0; !ret && i < 2; i++)
			unmap_ring(&rings[i]);
		close(fd);
	}
	for (i = 0; i < ROUNDS; i++) {
		set_online(CPU, 0);
		set_online(CPU, 1);
	}
	kill(pid, SIGKILL);
	check(waitpid(pid, &status, 0), pid);
	check(status, SIGKILL);
}

/* Pid namespaces */

static unsigned long long inside, outside;

static void check_pids(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	const struct knc_pmu_time_sample *t = (const void *)record;
	unsigned int pid, tid;

	(void)ring;
	if (record->type == KNC_PMU_RECORD_SAMPLE) {
		pid = s->pid;
		tid = s->tid;
	} else if (record->type == KNC_PMU_RECORD_TIME) {
		pid = t->pid;
		tid = t->tid;
	} else {
		return;
	}
	check(tid, pid);
	if (pid == 1)
		inside++;
	else if (!pid)
		outside++;
	else
		fail("a sample of process %u", pid);
}

/* Process 1 of a namespace configures the session; another process runs outside of it. */
static void test_pid_namespace(void)
{
	int up[2], down[2], fd, status;
	struct program p;
	struct request r;
	struct ring ring;
	pid_t child;
	char byte;

	check(pipe(up), 0);
	check(pipe(down), 0);
	if (unshare(CLONE_NEWPID))
		skip("this kernel has no pid namespaces");
	child = fork();
	if (!child) {
		check(getpid(), 1);
		pin(CPU);
		fd = open_device();
		ask_one(&r, CPU);
		r.c.ring_size = 1 << 20;
		r.c.sample_interval = 1000000;
		check(config(fd, &r), 0);
		memset(&ring, 0, sizeof(ring));
		map_ring(&ring, fd, 0, CPU, r.c.ring_size);
		ring.each = check_pids;
		check(start(fd), 0);
		loop(2 * N);
		read_ring(&ring);
		check(inside >= 4 * N / PERIOD, 1);
		inside = 0;
		outside = 0;
		check(write(up[1], "", 1), 1);
		check(read(down[0], &byte, 1), 1);
		check(stop(fd), 0);
		drain_ring(&ring);
		note("%llu samples of process 1, %llu of nobody it can see",
		     inside, outside);
		check(outside >= 2 * N / PERIOD, 1);
		_exit(0);
	}
	check(read(up[0], &byte, 1), 1);
	/* an own child would be in the namespace too: there must be none */
	fd = open("/proc/1/ns/pid", O_RDONLY | O_CLOEXEC);
	check(setns(fd, CLONE_NEWPID), 0);
	hold(&p, CPU, "loop", N, 0);
	release(&p);
	finish(&p);
	check(write(down[1], "", 1), 1);
	check(waitpid(child, &status, 0), child);
	check(status, 0);
}

static const struct test tests[] = {
	{ "rings.mapped", test_mapped },
	{ "rings.unmapped", test_unmapped },
	{ "rings.partly", test_partly },
	{ "rings.fork", test_fork },
	{ "rings.unload", test_unload },
	{ "rings.hostile", test_hostile },
	{ "rings.kill", test_kill },
	{ "rings.kill-alloc", test_kill_alloc },
	{ "rings.hotplug", test_hotplug },
	{ "rings.offline", test_offline },
	{ "rings.hotplug-race", test_hotplug_race },
	{ "rings.pid-namespace", test_pid_namespace },
};

TEST_PROGRAM(tests)
