// SPDX-License-Identifier: GPL-2.0
/*
 * Random commands with random arguments, from several processes on the same files. The kernel must
 * not complain (the caller looks at its log), and must hold nothing afterwards
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"

#define PROCESSES	4
#define FILES		4
#define SECONDS		(getenv("KNC_TEST_LONG") ? 10 : 2)
#define MOST_SECONDS	100
/*
 * Whether a command is accepted depends on other processes: so many commands may never have been
 * accepted or refused after MOST_SECONDS
 */
#define MAY_MISS	3
#define COMMANDS	12

/* How often each command was accepted and refused, over all processes */
struct tally {
	unsigned long accepted[COMMANDS];
	unsigned long refused[COMMANDS];
};

static int one_in(unsigned int n)
{
	return !random_below(n);
}

static unsigned long long random_bits(void)
{
	unsigned long long bits = random();

	bits = bits << 31 ^ random();
	return bits << 31 ^ random();
}

/* Now and then change a byte of a struct */
static void spoil(void *data, size_t size)
{
	unsigned char *bytes = data;

	if (one_in(8))
		bytes[random_below(size)] ^= 1 << random_below(8);
}

static void *spoil_address(void *arg)
{
	if (!one_in(16))
		return arg;
	return one_in(2) ? NULL : (void *)(unsigned long)random_bits();
}

static void random_sampling(struct request *r)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (one_in(3))
			continue;
		r->e[i].flags |= KNC_PMU_EVENT_SAMPLE;
		r->e[i].sample_period = 1 + random_below(100000);
	}
	r->c.ring_size = KNC_PMU_MIN_RING << 10 * one_in(4);
	r->c.watermark = random_below(2 * KNC_PMU_MIN_RING);
	if (one_in(3))
		r->c.sample_interval = KNC_PMU_MIN_INTERVAL *
				       random_below(20);
	if (one_in(2))
		return;
	r->c.flags |= KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_CHAIN_KERNEL;
	r->c.max_frames = random_below(KNC_PMU_MAX_FRAMES + 2);
}

static int random_config(int fd)
{
	static const unsigned int codes[] = {
		DATA_READ, BRANCHES, INSTRUCTIONS_EXECUTED, CPU_CLK_UNHALTED,
		L2_READ_MISS, 0x7fee
	};
	struct request r;
	unsigned int i;

	ask(&r, random_below(nr_cpus()), 1 + one_in(4));
	while (one_in(3))
		ask_cpu(&r, random_below(nr_cpus()));
	for (i = 0; i < 2; i++) {
		ask_event(&r, i, codes[random_below(ARRAY_SIZE(codes))],
			  random_below(4) ? 3 : random_below(256));
		r.e[i].counters = random_below(4);
		r.e[i].cmask = one_in(3);
	}
	r.c.flags = random_below(2);
	if (one_in(2))
		random_sampling(&r);
	spoil(&r.c, sizeof(r.c));
	spoil(r.e, sizeof(r.e));
	if (one_in(8))
		spoil(r.cpus, sizeof(r.cpus));
	return command(fd, KNC_PMU_IOC_CONFIG, spoil_address(&r.c));
}

static int random_read(int fd)
{
	struct record records[8];
	struct knc_pmu_read r;

	memset(&r, 0, sizeof(r));
	r.buffer = (unsigned long)spoil_address(records);
	r.buffer_size = random_below(sizeof(records) + 1);
	spoil(&r.flags, 2 * sizeof(r.flags));
	return command(fd, KNC_PMU_IOC_READ, spoil_address(&r));
}

static int random_info(int fd)
{
	struct knc_pmu_info info;

	memset(&info, 0, sizeof(info));
	spoil(&info, sizeof(info));
	return command(fd, KNC_PMU_IOC_INFO, spoil_address(&info));
}

static int random_regs(int fd)
{
	struct knc_pmu_regs regs;

	memset(&regs, 0, sizeof(regs));
	regs.cpu = random_below(nr_cpus());
	spoil(&regs, sizeof(regs));
	return command(fd, KNC_PMU_IOC_REGS, spoil_address(&regs));
}

static int random_owner(int fd)
{
	struct knc_pmu_owner owner;

	memset(&owner, 0, sizeof(owner));
	owner.cpu = random_below(nr_cpus());
	owner.counter = random_below(2);
	spoil(&owner, sizeof(owner));
	return command(fd, KNC_PMU_IOC_OWNER, spoil_address(&owner));
}

static int random_stats(int fd)
{
	struct knc_pmu_stats stats[8];
	struct knc_pmu_list r;

	r.entries = (unsigned long)spoil_address(stats);
	r.size = random_below(2 * sizeof(stats[0]));
	r.nr = r.size ? random_below(sizeof(stats) / r.size + 1) : 1;
	return command(fd, KNC_PMU_IOC_STATS, spoil_address(&r));
}

