// SPDX-License-Identifier: GPL-2.0
/*
 * knc-pmuctl reset: sets PMU registers to their values after a reset of the card; with --force it
 * first evicts the sessions that have the counters
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <knc/arch_regs.h>
#include <kernel-file.h>
#include <pmus.h>

#include "cli/cpus.h"
#include "cli/device.h"
#include "cli/options.h"
#include "cli/pmu.h"

static struct kncpmu_cpus cpus;
static int given, force;

/* Limits the retries: the program of an evicted session may open another one at once */
#define MAX_TRIES	100

static const char * const usage[] = {
	"usage: knc-pmuctl reset [--force] -C CPUS | -a",
	"",
	"Sets the PMU registers of hardware threads to their values after a reset of the card,",
	"0. Hardware threads with a counter that belongs to a session are left alone; a message",
	"names each and the owner, and the exit status is 1. Needs CAP_PERFMON.",
	NULL
};

/* --force has no letter, because a typing error must not take counters away from others */
static const struct opt options[] = {
	{ 0, "force", NULL, FLAG(&force),
	  "evict those sessions, and print their processes: the sessions keep their counts, but "
	  "count no more" },
	{ 'C', "cpu", "CPUS", CPUS(&cpus, &given), "these hardware threads, for instance 0-3,8" },
	{ 'a', "all", NULL, CPUS(&cpus, &given), "all hardware threads that are online" },
	END_OF_OPTIONS
};

/*
 * Are all counters of @cpu free? If not, @owner and @name describe a session that holds one. @name
 * is "" after an error, which has been printed.
 */
static int is_free(int fd, unsigned int cpu, struct knc_pmu_owner *owner, char *name,
		   size_t size)
{
	int ret = cpu_owner(fd, cpu, owner);

	if (ret < 0)
		explain_op(KNCPMU_OP_OWNER, ret, cpu);
	if (ret > 0)
		kncpmu_process_name(owner->pid, name, size);
	else
		name[0] = '\0';
	return !ret;
}

static int leave_alone(int fd, unsigned int cpu)
{
	struct knc_pmu_owner owner;
	char name[KNCPMU_PROCESS_LEN];

	if (is_free(fd, cpu, &owner, name, sizeof(name)))
		return 0;
	if (name[0])
		complain("CPU %u left alone: counter %u belongs to %s; wait until that ends, or "
			 "take the counter away with --force", cpu, owner.counter, name);
	return 1;
}

/* Evict all sessions that have a counter of a hardware thread; returns 0, or 1 after a message */
static int evict(int fd, unsigned int cpu)
{
	struct knc_pmu_owner owner;
	unsigned int tries;
	char name[KNCPMU_PROCESS_LEN];
	int nr;

	for (tries = 0; tries < MAX_TRIES; tries++) {
		if (is_free(fd, cpu, &owner, name, sizeof(name)))
			return 0;
		if (!name[0])
			return 1;
		nr = kncpmu_evict(fd, cpu, owner.counter);
		if (nr < 0) {
			explain_op(KNCPMU_OP_EVICT, nr, cpu);
			return 1;
		}
		if (nr == 1)
			printf("evicted from counter %u of CPU %u: a session of %s\n",
			       owner.counter, cpu, name);
		else if (nr)
			printf("evicted from counter %u of CPU %u: a session of %s and %d more\n",
			       owner.counter, cpu, name, nr - 1);
	}
	complain("CPU %u left alone: after each evicted session there is another one, of %s; "
		 "end that process", cpu, name);
	return 1;
}

/* An event code that the counter can count: any for a general counter, its own for a fixed one */
static __u64 code_for(unsigned int counter)
{
	const struct kncpmu_event_desc *table = own_pmu()->events;
	unsigned int i;

	for (i = 0; i < own_pmu()->nr_events && counter >= ARCH_FIXED; i++) {
		if (table[i].counters >> counter & 1)
			return KNC_PMU_EVENT_CODE(table[i].event, table[i].umask);
	}
	return 0;
}

static unsigned int events_of_all_counters(struct knc_pmu_event *events)
{
	const __u64 counters = own_pmu()->counters;
	unsigned int counter, nr = 0;

	memset(events, 0, KNCPMU_MAX_COUNTERS * sizeof(*events));
	for (counter = 0; counters >> counter; counter++) {
		if (!(counters >> counter & 1))
			continue;
		events[nr].event = code_for(counter);
		events[nr].flags = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
		events[nr++].counters = 1ULL << counter;
	}
	return nr;
}

/* KNC_PMU_RESET_REGISTERS needs a session that owns all counters of these threads */
static int reset_cpus(int fd)
{
	struct knc_pmu_event events[KNCPMU_MAX_COUNTERS];
	struct knc_pmu_config config;
	unsigned int i, cpu, nr = events_of_all_counters(events);
	int ret;

	/* retry, because a new session may take the counters first */
	for (i = 0; force && i < MAX_TRIES; i++) {
		ret = kncpmu_config(fd, &cpus, events, nr, 0, &config);
		if (ret != -EBUSY)
			break;
		for (cpu = first_cpu(&cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(&cpus, cpu))
			kncpmu_evict(fd, cpu, KNC_PMU_NO_COUNTER);
	}
	if ((!force || ret) && configure(own_pmu(), fd, &cpus, events, nr))
		return CTL_FAILED;
	ret = kncpmu_reset(fd, KNC_PMU_RESET_REGISTERS);
	return ret ? explain_op(KNCPMU_OP_RESET, ret, 0) : CTL_OK;
}

static int reset_free(int fd, void *ctx)
{
	unsigned int cpu, left = 0;
	char text[CPUS_TEXT];

	for (cpu = first_cpu(&cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(&cpus, cpu)) {
		if (!(force ? evict(fd, cpu) : leave_alone(fd, cpu)))
			continue;
		kncpmu_cpus_clear(&cpus, cpu);
		left++;
	}
	if (!kncpmu_cpus_count(&cpus))
		return CTL_FAILED;
	if (reset_cpus(fd))
		return CTL_FAILED;
	kncpmu_cpus_format(&cpus, text, sizeof(text));
	printf("PMU registers of CPU%s %s are reset\n", plural(&cpus), text);
	return left ? CTL_FAILED : CTL_OK;
}

static int run_reset(const struct command *cmd, int argc, char **argv)
{
	if (!given)
		return usage_error(cmd, "reset needs -C CPUS or -a: name the hardware threads");
	return with_device(reset_free, NULL);
}

const struct command reset_command = {
	.name = "reset",
	.summary = "PMU registers back to their reset values",
	.usage = usage,
	.options = options,
	.far = 1,
	.run = run_reset,
};
