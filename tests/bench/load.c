// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of loading a module: load WHO FILE, as root
 *
 * Instructions are the run time of the process, one nanosecond each. Waiting does not count:
 * removing a module waits for other CPUs and for RCU grace periods.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure.h"

#define LOADS	8

static long spent(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used))
		die("getrusage");
	return 1000 * ((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
		       used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		die(path);
	close(fd);
}

/* NAME, the module's name, of the path DIR/NAME.ko */
static const char *name_of(const char *path)
{
	static char name[64];
	const char *slash = strrchr(path, '/');

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	name[strcspn(name, ".")] = 0;
	return name;
}

int main(int argc, char **argv)
{
	long least[2] = { ~0UL >> 1, ~0UL >> 1 }, t[3], bytes = 0;
	const char *path = begin(argc, argv);
	int i;

	for (i = 0; i < LOADS; i++) {
		bytes = kernel_memory();
		t[0] = spent();
		load(path);
		t[1] = spent();
		bytes = kernel_memory() - bytes;
		t[2] = spent();
		if (syscall(SYS_delete_module, name_of(path), O_NONBLOCK))
			die("delete_module");
		if (t[1] - t[0] < least[0])
			least[0] = t[1] - t[0];
		t[1] = spent();
		if (t[1] - t[2] < least[1])
			least[1] = t[1] - t[2];
	}
	show("load", 0, least[0]);
	show("unload", 0, least[1]);
	show("load.bytes", 0, bytes);
	return 0;
}
