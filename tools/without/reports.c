// SPDX-License-Identifier: GPL-2.0
/*
 * The commands that read recordings, in a tool that was built without the libraries for it: they
 * print a message. ABSENT has the names of these libraries.
 */
#include "cli/command.h"
#include "cli/message.h"
#include "merge/joined.h"

static const char * const usage[] = {
	"This " PROGRAM " was built without a library that this command needs: " ABSENT,
	NULL
};

static int run_absent(const struct command *cmd, int argc, char **argv)
{
	return complain("%s needs libraries that this " PROGRAM " was built without (" ABSENT
			"): copy the recording to a machine with a whole " PROGRAM ", or install "
			"them and build it again", cmd->name);
}

/* merge still works for counts */
int merge_recordings(struct merge *m, char **paths, int nr)
{
	return complain("merging recordings needs libraries that this " PROGRAM " was built "
			"without (" ABSENT "): copy them to a machine with a whole " PROGRAM
			", or install the libraries and build it again");
}

#define ABSENT_COMMAND(word)						\
	const struct command word##_command = {				\
		.name = #word,						\
		.summary = "not in this build, which lacks " ABSENT,	\
		.usage = usage,						\
		.run = run_absent,					\
	}

ABSENT_COMMAND(report);
ABSENT_COMMAND(script);
ABSENT_COMMAND(export);
ABSENT_COMMAND(diff);
ABSENT_COMMAND(timeline);
ABSENT_COMMAND(import);
