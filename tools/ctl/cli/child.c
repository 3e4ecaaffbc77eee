// SPDX-License-Identifier: GPL-2.0
/*
 * The command that stat counts and record samples
 *
 * It is forked before anything counts and waits on a pipe. Therefore the tool
 * always adds the same to the counts: one wake-up and one exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <kernel-file.h>

#include "cli/array.h"
#include "cli/child.h"
#include "cli/clock.h"
#include "cli/far.h"
#include "cli/message.h"

#define READY_TRIES	1000

/* Signals that are passed to the command and end the tool's work */
static const int stop_signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

/* Leave ignored signals ignored: SIGHUP after nohup, SIGINT and SIGQUIT in a background job */
static int is_unwanted(int sig)
{
	struct sigaction action;

	return !sigaction(sig, NULL, &action) && action.sa_handler == SIG_IGN;
}

void child_wanted_signals(sigset_t *set)
{
	unsigned int i;

	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++) {
		if (!is_unwanted(stop_signals[i]))
			sigaddset(set, stop_signals[i]);
	}
}

/* Block signals until child_wait() takes them; @old is the mask for the command */
int child_signals(sigset_t *old)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	child_wanted_signals(&set);
	/* while it is blocked, write() beyond the limit returns EFBIG */
	sigaddset(&set, SIGXFSZ);
	return sigprocmask(SIG_BLOCK, &set, old);
}

/* Send the child's errno to the parent; 0: no error so far */
static void tell(int error, int why)
{
	if (write(error, &why, sizeof(why)) != sizeof(why))
		_exit(CTL_FAILED);
}

/*
 * Let this process run on @cpus only. The kernel silently leaves out CPUs outside of the process'
 * cpuset, for instance in a container; it returns EINVAL if no CPU is left.
 */
static int pin_to(const struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus now;

	memset(&now, 0, sizeof(now));
	if (sched_setaffinity(0, sizeof(*cpus), (const cpu_set_t *)cpus))
		return errno;
	if (sched_getaffinity(0, sizeof(now), (cpu_set_t *)&now) < 0)
		return errno;
	return memcmp(&now, cpus, sizeof(now)) ? EINVAL : 0;
}

/* In the child: wait for child_release(), then execute the command */
static void become_command(const struct child *child, int error, char **command,
			   const struct kncpmu_cpus *pin, const sigset_t *mask)
{
	int why = 0;
	char byte;

	close(child->go[1]);
	close(child->error);
	if (pin)
		why = pin_to(pin);
	tell(error, why);
	if (why || read(child->go[0], &byte, 1) != 1)
		_exit(CTL_FAILED);
	/*
	 * only now: an earlier signal would end the child before the parent counts and can say why
	 */
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(command[0], command);
	tell(error, errno);
	_exit(CTL_NOCOMMAND);
}

/* Does the process sleep? 1 also if /proc does not tell */
static int sleeps(pid_t pid)
{
	char text[512];
	const char *state = kncpmu_proc_own() ? NULL : kncpmu_proc_stat(pid, text, sizeof(text));

	return !state || *state != 'R';
}

/* Read a whole number from a pipe; 0: the other end was closed without one */
static int read_number(int fd, int *number)
{
	ssize_t n;

	do {
		n = read(fd, number, sizeof(*number));
	} while (n < 0 && errno == EINTR);
	return n == sizeof(*number);
}

/* The child ended before child_release(), which only a signal can cause */
static int killed_early(struct child *child)
{
	int status;

	child_reap(child);
	status = child_exit_status(child);
	complain("the command was killed before it was executed (%s): start it again",
		 WIFSIGNALED(child->status) ? strsignal(WTERMSIG(child->status)) : "no signal");
	return status;
}

/* Wait until the child waits for child_release(), because its way there must not be counted */
static int wait_ready(struct child *child)
{
	static const char lacks[] =
		"the cpuset of this cgroup (a container's) lacks some of them: choose others";
	const struct timespec nap = { .tv_nsec = NSEC_PER_MSEC };
	int tries, why = 0, status = 0;

	if (!read_number(child->error, &why)) {
		status = killed_early(child);
	} else if (why) {
		child_reap(child);
		status = complain("can't run the command on the CPUs of --pin: %s",
				  why == EINVAL ? lacks : strerror(why));
	}
	if (status) {
		close(child->error);
		return status;
	}
	for (tries = 0; tries < READY_TRIES && !sleeps(child->pid); tries++)
		nanosleep(&nap, NULL);
	return 0;
}

static void close_pipe(const int *ends)
{
	close(ends[0]);
	close(ends[1]);
}

static int make_pipes(struct child *child, int *error)
{
	int why;

	if (!pipe2(child->go, O_CLOEXEC)) {
		if (!pipe2(error, O_CLOEXEC))
			return 0;
		why = errno;
		close_pipe(child->go);
		errno = why;
	}
	return complain("can't make a pipe: %s%s", strerror(errno), remedy(errno));
}

/* Fork the command; it waits for child_release() */
int child_spawn(struct child *child, char **command,
		const struct kncpmu_cpus *pin, const sigset_t *mask)
{
	int error[2], why;

	memset(child, 0, sizeof(*child));
	if (make_pipes(child, error))
		return CTL_FAILED;
	child->error = error[0];
	fflush(NULL);
	child->pid = fork();
	if (!child->pid)
		become_command(child, error[1], command, pin, mask);
	why = errno;
	close(error[1]);
	if (child->pid > 0)
		return wait_ready(child);
	close_pipe(child->go);
	close(child->error);
	return complain("can't start a process: %s%s", strerror(why), remedy(why));
}

