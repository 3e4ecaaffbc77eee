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
 * @shorts: short options as getopt() wants them
 * @longs: long options as getopt_long() wants them
 * @run: does it; returns the exit status
 */
struct command {
	const char *name;
	const char *summary;
	const char * const *usage;
	const char *shorts;
	const struct option *longs;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

#define COMMAND(name)	extern const struct command name##_command;
#include "cli/commands.def"
#undef COMMAND

#endif /* KNC_CTL_COMMAND_H */
