/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of a subcommand */
#ifndef KNC_CTL_OPTIONS_H
#define KNC_CTL_OPTIONS_H

#include "cli/command.h"
#include "cli/message.h"

/* Long options without a letter: those of several commands; a command's own begin at OPT_OWN */
enum ctl_option {
	OPT_LETTERS = 255,	/* the last that can be a letter */
	OPT_JSON,
	OPT_PIN,
	OPT_NO_INHERIT,
	OPT_OWN
};

/* Takes one option; returns 0 or an exit status, the message being out */
typedef int (*option_fn)(const struct command *cmd, void *ctx, int opt,
			 const char *arg);

/*
 * Hand every option to @take. Returns 0 with optind at the first operand, or
 * 1 with an exit status in *@status: something was wrong, or --help was asked.
 */
int parse_options(const struct command *cmd, int argc, char **argv,
		  option_fn take, void *ctx, int *status);

/* The same for commands that have no operands: any is an error */
int parse_only_options(const struct command *cmd, int argc, char **argv,
		       option_fn take, void *ctx, int *status);

void print_usage(const struct command *cmd);

/* For completion and tests: each option as texts name it, and its long name, a line each */
void print_options(const struct command *cmd);

/**
 * struct option_field - an option that is taken as it is
 * @opt: its letter or number
 * @flag: becomes 1; NULL: it has an argument
 * @text: becomes its argument
 */
struct option_field {
	int opt;
	int *flag;
	const char **text;
};

/* Is it one of those? Then it is taken */
int take_field(const struct option_field *fields, unsigned int nr, int opt, const char *arg);

/* Decimal digits and nothing else, from @min to @max; 0, or -1 and @value is as before */
int parse_whole(const char *text, unsigned long min, unsigned long max, unsigned int *value);

/* The same of an argument; @what it is for the message; an exit status */
int take_whole(const struct command *cmd, const char *what, const char *text,
	       unsigned int min, unsigned int max, unsigned int *value);

/* The same with places behind the point */
int take_number(const struct command *cmd, const char *what, const char *text,
		double min, double max, double *value);

/* Ids of processes or threads, separated by commas, behind the *@nr of at most @max in @ids */
int take_ids(const struct command *cmd, const char *what, const char *arg, unsigned int max,
	     int *ids, unsigned int *nr);

#endif /* KNC_CTL_OPTIONS_H */
