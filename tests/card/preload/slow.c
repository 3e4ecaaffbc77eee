// SPDX-License-Identifier: GPL-2.0
/*
 * LD_PRELOADed into knc-pmuctl: makes a case that occurs once in a million runs occur each
 * time. SLOW names the case, for tests/card/guest/ends.sh:
 *
 *	read		each READ takes longer than any interval of the tests
 *	early-kill	the command is killed as soon as it is forked
 *	late-kill	the command is killed just before its exec
 *	early-int	a terminal sends SIGINT when there is no command yet
 *	hangup		a terminal that hangs up sends SIGHUP to this program only
 *	offline		a CPU goes offline just before it is counted, the first time
 *	refused		a program that is refused a session for a child of process SLOW_PARENT
 *			makes a file SLOW_AT, and goes on when there is one SLOW_GO
 *	deaf		the kernel's events of devices and modules can't be received
 *	maps		mappings of a process take 0.1 s to be read, as 100,000 do; each time is a
 *			line of SLOW_AT
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc_pmu.h>

static pid_t child;

static int is_slow(const char *what)
{
	const char *slow = getenv("SLOW");

	return slow && !strcmp(slow, what);
}

/* Send a signal with the si_code of a terminal's, which a process can send only to itself */
static void from_terminal(int sig)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = sig;
	info.si_code = SI_KERNEL;
	syscall(SYS_rt_sigqueueinfo, getpid(), sig, &info);
}

pid_t fork(void)
{
	typeof(fork) *next = dlsym(RTLD_NEXT, "fork");
	pid_t pid;

	if (is_slow("early-int"))
		from_terminal(SIGINT);
	pid = next();
	if (!pid && is_slow("early-kill"))
		kill(getpid(), SIGKILL);
	child = pid;
	return pid;
}

static void kill_child(void)
{
	siginfo_t info;

	kill(child, SIGKILL);
	waitid(P_PID, child, &info, WEXITED | WNOWAIT);
}

static void take_offline(void)
{
	int fd = open(getenv("SLOW_CPU"), O_WRONLY | O_CLOEXEC);

	/* an error is reported, not fatal */
	if (fd < 0 || write(fd, "0", 1) != 1)
		perror("slow: a CPU does not go");
	close(fd);
	unsetenv("SLOW");
}

static void before(unsigned long request)
{
	static int hung_up;

	if (request == KNC_PMU_IOC_START && child && is_slow("late-kill"))
		kill_child();
	if (request == KNC_PMU_IOC_CONFIG && is_slow("offline"))
		take_offline();
	if (request != KNC_PMU_IOC_READ)
		return;
	if (is_slow("read"))
		usleep(50000);
	if (is_slow("hangup") && !hung_up++)
		from_terminal(SIGHUP);
}

static int parent_of(int pid)
{
	char path[32], line[512] = "";
	const char *behind;
	int parent = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	behind = strrchr(line, ')');
	return behind && sscanf(behind, ") %*c %d", &parent) == 1 ? parent : 0;
}

static void refused(const struct knc_pmu_config *config)
{
	const char *at = getenv("SLOW_AT"), *go = getenv("SLOW_GO");
	const char *parent = getenv("SLOW_PARENT");

	if (!at || !go || !parent || !access(at, F_OK) ||
	    parent_of(config->pid) != atoi(parent))
		return;
	close(open(at, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	while (access(go, F_OK))
		usleep(10000);
}

int socket(int domain, int type, int protocol)
{
	typeof(socket) *next = dlsym(RTLD_NEXT, "socket");

	if (domain == AF_NETLINK && is_slow("deaf")) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return next(domain, type, protocol);
}

FILE *fopen(const char *path, const char *mode)
{
	typeof(fopen) *next = dlsym(RTLD_NEXT, "fopen");
	const char *name = strrchr(path, '/'), *at = getenv("SLOW_AT");
	FILE *f;

	if (is_slow("maps") && at && name && !strcmp(name, "/maps")) {
		f = next(at, "ae");
		if (f && fprintf(f, "%s\n", path) > 0)
			usleep(100000);
		if (f)
			fclose(f);
	}
	return next(path, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
	typeof(ioctl) *next = dlsym(RTLD_NEXT, "ioctl");
	va_list ap;
	void *arg;
	int ret;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	before(request);
	ret = next(fd, request, arg);
	if (ret < 0 && request == KNC_PMU_IOC_CONFIG && is_slow("refused"))
		refused(arg);
	return ret;
}
