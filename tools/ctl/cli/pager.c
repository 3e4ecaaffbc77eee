// SPDX-License-Identifier: GPL-2.0
/* Long output, through the user's pager */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/array.h"
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

/* Does the pager pass colours on? less does with -R or -r, which is in LESS if that was unset */
static int passes_colours(const char *command)
{
	const char *less = getenv("LESS");

	if (strncmp(command, "less", 4))
		return 0;
	return !less || strpbrk(less, "Rr") || strstr(command, "-R") || strstr(command, "-r");
}

static void wait_pager(void)
{
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

/*
 * At exit: wait until the user has read to the end. Ctrl-C is for the pager, which may ignore it.
 */
static void pager_end(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	fclose(stdout);
	wait_pager();
}

/* Ctrl-C ends the output, but not always the pager, which keeps the terminal until it ends */
static void on_interrupt(int sig)
{
	int saved = errno;

	close(STDOUT_FILENO);
	wait_pager();
	errno = saved;
	signal(sig, SIG_DFL);
	raise(sig);
}

static void take_interrupts(void)
{
	static const int signals[] = { SIGINT, SIGQUIT };
	struct sigaction action;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		if (sigaction(signals[i], NULL, &action) || action.sa_handler == SIG_IGN)
			continue;
		action.sa_handler = on_interrupt;
		sigaction(signals[i], &action, NULL);
	}
}

static void become_pager(const char *command, int in)
{
	dup2(in, STDIN_FILENO);
	/* quit if all fits on the screen, pass colours on, leave the text on the screen */
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
	take_interrupts();
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
