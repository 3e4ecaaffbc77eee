// SPDX-License-Identifier: GPL-2.0
/* The command line of a subcommand: getopt_long() with messages that help */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/suggest.h"

void print_usage(const struct command *cmd)
{
	unsigned int i;

	for (i = 0; cmd->usage[i]; i++)
		printf("%s\n", cmd->usage[i]);
}

void print_options(const struct command *cmd)
{
	const struct option *o;

	for (o = cmd->longs; o->name; o++) {
		if (o->val <= OPT_LETTERS && o->val != 'h')
			printf("-%c --%s\n", o->val, o->name);
		else
			printf("--%s --%s\n", o->name, o->name);
	}
}

/* The short options, for getopt() */
static void short_options(const struct command *cmd, char *text)
{
	const struct option *o;
	int i;

	if (cmd->wraps)
		*text++ = '+';
	*text++ = ':';
	for (o = cmd->longs; o->name; o++) {
		if (o->val > OPT_LETTERS)
			continue;
		*text++ = o->val;
		/* required_argument: one colon; optional_argument: two */
		for (i = 0; i < o->has_arg; i++)
			*text++ = ':';
	}
	*text = '\0';
}

static int unknown_option(const struct command *cmd, const char *option)
{
	int length = strcspn(option, "=");
	const char *instead = NULL;
	char name[64];

	if (length > 3 && length < (int)sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", length - 2, option + 2);
		instead = suggest_option(name, cmd->longs);
	}
	if (!instead)
		return usage_error(cmd, "unknown option %.*s", length, option);
	return usage_error(cmd, "unknown option %.*s: %s", length, option, instead);
}

/*
 * Explain an error of getopt_long(). If optind is still @at, the bad option is a letter
 * followed by others, and argv[optind - 1] is an earlier argument.
 */
static int bad_option(const struct command *cmd, char **argv, int opt, int at)
{
	const char *option = argv[optind - 1];
	char letter[3] = "-?";

	if (optopt && (optind == at || strncmp(option, "--", 2))) {
		letter[1] = optopt;
		option = letter;
	} else if (optopt && opt == '?') {
		return usage_error(cmd, "option %.*s takes no argument",
				   (int)strcspn(option, "="), option);
	}
	if (opt == ':')
		return usage_error(cmd, "option %s needs an argument", option);
	return unknown_option(cmd, option);
}

int parse_options(const struct command *cmd, int argc, char **argv,
		  option_fn take, void *ctx, int *status)
{
	char shorts[3 * OPT_LETTERS];
	int opt, at;

	short_options(cmd, shorts);
	opterr = 0;
	optind = 1;
	while (1) {
		at = optind;
		opt = getopt_long(argc, argv, shorts, cmd->longs, NULL);
		if (opt == -1)
			return 0;
		if (opt == 'h') {
			print_usage(cmd);
			*status = CTL_OK;
			return 1;
		}
		if (opt == ':' || opt == '?')
			*status = bad_option(cmd, argv, opt, at);
		else
			*status = take(cmd, ctx, opt, optarg);
		if (*status)
			return 1;
	}
}

int parse_only_options(const struct command *cmd, int argc, char **argv,
		       option_fn take, void *ctx, int *status)
{
	if (parse_options(cmd, argc, argv, take, ctx, status))
		return 1;
	if (optind == argc)
		return 0;
	*status = usage_error(cmd, "%s takes no operand and got '%s': leave it out", cmd->name,
			      argv[optind]);
	return 1;
}

int take_field(const struct option_field *fields, unsigned int nr, int opt, const char *arg)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (fields[i].opt != opt)
			continue;
		if (fields[i].flag)
			*fields[i].flag = 1;
		else
			*fields[i].text = arg;
		return 1;
	}
	return 0;
}

int parse_whole(const char *text, unsigned long min, unsigned long max, unsigned int *value)
{
	unsigned long number;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (*end || errno || number < min || number > max)
		return -1;
	*value = number;
	return 0;
}

int take_whole(const struct command *cmd, const char *what, const char *text,
	       unsigned int min, unsigned int max, unsigned int *value)
{
	if (!parse_whole(text, min, max, value))
		return 0;
	return usage_error(cmd, "%s '%s' is not a number from %u to %u", what, text, min, max);
}

int take_number(const struct command *cmd, const char *what, const char *text,
		double min, double max, double *value)
{
	double number = *text >= '0' && *text <= '9' ? strtod(text, NULL) : -1;

	if (!(number >= min && number <= max) || text[strspn(text, "0123456789.")] ||
	    strchr(text, '.') != strrchr(text, '.'))
		return usage_error(cmd, "%s '%s' is not a number from %g to %.10g", what,
				   text, min, max);
	*value = number;
	return 0;
}

int take_separator(const struct command *cmd, const char *arg, const char **separator)
{
	if (!*arg)
		return usage_error(cmd, "the separator of -x is empty: give one, as in -x,");
	*separator = strcmp(arg, "\\t") ? arg : "\t";
	return 0;
}

int take_ids(const struct command *cmd, const char *what, const char *arg, unsigned int max,
	     int *ids, unsigned int *nr)
{
	char *list = strdup(arg), *rest = list, *text;
	unsigned int id, i;
	int status = 0;

	if (!list)
		return complain("out of memory");
	while (!status && (text = strsep(&rest, ","))) {
		status = take_whole(cmd, what, text, 1, INT_MAX, &id);
		for (i = 0; !status && i < *nr; i++) {
			if (ids[i] == (int)id)
				status = usage_error(cmd, "%s %u is given twice: name it once",
						     what, id);
		}
		if (!status && *nr == max)
			status = usage_error(cmd, "%s %u is one too many: name at most %u",
					     what, id, max);
		if (!status)
			ids[(*nr)++] = id;
	}
	free(list);
	return status;
}
