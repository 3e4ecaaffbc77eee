// SPDX-License-Identifier: GPL-2.0
/* The options that report, script and timeline share */
#include <limits.h>

#include "cli/text.h"
#include "profile/options.h"

static int task_number(const struct command *cmd, const char *what,
		       const char *text, long long *number)
{
	unsigned int value = 0;
	int status = take_whole(cmd, what, text, 0, UINT_MAX, &value);

	*number = value;
	return status;
}

int profile_option(const struct command *cmd, struct profile_opts *opts,
		   int opt, const char *arg)
{
	struct kncpmu_error err;

	switch (opt) {
	case 'i':
		opts->input = arg;
		return 0;
	case 'e':
		opts->event = arg;
		return 0;
	case 'C':
		/* CPUs of the recorded machine need not exist here */
		opts->have_cpus = 1;
		if (kncpmu_cpus_parse(arg, &opts->cpus, &err))
			return usage_error(cmd, "%s", err.text);
		return 0;
	case OPT_COMM:
		/* the name in its clean form, which outputs have */
		opts->comm = intern_text(arg);
		return 0;
	case OPT_DSO:
		opts->dso = intern_text(arg);
		return 0;
	case OPT_PID:
		return task_number(cmd, "process", arg, &opts->pid);
	case OPT_TID:
		return task_number(cmd, "thread", arg, &opts->tid);
	case OPT_SYSROOT:
		opts->sysroot = arg;
		return 0;
	}
	return -1;
}
