// SPDX-License-Identifier: GPL-2.0
/*
 * Files of /proc and /sys, if they are the kernel's
 *
 * In a container other files may be mounted over some of them (lxcfs), others are hidden, and /proc
 * may number the processes of another pid namespace. What such a file says, or that it is missing,
 * tells nothing about the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

#include "private.h"
#include "kernel-file.h"

#define PATH_LEN	512

static int of_kernel(const struct statfs *fs)
{
	return fs->f_type == SYSFS_MAGIC || fs->f_type == PROC_SUPER_MAGIC ||
	       fs->f_type == SECURITYFS_MAGIC;
}

/* There is no @path: -ENOENT if the kernel would show it, -EXDEV if something covers its place */
static int missing(const char *path)
{
	char parent[PATH_LEN], *slash;
	struct statfs fs;

	snprintf(parent, sizeof(parent), "%s", path);
	while ((slash = strrchr(parent, '/')) && slash != parent) {
		*slash = '\0';
		if (!statfs(parent, &fs))
			return of_kernel(&fs) ? -ENOENT : -EXDEV;
	}
	return -EXDEV;
}

int kncpmu_kernel_has(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs))
		return errno == ENOENT ? missing(path) : -errno;
	return of_kernel(&fs) ? 0 : -EXDEV;
}

FILE *kncpmu_kernel_open(const char *path, int *error)
{
	FILE *f = fopen(path, "re");
	struct statfs fs;

	*error = 0;
	if (!f)
		*error = errno == ENOENT ? missing(path) : -errno;
	else if (fstatfs(fileno(f), &fs) || !of_kernel(&fs))
		*error = -EXDEV;
	if (f && *error) {
		fclose(f);
		f = NULL;
	}
	return f;
}

int kncpmu_kernel_line(const char *path, char *line, size_t size)
{
	int error;
	FILE *f = kncpmu_kernel_open(path, &error);

	line[0] = '\0';
	if (!f)
		return error;
	if (!fgets(line, size, f))
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

/*
 * The number of this process in /proc; 0: the process is in nested pid namespaces, the outermost of
 * which /proc shows. Before Linux 4.1 there is no NSpid.
 */
static int own_number(FILE *f)
{
	char line[256];
	int pid = 0, other, nr;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Pid: %d", &pid) == 1)
			continue;
		nr = sscanf(line, "NSpid: %d %d", &other, &other);
		if (nr > 0)
			return nr == 1 ? pid : 0;
	}
	return pid;
}

int kncpmu_proc_own(void)
{
	int error, pid;
	FILE *f;

	f = kncpmu_kernel_open("/proc/self/status", &error);
	if (!f)
		return error == -ENOENT ? -ESRCH : error;
	pid = own_number(f);
	fclose(f);
	return pid == getpid() ? 0 : -ESRCH;
}

const char *kncpmu_kernel_why(const char *path, int error)
{
	const int proc = !strncmp(path, "/proc", strlen("/proc"));

	if (error == -ESRCH)
		return "it shows the processes of another pid namespace: mount -t proc none /proc";
	if (error != -EXDEV)
		return strerror(-error);
	if (!kncpmu_kernel_has(proc ? "/proc" : "/sys"))
		return "a container has put something else in its place: run this outside of it";
	return proc ? "/proc is not mounted: mount -t proc none /proc" :
		      "/sys is not mounted: mount -t sysfs sys /sys";
}

char *kncpmu_proc_stat(int pid, char *text, size_t size)
{
	char path[32], *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end + 2 : NULL;
}

unsigned long long kncpmu_boot_ns(void)
{
	struct timespec ts;

	/*
	 * MPSS's 2.6.38 lacks CLOCK_BOOTTIME; CLOCK_MONOTONIC differs only after suspend, which
	 * cards lack
	 */
	if (clock_gettime(CLOCK_BOOTTIME, &ts))
		clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}
