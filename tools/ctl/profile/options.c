// SPDX-License-Identifier: GPL-2.0
/* The options that choose samples */
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "cli/text.h"
#include "profile/options.h"

static int one_too_many(const struct command *cmd, const struct opt *o)
{
	return usage_error(cmd, "too many words for --%s: name at most %u", o->name, MAX_WANTED);
}

int take_tasks(const struct command *cmd, const struct opt *o, const char *arg)
{
	char *list = xcopy(arg), *rest = list, *text;
	struct wanted_tasks *ids = o->to;
	int status = 0;

	ids->text = intern_text(arg);
	ids->nr = 0;
	while (!status && (text = strsep(&rest, ","))) {
		if (ids->nr == MAX_WANTED)
			status = one_too_many(cmd, o);
		else
			status = whole_number(cmd, o->what, text, o->min, o->max,
					      &ids->id[ids->nr++]);
	}
	free(list);
	return status;
}

/* Don't check if CPUs exist, because they are those of the recorded machine */
int take_recorded_cpus(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct kncpmu_error err;

	return kncpmu_cpus_parse(arg, o->to, &err) ? usage_error(cmd, "%s", err.text) : 0;
}

/* The length up to a comma; if @brackets, commas between brackets (arguments) don't count */
static size_t name_length(const char *text, int brackets)
{
	size_t length;
	int depth = 0;

	for (length = 0; text[length] && (depth || text[length] != ','); length++) {
		if (brackets && strchr("(<", text[length]))
			depth++;
		else if (depth && strchr(")>", text[length]))
			depth--;
	}
	return length;
}

/* Take names between commas, and the whole text too, because a name may contain commas */
static int take_list(const struct command *cmd, const struct opt *o, struct wanted_names *names,
		     const char *arg, int brackets)
{
	size_t length;

	names->text = intern_text(arg);
	names->name[0] = names->text;
	names->nr = 1;
	if (!arg[name_length(arg, brackets)])
		return 0;
	while (1) {
		length = name_length(arg, brackets);
		if (names->nr > MAX_WANTED)
			return one_too_many(cmd, o);
		if (length)
			names->name[names->nr++] = intern(arg, length);
		if (!arg[length])
			return 0;
		arg += length + 1;
	}
}

int take_names(const struct command *cmd, const struct opt *o, const char *arg)
{
	return take_list(cmd, o, o->to, arg, 0);
}

int take_functions(const struct command *cmd, const struct opt *o, const char *arg)
{
	return take_list(cmd, o, o->to, arg, 1);
}

/* Parse "N", "N%" or nothing, up to @end; returns the rest, or NULL if it is none of these */
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

/* Parse "N%/K": part K of all parts of N per cent each */
static int take_slice(struct time_limit *limit, const char *text)
{
	double percent, index;
	char *rest;

	if (*text < '0' || *text > '9')
		return 0;
	percent = strtod(text, &rest);
	if (strncmp(rest, "%/", 2) || rest[2] < '1' || rest[2] > '9')
		return 0;
	index = strtod(rest + 2, &rest);
	if (*rest || index != (unsigned int)index || !(percent > 0) || (index - 1) * percent >= 100)
		return 0;
	limit[0] = (struct time_limit){ (index - 1) * percent, 1, 1 };
	limit[1] = (struct time_limit){ index * percent < 100 ? index * percent : 100, 1, 1 };
	return 1;
}

/* "N%-N%" */
static int take_percents(struct time_limit *limit, const char *text)
{
	const char *minus = take_limit(&limit[0], text, '-');

	return minus && limit[0].percent && take_limit(&limit[1], minus + 1, '\0') &&
	       limit[1].percent;
}

static int take_from_to(struct time_limit *limit, const char *text)
{
	const char *comma = take_limit(&limit[0], text, ',');

	return comma && take_limit(&limit[1], comma + 1, '\0');
}

/* A text of only these characters is a time, perhaps invalid; any other text names a region */
#define OF_TIMES	"0123456789.,%/-+"

int take_times(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct profile_opts *opts = o->to;
	struct time_limit limit[2] = { { .given = 0 } };

	if (!(strchr(arg, ',') ? take_from_to(limit, arg) :
	      strchr(arg, '/') ? take_slice(limit, arg) : take_percents(limit, arg))) {
		if (arg[strspn(arg, OF_TIMES)])
			return take_list(cmd, o, &opts->region, arg, 0);
		return usage_error(cmd, "bad time '%s': give FROM,TO in seconds since the "
				   "recording began, or in per cent as 10%%,20%%, or the name of a "
				   "region", arg);
	}
	if (is_empty(limit))
		return usage_error(cmd, "time '%s' is empty: FROM has to be before TO", arg);
	memcpy(opts->time, limit, sizeof(limit));
	return 0;
}
