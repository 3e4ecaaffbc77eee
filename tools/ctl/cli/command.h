/* SPDX-License-Identifier: GPL-2.0 */
/* What a subcommand is, and which there are */
#ifndef KNC_CTL_COMMAND_H
#define KNC_CTL_COMMAND_H

#include <getopt.h>

#include "cli/array.h"

/**
 * struct command - a subcommand
 * @name: its name
 * @summary: half a line for the list of commands
 * @usage: the help text, lines, ends with NULL
 * @longs: options as getopt_long() wants them; one whose number is a letter is short too
 * @wraps: its first operand and all that follows are a command to be run
 * @run: does it; returns the exit status
 */
struct command {
	const char *name;
	const char *summary;
	const char * const *usage;
	const struct option *longs;
	int wraps;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

#define COMMAND(name)	extern const struct command name##_command;
#include "cli/commands.def"
#undef COMMAND

#endif /* KNC_CTL_COMMAND_H */
