// SPDX-License-Identifier: GPL-2.0
/* The command line of a subcommand, by its table of options: help text, getopt_long(), values */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/suggest.h"

#define HELP_COLUMN	26	/* where the description of an option begins */
#define HELP_WIDTH	92
#define BY_INDEX	256	/* getopt_long()'s first number for options without a letter */

static void print_lines(const char * const *lines)
{
	for (; lines && *lines; lines++)
		printf("%s\n", *lines);
}

static void print_option(const struct opt *o, unsigned int width)
{
	char left[80] = "      ";

	if (o->letter)
		snprintf(left, sizeof(left), "  -%c, ", o->letter);
	snprintf(left + 6, sizeof(left) - 6, "--%s%s%s", o->name,
		 o->arg && *o->arg != '[' ? " " : "", o->arg ? : "");
	if (strlen(left) + 2 > HELP_COLUMN)
		printf("%s\n%*s", left, HELP_COLUMN, "");
	else
		printf("%-*s", HELP_COLUMN, left);
	print_wrapped(stdout, o->help, HELP_COLUMN, width);
}

void print_usage(const struct command *cmd)
{
	unsigned int width = terminal_width(stdout);
	const struct opt *o = cmd->options;

	if (!width || width > HELP_WIDTH)
		width = HELP_WIDTH;
	print_lines(cmd->usage);
	if (o && o->help)
		putchar('\n');
	for (; o && o->help; o++) {
		if (o->name)
			print_option(o, width);
		else
			printf("\n%s\n", o->help);
	}
	if (cmd->notes)
		putchar('\n');
	print_lines(cmd->notes);
}

void print_options(const struct command *cmd)
{
	const struct opt *o;

	if (!cmd->options)
		return;
	for (o = cmd->options; o->help; o++) {
		if (o->name)
			printf("-%c --%s %s\n", o->letter ? : '-', o->name, o->arg ? : "-");
	}
	puts("-h --help -");
}

/* Make the arguments of getopt_long(): letters in @shorts, long names for the caller to free */
static struct option *make_options(const struct command *cmd, char *shorts)
{
	static const char colons[] = "::";
	struct option *longs;
	const struct opt *o;
	unsigned int nr = 2;
	int has_arg;

	for (o = cmd->options; o->help; o++)
		nr++;
	longs = xalloc(nr, sizeof(*longs));
	shorts += sprintf(shorts, "%s:h", cmd->wraps ? "+" : "");
	longs[0].name = "help";
	longs[0].val = 'h';
	for (nr = 1, o = cmd->options; o->help; o++) {
		if (!o->name)
			continue;
		/* required_argument: one colon; optional_argument: two */
		has_arg = o->arg ? 1 + (*o->arg == '[') : 0;
		longs[nr].name = o->name;
		longs[nr].has_arg = has_arg;
		longs[nr++].val = o->letter ? : BY_INDEX + (o - cmd->options);
		if (o->letter)
			shorts += sprintf(shorts, "%c%.*s", o->letter, has_arg, colons);
	}
	return longs;
}

static const struct opt *find_opt(const struct command *cmd, int opt)
{
	const struct opt *o = cmd->options;

	if (opt >= BY_INDEX)
		return o + opt - BY_INDEX;
	while (o->letter != opt)
		o++;
	return o;
}

/* Is @word one of the alternatives of @arg, as in "[=user|kernel|both]"? */
static int is_word_of(const char *arg, const char *word)
{
	size_t length = strlen(word);
	const char *at = arg;

	while (length && strchr(arg, '|') && (at = strstr(at, word))) {
		if (strchr("[=|", at[-1]) && strchr("|]", at[length]))
			return 1;
		at++;
	}
	return 0;
}

/* The next word may be the argument of an option whose argument is optional, if it is a keyword */
static const char *argument_of(const struct opt *o, int argc, char **argv)
{
	if (o->arg && !optarg && optind < argc && is_word_of(o->arg, argv[optind]))
		return argv[optind++];
	return optarg;
}

static int take_option(const struct command *cmd, int opt, int argc, char **argv)
{
	const struct opt *o = find_opt(cmd, opt);
	const char *arg = argument_of(o, argc, argv);
	int status = 0;

	if (o->take)
		status = o->take(cmd, o, arg);
	if (!status && o->given)
		*o->given = 1;
	return status;
}

