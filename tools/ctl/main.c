// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl: count on the Knights Corner core PMU from the command line */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/memory.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/suggest.h"
#include "cli/text.h"
#include "via/start.h"
#include "via/via.h"

static const struct command * const commands[] = {
#define COMMAND(name)	&name##_command,
#include "cli/commands.def"
#undef COMMAND
};

static const char * const head[] = {
	"usage: knc-pmuctl [--no-pager] [--via RELAY [--recorder FILE]] COMMAND [OPTIONS]",
	"       knc-pmuctl help [COMMAND | METRIC | GROUP | EVENT]",
	"       knc-pmuctl --version",
	"",
	"Counts and takes samples on the core PMU of Knights Corner through /dev/knc_pmu.",
	"",
	"commands:",
};

static const char * const tail[] = {
	"exit status: 0 done, 1 refused or failed, 2 wrong usage; stat, grant and record: that of",
	"their command, 127 command not found, 126 not executable, 128+N killed by signal N",
};

static void print_help(FILE *f)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(head); i++)
		fprintf(f, "%s\n", head[i]);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-10s%s\n", commands[i]->name, commands[i]->summary);
	fputc('\n', f);
	for (i = 0; i < ARRAY_SIZE(tail); i++)
		fprintf(f, "%s\n", tail[i]);
}

static const struct command *find_command(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

/* What users of other tools may type, with this tool's commands instead */
static const struct {
	const char *word;
	const char *instead;
} elsewhere[] = {
	{ "annotate", "report --annotate FUNCTION" },
	{ "collect", "record (its -h alone: list --collect)" },
	{ "cputrack", "stat" },
	{ "er_print", "report" },
	{ "events", "list" },
	{ "evlist", "report" },
	{ "flamegraph", "report --flamegraph FILE" },
	{ "groups", "list groups" },
	{ "metrics", "list metrics" },
	{ "papi_avail", "list papi" },
	{ "papi_native_avail", "list" },
	{ "stats", "info --interrupts" },
	{ "timechart", "timeline --svg FILE" },
	{ "topology", "info --topology" },
	{ "version", "--version" },
};

static int unknown_command(const char *name)
{
	struct kncpmu_near near = { .word = name };
	const char *names[ARRAY_SIZE(commands)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(elsewhere); i++) {
		if (!strcmp(elsewhere[i].word, name))
			return usage_error(NULL, "unknown command '%s': it is %s %s", name,
					   PROGRAM, elsewhere[i].instead);
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		names[i] = commands[i]->name;
		kncpmu_near_add(&near, names[i]);
	}
	return usage_error(NULL, "unknown command '%s': %s", name,
			   suggest(&near, intern_format("there are %s", intern_list(names, i))));
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	int status;

	if (cmd->paged)
		pager_start();
	if (!cmd->options)
		return cmd->run(cmd, argc, argv);
	if (parse_options(cmd, argc, argv, &status))
		return status;
	argc -= optind;
	argv += optind;
	if (argc && !cmd->operands)
		return usage_error(cmd, "%s takes no operand and got '%s': leave it out", cmd->name,
				   argv[0]);
	return cmd->run(cmd, argc, argv);
}

static int run_help(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2 || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return CTL_OK;
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		return run_command(&help_command, argc, argv);
	print_usage(cmd);
	return CTL_OK;
}

/* Treat perf's annotate [OPTIONS] FUNCTION as report [OPTIONS] --annotate FUNCTION; -1: not that */
static int run_annotate(int argc, char **argv)
{
	char **args;

	if (strcmp(argv[0], "annotate") || argc < 2 || argv[argc - 1][0] == '-' ||
	    !strcmp(argv[argc - 2], "-i"))
		return -1;
	args = xalloc(argc + 2, sizeof(*args));
	memcpy(args, argv, (argc - 1) * sizeof(*args));
	args[0] = (char *)"report";
	args[argc - 1] = (char *)"--annotate";
	args[argc] = argv[argc - 1];
	args[argc + 1] = NULL;
	return run_command(find_command(args[0]), argc + 1, args);
}

/* --options [COMMAND]: list commands or options, for completion and tests; undocumented */
static int run_options(int argc, char **argv)
{
	const struct command *cmd = argc > 1 ? find_command(argv[1]) : NULL;
	unsigned int i;

	if (cmd)
		print_options(cmd);
	else if (argc > 1)
		return unknown_command(argv[1]);
	for (i = 0; argc < 2 && i < ARRAY_SIZE(commands); i++)
		printf("%s\n", commands[i]->name);
	return CTL_OK;
}

/* Take options and help in place of a command; -1: argv[0] is neither */
static int run_special(int argc, char **argv)
{
	if (!strcmp(argv[0], "help") || !strcmp(argv[0], "--help") ||
	    !strcmp(argv[0], "-h"))
		return run_help(argc, argv);
	if (!strcmp(argv[0], "--version") || !strcmp(argv[0], "-V")) {
		printf("%s %s\n", PROGRAM, kncpmu_version());
		return CTL_OK;
	}
	if (!strcmp(argv[0], "--options"))
		return run_options(argc, argv);
	if (argv[0][0] == '-')
		return usage_error(NULL, "unknown option %s", argv[0]);
	return run_annotate(argc, argv);
}

/*
 * Occupy closed standard streams: the next file to be opened would get such a number, and its
 * output. /dev/null is opened in the wrong direction, so that output to it fails.
 */
static void occupy_closed(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
	}
}

