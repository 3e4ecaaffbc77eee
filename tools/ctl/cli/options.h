/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of a subcommand: a table of its options. The help text, getopt_long(), the
 * completion of shells and the lists of the man pages (Documentation/man/generate) come from it.
 */
#ifndef KNC_CTL_OPTIONS_H
#define KNC_CTL_OPTIONS_H

#include "cli/command.h"
#include "cli/message.h"

/**
 * struct opt - an option, or with only @help a heading in the list of options
 * @letter: its letter; 0: none
 * @name: its long name
 * @arg: its argument in texts, and for completion: FILE, CPUS, A|B|C ...; NULL: none;
 *	"[=ARG]": it can be left out
 * @take: stores the argument; NULL: nothing to store
 * @to: where @take stores it
 * @given: becomes 1; NULL: nothing does
 * @what: what messages call a number
 * @min: the smallest number
 * @max: the largest one
 * @unit: ns in the unit of a time
 * @help: its description
 */
struct opt {
	char letter;
	const char *name;
	const char *arg;
	take_fn *take;
	void *to;
	int *given;
	const char *what;
	double min;
	double max;
	double unit;
	const char *help;
};

#define MAX_FILES	16

/**
 * struct file_list - the files of an option that may be given more than once
 * @path: their paths
 * @nr: how many
 */
struct file_list {
	const char *path[MAX_FILES];
	unsigned int nr;
};

/* The compiler warns if @to does not point to a @type */
#define OPT_TO(type, to)	(1 ? (to) : (type *)0)

/* Kinds of options, between the argument and the description */
#define FLAG(to)		NULL, NULL, OPT_TO(int, to), NULL, 0, 0, 0
#define OFF(to)			take_off, OPT_TO(int, to), NULL, NULL, 0, 0, 0
#define MORE(to)		take_more, OPT_TO(unsigned int, to), NULL, NULL, 0, 0, 0
#define TEXT(to)		take_text, OPT_TO(const char *, to), NULL, NULL, 0, 0, 0
#define OUTPUT(to)		take_output, OPT_TO(const char *, to), NULL, NULL, 0, 0, 0
#define SEPARATOR(to)		take_separator, OPT_TO(const char *, to), NULL, NULL, 0, 0, 0
#define WHOLE(to, what, min, max)	\
	take_whole, OPT_TO(unsigned int, to), NULL, what, min, max, 0
#define NUMBER(to, what, min, max)	\
	take_number, OPT_TO(double, to), NULL, what, min, max, 0
#define TIME(to, what, min, max, unit)	\
	take_ns, OPT_TO(unsigned long long, to), NULL, what, min, max, unit
#define CPUS(to, given)		\
	take_cpus, OPT_TO(struct kncpmu_cpus, to), OPT_TO(int, given), NULL, 0, 0, 0
#define FILES(to)		take_listed_file, OPT_TO(struct file_list, to), NULL, NULL, 0, 0, 0
/* A function of the command; it may ignore @to */
#define CALL(take, to)		take, to, NULL, NULL, 0, 0, 0
#define CALL_AND_FLAG(take, to, given)	take, to, OPT_TO(int, given), NULL, 0, 0, 0

#define HEADING(text)		{ 0, NULL, NULL, CALL(NULL, NULL), text }
#define END_OF_OPTIONS		HEADING(NULL)

/* Options that several commands have */
#define JSON_OPTION(to, schema)						\
	{ 'j', "json", NULL, FLAG(to), "print JSON for programs (schema knc-pmuctl-" schema "/1)" }
#define CSV_OPTION(to)							\
	{ 'x', "field-separator", "SEP", SEPARATOR(to),			\
	  "print CSV for programs, with separator SEP; \\t is a tab" }

take_fn take_off, take_more, take_text, take_listed_file, take_separator;
take_fn take_whole, take_number, take_ns;
take_fn take_output;	/* rank.c: the name of a file, with %r, %h, %p and %% replaced */
take_fn take_cpus;	/* cpus.c: -a, or a list of CPUs */

/*
 * Take all options. Returns 0 with optind at the first operand, or 1 with an exit status in
 * *@status: after an error, or --help.
 */
int parse_options(const struct command *cmd, int argc, char **argv, int *status);

/* Call @visit for each option without storing any. Errors are left to parse_options(). */
void visit_options(const struct command *cmd, int argc, char **argv,
		   void (*visit)(const struct opt *o, const char *arg, void *data), void *data);

void print_usage(const struct command *cmd);

/* Print a line for each option, for completion and tests: LETTER LONG ARGUMENT, "-" for none */
void print_options(const struct command *cmd);

/* Parse a decimal number from @min to @max; returns 0, or -1 without a change of @value */
int parse_whole(const char *text, unsigned long min, unsigned long max, unsigned int *value);

/* parse_whole() with a message that calls the number @what; returns an exit status */
int whole_number(const struct command *cmd, const char *what, const char *text,
		 unsigned int min, unsigned int max, unsigned int *value);

/* Append ids of @what, separated by commas, to the *@nr of at most @max in @ids */
int take_ids(const struct command *cmd, const char *what, const char *arg, unsigned int max,
	     int *ids, unsigned int *nr);

#endif /* KNC_CTL_OPTIONS_H */
