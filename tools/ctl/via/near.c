// SPDX-License-Identifier: GPL-2.0
/* The user's side of --via: standard streams, signals and files for a command on the card */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/pager.h"
#include "via/file.h"
#include "via/relay.h"
#include "via/request.h"
#include "via/start.h"
#include "via/via.h"

/* The entries of poll() */
enum { FROM, TO, INPUT, OUTPUT, ERRORS, SIGNALS, NR_FDS };

/**
 * struct near - the user's side
 * @relay: the way to the card
 * @start: FRAME_START
 * @shown: bytes for standard output and standard error
 * @closed: the reader of that output has gone
 * @input: standard input is passed on
 * @sent: bytes of it that the program has not read
 * @file: the file of -o
 * @signals: the signalfd
 * @signal: the first signal that came; 0: none
 * @known: the exit status has come
 * @status: the exit status
 */
struct near {
	struct relay relay;
	struct queue start;
	struct queue shown[2];
	int closed[2];
	int input;
	size_t sent;
	struct far_copy file;
	int signals;
	int signal;
	int known;
	int status;
};

static void show(struct near *n, int error, const char *data, size_t size)
{
	if (!n->closed[error])
		queue_put(&n->shown[error], data, size);
}

static int take_frame(struct near *n, const struct frame *frame, const char *data)
{
	switch (frame->type) {
	case FRAME_OUTPUT:
	case FRAME_ERRORS:
		show(n, frame->type == FRAME_ERRORS, data, frame->size);
		return 0;
	case FRAME_FILE:
		copy_put(&n->file, data, frame->size);
		return 0;
	case FRAME_KEEP:
		copy_keep(&n->file);
		return 0;
	case FRAME_TAKEN:
		n->sent -= frame_number(frame, data);
		return 0;
	case FRAME_STATUS:
		n->known = 1;
		n->status = frame_number(frame, data);
		return 0;
	}
	return -1;
}

/* Take all complete frames; returns an exit status if one is invalid */
static int take_frames(struct near *n)
{
	struct frame frame;
	const char *data;
	int ret = 0;

	while (!n->known && (ret = frame_get(&n->relay.in, &frame, &data)) > 0) {
		if (take_frame(n, &frame, data))
			ret = -1;
		queue_take(&n->relay.in, sizeof(frame) + frame.size);
		if (ret < 0)
			break;
	}
	if (ret < 0)
		return complain("'%s' changes bytes on their way, or the program on the card wrote "
				"to our stream: a relay must pass them on unchanged",
				n->relay.text);
	return 0;
}

static void begin(struct near *n)
{
	frame_put(&n->relay.out, FRAME_START, n->start.data, n->start.nr);
	/* the input has ended */
	if (!n->input)
		frame_put(&n->relay.out, FRAME_INPUT, NULL, 0);
}

/* Read from the relay; returns -1 if it has ended */
static int hear(struct near *n)
{
	int status;

	if (queue_read(&n->relay.in, n->relay.from) <= 0)
		return -1;
	if (!n->relay.ready) {
		status = relay_lines(&n->relay);
		if (status)
			return status;
		if (n->relay.ready)
			begin(n);
	}
	return n->relay.ready ? take_frames(n) : 0;
}

