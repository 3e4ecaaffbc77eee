// SPDX-License-Identifier: GPL-2.0
/* The options that report, script and timeline share */
#include "cli/text.h"
#include "profile/options.h"

int take_task(const struct command *cmd, const struct opt *o, const char *arg)
{
	unsigned int value = 0;
	int status = whole_number(cmd, o->what, arg, o->min, o->max, &value);

	*(long long *)o->to = value;
	return status;
}

/* CPUs of the recorded machine need not exist here */
int take_recorded_cpus(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct kncpmu_error err;

	return kncpmu_cpus_parse(arg, o->to, &err) ? usage_error(cmd, "%s", err.text) : 0;
}

int take_clean_text(const struct command *cmd, const struct opt *o, const char *arg)
{
	return take_text(cmd, o, intern_text(arg));
}