/* Map a ring, write values that confuse a reader, and mostly unmap it */
static int random_mmap(int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t size = page + (KNC_PMU_MIN_RING << 10 * one_in(4));
	struct knc_pmu_ring *ring;

	ring = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    one_in(8) ? MAP_PRIVATE : MAP_SHARED, fd,
		    size * random_below(3));
	if (ring == MAP_FAILED)
		return -errno;
	spoil(ring, sizeof(*ring));
	ring->tail = one_in(2) ? ring->head : random_bits();
	if (one_in(4))
		munmap(ring, page);
	else
		munmap(ring, size);
	return 0;
}

static int random_poll(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, random_below(3));
	return p.revents & POLLERR ? -1 : 0;
}

/* Replace the session of a descriptor, for all processes that share the descriptor */
static int reopen(int fd)
{
	int fresh = open_device();

	dup3(fresh, fd, O_CLOEXEC);
	close(fresh);
	return 0;
}

static int random_command(unsigned int what, int fd)
{
	switch (what) {
	case 0:
		return random_info(fd);
	case 1:
		return random_config(fd);
	case 2:
		return command(fd, KNC_PMU_IOC_START,
			       one_in(16) ? (void *)1 : NULL);
	case 3:
		return command(fd, KNC_PMU_IOC_STOP,
			       one_in(16) ? (void *)1 : NULL);
	case 4:
		return reset(fd, random_below(3));
	case 5:
		return random_read(fd);
	case 6:
		return random_regs(fd);
	case 7:
		return random_owner(fd);
	case 8:
		return random_stats(fd);
	case 9:
		return random_mmap(fd);
	case 10:
		return random_poll(fd);
	default:
		return command(fd, random(), (void *)random_bits());
	}
}

/* Was the command refused, and, if it can succeed, also accepted? */
static int seen(const struct tally *tally, unsigned int what)
{
	return __atomic_load_n(&tally->refused[what], __ATOMIC_RELAXED) &&
	       (what == COMMANDS - 1 ||
		__atomic_load_n(&tally->accepted[what], __ATOMIC_RELAXED));
}

/* The first command not yet seen, searched from a random one on; COMMANDS: all were seen */
static unsigned int unseen(const struct tally *tally)
{
	unsigned int first = random_below(COMMANDS), i;

	for (i = 0; i < COMMANDS; i++)
		if (!seen(tally, (first + i) % COMMANDS))
			return (first + i) % COMMANDS;
	return COMMANDS;
}

/*
 * A random command for SECONDS; then, up to MOST_SECONDS on a slow machine, every second one is a
 * command that is still missing. COMMANDS: the test can end.
 */
static unsigned int next_command(const struct tally *tally, time_t began)
{
	unsigned int what = random_below(COMMANDS), missing;

	if (time(NULL) - began <= SECONDS)
		return what;
	if (time(NULL) - began > MOST_SECONDS)
		return COMMANDS;
	missing = unseen(tally);
	return missing == COMMANDS || one_in(2) ? missing : what;
}

static void work(const int *fds, struct tally *tally)
{
	time_t began = time(NULL);
	unsigned int what;
	int fd;

	while ((what = next_command(tally, began)) < COMMANDS) {
		fd = fds[random_below(FILES)];
		if (one_in(20))
			reopen(fd);
		if (random_command(what, fd) < 0)
			__sync_fetch_and_add(&tally->refused[what], 1);
		else
			__sync_fetch_and_add(&tally->accepted[what], 1);
	}
	_exit(0);
}

static void test_random(void)
{
	struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int i, seed = random(), missing = 0;
	int fds[FILES], status;

	note("seed %u", seed);
	for (i = 0; i < FILES; i++)
		fds[i] = open_device();
	for (i = 0; i < PROCESSES; i++) {
		if (!fork()) {
			srandom(seed + i);
			work(fds, tally);
		}
	}
	for (i = 0; i < PROCESSES; i++) {
		check(wait(&status) > 0, 1);
		check(status, 0);
	}
	for (i = 0; i < COMMANDS; i++) {
		note("command %u: %lu accepted, %lu refused", i,
		     tally->accepted[i], tally->refused[i]);
		check(tally->accepted[i] + tally->refused[i] > 0, 1);
		missing += !seen(tally, i);
	}
	check(tally->accepted[COMMANDS - 1], 0);
	check(missing <= MAY_MISS, 1);
}

static const struct test tests[] = {
	{ "stress.random", test_random },
};

int main(int argc, char **argv)
{
	unsigned int cpu;

	/* write the values that RESET_REGISTERS leaves, so that a reset changes nothing */
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		put_registers(cpu, &zeros);
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc);
}
