// SPDX-License-Identifier: GPL-2.0
/* Signals of top, from a descriptor */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/array.h"
#include "cli/message.h"
#include "top/top.h"

static int signals = -1;
static int caught;

/* A signalfd misses no signal, and signals interrupt no system call */
int top_take_signals(void)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction old;
	sigset_t set;
	unsigned int i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		/* after nohup, SIGHUP stays ignored */
		if (sigaction(wanted[i], NULL, &old) || old.sa_handler != SIG_IGN)
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

	if (!caught && read(signals, &info, sizeof(info)) == sizeof(info))
		caught = info.ssi_signo;
	return caught;
}

int top_signal_fd(void)
{
	return signals;
}
