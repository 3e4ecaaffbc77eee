/* SPDX-License-Identifier: GPL-2.0 */
/* The subcommands */
#ifndef KNC_CTL_COMMAND_H
#define KNC_CTL_COMMAND_H

#include <getopt.h>

#include "cli/array.h"

/**
 * struct command - a subcommand
 * @name: its name
 * @summary: its description in the list of commands
 * @usage: the lines of its help text, up to NULL
 * @longs: options for getopt_long(); a letter as @val is also a short option
 * @wraps: options end at the first operand, as in a command to be run
 * @paged: its output goes through the user's pager
 * @run: executes the subcommand; returns the exit status
 */
struct command {
	const char *name;
	const char *summary;
	const char * const *usage;
	const struct option *longs;
	int wraps;
	int paged;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

#define COMMAND(name)	extern const struct command name##_command;
#include "cli/commands.def"
#undef COMMAND

#endif /* KNC_CTL_COMMAND_H */
