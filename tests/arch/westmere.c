// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU of an emulated Westmere: its CPUID, registers, events, constraints, second words,
 * and the erratum, which the emulated CPU has
 *
 *   westmere [TEST]...
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <kncpmu.h>

#include "lib.h"

/* An event by the library's name */
static struct knc_pmu_event event(const char *spec)
{
	struct knc_pmu_event e;
	struct kncpmu_error err;
	struct kncpmu_pmu pmu;

	kncpmu_pmu_get(-1, "westmere", &pmu);
	if (kncpmu_spec_parse(&pmu, spec, &e, &err))
		fail("%s", err.text);
	return e;
}

static int config_task(int fd, struct knc_pmu_event *events, unsigned int nr,
		       struct knc_pmu_config *config)
{
	return kncpmu_config_task(fd, 0, events, nr, 0, config);
}

static unsigned long long read_count(int fd, unsigned int nr, unsigned int i)
{
	unsigned char buffer[KNC_PMU_THREAD_SIZE(KNC_PMU_MAX_EVENTS)];

	if (kncpmu_read(fd, buffer, sizeof(buffer), 0) != 1)
		fail("READ");
	return kncpmu_record(buffer, nr, 0)->value[i];
}

/* What a million more rounds of the loop add to each event of a session */
static void added(struct knc_pmu_event *events, unsigned int nr, unsigned long long *add)
{
	unsigned long long few[KNC_PMU_MAX_EVENTS];
	unsigned int i, n;
	int fd;

	for (n = 0; n < 2; n++) {
		fd = task_session(events, nr);
		if (kncpmu_start(fd))
			fail("START");
		loop(n ? 1001000 : 1000);
		if (kncpmu_stop(fd))
			fail("STOP");
		for (i = 0; i < nr; i++)
			(n ? add : few)[i] = read_count(fd, nr, i);
		kncpmu_close(fd);
	}
	for (i = 0; i < nr; i++)
		add[i] -= few[i];
}

/* Registers */

static void leaf(void)
{
	unsigned int regs[4];

	read_leaf(1, regs);
	expect("family, model and stepping", regs[0] & 0xfff0fff, 0x206c2);
	expect("hypervisor", regs[2] >> 31, 0);
	expect("PDCM", regs[2] >> 15 & 1, 0);
	read_leaf(0, regs);
	expect("highest leaf", regs[0], 11);
	read_leaf(0xa, regs);
	expect("EAX", regs[0], 0x07300403);
	expect("EBX", regs[1], 0);
	expect("EDX", regs[3], 0x603);
}

/* #GP comes back as EIO */
static void faults(void)
{
	open_msr(0);
	writing(0x1a6, 0xffff, 0);
	writing(0x1a6, 0x10000, -EIO);
	writing(0x1a7, BIT(63), -EIO);
	writing(0x1a6, 0, 0);
	/* no full-width writes */
	writing(0x4c1, 0, -EIO);
	writing(0x38f, 0x10, -EIO);
	writing(0x186, BIT(21), 0);
	writing(0x186, 0, 0);
}

/* The threads of a core have the same offcore registers */
static void shared_register(void)
{
	open_msr(0);
	writing(0x1a6, 0x1234, 0);
	open_msr(1);
	expect("0x1a6 of the sibling", value_of(0x1a6), 0x1234);
	open_msr(2);
	expect("0x1a6 of another core", value_of(0x1a6), 0);
	open_msr(0);
	writing(0x1a6, 0, 0);
}

/* The emulated erratum: a new event counts nothing unless the counters have settled before */
static void erratum(void)
{
	static const unsigned int magic[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	unsigned int i, n;

	pin(0);
	open_msr(0);
	for (n = 0; n < 2; n++) {
		for (i = 0; n && i < 4; i++)
			writing(0x186 + i, magic[i], 0);
		if (n) {
			writing(0x38f, 0xf, 0);
			writing(0x38f, 0, 0);
		}
		for (i = 0; i < 4; i++)
			writing(0x186 + i, 0, 0);
		writing(0xc1, 0, 0);
		/* an event that was never counted here */
		writing(0x186, 0x4301c0, 0);
		writing(0x38f, 1, 0);
		loop(1000000);
		writing(0x38f, 0, 0);
		writing(0x186, 0, 0);
		if (!n)
			expect("count without settling", value_of(0xc1), 0);
		else if (value_of(0xc1) < 2000000)
			fail("%llu instructions after settling", value_of(0xc1));
	}
	writing(0x38f, 0xf, 0);
}

/* Sessions */

static void info(void)
{
	struct knc_pmu_desc desc;
	int fd = device();

	expect("PMUs", kncpmu_pmus(fd, &desc, 1) >= 1, 1);
	expect("name", strcmp(desc.name, "westmere"), 0);
	expect("counters", desc.counters, 0x70000000fULL);
	expect("nr_counters", desc.nr_counters, 4);
	expect("nr_fixed", desc.nr_fixed, 3);
	kncpmu_close(fd);
}

/* The module lets the counters settle: each new event counts, on each counter */
static void each(void)
{
	static const char * const specs[] = {
		"INST_RETIRED.ANY_P:u", "BR_INST_RETIRED.ALL_BRANCHES:u", "instructions:u",
		"branches:u", "CPU_CLK_UNHALTED.THREAD_P:u",
	};
	static const unsigned int want[] = { 2000000, 1000000, 2000000, 1000000, 2000000 };
	unsigned long long add;
	struct knc_pmu_event e;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		for (n = 0; n < 4; n++) {
			e = event(specs[i]);
			e.counters = BIT(n);
			added(&e, 1, &add);
			expect("counter", e.counter, n);
			expect(specs[i], add, want[i]);
		}
	}
}

