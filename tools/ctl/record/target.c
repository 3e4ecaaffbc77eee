// SPDX-License-Identifier: GPL-2.0
/*
 * The target of record: hardware threads, or a program that is followed; and the privilege
 * rings that may be sampled
 */
#include <stdio.h>
#include <string.h>
#include <kernel-file.h>
#include <sets.h>

#include "cli/clock.h"
#include "cli/message.h"
#include "cli/pmu.h"
#include "record/record.h"

/* Options that exclude each other */
static int check_options(const struct command *cmd, const struct record_opts *opts)
{
	if (opts->have_cpus && opts->pid)
		return usage_error(cmd,
				   "-p and -t follow a program, -C and -a record hardware threads: choose one");
	if (opts->have_cpus && opts->no_inherit)
		return usage_error(cmd,
				   "--no-inherit is for a program that is followed: leave out -C and -a");
	if (opts->have_cpus && opts->off_cpu)
		return usage_error(cmd,
				   "--off-cpu is for a program that is followed: name a command or a process (-p) instead of -C and -a");
	if (opts->interval && !opts->have_cpus)
		return usage_error(cmd,
				   "--tbs samples hardware threads, not a program that is followed: name them with -C CPUS, or -a");
	if (!opts->command && opts->have_pin)
		return usage_error(cmd, "--pin is for a command and there is none: name one");
	if (!opts->command && !opts->have_cpus && !opts->pid)
		return usage_error(cmd,
				   "nothing to record: name a command, CPUs (-C, -a) or a process (-p); for instance: %s record -a",
				   PROGRAM);
	return 0;
}

/* Without high resolution timers --tbs can't have a shorter interval than the kernel's tick */
static void tell_resolution(const struct record_opts *opts)
{
	unsigned long long tick = timer_resolution();

	if (opts->interval && opts->interval < tick)
		complain("the timers of this kernel run every %g ms (no high resolution): "
			 "--tbs takes no more samples, and counts the others as missed",
			 (double)tick / NSEC_PER_MSEC);
}

int target_complete(const struct command *cmd, struct record_opts *opts)
{
	const char *slash;
	int ret;

	if (check_options(cmd, opts))
		return CTL_USAGE;
	tell_resolution(opts);
	if (opts->have_cpus) {
		opts->target = TARGET_CPUS;
		return 0;
	}
	if (opts->pid) {
		kncpmu_process_name(opts->pid, opts->who, sizeof(opts->who));
	} else {
		slash = strrchr(opts->command[0], '/');
		snprintf(opts->who, sizeof(opts->who), "%s",
			 slash ? slash + 1 : opts->command[0]);
	}
	/* a followed program may run on any hardware thread: each has a ring */
	ret = kncpmu_cpus_possible(&opts->cpus);
	if (ret)
		return complain("can't read from /sys which CPUs there are (%s): mount it",
				strerror(-ret));
	return 0;
}

/* Has the event neither modifier u nor k? */
static int names_no_ring(const struct kncpmu_item *item)
{
	const __u32 rings = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
	struct kncpmu_item copy = *item;

	return (item->event.flags & rings) == rings && add_modifier(own_pmu(), &copy, 'u') &&
	       !(copy.event.flags & KNC_PMU_EVENT_OS);
}

int target_choose_modes(struct record_opts *opts)
{
	unsigned int i;

	if (opts->target == TARGET_CPUS || may_count_kernel())
		return 0;
	if (opts->chain == KNC_PMU_CONFIG_CHAIN_KERNEL)
		return complain("permission denied: call chains in kernel mode need CAP_PERFMON "
				"(before Linux 5.8 CAP_SYS_ADMIN); use -g=user, or run as root");
	for (i = 0; i < opts->nr_items; i++) {
		if (!names_no_ring(&opts->items[i]))
			continue;
		opts->items[i].event.flags &= ~KNC_PMU_EVENT_OS;
		opts->user_only = 1;
	}
	if (opts->chain & KNC_PMU_CONFIG_CHAIN_KERNEL) {
		opts->chain &= ~KNC_PMU_CONFIG_CHAIN_KERNEL;
		opts->user_only = 1;
	}
	return 0;
}

unsigned int target_flags(const struct record_opts *opts)
{
	if (opts->target == TARGET_CPUS)
		return 0;
	return KNC_PMU_CONFIG_TASK | follow_flags(opts->target, !opts->no_inherit);
}

const char *target_name(const struct record_opts *opts)
{
	static const char * const names[] = {
		[TARGET_COMMAND] = "command",
		[TARGET_CPUS] = "cpus",
		[TARGET_PROCESS] = "process",
		[TARGET_THREAD] = "thread",
	};

	return names[opts->target];
}