static void read_input(struct near *n)
{
	static char buffer[4096];
	ssize_t nr = read(STDIN_FILENO, buffer, sizeof(buffer));

	if (nr < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (nr <= 0)
		n->input = 0;
	frame_put(&n->relay.out, FRAME_INPUT, buffer, nr > 0 ? nr : 0);
	n->sent += nr > 0 ? nr : 0;
}

/* May the terminal be read? A background process would be stopped by it */
static int may_read(const struct near *n)
{
	return n->input && n->relay.ready && n->sent < INPUT_MOST &&
	       (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp());
}

/* Take a signal; returns -1 if it ended the relay, whose children may still hold its pipes */
static int take_signal(struct near *n)
{
	struct signalfd_siginfo info;
	int ends;

	if (read(n->signals, &info, sizeof(info)) != sizeof(info) || info.ssi_signo == SIGCHLD)
		return 0;
	/*
	 * end the relay if no program runs yet, or if a repeated signal shows that the program goes
	 * on
	 */
	ends = !n->relay.ready || n->signal == (int)info.ssi_signo;
	if (ends)
		kill(n->relay.pid, SIGTERM);
	else
		frame_put_number(&n->relay.out, FRAME_SIGNAL, info.ssi_signo);
	n->signal = info.ssi_signo;
	return ends ? -1 : 0;
}

static void write_shown(struct near *n, int error)
{
	struct queue *q = &n->shown[error];

	if (!queue_write(q, error ? STDERR_FILENO : STDOUT_FILENO))
		return;
	queue_take(q, q->nr);
	n->closed[error] = 1;
	frame_put_number(&n->relay.out, FRAME_CLOSED, error ? STDERR_FILENO : STDOUT_FILENO);
}

static void choose(const struct near *n, struct pollfd *fds)
{
	const int numbers[NR_FDS] = {
		[FROM] = n->shown[0].nr || n->shown[1].nr ? -1 : n->relay.from,
		[TO] = n->relay.out.nr ? n->relay.to : -1,
		[INPUT] = may_read(n) ? STDIN_FILENO : -1,
		[OUTPUT] = n->shown[0].nr ? STDOUT_FILENO : -1,
		[ERRORS] = n->shown[1].nr ? STDERR_FILENO : -1,
		[SIGNALS] = n->signals,
	};
	unsigned int i;

	for (i = 0; i < NR_FDS; i++) {
		fds[i].fd = numbers[i];
		fds[i].events = i == TO || i == OUTPUT || i == ERRORS ? POLLOUT : POLLIN;
		fds[i].revents = 0;
	}
}

/*
 * Run until the status has arrived and all output is shown; returns the status, or -1 if the relay
 * ends
 */
static int converse(struct near *n)
{
	struct pollfd fds[NR_FDS];
	int ret = 0;

	while (!ret && (!n->known || n->shown[0].nr || n->shown[1].nr)) {
		choose(n, fds);
		if (poll(fds, NR_FDS, -1) < 0)
			continue;
		if (fds[OUTPUT].revents)
			write_shown(n, 0);
		if (fds[ERRORS].revents)
			write_shown(n, 1);
		if (fds[SIGNALS].revents)
			ret = take_signal(n);
		/* a relay that reads no more has ended: show its remaining output first */
		if (fds[TO].revents && queue_write(&n->relay.out, n->relay.to))
			queue_take(&n->relay.out, n->relay.out.nr);
		if (fds[INPUT].revents)
			read_input(n);
		if (!ret && fds[FROM].revents)
			ret = hear(n);
	}
	return ret;
}

/* The relay has ended without an exit status of the command */
static int cut_off(struct near *n)
{
	int status;

	if (n->signal) {
		relay_reap(&n->relay);
		return CTL_SIGNAL + n->signal;
	}
	if (!n->relay.ready)
		return relay_failed(&n->relay);
	status = relay_reap(&n->relay);
	return complain("the connection to the card was lost ('%s sh' ended with %d): the program "
			"there gets SIGHUP, and its counts are not here",
			n->relay.text, status);
}

static int run(struct near *n)
{
	int ret = converse(n);

	if (ret < 0)
		return cut_off(n);
	if (ret)
		kill(n->relay.pid, SIGTERM);
	ret = copy_close(&n->file, ret ? ret : n->status);
	/* all has arrived: let Ctrl-C end this process, in case the relay does not end */
	sigprocmask(SIG_SETMASK, n->relay.mask, NULL);
	relay_reap(&n->relay);
	return ret;
}

int via_run(const struct via *via, const struct command *cmd, int argc, char **argv)
{
	static struct near near;
	static struct recorder recorder;
	sigset_t mask, set;
	int status;

	status = request_make(&near.start, &near.file, via, cmd, argc, argv);
	if (!status)
		status = recorder_load(&recorder, via->recorder);
	if (!status)
		status = copy_open(&near.file);
	if (status)
		return status;
	if (cmd->paged)
		pager_start();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (child_signals(&mask))
		return copy_close(&near.file, complain("can't block signals: %s", strerror(errno)));
	child_wanted_signals(&set);
	near.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	near.input = cmd->wraps;
	status = relay_start(&near.relay, via->relay, &recorder, &mask);
	if (!status)
		status = run(&near);
	return copy_close(&near.file, status);
}