/* Seven events at once, one on each counter */
static void seven(void)
{
	struct knc_pmu_event e[7] = {
		event("INST_RETIRED.ANY_P:u"), event("BR_INST_RETIRED.ALL_BRANCHES:u"),
		event("MEM_INST_RETIRED.LOADS:u"), event("BRANCH_INSTRUCTIONS_RETIRED:u"),
		event("instructions:u"), event("cycles:u"), event("ref-cycles:u"),
	};
	static const unsigned int want[7] = {
		2000000, 1000000, 0, 1000000, 2000000, 2000000, 2000000,
	};
	unsigned long long add[7];
	unsigned int i;

	added(e, 7, add);
	for (i = 0; i < 7; i++)
		expect("event", add[i], want[i]);
}

/* A later session does not disturb the counts of an earlier one */
static void beside(void)
{
	struct knc_pmu_event first = event("INST_RETIRED.ANY_P:u");
	struct knc_pmu_event second = event("BR_INST_RETIRED.ALL_BRANCHES:u");
	unsigned long long count[2];
	unsigned int n, i;
	int fd, other;

	pin(0);
	for (n = 0; n < 2; n++) {
		fd = task_session(&first, 1);
		expect("START", kncpmu_start(fd), 0);
		for (i = 0; i < 8; i++) {
			loop(n ? 126000 : 1000);
			other = task_session(&second, 1);
			expect("START", kncpmu_start(other), 0);
			kncpmu_close(other);
		}
		expect("STOP", kncpmu_stop(fd), 0);
		count[n] = read_count(fd, 1, 0);
		kncpmu_close(fd);
	}
	expect("instructions", count[1] - count[0], 2000000);
}

/* Events that only one or two counters can count */
static void constraints(void)
{
	struct knc_pmu_event e[3] = {
		event("L1D.REPL:u"), event("CACHE_LOCK_CYCLES.L1D:u"),
		event("OFFCORE_REQUESTS_OUTSTANDING.ANY.READ:u"),
	};
	struct knc_pmu_config config;
	int fd = device();

	/* two of these events fit, on counters 1 and 0 */
	expect("CONFIG", config_task(fd, &e[1], 2, &config), 0);
	expect("counter", e[1].counter, 1);
	expect("counter", e[2].counter, 0);
	kncpmu_close(fd);
	fd = device();
	expect("CONFIG of three", config_task(fd, e, 3, &config), -EOPNOTSUPP);
	expect("reason", config.reason, KNC_PMU_REASON_EVENT_PAIR);
	e[0].counters = BIT(2);
	expect("CONFIG on counter 2", config_task(fd, e, 1, &config), -EOPNOTSUPP);
	expect("reason", config.reason, KNC_PMU_REASON_EVENT_COUNTER);
	e[2].counters = BIT(1);
	expect("CONFIG on counter 1", config_task(fd, &e[2], 1, &config), -EOPNOTSUPP);
	expect("reason", config.reason, KNC_PMU_REASON_EVENT_COUNTER);
	kncpmu_close(fd);
}

/* Second words */

#define DRAM	"OFFCORE_RESPONSE.ANY_DATA.ANY_LLC_MISS"	/* 0xf811 in 0x1a6 */
#define ALL	"OFFCORE_RESPONSE.ANY_REQUEST.ANY_LOCATION"	/* 0xffff */

static void refused(int fd, int ret, int err, const struct knc_pmu_config *config,
		    unsigned int reason)
{
	expect("CONFIG", ret, -err);
	expect("reason", config->reason, reason);
	kncpmu_close(fd);
}

