// SPDX-License-Identifier: GPL-2.0
/*
 * knc/ring3.h on an emulated host: a program that reads its own general and fixed counters. Built
 * twice: with KNC_ANY_PMU, and without, when readings use READ.
 *
 * A loop of N times {dec, jnz} is 2 N instructions and N branches. Each reading is made many times,
 * and the least counts: a reading during which the thread was switched begins again.
 */
#include <stdio.h>
#include <string.h>

#include <knc/ring3.h>

#include "lib.h"

#define INSTRUCTIONS	0x00c0
#define BRANCHES	0x00c4

#define FIXED(n)	(ARCH_FIXED + (n))
#define TRIES		20
#define ROUNDS		100000

#ifdef KNC_ANY_PMU
#define PREFIX		"ring3."
#define OPENED		0
#else
#define PREFIX		"ring3-plain."
#define OPENED		-ENODEV
#endif

/* Instructions on fixed counter 0, branches on general counter 1, both of ring 3 */
static int session(struct knc_self *self)
{
	struct knc_pmu_event events[2] = {
		{ .event = INSTRUCTIONS, .flags = USR, .counters = BIT(FIXED(0)) },
		{ .event = BRANCHES, .flags = USR, .counters = BIT(1) },
	};
	struct knc_pmu_config config;
	int fd = device(), ret;

	ret = kncpmu_config_task(fd, 0, events, 2, KNC_PMU_CONFIG_RDPMC, &config);
	if (ret)
		fail("CONFIG: %s, reason %u", strerror(-ret), config.reason);
	expect("knc_self_open()", knc_self_open(self, fd), OPENED);
	if (kncpmu_start(fd))
		fail("START");
	return fd;
}

static void read_page(const struct knc_self *self, unsigned long *counts)
{
	if (knc_read(self, counts))
		fail("knc_read()");
}

static void read_each(const struct knc_self *self, unsigned long *counts)
{
	if (knc_read1(self, 0, &counts[0]) || knc_read1(self, 1, &counts[1]))
		fail("knc_read1()");
}

static void read_raw(const struct knc_self *self, unsigned long *counts)
{
	(void)self;
	counts[0] = knc_rdpmc_fixed(0);
	counts[1] = knc_rdpmc(1);
}

typedef void (*reader)(const struct knc_self *self, unsigned long *counts);

/* The least counts that @n rounds of the loop add, with a reading */
static void least(const struct knc_self *self, reader read, unsigned long n, unsigned long *added)
{
	unsigned long before[2], after[2];
	unsigned int i, try;

	added[0] = ~0UL;
	added[1] = ~0UL;
	for (try = 0; try < TRIES; try++) {
		read(self, before);
		loop(n);
		read(self, after);
		for (i = 0; i < 2; i++) {
			after[i] = knc_diff31(after[i], before[i]);
			if (after[i] < added[i])
				added[i] = after[i];
		}
	}
}

static void count(reader read)
{
	unsigned long few[2], many[2];
	struct knc_self self;
	int fd = session(&self);

	least(&self, read, 1000, few);
	least(&self, read, 1000 + ROUNDS, many);
	expect("instructions of the fixed counter", many[0] - few[0], 2 * ROUNDS);
	expect("branches of the general counter", many[1] - few[1], ROUNDS);
	knc_self_close(&self);
	kncpmu_close(fd);
}

static void by_page(void)
{
	count(read_page);
}

static void one_event(void)
{
	count(read_each);
}

static void raw(void)
{
	count(read_raw);
}

/* A stopped session is read by READ, with the same result */
static void stopped(void)
{
	unsigned char buffer[KNC_PMU_THREAD_SIZE(KNC_PMU_MAX_EVENTS)];
	const struct knc_pmu_thread *record;
	unsigned long running[2], counts[2];
	struct knc_self self;
	int fd = session(&self);

	loop(ROUNDS);
	read_page(&self, running);
	if (kncpmu_stop(fd) || kncpmu_read(fd, buffer, sizeof(buffer), 0) != 1)
		fail("STOP or READ");
	read_page(&self, counts);
	record = kncpmu_record(buffer, 2, 0);
	expect("instructions", counts[0], record->value[0]);
	expect("branches", counts[1], record->value[1]);
	within("instructions before", running[0], 2 * ROUNDS, counts[0]);
	within("branches before", running[1], ROUNDS, counts[1]);
	knc_self_close(&self);
	kncpmu_close(fd);
}

/* Regions are for cards only: none is measured, and nothing is printed */
static void regions(void)
{
	expect("knc_ring3_init()", knc_ring3_init(), KNC_RING3_NOT_KNC);
	KNC_REGION("none")
		loop(1000);
	expect("knc_ring3_available()", knc_ring3_available(), 0);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ PREFIX "read", by_page },
		{ PREFIX "read1", one_event },
		{ PREFIX "rdpmc", raw },
		{ PREFIX "stopped", stopped },
		{ PREFIX "regions", regions },
	};

	(void)argc;
	return run_tests(tests, ARRAY_SIZE(tests), argv + 1, NULL);
}
