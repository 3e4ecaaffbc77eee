// SPDX-License-Identifier: GPL-2.0
/* Long output, through the user's pager */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/pager.h"
#include "cli/terminal.h"

static pid_t pager = -1;

/* The user's pager, or less if there is one; NULL: none */
static const char *pager_command(void)
{
	const char *command = getenv("PAGER");

	if (command)
		return *command && strcmp(command, "cat") ? command : NULL;
	return access("/usr/bin/less", X_OK) && access("/bin/less", X_OK) ? NULL : "less";
}

/* Does the pager pass colours on? less does with -R or -r, which LESS has if it is not set */
static int passes_colours(const char *command)
{
	const char *less = getenv("LESS");

	if (strncmp(command, "less", 4))
		return 0;
	return !less || strpbrk(less, "Rr") || strstr(command, "-R") || strstr(command, "-r");
}

/* At exit: let the user read to the end */
static void pager_end(void)
{
	fclose(stdout);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

static void become_pager(const char *command, int in)
{
	dup2(in, STDIN_FILENO);
	/* end if all fits on the screen, pass colours on, leave the text on the screen */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pager_start(void)
{
	const char *command = pager_command();
	int fds[2], terminal;

	if (!command || !isatty(STDOUT_FILENO) || pipe2(fds, O_CLOEXEC))
		return;
	fflush(stdout);
	terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	pager = fork();
	if (!pager)
		become_pager(command, fds[0]);
	if (pager > 0) {
		dup2(fds[1], STDOUT_FILENO);
		terminal_paged(terminal, passes_colours(command));
		atexit(pager_end);
	} else {
		close(terminal);
	}
	close(fds[0]);
	close(fds[1]);
}