/* The second words are in the cores' registers as long as a session needs them */
static void words(void)
{
	struct knc_pmu_event e[2] = { event(DRAM), event("r01bb:x=0x8080") };
	int fd, other;

	open_msr(2);
	writing(0x1a7, 0x101, 0);
	fd = cpu_session(2, e, 2);
	expect("0x1a6", value_of(0x1a6), 0xf811);
	expect("0x1a7", value_of(0x1a7), 0x8080);
	open_msr(0);
	expect("0x1a6 of another core", value_of(0x1a6), 0);
	/* tasks may run on any core */
	other = task_session(e, 1);
	expect("0x1a6 with a session of tasks", value_of(0x1a6), 0xf811);
	kncpmu_close(fd);
	kncpmu_close(other);
	expect("0x1a6 afterwards", value_of(0x1a6), 0);
	open_msr(2);
	expect("0x1a6 afterwards", value_of(0x1a6), 0);
	expect("0x1a7 afterwards", value_of(0x1a7), 0x101);
	writing(0x1a7, 0, 0);
}

/* Two second words for one register: of one session, and of sessions on a core's threads */
static void conflicts(void)
{
	struct knc_pmu_event e[2] = { event(DRAM), event(ALL) };
	struct knc_pmu_config config;
	int fd = device(), other;

	refused(fd, config_task(fd, e, 2, &config), EOPNOTSUPP, &config,
		KNC_PMU_REASON_EXTRA_PAIR);
	fd = cpu_session(0, e, 1);
	/* the sibling may have the same word only; another core may have another word */
	other = cpu_session(1, e, 1);
	kncpmu_close(other);
	other = device();
	refused(other, config_cpu(other, 1, &e[1], 1, &config), EBUSY, &config,
		KNC_PMU_REASON_EXTRA_BUSY);
	expect("its CPU", config.reason_cpu, 1);
	expect("its owner", config.reason_pid, getpid());
	other = cpu_session(2, &e[1], 1);
	kncpmu_close(other);
	other = device();
	refused(other, config_task(other, &e[1], 1, &config), EBUSY, &config,
		KNC_PMU_REASON_EXTRA_BUSY);
	/* the other register is free */
	e[1] = event("r01bb:x=0xffff");
	other = cpu_session(1, &e[1], 1);
	kncpmu_close(other);
	kncpmu_close(fd);
	/* sessions of tasks, which share counters */
	e[1] = event(ALL);
	fd = task_session(e, 1);
	other = device();
	refused(other, config_task(other, &e[1], 1, &config), EBUSY, &config,
		KNC_PMU_REASON_EXTRA_BUSY);
	expect("its CPU", config.reason_cpu, KNC_PMU_NO_CPU);
	kncpmu_close(fd);
	fd = task_session(&e[1], 1);
	kncpmu_close(fd);
	/* an event without its word, with reserved bits, with the word of another event */
	e[0] = event(DRAM);
	e[0].extra = 0;
	fd = device();
	refused(fd, config_task(fd, e, 1, &config), EINVAL, &config, KNC_PMU_REASON_EVENT_EXTRA);
	e[0].extra = 0x1ffff;
	fd = device();
	refused(fd, config_task(fd, e, 1, &config), EINVAL, &config, KNC_PMU_REASON_EVENT_EXTRA);
	e[0] = event("instructions:u");
	e[0].extra = 0xffff;
	fd = device();
	refused(fd, config_task(fd, e, 1, &config), EINVAL, &config, KNC_PMU_REASON_EVENT_EXTRA);
}

/* A core that comes online again has the words again */
static void hotplug(void)
{
	struct knc_pmu_event e = event(DRAM);
	int fd = task_session(&e, 1);

	set_online(2, 0);
	set_online(3, 0);
	open_msr(0);
	set_online(2, 1);
	open_msr(2);
	expect("0x1a6", value_of(0x1a6), 0xf811);
	set_online(3, 1);
	kncpmu_close(fd);
	expect("0x1a6 afterwards", value_of(0x1a6), 0);
}

/*
 * A core was offline when the words were written: afterwards its registers are as they were when it
 * came online, not as an earlier session saved them
 */
static void away(void)
{
	struct knc_pmu_event e = event(DRAM);
	int fd;

	open_msr(2);
	writing(0x1a6, 0x101, 0);
	kncpmu_close(task_session(&e, 1));
	expect("0x1a6", value_of(0x1a6), 0x101);
	writing(0x1a6, 0, 0);
	open_msr(0);
	set_online(2, 0);
	set_online(3, 0);
	fd = task_session(&e, 1);
	set_online(2, 1);
	set_online(3, 1);
	open_msr(2);
	expect("0x1a6 with a session", value_of(0x1a6), 0xf811);
	kncpmu_close(fd);
	expect("0x1a6 afterwards", value_of(0x1a6), 0);
	open_msr(3);
	expect("0x1a6 of the sibling", value_of(0x1a6), 0);
}

static const struct test tests[] = {
	{ "leaf", leaf },
	{ "faults", faults },
	{ "shared_register", shared_register },
	{ "erratum", erratum },
	{ "info", info },
	{ "each", each },
	{ "seven", seven },
	{ "beside", beside },
	{ "constraints", constraints },
	{ "words", words },
	{ "conflicts", conflicts },
	{ "hotplug", hotplug },
	{ "away", away },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc, NULL);
}
