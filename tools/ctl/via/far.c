// SPDX-License-Identifier: GPL-2.0
/*
 * The card's side of --via
 *
 * This process talks to the user's machine through its standard input and output, and acts as the
 * terminal of the command. The command is its child, which returns to main() and ends as any
 * command does.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/array.h"
#include "via/start.h"
#include "via/via.h"

/* Limit of pending output. The file of -o has no limit, because samples would be lost */
#define MOST_OUTPUT	(256U << 10)
#define MOST_FILE	(64U << 20)

/* The pipes to the command */
enum { INPUT, OUTPUT, ERRORS, FILE_OUT, KEEP, PIPES };

/**
 * struct server - the card's side
 * @in: frames that were read
 * @out: frames to be written
 * @input: standard input of the command
 * @input_ended: no more will come
 * @fd: our ends of the pipes; -1: closed
 * @theirs: the command's ends
 * @pid: the command
 * @signals: tells of its end
 * @lost: the user's machine does not answer
 * @ended: the command has ended
 * @status: its exit status
 */
struct server {
	struct queue in;
	struct queue out;
	struct queue input;
	int input_ended;
	int fd[PIPES];
	int theirs[PIPES];
	pid_t pid;
	int signals;
	int lost;
	int ended;
	int status;
};

/* Send a signal to the command and its program, as a terminal does */
static void send_signal(const struct server *s, int sig)
{
	if (!s->ended && sig > 0 && sig < NSIG)
		kill(-s->pid, sig);
}

/* The user's machine does not answer: act like a terminal that hangs up */
static void hang_up(struct server *s)
{
	if (s->lost)
		return;
	s->lost = 1;
	s->input_ended = 1;
	queue_take(&s->out, s->out.nr);
	queue_take(&s->input, s->input.nr);
	send_signal(s, SIGHUP);
}

static void close_end(struct server *s, int pipe)
{
	if (s->fd[pipe] >= 0)
		close(s->fd[pipe]);
	s->fd[pipe] = -1;
}

static void take_frame(struct server *s, const struct frame *frame, const char *data)
{
	switch (frame->type) {
	case FRAME_INPUT:
		if (frame->size && s->fd[INPUT] >= 0)
			queue_put(&s->input, data, frame->size);
		s->input_ended |= !frame->size;
		break;
	case FRAME_SIGNAL:
		send_signal(s, frame_number(frame, data));
		break;
	case FRAME_CLOSED:
		/* the program gets SIGPIPE when it writes again */
		close_end(s, frame_number(frame, data) == STDOUT_FILENO ? OUTPUT : ERRORS);
		break;
	default:
		hang_up(s);
	}
}

static void take_frames(struct server *s)
{
	struct frame frame;
	const char *data;
	int ret;

	while ((ret = frame_get(&s->in, &frame, &data)) > 0) {
		take_frame(s, &frame, data);
		queue_take(&s->in, sizeof(frame) + frame.size);
	}
	if (ret < 0)
		hang_up(s);
}

static void feed(struct server *s)
{
	size_t before = s->input.nr;

	if (queue_write(&s->input, s->fd[INPUT])) {
		/* the program reads no more: drop its input */
		queue_take(&s->input, s->input.nr);
		close_end(s, INPUT);
		return;
	}
	if (before != s->input.nr && !s->lost)
		frame_put_number(&s->out, FRAME_TAKEN, before - s->input.nr);
}

/* Send output of the command; returns whether there may be more now */
static int pass_on(struct server *s, int pipe)
{
	static const enum frame_type types[PIPES] = {
		[OUTPUT] = FRAME_OUTPUT, [ERRORS] = FRAME_ERRORS,
		[FILE_OUT] = FRAME_FILE, [KEEP] = FRAME_KEEP,
	};
	static char buffer[FRAME_MOST];
	ssize_t n;

	/* the command sends KEEP before contents: the other side creates the file only then */
	if (pipe == FILE_OUT)
		pass_on(s, KEEP);
	n = s->fd[pipe] < 0 ? 0 : read(s->fd[pipe], buffer, sizeof(buffer));
	if (n < 0)
		return errno == EINTR;
	if (!n)
		close_end(s, pipe);
	else if (!s->lost)
		frame_put(&s->out, types[pipe], buffer, pipe == KEEP ? 0 : n);
	return n > 0;
}

/* Has the command ended? Then its last output is in the pipes */
static void look_for_end(struct server *s)
{
	struct signalfd_siginfo info;
	int status, pipe;

	if (read(s->signals, &info, sizeof(info)) < 0 ||
	    waitpid(s->pid, &status, WNOHANG) != s->pid)
		return;
	s->ended = 1;
	s->status = WIFSIGNALED(status) ? CTL_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
	for (pipe = OUTPUT; pipe < PIPES; pipe++) {
		while (pass_on(s, pipe))
			;
	}
	if (!s->lost)
		frame_put_number(&s->out, FRAME_STATUS, s->status);
}