/* Take the options before the command, which are common to all; returns an exit status */
static int take_globals(int *argc, char ***argv, struct via *via)
{
	const struct {
		const char *name;
		const char **to;
	} with[] = { { "--via", &via->relay }, { "--recorder", &via->recorder } };
	const char *text;
	unsigned int i;
	size_t length;

	for (; *argc > 1; --*argc, ++*argv) {
		text = (*argv)[1];
		if (!strcmp(text, "--no-pager")) {
			setenv("PAGER", "", 1);
			continue;
		}
		for (i = 0; i < ARRAY_SIZE(with); i++) {
			length = strlen(with[i].name);
			if (!strncmp(text, with[i].name, length) && strchr("=", text[length]))
				break;
		}
		if (i == ARRAY_SIZE(with))
			break;
		if (!text[length] && *argc < 3)
			return usage_error(NULL, "option %s needs an argument", text);
		*with[i].to = text[length] ? text + length + 1 : (*argv)[2];
		*argc -= !text[length];
		*argv += !text[length];
	}
	if (via->relay && !via->relay[strspn(via->relay, " \t")])
		return usage_error(NULL, "the relay of --via is empty: give a command such as 'ssh "
					 "mic0'");
	return 0;
}

int main(int argc, char **argv)
{
	struct via via = { .relay = NULL };
	const struct command *cmd;
	int status;

	occupy_closed();
	setlocale(LC_ALL, "");
	/* programs read and write these numbers; only the tables of stat are localized */
	setlocale(LC_NUMERIC, "C");
	if (argc > 1 && !strcmp(argv[1], FAR_OPTION))
		via_serve(&argc, &argv);
	status = take_globals(&argc, &argv, &via);
	if (status)
		return status;
	if (argc < 2) {
		print_help(stderr);
		return CTL_USAGE;
	}
	status = run_special(argc - 1, argv + 1);
	if (status < 0) {
		cmd = find_command(argv[1]);
		if (!cmd)
			return unknown_command(argv[1]);
		if (via.relay)
			return via_run(&via, cmd, argc - 1, argv + 1);
		status = run_command(cmd, argc - 1, argv + 1);
	}
	if ((fflush(stdout) || ferror(stdout)) && !status)
		status = complain("can't write the output: no space left, or it was closed");
	return status;
}
