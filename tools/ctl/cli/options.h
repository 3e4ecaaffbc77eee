/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of a subcommand */
#ifndef KNC_CTL_OPTIONS_H
#define KNC_CTL_OPTIONS_H

#include "cli/command.h"
#include "cli/message.h"

/* Long options without a letter that several commands have; OPT_OWN: the first of one command */
enum ctl_option {
	OPT_LETTERS = 255,	/* the largest number of a letter */
	OPT_JSON,
	OPT_PIN,
	OPT_NO_INHERIT,
	OPT_OWN
};

/* Takes one option; returns 0, or an exit status after a message */
typedef int (*option_fn)(const struct command *cmd, void *ctx, int opt,
			 const char *arg);

/*
 * Hand every option to @take. Returns 0 with optind at the first operand, or
 * 1 with an exit status in *@status: after an error, or --help.
 */
int parse_options(const struct command *cmd, int argc, char **argv,
		  option_fn take, void *ctx, int *status);

/* parse_options() for commands without operands */
int parse_only_options(const struct command *cmd, int argc, char **argv,
		       option_fn take, void *ctx, int *status);

void print_usage(const struct command *cmd);

/* For completion and tests, a line for each option: its short or long name, its long name */
void print_options(const struct command *cmd);

/**
 * struct option_field - an option that only sets a field
 * @opt: its letter or number
 * @flag: the field, set to 1; NULL: the option has an argument
 * @text: the field, set to the argument
 */
struct option_field {
	int opt;
	int *flag;
	const char **text;
};

/* Set the field of option @opt; returns 0 if none of @fields is for it */
int take_field(const struct option_field *fields, unsigned int nr, int opt, const char *arg);

/* Parse a decimal number from @min to @max; returns 0, or -1 without a change of @value */
int parse_whole(const char *text, unsigned long min, unsigned long max, unsigned int *value);

/* parse_whole() with a message, in which the number is a @what; returns an exit status */
int take_whole(const struct command *cmd, const char *what, const char *text,
	       unsigned int min, unsigned int max, unsigned int *value);

/* take_whole() for numbers with a decimal point */
int take_number(const struct command *cmd, const char *what, const char *text,
		double min, double max, double *value);

/* The separator of CSV: "\\t" is a tabulator; returns an exit status */
int take_separator(const struct command *cmd, const char *arg, const char **separator);

/* Append ids of processes or threads, separated by commas, to the *@nr of at most @max in @ids */
int take_ids(const struct command *cmd, const char *what, const char *arg, unsigned int max,
	     int *ids, unsigned int *nr);

#endif /* KNC_CTL_OPTIONS_H */
