/* SPDX-License-Identifier: GPL-2.0 */
/* The command that stat counts and record samples: start it, wait for it */
#ifndef KNC_CTL_CHILD_H
#define KNC_CTL_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include <kncpmu.h>

/**
 * struct child - the command
 * @pid: its process
 * @go: the pipe it waits on; both ends stay open, so that writing never fails
 * @error: read end of the pipe with the errno of exec; -1: it was read
 * @why: errno of exec
 * @reaped: wait() was called: @pid may be another process
 * @status: its status from wait()
 * @signalled: a signal was passed on to it
 * @user: seconds in user mode
 * @sys: seconds in the kernel
 */
struct child {
	pid_t pid;
	int go[2];
	int error;
	int why;
	int reaped;
	int status;
	int signalled;
	double user;
	double sys;
};

/* Results of child_wait() and signal_wait(); WAIT_OVER: the command has ended, or a signal came */
enum child_event { WAIT_TIMEOUT, WAIT_OVER };

/* The signals that child_wait() takes */
void child_wanted_signals(sigset_t *set);
int child_signals(sigset_t *old);
/* Start @command, on the CPUs @pin only unless that is NULL. Returns 0 or an exit status */
int child_spawn(struct child *child, char **command,
		const struct kncpmu_cpus *pin, const sigset_t *mask);
void child_release(struct child *child);
enum child_event child_wait(struct child *child, unsigned long long until);
enum child_event signal_wait(unsigned long long until);
void child_reap(struct child *child);
/* Wait until exec succeeds or fails; returns its errno, or 0 */
int child_exec_error(struct child *child);
/* Has exec succeeded? Returns at once */
int child_executed(struct child *child);
/* Say why the command could not be executed; returns the exit status for that */
int child_exec_failed(const char *name, int why);
int child_exit_status(const struct child *child);
int child_stopped(const struct child *child);

#endif /* KNC_CTL_CHILD_H */
