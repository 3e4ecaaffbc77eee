// SPDX-License-Identifier: GPL-2.0
/* Foreign NMIs between overflow interrupts must reach their handlers, and sampling must continue */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring.h"

#define NMI_PERIOD	100003
#define NMIS	3

static struct ring ring;
static struct knc_pmu_stats first;

/* A session on @cpu, which is always busy in user mode. With OS its overflow interrupts are NMIs */
static int sampling(unsigned int cpu, unsigned int flags)
{
	struct program p;
	struct request r;
	int fd = open_device();

	hold(&p, cpu, "spin", 0, 0);
	release(&p);
	get_stats(cpu, &first);
	ask(&r, cpu, 1);
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, flags, NMI_PERIOD);
	check(config(fd, &r), 0);
	map_ring(&ring, fd, 0, cpu, r.c.ring_size);
	check(start(fd), 0);
	return fd;
}

static unsigned long long foreign(void)
{
	struct knc_pmu_stats stats;

	get_stats(ring.cpu, &stats);
	return stats.foreign - first.foreign;
}

/* Check that sampling still works. */
static void check_goes_on(void)
{
	unsigned long long samples = ring.page->samples;

	while (ring.page->samples < samples + 100) {
		read_ring(&ring);
		usleep(1000);
	}
	read_ring(&ring);
}

static void check_end(int fd)
{
	struct knc_pmu_stats stats;
	unsigned long long count;

	check(stop(fd), 0);
	drain_ring(&ring);
	check_produced(&ring);
	read_counts(fd, 1, &count);
	check_sum(&ring, 0, count, NMI_PERIOD);
	check_quiet(fd, ring.cpu);
	get_stats(ring.cpu, &stats);
	check(stats.samples - first.samples, ring.page->samples);
	check(stats.pmis - first.pmis >= ring.page->samples, 1);
}

static void read_on(void)
{
	read_ring(&ring);
}

/*
 * NMIs from outside the machine have no handler. An NMI that arrives together with an overflow
 * interrupt is taken for the overflow interrupt; then the test requests another NMI.
 */
static void test_outside(void)
{
	unsigned int asked = 0;
	int fd = sampling(0, USR | OS);

	check_goes_on();
	check(foreign(), 0);
	while (foreign() < NMIS) {
		/* to the boot CPU */
		ask_monitor("nmi", read_on);
		asked++;
		check_goes_on();
	}
	note("asked %u times, %llu foreign", asked, foreign());
	check(foreign() <= asked, 1);
	check_end(fd);
}

static void show_backtraces(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "l", 1) != 1)
		fail("no SysRq: %s", strerror(errno));
	close(fd);
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	check(write(fd, "knc-test: backtraces end\n", 25), 25);
	close(fd);
}

/*
 * NMIs that the kernel itself sends from another CPU. Their output proves that they arrived, alone
 * or together with an overflow interrupt.
 */
static void test_backtrace(void)
{
	unsigned int shown;
	int fd;

	pin(0);
	fd = sampling(nr_cpus() - 1, USR);
	check_goes_on();
	for (shown = 0; foreign() < NMIS; shown++) {
		show_backtraces();
		check_goes_on();
	}
	note("%u shown, %llu foreign", shown, foreign());
	check(foreign() <= shown, 1);
	check_end(fd);
}

static const struct test tests[] = {
	{ "nmi.outside", test_outside },
	{ "nmi.backtrace", test_backtrace },
};

TEST_PROGRAM(tests)