/* Fill @fds for poll(): the pipes, and the three other files */
static void choose(const struct server *s, struct pollfd *fds)
{
	int full = s->out.nr > MOST_OUTPUT, pipe;

	for (pipe = 0; pipe < PIPES; pipe++) {
		fds[pipe].fd = s->ended ? -1 : s->fd[pipe];
		fds[pipe].events = POLLIN;
	}
	fds[INPUT].events = POLLOUT;
	if (!s->input.nr)
		fds[INPUT].fd = -1;
	if (full) {
		fds[OUTPUT].fd = -1;
		fds[ERRORS].fd = -1;
	}
	if (s->out.nr > MOST_FILE)
		fds[FILE_OUT].fd = -1;
	fds[PIPES].fd = s->lost || s->ended ? -1 : STDIN_FILENO;
	fds[PIPES].events = POLLIN;
	fds[PIPES + 1].fd = s->out.nr ? STDOUT_FILENO : -1;
	fds[PIPES + 1].events = POLLOUT;
	fds[PIPES + 2].fd = s->ended ? -1 : s->signals;
	fds[PIPES + 2].events = POLLIN;
}

static void serve(struct server *s)
{
	struct pollfd fds[PIPES + 3];
	int pipe;

	while (!s->ended || s->out.nr) {
		take_frames(s);
		if (s->input_ended && !s->input.nr)
			close_end(s, INPUT);
		choose(s, fds);
		if (poll(fds, PIPES + 3, -1) < 0)
			continue;
		if (fds[INPUT].fd >= 0 && fds[INPUT].revents)
			feed(s);
		for (pipe = OUTPUT; pipe < PIPES; pipe++) {
			if (fds[pipe].fd >= 0 && fds[pipe].revents)
				pass_on(s, pipe);
		}
		if (fds[PIPES].fd >= 0 && fds[PIPES].revents &&
		    queue_read(&s->in, STDIN_FILENO) <= 0)
			hang_up(s);
		if (fds[PIPES + 1].fd >= 0 && fds[PIPES + 1].revents &&
		    queue_write(&s->out, STDOUT_FILENO))
			hang_up(s);
		if (fds[PIPES + 2].fd >= 0 && fds[PIPES + 2].revents)
			look_for_end(s);
	}
}

/* Wait for the frame that says what to run; exits if the input ends before */
static void wait_start(struct server *s, struct start *start)
{
	struct frame frame;
	const char *data;
	char *copy;
	int ret;

	do {
		if (queue_read(&s->in, STDIN_FILENO) <= 0)
			exit(CTL_FAILED);
		ret = frame_get(&s->in, &frame, &data);
	} while (!ret);
	if (ret < 0 || frame.type != FRAME_START)
		exit(CTL_FAILED);
	copy = xalloc(1, frame.size + 1);
	memcpy(copy, data, frame.size);
	queue_take(&s->in, sizeof(frame) + frame.size);
	if (start_take(start, copy, frame.size))
		exit(CTL_FAILED);
}

static int make_pipes(struct server *s)
{
	int ends[2], pipe, ours;

	for (pipe = 0; pipe < PIPES; pipe++) {
		if (pipe2(ends, O_CLOEXEC))
			return complain("can't make a pipe: %s%s", strerror(errno),
					remedy(errno));
		ours = pipe == INPUT;
		s->fd[pipe] = ends[ours];
		s->theirs[pipe] = ends[!ours];
		fcntl(s->fd[pipe], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

/* Run in the child: set up what main() gets */
static void become_command(struct server *s, struct start *start, const sigset_t *mask)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGPIPE };
	unsigned int i;
	int pipe;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	/* reset signals that the relay may have ignored: the program must not inherit that */
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	for (pipe = INPUT; pipe <= ERRORS; pipe++)
		dup2(s->theirs[pipe], pipe);
	for (pipe = 0; pipe < PIPES; pipe++) {
		close(s->fd[pipe]);
		if (pipe <= ERRORS)
			close(s->theirs[pipe]);
	}
	close(s->signals);
	start->far.fd = s->theirs[FILE_OUT];
	start->far.keep = s->theirs[KEEP];
	start->far.terminal = getppid();
	far_begin(&start->far);
}

static void start_command(struct server *s, struct start *start)
{
	sigset_t set, mask;
	int pipe;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, &mask);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0 || make_pipes(s))
		exit(complain("can't start the command: %s%s", strerror(errno), remedy(errno)));
	s->pid = fork();
	if (s->pid < 0)
		exit(complain("can't start a process: %s%s", strerror(errno), remedy(errno)));
	if (!s->pid) {
		become_command(s, start, &mask);
		return;
	}
	setpgid(s->pid, s->pid);
	for (pipe = 0; pipe < PIPES; pipe++)
		close(s->theirs[pipe]);
}

void via_serve(int *argc, char ***argv)
{
	static struct server server;
	static struct start start;

	/*
	 * other programs may print lines here too: the user's side recognizes ours by the first
	 * word
	 */
	printf("%s hello %s\n", *argc > 2 ? (*argv)[2] : "", kncpmu_version());
	fflush(stdout);
	wait_start(&server, &start);
	signal(SIGPIPE, SIG_IGN);
	start_command(&server, &start);
	if (!server.pid) {
		*argc = start.argc;
		*argv = start.argv;
		return;
	}
	serve(&server);
	exit(server.status);
}
