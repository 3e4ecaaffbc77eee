/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subcommands
 *
 * This folder has what they share:
 *
 *	command.h  commands.def	what a subcommand is, and which there are
 *	options.c	their tables of options; suggest.c: names similar to a misspelt one
 *	cpus.c  pin.c	-C and -a; --pin
 *	event.c		targets, modifiers, the right to kernel mode; how exact a count is
 *	device.c	sessions of commands that need only one
 *	far.c		the card's side of --via: what commands know of the user's machine
 *	level.c		levels, for stat and top
 *	child.c		the command that stat and record execute
 *	pmu.c		the machine's PMU
 *	message.c	messages, what to do about an errno, exit statuses
 *	print.c  terminal.c  pager.c	text as wide as the terminal; what that knows; long text
 *	rank.c		the place in a parallel program; totals.c: outputs of stat --json, read
 *	text.c		foreign texts, made clean; json.c, csv.c: JSON and CSV of such texts
 *	data.h  crc.c	the format of data files: record writes them, profile reads them
 *	read-at.c	a whole piece of a file
 *	file-id.c	the ids of programs; modules.c: modules of the kernel; for both
 *	progress.c	how far a long command is
 *	memory.c  clock.c  array.h  hash.h
 */
#ifndef KNC_CTL_COMMAND_H
#define KNC_CTL_COMMAND_H

#include "cli/array.h"

struct opt;	/* from options.h */
struct command;

/* Takes an option with its argument; returns 0, or an exit status after a message */
typedef int take_fn(const struct command *cmd, const struct opt *o, const char *arg);

/**
 * struct command - a subcommand
 * @name: its name
 * @summary: its description in the list of commands
 * @usage: the lines of its help text before the options, up to NULL
 * @options: its options, up to END_OF_OPTIONS; NULL: it is not in this build, and says so
 * @notes: lines after the options, up to NULL; may be NULL
 * @wraps: options end at the first operand, as in a command to be run
 * @operands: it takes operands
 * @paged: its output goes through the user's pager
 * @far: it uses the device: with --via it runs on the card
 * @output: the file that it writes without -o; NULL: none
 * @run: executes the subcommand with its operands, after the options; returns the exit status
 */
struct command {
	const char *name;
	const char *summary;
	const char * const *usage;
	const struct opt *options;
	const char * const *notes;
	int wraps;
	int operands;
	int paged;
	int far;
	const char *output;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

#define COMMAND(name)	extern const struct command name##_command;
#include "cli/commands.def"
#undef COMMAND

#endif /* KNC_CTL_COMMAND_H */
