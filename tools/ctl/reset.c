// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl reset: PMU registers to what they hold after a reset of the card */
#include <errno.h>
#include <string.h>

#include <knc/regs.h>

#include "ctl.h"

/**
 * struct reset_opts - what to reset
 * @cpus: hardware threads
 * @given: they were named, or all were asked for
 */
struct reset_opts {
	struct kncpmu_cpus cpus;
	int given;
};

static const char * const usage[] = {
	"usage: knc-pmuctl reset -C CPUS | -a",
	"",
	"Sets the PMU registers of hardware threads that no session has to what they hold",
	"after a reset of the card: 0. Threads that a session has are left alone and",
	"named, with who has them; the exit status is 1 then. Needs CAP_PERFMON.",
	"",
	"  -C CPUS         these hardware threads, for instance 0-3,8",
	"  -a              all that are online",
	NULL
};

static const struct option options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "all", no_argument, NULL, 'a' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct reset_opts *opts = ctx;

	return take_cpus(cmd, opt, arg, &opts->cpus, &opts->given);
}

/* 1 if nobody has a counter of it; else says who, or what went wrong */
static int is_free(int fd, unsigned int cpu)
{
	struct knc_pmu_owner owner;
	char who[64];
	int ret = cpu_owner(fd, cpu, &owner);

	if (ret < 0)
		explain_op(KNCPMU_OP_OWNER, ret, cpu);
	if (ret <= 0)
		return !ret;
	kncpmu_process_name(owner.pid, who, sizeof(who));
	complain("CPU %u left alone: counter %u belongs to %s; wait until it ends", cpu,
		 owner.counter, who);
	return 0;
}

/* A session with both counters of every thread forgets what they held before */
static int reset_cpus(int fd, const struct kncpmu_cpus *cpus)
{
	struct knc_pmu_event events[KNC_NR_COUNTERS];
	unsigned int i;
	int ret;

	memset(events, 0, sizeof(events));
	for (i = 0; i < KNC_NR_COUNTERS; i++) {
		events[i].flags = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
		events[i].counters = 1U << i;
	}
	if (configure(fd, cpus, events, KNC_NR_COUNTERS))
		return CTL_FAILED;
	ret = kncpmu_reset(fd, KNC_PMU_RESET_REGISTERS);
	return ret ? explain_op(KNCPMU_OP_RESET, ret, 0) : CTL_OK;
}

static int reset_free(int fd, void *ctx)
{
	struct kncpmu_cpus *cpus = ctx;
	unsigned int cpu, left = 0;
	char text[CPUS_TEXT];

	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		if (is_free(fd, cpu))
			continue;
		kncpmu_cpus_clear(cpus, cpu);
		left++;
	}
	if (!kncpmu_cpus_count(cpus))
		return CTL_FAILED;
	if (reset_cpus(fd, cpus))
		return CTL_FAILED;
	kncpmu_cpus_format(cpus, text, sizeof(text));
	printf("PMU registers of CPU%s %s are reset\n", plural(cpus), text);
	return left ? CTL_FAILED : CTL_OK;
}

static int run_reset(const struct command *cmd, int argc, char **argv)
{
	struct reset_opts opts = { .given = 0 };
	int status;

	if (parse_only_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	if (!opts.given)
		return usage_error(cmd, "reset needs -C CPUS or -a: which hardware threads?");
	return with_device(reset_free, &opts.cpus);
}

const struct command reset_command = {
	.name = "reset",
	.summary = "PMU registers back to their reset values",
	.usage = usage,
	.shorts = ":hC:a",
	.longs = options,
	.run = run_reset,
};
