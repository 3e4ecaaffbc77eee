// SPDX-License-Identifier: GPL-2.0
/* Signals of top, from a descriptor */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/array.h"
#include "cli/message.h"
#include "top/signals.h"

static int signals = -1;
static int caught;
static int stop_asked;

/* Never called, because the signal is blocked; it keeps ncurses from installing its own handler */
static void on_stop(int sig)
{
}

static int is_ignored(int sig)
{
	struct sigaction old;

	return !sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN;
}

/*
 * A signalfd misses no signal, and no system call is interrupted. By default ncurses ignores
 * SIGTSTP while it draws, so that a Ctrl-Z could be lost.
 */
int top_take_signals(int with_stop)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;
	unsigned int i;

	sigemptyset(&set);
	if (with_stop && !is_ignored(SIGTSTP)) {
		signal(SIGTSTP, on_stop);
		sigaddset(&set, SIGTSTP);
	}
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		/* SIGHUP stays ignored after nohup */
		if (!is_ignored(wanted[i]))
			sigaddset(&set, wanted[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals >= 0)
		return 0;
	return complain("can't open a descriptor for signals: %s%s", strerror(errno),
			remedy(errno));
}

int top_signal(void)
{
	struct signalfd_siginfo info;

	while (!caught && read(signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGTSTP)
			stop_asked = 1;
		else
			caught = info.ssi_signo;
	}
	return caught;
}

int top_stop_asked(void)
{
	return stop_asked;
}

void top_stop(void)
{
	sigset_t set;

	stop_asked = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	signal(SIGTSTP, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGTSTP);
	/* SIGCONT lets the program continue here */
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGTSTP, on_stop);
}

int top_signal_fd(void)
{
	return signals;
}
