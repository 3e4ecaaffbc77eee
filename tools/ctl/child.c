// SPDX-License-Identifier: GPL-2.0
/*
 * The command that stat counts and record samples
 *
 * It is forked before anything counts and held on a pipe, so that what the
 * tool adds to the counts is always the same: one wake-up and one exec.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "child.h"

#define READY_TRIES	1000

unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Signals that are for the command, and end what the tool does */
static const int stop_signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

/* Who started it with nohup wants it to outlive his terminal */
static int is_unwanted(int sig)
{
	struct sigaction action;

	return sig == SIGHUP && !sigaction(sig, NULL, &action) && action.sa_handler == SIG_IGN;
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

/* Keep signals until they are asked for; @old is for the command */
int child_signals(sigset_t *old)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	child_wanted_signals(&set);
	return sigprocmask(SIG_BLOCK, &set, old);
}

/* The child's errno for the parent, 0: all is well so far */
static void tell(int error, int why)
{
	if (write(error, &why, sizeof(why)) != sizeof(why))
		_exit(CTL_FAILED);
}

/* In the child: wait for the word, become the command */
static void become_command(const struct child *child, int go, int error,
			   char **command, const struct kncpmu_cpus *pin,
			   const sigset_t *mask)
{
	int why = 0;
	char byte;

	close(child->go);
	close(child->error);
	if (pin && sched_setaffinity(0, sizeof(*pin), (const cpu_set_t *)pin))
		why = errno;
	sigprocmask(SIG_SETMASK, mask, NULL);
	tell(error, why);
	if (why || read(go, &byte, 1) != 1)
		_exit(CTL_FAILED);
	execvp(command[0], command);
	tell(error, errno);
	_exit(CTL_NOCOMMAND);
}

/* Whether the process sleeps; if that can't be told, it is taken to */
static int sleeps(pid_t pid)
{
	char path[32], line[256] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 1;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	state = strrchr(line, ')');
	return !state || strncmp(state, ") R", 3);
}

/*
 * Wait until the child waits for the word: nothing of how it got there is to be
 * counted.
 */
static int wait_ready(struct child *child)
{
	const struct timespec nap = { .tv_nsec = NSEC_PER_MSEC };
	int tries, why = 0;

	if (read(child->error, &why, sizeof(why)) != sizeof(why))
		why = ECHILD;
	if (why) {
		child_reap(child);
		close(child->error);
		return complain("can't run the command on the CPUs of --pin: %s", strerror(why));
	}
	for (tries = 0; tries < READY_TRIES && !sleeps(child->pid); tries++)
		nanosleep(&nap, NULL);
	return 0;
}

/* Fork the command; it waits for child_release() */
int child_spawn(struct child *child, char **command,
		const struct kncpmu_cpus *pin, const sigset_t *mask)
{
	int go[2], error[2];

	memset(child, 0, sizeof(*child));
	if (pipe2(go, O_CLOEXEC))
		return complain("can't make a pipe: %s", strerror(errno));
	if (pipe2(error, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return complain("can't make a pipe: %s", strerror(errno));
	}
	child->go = go[1];
	child->error = error[0];
	fflush(NULL);
	child->pid = fork();
	if (!child->pid)
		become_command(child, go[0], error[1], command, pin, mask);
	close(go[0]);
	close(error[1]);
	if (child->pid > 0)
		return wait_ready(child);
	close(child->go);
	close(child->error);
	return complain("can't start a process: %s", strerror(errno));
}

void child_release(struct child *child)
{
	if (write(child->go, "", 1) != 1)
		complain("can't let the command go: %s", strerror(errno));
}

/*
 * A terminal sends SIGINT and SIGQUIT to the command itself; what was sent to
 * this process alone is handed on.
 */
static void hand_on(struct child *child, const siginfo_t *info)
{
	child->signalled = 1;
	if (info->si_code != SI_KERNEL)
		kill(child->pid, info->si_signo);
}

static int has_ended(const struct child *child)
{
	siginfo_t info;

	info.si_pid = 0;
	return !waitid(P_PID, child->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == child->pid;
}

static int is_over(unsigned long long until)
{
	return until && now_ns() >= until;
}

/* A signal that ends what the tool does, in @info; 0: none yet, look at the time */
static int take_signal(siginfo_t *info, unsigned long long until)
{
	unsigned long long now = now_ns(), left = until > now ? until - now : 0;
	const struct timespec ts = {
		.tv_sec = left / NSEC_PER_SEC,
		.tv_nsec = left % NSEC_PER_SEC,
	};
	sigset_t set;
	int sig;

	child_wanted_signals(&set);
	sig = sigtimedwait(&set, info, until ? &ts : NULL);
	return sig > 0 && sig != SIGCHLD;
}

/* Wait until the command ends, but not longer than @until (0: for ever) */
enum child_event child_wait(struct child *child, unsigned long long until)
{
	siginfo_t info;

	while (!has_ended(child)) {
		if (is_over(until))
			return CHILD_TIMEOUT;
		if (take_signal(&info, until))
			hand_on(child, &info);
	}
	return CHILD_ENDED;
}

/* The same without a command: until a signal comes */
enum child_event signal_wait(unsigned long long until)
{
	siginfo_t info;

	while (!is_over(until)) {
		if (take_signal(&info, until))
			return CHILD_ENDED;
	}
	return CHILD_TIMEOUT;
}

static double seconds(const struct timeval *tv)
{
	return tv->tv_sec + tv->tv_usec / 1e6;
}

/* Take the exit status and times of a command that has ended or been let down */
void child_reap(struct child *child)
{
	struct rusage usage;

	close(child->go);
	memset(&usage, 0, sizeof(usage));
	while (wait4(child->pid, &child->status, 0, &usage) < 0 && errno == EINTR)
		;
	child->user = seconds(&usage.ru_utime);
	child->sys = seconds(&usage.ru_stime);
}

/* errno of exec, or 0 */
int child_exec_error(struct child *child)
{
	int why = 0;

	if (read(child->error, &why, sizeof(why)) != sizeof(why))
		why = 0;
	close(child->error);
	return why;
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

/* Was it killed, or was a signal sent to it or to stat? Then there are no more runs */
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

/* Run on what is online besides @cpus; 0: there is nothing, or it is not allowed */
static int run_beside(const struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus others;
	unsigned int cpu;

	if (kncpmu_cpus_online(&others))
		return 0;
	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu))
		kncpmu_cpus_clear(&others, cpu);
	return kncpmu_cpus_count(&others) &&
	       !sched_setaffinity(0, sizeof(others), (const cpu_set_t *)&others);
}

void keep_off(const struct kncpmu_cpus *cores, const struct kncpmu_cpus *cpus)
{
	if (!run_beside(cores))
		run_beside(cpus);
}