/*
 * Pass on signals that came before the fork. The child inherits later ones as blocked: a terminal
 * sends them to both processes, and the command must get them once.
 */
static void hand_on_pending(struct child *child)
{
	const struct timespec none = { .tv_sec = 0 };
	sigset_t set;
	int sig;

	child_wanted_signals(&set);
	/* child_wait() waits for SIGCHLD */
	sigdelset(&set, SIGCHLD);
	while ((sig = sigtimedwait(&set, NULL, &none)) > 0) {
		child->signalled = 1;
		kill(child->pid, sig);
	}
}

void child_release(struct child *child)
{
	hand_on_pending(child);
	if (write(child->go[1], "", 1) != 1)
		complain("can't start the command: %s", strerror(errno));
}

/*
 * SIGINT and SIGQUIT are not passed on, because a terminal sends them to the command too. Other
 * signals may have been sent to this process alone; a terminal that hangs up sends SIGHUP only to
 * its session's leader. The card's side of --via sends each signal to both processes.
 */
static void hand_on(struct child *child, const siginfo_t *info)
{
	const struct far *far = far_side();
	int has_it = info->si_code == SI_KERNEL ? info->si_signo != SIGHUP :
		     far && info->si_pid == far->terminal;

	child->signalled = 1;
	if (!has_it)
		kill(child->pid, info->si_signo);
}

static int has_ended(const struct child *child)
{
	siginfo_t info;

	if (child->reaped)
		return 1;
	info.si_pid = 0;
	return !waitid(P_PID, child->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == child->pid;
}

static int is_over(unsigned long long until)
{
	return until && now_ns() >= until;
}

/*
 * Wait for a signal of @set, or until @ts has passed. In older kernels, such as 2.6.38,
 * sigtimedwait() rounds up to whole ticks and adds one.
 */
static void wait_pending(const sigset_t *set, const struct timespec *ts)
{
	static int fd = -1;
	struct pollfd signals = { .events = POLLIN };

	if (fd < 0)
		fd = signalfd(-1, set, SFD_CLOEXEC);
	signals.fd = fd;
	ppoll(&signals, 1, ts, NULL);
}

/* Wait until @until for a signal that ends the tool's work, and store it in @info; 0: none came */
static int take_signal(siginfo_t *info, unsigned long long until)
{
	unsigned long long now = now_ns(), left = until > now ? until - now : 0;
	const struct timespec ts = {
		.tv_sec = left / NSEC_PER_SEC,
		.tv_nsec = left % NSEC_PER_SEC,
	};
	const struct timespec none = { .tv_sec = 0 };
	sigset_t set;
	int sig;

	child_wanted_signals(&set);
	if (until)
		wait_pending(&set, &ts);
	sig = sigtimedwait(&set, info, until ? &none : NULL);
	return sig > 0 && sig != SIGCHLD;
}

/*
 * Wait until the command ends, but not beyond @until (0: for ever). Takes pending signals even if
 * @until has passed.
 */
enum child_event child_wait(struct child *child, unsigned long long until)
{
	siginfo_t info;
	int over = 0;

	while (!has_ended(child)) {
		if (over)
			return WAIT_TIMEOUT;
		over = is_over(until);
		if (!take_signal(&info, until))
			continue;
		hand_on(child, &info);
		over = 0;
	}
	return WAIT_OVER;
}

/* child_wait() without a command: wait for a signal */
enum child_event signal_wait(unsigned long long until)
{
	siginfo_t info;
	int over;

	do {
		over = is_over(until);
		if (take_signal(&info, until))
			return WAIT_OVER;
	} while (!over);
	return WAIT_TIMEOUT;
}

static double seconds(const struct timeval *tv)
{
	return tv->tv_sec + tv->tv_usec / 1e6;
}

/* Take the command's exit status and times; a command that was not executed yet ends now */
void child_reap(struct child *child)
{
	struct rusage usage;

	close_pipe(child->go);
	memset(&usage, 0, sizeof(usage));
	while (wait4(child->pid, &child->status, 0, &usage) < 0 && errno == EINTR)
		;
	child->reaped = 1;
	child->user = seconds(&usage.ru_utime);
	child->sys = seconds(&usage.ru_stime);
}

int child_exec_error(struct child *child)
{
	if (child->error < 0)
		return child->why;
	if (!read_number(child->error, &child->why))
		child->why = 0;
	close(child->error);
	child->error = -1;
	return child->why;
}

int child_executed(struct child *child)
{
	struct pollfd fd = { .fd = child->error, .events = POLLIN };

	if (child->error >= 0 && poll(&fd, 1, 0) <= 0)
		return 0;
	return !child_exec_error(child);
}

int child_exec_failed(const char *name, int why)
{
	if (why == ENOENT) {
		complain("command not found: '%s'; check its name and PATH, or give its path",
			 name);
		return CTL_NOCOMMAND;
	}
	complain("can't execute '%s': %s; check that it is an executable file", name,
		 strerror(why));
	return CTL_NOEXEC;
}

int child_exit_status(const struct child *child)
{
	if (WIFSIGNALED(child->status))
		return CTL_SIGNAL + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}

/* Was the command killed, or a signal sent to it or to stat? Then stat -r starts no further run */
int child_stopped(const struct child *child)
{
	unsigned int i;
	sigset_t set;

	if (WIFSIGNALED(child->status) || child->signalled)
		return 1;
	if (sigpending(&set))
		return 0;
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++) {
		if (sigismember(&set, stop_signals[i]))
			return 1;
	}
	return 0;
}