static int unknown_option(const struct command *cmd, const char *option)
{
	int length = strcspn(option, "=");
	struct kncpmu_near near = { .word = NULL };
	const char *instead = NULL;
	const struct opt *o;
	char name[64];

	if (length > 3 && length < (int)sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", length - 2, option + 2);
		near.word = name;
		for (o = cmd->options; o->help; o++) {
			if (o->name)
				kncpmu_near_add(&near, o->name);
		}
		instead = suggest_prefixed(&near, "--");
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

int parse_options(const struct command *cmd, int argc, char **argv, int *status)
{
	char shorts[3 * BY_INDEX];
	struct option *longs = make_options(cmd, shorts);
	int opt = 0, at;

	*status = CTL_OK;
	opterr = 0;
	optind = 1;
	while (!*status && opt != 'h') {
		at = optind;
		opt = getopt_long(argc, argv, shorts, longs, NULL);
		if (opt == -1)
			break;
		if (opt == 'h')
			print_usage(cmd);
		else if (opt == ':' || opt == '?')
			*status = bad_option(cmd, argv, opt, at);
		else
			*status = take_option(cmd, opt, argc, argv);
	}
	free(longs);
	return opt != -1;
}

void visit_options(const struct command *cmd, int argc, char **argv,
		   void (*visit)(const struct opt *o, const char *arg, void *data), void *data)
{
	char shorts[3 * BY_INDEX];
	struct option *longs = make_options(cmd, shorts);
	const struct opt *o;
	int opt;

	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (opt == 'h' || opt == ':' || opt == '?')
			continue;
		o = find_opt(cmd, opt);
		visit(o, argument_of(o, argc, argv), data);
	}
	free(longs);
}

int take_off(const struct command *cmd, const struct opt *o, const char *arg)
{
	*(int *)o->to = 0;
	return 0;
}

int take_more(const struct command *cmd, const struct opt *o, const char *arg)
{
	++*(unsigned int *)o->to;
	return 0;
}

int take_text(const struct command *cmd, const struct opt *o, const char *arg)
{
	*(const char **)o->to = arg;
	return 0;
}

int take_listed_file(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct file_list *files = o->to;

	if (files->nr == MAX_FILES)
		return usage_error(cmd, "--%s is given more than %d times: put files into one",
				   o->name, MAX_FILES);
	files->path[files->nr++] = arg;
	return 0;
}

int take_separator(const struct command *cmd, const struct opt *o, const char *arg)
{
	if (!*arg)
		return usage_error(cmd, "the separator of -x is empty: give one, as in -x,");
	return take_text(cmd, o, strcmp(arg, "\\t") ? arg : "\t");
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

int whole_number(const struct command *cmd, const char *what, const char *text,
		 unsigned int min, unsigned int max, unsigned int *value)
{
	if (!parse_whole(text, min, max, value))
		return 0;
	return usage_error(cmd, "%s '%s' is not a number from %u to %u", what, text, min, max);
}

/* without an argument the number stays as it is */
int take_whole(const struct command *cmd, const struct opt *o, const char *arg)
{
	return arg ? whole_number(cmd, o->what, arg, o->min, o->max, o->to) : 0;
}

int take_number(const struct command *cmd, const struct opt *o, const char *arg)
{
	double number = *arg >= '0' && *arg <= '9' ? strtod(arg, NULL) : -1;

	if (!(number >= o->min && number <= o->max) || arg[strspn(arg, "0123456789.")] ||
	    strchr(arg, '.') != strrchr(arg, '.'))
		return usage_error(cmd, "%s '%s' is not a number from %g to %.10g", o->what, arg,
				   o->min, o->max);
	*(double *)o->to = number;
	return 0;
}

int take_ns(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct opt number = *o;
	double value;

	number.to = &value;
	if (take_number(cmd, &number, arg))
		return CTL_USAGE;
	*(unsigned long long *)o->to = value * o->unit + 0.5;
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
		status = whole_number(cmd, what, text, 1, INT_MAX, &id);
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
