// SPDX-License-Identifier: GPL-2.0
/* The options that report, script and timeline share */
#include <stdlib.h>

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

/* "N", "N%" or nothing, up to @end; returns what follows, or NULL if it is none of these */
static const char *take_limit(struct time_limit *limit, const char *text, char end)
{
	char *rest;

	limit->given = *text != end;
	if (!limit->given)
		return text;
	if (*text < '0' || *text > '9')
		return NULL;
	limit->value = strtod(text, &rest);
	limit->percent = *rest == '%';
	rest += limit->percent;
	return *rest != end || (limit->percent && limit->value > 100) ? NULL : rest;
}

static int is_empty(const struct time_limit *limit)
{
	return limit[0].given && limit[1].given && limit[0].percent == limit[1].percent &&
	       limit[0].value >= limit[1].value;
}

int take_times(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct time_limit *limit = o->to;
	const char *comma = take_limit(&limit[0], arg, ',');

	if (!comma || !take_limit(&limit[1], comma + 1, '\0'))
		return usage_error(cmd, "bad time '%s': give FROM,TO in seconds since the "
				   "recording began, or in per cent as 10%%,20%%", arg);
	if (is_empty(limit))
		return usage_error(cmd, "time '%s' is empty: FROM has to be before TO", arg);
	return 0;
}
