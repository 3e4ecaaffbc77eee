// SPDX-License-Identifier: GPL-2.0
/* What --via sends to the card */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/data.h"
#include "cli/options.h"
#include "cli/rank.h"
#include "via/request.h"
#include "via/start.h"

/**
 * struct request - a command line that is read
 * @cmd: the command
 * @start: FRAME_START
 * @file: the file of -o
 * @batch: -b was given
 * @status: an exit status, after a message
 */
struct request {
	const struct command *cmd;
	struct queue *start;
	struct far_copy *file;
	int batch;
	int status;
};

/* Send a file of metrics, which the command reads on the card */
static int send_file(struct queue *start, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = -1;
	struct queue text = { .data = NULL };

	errno = 0;
	while (fd >= 0 && text.nr < START_MOST / (2 * FAR_FILES) &&
	       (ret = queue_read(&text, fd)) > 0)
		;
	if (fd >= 0)
		close(fd);
	if (fd < 0 || ret < 0)
		return complain("can't read '%s': %s; name another file with --metrics", path,
				strerror(fd < 0 ? errno : -ret));
	start_put_text(start, START_NAME, path);
	start_put(start, START_CONTENTS, text.data, text.nr);
	free(text.data);
	return 0;
}

/* Take options that name files of this machine */
static void take_opt(const struct opt *o, const char *arg, void *data)
{
	struct request *request = data;

	if (request->status)
		return;
	if (!strcmp(o->name, "output")) {
		/* this option replaces %r and other placeholders */
		request->status = o->take(request->cmd, o, arg);
		request->file->path = *(const char **)o->to;
	} else if (!strcmp(o->name, "append")) {
		request->file->append = 1;
	} else if (!strcmp(o->name, "batch")) {
		request->batch = 1;
	} else if (!strcmp(o->name, "metrics")) {
		request->status = send_file(request->start, arg);
	} else if (!strcmp(o->name, "check")) {
		request->status = usage_error(request->cmd,
					      "--check reads a file of this machine: leave out --via");
	}
}

/* Refuse commands that only run here, with the reason */
static int check_command(const struct command *cmd)
{
	if (cmd->far)
		return 0;
	if (!strcmp(cmd->name, "serve"))
		return usage_error(cmd,
				   "serve listens on the machine on which it runs: start it on the card, without --via, and reach it by ssh -L");
	return usage_error(cmd,
			   "%s works with files of this machine, and needs no card: leave out --via",
			   cmd->name);
}

/* Pass on the environment variables that tell the rank, for counts and recordings */
static void put_variables(struct queue *start)
{
	const char *name, *value;
	char *text;
	unsigned int i;

	for (i = 0; (name = rank_variable(i)); i++) {
		value = getenv(name);
		if (!value || asprintf(&text, "%s=%s", name, value) < 0)
			continue;
		start_put_text(start, START_VARIABLE, text);
		free(text);
	}
}

int request_make(struct queue *start, struct far_copy *file, const struct via *via,
		 const struct command *cmd, int argc, char **argv)
{
	struct request request = { .cmd = cmd, .start = start, .file = file };
	int i;

	if (check_command(cmd))
		return CTL_USAGE;
	file->path = cmd->output;
	start_put_text(start, START_RELAY, via->relay);
	visit_options(cmd, argc, argv, take_opt, &request);
	if (request.status)
		return request.status;
	if (!strcmp(cmd->name, "top") && !request.batch)
		return usage_error(cmd,
				   "top needs a terminal on the card for its screen, and --via has none: use -b, or run it there by ssh -t");
	file->recording = !strcmp(cmd->name, "record");
	if (file->path)
		start_put_text(start, START_OUTPUT, file->path);
	put_variables(start);
	for (i = 0; i < argc; i++)
		start_put_text(start, START_ARGUMENT, argv[i]);
	if (start->nr > START_MOST)
		return complain("the command line and its files of metrics have more than %d MB: "
				"use fewer",
				START_MOST >> 20);
	return 0;
}
